"""What `cmake --install` installs, used as a user does: from a prefix, below DESTDIR, moved, and by variables alone."""
import glob
import json
import os
import re
import shutil
import subprocess
import tempfile
import unittest

from harness import take_arguments, unit_main

CMAKE, BUILD, SOURCE, LIBDIR = take_arguments(4)
LAVAPIPE = "/usr/share/vulkan/icd.d/lvp_icd.x86_64.json"
PAGES = ("passprobe", "passprobe-stat", "passprobe-record", "passprobe-report", "passprobe-list", "passprobe-doctor")
FILES = ["bin/passprobe", f"{LIBDIR}/libpassprobe-gl.so",
         f"{LIBDIR}/pkgconfig/passprobe.pc", f"{LIBDIR}/passprobe/libpassprobe-core.so.0",
         f"{LIBDIR}/passprobe/libVkLayer_passprobe.so", "include/passprobe/annotate.h",
         "share/vulkan/implicit_layer.d/VkLayer_passprobe.json", *(f"share/man/man1/{page}.1" for page in PAGES)]


class Install(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.top = tempfile.mkdtemp(prefix="passprobe-install-")
        cls.prefix = os.path.join(cls.top, "prefix")
        subprocess.run([CMAKE, "--install", BUILD, "--prefix", cls.prefix], check=True, stdout=subprocess.DEVNULL)

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.top)

    def setUp(self):
        self.cwd = tempfile.mkdtemp(dir=self.top)
        self.env = {key: value for key, value in os.environ.items()
                    if not key.startswith(("PASSPROBE", "XDG_", "LD_", "VK_"))}
        self.env.update(HOME=self.cwd, LIBGL_ALWAYS_SOFTWARE="1",
                        ASAN_OPTIONS="detect_leaks=0:verify_asan_link_order=0")
        if os.path.exists(LAVAPIPE):
            self.env["VK_ICD_FILENAMES"] = LAVAPIPE

    def run_program(self, *command, check=True, **env):
        run = subprocess.run(command, env={**self.env, **env}, cwd=self.cwd, timeout=120, check=False, text=True,
                             stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        if check:
            self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        return run

    def sample(self, api, frames=20):
        return [os.path.join(BUILD, "bin", "passprobe-sample-" + api), "--frames", str(frames)]

    def frames(self, name="passprobe.data"):
        with open(os.path.join(self.cwd, name, "frames.csv"), encoding="utf-8") as file:
            return len(file.readlines()) - 1

    def test_files(self):
        for name in FILES:
            self.assertTrue(os.path.exists(os.path.join(self.prefix, name)), name)
        # a namelink would invite applications to link a private library
        self.assertFalse(os.path.exists(os.path.join(self.prefix, LIBDIR, "passprobe/libpassprobe-core.so")))

    def test_no_path_of_the_build_tree(self):
        for path in glob.glob(self.prefix + "/**", recursive=True):
            if not re.search(r"\.so[.0-9]*$|/bin/", path) or os.path.islink(path):
                continue
            dynamic = self.run_program("readelf", "-d", path).stdout
            for runpath in re.findall(r"(?:RUNPATH|RPATH).*\[(.*)\]", dynamic):
                for part in filter(None, runpath.split(":")):
                    self.assertTrue(part.startswith("$ORIGIN"), (path, runpath))

    def test_command(self):
        passprobe = os.path.join(self.prefix, "bin/passprobe")
        for api in ("gl", "vk"):
            self.run_program(passprobe, "stat", *self.sample(api))
            self.assertEqual(self.frames(), 20)
        doctor = self.run_program(passprobe, "doctor").stdout
        self.assertIn("Applications can be profiled", doctor)
        self.assertIn(self.prefix, doctor)

    def test_moved_and_below_destdir(self):
        moved = os.path.join(self.top, "somewhere else")
        shutil.copytree(self.prefix, moved, symlinks=True)
        destdir = os.path.join(self.top, "dest")
        subprocess.run([CMAKE, "--install", BUILD], env={**os.environ, "DESTDIR": destdir}, check=True,
                       stdout=subprocess.DEVNULL)
        below = glob.glob(destdir + "/**/bin/passprobe", recursive=True)
        self.assertEqual(len(below), 1)
        for passprobe in (os.path.join(moved, "bin/passprobe"), below[0]):
            for api in ("gl", "vk"):
                self.run_program(passprobe, "record", *self.sample(api))
                self.assertEqual(self.frames(), 20)

    def test_by_variables_alone(self):
        """What Steam and Lutris can do: set variables. The library has no path, as after ldconfig."""
        lib = os.path.join(self.prefix, LIBDIR)
        self.run_program(*self.sample("gl"), PASSPROBE="1", LD_PRELOAD="libpassprobe-gl.so", LD_LIBRARY_PATH=lib,
                         PASSPROBE_OUTPUT="gl.data")
        self.assertEqual(self.frames("gl.data"), 20)
        share = os.path.join(self.prefix, "share")
        self.run_program(*self.sample("vk"), PASSPROBE="1", XDG_DATA_DIRS=share + ":/usr/local/share:/usr/share",
                         PASSPROBE_OUTPUT="vk.data")
        self.assertEqual(self.frames("vk.data"), 20)

    def test_layer_is_loaded_once(self):
        """The layer is installed where the loader searches anyway, and once more in the build tree: one session, each
        frame once."""
        passprobe = os.path.join(self.prefix, "bin/passprobe")
        both = f"{self.prefix}/share:{BUILD}/share:/usr/local/share:/usr/share"
        self.run_program(passprobe, "record", *self.sample("vk"), XDG_DATA_DIRS=both)
        self.assertEqual(self.frames(), 20)
        self.assertEqual([name for name in os.listdir(self.cwd) if name.startswith("passprobe.data")],
                         ["passprobe.data"])

    def test_linking(self):
        """An application that uses the public header, found by pkg-config: without passprobe, and profiled."""
        env = {"PKG_CONFIG_PATH": os.path.join(self.prefix, LIBDIR, "pkgconfig")}
        flags = self.run_program("pkg-config", "--cflags", "--libs", "passprobe", **env).stdout.split()
        program = os.path.join(self.cwd, "program")
        self.run_program("cc", os.path.join(SOURCE, "tests/unit/annotate/header_alone.c"), "-o", program, *flags)
        self.run_program(program)

    def test_manual(self):
        if not shutil.which("man"):
            self.skipTest("man is not installed")
        for page in PAGES:
            path = os.path.join(self.prefix, f"share/man/man1/{page}.1")
            run = self.run_program("man", "--warnings", "-l", path, MANWIDTH="80", LC_ALL="C.UTF-8",
                                   MANROFFOPT="", MAN_KEEP_FORMATTING="")
            self.assertEqual(run.stderr, "")
            text = " ".join(re.sub(r".\x08", "", run.stdout).split())
            if page in ("passprobe-stat", "passprobe-record", "passprobe-doctor"):
                usage = self.run_program(os.path.join(self.prefix, "bin/passprobe"), page[10:], "--help").stdout
                for option in re.findall(r"--[a-z][a-z-]+", usage):
                    self.assertIn(option, text.replace("\u2010", "-"), page) if option != "--help" else None

    def test_variables_are_listed(self):
        """docs/env_vars.md has the variable of every option, or says that only the command line has it."""
        usage = self.run_program(os.path.join(self.prefix, "bin/passprobe"), "record", "--help").stdout
        with open(os.path.join(SOURCE, "docs/env_vars.md"), encoding="utf-8") as file:
            listed = file.read()
        only = set(re.findall(r"`--([a-z-]+)`", re.search(r"(?s)^Only the command line has .*?\n\n", listed, re.M)[0]))
        options = set(re.findall(r"^  +(?:-\w, )?--([a-z-]+)", usage, re.M)) - {"help"}
        for option in options - only:
            self.assertIn("PASSPROBE_" + option.upper().replace("-", "_") + "`", listed)
        self.assertEqual(only - options, set())
        for option in only:
            self.assertNotIn("PASSPROBE_" + option.upper().replace("-", "_") + "`", listed)

    def test_columns_are_defined(self):
        """docs/formats/session.md has every column and every member that a session has."""
        self.run_program(os.path.join(self.prefix, "bin/passprobe"), "record", "-l", "draw", *self.sample("vk"))
        with open(os.path.join(SOURCE, "docs/formats/session.md"), encoding="utf-8") as file:
            defined = file.read()
        for name in ("frames.csv", "passes.csv", "draws.csv", "labels.csv"):
            with open(os.path.join(self.cwd, "passprobe.data", name), encoding="utf-8") as file:
                for column in file.readline().strip().split(","):
                    called = column if column.startswith("id:") else column.split(":")[-1]
                    self.assertIn("`" + called + "`", defined)
        with open(os.path.join(self.cwd, "passprobe.data/session.json"), encoding="utf-8") as file:
            for member in json.load(file):
                self.assertRegex(defined, f"`{member}(\\[\\])?`")


if __name__ == "__main__":
    unit_main()
