"""Running programs on a device of tests/lab, a kernel's DRM driver in the program's process, and reading the device's log."""
import glob
import json
import os

from harness import Skip, fake_library

FAULT_STATUS = 86  # LAB_EXIT_STATUS of tests/lab/report.h: the program broke a rule of the kernel's
ICDS = "/usr/share/vulkan/icd.d"
# What a packaged driver is found by: its manifest for Vulkan, its name for OpenGL.
VULKAN = {"anv": "intel", "hasvk": "intel_hasvk", "radv": "radeon"}
OPENGL = ("iris", "crocus", "radeonsi", "nouveau")
# Options of Mesa from 24.0 on, which otherwise clears and copies many queries by draws of its own. A test could not distinguish
# these draws from work in barriers.
QUERIES_BY_COMMANDS = {name: "1000000" for name in ("query_clear_with_blorp_threshold", "query_copy_with_shader_threshold")}
# GPUs on which Mesa from 24.1 on gives each counter of `khr`, `intel` and `amd` the value of another one.
SHIFTED = ("bdw", "chv", "skl", "kbl", "cfl", "bxt", "glk", "icl", "ehl")


def simulated(lab, device, before="", **more):
    """Variables for Lab.run(): the device is there, and nothing else of the kernel's graphics. @p before is preloaded
    ahead of the device."""
    preload = ":".join(filter(None, (before, fake_library(lab, "liblab-drm.so"))))
    return {"LD_PRELOAD": preload, "LAB_DEVICE": device, "LAB_LOG": os.path.join(lab.scratch, "lab.log"),
            "LIBGL_ALWAYS_SOFTWARE": "0", **more}


def driver(name):
    """Variables that choose a packaged driver; skip if it is not installed. LAB_MESA=FOLDER takes the drivers from packages
    of another Mesa that were unpacked into the folder (`dpkg -x`)."""
    if os.environ.get("LAB_MESA"):
        return driver_in(os.environ["LAB_MESA"], name)
    if name in VULKAN:
        manifests = glob.glob(f"{ICDS}/{VULKAN[name]}_icd*.json")
        if not manifests:
            raise Skip(f"the driver {name} is not installed (mesa-vulkan-drivers)")
        return {"VK_ICD_FILENAMES": manifests[0]}
    if not glob.glob(f"/usr/lib/*/dri/{name}_dri.so"):
        raise Skip(f"the driver {name} is not installed (libgl1-mesa-dri)")
    return {"EGL_PLATFORM": "surfaceless", "MESA_LOADER_DRIVER_OVERRIDE": name, "DISPLAY": ""}


def driver_in(mesa, name):
    """Variables that choose a driver in a folder of unpacked packages."""
    wanted = f"libvulkan_{VULKAN[name]}.so" if name in VULKAN else f"dri/{name}_dri.so"
    found = glob.glob(f"{mesa}/usr/lib/*/{wanted}")
    if not found:
        raise Skip(f"{mesa} has no {wanted}")
    libraries = found[0][:-len(wanted) - 1]
    if name not in VULKAN:
        return {"EGL_PLATFORM": "surfaceless", "MESA_LOADER_DRIVER_OVERRIDE": name, "DISPLAY": "",
                "LD_LIBRARY_PATH": libraries, "LIBGL_DRIVERS_PATH": libraries + "/dri",
                "__EGL_VENDOR_LIBRARY_DIRS": mesa + "/usr/share/glvnd/egl_vendor.d"}
    manifest = f"{mesa}/lab-{name}.json"
    with open(f"{manifest}.{os.getpid()}", "w", encoding="utf-8") as file:
        json.dump({"file_format_version": "1.0.0", "ICD": {"library_path": found[0], "api_version": "1.3.0"}}, file)
    os.replace(file.name, manifest)  # other tests may read it now
    return {"VK_ICD_FILENAMES": manifest, "LD_LIBRARY_PATH": libraries, **QUERIES_BY_COMMANDS}


def left_out(session, device):
    """Did passprobe leave out `khr`, `intel` and `amd`, because this Mesa's counters are shifted on the device? Only a Mesa of
    LAB_MESA may be so."""
    told = [row for row in session.json["devices"][0]["events_missing"] if "has the value of another counter" in row["reason"]]
    return bool(os.environ.get("LAB_MESA")) and device in SHIFTED and bool(told)


class Line(dict):
    """A line of the log: a name, and values by their names; whole numbers are ints."""

    def __init__(self, text):
        words = text.split()
        super().__init__(word.split("=", 1) for word in words[1:] if "=" in word)
        self.name, self.text = words[0], text
        for key, value in self.items():
            try:
                self[key] = int(value, 0)
            except ValueError:
                pass


def log_of(lab):
    """The log of the one process that submitted work."""
    found = []
    for path in glob.glob(os.path.join(lab.scratch, "lab.log.*")):
        with open(path, encoding="utf-8") as file:
            lines = [Line(text) for text in file]
        os.remove(path)
        if any(line.name == "exec" for line in lines):
            found.append(lines)
    if len(found) != 1:
        raise AssertionError(f"{len(found)} processes submitted work")
    return found[0]


