"""`report --folded` and `report --flame`: GPU time by call stack."""
import json
import os
import re
import xml.etree.ElementTree

from browser import Browser
from command import DRAW_HEADER, PASS_HEADER, frames
from harness import unit_main
from stacked import DRAWN, QUIET, StackedTest


class Flame(StackedTest):
    def folded(self, *words):
        """{"a;b;c": nanoseconds} of `report --folded`."""
        run = self.run_command("report", "--folded", *words)
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        found = {}
        for line in run.stdout.splitlines():
            path, _, value = line.rpartition(" ")
            self.assertNotIn(path, found)
            found[path] = int(value)
        return found

    def test_folded(self):
        """The functions of the application, then label, pass and call; times add up."""
        session = self.recorded(*self.build("-g", "-O2"))
        found = self.folded(session)
        space = "(anonymous namespace)::"
        self.assertEqual(sum(found.values()), DRAWN + 5000)
        self.assertEqual(found["[no stack];window"], 5000)
        self.assertEqual(found[f"main;{space}outer;{space}draw_twice_inlined;{space}draw_inlined;window;glDrawArrays"], 16000)
        self.assertEqual(found[f"main;{space}in_library;library_draw;window;glDrawArrays"], 256000)
        plain = self.session(frames(3), [{"frame": i, "pass": 0, "pass_id": "aa", "kind": "render", "name": "a;b",
                                          "label": r"sc\/ene/<script>", "gpu_time_ns": 1000 * i} for i in range(3)], about=QUIET,
                             name="plain")
        self.assertEqual(self.folded(plain), {"sc/ene;<script>;a:b": 3000})
        self.assertEqual(self.folded("--frames=2", plain), {"sc/ene;<script>;a:b": 2000})

    def test_rows_in_any_order(self):
        """Passes and their draws are joined in whatever order the files have the frames, and a frame its rows. Draws that
        overlap share the pass's time."""
        passes = [{"frame": frame, "pass": i, "pass_id": f"a{i}", "level": "draw", "kind": "render", "name": f"pass {i}",
                   "draws": 2 * (i < 2), "gpu_time_ns": 1000 + 10 * frame} for frame in range(1, 5) for i in range(3)]
        draws = [{"frame": frame, "pass": i, "draw": 2 * i + k, "draw_id": "d", "call": f"call {k}", "gpu_time_ns": ns}
                 for frame in range(1, 5) for i in range(2) for k, ns in enumerate(((300, 400), (1500, 1500))[i])]
        draws.append({"frame": 4, "pass": 9, "draw": 9, "draw_id": "d", "call": "of no pass", "gpu_time_ns": 50})
        made = self.session(frames(5), passes, about=QUIET)
        self.write_csv(made, "draws.csv", DRAW_HEADER, draws)
        want = self.folded(made)
        self.assertEqual(want, {"pass 0;call 0": 1200, "pass 0;call 1": 1600, "pass 0": 1300, "pass 1;call 0": 2050,
                                "pass 1;call 1": 2050, "pass 2": 4100, "of no pass": 50})
        mixed = sorted(draws, key=lambda row: (row["frame"], row["call"]))  # of each frame, the draws of two passes in turn
        for i in range(3):
            self.write_csv(made, "draws.csv", DRAW_HEADER, (draws[::-1], draws[8:] + draws[:8], mixed)[i])
            self.assertEqual(self.folded(made), want)
        for i in range(2):
            self.write_csv(made, "passes.csv", PASS_HEADER, (passes[::-1], passes[6:] + passes[:6])[i])
            self.assertEqual(self.folded(made), want)

    def test_flame(self):
        session = self.recorded(*self.build("-g", "-O2"))
        picture = os.path.join(self.top, "out.svg")
        self.assertEqual(self.run_command("report", "--flame", picture, session).returncode, 0)
        root = xml.etree.ElementTree.parse(picture).getroot()
        space = "{http://www.w3.org/2000/svg}"
        boxes = {box.find(space + "title").text.split("\n")[0]: box for box in root.findall(space + "g")}
        self.assertAlmostEqual(float(boxes["library_draw"].get("data-w")), 256000 / (DRAWN + 5000), 5)
        self.assertEqual((boxes["GPU time"].get("data-x"), boxes["GPU time"].get("data-w")), ("0.000000", "1.000000"))
        self.assertEqual(boxes["library_draw"].get("class"), "f")
        root_y, library_y = (float(boxes[name].find(space + "rect").get("y")) for name in ("GPU time", "library_draw"))
        self.assertGreater(root_y, library_y)  # what is called is above
        for text in ("256.00 us a frame", "50.79 %"):
            self.assertIn(text, boxes["library_draw"].find(space + "title").text)
        os.truncate(picture, 0)  # an older file is replaced
        run = self.run_command("report", "--flame", picture, session)
        self.assertEqual((run.returncode, run.stdout), (0, ""))
        self.assertRegex(run.stderr, re.escape(picture) + r": [0-9.]+ KiB; open it in a browser\n")
        self.assertGreater(os.path.getsize(picture), 1000)
        hostile = self.session(frames(2), [{"frame": 1, "pass": 0, "pass_id": "aa", "kind": "render", "name": "</script>\x1b]]>&",
                                            "label": "<b onclick='x'>", "gpu_time_ns": 1000}], about=QUIET, name="hostile")
        for name in ("hostile.html", "hostile.svg"):
            self.assertEqual(self.run_command("report", "--flame", name, hostile).returncode, 0)
            with open(os.path.join(self.cwd, name), encoding="utf-8") as file:
                text = file.read()
            self.assertEqual((text.count("</script>"), text.count("<b"), text.count("\x1b")), (1, int("<body>" in text), 0))
            self.assertIn("&lt;b onclick='x'&gt;", text)
            self.assertEqual("Content-Security-Policy\" content=\"default-src 'none';" in text, name.endswith("html"))
        for words in (("--flame=out.png",), ("--flame=.svg",), ("--folded", "--json"), ("--folded", "--flame=a.svg"),
                      ("--flame=a.svg", "--pass=x")):
            run = self.run_command("report", *words, hostile)
            self.assertEqual((run.returncode, run.stdout), (125, ""))
            self.assert_one_line(run.stderr, "--")
        full = self.run_command("report", "--flame=/dev/full/x.svg", hostile)
        self.assert_one_line(full.stderr, "cannot write /dev/full/x.svg")
        run = self.run_command("report", "--folded", self.session(frames(2), about=QUIET, name="none"))
        self.assertEqual(run.returncode, 125)
        self.assert_one_line(run.stderr, "has no passes whose GPU time was measured")
    def test_in_a_browser(self):
        """A click shows a node in the whole width, one on the root shows all, the search marks nodes. No name is obeyed, nothing
        is printed or asked for."""
        hostile = "<img src=x onerror=alert(1)>\"'&]]>"
        session = self.recorded(*self.build("-g", "-O2"))
        passes = [{"frame": 1, "pass": i, "pass_id": f"a{i}", "kind": "render", "name": name, "label": "</script>", "gpu_time_ns": ns}
                  for i, (name, ns) in enumerate(((hostile, 3000), ("usual", 1000)))]
        named = self.session(frames(2), passes, about=QUIET, name="named")
        with Browser() as browser:
            def boxes():
                """{name: (x, width)} of the boxes that are seen, and the names that are marked."""
                found = browser.run("[...document.querySelectorAll('g[data-x]')].map((box) => ({name: box.querySelector('title').textContent"
                                    ".split('\\n')[0], x: +box.querySelector('rect').getAttribute('x'), wide: +box.querySelector('rect')"
                                    ".getAttribute('width'), seen: getComputedStyle(box).display !== 'none', found: "
                                    "getComputedStyle(box.querySelector('rect')).fill === 'rgb(229, 75, 109)'}))")
                return ({box["name"]: (round(box["x"], 1), round(box["wide"], 1)) for box in found if box["seen"]},
                        {box["name"] for box in found if box["found"]})

            def click(name):
                place = browser.run("(() => {for (const box of document.querySelectorAll('g[data-x]')) if (box.querySelector('title').textContent"
                                    f".startsWith({json.dumps(name)})) {{ const at = box.querySelector('rect').getBoundingClientRect();"
                                    "return [at.x + at.width / 2, at.y + at.height / 2]; }})()")
                browser.click(*place)

            for kind in ("svg", "html"):
                picture = os.path.join(self.top, "out." + kind)
                self.assertEqual(self.run_command("report", "--flame", picture, session).returncode, 0)
                browser.events.clear()
                browser.open(picture)
                whole, _ = boxes()
                self.assertEqual(whole["GPU time"], (0, 1200))
                self.assertAlmostEqual(whole["library_draw"][1], 1200 * 256000 / (DRAWN + 5000), 0)
                click("library_draw")
                shown, _ = boxes()
                self.assertEqual((shown["library_draw"], shown["main"]), ((0, 1200), (0, 1200)))
                self.assertNotIn("(anonymous namespace)::recursive", shown)
                click("GPU time")
                self.assertEqual(boxes()[0], whole)
                if kind == "html":
                    browser.run("(() => {const field = document.getElementById('search'); field.value = 'LIBRARY';"
                                "field.dispatchEvent(new Event('input'));})()")
                    self.assertEqual(boxes()[1], {"library_draw", "(anonymous namespace)::in_library"})
                named_picture = os.path.join(self.top, "named." + kind)
                self.assertEqual(self.run_command("report", "--flame", named_picture, named).returncode, 0)
                browser.open(named_picture)
                self.assertEqual(boxes()[0][hostile], (0, 900))
                self.assertEqual(browser.complaints(), [])
                self.assertEqual([url for url in browser.requests() if not url.startswith("data:")],
                                 ["file://" + path for path in (picture, named_picture)])


if __name__ == "__main__":
    unit_main()
