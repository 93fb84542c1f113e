"""--keep-slower-than: rows of passes, draws and labels of slow frames and of those around them, and of no others."""
import os

from harness import XVFB, equal, main, need, need_vulkan, number, true

FRAMES, PLANTED, LIMIT_MS = 60, 20, 100


def record(lab, api, *options, causes=("sleep=200",), frames=FRAMES):
    """Record an application whose frame PLANTED is slow."""
    window = []
    if api == "vk":
        need_vulkan()
        need("Xvfb")
        window = [XVFB]
    program = os.path.join(lab.build, "tests", f"planted_{api}")
    lab.run(window + lab.record(*options) + [program, str(frames), str(PLANTED), *causes])
    return lab.session()


def expected(session, around):
    """The frames with rows, from frames.csv. A busy machine may have more slow frames than the planted one."""
    slow = [int(row["frame"]) for row in session.frames[1:] if number(row, "frame_time_ns") > LIMIT_MS * 1_000_000]
    true(PLANTED in slow, f"the planted frame is slow: {slow}")
    last = len(session.frames) - 1
    return sorted({near for frame in slow for near in range(max(0, frame - around), min(last, frame + around) + 1)})


def kept(lab, api, around, written):
    """The rows of exactly these frames, each complete; frames.csv has all frames."""
    session = record(lab, api, "-l", "draw", "--keep-slower-than", written)
    want = expected(session, around)
    equal([int(row["frame"]) for row in session.frames], list(range(FRAMES)), "frames.csv has all frames")
    equal({row["level"] for row in session.frames}, {"draw"}, "all frames were measured finely")
    for name, rows in (("passes", session.passes), ("draws", session.table("draws.csv")), ("labels", session.table("labels.csv"))):
        equal(sorted({int(row["frame"]) for row in rows if row["frame"]}), want, f"frames in {name}.csv")
        equal([row for row in rows if not row["frame"]], [], f"rows of no frame in {name}.csv")
    for frame in want:
        row, passes = session.frames[frame], session.passes_of(str(frame))
        equal(len(passes), int(row["passes"]), f"frame {frame}: passes")
        for count in ("draws", "dispatches", "copies"):
            equal(sum(int(one[count]) for one in passes), int(row[count]), f"frame {frame}: {count}")
    equal(len({tuple(one["pass_id"] for one in session.passes_of(str(frame))) for frame in want if frame}), 1,
          "passes keep their ids")
    counts, options = session.json["counts"], session.json["options"]
    equal((counts["kept_frames"], counts["frames"], counts["passes"]), (len(want), FRAMES, len(session.passes)), "counts")
    equal((options["keep_slower_than_ns"], options["keep_around"]), (LIMIT_MS * 1_000_000, around), "options")
    equal(session.json["dropped"]["kept_frames"], 0, "nothing was given up")
    return session, want


def default(lab, api):
    """One frame before and one after, unless the option says so."""
    kept(lab, api, 1, str(LIMIT_MS))


def some(lab, api):
    """Three frames before and after."""
    kept(lab, api, 3, f"{LIMIT_MS}ms:3")


def none(lab, api):
    """The slow frame only."""
    kept(lab, api, 0, f"{LIMIT_MS}:0")


def add_cases():
    """Each case in OpenGL and in Vulkan."""
    for test in default, some, none:
        for api in "gl", "vk":
            def case(lab, test=test, api=api):
                test(lab, api)
            case.__doc__ = test.__doc__
            globals()[f"case_{api}_{test.__name__}"] = case


add_cases()
if __name__ == "__main__":
    main(globals())
