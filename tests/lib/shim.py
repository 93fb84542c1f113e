"""Preloading the shim without the command."""
import os
import re
import subprocess


def before(lab, shim):
    """What to preload before the shim: ThreadSanitizer's library, whose look-ups the shim's dlsym would answer too
    early."""
    if "thread" not in lab.cached("PP_SANITIZE"):
        return []
    linked = subprocess.run(["ldd", shim], capture_output=True, text=True, check=True).stdout
    return re.findall(r"=> (\S*/libtsan\.so\S*)", linked)


def preload(lab, out, **options):
    """Variables that profile an application into a folder of the scratch folder."""
    shim = os.path.join(lab.build, "lib", "libpassprobe-gl.so")
    if not os.path.exists(shim):
        libs = [os.path.join(top, "libpassprobe-gl.so") for top, _, files in os.walk(lab.build)
                if "libpassprobe-gl.so" in files]
        shim = libs[0]
    env = {"PASSPROBE": "1", "PASSPROBE_OUTPUT": lab.path(out), "LD_PRELOAD": ":".join([*before(lab, shim), shim])}
    env.update({f"PASSPROBE_{name.upper()}": value for name, value in options.items()})
    return env
