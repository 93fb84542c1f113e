"""Each allocation of passprobe fails, by itself and together with all later ones, from vkCreateInstance to the last
present: the application has the same exit status and the same output as bare."""
import concurrent.futures
import os
import shutil
import subprocess

from harness import LAVAPIPE, Skip, fail, main
from layer import LayerLab


class Memory:
    """Runs of one command, with allocations that fail."""

    def __init__(self, lab, command, driver, **environment):
        self.lab, self.command = lab, command
        self.base = {k: v for k, v in os.environ.items() if not k.startswith(("PASSPROBE", "VK_", "LD_PRELOAD"))}
        self.base.update(XDG_DATA_DIRS=os.path.join(lab.build, "share") + ":/usr/local/share:/usr/share",
                         XDG_CONFIG_HOME=lab.path("config"), VK_ICD_FILENAMES=driver, LC_ALL="C.UTF-8",
                         LD_PRELOAD=os.path.join(lab.build, "tests", "libfake-memory.so"), **environment)
        # Queries that the layer cannot reset: of a command buffer that is twice in one call when there is no memory
        # at all, and of a secondary whose execution could not be noted for lack of memory. Their results are not read.
        self.unreset = False
        self.bare = self.run(None, {})

    def run(self, session, more):
        """Exit status, the application's output, and passprobe's messages."""
        env = dict(self.base, **more)
        if session:
            env.update(PASSPROBE="1", PASSPROBE_OUTPUT=self.lab.path(session))
        try:
            done = subprocess.run(self.command, env=env, cwd=self.lab.scratch, stdin=subprocess.DEVNULL, timeout=100,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        except subprocess.TimeoutExpired:
            fail("%r with %r does not end" % (self.command, more))
        lines = [line for line in done.stdout.splitlines() if not line.startswith("passprobe: ")]
        if self.unreset and "FAKE_MEMORY_FAIL" in more:
            # Another thread's line may divide a line.
            lines = [line for line in lines if "VIOLATION" not in line and "reset" not in line and line]
        return done.returncode, lines

    def count(self, **more):
        """The number of allocations."""
        name = self.lab.path("count")
        if os.path.exists(name):
            os.unlink(name)
        got = self.run("counted", dict(more, FAKE_MEMORY_COUNT=name))
        if got != self.bare:
            fail("with passprobe, and no failure: %r, bare %r" % (got, self.bare))
        with open(name, encoding="utf-8") as file:
            return sum(int(line) for line in file)  # files of the shell in front, too, which has no allocations

    def fails(self, number, more):
        """One allocation fails."""
        session = "s" + number
        got = self.run(session, dict(more, FAKE_MEMORY_FAIL=number))
        shutil.rmtree(self.lab.path(session), ignore_errors=True)
        return None if got == self.bare else "allocation %s fails, %r: %r, bare %r" % (number, more, got, self.bare)

    def all(self, step, **more):
        """Each step-th allocation fails, by itself and with all later ones."""
        if self.bare[0] != 0:
            fail("bare: %r" % (self.bare,))
        most = self.count(**more)
        if most < 100:
            fail("only %d allocations are known" % most)
        step = 1 if os.environ.get("PP_MEMORY_ALL") else step
        numbers = [str(n) + dash for n in range(1, most + 1, step) for dash in ("", "-")]
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            wrong = [text for text in pool.map(lambda n: self.fails(n, more), numbers) if text is not None]
        if wrong:
            fail("%d of %d runs differ, first: %s" % (len(wrong), len(numbers), "\n".join(wrong[:4])))


def program(lab, name):
    """An application of the tests."""
    return os.path.join(lab.build, "tests", name)


def fake(lab):
    """The fake driver: fast, and it reports calls that are not allowed."""
    return os.path.join(lab.build, "tests", "fake-vulkan.json")


def case_windows(lab):
    """Two windows: instance, device, swapchains, recording, submissions, presents."""
    Memory(lab, [program(lab, "layer-windows"), "together"], fake(lab)).all(1)


def case_threads(lab):
    """Two threads present windows."""
    Memory(lab, [program(lab, "layer-windows"), "threads"], fake(lab)).all(5, PASSPROBE_LEVEL="frame")


def case_submit(lab):
    """Every draw is measured, and each submission by itself."""
    load = [os.path.join(lab.build, "bin", "passprobe-load-vk"), "--draws", "6", "--passes", "2", "--frames", "4"]
    quiet = ["sh", "-c", '"$@" >/dev/null', "sh"] + load  # this application prints times
    Memory(lab, quiet, fake(lab)).all(4, PASSPROBE_LEVEL="draw", PASSPROBE_SERIALIZE="1", PASSPROBE_EVENTS="time,pipeline")


def case_walk(lab):
    """All ways to record and submit."""
    memory = Memory(lab, [program(lab, "layer-walk")], fake(lab))
    memory.unreset = True
    memory.all(9, PASSPROBE_LEVEL="draw")


def case_one_by_one(lab):
    """Indirect arguments are copied, and command buffers are recorded in parts."""
    Memory(lab, [program(lab, "layer-walk")], fake(lab), WALK_CASES="indirect").all(
        5, PASSPROBE_LEVEL="draw", PASSPROBE_INDIRECT="1", PASSPROBE_SERIALIZE="1")


def case_sample(lab):
    """The sample on a real driver."""
    if not os.path.exists(LAVAPIPE):
        raise Skip("lavapipe is not installed")
    sample = [os.path.join(lab.build, "bin", "passprobe-sample-vk"), "--frames", "2"]
    Memory(lab, ["sh", "-c", '"$@" >/dev/null', "sh"] + sample, LAVAPIPE).all(29, PASSPROBE_LEVEL="draw")


def arguments(lab, _case):
    if lab.cached("PP_SANITIZE"):
        raise Skip("a sanitizer has an allocator of its own, which cannot be made to fail here")
    return (lab,)


if __name__ == "__main__":
    main(globals(), LayerLab, arguments)
