"""Rules for the files of a session that hold at every moment and after every end: docs/formats/session.md. The tests
use them that kill the application, fill the disk, or confine the application."""
import csv
import io
import json
import os

from harness import DRAW_COLUMNS, FRAME_COLUMNS, LABEL_COLUMNS, PASS_COLUMNS, equal, true


def read_bytes(path):
    """The content of a file; empty if it does not exist."""
    try:
        with open(path, "rb") as file:
            return file.read()
    except FileNotFoundError:
        return None


def whole_json(path):
    """The content of session.json if it is whole; else None."""
    raw = read_bytes(path)
    try:
        value = json.loads(raw.decode("utf-8"))
    except (AttributeError, ValueError):
        return None
    return value if value.get("revision", 0) == value.get("revision_end", 0) else None


def newest_json(folder):
    """The newer of session.json and its spare; None if both are missing."""
    found = [whole_json(os.path.join(folder, name)) for name in ("session.json", "session.json.new")]
    found = [it for it in found if it]
    return max(found, key=lambda it: it.get("revision", 0)) if found else None


def whole_rows(raw):
    """Rows of a CSV file without a torn last row, the header first."""
    text = raw.decode("utf-8", errors="strict" if raw.endswith(b"\r\n") else "ignore")
    quoted, end = False, 0
    for i, letter in enumerate(text):
        if letter == '"':
            quoted = not quoted
        if letter == "\n" and not quoted:
            end = i + 1
    rows = list(csv.reader(io.StringIO(text[:end], newline=""), strict=True))
    return rows


def table(folder, name, leading):
    """Rows of a file as dictionaries; None if the file is missing or has no header yet. The spare may replace
    frames.csv."""
    best = None
    for file in (name, name + ".new"):
        raw = read_bytes(os.path.join(folder, file))
        if not raw or raw[:1] == b"\0":
            continue
        try:
            rows = whole_rows(raw)
        except csv.Error:
            # A kill in the middle of a copy leaves new bytes in front of old ones, and the spare whole.
            true(file == name and read_bytes(os.path.join(folder, name + ".new")), f"{file} cannot be read")
            continue
        if rows and (best is None or len(rows[0]) >= len(best[0])):
            best = rows
    # Only the file that counts is checked: a kill may leave a torn frames.csv next to its spare.
    for i, row in enumerate(best or ()):
        equal(len(row), len(best[0]), f"cells in row {i}")
    if not best:
        return None
    equal(best[0][:len(leading)], list(leading), f"{name}: leading columns")
    return [dict(zip(best[0], row)) for row in best[1:]]


def by_frame(rows):
    """Rows by their frame."""
    found = {}
    for row in rows or ():
        found.setdefault(row["frame"], []).append(row)
    return found


def check(folder, clears=False):
    """Check all rules. clears: draws.csv has rows that no count includes. Returns session.json, or None, and the
    frames."""
    about = newest_json(folder)
    frames = table(folder, "frames.csv", FRAME_COLUMNS)
    passes = table(folder, "passes.csv", PASS_COLUMNS)
    labels = table(folder, "labels.csv", LABEL_COLUMNS)
    draws = table(folder, "draws.csv", DRAW_COLUMNS)
    for name, rows in (("frames", frames), ("passes", passes), ("labels", labels), ("draws", draws)):
        check_reasons(about, f"{name}.csv", rows or ())
    numbers = [int(row["frame"]) for row in frames or ()]
    equal(len(set(numbers)), len(numbers), "each frame once")
    passes_of, labels_of, draws_of = by_frame(passes), by_frame(labels), by_frame(draws)
    for row in frames or ():
        check_frame(row, passes_of.get(row["frame"], []), labels_of.get(row["frame"], []), draws_of.get(row["frame"], []),
                    clears)
    if about:
        for row in frames or ():
            for column in ("device", "surface"):
                true(int(row[column]) < len(about[column + "s"]), f"session.json names {column} {row[column]}")
        for name, rows in (("frames", frames), ("passes", passes), ("draws", draws), ("labels", labels)):
            true(about["counts"][name] <= len(rows or ()),
                 f"session.json says {about['counts'][name]} {name}, the file has {len(rows or ())}")
        nowhere = len(passes_of.get("", []))
        true(about["counts"]["unattributed_passes"] <= nowhere, f"{about['counts']} and {nowhere} passes of no frame")
    return about, frames or []


def check_reasons(about, name, rows):
    """session.json has a reason for each column with an empty cell."""
    told = {column for it in (about or {}).get("empty_cells", ()) if it["file"] == name for column in it["columns"]}
    empty = {column for row in rows for column, cell in row.items() if cell == ""}
    true(about is None or empty <= told, f"{name}: reasons for empty cells of {empty - told}")


def check_frame(row, passes, labels, draws, clears):
    """The passes and draws that a frame's row counts exist, once, in order."""
    where = f"frame {row['frame']}"
    if row["passes"] == "":
        return
    equal([it["pass"] for it in passes], [str(i) for i in range(int(row["passes"]))], f"{where}: passes")
    for kind in "draws", "dispatches", "copies":
        equal(sum(int(it[kind]) for it in passes), int(row[kind]), f"{where}: {kind} of its passes")
    paths = {it["label"] for it in passes} - {""}
    true(paths <= {it["label"] for it in labels}, f"{where}: regions {paths} in labels.csv")
    if row["level"] == "draw":
        wanted = sum(int(row[kind]) for kind in ("draws", "dispatches", "copies"))
        true(len(draws) >= wanted if clears else len(draws) == wanted, f"{where}: {len(draws)} rows in draws.csv of {wanted}")
        true({it["pass"] for it in draws} <= {it["pass"] for it in passes}, f"{where}: passes that draws.csv names")
