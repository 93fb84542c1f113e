"""--max-memory limits the memory of passprobe in the application. Memory that is no longer needed is freed. What is
lost for lack of memory is counted, and record, stat and report print it."""
import os
import re

from harness import equal, fake_library, main, number, true

LONG = 12000
QUERIES = 13
FRAMES = 402


def record(lab, *words, program=("long_frames", str(LONG)), **env):
    """Run an application of tests/e2e/samples."""
    return lab.run([lab.passprobe, "record", "-o", lab.path("data"), "-l", "draw", *words, "--",
                    os.path.join(lab.build, "tests", program[0]), *program[1:]], EGL_PLATFORM="surfaceless", **env)


def counts(lab, session):
    """Counts need no memory: they are right whatever is lost."""
    # on a loaded machine the collector may be late and drop whole frames
    frames = len(session.frames) + session.json["dropped"]["frames"]
    true(FRAMES - 3 <= frames <= FRAMES, f"{frames} frames")
    for row in session.frames:
        if row["draws"] or int(row["frame"]) < FRAMES - 5: # results of the last frames may still be missing at the end
            equal(number(row, "draws"), LONG if int(row["frame"]) < 2 else 5, f"draws of frame {row['frame']}")


def case_given_back(lab):
    """After a burst the query objects are freed; a fast clock makes minutes of seconds."""
    record(lab, LD_PRELOAD=fake_library(lab, "libfake-clock.so"), FAKE_CLOCK_NAP_S="3")
    session = lab.session()
    counts(lab, session)
    memory = session.json["memory"]
    true(memory["queries_most_bytes"] > LONG * QUERIES * 200, memory)
    true(memory["queries_bytes"] * 4 < memory["queries_most_bytes"], memory)
    equal(session.json["dropped"]["brackets"], 0, "brackets lost for want of memory")
    equal(session.json["dropped"]["times_not_landed"], 0, "times lost")


def case_bounded(lab):
    """OpenGL takes no more memory than --max-memory allows; what is lost is reported."""
    done = record(lab, "--max-memory", "64M")
    session = lab.session()
    counts(lab, session)
    memory, lost = session.json["memory"], session.json["dropped"]
    true(0 < memory["queries_most_bytes"] <= 56 << 20, memory)
    true(memory["waiting_most_bytes"] <= 64 << 20, memory)
    true(0 < lost["brackets"] < LONG * 2, lost)
    text = re.compile(str(lost["brackets"]) + r" GPU brackets were not taken because memory was short \(--max-memory\)")
    true(text.search(done.stderr), done.stderr)
    report = " ".join(lab.run([lab.passprobe, "report", lab.path("data")]).stdout.split())
    true(text.search(report), report)
    equal(session.json["options"]["max_memory_bytes"], 64 << 20, "option in session.json")


def case_bounded_vk(lab):
    """Vulkan takes no more memory than --max-memory allows; what is lost is reported."""
    lab.run(lab.record("-l", "draw", "--max-memory", "16M") +
            [os.path.join(lab.build, "bin", "passprobe-load-vk"), "--draws", "20000", "--frames", "4"])
    session = lab.session()
    memory, lost = session.json["memory"], session.json["dropped"]
    true(0 < memory["queries_most_bytes"] <= 14 << 20, memory)
    true(lost["brackets"] > 0, lost)
    equal({number(row, "draws") for row in session.frames[1:]}, {20000}, "draws of frames")


if __name__ == "__main__":
    main(globals())
