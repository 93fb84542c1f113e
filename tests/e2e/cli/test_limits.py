"""`passprobe diff --fail-above`: limits and exit statuses; the comparison as Markdown and as JUnit XML, with hostile
names; baselines that are files of summaries."""
import html
import json
import os
import re
import shutil
import subprocess
import xml.etree.ElementTree as xml

from command import ABOUT, CommandTest, MS, frames, passes
from harness import Skip, unit_main

XSD = os.path.join(os.path.dirname(os.path.abspath(__file__)), "junit.xsd")
STEADY = (0.998, 1.0, 1.002, 1.001, 0.999)
# Markup of Markdown, HTML and XML, a mention, a link, a picture, and what no terminal or XML may get.
HOSTILE = "a|b`c` <script>alert(1)</script> **x** [y](http://z) ![](p) @all #1 \\| ]]> &amp; \"q\" 'r' \x1b[2J \ufffe \ud7ff\n# h"


class Limits(CommandTest):
    def made(self, name, factor=1.0, shadow=1.0, title="shadow map", device=None):
        """A session whose times are this many times those of command.py; shadow: of its first pass besides."""
        rows, ranked = frames(61), passes(61)
        for i, row in enumerate(rows):
            wave = factor * (1 + 0.01 * (i % 5 - 2))
            for column in ("frame_time_ns", "cpu_busy_ns", "cpu_wait_ns", "gpu_time_ns", "gpu_busy_ns"):
                extra = 0 if column.startswith("cpu") else 3 * MS * (shadow - 1)
                row[column] = round((row[column] + extra) * wave)
            row["device"] = device or row["device"]
            for k, pass_row in enumerate(ranked[2 * i:2 * i + 2]):
                pass_row["gpu_time_ns"] = round(pass_row["gpu_time_ns"] * wave * (1 if k else shadow))
                pass_row.update(draws=4, width=64, height=64, name=pass_row["name"] if k else title)
        about = {**ABOUT, "options": {"level": "pass", "events": "time,pipeline"}}
        return self.session(rows, ranked, about=about, name=name)

    def runs(self, prefix, factors=STEADY, **more):
        return [self.made(f"{prefix}{i}", factor, **more) for i, factor in enumerate(factors)]

    def sides(self, factors=STEADY, **more):
        """Five runs of a side, and five of another one that differs by these factors."""
        return [*self.runs("old"), "--", *self.runs("new", factors, **more)]

    def check(self, sides, *limits, status=0, options=()):
        ran = self.run_command("diff", *options, *[word for limit in limits for word in ("--fail-above", limit)], *sides)
        self.assertEqual(ran.returncode, status, ran.stdout + ran.stderr)
        return ran

    def path(self, name):
        return os.path.join(self.cwd, name)

    def read(self, name):
        with open(self.path(name), encoding="utf-8") as file:
            return file.read()

    def test_sides_that_are_none(self):
        """A folder of sessions is no session; an option after "--" is none."""
        folder, made = self.path("builds"), self.runs("run")
        os.mkdir(folder)
        for path in made[:3]:
            os.rename(path, os.path.join(folder, os.path.basename(path)))
        ran = self.run_command("diff", folder + "/", "--", *made[3:])
        self.assertEqual(ran.returncode, 125, ran.stderr)
        self.assertIn(f"'{folder}' is a folder with 3 sessions: name them, such as {folder}/*\n", ran.stderr)
        os.mkdir(self.path("empty"))
        self.assertIn("is not a session directory", self.run_command("diff", self.path("empty"), made[3]).stderr)
        ran = self.run_command("diff", made[3], "--", made[4], "--html", self.path("d.html"))
        self.assertEqual(ran.returncode, 125, ran.stderr)
        self.assertIn("'--html' is after the sessions; options come before them: passprobe diff --html ... OLD", ran.stderr)
        self.assertFalse(os.path.exists(self.path("d.html")))

    def test_limits_decide_the_exit_status(self):
        sides = self.sides(shadow=1.2)
        ran = self.check(sides, "pass:shadow*:mean 10%", "frame-time:p50 3%", "pass:*window*:mean 3%", status=1)
        shown = ran.stdout[ran.stdout.index("\nlimits\n"):]
        self.assertRegex(shown, r"(?m)^  failed   pass:shadow\*:mean 10%\n +shadow map: 3\.00 ms -> 3\.60 ms, \+20\.0 %")
        self.assertRegex(shown, r"(?m)^  failed   frame-time:p50 3%\n +frame time p50: 10\.00 ms -> 10\.60 ms, \+6\.0 %")
        self.assertRegex(shown, r"(?m)^  passed   pass:\*window\*:mean 3%\n +scene: window: 6\.00 ms -> 6\.00 ms")
        self.assertEqual(ran.stderr, "")
        self.check(sides, "pass:shadow*:mean 25%", "frame-time:p50 7%")  # slower, but within these limits
        self.check(sides, "pass:shadow*:mean 0.7ms", "gpu-busy:p95 1ms")
        self.check(sides, "pass:*:mean 0.5ms", status=1)
        self.check(sides, "fps 3%", status=1)
        self.check(sides, "fps 10", "counter:*vertex* 0")
        self.check(sides, status=1)  # without limits, what is slower decides
        for options in (["--metric", "draws"], ["--stat", "max"]):  # what is shown changes no limit
            self.check(sides, "pass:shadow*:mean 10%", "frame-time:p50 30%", "fps 10", status=1, options=options)
            self.check(sides, "pass:shadow*:mean 25%", "frame-time:p50 30%", "fps 10", options=options)

    def test_a_limit_takes_the_statistic_of_its_row(self):
        """The table compares the median of a pass, so a limit without a statistic does, too: the mean of these runs is blunt."""
        def noisy(name, shadow, long):
            path = self.made(name, shadow=shadow)
            with open(os.path.join(path, "passes.csv"), encoding="utf-8") as file:
                lines = file.read().splitlines()
            at = lines[0].split(",").index("gpu_time_ns")
            for i in range(1, 1 + 2 * long, 2):
                cells = lines[i + 20].split(",")
                cells[at] = str(int(cells[at]) * 40)
                lines[i + 20] = ",".join(cells)
            with open(os.path.join(path, "passes.csv"), "w", encoding="utf-8") as file:
                file.write("\n".join(lines) + "\n")
            return path
        counts = (0, 3, 1, 5, 2)
        sides = [*[noisy(f"old{i}", 1.0, long) for i, long in enumerate(counts)], "--",
                 *[noisy(f"new{i}", 1.05, long) for i, long in enumerate(counts)]]
        self.check(sides, "pass:shadow* 3%", status=1)
        self.check(sides, "pass:shadow*:mean 3%")

    def test_passes_that_vanish(self):
        """A limit sees a pass that is gone, and the head names it, whether there is a limit or not."""
        olds = self.runs("old")
        news = []
        for i in range(5):
            path = self.made(f"new{i}")
            with open(os.path.join(path, "passes.csv"), encoding="utf-8") as file:
                lines = [line for line in file if "shadow map" not in line]
            with open(os.path.join(path, "passes.csv"), "w", encoding="utf-8") as file:
                file.write("".join(lines))
            news.append(path)
        ran = self.check([*olds, "--", *news], "passes 0", status=1)
        self.assertIn("gone: shadow map", ran.stdout)
        self.assertIn("gone: shadow map", self.check([*olds, "--", *news]).stdout)
        self.check([*olds, "--", *news], "passes 1")
        self.check([*olds, "--", *self.runs("same")], "passes 0")

    def test_too_blunt(self):
        """--fail-blunt fails runs that could not show the change, and names the row; text, Markdown and JUnit say so."""
        rough = (0.8, 1.0, 1.25, 0.9, 1.1)
        sides = [*self.runs("old", rough), "--", *self.runs("new", rough)]
        self.assertRegex(self.check(sides, "frame-time 3%").stdout, r"smallest visible change [3-9]\d\.\d %")
        ran = self.check(sides, "frame-time 3%", status=1,
                         options=["--fail-blunt", "5", "--junit", "out.xml", "--markdown", "out.md"])
        self.assertRegex(ran.stderr, r"--fail-blunt: frame-time:p5?0?: these runs show only changes of \d+\.\d %")
        self.assertIn("too blunt to decide", self.read("out.md"))
        self.assertEqual(self.junit()[0][:2], ("--fail-blunt", "failure"))
        self.check([*self.runs("a"), "--", *self.runs("b")], "frame-time 3%", options=["--fail-blunt", "5"])
        ran = self.check([self.made("c"), "--", self.made("d")], status=1, options=["--fail-blunt", "5%"])
        self.assertIn("fewer than three runs per side", ran.stderr)

    def test_not_compared(self):
        """A session that is missing is an error with its reason, in all outputs."""
        ran = self.check([self.made("a"), "--", "nothing"], status=125, options=["--junit", "out.xml", "--markdown", "out.md"])
        self.assertIn("not compared: 'nothing' is not a session directory", ran.stderr)
        self.assertEqual([case[1] for case in self.junit()], ["error"])
        self.assertIn("not compared", self.read("out.md"))
        self.assertIn("nothing", self.read("out.md"))

    def test_unknown_metric(self):
        """A metric that no side has is an error, too."""
        ran = self.check([self.made("a"), self.made("b")], status=125,
                         options=["--metric", "nothing", "--junit", "out.xml", "--markdown", "out.md"])
        self.assertIn("not compared: --metric: ", ran.stderr)
        self.assertEqual([case[1] for case in self.junit()], ["error"])
        self.assertIn("'nothing'", self.junit()[0][2])
        self.assertIn("`--metric: no frame", self.read("out.md"))

    def test_changes_are_in_the_unit_of_the_limit(self):
        sides = self.sides(shadow=1.2)
        change = r"3\.00 ms -> 3\.60 ms, \+0\.600 ms \(\+0\.59\d \.\. \+0\.60\d\); smallest visible change 0\.\d %"
        ran = self.check(sides, "pass:shadow*:mean 0.5ms", "fps 2", status=1, options=["--junit", "out.xml", "--markdown", "out.md"])
        self.assertRegex(ran.stdout, rf"(?m)^  failed   pass:shadow\*:mean 0\.5ms\n +shadow map: {change}$")
        self.assertRegex(ran.stdout, r"(?m)^  failed   fps 2\n +FPS: 100\.0 -> 94\.3, -5\.66 \(-5\.8\d \.\. -5\.4\d\); smallest .*$")
        self.assertRegex(self.junit()[0][2], f"^{change}$")
        self.assertRegex(self.read("out.md"), change)
        text = self.check(sides, "pass:shadow*:mean 100us", status=1).stdout
        self.assertRegex(text, r"shadow map: 3\.00 ms -> 3\.60 ms, \+600\.0 us ")

    def test_percentiles_of_few_frames(self):
        sides = self.sides()
        ran = self.check(sides, "frame-time:p99 3%", "pass:shadow*:p95 9%", status=2, options=["--junit", "out.xml"])
        why = "p99 needs runs of 100 frames; the longest run has 60 on the old side, 60 on the new one"
        self.assert_one_line(ran.stderr, f"--fail-above 'frame-time:p99 3%': {why}")
        self.assertEqual(self.junit()[0], ("frame-time:p99 3%", "error", why))
        ran = self.check(sides, "pass:none:p99 3%", "pass:none:p95 3%", status=2)
        self.assertEqual([line.count("needs runs of") for line in ran.stderr.splitlines()], [1, 0])

    def test_rows_above_a_limit_are_marked(self):
        """In each table, also if another statistic of the row is above its limit."""
        sides = self.sides(shadow=1.2)
        limits = ("pass:shadow*:p95 10%", "frame-time 30%")
        text = self.check(sides, *limits, status=1).stdout
        self.assertRegex(text, r"(?m)^ shadow map .* slower !$")
        self.assertRegex(text, r"(?m)^ frame time p50 .* slower$")
        self.assertIn("\n!: above a limit of --fail-above.", text)
        self.assertNotIn("!", self.check(sides, "frame-time 30%").stdout)
        rows = json.loads(self.check(sides, *limits, status=1, options=["--json"]).stdout)["surfaces"][0]["rows"]
        self.assertEqual({(row["name"], row["stat"]): row["limit"] for row in rows if row["limit"]},
                         {("shadow map", "p50"): "failed", ("frame_time", "p50"): "passed"})
        self.check(sides, *limits, status=1, options=["--html", "page.html"])
        self.assertRegex(self.read("page.html"), r"<td class=\"name\">shadow map</td>.*<td>slower</td><td>above limit</td>")

    def test_large_changes_are_factors(self):
        """Beyond 9,999 percent, a factor says more, and has no percent sign."""
        sides = [self.made("old"), self.made("new", 150)]
        text = self.check(sides, "frame-time 3%", status=1, options=["--markdown", "out.md", "--junit", "out.xml"]).stdout
        self.assertIn("frame time p50: 10.00 ms -> 1.50 s, x150 (", text)
        self.assertIn("| 1.50 s | x150 |", self.read("out.md"))
        self.assertIn(", x150 (", self.junit()[0][2])
        self.assertNotIn("x150 %", text + self.read("out.md") + self.read("out.xml"))

    def test_a_new_pass(self):
        """Without an old time, a pass is above every percentage."""
        old, new = self.made("old", shadow=0.001), self.made("new")
        lines = self.read(f"{old}/passes.csv").splitlines(True)
        with open(f"{old}/passes.csv", "w", encoding="utf-8", newline="") as file:
            file.writelines(line for line in lines if "shadow map" not in line)
        ran = self.check([old, new], "pass:*:mean 10%", status=1)
        self.assertRegex(ran.stdout, r"(?m)^  failed   pass:\*:mean 10%\n +shadow map: - -> 3\.00 ms")
        self.assertRegex(ran.stdout, r"(?m)^ shadow map .* new !$")
        self.check([old, new], "pass:*:mean 4ms")
        limit, = json.loads(self.check([old, new], "pass:shadow* 10%", status=1, options=["--json"]).stdout)["limits"]
        self.assertEqual([(row["state"], row["old"], row["worse"]) for row in limit["rows"]], [("failed", None, None)])

    def test_names_can_be_copied(self):
        """What diff shows of a row is what --fail-above takes: in --json whole, with --all in the table."""
        title = "tex[0] * a\\/b?: " + "long " * 20 + "end"
        old, new = self.made("old", title=title), self.made("new", 1.01, title=title)
        rows = json.loads(self.run_command("diff", "--json", old, new).stdout)["surfaces"][0]["rows"]
        figures = [row["figure"] for row in rows if row["figure"]]
        self.assertEqual({row["kind"] for row in rows if not row["figure"]}, {"rest"})
        self.assertIn(f"pass:{title}:p50", figures)
        limits = json.loads(self.check([old, new], *(figure + " 900%" for figure in figures), options=["--json"]).stdout)["limits"]
        for limit, row in zip(limits, (row for row in rows if row["figure"])):
            self.assertIn((row["kind"], row["name"], row["stat"]), [(one["kind"], one["name"], one["stat"]) for one in limit["rows"]])
        text = self.run_command("diff", "--all", old, new).stdout
        shown = title.replace("\\/", "/")
        self.assertIn(f"\n {shown} ", text)
        self.assertIn("\npasses, ms a frame   (--fail-above 'pass:NAME 10%')\n", text)
        self.check([old, new], f"pass:{shown} 900%")
        self.assertNotIn(shown, self.run_command("diff", old, new).stdout)

    def test_numbers_of_options(self):
        """Decimal numbers only, whatever strtod() would take."""
        old = self.made("old")
        for option in ("--threshold", "--equivalence", "--min-time"):
            for value in ("0x10", "nan", "inf", "1e1", "-1", "+1", "1.2.3", "1,5", "", "1" + 40 * "0"):
                ran = self.run_command("diff", f"{option}={value}", old, old)
                self.assertEqual(ran.returncode, 125, (option, value))
                self.assert_one_line(ran.stderr, f"{option}: bad value '{value}'")
        for words in (("--threshold=2.5%",), ("--equivalence", "1 %"), ("--min-time", "50 us"), ("--min-time=.5ms",)):
            self.assertEqual(self.run_command("diff", *words, old, old).returncode, 0, words)

    def test_huge_times(self):
        """A damaged summary with times of hundreds of digits makes no such number in JUnit's file."""
        text = self.run_command("report", "--json", self.made("old")).stdout
        for time in ("1e300", "1e90"):
            with open(self.path("huge.json"), "w", encoding="utf-8") as file:
                file.write(re.sub(r'"p50_ns": [\d.]+', f'"p50_ns": {time}', text))
            self.run_command("diff", "--junit", "out.xml", "huge.json", "huge.json")
            self.assertEqual({len(case.get("time")) for case in xml.parse(self.path("out.xml")).iter("testcase")} - {11}, set())

    def test_a_limit_above_which_chance_is_likely(self):
        sides = [*self.runs("old", (0.9, 1.0, 1.1)), "--", *self.runs("new", (0.95, 1.05, 1.15))]
        ran = self.check(sides, "frame-time:p50 3%")
        self.assertIn("  unclear  frame-time:p50 3%\n", ran.stdout)
        self.assert_one_line(ran.stderr, "--fail-above 'frame-time:p50 3%'", "chance", "--strict")
        self.check(sides, "frame-time:p50 3%", status=1, options=["--strict"])

    def test_nothing_to_judge(self):
        """A name that no row has must not pass for ever."""
        ran = self.check(self.sides(), "pass:shadwo:mean 3%", "frame-time:p50 3%", status=2)
        self.assertIn("  nothing  pass:shadwo:mean 3%\n", ran.stdout)
        self.assert_one_line(ran.stderr, "--fail-above 'pass:shadwo:mean 3%'")

    def test_mistakes(self):
        for limit, part in (("frame-tme 3%", "did you mean 'frame-time'?"), ("frame-time:p50", "column 15: the limit is missing"),
                            ("frame-time:p51 3%", "column 12: frame-time has no statistic 'p51'"), ("", "the limit is missing"),
                            ("fps 3ms", "a percentage or a number"), ("\x1b[2J 3%", "no figure is named")):
            ran = self.run_command("diff", "--fail-above", limit, "a", "b")
            self.assertEqual(ran.returncode, 125)
            self.assert_one_line(ran.stderr, "--fail-above: bad value", part)
            self.assertNotIn("\x1b", ran.stderr)

    def test_json(self):
        ran = self.check(self.sides(shadow=1.2), "pass:shadow*:mean 10%", "pass:none 1%", "frame-time:p50 1ms", status=1,
                        options=["--json"])
        limits = json.loads(ran.stdout)["limits"]
        self.assertEqual([(limit["limit"], limit["state"]) for limit in limits],
                         [("pass:shadow*:mean 10%", "failed"), ("pass:none 1%", "nothing"), ("frame-time:p50 1ms", "passed")])
        row, = limits[0]["rows"]
        self.assertEqual((row["kind"], row["name"], row["stat"], row["state"]), ("pass", "shadow map", "mean", "failed"))
        self.assertAlmostEqual(row["worse"], 0.2, 3)
        self.assertAlmostEqual(limits[2]["rows"][0]["worse"], 0.6 * MS, -4)

    def junit(self, name="out.xml"):
        """The test cases of a file, which is valid: (name, outcome, message)."""
        if not shutil.which("xmllint"):
            raise Skip("xmllint is not installed")
        lint = subprocess.run(["xmllint", "--noout", "--nonet", "--schema", XSD, self.path(name)], stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, check=False)
        self.assertEqual(lint.returncode, 0, lint.stdout)
        suite, = xml.parse(self.path(name)).getroot()
        cases = []
        for case in suite.iter("testcase"):
            child, = case
            cases.append((case.get("name"), child.tag, child.get("message") or child.text))
        found = {tag: sum(case[1] == tag for case in cases) for tag in ("failure", "error", "skipped")}
        self.assertEqual([int(suite.get(key)) for key in ("tests", "failures", "errors", "skipped")],
                         [len(cases), found["failure"], found["error"], found["skipped"]])
        return cases

    def test_junit(self):
        sides = self.sides(shadow=1.2)
        self.check(sides, "pass:*:mean 10%", "pass:none 1%", status=1, options=["--junit", "out.xml"])
        cases = self.junit()
        self.assertEqual([case[:2] for case in cases],
                         [("pass:*:mean 10%: shadow map", "failure"), ("pass:*:mean 10%: scene: window", "system-out"),
                          ("pass:none 1%", "error")])
        self.assertRegex(cases[0][2], r"^3\.00 ms -> 3\.60 ms, \+20\.0 % \(\+\d.* \.\. \+\d.*\); smallest visible change \d\.\d %$")
        self.check(sides, status=1, options=["--junit", "out.xml"])  # without limits: the rows that decide
        self.assertEqual({case[0]: case[1] for case in self.junit()},
                         {"frame time p50": "failure", "GPU time p50": "failure", "shadow map": "failure",
                          "scene: window": "system-out"})
        self.assertEqual([case.get("time") for case in xml.parse(self.path("out.xml")).iter("testcase")
                          if case.get("name") == "shadow map"], ["0.003598996"])
        noisy = [*self.runs("a", (0.9, 1.0, 1.1)), "--", *self.runs("b", (0.95, 1.05, 1.15))]
        self.check(noisy, "frame-time 1%", options=["--junit", "out.xml"])
        self.assertEqual([case[1] for case in self.junit()], ["skipped"])
        self.check(noisy, "frame-time 1%", status=1, options=["--junit", "out.xml", "--strict"])
        self.assertEqual([case[1] for case in self.junit()], ["failure"])

    def test_not_comparable(self):
        other = [self.made("old"), self.made("other", device="other")]
        self.check(other, "frame-time 3%", status=2, options=["--junit", "out.xml", "--markdown", "out.md"])
        cases = self.junit()
        self.assertEqual({case[:2] for case in cases}, {("the sides can be compared", "error")})
        self.assertIn("device", cases[0][2])
        self.assertIn("### passprobe: not comparable\n", self.read("out.md"))
        self.assertIn("device", self.read("out.md"))
        self.check(other, "frame-time 3%", options=["--force"])

    def test_markdown(self):
        sides = self.sides(shadow=1.2)
        self.check(sides, "pass:*:mean 10%", "frame-time:p50 30%", status=1, options=["--markdown", "out.md"])
        text = self.read("out.md")
        self.assertTrue(text.startswith("### passprobe: 1 of 2 limits failed\n"), text)
        self.assertRegex(text, r"(?m)^\| `pass:\*:mean 10%` \| \*\*failed\*\* \| `shadow map` \| 3\.00 ms -> 3\.60 ms, ")
        self.assertRegex(text, r"(?m)^\| `shadow map` \| 3\.00 ms \| 3\.60 ms \| \+20\.0 % \| \+\d.* \.\. \+\d.* \| \*\*slower, above limit\*\* \|")
        self.assertRegex(text, r"(?m)^\| frame time p50 \| 10\.00 ms \| 10\.60 ms \| \+6\.0 % \|")
        self.tables(text)
        ran = self.check(sides, status=1, options=["--markdown", "-"])  # instead of the text
        self.assertTrue(ran.stdout.startswith("### passprobe: slower\n"), ran.stdout)
        self.assertEqual(self.run_command("diff", "--markdown", "-", sides[0], sides[0]).stdout.splitlines()[0],
                         "### passprobe: nothing slower")

    def tables(self, text):
        """The rows of all tables: each has as many cells as the line below its head."""
        rows = []
        for table in re.findall(r"(?m)(?:^\|.*\n)+", text):
            lines = table.splitlines()
            cells = [re.split(r"(?<!\\)\|", line)[1:-1] for line in lines]
            self.assertEqual({len(row) for row in cells}, {len(cells[1])}, table)
            rows += cells
        return rows

    def test_hostile_names(self):
        """Names of passes and sessions stay names in XML and in Markdown."""
        sides = [self.made("old`|<b>", title=HOSTILE), self.made("new", 1.3, title=HOSTILE)]
        self.check(sides, "pass:a* 10%", status=1, options=["--junit", "out.xml", "--markdown", "out.md"])
        (name, outcome, _), = self.junit()
        self.assertEqual(outcome, "failure")
        self.assertIn("a|b`c` <script>alert(1)</script> **x**", name)
        self.assertNotIn("\x1b", name)
        text = self.read("out.md")
        cells = [cell.strip() for row in self.tables(text) for cell in row]
        shown = [html.unescape(re.sub(r"</?code>", "", cell)) for cell in cells if "script" in cell]
        self.assertEqual(len(shown), 2)
        for cell in shown:
            self.assertTrue(cell.startswith("a|b`c` <script>alert(1)</script> **x** [y](http://z) ![](p) @all"), cell)
        for part in ("<script", "<b>", "](", "**x", "@all", "\x1b", "\n# h"):
            self.assertNotIn(part, text)

    def test_files_that_cannot_be_written(self):
        old = self.made("old")
        for option in ("--junit", "--markdown"):
            ran = self.check([old, old], status=125, options=[option, "/nowhere/file"])
            self.assert_one_line(ran.stderr, "/nowhere/file", "No such file")
            ran = self.check([old, old], status=125, options=[option, "/dev/full"])
            self.assert_one_line(ran.stderr, "/dev/full", "No space left")
        ran = self.check([old, old], status=125, options=["--junit", "-", "--markdown", "-"])
        self.assert_one_line(ran.stderr, "only one of --json, --junit and --markdown")

    def test_outputs_replace_no_summary(self):
        """A baseline in the place of FILE is not overwritten, as a side or not, nor is the other form; an earlier
        output is."""
        old = self.made("old")
        text = self.run_command("report", "--json", old).stdout
        with open(self.path("baseline.json"), "w", encoding="utf-8") as file:
            file.write(text)
        shutil.copytree(self.path(old), self.path("copy"))
        self.run_command("archive", "-o", "old.pparchive", old)
        archived = os.path.getsize(self.path("old.pparchive"))
        for option in ("--junit", "--markdown"):
            for sides in ([old, "copy"], [old, "baseline.json"]):
                ran = self.check(sides, status=125, options=[option, "baseline.json"])
                self.assert_one_line(ran.stderr, "baseline.json", "a summary")
                self.assertEqual(self.read("baseline.json"), text)
            ran = self.check(["old.pparchive", old], status=125, options=[option, "old.pparchive"])
            self.assert_one_line(ran.stderr, "a side")
            for name in ("frames.csv", "new.md"):  # a session keeps its files, and has no others
                ran = self.check([old, old], status=125, options=[option, f"{old}/{name}"])
                self.assert_one_line(ran.stderr, "the folder is a session")
            self.assertEqual(sorted(os.listdir(old)), ["frames.csv", "passes.csv", "session.json"])
            self.assertEqual(os.path.getsize(self.path("old.pparchive")), archived)
            self.check([old, old], options=[option, "out"])
            self.check([old, old], options=[option, "out"])
        ran = self.check([old, old], status=125, options=["--junit", "both", "--markdown", "both"])
        self.assert_one_line(ran.stderr, "the other form")

    def test_baseline_of_several_runs(self):
        """A file may hold the summaries of several runs, one after the other: it is a side as its sessions are."""
        old, new = self.runs("old"), self.runs("new", shadow=1.2)
        summaries = [self.run_command("report", "--json", session).stdout for session in old]
        with open(self.path("baseline.json"), "w", encoding="utf-8") as file:
            file.write("\n".join(summaries))
        with open(self.path("list.json"), "w", encoding="utf-8") as file:
            json.dump([json.loads(text) for text in summaries], file)  # as jq -s writes it
        whole = self.check([*old, "--", *new], "pass:*:mean 10%", status=1, options=["--json"])
        text = self.check([*old, "--", *new], "pass:*:mean 10%", status=1).stdout
        for name in ("baseline.json", "list.json"):
            ran = self.check([name, "--", *new], "pass:*:mean 10%", status=1, options=["--json"])
            self.assert_close(json.loads(whole.stdout), json.loads(ran.stdout))
            shown = self.check([name, "--", *new], "pass:*:mean 10%", status=1).stdout
            self.assertEqual(shown.split("\n")[2:], text.split("\n")[2:])  # without the names of the sides
        self.assertLess(os.path.getsize(self.path("baseline.json")), 5 * 16384)
        lines = [self.run_command("report", "--baseline", session).stdout for session in old]
        self.assertEqual({line.count("\n") for line in lines}, {1})
        with open(self.path("short.json"), "w", encoding="utf-8") as file:
            file.write("".join(lines))
        ran = self.check(["short.json", "--", *new], "pass:*:mean 10%", status=1, options=["--json"])
        summaries = self.check(["baseline.json", "--", *new], "pass:*:mean 10%", status=1, options=["--json"])
        self.assertEqual(ran.stdout.replace("short.json", "baseline.json"), summaries.stdout)
        self.assertLess(os.path.getsize(self.path("short.json")), 5 * 3584)

    def assert_close(self, one, other, key=""):
        """Two JSON texts are equal, except for names of sessions and the last digits of numbers."""
        if isinstance(one, dict):
            self.assertEqual(one.keys(), other.keys())
            for name in one:
                self.assert_close(one[name], other[name], name)
        elif isinstance(one, list):
            self.assertEqual(len(one), len(other), key)
            for pair in zip(one, other):
                self.assert_close(*pair, key)
        elif isinstance(one, float):
            self.assertAlmostEqual(one, other, delta=1e-9 * abs(one) + 1e-9, msg=key)
        elif key != "session":
            self.assertEqual(one, other, key)

    def test_broken_baselines(self):
        new = self.made("new")
        good = self.run_command("report", "--json", new).stdout
        for text, part in ((good + "{", "JSON"), (good + "x", "JSON"), ("[]", "no frames"),
                           ("[[[]]]", "no summary"), (f"[{good},7]", "no summary"), ("[" * 3000, "JSON"), (good[:-9], "JSON")):
            with open(self.path("bad.json"), "w", encoding="utf-8") as file:
                file.write(text)
            ran = self.run_command("diff", "bad.json", new)
            self.assertEqual(ran.returncode, 125, text[-30:])
            self.assert_one_line(ran.stderr, "bad.json")


unit_main()
