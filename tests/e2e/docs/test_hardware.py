#!/usr/bin/env python3
"""docs/hardware.yaml is the one table of checked drivers: docs/hardware.md, README.md and `passprobe doctor` agree with it,
each row names a simulated device or a driver that the tests use, and mistakes in it are named with their line."""
import os
import re
import subprocess
import sys
import tempfile
import unittest

from harness import LAVAPIPE, ROOT, environment, take_arguments, unit_main

HARDWARE = os.path.join(ROOT, "docs", "hardware.yaml")
BUILD, = take_arguments(1)


def generate(*arguments):
    return subprocess.run([sys.executable, os.path.join(ROOT, "tools", "gen_hardware.py"), *arguments],
                          capture_output=True, text=True, check=False)


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def rows():
    """This function reads the table in another way than the generator does."""
    text = re.sub(r"^#.*\n", "", read(HARDWARE), flags=re.M)
    for block in re.split(r"^- ", text, flags=re.M)[1:]:
        yield dict(re.findall(r"^ *(\w+): (.*)$", block, flags=re.M))


class Hardware(unittest.TestCase):
    def test_pages(self):
        done = generate(HARDWARE, "--check", os.path.join(ROOT, "docs", "hardware.md"), os.path.join(ROOT, "README.md"))
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
        for row in rows():
            self.assertIn(f"### {row['driver']} {row['version']} ({row['api']})", read(os.path.join(ROOT, "docs", "hardware.md")))
            self.assertIn(f"{row['driver']} {row['version']}", read(os.path.join(ROOT, "README.md")))

    def test_devices(self):
        """Each simulated GPU is a device of the lab."""
        lab = ""
        for folder, _, names in os.walk(os.path.join(ROOT, "tests", "lab")):
            lab += "".join(read(os.path.join(folder, name)) for name in names if name.endswith((".c", ".h")))
        for row in rows():
            if row["how"] in ("executed", "no work"):
                for gpu in row["gpus"].split(" (")[0].split():
                    self.assertIn(f'"{gpu}"', lab, row["driver"])

    def test_stale_page(self):
        with tempfile.TemporaryDirectory() as folder:
            page = os.path.join(folder, "page.md")
            with open(page, "w", encoding="utf-8") as file:
                file.write("<!-- hardware: short -->\nold\n<!-- end of hardware -->\n")
            done = generate(HARDWARE, "--check", page)
            self.assertEqual(done.returncode, 1)
            self.assertIn("--update", done.stdout)
            self.assertEqual(generate(HARDWARE, "--update", page).returncode, 0)
            self.assertIn("RADV", read(page))

    def test_mistakes(self):
        good = read(HARDWARE)
        for old, new, said in (("  how: software", "  how: guessed", "how is one of"),
                               ("  api: OpenGL", "  api: Glide", "api is OpenGL or Vulkan"),
                               ("  version: 22.3.6\n", "", "no 'version'"),
                               ("  gpus: no GPU", "  gpus: no GPU\n  gpus: twice", "is given twice"),
                               ("  gpus: no GPU", "  cpus: the CPU", "expected '- driver: NAME'")):
            with tempfile.TemporaryDirectory() as folder:
                path = os.path.join(folder, "bad.yaml")
                with open(path, "w", encoding="utf-8") as file:
                    file.write(good.replace(old, new, 1))
                done = generate(path, "--out", os.path.join(folder, "out.h"))
                self.assertEqual(done.returncode, 1, said)
                self.assertRegex(done.stderr, r"bad\.yaml:\d+: .*" + re.escape(said))

    @unittest.skipUnless(os.path.exists(LAVAPIPE), "lavapipe is not installed")
    def test_doctor(self):
        shown = subprocess.run([os.path.join(BUILD, "bin", "passprobe"), "doctor"], capture_output=True, text=True,
                               check=False, env=environment("VK_", VK_ICD_FILENAMES=LAVAPIPE, DISPLAY="",
                                                            LIBGL_ALWAYS_SOFTWARE="1")).stdout
        self.assertRegex(shown, r"tests (ran|did not run) on [^\n]*lavapipe")
        self.assertRegex(shown, r"tests (ran|did not run) on [^\n]*llvmpipe")


unit_main()
