"""Reads the log of a run into a pandas table.  python3 log_to_pandas.py"""
import pandas as pd
log = pd.read_json("runs/first/log.jsonl", lines=True)
print(log.describe())
