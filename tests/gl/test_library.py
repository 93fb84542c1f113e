"""libpassprobe-gl.so as a file: what it exports and needs, and how much static thread-local storage it takes."""
import subprocess

from harness import equal, main, need, true
from shim import preload
from test_gen_gl import generate


# libc's versions of dlsym and dlopen on each architecture.
VERSIONS = {"GLIBC_2.0", "GLIBC_2.1", "GLIBC_2.2.5", "GLIBC_2.17", "GLIBC_2.34"}


def shim(lab):
    return preload(lab, "x")["LD_PRELOAD"]


def case_exports(lab):
    need("nm")
    out = subprocess.run(["nm", "-D", "--defined-only", shim(lab)], capture_output=True, text=True, check=True)
    exported = sorted(line.split()[-1].split("@")[0] for line in out.stdout.splitlines())
    equal(exported.count("dlsym"), 2, "dlsym under its two versions")
    exported = sorted(set(exported) - VERSIONS)
    exported = [name for name in exported if not name.startswith(("__asan", "__ubsan", "__tsan", "__odr_asan"))]
    equal(exported, sorted([*generate("--list").stdout.split(), "passprobe_core_open"]), "exports are the hook set")


def case_dynamic(lab):
    need("readelf")
    out = subprocess.run(["readelf", "-dW", shim(lab)], capture_output=True, text=True, check=True).stdout
    true("NODELETE" in out, "stays when closed")
    needed = sorted(line.split("[")[1].split("]")[0] for line in out.splitlines() if "(NEEDED)" in line)
    if "libasan" in out or "libtsan" in out:  # what sanitizers need
        needed = [name for name in needed if not name.startswith(("libasan", "libubsan", "libtsan", "libgcc_s", "libm."))]
    true(set(needed) <= {"libc.so.6", "ld-linux-x86-64.so.2"}, f"needs {needed}")
    true("RUNPATH" not in out and "RPATH" not in out, "searches no folder")
    # glibc keeps 512 bytes of static TLS for libraries that are opened after the start, for all of them together
    headers = subprocess.run(["readelf", "-lW", shim(lab)], capture_output=True, text=True, check=True).stdout
    sizes = [int(line.split()[5], 16) for line in headers.splitlines() if line.split()[:1] == ["TLS"]]
    true("libasan" in out or sizes[0] <= 64, f"static TLS: {sizes}")


if __name__ == "__main__":
    main(globals())
