"""A set-user-ID program, or one with file capabilities, that another user starts with passprobe's variables: it runs as
without passprobe. passprobe reads no variable, opens no file and writes nothing."""
import json
import os
import re
import shutil
import stat
import subprocess
import tempfile
import unittest

from harness import Skip, take_arguments, unit_main

BUILD, *PROGRAMS = take_arguments(3)
PROGRAMS = dict(zip(("vk", "gl"), PROGRAMS))
LAYERS = "/usr/share/vulkan/implicit_layer.d"
# A folder below /usr/lib that no test needs: a folder of the test is mounted over it, as if passprobe were installed
# there. Elsewhere the dynamic loader ignores $ORIGIN in privileged programs.
PLACES = ("/usr/lib/tmpfiles.d", "/usr/lib/sysusers.d", "/usr/lib/modprobe.d", "/usr/lib/mime", "/usr/lib/environment.d")
LAVAPIPE = "/usr/share/vulkan/icd.d/lvp_icd.x86_64.json"
NOBODY = 65534
CPUS = "/sys/devices/system/cpu/"  # malloc() reads there when threads contend
CALLS = "open,openat,openat2,mkdir,mkdirat,rename,renameat,renameat2,unlink,unlinkat,symlink,rmdir,creat,truncate,clone,clone3"


class Missing(Exception):
    """The reason why set-user-ID programs cannot be tested here."""


def skip(reason):
    raise Missing(reason)


def needs():
    if os.geteuid() != 0:
        skip("needs root, to make a set-user-ID program")
    for tool in ("unshare", "setpriv", "setcap", "strace"):
        if not shutil.which(tool):
            skip(tool + " is not installed")
    if subprocess.run(["strace", "-o", "/dev/null", "true"], stderr=subprocess.DEVNULL, check=False).returncode:
        skip("strace may not trace here")
    if not os.path.isdir(LAYERS) or not os.path.exists(LAVAPIPE):
        skip("no Vulkan driver or no folder of layers")
    if not any(map(os.path.isdir, PLACES)):
        skip("no folder below /usr/lib to mount over")
    if subprocess.run(["unshare", "-m", "mount", "--bind", "/tmp", LAYERS], capture_output=True, check=False).returncode:
        skip("no mount namespace of its own")
    if os.statvfs(tempfile.gettempdir()).f_flag & os.ST_NOSUID:
        skip("the temporary folder is mounted without set-user-ID programs")


class Replaced(unittest.TestCase):
    """Without root: getauxval() is replaced, so that the process looks like a set-user-ID process to passprobe alone.
    """

    def test_nothing_happens(self):
        secure = os.path.join(BUILD, "tests/libat_secure.so")
        with open(secure, "rb") as file:
            if b"libasan.so" in (data := file.read()) or b"libtsan.so" in data:
                self.skipTest("a sanitizer's library cannot be preloaded")
        top = tempfile.mkdtemp(prefix="passprobe-privileged-")
        self.addCleanup(shutil.rmtree, top)
        env = {key: value for key, value in os.environ.items() if not key.startswith(("PASSPROBE", "XDG_", "LD_", "VK_"))}
        env.update(HOME=top, LIBGL_ALWAYS_SOFTWARE="1", MESA_SHADER_CACHE_DISABLE="1", LD_PRELOAD=secure)
        evil = {"PASSPROBE": "1", "PASSPROBE_OUTPUT": os.path.join(top, "session"), "PASSPROBE_VERBOSE": "1"}
        for more in (evil, {**evil, "PASSPROBE_NO_SUCH": "1"}):
            runs = [subprocess.run([PROGRAMS["gl"]], env=env | variables, cwd=top, timeout=60, text=True, check=False,
                                   capture_output=True) for variables in ({}, more)]
            if runs[0].returncode == 77:
                self.skipTest(runs[0].stdout.splitlines()[-1])
            self.assertIn("privileged 1\n", runs[0].stdout)
            self.assertIn("profiled 0\n", runs[0].stdout)
            self.assertEqual((runs[0].returncode, runs[0].stdout, runs[0].stderr),
                             (runs[1].returncode, runs[1].stdout, runs[1].stderr))
            self.assertEqual(os.listdir(top), [])


