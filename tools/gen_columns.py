#!/usr/bin/env python3
"""The columns of the command's tables -> the rows of docs/formats/report.schema.json and diff.schema.json, and the tables
of docs/formats/report.md.

    print_columns | gen_columns.py --check FILE...     exit 1 if a file is not what the columns say
    print_columns | gen_columns.py --update FILE...    write the files

The build makes print_columns (tests/e2e/docs/print_columns.c); the columns are in cli/analysis, with each row type, and
in cli/json/diff_json.c. In a page, a table is between the lines `<!-- columns: NAME -->` and `<!-- end of columns -->`.
A schema keeps its descriptions of columns that say nothing."""
import argparse
import json
import sys

from doc_tables import rewritten

NUMBER = {"type": ["number", "null"]}
WHOLE = {"type": "integer", "minimum": 0}


def member(column, old):
    """The JSON Schema of a cell. @p old is the one before."""
    if column["type"] == "spread":
        return {"$ref": "#/$defs/within_run"}
    if column["type"] == "object":
        return {"$ref": "#/$defs/" + column["schema"]}
    null = [None] if column["null"] else []
    text = {"type": ["string", "null"] if null else "string"}
    if column["values"]:
        text = {"enum": [value for value in column["values"].split("|") if value or not null] + null}
    made = {"text": text, "choice": text, "truth": {"type": "boolean"}}
    made["number"] = made["count"] = WHOLE if column["whole"] else NUMBER
    doc = column["doc"] or old.get("description")
    return {**made[column["type"]], **({"description": doc} if doc else {})}


def schema(text, tables):
    """The schema with the members of each row as the columns say."""
    made = json.loads(text)
    for table in [table for table in tables if table["row"] in made["$defs"]]:
        columns = [column for column in table["columns"] if column["in_json"]]
        row = made["$defs"][table["row"]]
        row["properties"] = {column["id"]: member(column, row["properties"].get(column["id"], {})) for column in columns}
        row["required"] = [column["id"] for column in columns if not column["optional"]]
    return json.dumps(made, indent=1, ensure_ascii=False) + "\n"


def lines(table):
    """The table of a page: a line for each column, in the order of JSON, and those that only CSV has at the end."""
    csv = {column["id"]: column["csv"] for column in table["columns"] if column["in_csv"]}
    rows = {column["id"]: column for column in reversed(table["columns"]) if column["in_csv"]}
    rows = {**{column["id"]: column for column in table["columns"] if column["in_json"]},
            **{name: rows[name] for name in csv if not any(c["in_json"] and c["id"] == name for c in table["columns"])}}
    yield "| JSON | CSV | unit | meaning |"
    yield "| --- | --- | --- | --- |"
    for name, column in rows.items():
        cells = [f"`{name}`" if column["in_json"] else "", f"`{csv[name]}`" if name in csv else "", column["unit"] or "",
                 column["doc"] or ""]
        yield "| " + " | ".join(cells) + " |"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", nargs="+", default=[])
    parser.add_argument("--update", nargs="+", default=[])
    arguments = parser.parse_args()
    tables, stale = json.load(sys.stdin), False
    for path in arguments.check + arguments.update:
        with open(path, encoding="utf-8") as file:
            text = file.read()
        if path.endswith(".json"):
            new = schema(text, tables)
        else:
            new = rewritten(text, "columns", {table["name"]: list(lines(table)) for table in tables}, path)
        if new != text and path in arguments.update:
            with open(path, "w", encoding="utf-8") as file:
                file.write(new)
        elif new != text:
            stale = True
            print(f"{path} differs from the columns; run PP_UPDATE_GOLDEN=1 ctest -R '^docs_columns$'")
    return 1 if stale else 0


sys.exit(main())
