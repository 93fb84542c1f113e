"""A session lost files, or the ends of files: `passprobe report` says exactly what is lost, and nothing if nothing is. Real
sessions, each cut at 30 random places. What is lost is counted here from the whole files."""
import json
import os
import random
import shutil
import subprocess

from harness import equal, main, true
from session_rules import read_bytes, whole_rows

TABLES = ("frames.csv", "passes.csv", "draws.csv", "labels.csv")
TRIES = 30
NO_FILE, NO_HEADER = "No such file or directory", "its first row is missing or cut"
NO_FRAMES = "the application was killed before its first frame was written"


def tables_of(folder):
    """{name: rows, the header first} of the files that are there; without rows: the header is cut."""
    found = {name: read_bytes(os.path.join(folder, name)) for name in TABLES}
    # The reader takes a row that lacks only its last byte.
    return {name: whole_rows(raw + b"\n" * raw.endswith(b"\r")) for name, raw in found.items() if raw is not None}


def dicts(rows):
    """Rows by the names of the columns."""
    return [dict(zip(rows[0], row)) for row in rows[1:]]


def is_json(folder):
    """Is session.json whole?"""
    try:
        json.loads(read_bytes(os.path.join(folder, "session.json")))
        return True
    except (TypeError, ValueError):
        return False


def has_json(folder):
    """Is there a session.json, whole or not?"""
    return os.path.exists(os.path.join(folder, "session.json"))


def rows_text(name, count):
    """The words for missing rows of a file."""
    return f"{name}: {count} {'row' if count == 1 else 'rows'} missing"


def known(rows, frames):
    """How many rows belong to these frames."""
    numbers = {row["frame"] for row in frames}
    return sum(row["frame"] in numbers for row in dicts(rows)) if rows else 0


def expect(good, folder):
    """What must be said, file by file."""
    left, whole = tables_of(folder), is_json(folder)
    if "frames.csv" not in left and not has_json(folder) and len(left.get("passes.csv") or ()) < 2:
        return [NO_FRAMES]
    frames = dicts(left["frames.csv"]) if left.get("frames.csv") else []
    lost = [] if whole else ["session.json"]
    frames_header = bool(left.get("frames.csv"))
    for name in (name for name in TABLES if name in good):
        rows, there = left.get(name), len(good[name]) - 1
        missing = there - max(len(rows or ()) - 1, 0)
        if rows == []:
            lost.append(f"{name}: {NO_HEADER}")
        elif name == "frames.csv" and rows is None:
            lost.append(f"{name}: {NO_FILE}")
        elif whole and missing:
            lost.append(rows_text(name, missing))
        elif rows is None and (whole or frames_header) and name != "draws.csv":
            lost.append(f"{name}: {NO_FILE}")
    early = sum(len(left[name]) - 1 - known(left[name], frames) for name in TABLES[1:] if left.get(name))
    early -= sum(row["frame"] == "" for name in TABLES[1:] if left.get(name) for row in dicts(left[name]))
    if whole and frames and early:
        lost.append(f"the other files: {early} {'row' if early == 1 else 'rows'} of frames that frames.csv lacks")
    return lost


def damage(dice, folder):
    """Cut or remove one or two files. Returns what was done."""
    done = []
    names = [name for name in TABLES + ("session.json",) if os.path.exists(os.path.join(folder, name))]
    for name in dice.sample(names, dice.choice((1, 1, 2))):
        path = os.path.join(folder, name)
        if dice.randrange(4) == 0:
            os.unlink(path)
            done.append(f"{name} removed")
        else:
            at = dice.randrange(os.path.getsize(path))
            os.truncate(path, at)
            done.append(f"{name} cut to {at} bytes")
    return ", ".join(done)


def said(lab, folder):
    """What `report` says of the session: a list without the reader's words on session.json."""
    done = subprocess.run([lab.passprobe, "report", folder], env=lab.environment(), capture_output=True, text=True,
                          stdin=subprocess.DEVNULL, check=False)
    for before in "; the report lacks the lost data: ", ": nothing to report: ":
        if before in done.stderr:
            equal(done.returncode, 125, f"exit status of a damaged session: {done.stderr}")
            parts = done.stderr.split(before, 1)[1].strip().split("; ")
            return ["session.json" if part.startswith("session.json: ") else part for part in parts]
    equal((done.returncode, done.stderr), (0, ""), "a session that lost nothing")
    return []


def try_all(lab, which, level):
    """Record, and damage copies."""
    lab.run(lab.record("-l", level, out="good") + lab.sample(which, "--frames", "20", "--labels"))
    good = tables_of(lab.path("good"))
    true(all(len(rows) > 20 or level == "frame" for rows in good.values()), "each file has rows")
    equal(said(lab, lab.path("good")), [], "the whole session")
    dice, all_said = random.Random(2026), set()
    for i in range(TRIES):
        folder = lab.path(f"try{i}")
        shutil.copytree(lab.path("good"), folder)
        done = damage(dice, folder)
        wanted = expect(good, folder)
        found = said(lab, folder)
        equal(sorted(found), sorted(wanted), f"{which} {level}: {done}")
        all_said.update(part.split(":")[0] for part in found)
        shutil.rmtree(folder)
    true(len(all_said) >= 4, f"the tries reach most files: {all_said}")


def case_gl_draw(lab):
    """OpenGL, with all files."""
    try_all(lab, "gl", "draw")


def case_vk_pass(lab):
    """Vulkan, without draws.csv."""
    try_all(lab, "vk", "pass")


def case_gl_frame(lab):
    """Only frames: passes.csv and labels.csv have no rows."""
    try_all(lab, "gl", "frame")


def case_killed(lab):
    """The application was killed: session.json counts fewer rows than the files have. What frames.csv counts is still
    missed; with --keep-slower-than nothing is, because only some frames have rows."""
    lab.run(lab.record("-l", "draw", out="good") + lab.sample("gl", "--frames", "20", "--labels"))
    with open(lab.path("good/session.json"), encoding="utf-8") as file:
        about = json.load(file)
    about.update(ended="running", counts={**about["counts"], "frames": 2, "passes": 3, "draws": 3, "labels": 3})
    frames = dicts(tables_of(lab.path("good"))["frames.csv"])
    actions = sum(int(row[column]) for row in frames for column in ("draws", "dispatches", "copies"))
    for keep, wanted in ((0, ["passes.csv: 7 rows missing", f"draws.csv: at least {actions - 100} rows missing"]), (1, [])):
        about["options"]["keep_slower_than_ns"] = keep
        with open(lab.path("good/session.json"), "w", encoding="utf-8") as file:
            json.dump(about, file)
        for name, rows in (("passes.csv", -7), ("draws.csv", 101)):
            path = lab.path("good/" + name)
            lines = read_bytes(path).splitlines(keepends=True)
            if keep == 0:
                with open(path, "wb") as file:
                    file.write(b"".join(lines[:rows]))
        equal(said(lab, lab.path("good")), wanted, f"keep {keep}")


if __name__ == "__main__":
    main(globals())
