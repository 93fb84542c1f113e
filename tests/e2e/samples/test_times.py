"""Can the passes' times be believed? They are held against what the sample's own hand-written queries say of the
same scene: each pass' share of the frame must be about the same, with and without statistics queries beside the
timestamps. A wrongly placed timestamp moves a pass' work into its neighbour and shows as a factor of ten; noise
does not, and gets three tries."""
import re

from harness import equal, main, need_vulkan, number, true

SIZE = ("--size", "512x512", "--frames", "40")
FACTOR = 2  # shares differ by less


def shares(times):
    """Of a frame, by pass."""
    return [time / sum(times) for time in times]


def by_hand(lab, which, words):
    """Shortest time of each pass by hand-written queries: other load on the machine hardly touches it."""
    done = lab.run(lab.sample(which, *SIZE, *words, "--query", "--times"), LP_NUM_THREADS="0")
    return [int(time) for time in re.findall(r"^\w+: (\d+) ns$", done.stderr, re.MULTILINE)]


def by_tool(lab, which, words, events):
    """Shortest time of each pass by passprobe."""
    lab.run(lab.record("-e", events) + lab.sample(which, *SIZE, *words), LP_NUM_THREADS="0")
    times = {}
    for row in lab.session().passes:
        if row["frame"] == "0":
            continue  # its uploads are a pass more
        times.setdefault(int(row["pass"]), []).append(number(row, "gpu_time_ns"))
    return [min(times[place]) for place in sorted(times)]


def compare(lab, which, *words):
    """Shares by hand and by passprobe."""
    for events in "time", "time,pipeline":
        for left in 2, 1, 0:
            hand, tool = by_hand(lab, which, words), by_tool(lab, which, words, events)
            equal(len(hand), 5, "passes by hand")
            equal(len(tool), 5, "passes by passprobe")
            ratio = [a / b for a, b in zip(shares(tool), shares(hand))]
            text = ", ".join(f"{value:.2f}" for value in ratio)
            print(f"{which} {words} {events}: share by passprobe / share by hand: {text}")
            # passes that are less than a hundredth of the frame are noise
            # By hand llvmpipe's first pass holds the time in which the CPU collects it, passprobe's does not.
            least = [1 / (FACTOR * 4 if which == "gl" and place == 0 else FACTOR) for place in range(5)]
            good = all(low < value < FACTOR for low, value, share in zip(least, ratio, shares(hand)) if share > 0.01)
            if good:
                break
            true(left, f"shares differ by more than {FACTOR}: {text}; by hand {hand}, by passprobe {tool}")


def case_gl(lab):
    """OpenGL."""
    compare(lab, "gl")


def case_gles(lab):
    """GLES."""
    compare(lab, "gl", "--es")


def case_vk(lab):
    """Vulkan."""
    need_vulkan()
    compare(lab, "vk")
    compare(lab, "vk", "--renderpass", "dynamic", "--rerecord")


def case_vk_sum(lab):
    """What the passes take adds up to what the submission takes as a whole, measured at level frame: brackets cost
    little, and nothing of the work lies outside of all of them."""
    need_vulkan()
    for left in 2, 1, 0:
        total = sum(by_tool(lab, "vk", (), "time"))
        lab.run(lab.record("-e", "time", "-l", "frame") + lab.sample("vk", *SIZE), LP_NUM_THREADS="0")
        frames = [number(row, "gpu_time_ns") for row in lab.session().frames if row["frame"] != "0"]
        print(f"passes {total} ns, submission {min(frames)} ns, ratio {total / min(frames):.3f}")
        if 1 / FACTOR < total / min(frames) < FACTOR:
            break
        true(left, f"passes take {total} ns, the submission {min(frames)} ns")


main(globals())
