"""The passes' times agree with the sample's own hand-written queries of the same scene: each pass takes about the same
share of the frame, with and without statistics queries in addition to the timestamps. A wrongly placed timestamp moves
the time of a pass to its neighbour and changes shares by a factor of ten. Noise does not, and gets three tries."""
import re

from harness import equal, main, need_vulkan, number, true

SIZE = ("--size", "512x512", "--frames", "40")
FACTOR = 2  # largest difference of shares


def shares(times):
    """Shares of a frame, by pass."""
    return [time / sum(times) for time in times]


def by_hand(lab, which, words):
    """Shortest time of each pass by hand-written queries: other load on the machine hardly changes it."""
    done = lab.run(lab.sample(which, *SIZE, *words, "--query", "--times"), LP_NUM_THREADS="0")
    return [int(time) for time in re.findall(r"^\w+: (\d+) ns$", done.stderr, re.MULTILINE)]


def by_tool(lab, which, words, events):
    """Shortest time of each pass by passprobe."""
    lab.run(lab.record("-e", events) + lab.sample(which, *SIZE, *words), LP_NUM_THREADS="0")
    times = {}
    for row in lab.session().passes:
        if row["frame"] == "0":
            continue  # uploads make one more pass
        times.setdefault(int(row["pass"]), []).append(number(row, "gpu_time_ns"))
    return [min(times[place]) for place in sorted(times)]


def compare(lab, which, *words):
    """Compare shares by hand with shares by passprobe."""
    for events in "time", "time,pipeline":
        for left in 2, 1, 0:
            hand, tool = by_hand(lab, which, words), by_tool(lab, which, words, events)
            equal(len(hand), 5, "passes by hand")
            equal(len(tool), 5, "passes by passprobe")
            ratio = [a / b for a, b in zip(shares(tool), shares(hand))]
            text = ", ".join(f"{value:.2f}" for value in ratio)
            print(f"{which} {words} {events}: share by passprobe / share by hand: {text}")
            # Passes of less than a hundredth of the frame are noise. By hand, llvmpipe's first pass includes the time in
            # which the CPU collects its commands; passprobe's does not.
            least = [1 / (FACTOR * 4 if which == "gl" and place == 0 else FACTOR) for place in range(5)]
            good = all(low < value < FACTOR for low, value, share in zip(least, ratio, shares(hand)) if share > 0.01)
            if good:
                break
            true(left, f"shares differ by more than {FACTOR}: {text}; by hand {hand}, by passprobe {tool}")


def overhead(lab, which):
    """With --serialize each bracket waits for the GPU, which is no overhead of passprobe's. Here the CPU renders while it
    waits."""
    lab.run(lab.record("--serialize", "-l", "draw") + lab.sample(which, *SIZE))
    session = lab.session()
    hooks = session.json["own_cost"]["hooks_usual_ns"]
    busy = sum(number(row, "gpu_busy_ns") for row in session.frames)
    true(hooks < busy / 4, f"{hooks} ns of overhead in the application's threads, {busy} ns of the GPU")


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
    """The sum of the passes' times is the time of the submission at level frame: brackets cost little, and all commands
    are inside of a pass's bracket."""
    need_vulkan()
    for left in 2, 1, 0:
        total = sum(by_tool(lab, "vk", (), "time"))
        lab.run(lab.record("-e", "time", "-l", "frame") + lab.sample("vk", *SIZE), LP_NUM_THREADS="0")
        frames = [number(row, "gpu_time_ns") for row in lab.session().frames if row["frame"] != "0"]
        print(f"passes {total} ns, submission {min(frames)} ns, ratio {total / min(frames):.3f}")
        if 1 / FACTOR < total / min(frames) < FACTOR:
            break
        true(left, f"passes take {total} ns, the submission {min(frames)} ns")


def case_overhead_gl(lab):
    """OpenGL: the waits of --serialize are no overhead."""
    overhead(lab, "gl")


def case_overhead_vk(lab):
    """Vulkan: the waits of --serialize are no overhead."""
    need_vulkan()
    overhead(lab, "vk")


main(globals())
