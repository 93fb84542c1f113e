#!/usr/bin/env python3
"""The examples of docs/guide.md and docs/faq.md: each command is run, and what the page shows is what comes out.

    test_guide.py --build BUILD [--update] [--self-test] [PAGE]...

A block that begins with ```console holds commands (`$ ...`) and their output. Blocks of one page run in order in one
folder, on Mesa's software drivers. Figures may differ, so numbers, ids and paths are not compared, and neither is the
order of lines. A line `...` stands for lines that the page leaves out. --update writes the current output into the
blocks that have no such line. --self-test checks that output which is missing, or not shown, is found."""
import argparse
import collections
import os
import re
import subprocess
import sys
import tempfile

from harness import ROOT

PAGES = ("docs/guide.md", "docs/faq.md")
BLOCK = re.compile(r"(?ms)^```console\n(.*?)^```$")
HOME, PREFIX = "/home/ann", "/usr/local"  # what the pages show in place of the scratch folder and the build folder
# What these lines say depends on how busy the machine is: from the first to the second, nothing is compared.
VOLATILE = re.compile(r"(?ms)^ +(?:own cost|overhead)\b.*?(?=^ +lost\b)|^ +# +\d+% of all frames' time.*?(?=^$)")


def environment(build, scratch):
    env = {key: value for key, value in os.environ.items()
           if not key.startswith(("PASSPROBE", "VK_", "LD_PRELOAD", "XDG_", "DISPLAY", "WAYLAND"))}
    lavapipe = "/usr/share/vulkan/icd.d/lvp_icd.x86_64.json"
    return dict(env, PATH=os.path.join(build, "bin") + ":" + env["PATH"], LIBGL_ALWAYS_SOFTWARE="1", COLUMNS="80",
                GALLIUM_DRIVER="llvmpipe", VK_ICD_FILENAMES=lavapipe, VK_DRIVER_FILES=lavapipe, HOME=scratch,
                LC_ALL="C.UTF-8", LD_LIBRARY_PATH=os.path.join(build, "lib"))


def shape(text):
    """The lines of a text without what differs from run to run."""
    text = VOLATILE.sub("", text)
    text = re.sub(r"\S*/(?=passprobe|bin/|lib/|share/)", "/", text)
    text = re.sub(r"\b(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,}\b", "ID", text)
    text = re.sub(r"\.data\.\d+", ".data", text)
    text = re.sub(r"-?\d[\d,.]*(?: ?(?:ns|us|ms|s)\b|%)?|(?<= )-(?= |$)", "#", text)
    text = re.sub(r"\b(?:ns|us|ms|s)\b", "U", text)
    text = re.sub(r"#(?:[ \t]+(?:#|below resolution))*", "#", text)
    text = re.sub(r"(?m)^( *bound by).*", r"\1", text)
    return [" ".join(line.split()) for line in text.splitlines() if line.strip()]


def commands(block):
    """(command as shown, shown output) of a block; further lines of a command begin with `> `, as in a shell."""
    for part in re.split(r"(?m)^\$ ", block)[1:]:
        lines = part.split("\n")
        count = 1
        while lines[count].startswith("> "):
            count += 1
        yield "\n".join(lines[:count]), "\n".join(lines[count:])


def run(command, env, folder, build):
    done = subprocess.run(["bash", "-c", command], cwd=folder, env=env, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, timeout=120, check=False)
    return done.stdout.replace(folder, HOME).replace(build, PREFIX)


def compare(page, command, shown, got):
    missing = collections.Counter(shape(shown))
    missing.subtract({"...": missing["..."]})
    missing.subtract(collections.Counter(shape(got)))
    lacking = [line for line, count in missing.items() if count > 0]
    if lacking:
        print(f"{page}: $ {command}\nThe page shows, and the command did not print:", *lacking, "It printed:", got,
              sep="\n")
    added = [line for line, count in missing.items() if count < 0] if "..." not in shape(shown) else []
    if added:
        print(f"{page}: $ {command}\nThe command printed, and the page does not show:", *added, sep="\n")
    return not lacking and not added


def check(page, build, update):
    path = os.path.join(ROOT, page)
    with open(path, encoding="utf-8") as file:
        text = file.read()
    good, count = True, 0
    with tempfile.TemporaryDirectory() as folder:
        env = environment(build, folder)

        def one(match):
            nonlocal good, count
            out = ""
            for command, shown in commands(match.group(1)):
                got = run(re.sub(r"(?m)^> ", "", command), env, folder, build)
                count += 1
                if update and "..." not in shape(shown):
                    shown = got.strip("\n") + "\n" if got.strip() else ""
                else:
                    good &= compare(page, command, shown, got)
                out += f"$ {command}\n{shown}"
            return "```console\n" + out + "```"

        new = BLOCK.sub(one, text)
    if update and new != text:
        with open(path, "w", encoding="utf-8") as file:
            file.write(new)
    print(f"{page}: {count} commands")
    return good and count > 0


def self_test(build):
    """Whether the check takes a page that is right, and finds what is wrong in others."""
    pages = {"$ echo one 5\none 7\n": True, "$ echo one\ntwo\n": False, "$ echo one; echo two\none\n": False,
             "$ echo one; echo two\n...\ntwo\n": True, "$ echo one \\\n> two\none two\n": True, "": False}
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "page.md")
        wrong = []
        for page, good in pages.items():
            with open(path, "w", encoding="utf-8") as file:
                file.write("text\n\n```console\n" + page + "```\n")
            if check(path, build, False) != good:
                wrong.append(page)
    print("\n".join(f"wrong: {page}" for page in wrong) or f"{len(pages)} pages judged rightly")
    return 1 if wrong else 0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", required=True)
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--self-test", action="store_true")
    parser.add_argument("pages", nargs="*", default=PAGES)
    arguments = parser.parse_args()
    build = os.path.abspath(arguments.build)
    if arguments.self_test:
        return self_test(build)
    with open(os.path.join(build, "lib", "libpassprobe-gl.so"), "rb") as file:
        if re.search(rb"lib(a|t|ub)san\.so", file.read()):
            print("skipped: the library of a sanitizer cannot be preloaded")
            return 77
    with tempfile.TemporaryDirectory() as folder:
        probe = run("passprobe-sample-gl --frames 1 && passprobe-sample-vk --frames 1 && passprobe list -e time",
                    environment(build, folder), folder, build)
    if probe.count("llvmpipe") < 3:
        print(probe, "skipped: Mesa's software drivers are not installed", sep="\n")
        return 77
    return 0 if all([check(page, build, arguments.update) for page in arguments.pages]) else 1


sys.exit(main())
