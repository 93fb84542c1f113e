#!/usr/bin/env python3
"""core/interface.txt -> core_interface.h and core.map: the functions of libpassprobe-core.so.0 for who calls them, and for
the linker.

    tools/gen_core.py core/interface.txt FOLDER HEADER...

The symbols' version has the digest of the list and of the headers, which have all that the shim and the layer know of the
core: so the functions of a core of another build are not found."""
import hashlib
import os
import sys


def main():
    path, folder, *headers = sys.argv[1:]
    digest = hashlib.sha256()
    for name in (path, *sorted(headers)):
        with open(name, "rb") as file:
            digest.update(hashlib.sha256(file.read()).digest())
    with open(path, encoding="utf-8") as file:
        names = [line.strip() for line in file if line.strip() and not line.startswith("#")]
    version = f"PP_CORE_{digest.hexdigest()[:16]}"
    calls = " \\\n".join(f"    FUNCTION({name})" for name in names)
    symbols = "".join(f"    {name};\n" for name in [*names, "pp_core_open"])
    made = "/* DO NOT EDIT: made from core/interface.txt by tools/gen_core.py */\n"
    texts = {
        "core_interface.h": f"{made}#define PP_CORE_VERSION \"{version}\"\n#define PP_CORE_INTERFACE(FUNCTION) \\\n{calls}\n",
        "core.map": f"{made}{version} {{\nglobal:\n{symbols}local:\n    *;\n}};\n",
    }
    for name, text in texts.items():
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            file.write(text)


if __name__ == "__main__":
    main()
