"""Fork without exec in an application that draws: the child leaves no trace, and the session has all frames of the
parent."""
import os
import subprocess
import tempfile
import unittest

from harness import Skip, take_arguments, environment, unit_main

PASSPROBE, PROGRAM = take_arguments(2)


class Fork(unittest.TestCase):
    def test_child_leaves_no_trace(self):
        env = environment("LD_", LIBGL_ALWAYS_SOFTWARE="1", ASAN_OPTIONS="detect_leaks=0:verify_asan_link_order=0")
        for how, status in (("_exit", 3), ("exit", 3), ("abort", 106)):
            with self.subTest(how=how), tempfile.TemporaryDirectory() as cwd:
                bare = subprocess.run([PROGRAM, how], env=env, cwd=cwd, stdout=subprocess.PIPE, check=False)
                if bare.returncode == 77:
                    raise Skip(bare.stdout.decode().strip())
                run = subprocess.run([PASSPROBE, "record", PROGRAM, how], env=env, cwd=cwd, check=False, timeout=60,
                                     stdout=subprocess.PIPE, stderr=subprocess.PIPE)
                self.assertEqual((run.returncode, bare.returncode), (status, status), run.stderr)
                self.assertEqual(run.stdout, bare.stdout)
                self.assertEqual(run.stderr.count(b"\n"), 1, run.stderr)
                self.assertEqual(os.listdir(cwd), ["passprobe.data"])
                with open(os.path.join(cwd, "passprobe.data/frames.csv"), encoding="utf-8") as file:
                    numbers = [line.split(",")[0] for line in file.readlines()[1:]]
                self.assertEqual(numbers, [str(i) for i in range(12)])


if __name__ == "__main__":
    unit_main()
