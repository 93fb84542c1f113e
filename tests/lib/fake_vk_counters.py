"""Running over the layer with fake counters (tests/fake/vk_perf), and the values that applications must get."""
import json
import os
import xml.etree.ElementTree as ElementTree

from harness import LAVAPIPE, fail, need_file
from layer import VALIDATION, LayerLab

FAKE = "VK_LAYER_PP_fake_perf"
VALIDATION_PATH = "/usr/share/vulkan/explicit_layer.d"
# The fake counters: value of (draws, vertices, instances, dispatches, groups, copies, passes, commands[, clears]).
# Written independently of tests/fake/vk_perf/counters.c: these are the values that rows must have.
COUNTERS = {
    "GPU active cycles_cycles": lambda w: 1000 * w[0] + 3 * w[1] + 200 * w[3] + 64 * w[4] + 500 * w[5] + 10 * w[6] + w[7],
    "Vertices": lambda w: w[1],
    "Instances": lambda w: w[2],
    "Balance": lambda w: -5000000000 * w[0] + 2 * w[1],
    "Groups": lambda w: w[4],
    "Weighted work": lambda w: 4 * w[0] + w[1] + 2 * w[4] + 8 * w[5] + 16 * sum(w[8:]),
    "Bytes read_bytes": lambda w: 16 * w[1] + 4096 * w[4] + 65536 * w[5],
    "Time busy_ns": lambda w: 2000 * w[0] + 5 * w[1] + 100 * w[3] + 32 * w[4] + 7 * w[5],
    "Tiles loaded": lambda w: w[0] + 7 * w[6],
    "Clock_hz": lambda w: 1000000 * (w[0] + w[3] + w[5]),
}
# The sample's passes at 256x256, in order: the same columns, without the commands.
SAMPLE = [(1, 96, 16, 0, 0, 0, 1), (3, 106, 19, 0, 0, 0, 1), (0, 0, 0, 1, 256, 0, 0), (1, 3, 1, 0, 0, 0, 1),
          (0, 0, 0, 0, 0, 2, 0)]
DRAWS = [(1, 96, 16, 0, 0, 0, 0), (1, 4, 1, 0, 0, 0, 0), (1, 96, 16, 0, 0, 0, 0), (1, 6, 2, 0, 0, 0, 0),
         (0, 0, 0, 1, 256, 0, 0), (1, 3, 1, 0, 0, 0, 0), (0, 0, 0, 0, 0, 1, 0), (0, 0, 0, 0, 0, 1, 0)]


class PerfLab(LayerLab):
    """A lab whose driver has counters."""

    def words(self, fake, validation=False, driver=LAVAPIPE):
        """Environment of a run; @p fake: the value of FAKE_VK_PERF."""
        need_file(driver, "the driver " + driver)
        self.driver = driver
        folder = os.path.join(self.build, "tests", "fake_perf")
        # Layers of the first folder are above those of the next.
        env = {"FAKE_VK_PERF": fake, "FAKE_VK_PERF_DUMP": self.path("dump"),
               "VK_LAYER_PATH": VALIDATION_PATH + ":" + folder,
               "VK_INSTANCE_LAYERS": ":".join([FAKE] + [VALIDATION] * validation)}
        if "intel" in fake.split():
            env["LD_PRELOAD"] = os.path.join(folder, "libVkLayer_fake_perf.so")
        return env

    def sample(self, *words):
        """The sample's command."""
        return [os.path.join(self.build, "bin", "passprobe-sample-vk"), *words]

    def record(self, session, fake, events, level, command, validation=False, **more):
        """Run under passprobe. Returns the application's output."""
        env = self.words(fake, validation, more.pop("driver", LAVAPIPE))
        if events:
            env["PASSPROBE_EVENTS"] = events
        out = self.run(command, session, PASSPROBE_LEVEL=level, **dict(env, **more))
        if "VIOLATION" in out:
            fail(out[-2000:])
        return out

    def device(self, session):
        """The device's part of session.json."""
        return json.loads(self.text(session))["devices"][0]

    def reasons(self, session):
        """Missing events and their reasons."""
        return {one["event"]: one["reason"] for one in self.device(session)["events_missing"]}

    def dump(self):
        """The results that the driver gave out, in the order of reading."""
        with open(self.path("dump"), encoding="utf-8") as file:
            return [json.loads(line) for line in file]


