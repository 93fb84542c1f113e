"""An empty cell means: not measured. session.json has a reason for every column with an empty cell, of every file, at
every level, and for no other column."""
import csv
import os

from harness import equal, main, true

FILES = ("frames.csv", "passes.csv", "draws.csv", "labels.csv")


def reasons_of(session):
    """@return {file: {column: [reasons]}} of session.json."""
    found = {}
    for entry in session.json["empty_cells"]:
        true(entry["file"] in FILES, entry)
        true(len(entry["reason"]) > 10 and entry["columns"], entry)
        for column in entry["columns"]:
            found.setdefault(entry["file"], {}).setdefault(column, []).append(entry["reason"])
    return found


def empty_of(session):
    """@return {file: columns with an empty cell}."""
    found = {}
    for name in FILES:
        path = os.path.join(session.path, name)
        if not os.path.exists(path):
            continue
        with open(path, encoding="utf-8", newline="") as file:
            columns = {column for row in csv.DictReader(file) for column, cell in row.items() if cell == ""}
        if columns:
            found[name] = columns
    return found


def check(session, where):
    """@return the reasons, after checking that they are exactly those that are needed."""
    reasons, empty = reasons_of(session), empty_of(session)
    equal({name: sorted(columns) for name, columns in reasons.items()},
          {name: sorted(columns) for name, columns in empty.items()}, f"{where}: columns with reasons, with empty cells")
    return reasons


def record(lab, which, level, *words, options=(), **env):
    """A short run of a sample."""
    lab.run(lab.record("--level", level, *options) + lab.sample(which, "--frames", "8", *words), **env)
    return lab.session()


def levels(lab, which):
    """Every level, with and without labels."""
    for level in "frame", "pass", "draw":
        for words in (), ("--labels",), ("--annotate",):
            check(record(lab, which, level, *words), f"{which} {level} {words}")
        check(record(lab, which, level, options=("-e", "time")), f"{which} {level} times only")
        check(record(lab, which, level, options=("--every", "3")), f"{which} {level} every third frame")


def case_gl(lab):
    """OpenGL. At level frame the columns that one bracket cannot measure have their reasons."""
    levels(lab, "gl")
    told = check(record(lab, "gl", "frame"), "gl frame")["frames.csv"]
    for column, word in (("gpu_busy_ns", "bracket"), ("gpu_wait_ns", "bracket"), ("bound_by", "bracket"),
                         ("passes", "distinguished")):
        true(any(word in reason for reason in told[column]), f"{column}: {told[column]}")


def case_vk(lab):
    """Vulkan."""
    levels(lab, "vk")


def case_app_queries(lab):
    """Passes in which the application has queries active."""
    for which in "gl", "vk":
        check(record(lab, which, "pass", "--query"), f"{which} own queries")


def case_recorded_once(lab):
    """A command buffer that is recorded once and submitted in each frame: the cost of recording counts once, and later
    cells have this reason and no other."""
    for level, name in ("pass", "passes.csv"), ("draw", "draws.csv"):
        session = record(lab, "vk", level, options=("-e", "time,cpu:page-faults,cpu:task-clock"))
        told = check(session, f"recorded once, {level}")[name]
        for column in "cpu:page-faults", "cpu:task-clock_ns":
            rows = session.passes if level == "pass" else session.table(name)
            true(any(row[column] != "" for row in rows), f"{level} {column}: the first submission has the cost")
            true(any(row[column] == "" for row in rows), f"{level} {column}: later submissions have empty cells")
            equal(len(told[column]), 1, f"{level} {column}: {told[column]}")
            true("recorded once" in told[column][0], f"{level} {column}: {told[column]}")
        session = record(lab, "vk", level, "--rerecord", options=("-e", "time,cpu:page-faults,cpu:task-clock"))
        told = check(session, f"recorded anew, {level}").get(name, {})
        true("cpu:page-faults" not in told, f"{level}: {told}")


def case_no_work(lab):
    """Frames without any action on the GPU."""
    program = [os.path.join(lab.build, "tests", "idle-frames")]
    for level in "frame", "pass", "draw":
        lab.run(lab.record("--level", level) + program, EGL_PLATFORM="surfaceless")
        session = lab.session()
        equal(len(session.frames), 5, "frames")
        told = check(session, f"no work, {level}")["frames.csv"]
        for column in "gpu_time_ns", "gpu_busy_ns", "bound_by":
            true(any("no work" in reason for reason in told[column]), f"{level} {column}: {told[column]}")


if __name__ == "__main__":
    main(globals())
