"""`report --html` without a browser: the page is well-formed and closed, needs nothing else, holds the figures of the CSV
files, and keeps hostile names as text. test_html_browser.py opens it."""
import base64
import hashlib
import html.parser
import json
import os
import re
import signal

from command import ABOUT, DRAW_HEADER, CommandTest, MS, frames, passes
from harness import unit_main

HOSTILE = "</script><img src=x onerror=alert(1)>\"'&\x1b[31m\u202egnp\u2066\x9b\ufeff\b\u00e9"
SHOWN = re.sub("[\x1b\u202e\u2066\x9b\ufeff\b]", "?", HOSTILE)
VOID = {"meta", "link", "br", "img", "input", "hr"}
SECTIONS = ("verdict", "time", "slow", "passes", "labels", "counters", "missing", "machine", "definitions")


def without_texts(value):
    """What other programs read: the page's data without the texts that only the page has."""
    if isinstance(value, list):
        return [without_texts(one) for one in value]
    if not isinstance(value, dict):
        return value
    return {name: without_texts(one) for name, one in value.items()
            if name not in ("texts", "title", "table", "losses", "slow_frames_title") and not name.endswith("_text")}


class Page(html.parser.HTMLParser):
    """A page's elements; refuses one that is not closed."""

    def __init__(self, text):
        super().__init__()
        self.open, self.found, self.ids, self.rows, self.text = [], [], {}, [], text
        self.feed(text)
        self.close()
        assert not self.open, self.open

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, dict(attrs)))
        if "id" in dict(attrs):
            assert dict(attrs)["id"] not in self.ids, attrs
            self.ids[dict(attrs)["id"]] = tag
        if tag not in VOID:
            self.open.append(tag)
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th") and self.rows:
            self.rows[-1].append("")

    def handle_startendtag(self, tag, attrs):
        self.found.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open and self.open[-1] == tag, (tag, self.open[-3:], self.getpos())
        self.open.pop()

    def handle_data(self, data):
        if self.open and self.rows and ("td" in self.open or "th" in self.open):
            self.rows[-1][-1] += data

    def element(self, tag):
        return re.search(rf"<{tag}>(.*?)</{tag}>", self.text, re.S).group(1)

    def data(self):
        return json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', self.text, re.S).group(1))


