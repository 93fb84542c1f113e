"""`passprobe top` with real applications: the screen, another level through the control socket, and the session that stays."""
import os

from harness import equal, main, true
from tmux import open_terminal


class Cleanups:
    """What open_terminal() needs of a test."""

    def __init__(self):
        self.calls = []

    def addCleanup(self, call, *words, **more):
        self.calls.append((call, words, more))

    def run(self):
        for call, words, more in reversed(self.calls):
            call(*words, **more)


def check(lab, which):
    """The level goes from pass to draw while the application runs; q ends it."""
    runtime = lab.path("runtime")
    os.mkdir(runtime, 0o700)
    cleanups = Cleanups()
    env = lab.environment(TERM="screen-256color", XDG_RUNTIME_DIR=runtime)
    command = [lab.passprobe, "top", "-o", lab.path("data"), "--", *lab.sample(which, "--frames", "1000000")]
    try:
        terminal = open_terminal(cleanups, command, env, os.getcwd())
        terminal.wait_text("level pass", "FPS", "GPU %", "render 256x256")
        terminal.keys("l")
        terminal.wait_text("level draw from the next frame on")
        terminal.wait_text("level pass+draw")
        terminal.keys("q")
        equal(terminal.wait_end(), 0, "exit status")
        equal(terminal.read("before"), terminal.read("after"), "modes of the terminal")
        text = " " + " ".join(terminal.screen().split())  # lines wrap where the path of the build ends
    finally:
        cleanups.run()
    equal({row["level"] for row in lab.session().frames}, {"pass", "draw"}, "levels of frames")
    for words in ("nothing lost", "was ended, because you quit.", " Session: " + lab.path("data")):
        true(words in text, f"the end of the summary has {words!r}: {text}")


def case_gl(lab):
    """OpenGL."""
    check(lab, "gl")


def case_vk(lab):
    """Vulkan."""
    check(lab, "vk")


if __name__ == "__main__":
    main(globals())