class Privileged(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        try:
            needs()
        except Missing as why:
            raise Skip(str(why)) from why

    def setUp(self):
        self.top = tempfile.mkdtemp(prefix="passprobe-privileged-")
        os.chmod(self.top, 0o755)
        self.addCleanup(shutil.rmtree, self.top)
        self.place = next(filter(os.path.isdir, PLACES))
        self.installed = os.path.join(self.top, "installed")
        shutil.copytree(os.path.join(BUILD, "lib"), os.path.join(self.installed, "lib"))
        os.mkdir(os.path.join(self.installed, "tests"))
        self.layers = os.path.join(self.top, "layers")
        self.home = os.path.join(self.top, "home")
        os.makedirs(os.path.join(self.home, "passprobe"))
        os.mkdir(self.layers)
        self.secret = os.path.join(self.top, "secret")
        with open(self.secret, "w", encoding="utf-8") as file:
            file.write("only for root\n")
        os.chmod(self.secret, 0o600)
        # owned by root, so that a file in it was made with privileges
        self.forbidden = os.path.join(self.top, "forbidden")
        os.mkdir(self.forbidden, 0o700)
        with open(os.path.join(BUILD, "share/vulkan/implicit_layer.d/VkLayer_passprobe.json"), encoding="utf-8") as file:
            manifest = json.load(file)
        manifest["layer"]["library_path"] = os.path.join(self.place, "lib", "libVkLayer_passprobe.so")
        with open(os.path.join(self.layers, "VkLayer_passprobe.json"), "w", encoding="utf-8") as file:
            json.dump(manifest, file)
        for path in (self.layers, self.home):
            os.chmod(path, 0o755)
        os.chmod(os.path.join(self.layers, "VkLayer_passprobe.json"), 0o644)

    def program(self, api, how):
        path = os.path.join(self.installed, "tests", api)
        shutil.copy(PROGRAMS[api], path)
        os.chmod(path, 0o755)
        if how == "setuid":
            os.chmod(path, 0o4755)
        elif how == "capability":
            if subprocess.run(["setcap", "cap_dac_override+ep", path], stderr=subprocess.DEVNULL, check=False).returncode:
                self.skipTest("no file capabilities on this filesystem")
        return path

    def run_as_nobody(self, path, *before, **variables):
        env = {key: value for key, value in os.environ.items()
               if not key.startswith(("PASSPROBE", "XDG_", "LD_", "VK_", "MESA_"))}
        env.update(HOME=self.home, LIBGL_ALWAYS_SOFTWARE="1", MESA_SHADER_CACHE_DISABLE="1", EGL_LOG_LEVEL="fatal",
                   LP_NUM_THREADS="1",
                   ASAN_OPTIONS="detect_leaks=0:verify_asan_link_order=0", TSAN_OPTIONS="report_bugs=0", **variables)
        command = list(before) or ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"]
        mount = (f'mount --bind "{self.layers}" {LAYERS} && mount --bind "{self.installed}" {self.place} && '
                 f'cd "{self.top}" && exec "$@"')
        program = os.path.join(self.place, "tests", os.path.basename(path))
        run = subprocess.run(["unshare", "-m", "sh", "-c", mount, "sh", *command, program], env=env, timeout=240,
                             text=True, check=False, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        if run.returncode == 77:
            self.skipTest(run.stdout.splitlines()[-1])
        return run.returncode, run.stdout, run.stderr

    def all_files(self):
        return sorted(os.path.join(folder, name) for folder, names, files in os.walk(self.top) for name in names + files)

    def attack(self, api, how, **variables):
        """Run without and with the variables: nothing differs, and no new file exists."""
        path = self.program(api, how)
        self.assertNotEqual(os.stat(path).st_mode & stat.S_IXOTH, 0)
        before = self.all_files()
        bare = self.run_as_nobody(path)
        self.assertEqual(bare[0], 0, bare)
        self.assertIn("privileged 1\n", bare[1])
        self.assertIn("profiled 0\n", bare[1])
        self.assertEqual(bare, self.run_as_nobody(path, **variables))
        self.assertEqual(before, self.all_files())
        return path

    def evil(self, **more):
        return {"PASSPROBE": "1", "PASSPROBE_OUTPUT": os.path.join(self.forbidden, "session"), "PASSPROBE_LEVEL": "draw",
                "PASSPROBE_FRAME_ON": "submit", "PASSPROBE_VERBOSE": "1", **more}

    def test_session(self):
        for api in PROGRAMS:
            for how in ("setuid", "capability"):
                with self.subTest(api=api, how=how):
                    self.attack(api, how, **self.evil())

    def test_metrics_file(self):
        for api in PROGRAMS:
            with self.subTest(api=api):
                self.attack(api, "setuid", **self.evil(PASSPROBE_METRICS=self.secret))

    def test_configuration(self):
        os.symlink(self.secret, os.path.join(self.home, "passprobe", "passprobe.conf"))
        for api in PROGRAMS:
            with self.subTest(api=api):
                self.attack(api, "setuid", PASSPROBE="1", XDG_CONFIG_HOME=self.home)

    def test_bad_option(self):
        """A message of passprobe would show that it read a variable."""
        for api in PROGRAMS:
            with self.subTest(api=api):
                self.attack(api, "setuid", PASSPROBE="1", PASSPROBE_NO_SUCH="1", PASSPROBE_KEEP_DEEPBIND="1")

    def test_profiled_without_privileges(self):
        """The control: without privileges passprobe works in this set-up."""
        for api in PROGRAMS:
            with self.subTest(api=api):
                session = os.path.join(self.home, api)
                os.chmod(self.home, 0o777)
                status, out, err = self.run_as_nobody(
                    self.program(api, "plain"), PASSPROBE="1", PASSPROBE_OUTPUT=session, PASSPROBE_FRAME_ON="submit")
                self.assertEqual(status, 0, out + err)
                self.assertIn("privileged 0\n", out)
                self.assertTrue(os.path.exists(os.path.join(session, "frames.csv")), out + err)

    def traced(self, path, **variables):
        """Names of files that were opened or changed, and the number of threads and processes."""
        log = os.path.join(self.top, "calls")
        status, out, err = self.run_as_nobody(path, "strace", "-f", "-u", "nobody", "-o", log, "-e", "trace=" + CALLS,
                                              **variables)
        self.assertEqual(status, 0, out + err)
        self.assertIn("privileged 1\n", out)
        with open(log, encoding="utf-8") as file:
            text = file.read()
        os.remove(log)
        names = {name for line in text.splitlines() if "clone" not in line for name in re.findall(r'"([^"]*)"', line)}
        return names, len(re.findall(r"\bclone3?\(", text))

    def test_no_file_and_no_thread(self):
        os.symlink(self.secret, os.path.join(self.home, "passprobe", "passprobe.conf"))
        for api in PROGRAMS:
            with self.subTest(api=api):
                path = self.program(api, "setuid")
                names, threads = self.traced(path)
                more, more_threads = self.traced(path, XDG_CONFIG_HOME=self.home, **self.evil(PASSPROBE_METRICS=self.secret))
                own = {name for name in more - names if not name.startswith(("/proc/", CPUS))}
                # the Vulkan loader opens the layer itself
                self.assertLessEqual(own, {os.path.join(self.place, "lib", "libVkLayer_passprobe.so")})
                self.assertEqual(threads, more_threads)


if __name__ == "__main__":
    unit_main()
