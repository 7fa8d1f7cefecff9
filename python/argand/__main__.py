"""python3 -m argand: the self-test."""
import sys

from ._planted import selftest

found = selftest()
print(found)
sys.exit(0 if found else 1)
