"""Fork without exec in a program that draws: the child leaves no trace, the parent's frames are all there."""
import os
import subprocess
import sys
import tempfile
import unittest

PASSPROBE, PROGRAM = sys.argv[1:3]


class Fork(unittest.TestCase):
    def test_child_leaves_no_trace(self):
        env = {key: value for key, value in os.environ.items() if not key.startswith(("PASSPROBE", "LD_"))}
        env.update(LIBGL_ALWAYS_SOFTWARE="1", ASAN_OPTIONS="detect_leaks=0:verify_asan_link_order=0")
        for how, status in (("_exit", 3), ("exit", 3), ("abort", 106)):
            with self.subTest(how=how), tempfile.TemporaryDirectory() as cwd:
                bare = subprocess.run([PROGRAM, how], env=env, cwd=cwd, stdout=subprocess.PIPE, check=False)
                if bare.returncode == 77:
                    print(bare.stdout.decode())
                    sys.exit(77)
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
    sys.argv[1:] = sys.argv[3:]
    unittest.main(verbosity=1)
