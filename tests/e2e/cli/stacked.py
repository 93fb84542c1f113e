"""What tests of call stacks share: sessions of stacked.cpp, whose stacks are known, and sessions that a test makes up."""
import json
import os
import re
import shutil
import subprocess
import tempfile

from command import ABOUT, CommandTest, frames


HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE, LIBRARY = (os.path.join(HERE, name) for name in ("stacked.cpp", "stacked_library.c"))
QUIET = {**ABOUT, "devices": [], "host": {"name": os.uname().nodename}}
PASS_HEADER = "frame,pass,pass_id,level,kind,name,label,queue,draws,gpu_start_ns,gpu_time_ns,bound_by,stack"
DRAW_HEADER = "frame,pass,draw,draw_id,call,label,pipeline,stack,vertices,instances,groups,gpu_start_ns,gpu_time_ns,bound_by"
MODULES = "module,path,build_id,load_bias,start,end,loaded_ns,unloaded_ns,debuglink\r\n"
STACKS = "stack,truncated,frames\r\n"
# GPU time that stacked.cpp gives to the calls at its marks, by the line that issued the work.
SELF = {"method": 3000, "inlined": 16000, "lambda": 32000, "leaf": 64000, "coroutine": 128000, "library": 256000}
# and by further lines that asked for it
TOTAL = {"middle": 16000, "outer": 16000, "caller of the library": 256000, "main of the method": 3000}
DRAWN = sum(SELF.values())


def marks():
    """Line of each mark "at: NAME": {NAME: (file, line)}."""
    found = {}
    for path in (SOURCE, LIBRARY):
        with open(path, encoding="utf-8") as text:
            for number, line in enumerate(text, 1):
                match = re.search(r"/\* at: ([\w ]+) \*/", line)
                if match:
                    found[match.group(1)] = (os.path.basename(path), number)
    return found


class StackedTest(CommandTest):
    """A test of sessions with call stacks."""

    @classmethod
    def setUpClass(cls):
        cls.built = tempfile.mkdtemp(prefix="passprobe-built-")
        cls.addClassCleanup(shutil.rmtree, cls.built, ignore_errors=True)

    def build(self, *flags, compiler="g++", name="app"):
        """Build the application and its library with these flags, once for all tests. @return Paths of copies."""
        kept = os.path.join(self.built, "".join([compiler, *flags]).replace("/", ""))
        if not os.path.exists(kept + ".so"):
            plain = "gcc" if compiler == "g++" else "clang"
            for command in ([compiler, *flags, SOURCE, "-o", kept, "-ldl"],
                            [plain, *(flag for flag in flags if flag != "-no-pie"), "-fPIC", "-shared", LIBRARY, "-o", kept + ".so"]):
                subprocess.run(command, check=True, cwd=self.built, stdin=subprocess.DEVNULL)
        app = os.path.join(self.top, name)
        shutil.copy(kept, app)
        shutil.copy(kept + ".so", app + ".so")
        return app, app + ".so"

    def recorded(self, app, library, name="made", about=None):
        """A session that the application wrote. Its pass also has 5 us that no draw has."""
        path = self.session(frames(2, level="draw"), about=about or QUIET, name=name)
        subprocess.run([app, path, library], check=True, cwd=self.top, stdin=subprocess.DEVNULL)
        self.write_csv(path, "passes.csv", PASS_HEADER,
                       [{"frame": 1, "pass": 0, "pass_id": "aa", "kind": "render", "name": "window",
                         "gpu_time_ns": DRAWN + 5000}])
        return path

    def rows(self, session, *words, env=None):
        run = self.run_command("annotate", "--json", *words, session, env=env)
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        return json.loads(run.stdout)

    def lines(self, session, *words):
        """({(file, line): self_ns}, {(file, line): total_ns}) by line."""
        report = self.rows(session, "--by=line", *words)
        self.assertEqual(report["gpu_time_ns"], DRAWN + 5000)
        self.assertEqual(sum(row["self_ns"] for row in report["rows"]), DRAWN)
        known = [row for row in report["rows"] if row["line"]]
        return tuple({(os.path.basename(row["file"]), row["line"]): row[key] for row in known if row[key]}
                     for key in ("self_ns", "total_ns"))

    def assert_exact(self, session, *words):
        at = marks()
        own, total = self.lines(session, *words)
        for name, ns in SELF.items():
            self.assertEqual(own.get(at[name]), ns, name)
        self.assertEqual(len(own), len(SELF))
        for name, ns in TOTAL.items():
            self.assertEqual(total.get(at[name]), ns, name)

    def played(self, stacks, modules="", draws=(), passes=(), level="draw", about=None, **more):
        """A session whose stacks and modules are these rows."""
        path = self.session(frames(2, level=level), about=about or QUIET, **more)
        for name, text in (("stacks.csv", STACKS + stacks), ("modules.csv", MODULES + modules)):
            with open(os.path.join(path, name), "w", encoding="utf-8", newline="") as out:
                out.write(text)
        self.write_csv(path, "passes.csv", PASS_HEADER, passes)
        self.write_csv(path, "draws.csv", DRAW_HEADER, draws)
        return path

    @staticmethod
    def render(ns, **more):
        return {"frame": 1, "pass": 0, "pass_id": "aa", "kind": "render", "name": "window", "gpu_time_ns": ns, **more}

    @staticmethod
    def draw(place, stack, ns="", **more):
        return {"frame": 1, "pass": 0, "draw": place, "draw_id": f"d{place}", "call": "glDrawArrays", "stack": stack,
                "gpu_time_ns": ns, **more}
