"""Running programs on a device of tests/lab, a kernel's DRM driver in the program's process, and reading the device's log."""
import glob
import os

from harness import Skip, fake_library

FAULT_STATUS = 86  # LAB_EXIT_STATUS of tests/lab/report.h: the program broke a rule of the kernel's
ICDS = "/usr/share/vulkan/icd.d"
# What a packaged driver is found by: its manifest for Vulkan, its name for OpenGL.
VULKAN = {"anv": "intel", "hasvk": "intel_hasvk", "radv": "radeon"}
OPENGL = ("iris", "crocus", "radeonsi", "nouveau")


def played(lab, device, before="", **more):
    """Variables for Lab.run(): the device is there, and nothing else of the kernel's graphics. @p before is preloaded
    ahead of the device."""
    preload = ":".join(filter(None, (before, fake_library(lab, "liblab-drm.so"))))
    return {"LD_PRELOAD": preload, "LAB_DEVICE": device, "LAB_LOG": os.path.join(lab.scratch, "lab.log"),
            "LIBGL_ALWAYS_SOFTWARE": "0", **more}


def driver(name):
    """Variables that choose a packaged driver; skip if it is not installed."""
    if name in VULKAN:
        manifests = glob.glob(f"{ICDS}/{VULKAN[name]}_icd*.json")
        if not manifests:
            raise Skip(f"the driver {name} is not installed (mesa-vulkan-drivers)")
        return {"VK_ICD_FILENAMES": manifests[0]}
    if not glob.glob(f"/usr/lib/*/dri/{name}_dri.so"):
        raise Skip(f"the driver {name} is not installed (libgl1-mesa-dri)")
    return {"EGL_PLATFORM": "surfaceless", "MESA_LOADER_DRIVER_OVERRIDE": name, "DISPLAY": ""}


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
