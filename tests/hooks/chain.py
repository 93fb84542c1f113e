"""The samples' harness, and how to preload the shim without the command."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "samples"))
from harness import FRAME_COLUMNS, Lab, Skip, equal, main, need, number, read_csv, true  # noqa: E402,F401


def preload(lab, out, **options):
    """Variables that profile a program into a folder of the scratch folder."""
    shim = os.path.join(lab.build, "lib", "libpassprobe-gl.so")
    if not os.path.exists(shim):
        libs = [os.path.join(top, "libpassprobe-gl.so") for top, _, files in os.walk(lab.build)
                if "libpassprobe-gl.so" in files]
        shim = libs[0]
    env = {"PASSPROBE": "1", "PASSPROBE_OUTPUT": lab.path(out), "LD_PRELOAD": shim}
    env.update({f"PASSPROBE_{name.upper()}": value for name, value in options.items()})
    return env
