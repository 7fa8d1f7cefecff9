"""The log of a run as a table of pandas.  python3 log_to_pandas.py"""
import pandas as pd
log = pd.read_json("runs/first/log.jsonl", lines=True)
print(log.describe())
