#!/usr/bin/env python3
"""Makes the replicated form of a schema for ClickHouse: every table keeps its rows on several servers, which ZooKeeper or
Keeper coordinates. Usage: gen_replicated_sql.py OUTPUT SCHEMA"""
import re
import sys

TABLE = re.compile(r"(?<=CREATE TABLE IF NOT EXISTS )(?P<name>\w+)(?P<columns> \(.*?\n\) ENGINE = )(?P<kind>\w*?)MergeTree\b",
                   re.DOTALL)
HEAD = """-- The replicated form of {}, from which it was made. The settings of each server need ZooKeeper (or
-- Keeper), and the macros `shard` and `replica`. Servers with the same `shard` hold the same rows.

"""


def replicate(text):
    """@return the SQL with replicated tables. @exception ValueError A table has a kind without such a form."""
    made, count = TABLE.subn(
        lambda m: f"{m['name']}{m['columns']}Replicated{m['kind']}MergeTree("
                  f"'/clickhouse/tables/{{shard}}/{m['name']}', '{{replica}}')", text)
    if count != text.count("CREATE TABLE "):
        raise ValueError(f"{text.count('CREATE TABLE ')} tables, {count} of them can be replicated")
    return made


def main():
    output, schema = sys.argv[1:]
    with open(schema, encoding="utf-8") as file:
        text = file.read()
    with open(output, "w", encoding="utf-8") as out:
        out.write(HEAD.format(schema.rsplit("/", 1)[-1]) + replicate(text))


if __name__ == "__main__":
    main()