# Ticks a second of a device's timestamp.
TIMESTAMP_HZ = {**dict.fromkeys(("skl", "kbl", "cfl", "icl", "ehl"), 12000000), "hsw": 12500000, "bdw": 12500000, "chv": 12500000,
                **dict.fromkeys(("bxt", "glk", "tgl", "rkl", "adl", "adls", "dg1", "dg2"), 19200000)}
# Where timestamps wrap, in ticks by the timestamp's frequency: OA reports have 32 bits, the register 36, and iris
# returns 36 bits of nanoseconds.
WRAPS = {"report": lambda hz: 1 << 32, "register": lambda hz: 1 << 36, "iris": lambda hz: (hz << 36) // 10**9}
BEGIN_S = (0.5, 1, 2, 4)  # from a process' begin to the wrap: a busy machine may need seconds until the first frames
TIMESTAMP = 0x2358  # the register that vkCmdWriteTimestamp at the top of the pipe reads on Intel


def crosses(log, device, wrap):
    """Is a submission with counted work in progress at the wrap?"""
    ticks, begin, counted = WRAPS[wrap](TIMESTAMP_HZ[device]), 0, 0
    for line in log:
        if line.name == "exec":
            begin, counted = line["clock"], 0
        elif line.name == "draw":
            counted += line["counted"]
        elif line.name == "end" and counted and begin < ticks <= line["clock"]:
            return True
    return False


def across_wrap(device, wrap, vertices, ahead, run, buffers=""):
    """Call @p run with variables that let a submission cross a wrap, once this many vertices were counted. It has @p buffers
    or more, and begins @p ahead ticks before the wrap. @p run returns the log. If the application began too late for it, the next run leaves more time."""
    hz = TIMESTAMP_HZ[device]
    ticks = WRAPS[wrap](hz)
    for seconds in BEGIN_S:
        if crosses(run({"LAB_CLOCK": str(ticks - int(hz * seconds)), "LAB_HOLD": f"{vertices}:{ticks - ahead}{buffers and ':'}{buffers}"}),
                   device, wrap):
            return
    raise AssertionError(f"no submission lay across the wrap in {len(BEGIN_S)} runs")


class Bracket:
    """What the GPU executed between two timestamps of a command buffer."""

    def __init__(self, clock, outer):
        self.begin, self.outer, self.inner = clock, outer, []
        self.ticks = self.vertices = self.primitives = self.invocations = self.work = 0

    def add(self, line):
        """Count a draw or walker, here and in the brackets around."""
        self.work += 1
        self.invocations += line.get("invocations", 0)
        self.vertices += line.get("vertices", 0) * line.get("counted", 0)
        self.primitives += line.get("primitives", 0) * line.get("counted", 0)
        if self.outer:
            self.outer.add(line)


class Brackets:
    """Reads the outer brackets from a log, in the order of their execution. A bracket begins with a copy of the timestamp's
    register, and ends with a timestamp that PIPE_CONTROL writes. If no register was copied since the end of the last outer
    bracket, that timestamp is the begin, too; or another timestamp of PIPE_CONTROL is the begin, as for barriers. So some of these
    brackets are of nothing."""

    def __init__(self, log):
        self.found, self.outside = [], 0  # work outside of all brackets
        self.current, self.after, self.start = None, None, 0
        for line in log:
            self.read(line)
        self.leave()

    def read(self, line):
        if line.name == "exec":
            self.leave()
            self.start = line["clock"]
        elif line.name == "register" and line["number"] == TIMESTAMP:
            self.leave()
            self.current = Bracket(self.start + (line["value"] - self.start) % (1 << 32), self.current)
        elif line.name in ("draw", "walk") and (self.current or self.after):
            (self.current or self.after).add(line)
        elif line.name in ("draw", "walk"):
            self.outside += 1
        elif line.name == "time":
            self.end(line["clock"])

    def end(self, clock):
        """A timestamp of PIPE_CONTROL."""
        current = self.current or self.after
        if current:
            current.ticks = clock - current.begin
            (current.outer.inner if current.outer else self.found).append(current)
        self.current = current.outer if current else None
        self.after = None if self.current else Bracket(clock, None)

    def leave(self):
        """What was executed since the last timestamp is in no bracket."""
        self.outside += self.after.work if self.after else 0
        self.after = None


def brackets_of(log):
    """The outer brackets with work in them."""
    return [bracket for bracket in Brackets(log).found if bracket.work]


def brackets_of_rows(log, rows, device):
    """The brackets of rows of passes, one for each. All work that the GPU executed is in one of them. A bracket without work is the
    one of a barrier if the time is right."""
    brackets = Brackets(log)
    if brackets.outside:
        raise AssertionError(f"the GPU executed {brackets.outside} draws and walkers outside of all brackets")
    rest, found = iter(brackets.found), []
    for row in rows:
        for bracket in rest:
            ns = bracket.ticks * 1_000_000_000 // TIMESTAMP_HZ[device]
            if bracket.work or (row["kind"] == "barrier" and abs(ns - int(row["gpu_time_ns"])) <= 1):
                found.append(bracket)
                break
    if len(found) != len(rows) or any(bracket.work for bracket in rest):
        raise AssertionError(f"{sum(bool(b.work) for b in brackets.found)} brackets with work, {len(rows)} rows: "
                             f"{[(row['kind'], row['gpu_time_ns']) for row in rows][:20]}, "
                             f"{[(b.work, b.ticks) for b in brackets.found if b.work][:20]}")
    return found
