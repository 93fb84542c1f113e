"""The manifest of the build tree and of an installation as the loader reads it, and the names that the layer exports.
"""
import json
import os
import subprocess

from harness import equal, fail, main


def check(path):
    """Check a manifest for every loader since 1.1; returns its library path."""
    with open(path, encoding="utf-8") as file:
        layer = json.load(file)["layer"]
    equal(layer["enable_environment"], {"PASSPROBE": "1"}, path)
    equal(layer["disable_environment"], {"PASSPROBE_DISABLE": "1"}, path)
    equal(layer["type"], "GLOBAL", path)
    int(layer["implementation_version"])
    for name in ("name", "library_path", "api_version", "description"):
        if not layer[name]:
            fail("%s: no %s" % (path, name))
    return layer["library_path"]


def case_files(lab):
    """The build tree's manifest, the installed one, and the library."""
    manifest = os.path.join(lab.build, "share/vulkan/implicit_layer.d/VkLayer_passprobe.json")
    library = os.path.join(os.path.dirname(manifest), check(manifest))  # relative to the manifest
    if not os.path.exists(library):
        fail("%s does not exist" % library)
    equal(os.path.basename(check(os.path.join(lab.build, "install/VkLayer_passprobe.json"))), os.path.basename(library),
          "installed library")
    symbols = subprocess.run(["nm", "-D", "--defined-only", library], stdout=subprocess.PIPE, text=True, check=True).stdout
    equal([line.split()[-1] for line in symbols.splitlines()], ["vkNegotiateLoaderLayerInterfaceVersion"], "exports")
    headers = subprocess.run(["readelf", "-d", library], stdout=subprocess.PIPE, text=True, check=True).stdout
    if "STATIC_TLS" in headers:
        fail("the library needs static TLS, of which a dlopen'ed one may find none left")
    needed = {line.split("[")[1].split("]")[0] for line in headers.splitlines() if "(NEEDED)" in line}
    if any(name.startswith(("libasan", "libtsan")) for name in needed):  # what sanitizers need
        needed = {name for name in needed if not name.startswith(("libasan", "libubsan", "libtsan", "libgcc_s", "libm."))}
    if needed - {"libc.so.6", "ld-linux-x86-64.so.2"} or "RUNPATH" in headers:
        fail("the library needs more than the C library:\n" + headers)


if __name__ == "__main__":
    main(globals())
