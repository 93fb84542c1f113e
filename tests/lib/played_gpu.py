"""Running programs on a device of tests/lab, a kernel's DRM driver in the program's process."""
import os

from harness import fake_library

FAULT_STATUS = 86  # LAB_EXIT_STATUS of tests/lab/report.h: the program broke a rule of the kernel's


def played(lab, device, before="", **more):
    """Variables for Lab.run(): the device is there, and nothing else of the kernel's graphics. @p before is preloaded
    ahead of the device."""
    preload = ":".join(filter(None, (before, fake_library(lab, "liblab-drm.so"))))
    return {"LD_PRELOAD": preload, "LAB_DEVICE": device, "LAB_LOG": os.path.join(lab.scratch, "lab.log"),
            "LIBGL_ALWAYS_SOFTWARE": "0", **more}