class Html(CommandTest):
    def page(self, session, *words, name="out.html"):
        path = os.path.join(self.top, name)
        run = self.run_command("report", "--html", path, *words, session)
        self.assertEqual((run.returncode, run.stdout), (0, ""))
        self.assertRegex(run.stderr, re.escape(path) + r": [0-9.]+ [KM]iB; open it in a browser\n")
        with open(path, encoding="utf-8") as file:
            return Page(file.read())

    @staticmethod
    def slow_rows():
        """200 frames of 10 ms after the first one of 500 ms. Frame 60 takes 170 ms, because of the pass "shadow map"."""
        rows, ranked = frames(201), passes(201)
        for i, row in enumerate(rows):
            row["cpu_start_ns"] = 1_000_000_000 + i * 10 * MS
        rows[60].update(frame_time_ns=170 * MS, gpu_busy_ns=169 * MS, gpu_time_ns=169 * MS)
        ranked[120].update(gpu_time_ns=163 * MS)
        return rows, ranked

    def test_page_is_closed_and_permits_only_its_own_script(self):
        page = self.page(self.session(*self.slow_rows(), about=ABOUT))
        self.assertEqual([name for name in SECTIONS if page.ids.get(name) != "section"], [])
        policy = next(a["content"] for tag, a in page.found if tag == "meta" and a.get("http-equiv") == "Content-Security-Policy")
        self.assertTrue(policy.startswith("default-src 'none';"), policy)
        for tag in ("script", "style"):
            wanted = base64.b64encode(hashlib.sha256(page.element(tag).encode()).digest()).decode()
            self.assertIn(f"{tag}-src 'sha256-{wanted}'", policy)
        self.assertNotIn("unsafe", policy)
        for tag, attributes in page.found:  # nothing is fetched, no attribute is a script or a style
            self.assertNotIn(tag, ("img", "link", "iframe", "object", "embed"))
            self.assertEqual([n for n in attributes if n.startswith("on") or n in ("src", "style", "srcset")], [], tag)
            self.assertTrue(attributes.get("href", "#").startswith("#"), attributes)
        self.assertNotIn("sourceMappingURL", page.text)

    def test_figures_without_a_script(self):
        page = self.page(self.session(*self.slow_rows(), about=ABOUT))
        text = re.sub(r"<[^>]*>", "", page.text.split("</style>")[1].split("<script")[0])
        self.assertIn("Bound by gpu in 100.0 % of the frames. 92.59 FPS; frame time: p50 10.00 ms, p99 10.00 ms, max 170.00 ms "
                      "(frame 60).", text)
        self.assertIn("Without 1 first frame of 0.500 s: the application", text)
        self.assertIn(["60", "0.60", "170.0", "10.00"], [row[:4] for row in page.rows])
        self.assertIn("gpu: shadow map 163 ms, usually 3.00 ms", text)
        by_name = {row[0]: row[1:] for row in page.rows if row}
        self.assertEqual(by_name["scene: window"][:2], ["61.2", "5.999"])
        self.assertEqual(by_name["frame time"][:5], ["10.80", "10.00", "10.00", "10.00", "170.0"])

    def test_data_is_that_of_the_files(self):
        rows, ranked = self.slow_rows()
        rows[100].update(pipelines_created=3, pipeline_create_ns=4 * MS)
        rows[101]["frame_time_ns"] = ""
        data = self.page(self.session(rows, ranked, about=ABOUT)).data()
        of = data["frames"][0]
        self.assertEqual(of["frame"], list(range(1, 201)))
        self.assertEqual(of["frame_time_ns"], [row["frame_time_ns"] or None for row in rows[1:]])
        self.assertEqual(of["start_ns"], [i * 10 * MS for i in range(1, 201)])
        self.assertEqual(of["verdict"], "g" * 200)
        self.assertEqual(of["pipelines"], [[100, 3, 4 * MS]])
        self.assertEqual(len(of["details"]), 200)
        slow = next(frame for frame in of["details"] if frame["frame"] == 60)
        self.assertEqual(slow["why"], "slow")
        self.assertEqual([(data["passes"][p[0]]["name"], p[3], p[4]) for p in slow["passes"]],
                         [("shadow map", 163 * MS, 3 * MS), ("window", 6 * MS, 6 * MS)])
        whole = json.loads(self.run_command("report", "--json", os.path.join(self.top, "made")).stdout)
        self.assertEqual(without_texts(data["report"]), whole)

    def test_hostile_names_stay_text(self):
        rows, ranked = frames(20, surface=HOSTILE), passes(20)
        for row in ranked:
            row.update(name=HOSTILE, label=HOSTILE)
        about = {**ABOUT, "program": {"executable": "/x/" + HOSTILE, "command": [HOSTILE]}, "host": {"name": HOSTILE},
                 "marks": [{"at_ns": 5, "frame": 3, "label": HOSTILE}]}
        page = self.page(self.session(rows, ranked, about=about))
        self.assertEqual([tag for tag, _ in page.found].count("script"), 2)
        self.assertNotIn("img", [tag for tag, _ in page.found])
        self.assertEqual(set(page.text) & set("\x1b\u202e\u2066\x9b\ufeff\b"), set())
        data = page.data()
        self.assertEqual((data["marks"][0]["label"], data["passes"][0]["name"]), (SHOWN, SHOWN))

    def test_comparison(self):
        """`diff --html` has the rows of diff --json, with and without a script, and the frames of both sides."""
        sides = []
        for name, time in (("old", 10), ("new", 12)):
            rows, ranked = frames(41, frame_time_ns=time * MS, surface=HOSTILE), passes(41)
            for row in ranked:
                row.update(name=HOSTILE, gpu_time_ns=row["gpu_time_ns"] * time // 10)
            sides.append(self.session(rows, ranked, about=ABOUT, name=name))
        path = os.path.join(self.top, "diff.html")
        run = self.run_command("diff", "--html", path, *sides)
        wanted = self.run_command("diff", "--json", *sides)
        self.assertEqual(run.returncode, wanted.returncode)
        with open(path, encoding="utf-8") as file:
            page = Page(file.read())
        data = page.data()
        shown = wanted.stdout.replace(json.dumps(HOSTILE, ensure_ascii=False)[1:-1].replace("\\u001b", "\\u001B"),
                                      json.dumps(SHOWN, ensure_ascii=False)[1:-1])
        self.assertEqual(without_texts(data["diff"]), json.loads(shown))
        self.assertEqual([data[side]["frames"][0]["frame_time_ns"][0] for side in ("old", "new")], [10 * MS, 12 * MS])
        self.assertIn(["frame time p50", "frames", "10.00 ms", "12.00 ms", "+20.0"], [row[:5] for row in page.rows])
        self.assertIn("frame time p50: 10.00 ms before, 12.00 ms now, +20.0 %", page.text)
        self.assert_answers(page, data)
        self.assertEqual([row[0::5] for row in page.rows if row[0] in ("old", "new")], [["old", "40"], ["new", "40"]])
        self.assertEqual([tag for tag, _ in page.found].count("script"), 2)
        self.assertNotIn("img", [tag for tag, _ in page.found])

    def assert_answers(self, page, data):
        """The rows with a verdict are on top, each with a link to its row of all changes, and what limits say."""
        on_top = re.search(r'<section id="verdict".*?</section>', page.text, re.S).group(0)
        links = re.findall(r'<a href="#(row-[0-9]+-[0-9]+)">', on_top)
        wanted = [f"row-{p}-{i}" for verdict in ("slower", "faster") for p, part in enumerate(data["diff"]["surfaces"])
                  for i, row in enumerate(part["rows"]) if row["verdict"] == verdict]
        self.assertTrue(links)
        self.assertEqual(links, wanted)
        self.assertEqual([link for link in links if page.ids.get(link) != "tr"], [])

    def test_comparison_names_builds_and_limits(self):
        sides = [self.session(frames(41, frame_time_ns=time * MS), passes(41), about={**ABOUT, "tags": {"build": build}}, name=build)
                 for build, time in (("1<2", 10), ("1235", 12))]
        path = os.path.join(self.top, "diff.html")
        self.run_command("diff", "--html", path, "--fail-above", "frame-time:p50 10%", *sides)
        with open(path, encoding="utf-8") as file:
            page = Page(file.read())
        self.assertRegex(page.element("h1"), r"\(build 1&lt;2\) against .*\(build 1235\)$")
        self.assertIn("Limit frame-time:p50 10%: failed.", page.text)

    def test_comparison_of_summaries_and_what_is_refused(self):
        """A summary has no frames; then the page has only the tables. Nothing is written of what is not comparable."""
        session = self.session(*self.slow_rows(), about=ABOUT)
        other = self.session(frames(41, device="Radeon", level="draw"), passes(41), about=ABOUT, name="other")
        summary, path = os.path.join(self.top, "summary.json"), os.path.join(self.top, "diff.html")
        with open(summary, "w", encoding="utf-8") as file:
            file.write(self.run_command("report", "--json", session).stdout)
        self.assertEqual(self.run_command("diff", "--html", path, summary, other).returncode, 2)
        self.assertFalse(os.path.exists(path))
        self.assertEqual(self.run_command("diff", "--html=a.png", session, session).returncode, 125)
        self.assertEqual(self.run_command("diff", "--html", path, summary, session).returncode, 0)
        with open(path, encoding="utf-8") as file:
            data = Page(file.read()).data()
        self.assertEqual((data["old"], len(data["new"]["frames"])), (None, 1))
        self.assertEqual(self.run_command("diff", "--html", path, summary, session).returncode, 0)  # it replaces the older page

    def test_full_disk(self):
        """The message says what the system said; nothing of the page is left."""
        session = self.session(*self.slow_rows(), about=ABOUT)
        for size in (1, 40):
            run = self.run_command("-c", f'ulimit -f {size}; exec "$0" report --html out.html "$1"', self.install, session, binary="sh")
            self.assertEqual((run.returncode, os.listdir(self.cwd)), (125, []), run)
            self.assert_one_line(run.stderr, "cannot write out.html: File too large")

    def test_session_without_anything_to_show(self):
        for name, rows, about in (("empty", (), None), ("one", frames(1), ABOUT), ("level", frames(20, level="frame"), ABOUT)):
            session = self.session(rows, (), about=about, name=name)
            page = self.page(session, name=name + ".html")
            self.assertIn("No passes were measured", page.text)
        self.assertEqual(page.data()["frames"][0]["buckets"], 19)

    def test_window(self):
        data = self.page(self.session(*self.slow_rows(), about=ABOUT), "--frames", "50-70").data()
        self.assertEqual(data["frames"][0]["frame"], list(range(50, 71)))

    def test_large_sessions_lose_no_extreme(self):
        """45,000 frames are more than the page has points: 40 short and 40 long ones are points, wherever they are."""
        rows = frames(45_001)
        odd = {i * 1117 + 5: (1 + i if i % 2 else 30 + i) * MS for i in range(40)}
        for i, row in enumerate(rows):
            row["frame_time_ns"] = odd.get(i, 10 * MS + i % 1000)
        data = self.page(self.session(rows, about=ABOUT)).data()
        of = data["frames"][0]
        self.assertEqual((of["frames"], of["buckets"]), (45_000, 20_000))
        self.assertLess(len(of["frame"]), 43_000)
        points = dict(zip(of["frame"], of["frame_time_ns"]))
        self.assertEqual({frame: points.get(frame) for frame in odd}, odd)
        self.assertEqual({frame: time for frame, time in points.items() if time != rows[frame]["frame_time_ns"]}, {})
        self.assertEqual(sum(count for _, _, count in of["histogram"]), 45_000)
        self.assertEqual([(begin, end) for begin, end, count in of["histogram"][-1:] if not begin <= max(odd.values()) < end], [])
        counter = of["counters"][0]
        self.assertEqual((len(counter["mean"]), set(counter["mean"])), (300, {1200}))

    def test_draws_that_are_left_out_are_counted(self):
        rows, ranked = frames(3), passes(3)
        session = self.session(rows, ranked, about=ABOUT)
        self.write_csv(session, "draws.csv", DRAW_HEADER, [
            {"frame": i // 1200, "pass": 0, "draw": i % 1200, "draw_id": f"{i % 1200:04x}", "call": "glDrawArrays", "vertices": 3,
             "gpu_time_ns": 10_000 + i % 1200} for i in range(3600)])
        table = self.page(session).data()["draws"][0]
        self.assertEqual((len(table["rows"]), table["left_out"]), (1000, 200))
        self.assertAlmostEqual(sum(row["share_percent"] for row in table["rows"]) + table["left_out_percent"], 100, 6)

    def test_forged_draws_are_bounded(self):
        """A frame has far more draws than frames.csv says, each with a call of its own: the page leaves out the draws of
        single frames, and calls beyond 262,144 have one name in the trees."""
        rows, ranked = frames(3, draws=1), passes(3)
        session = self.session(rows, ranked, about=ABOUT)
        self.write_csv(session, "draws.csv", DRAW_HEADER, [
            {"frame": 1 + i // 150_000, "pass": 0, "draw": i, "draw_id": f"{i % 100:04x}", "call": f"call {i}",
             "gpu_time_ns": 0} for i in range(300_000)])
        page = self.page(session)
        self.assertLess(len(page.text), 2_000_000)
        data = page.data()
        self.assertEqual([frame["draws"] for frame in data["frames"][0]["details"]], [None] * len(data["frames"][0]["details"]))
        tree = next(tree for tree in data["trees"] if tree["by"] == "label")
        self.assertEqual(tree["ns"][tree["name"].index("shadow map")], 2 * data["report"]["surfaces"][0]["passes"][1]["mean_ns"])

    def test_passes_of_a_frame_stand_in_their_order(self):
        """In the order of passes.csv, also where the first frame had the passes in another order."""
        rows, ranked = frames(20), passes(20)
        ranked[0], ranked[1] = {**ranked[1], "pass": 0}, {**ranked[0], "pass": 1}
        data = self.page(self.session(rows, ranked, about=ABOUT)).data()
        names = {tuple(data["passes"][row[0]]["name"] for row in frame["passes"]) for frame in data["frames"][0]["details"]}
        self.assertEqual(names, {("shadow map", "window")})

    def test_counters_by_pass(self):
        rows, ranked = frames(20), passes(20)
        for row in ranked:
            row["pipeline:vertex_shader_invocations"] = 1000 if row["frame"] == 0 else 30 * (1 + row["pass"])
        of = self.page(self.session(rows, ranked, about=ABOUT)).data()["pass_counters"]
        self.assertEqual(of["names"], ["pipeline:vertex_shader_invocations"])
        self.assertEqual({row["name"]: row["mean"] for row in of["rows"]}, {"shadow map": [30], "window": [60]})

    def test_refused(self):
        made = self.session(*self.slow_rows(), about=ABOUT)
        path = os.path.join(self.top, "archive.html")
        with open(path, "wb") as file:
            file.write(b"\x28\xb5\x2f\xfd an archive")
        run = self.run_command("report", "--html", path, made)
        self.assertEqual(run.returncode, 125)
        self.assert_one_line(run.stderr, "cannot write", "it holds a session")
        link = os.path.join(self.top, "link.html")
        os.symlink("elsewhere", link)
        run = self.run_command("report", "--html", link, made)
        self.assertEqual((run.returncode, os.path.lexists(os.path.join(self.top, "elsewhere"))), (125, False))
        self.assert_one_line(run.stderr, "cannot write", "no regular file")
        for words in (("--html=out.png",), ("--html=.html",), ("--html=a.html", "--json"), ("--html=a.html", "--flame=b.svg"),
                      ("--html=a.html", "--frame=3"), ("--html=a.html", "--pass=x")):
            self.assertEqual(self.run_command("report", *words, made).returncode, 125, words)
        self.assertEqual(sorted(name for name in os.listdir(self.top) if name.endswith((".html", ".new"))),
                         ["archive.html", "link.html"])

    def test_replaces_an_older_page(self):
        """But only by a complete one."""
        made, path = self.session(*self.slow_rows(), about=ABOUT), os.path.join(self.top, "there.html")
        with open(path, "w", encoding="utf-8") as file:
            file.write("older")
        run = self.run_command("-c", 'ulimit -f 1; exec "$0" report --html "$2" "$1"', self.install, made, path, binary="sh")
        self.assertEqual(run.returncode, 125)
        with open(path, encoding="utf-8") as file:
            self.assertEqual(file.read(), "older")
        self.page(made, name="there.html")
        self.assertEqual([name for name in os.listdir(self.top) if name.endswith(".new")], [])

    def test_killed_while_it_writes(self):
        """Nothing stays: neither a part of a page, nor a file that keeps the next run from writing."""
        made = self.session(*self.slow_rows(), about=ABOUT)
        for _ in range(2): # there is no older page, then there is one
            before = sorted(os.listdir(self.cwd))
            run = self.run_command("report", "--html=killed.html", made, env={"LD_PRELOAD": os.environ["PP_KILL_AT_FSYNC"]})
            self.assertEqual((run.returncode, sorted(os.listdir(self.cwd))), (-signal.SIGKILL, before))
            self.assertEqual(self.run_command("report", "--html=killed.html", made).returncode, 0)


unit_main()
