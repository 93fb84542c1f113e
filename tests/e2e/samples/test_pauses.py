"""Applications that pause for longer than passprobe waits for results. A clock that moves forward by 15 seconds
whenever the collector sleeps represents pauses, stops and suspended machines. Every count is the same as without
pauses."""
from harness import equal, fake_library, main, number, true

FRAMES = 40
NAP_S = "15"


def check(lab, which, level):
    """Compare each frame's counts with what the sample must count."""
    words = ("--frames", str(FRAMES))
    want = lab.expect(which, *words)["passes"]
    lab.run(lab.record("--level", level) + lab.sample(which, *words), LD_PRELOAD=fake_library(lab, "libfake-clock.so"), FAKE_CLOCK_NAP_S=NAP_S)
    session = lab.session()
    equal(len(session.frames), FRAMES, "frames")
    for row in session.frames[1:]:
        for column in "draws", "dispatches", "copies":
            equal(number(row, column), sum(it[column] for it in want), f"frame {row['frame']}: {column}")
        equal(number(row, "passes"), len(want), f"frame {row['frame']}: passes")
        equal(len(session.passes_of(row["frame"])), len(want), f"frame {row['frame']}: rows of passes")
    equal(session.json["dropped"]["frames_incomplete"], 0, "frames without all of their results")
    equal(session.json["dropped"]["times_not_landed"], 0, "times that did not come")
    # the clock moved forward: far more than the run took
    spans = [number(row, "cpu_start_ns") for row in session.frames]
    true(max(spans) - min(spans) > 10**10, f"the clock went on by {max(spans) - min(spans)} ns")


def case_gl(lab):
    """OpenGL, passes."""
    check(lab, "gl", "pass")


def case_gl_draw(lab):
    """OpenGL, draws."""
    check(lab, "gl", "draw")


def case_vk(lab):
    """Vulkan, passes."""
    check(lab, "vk", "pass")


def case_vk_draw(lab):
    """Vulkan, draws."""
    check(lab, "vk", "draw")


if __name__ == "__main__":
    main(globals())
