"""Every pair of options of `record` that change what is written leaves a session that `report` reads as a whole one: it
exits with 0. Not here: options that leave no session to read, or end on a limit (--paused, --between, --max-size), and
a list of events that is added to after it replaced the default, which is refused."""
import itertools
import os
import signal
from concurrent.futures import ThreadPoolExecutor

from harness import equal, main, need_vulkan

OPTIONS = (("-l", "frame"), ("-l", "draw"), ("-l", "draw", "-g"), ("-g",), ("--keep-slower-than", "1000"),
           ("--keep-slower-than", "0.01"), ("--slower-than", "1000"), ("--frames", "3-9"), ("--every", "3"),
           ("--duration", "600s"), ("--delay", "1ms"), ("--serialize",), ("--indirect",), ("-e", "time"),
           ("-e", "+cpu:run-delay,-pipeline"), ("--metrics", "generic"), ("--frames", "2-5", "--stop"),
           ("--only-set", "0"), ("--frame-on", "present"), ("--symbols", "later"), ("--max-memory", "16M"))

KILLED = 128 + signal.SIGKILL  # --stop, on a machine so busy that the sample had not ended 5 s after SIGTERM
TRIES = 3


def read_pair(lab, which, words, number):
    """Record with some options, and read. @return what is wrong; "": nothing."""
    out = f"data-{number}"
    command = lab.record(*words, out=out) + lab.sample(which, "--frames", "30", "--size", "64x64")
    for _ in range(TRIES):
        done = lab.run(command, check=False)
        if done.returncode != KILLED or "--stop" not in words:
            break
    equal(done.returncode, 0, f"{' '.join(words)}: {done.stderr}")
    if not os.path.exists(lab.path(out)):
        return ""
    read = lab.run([lab.passprobe, "report", lab.path(out)], check=False)
    return f"{' '.join(words)}: {read.returncode}: {read.stderr}" if read.returncode else ""


def pairs(lab, which):
    """Record and read with each pair."""
    words = [one + other for one, other in itertools.combinations(OPTIONS, 2) if one[0] != "-e" or other[0] != "-e"]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        wrong = list(pool.map(lambda number: read_pair(lab, which, words[number], number), range(len(words))))
    equal([text for text in wrong if text], [], "pairs whose session is not read")


def case_gl(lab):
    """OpenGL."""
    pairs(lab, "gl")


def case_vk(lab):
    """Vulkan."""
    need_vulkan()
    pairs(lab, "vk")


if __name__ == "__main__":
    main(globals())
