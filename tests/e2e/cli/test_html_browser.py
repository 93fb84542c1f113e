"""The page of `report --html` in a real browser: nothing is printed, refused or asked for; without scripts the page has its
parts."""
import os

from browser import Browser
from command import ABOUT, CommandTest, MS, frames, passes
from harness import unit_main


class HtmlBrowser(CommandTest):
    """One browser for all tests."""

    @classmethod
    def setUpClass(cls):
        cls.browser = Browser()

    @classmethod
    def tearDownClass(cls):
        cls.browser.__exit__()

    def open_page(self, rows, ranked=(), about=None, **look):
        path = os.path.join(self.top, "out.html")
        run = self.run_command("report", "--html", path, self.session(rows, ranked, about=about or ABOUT))
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        self.browser.events.clear()
        self.browser.look(**look)
        self.browser.open(path)
        self.path = path
        return self.browser

    def assert_quiet(self):
        """Nothing was printed or refused, and only the page itself was read."""
        self.assertEqual(self.browser.complaints(), [])
        self.assertEqual(self.browser.requests(), ["file://" + self.path])

    @staticmethod
    def slow_rows():
        """200 frames of 10 ms after the first one; frame 60 takes 170 ms."""
        rows, ranked = frames(201), passes(201)
        for i, row in enumerate(rows):
            row["cpu_start_ns"] = 1_000_000_000 + i * 10 * MS
        for i, row in enumerate(ranked):
            row["gpu_start_ns"] = 1_000_000_000 + i * 5 * MS
        rows[60].update(frame_time_ns=170 * MS, gpu_busy_ns=169 * MS, gpu_time_ns=169 * MS)
        ranked[120].update(gpu_time_ns=163 * MS)
        return rows, ranked

    def test_without_scripts(self):
        browser = self.open_page(*self.slow_rows(), script=False)
        text = browser.call("DOM.getOuterHTML", nodeId=browser.call("DOM.getDocument")["root"]["nodeId"])["outerHTML"]
        self.assertIn("92.59 FPS", text)
        self.assertNotIn('class="script"', text)
        self.assertEqual(browser.requests(), ["file://" + self.path])

    def test_quiet(self):
        browser = self.open_page(*self.slow_rows())
        self.assertTrue(browser.run("document.documentElement.classList.contains('script')"))
        self.assert_quiet()


unit_main()