def values(row, prefix):
    """Cells of a source that are not empty, as numbers."""
    return {name[len(prefix):]: float(text) if "." in text or "e" in text else int(text)
            for name, text in row.items() if name.startswith(prefix) and text != ""}


# A second implementation of Intel's formulas.

UNARY = {"UADD": lambda a, b: (a + b) % 2**64, "USUB": lambda a, b: (a - b) % 2**64,
         "UMUL": lambda a, b: (int(a) * int(b)) % 2**64, "UDIV": lambda a, b: int(a) // int(b) if b else 0,
         "FADD": lambda a, b: a + b, "FSUB": lambda a, b: a - b, "FMUL": lambda a, b: a * b,
         "FDIV": lambda a, b: a / b if b else 0.0, "FMAX": max, "UMIN": min, "AND": lambda a, b: a & b,
         "<<": lambda a, b: (a << b) % 2**64, ">>": lambda a, b: a >> b, "ULT": lambda a, b: int(a < b),
         "ULTE": lambda a, b: int(a <= b), "UGT": lambda a, b: int(a > b), "UGTE": lambda a, b: int(a >= b),
         "&&": lambda a, b: int(bool(a) and bool(b))}
# Kaby Lake GT2, with all units; results have nanoseconds, so the clock has 1 GHz.
KBLGT2 = {"GpuTimestampFrequency": 10**9, "EuCoresTotalCount": 24, "EuSlicesTotalCount": 1, "EuSubslicesTotalCount": 3,
          "SliceMask": 1, "SubsliceMask": 7, "EuThreadsCount": 7, "QueryMode": 0, "DualSubsliceMask": 7}


class Metrics:
    """A metric set of Intel's XML."""

    def __init__(self, source, symbol):
        path = os.path.join(source, "counters", "gpus", "intel", "oa-kblgt2.xml")
        for node in ElementTree.parse(path).getroot():
            if node.get("symbol_name") == symbol:
                self.counter = {one.get("symbol_name"): one for one in node.iter("counter")}

    def evaluate(self, text, reads):
        """Evaluate reverse Polish notation."""
        stack = []
        words = text.split()
        for word in words:
            if word == "READ":
                number, kind = stack.pop(), stack.pop()
                stack.append(reads[kind + (str(number) if kind in "ABC" else "")])
            elif word in UNARY:
                second, first = stack.pop(), stack.pop()
                stack.append(UNARY[word](first, second))
            elif word.startswith("$"):
                name = word[1:]
                stack.append(KBLGT2[name] if name in KBLGT2 else self.value(name, reads))
            elif word[0].isdigit():
                stack.append(int(word, 0))
            else:
                stack.append(word)
        return stack[-1]

    def value(self, symbol, reads):
        """One metric."""
        got = self.evaluate(self.counter[symbol].get("equation"), reads)
        return float(got) if self.counter[symbol].get("data_type") == "float" else int(got)

    def maximum(self, symbol, reads):
        """The largest possible value of a metric."""
        text = self.counter[symbol].get("max_equation").replace("$Self", "$" + symbol)
        return int(self.evaluate(text, reads))

    def available(self, symbol):
        """Is there such a unit?"""
        text = self.counter[symbol].get("availability")
        return not text or bool(self.evaluate(text, {}))


def reads_of(line):
    """The fields of a line of the dump that READ finds."""
    raw = line["raw"]
    reads = {"A%d" % i: raw[i] for i in range(36)}
    reads.update({"B%d" % i: raw[36 + i] for i in range(8)})
    reads.update({"C%d" % i: raw[44 + i] for i in range(8)})
    reads.update(GPU_TIME=line["GPU_TIME"] * 250 // 3, GPU_CLOCK=line["GPU_CLOCK"])
    return reads
