"""Calls that the driver refuses begin nothing, name nothing and bind nothing. State that was restored without a call is
noticed."""
import os

from harness import Skip, equal, main, true
from shim import preload


def run(lab, case):
    """The output is the same bare and at every level. @return the session at level draw."""
    program = [os.path.join(lab.build, "tests", "reach", "driver_errors"), case]
    bare = lab.run(program, check=False)
    if bare.returncode == 77:
        raise Skip(bare.stdout)
    equal(bare.returncode, 0, f"{case}, bare: {bare.stderr}")
    for level in ("frame", "pass", "draw"):
        loaded = lab.run(program, **preload(lab, level, level=level))
        equal(loaded.stdout, bare.stdout, f"{case}, level {level}: {loaded.stderr}")
        draws = [int(row["draws"]) for row in lab.session(level).frames]
        true(draws, f"{case}, level {level}: no frame")
    return lab.session("draw")


def work(session, frame, columns=("call", "label", "pipeline")):
    return [tuple(row[name] for name in columns) for row in session.table("draws.csv") if row["frame"] == str(frame)]


def case_begin_incomplete(lab):
    session = run(lab, "begin_incomplete")
    equal([row["draws"] for row in session.frames], ["2", "1", "1", "1"], "frames, the first with what was refused")
    equal([row["attachments"] for row in session.passes_of("0")][-1], "color0=RGBA8:clear/", "pass")


def case_begin_core(lab):
    equal([row["draws"] for row in run(lab, "begin_core").frames], ["1"] * 4, "frames")


def case_begin_unseen(lab):
    """passprobe cannot know whether glBegin succeeded; after three ends of frames it is clear that it did not."""
    draws = [row["draws"] for row in run(lab, "begin_unseen").frames]
    equal(draws[-5:], ["1"] * 5, f"the last of eight frames: {draws}")


def case_begin_list(lab):
    run(lab, "begin_list")


def case_list(lab):
    session = run(lab, "list")
    equal([row["draws"] for row in session.frames], ["1"] * 4, "frames")
    equal(work(session, 1), [("glClear", "", ""), ("glBegin", "", "")], "work")


def case_programs(lab):
    session = run(lab, "programs")
    for frame in range(4):
        equal([row[2] for row in work(session, frame)], ["good", "good", "good", "other"], f"frame {frame}")


def case_deleted(lab):
    """A deleted shader program that is in use keeps its name, and so do ids; afterwards the name has no program."""
    session = run(lab, "deleted")
    rows = [work(session, frame, ("pipeline", "draw_id"))[0] for frame in range(5)]
    true(rows[0][0].startswith("program-"), rows)
    equal(rows[1:4], rows[:1] * 3, "frames after the deletion")
    equal(rows[4][0], "", "not in use any more")


def case_relinked(lab):
    """Equal sources make the same shader program, however often they are attached."""
    session = run(lab, "relinked")
    rows = {work(session, frame, ("pipeline", "draw_id"))[0] for frame in range(4)}
    equal(len(rows), 1, f"names and ids: {rows}")


def case_binary(lab):
    """A binary is a source of a shader program."""
    names = [row["pipeline"] for row in run(lab, "binary").table("draws.csv")]
    true(all(name.startswith("program-") for name in names), names)
    equal(names[1], names[2], "two of the same")


def case_spirv(lab):
    """A SPIR-V module is a source, with its specialization constants, whatever name the driver gives the shader
    program."""
    names = {}
    for case in ("spirv", "spirv_backwards"):
        names[case] = [row["pipeline"] for row in run(lab, case).table("draws.csv") if row["call"] == "glDrawArrays"]
    a, b, again, c, other = names["spirv"]
    true(all(name.startswith("program-") for name in names["spirv"]), names)
    equal((a, len({a, b, c, other})), (again, 4), f"one name for each module and its constants: {names}")
    equal(names["spirv_backwards"], names["spirv"], "names do not depend on the order in which programs are made")


def case_groups(lab):
    session = run(lab, "groups")
    for frame in range(4):
        equal([row[1] for row in work(session, frame)],
              ["", "A", "A", "A/B", "", "(no name)", "L"], f"frame {frame}")


def case_buffers(lab):
    """glPopAttrib and lists change draw buffers."""
    session = run(lab, "buffers")
    for frame in range(4):
        equal([(row["attachments"], row["draws"]) for row in session.passes_of(str(frame))],
              [("color0=RGBA8", "1"), ("color1=RGBA8", "1"), ("color0=RGBA8", "2"), ("color1=RGBA8", "1")],
              f"frame {frame}")


def case_pixels(lab):
    """glPopClientAttrib and deleting a buffer change where pixels come from: glTexImage2D without data is no upload,
    one from a buffer is."""
    session = run(lab, "pixels")
    for frame in range(4):
        equal([row[0] for row in work(session, frame)], ["glBegin", "glTexSubImage2D"], f"frame {frame}")


if __name__ == "__main__":
    main(globals())
