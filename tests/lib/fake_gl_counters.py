"""Running on the fake driver with performance counters (tests/fake/gl_perf), and the values that it gave out."""
import csv
import os

from harness import Skip, equal, true


def driver(lab, plays=""):
    """Variables that put the fake driver below libglvnd; `plays` is FAKE_GL."""
    folder = os.path.join(lab.build, "tests", "fake_gl")
    if not os.path.exists(os.path.join(folder, "libGLX_fake.so.0")):
        raise Skip("libglvnd's headers were not there to build the stand-in driver")
    path = ":".join(it for it in (folder, os.environ.get("LD_LIBRARY_PATH")) if it)
    return {"__EGL_VENDOR_LIBRARY_FILENAMES": os.path.join(folder, "egl.json"),
            "__GLX_VENDOR_LIBRARY_NAME": "fake", "LD_LIBRARY_PATH": path,
            "FAKE_GL": f"{plays} dump={lab.path('fed')}"}


def fed(lab, extension):
    """All measurements that the driver ended, in order: {"group.counter": text}."""
    found = {}
    with open(lab.path("fed"), encoding="utf-8") as file:
        for which, _, number, _, group, counter, value in csv.reader(file):
            if which == extension:
                found.setdefault(int(number), {})[f"{group}.{counter}"] = value
    return [found[number] for number in sorted(found)]


def columns(row, extension):
    """Cells of a row that belong to an extension, without empty ones: {name without unit: text}."""
    cells = {}
    for name, value in row.items():
        if name.startswith(extension + ":") and value != "":
            name = name[len(extension) + 1:]
            for unit in "_percent", "_ns", "_cycles", "_hz":
                name = name.removesuffix(unit)
            cells[name] = value
    return cells


def same_values(row, measured, where):
    """A row's cells are measured values and nothing else; a query is measured as a whole and may have more counters."""
    left = dict(row)
    for name, value in measured.items():
        cell = left.pop(name, left.pop(name.split(".", 1)[1], None))
        if cell is None:
            true(where.startswith("intel"), f"{where}: {name} is not in {row}")
            continue
        if any(c in value for c in ".e") or "." in cell:
            equal(float(cell), float(value), f"{where}: {name}")
        else:
            equal(int(cell), int(value), f"{where}: {name}")
    true(not left, f"{where}: {left} was not measured")


def rows_measured(session, draws, extension):
    """Rows that hold a measurement, in the order of their ends, with a name each. In a frame whose actions were
    measured, passes hold sums."""
    of_frame = {}
    for row in draws:
        of_frame.setdefault(row["frame"], []).append(row)
    for frame in session.frames:
        works = [row for row in of_frame.get(frame["frame"], []) if columns(row, extension)]
        passes = [row for row in session.passes_of(frame["frame"]) if columns(row, extension)]
        if works:
            sums_agree(passes, works, frame, extension)
        for row in works or passes:
            yield f"frame {row['frame']} pass {row['pass']} draw {row.get('draw')}", columns(row, extension)


def sums_agree(passes, works, frame, extension):
    """Where actions were measured, whole numbers of a pass are the sum of its actions, and those of a frame the sum of
    its passes."""
    for row in passes:
        parts = [columns(it, extension) for it in works if it["pass"] == row["pass"]]
        for name, value in columns(row, extension).items():
            if "." not in value and len(parts) > 1 and name not in ALONE:
                total = sum(int(part[name]) for part in parts)
                equal(int(value), total, f"frame {frame['frame']} pass {row['pass']}: sum of {name}")
            elif len(parts) > 1:
                raise AssertionError(f"{name} of {len(parts)} actions has the sum {value}")


ALONE = ("AVG GPU Core Frequency", "Frequency Changed", "Report Time", "busy", "vertices per draw", "EU Active",
         "Vertex Rate")


def exact(lab, session, draws, extension):
    """Every row has the driver's values. Measurements without a row were tests before the first frame, around no
    action."""
    measured = fed(lab, extension)
    rows = list(rows_measured(session, draws, extension))
    true(rows, f"{extension} measured something")
    true(len(measured) >= len(rows), f"{len(rows)} rows of {len(measured)} measurements")
    tried = measured[:len(measured) - len(rows)]
    for it in tried:
        true(all(float(value) == 0 for name, value in it.items() if name.split(".", 1)[1] not in ALONE),
             f"{it} of no row was measured on work")
    for (where, row), it in zip(rows, measured[len(tried):]):
        same_values(row, it, f"{extension}, {where}")
    return len(tried)
