#!/usr/bin/env python3
"""The examples of docs/guide/, docs/faq.md and docs/env_vars.md: each command is run, and its output is compared with
what the page shows.

Case `pages` checks the pages. With PP_UPDATE_GOLDEN=1 in the environment, it writes the current output into the blocks
that have no line `...`. Case `ci_file` runs the example for continuous integration. Case `self_test` checks that missing
output is found, and output that the page does not show.

A block that begins with ```console holds commands (`$ ...`) and their output. Blocks of one page run in order in one
folder, on Mesa's software drivers. Figures may differ, so numbers, ids, paths and the order of lines are not compared.
A line `...` represents lines that the page leaves out."""
import collections
import os
import re
import shutil
import subprocess
import tempfile

import harness
from golden import UPDATE
from harness import LAVAPIPE, ROOT, Skip, equal, main, true

try:
    import yaml
except ImportError:
    yaml = None

# What the pages show besides passprobe.
TOOLS = ("apitrace", "gfxrecon-replay", "glmark2", "xauth", "xvfb-run")
PAGES = ("docs/guide/first-hour.md", "docs/guide/comparing.md", "docs/guide/sharing.md", "docs/faq.md",
         "docs/env_vars.md")
BLOCK = re.compile(r"(?ms)^```console\n(.*?)^```$")
HOME, PREFIX = "/home/ann", "/usr/local"  # what the pages show instead of the scratch folder and the build folder
# Between such a pair of lines nothing is compared: the text depends on how busy the machine is.
VOLATILE = re.compile(r"(?ms)^ +\d+% of all frames' time.*?costs less$|^ +overhead\b.*?(?=^ +note|^$)")


def environment(build, home):
    """The environment of a user who has installed passprobe, without a display and without a GPU."""
    env = harness.environment("VK_", "XDG_", "DISPLAY", "WAYLAND")
    return dict(env, PATH=os.path.join(build, "bin") + ":" + env["PATH"], LIBGL_ALWAYS_SOFTWARE="1", COLUMNS="80",
                GALLIUM_DRIVER="llvmpipe", VK_ICD_FILENAMES=LAVAPIPE, VK_DRIVER_FILES=LAVAPIPE, HOME=home,
                LC_ALL="C.UTF-8", LD_LIBRARY_PATH=os.path.join(build, "lib"))


def shape(text):
    """The lines of a text without what differs from run to run."""
    text = VOLATILE.sub("", text)
    text = re.sub(r"\S*/(?=passprobe|bin/|lib/|share/)", "/", text)
    text = re.sub(r"(?m)^ +slow frames: .*\n(?:.+\n)*", "", text)  # there may be some on a machine with other work
    text = re.sub(r"(?m)^.*\bcpu:(?:involuntary-switches|major-faults)\b.*$", "", text)  # a row only where there were some
    text = re.sub(r"\b(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,}\b", "ID", text)
    text = re.sub(r"\.data\.\d+", ".data", text)
    text = re.sub(r" p50?(?= +\d)", "", text)  # on a busy machine, `diff` compares some rows by p5
    text = re.sub(r"-?\d[\d,.]*(?: ?(?:ns|us|ms|s)\b|%)?|(?<= )-(?= |$)", "#", text)
    text = re.sub(r"\b(?:ns|us|ms|s)\b", "U", text)
    text = re.sub(r"\bbelow resolution\b|(?<= )below(?= )", "#", text)
    text = re.sub(r"#(?:[ \t]+#)*", "#", text)
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


def case_pages(lab):
    build = os.path.abspath(lab.build)
    if lab.cached("PP_SANITIZE"):
        raise Skip("the library of a sanitizer cannot be preloaded")
    probe = run("passprobe-sample-gl --frames 1 && passprobe-sample-vk --frames 1 && passprobe list -e time",
                environment(build, lab.scratch), lab.scratch, build)
    if probe.count("llvmpipe") < 3:
        print(probe)
        raise Skip("Mesa's software drivers are not installed")
    absent = [name for name in TOOLS if not shutil.which(name)]
    if absent:
        raise Skip(f"not installed: {' '.join(absent)}")
    wrong = [page for page in PAGES if not check(page, build, os.environ.get(UPDATE) == "1")]
    equal(wrong, [], "pages that show something else")


def case_ci_file(lab):
    """The example for CI: its commands write the files that its artifacts name."""
    build = os.path.abspath(lab.build)
    if lab.cached("PP_SANITIZE"):
        raise Skip("the library of a sanitizer cannot be preloaded")
    if not yaml:
        raise Skip("python3-yaml is not installed")
    with open(os.path.join(ROOT, "docs", "guide", "comparing.md"), encoding="utf-8") as file:
        (_, job), = yaml.safe_load(re.search(r"(?ms)^```yaml\n(.*?)^```$", file.read()).group(1)).items()
    folder = lab.scratch
    env = environment(build, folder)
    os.symlink(os.path.join(build, "bin", "passprobe-sample-gl"), os.path.join(folder, "game"))
    made = run("passprobe record -q -o base -- ./game --frames 120 && passprobe report --json base > baseline.json", env,
               folder, build)
    if "llvmpipe" not in run("cat baseline.json", env, folder, build):
        print(made)
        raise Skip("Mesa's software drivers are not installed")
    for command in job["script"]:
        done = run(command + "; echo status $?", env, folder, build)
        true(re.search(r"status [01]$", done.strip()), done)  # on a busy machine, times may differ
    wanted = job["artifacts"]["paths"] + list(job["artifacts"]["reports"].values())
    equal([name for name in wanted if not os.path.exists(os.path.join(folder, name))], [], "artifacts that are missing")


def case_self_test(lab):
    """A correct page passes; mistakes in other pages are found."""
    pages = {"$ echo one 5\none 7\n": True, "$ echo one\ntwo\n": False, "$ echo one; echo two\none\n": False,
             "$ echo one; echo two\n...\ntwo\n": True, "$ echo one \\\n> two\none two\n": True, "": False}
    path = lab.path("page.md")
    for page, good in pages.items():
        with open(path, "w", encoding="utf-8") as file:
            file.write("text\n\n```console\n" + page + "```\n")
        true(check(path, os.path.abspath(lab.build), False) == good, f"{page!r} is judged wrongly")


main(globals())
