"""Actions of every kind on Mesa's driver: rows of draws.csv and passes.csv have the values of the calls' arguments, the
driver's own counters agree, and ids stay the same from frame to frame and from run to run."""
import os

from harness import Skip, equal, main, true
from shim import preload


def run(lab, case, out, level="draw"):
    """The output is the same bare and loaded. @return expected lines of the second frame, and the session."""
    command = [os.path.join(lab.build, "tests", "reach", "draw_rows"), case]
    bare = lab.run(command, check=False)
    if bare.returncode == 77:
        raise Skip(bare.stdout)
    equal((bare.returncode, bare.stdout.splitlines()[-1]), (0, "error 0"), f"bare: {bare.stdout}{bare.stderr}")
    loaded = lab.run(command, **preload(lab, out, level=level, frame_on="present"))
    equal(loaded.stdout, bare.stdout, f"{case}: {loaded.stderr}")
    return [line.split() for line in bare.stdout.splitlines()[:-2]], lab.session(out)


def blank(value):
    return "" if value == "-" else value


def rows(lab, case, counted=True):
    """Every row of the second and of the third frame."""
    ids = []
    for out in ("one", "two"):
        want, session = run(lab, case, out)
        table = session.table("draws.csv")
        for frame in ("1", "2"):
            mine = [row for row in table if row["frame"] == frame]
            got = [(row["call"], row["vertices"], row["instances"], row["groups"]) for row in mine]
            equal(got, [tuple(map(blank, words[1:5])) for words in want], f"frame {frame}")
            ids.append([row["draw_id"] for row in mine])
            for row, words in zip(mine, want):
                if counted and words[5] != "-":
                    column = "compute_shader_invocations" if "Dispatch" in words[1] else "input_assembly_vertices"
                    equal(row["pipeline:" + column], words[5], f"frame {frame}: {words[1]}: {column} of {row}")
        check_sums(session)
    true(len(set(ids[0])) == len(ids[0]) > 5, "each action has an id of its own")
    equal(ids[1:], ids[:1] * 3, "the same in the next frame and the next run")
    return session


def check_sums(session):
    """The counts of a pass's actions add up to the pass."""
    names = [name for name in session.passes[0] if name.startswith("pipeline:")]
    for row in session.passes:
        mine = [it for it in session.table("draws.csv") if (it["frame"], it["pass"]) == (row["frame"], row["pass"])]
        for name in names:
            if row[name]:
                equal(sum(int(it[name]) for it in mine), int(row[name]), f"{name} of frame {row['frame']}")


def case_compat(lab):
    """OpenGL 1.x and 2.x: immediate mode, lists, rectangles, pixels, evaluators, and commands of extensions."""
    rows(lab, "compat")


def case_core(lab):
    """OpenGL 3.0 to 4.6: draws that are instanced, with base vertex, multiple, indirect, counted by the GPU, from
    transform feedback."""
    rows(lab, "core")


def case_es1(lab):
    """With OES_framebuffer_object: passprobe knows of a framebuffer only that it is one."""
    passes = rows(lab, "es1", counted=False).passes_of("1")
    equal([(row["name"], row["draws"]) for row in passes if row["kind"] == "render"], [("render", "1"), ("pbuffer", "3")],
          "passes")


def case_es2(lab):
    rows(lab, "es2", counted=False)


def case_es3(lab):
    for minor in "0", "1", "2":
        rows(lab, "es3" + minor, counted=False)


def case_passes(lab):
    """What splits passes and what does not; how passes load and store."""
    for level in ("pass", "draw"):
        want, session = run(lab, "passes", level, level)
        for frame in ("1", "2"):
            got = [(row["kind"], f"{row['width'] or '-'}x{row['height']}" if row["width"] else "-",
                    row["attachments"].replace(" ", ",") or "-", row["draws"], row["dispatches"], row["copies"])
                   for row in session.passes_of(frame)]
            for mine, words in zip(got, want):
                equal(mine, tuple(words[1:]), f"frame {frame}, level {level}")
            equal(len(got), len(want), f"frame {frame}, level {level}: passes")


def case_immediate(lab):
    """glBegin and what is done as such on llvmpipe: each row has its own counts, and under --serialize a time; passes and frames
    have times. (lab_exact_gl_immediate: other drivers.)"""
    for mode in "plain", "submits":
        program = [os.path.join(lab.build, "tests", "reach", "immediate_mode"), mode, "3"]
        want = [line.split()[1:] for line in lab.run(program).stdout.splitlines()[:-1]]
        for level, more in (("draw", ()), ("draw", ("--serialize",)), ("pass", ()), ("frame", ())):
            out = "-".join((mode, level, *more))
            loaded = lab.run([*lab.record("-l", level, *more, out=out), *program])
            equal(loaded.stdout.splitlines()[-1], "error 0", f"{out}: {loaded.stderr}")
            session = lab.session(out)
            drawn = session.passes if level != "frame" else session.frames
            true(all(row["gpu_time_ns"] not in ("", "0") for row in drawn if row.get("kind") in (None, "render")), f"{out}: {drawn}")
            table = session.table("draws.csv") if level == "draw" else []
            equal(len(table), 3 * len(want) if level == "draw" else 0, f"{out}: rows")
            for row, (call, *counts) in zip(table, 3 * want):
                got = (row["pipeline:input_assembly_vertices"], row["pipeline:input_assembly_primitives"])
                equal([row["call"], *(mine if count != "-" else count for mine, count in zip(got, counts))], [call, *counts], out)
                true(not more or call == "glReadPixels" or row["gpu_time_ns"] not in ("", "0"), f"{out}: {row}")


if __name__ == "__main__":
    main(globals())
