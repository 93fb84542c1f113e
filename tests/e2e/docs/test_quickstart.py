"""./quickstart says that the build takes minutes and, on a terminal, how far it is. A script takes the place of CMake."""
import os
import pty
import shutil
import subprocess
import tempfile
import unittest

from harness import ROOT, environment, unit_main

CMAKE = r"""#!/bin/bash
case "$1 $2" in
"--build build/release")
    echo "[1/20] Building C object a.o"
    echo "ninja: a line without steps"
    echo "[20/20] Linking passprobe"
    [ -z "${FAIL:-}" ] || { echo "the error"; exit 7; }
    mkdir -p build/release/bin
    printf '#!/bin/bash\nmkdir -p "$3"; echo 1 | tee "$3/frames.csv" >"$3/passes.csv"\n' >build/release/bin/passprobe
    chmod +x build/release/bin/passprobe ;;
esac
"""


class Quickstart(unittest.TestCase):
    def setUp(self):
        self.top = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.top)
        shutil.copy(os.path.join(ROOT, "quickstart"), self.top)
        for path, text in (("tools/packages.sh", "pp_install() { :; }\n"), ("path/cmake", CMAKE)):
            os.makedirs(os.path.join(self.top, os.path.dirname(path)))
            with open(os.path.join(self.top, path), "w", encoding="utf-8") as file:
                file.write(text)
        os.chmod(os.path.join(self.top, "path/cmake"), 0o755)
        self.env = environment(PATH=os.path.join(self.top, "path") + ":" + os.environ["PATH"])

    def on_terminal(self, **more):
        """The exit status and what a terminal gets."""
        terminal, end = pty.openpty()
        with subprocess.Popen([os.path.join(self.top, "quickstart")], stdin=subprocess.DEVNULL, stdout=end, stderr=end,
                              env={**self.env, **more}) as run:
            os.close(end)
            text = b""
            try:
                while part := os.read(terminal, 4096):
                    text += part
            except OSError:  # the other end is closed
                pass
            os.close(terminal)
        return run.returncode, text.decode()

    def test_terminal(self):
        status, text = self.on_terminal()
        self.assertEqual(status, 0, text)
        self.assertTrue(text.startswith("building: takes minutes\r\n\rbuilding: 1 of 20\rbuilding: 20 of 20\r\033[K"), text)
        self.assertIn("The figures as CSV:", text)

    def test_no_terminal(self):
        run = subprocess.run([os.path.join(self.top, "quickstart")], env=self.env, capture_output=True, text=True, check=False)
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        self.assertEqual(run.stdout.splitlines()[0], "building: takes minutes")
        self.assertTrue(run.stdout.splitlines()[1].startswith("The figures as CSV:"), run.stdout)

    def test_failure(self):
        """A build that fails ends quickstart, with the build's last lines on lines of their own."""
        status, text = self.on_terminal(FAIL="1")
        self.assertEqual(status, 1)
        self.assertIn("\r\033[K[1/20] Building C object a.o", text)
        self.assertIn("the error\r\nquickstart: failed: ", text)


unit_main()
