"""The page of `report --html` in a real browser: nothing is printed, refused or asked for; figures are those of the CSV
files; mouse, keys, sorting, filters and both themes work; without scripts, and without dygraphs, the page has its parts."""
import base64
import hashlib
import json
import os
import re

from axe import Axe
from browser import Browser
from command import ABOUT, DRAW_HEADER, CommandTest, MS, frames, passes
from harness import unit_main

HOSTILE = "</script><img src=x onerror=alert(1)>\"'&"
FRAME_TITLE = "document.getElementById('frame').hidden ? '' : document.querySelector('.frame-title').textContent"


def cells(selector):
    """A script: the texts of the cells of a table's body, by rows."""
    return (f"[...document.querySelectorAll({json.dumps(selector)} + ' tbody tr')].map((row) => "
            "[...row.cells].map((cell) => cell.textContent))")


class HtmlBrowser(CommandTest):
    """One browser for all tests."""

    @classmethod
    def setUpClass(cls):
        cls.browser = Browser()

    @classmethod
    def tearDownClass(cls):
        cls.browser.__exit__()

    def make_page(self, rows, ranked=(), about=None, draws=(), name="made"):
        path = os.path.join(self.top, name + ".html")
        session = self.session(rows, ranked, about=about or ABOUT, name=name)
        if draws:
            self.make_draws(session, draws)
        run = self.run_command("report", "--html", path, session)
        self.assertEqual((run.returncode, run.stderr.splitlines()[1:]), (0, []))
        return path

    def open_page(self, rows, ranked=(), about=None, draws=(), **look):
        self.open_path(self.make_page(rows, ranked, about, draws), **look)
        return self.browser

    def open_path(self, path, **look):
        self.browser.events.clear()
        self.browser.look(**look)
        self.browser.open(path)
        self.path = path

    def assert_quiet(self):
        """Nothing was printed or refused, and only the page itself was read."""
        self.assertEqual([text[:200] for text in self.browser.complaints()], [])
        self.assertEqual(self.browser.requests(), ["file://" + self.path])

    def make_draws(self, session, rows):
        self.write_csv(session, "draws.csv", DRAW_HEADER, rows)

    @staticmethod
    def slow_rows():
        """200 frames of 10 ms after the first one; frame 60 takes 170 ms. The passes take 3 and 6 ms."""
        rows, ranked = frames(201), passes(201)
        at = 1_000_000_000
        for i, row in enumerate(rows):
            row.update(cpu_start_ns=at, pipelines_created=2 if i == 100 else 0, pipeline_create_ns=MS if i == 100 else 0)
            ranked[2 * i].update(gpu_start_ns=at + MS, queue="queue 1")
            ranked[2 * i + 1].update(gpu_start_ns=at + 4 * MS, queue="queue 1" if i % 2 else "queue 2")
            row["frame_time_ns"] = 170 * MS if i == 60 else 10 * MS + i * 1000
            at += row["frame_time_ns"]
        rows[60].update(gpu_busy_ns=169 * MS, gpu_time_ns=169 * MS)
        rows[70]["bound_by"] = "cpu"
        ranked[120].update(gpu_time_ns=163 * MS)
        return rows, ranked

    @classmethod
    def draw_rows(cls):
        """A draw at the begin of each pass."""
        return [{"frame": row["frame"], "pass": row["pass"], "draw": row["pass"], "draw_id": f"0{row['pass']}", "call": "glDrawArrays",
                 "pipeline": "sky program", "vertices": 30, "instances": 1, "gpu_start_ns": row["gpu_start_ns"], "gpu_time_ns": MS}
                for row in cls.slow_rows()[1]]

    def test_without_scripts(self):
        browser = self.open_page(*self.slow_rows(), script=False)
        text = browser.call("DOM.getOuterHTML", nodeId=browser.call("DOM.getDocument")["root"]["nodeId"])["outerHTML"]
        self.assertIn("max 170.00 ms (frame 60)", text)
        self.assertNotIn('class="script"', text)
        self.assertEqual(browser.requests(), ["file://" + self.path])

    def test_without_the_library(self):
        """A system without libjs-dygraphs builds a page without it: the picture that needs no script stays."""
        path = self.make_page(*self.slow_rows())
        with open(path, encoding="utf-8") as file:
            before, script = file.read().rsplit("<script>", 1)
        script = script.split("</script>")[0]
        ours = script[script.index("/* Figures as text"):]
        wanted = base64.b64encode(hashlib.sha256(ours.encode()).digest()).decode()
        with open(path, "w", encoding="utf-8") as file:
            file.write(re.sub(r"script-src '[^']*'", f"script-src 'sha256-{wanted}'", before) + f"<script>{ours}</script></body></html>")
        self.open_path(path)
        self.assert_quiet()
        self.assertFalse(self.browser.run("document.getElementById('strip-static').classList.contains('replaced')"))
        self.assertEqual(len(self.browser.run(cells("#passes .dynamic"))), 2)

    def test_quiet_in_both_themes(self):
        path = self.make_page(*self.slow_rows(), draws=self.draw_rows())
        seen = {}
        for theme in ("light", "dark"):
            self.open_path(path, theme=theme)
            seen[theme] = self.browser.run("[getComputedStyle(document.body).backgroundColor, colour('--gpu'), strip.graph.numRows()]")
            self.assert_quiet()
        self.assertEqual(seen, {"light": ["rgb(255, 255, 255)", "#d55e00", 200], "dark": ["rgb(18, 22, 28)", "#f08a4b", 200]})

    def test_plot_is_drawn(self):
        """The bar of frame 60 has the colour of its verdict, and the bar of another frame does not reach so high."""
        browser = self.open_page(*self.slow_rows())
        script = """((frame) => {
            const row = strip.of.frame.indexOf(frame), canvas = strip.box.querySelectorAll('canvas')[0];
            const x = strip.graph.toDomXCoord(strip.shown.rows[row][0]), y = strip.graph.toDomYCoord(100);
            return [...canvas.getContext('2d').getImageData(Math.round(x), Math.round(y), 1, 1).data];
        })"""
        self.assertEqual(browser.run(script + "(60)")[:3], [0xd5, 0x5e, 0x00])
        self.assertNotEqual(browser.run(script + "(100)")[:3], [0xd5, 0x5e, 0x00])

    def test_click_on_a_bar(self):
        browser = self.open_page(*self.slow_rows())
        x, y = browser.run("""(() => {
            strip.box.scrollIntoView({block: 'center'});
            const box = strip.box.getBoundingClientRect(), row = strip.of.frame.indexOf(60);
            return [box.x + strip.graph.toDomXCoord(strip.shown.rows[row][0]), box.y + strip.graph.toDomYCoord(80)];
        })()""")
        browser.click(x, y)
        browser.until(FRAME_TITLE + " === 'Frame 60'", 10)
        self.assertEqual([row[:4] for row in browser.run(cells("#frame"))],
                         [["shadow map", "163.000", "3.000", "160.000"], ["scene: window", "6.000", "6.000", "0.000"]])
        heads = browser.run("[...document.querySelectorAll('#frame th')].map((head) => head.textContent)")
        self.assertEqual(heads, ["pass", "this frame, ms", "usually, ms", "longer by, ms", "queue"])  # draws were not measured
        text = browser.run("document.querySelector('.frame-body').textContent")
        self.assertIn("170.00 ms, p50 10.10 ms", text)
        self.assertIn("gpu: shadow map 163 ms, usually 3.00 ms", text)
        browser.until("document.querySelectorAll('#frame [data-pass]').length === 2", 30)
        self.assertEqual(browser.run("[...document.querySelectorAll('#frame [data-pass] title')].map((title) => title.textContent)"),
                         ["shadow map\n163.00 ms, usually 3.00 ms", "scene: window\n6.00 ms, usually 6.00 ms"])
        self.assertEqual(browser.run("document.querySelectorAll('#frame .timeline > text').length > 2"), True)
        self.assert_quiet()

    def test_times_are_those_of_the_tables(self):
        """The axis has its unit; a slow frame has the same time in the plot as in its table."""
        browser = self.open_page(*self.slow_rows())
        labels = browser.run("[...document.querySelectorAll('#strip-plot .dygraph-axis-label-x')].map((label) => label.textContent)")
        self.assertTrue(labels and all(re.fullmatch(r"[0-9.]+ s", label) for label in labels), labels)
        browser.run("strip.move(59)")
        at = re.match(r"Frame 60 at ([0-9.]+) s", browser.run("strip.readOut.textContent")).group(1)
        self.assertEqual([f"{float(at):.2f}"], [row[1] for row in browser.run(cells("#slow")) if row[0] == "60"])
        browser.run("strip.choose(59)")
        buttons = browser.run("[...document.querySelectorAll('#frame .tools button')].map((button) => button.textContent)")
        self.assertEqual(buttons[:2], ["Previous frame with passes: 59", "Next frame with passes: 61"])

    def test_keys_of_the_plot(self):
        browser = self.open_page(*self.slow_rows())
        browser.run("strip.box.focus()")
        for _ in range(3):
            browser.key("ArrowRight")
        self.assertIn("Frame 4 at 0.040 s: 10.00 ms, CPU busy 2.00 ms, GPU busy 8.00 ms, bound by gpu", browser.run("strip.readOut.textContent"))
        browser.key("End")
        browser.key("Enter")
        self.assertEqual(browser.run(FRAME_TITLE), "Frame 200")
        browser.run("strip.move(99)")
        self.assertIn("2 pipelines created in 1.00 ms", browser.run("strip.readOut.textContent"))
        browser.run("strip.zoom(0.1); strip.box.focus()")
        self.assertEqual(browser.run("strip.graph.isZoomed()"), True)
        browser.key("Escape")
        self.assertEqual(browser.run("strip.graph.isZoomed()"), False)
        self.assert_quiet()

    def test_time_line_zooms_to_draws(self):
        browser = self.open_page(*self.slow_rows(), draws=self.draw_rows())
        browser.run("strip.choose(58)")
        browser.until("document.querySelectorAll('#frame [data-draw]').length === 2", 30)
        wide = "document.querySelector('#frame [data-draw] rect').getBoundingClientRect().width"
        before = browser.run(wide)
        browser.run("document.querySelector('#frame .timeline').focus()")
        browser.run("[...document.querySelectorAll('#frame .tools button')].find((b) => b.textContent === 'Zoom in').click()")
        self.assertGreater(browser.run(wide), 1.5 * before)
        browser.run("document.querySelector('#frame [data-pass=\"1\"]').dispatchEvent(new MouseEvent('click', {bubbles: true}))")
        self.assertEqual(browser.run("document.querySelector('#frame tr.chosen').cells[0].textContent"), "scene: window")

    def test_slow_frame_is_a_button(self):
        browser = self.open_page(*self.slow_rows())
        self.assertEqual(browser.run("[...document.querySelectorAll('#slow button')].map((b) => b.textContent)"), ["60"])
        browser.run("document.querySelector('#slow button').click()")
        self.assertEqual(browser.run(FRAME_TITLE), "Frame 60")
        self.assertTrue(browser.run("document.activeElement.className === 'frame-title'"))

    def test_table_sorts_and_filters(self):
        browser = self.open_page(*self.slow_rows())
        head = "document.querySelectorAll('#passes .dynamic th')"
        names = "[...document.querySelectorAll('#passes .dynamic tbody tr')].map((row) => row.cells[0].textContent)"
        self.assertEqual(browser.run(names), ["scene: window", "shadow map"])
        self.assertEqual(browser.run(head + "[1].getAttribute('aria-sort')"), "descending")
        browser.run(head + "[8].querySelector('button').click()")
        self.assertEqual(browser.run(names), ["shadow map", "scene: window"])
        self.assertEqual(browser.run("[" + head + "[1].ariaSort, " + head + "[8].ariaSort]"), ["none", "descending"])
        browser.run(head + "[8].querySelector('button').click()")
        self.assertEqual(browser.run(names), ["scene: window", "shadow map"])
        browser.run("(() => { const i = document.querySelector('#passes .dynamic input'); i.value = 'SHADOW'; i.dispatchEvent(new Event('input')); })()")
        self.assertEqual(browser.run(names), ["shadow map"])
        self.assertEqual(browser.run("document.querySelector('#passes .dynamic [role=status]').textContent"), "1 row of 2")

    def test_figures_of_the_tables(self):
        """The rows of frames and of the histogram add up to the CSV's."""
        rows, ranked = self.slow_rows()
        browser = self.open_page(rows, ranked)
        browser.run("document.querySelectorAll('#strip-more details').forEach((d) => { d.open = true; })")
        browser.until("document.querySelectorAll('#strip-more tbody tr').length > 20", 10)
        browser.run("[...document.querySelectorAll('#strip-more button')].find((b) => b.textContent === 'Show all 200 rows').click()")
        shown = {int(row[0]): row for row in browser.run(cells("#strip-more > details"))}
        wanted = {row["frame"]: f"{row['frame_time_ns'] / MS:.3f}" for row in rows[1:]}
        self.assertEqual([(frame, row[2]) for frame, row in sorted(shown.items())], sorted(wanted.items()))
        self.assertEqual(shown[70][5], "cpu")
        browser.run("document.querySelector('#histogram details').open = true")
        browser.until("document.querySelectorAll('#histogram tbody tr').length > 0", 10)
        bins = browser.run(cells("#histogram"))
        self.assertEqual(sum(int(row[2]) for row in bins), 200)
        self.assertEqual(int(bins[-1][2]), 1)
        self.assertEqual([(row[0], row[2]) for row in browser.run(cells("#strip-more > details")) if row[0] == "100"],
                         [("100", "10.100")])

    def test_flame_graph(self):
        browser = self.open_page(*self.slow_rows())
        names = "[...document.querySelectorAll('#tree [data-node] title')].map((title) => title.textContent.split(':')[0])"
        browser.until(names + ".length === 4", 30)  # boxes are drawn when the size is known
        self.assertEqual(browser.run(names), ["GPU time", "scene", "window", "shadow map"])
        browser.run("document.querySelector('#tree [data-node=\"1\"]').dispatchEvent(new MouseEvent('click'))")
        self.assertEqual(browser.run(names), ["GPU time", "scene", "window"])
        browser.key("Escape")
        self.assertEqual(len(browser.run(names)), 4)
        browser.run("(() => { const i = document.querySelector('#tree input'); i.value = 'map'; i.dispatchEvent(new Event('input')); })()")
        self.assertEqual(browser.run("document.querySelectorAll('#tree .found').length"), 1)
        self.assert_quiet()

    def test_hostile_names(self):
        rows, ranked = self.slow_rows()
        for row in rows:
            row["surface"] = HOSTILE
            row["app:" + HOSTILE.replace(",", "")] = 7
        for row in ranked:
            row.update(name=HOSTILE, label=HOSTILE.replace("/", ""), queue=HOSTILE)
        about = {**ABOUT, "program": {"executable": "/x/" + HOSTILE, "command": [HOSTILE]}, "host": {"name": HOSTILE},
                 "marks": [{"at_ns": 1_500_000_000, "frame": 3, "label": HOSTILE}]}
        browser = self.open_page(rows, ranked, about=about)
        browser.run("strip.choose(2); document.querySelectorAll('details').forEach((d) => { d.open = true; })")
        browser.until("document.querySelectorAll('#strip-more table').length > 1", 10)
        self.assertEqual(browser.run("[...document.querySelectorAll('body img')].filter((i) => !i.src.startsWith('data:')).length"), 0)
        self.assertIn(HOSTILE, browser.run("document.querySelector('.frame-body').textContent"))
        self.assertIn(HOSTILE, browser.run("document.querySelector('#counters .many').textContent"))
        self.assert_quiet()

    def test_comparison(self):
        """Both sides are next to each other, with the same scale; a click shows a frame of its side."""
        rows, ranked = self.slow_rows()
        old = self.session(rows, ranked, about=ABOUT, name="old")
        for row in rows:
            row["frame_time_ns"] += 5 * MS
        new, path = self.session(rows, ranked, about=ABOUT, name="new"), os.path.join(self.top, "diff.html")
        self.run_command("diff", "--html", path, old, new)
        for theme in ("light", "dark"):
            self.open_path(path, theme=theme)
            self.assert_quiet()
        browser = self.browser
        self.assertEqual(browser.run("strips.map((strip) => strip.graph.yAxisRange()[1])"), [183.75, 183.75])
        shown = {(row[0], row[1]): row[2:5] for row in browser.run(cells("#changes .dynamic"))}
        self.assertEqual(shown["frame time p50", "frames"], ["10.10 ms", "15.10 ms", "+49.5"])
        self.assertEqual(len(shown), len(browser.run("JSON.parse(document.getElementById('data').textContent).diff.surfaces[0].rows")))
        self.assertIn("frame time p50: 10.10 ms before, 15.10 ms now", browser.run("document.getElementById('verdict').textContent"))
        browser.run("document.querySelector('#verdict a[href^=\"#row-\"]').click()")
        self.assertEqual(browser.run("document.querySelector('#changes .dynamic tr.chosen').cells[0].textContent"),
                         browser.run("document.querySelector('#verdict a[href^=\"#row-\"]').textContent"))
        browser.run("strips[1].choose(59)")
        self.assertEqual(browser.run("[...document.querySelectorAll('#time section')].map((one) => one.hidden ? '' : one.textContent.slice(0, 8))"),
                         ["", "Frame 60"])
        browser.until("document.querySelectorAll('#tree [data-node]').length === 8", 30)
        self.assert_quiet()

    def test_accessibility(self):
        """axe-core finds nothing in both pages and both themes, with everything open."""
        axe = Axe(os.environ["PP_AXE"])
        rows, ranked = self.slow_rows()
        page, other = self.make_page(rows, ranked, draws=self.draw_rows()), os.path.join(self.top, "diff.html")
        new = self.session(*self.slow_rows(), about=ABOUT, name="new")
        self.run_command("diff", "--html", other, os.path.join(self.top, "made"), new)
        for path in (page, other):
            for theme in ("light", "dark"):
                self.open_path(path, theme=theme)
                self.browser.run("typeof strip === 'undefined' ? strips[0].choose(59) : strip.choose(59); "
                                 "document.querySelectorAll('details').forEach((d) => { d.open = true; })")
                self.browser.until("document.querySelectorAll('details[open] table').length > 0 || "
                                   "!document.querySelectorAll('details').length", 30)
                self.assertEqual(axe.check(self.browser), [], (path, theme))

    def test_passes_without_a_verdict(self):
        """A column without any text is not shown, with and without scripts."""
        heads = "[...document.querySelectorAll('#passes .PLACE th')].map((head) => head.textContent)"
        rows, ranked = self.slow_rows()
        for bound, wanted in (("", False), ("gpu", True)):
            for row in ranked:
                row["bound_by"] = bound
            path = self.make_page(rows, ranked, name=f"made-{bound}")
            for script, place in ((True, "dynamic"), (False, "static")):
                self.open_path(path, script=script)
                shown = self.browser.run(heads.replace("PLACE", place)) if script else self.heads(path)
                self.assertEqual("bound by" in shown, wanted, (bound, script))

    @staticmethod
    def heads(path):
        """Headings of the table of passes that needs no script."""
        with open(path, encoding="utf-8") as file:
            table = file.read().split('<section id="passes">')[1].split("</thead>")[0]
        return re.findall(r"<th[^>]*>([^<]*)</th>", table)

    def test_tables_fit(self):
        """Wide tables, with the line of the application after each pass: in a window of 1280 pixels and on paper."""
        rows, ranked = self.slow_rows()
        for row in ranked:
            row.update(bound_by="gpu", name=row["name"] + " with a long name of its render target 1920x1080 RGBA16F DEPTH24")
        path = self.make_page(rows, ranked, draws=self.draw_rows())
        with open(path, encoding="utf-8") as file:
            text = file.read()
        with open(path, "w", encoding="utf-8") as file:  # as with -g
            file.write(text.replace('"bound_by":"gpu","counters"', '"bound_by":"gpu","at":"Renderer::draw_shadows() renderer/shadow_maps.cpp:1234","counters"'))
        wide = ("[...document.querySelectorAll('.scroll')].filter((one) => one.offsetWidth && one.scrollWidth > one.clientWidth + 1)"
                ".map((one) => one.querySelector('caption').textContent)")
        self.open_path(path)
        self.assertIn("begun at", self.browser.run("document.querySelector('#passes .dynamic thead').textContent"))
        self.assertEqual(self.browser.run(wide), [])
        self.browser.size(1040, 720)  # A4 in landscape, without margins
        self.open_path(path, media="print")
        self.assertEqual(self.browser.run(wide), [])
        self.assertLessEqual(self.browser.run("document.documentElement.scrollWidth"), 1040)
        self.browser.size(1280, 800)

    def test_histogram_has_axes(self):
        """Round times below, numbers of frames to the left."""
        browser = self.open_page(*self.slow_rows())
        texts = browser.run("[...document.querySelectorAll('#histogram svg text')].map((text) => text.textContent)")
        for wanted in ("frames", "20 ms", "50 ms", "100 ms"):
            self.assertIn(wanted, texts)
        most = browser.run("Math.max(...JSON.parse(document.getElementById('data').textContent).frames[0].histogram.map((bin) => bin[2]))")
        self.assertIn(str(most), texts)
        boxes = browser.run("[...document.querySelectorAll('#histogram svg text')].map((text) => text.getBoundingClientRect())"
                            ".map((box) => [box.left, box.right, box.top, box.bottom])")
        for i, one in enumerate(boxes):  # no text is on another one
            for other in boxes[:i]:
                self.assertFalse(one[0] < other[1] and other[0] < one[1] and one[2] + 2 < other[3] and other[2] + 2 < one[3],
                                 (texts[i], one, other))

    def test_print_and_narrow_windows(self):
        path = self.make_page(*self.slow_rows())
        self.open_path(path, media="print")
        self.assertEqual(self.browser.run("[getComputedStyle(document.getElementById('strip-static')).display, "
                                          "getComputedStyle(document.querySelector('nav')).display, "
                                          "document.querySelector('#passes th button').offsetHeight > 5, "
                                          "document.querySelector('#slow td button').offsetHeight > 5]"), ["block", "none", True, True])
        self.browser.size(390, 800)
        self.open_path(path)
        self.assertEqual(self.browser.run("document.documentElement.scrollWidth"), 390)
        self.browser.size(1280, 800)

    def test_several_surfaces(self):
        rows = frames(402)
        for i, row in enumerate(rows):
            row.update(surface=f"window {1 + i % 2}", frame_time_ns=(20 if i % 2 else 10) * MS)
        browser = self.open_page(rows)
        self.assertEqual(browser.run("strip.surface.surface"), "window 1")
        browser.run("(() => { const s = document.querySelector('#surface-choice select'); s.value = '1'; s.dispatchEvent(new Event('change')); })()")
        self.assertEqual(browser.run("[strip.surface.surface, strip.of.frame_time_ns[0]]"), ["window 2", 20 * MS])
        self.assert_quiet()


unit_main()
