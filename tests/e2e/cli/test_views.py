"""Which rows `report` shows, and in which order: --pass, --sort, --percent-limit."""
import json

from command import ABOUT, CommandTest, MS, frames, passes
from harness import unit_main


class Views(CommandTest):
    def made(self):
        """100 frames: `shadow map` 3 ms, `scene: window` 6 ms, `post: bloom` 1 ms and 50 ms in frame 70, `ui: window` 20 us
        twice in each frame."""
        ranked = passes(101)
        for i in range(101):
            ranked.append({"frame": i, "pass": 2, "pass_id": "00cc", "kind": "render", "name": "bloom", "label": "post",
                           "gpu_time_ns": 50 * MS if i == 70 else MS})
            ranked += [{"frame": i, "pass": place, "pass_id": "00dd", "kind": "render", "name": "window", "label": "ui",
                        "gpu_time_ns": 20_000} for place in (3, 4)]
        return self.session(frames(101), ranked, about=ABOUT)

    def table(self, *words):
        """Titles in the long table, from top to bottom."""
        run = self.run_command("report", *words)
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        lines = run.stdout.split("#   Share")[1].split("\n")[2:]
        return [line[59:] for line in lines[:[*(line[:1] == "#" for line in lines), True].index(True)]]

    def names(self, made, *words):
        return [pass_["label"] + "/" + pass_["name"] for pass_ in
                json.loads(self.run_command("report", "--json", *words, made).stdout)["surfaces"][0]["passes"]]

    def test_sort(self):
        made = self.made()
        total = ["scene: window", "shadow map", "post: bloom", "ui: window"]
        for key, order in ((None, (0, 1, 2, 3)), ("total", (0, 1, 2, 3)), ("mean", (0, 1, 2, 3)), ("p95", (0, 1, 2, 3)),
                           ("max", (2, 0, 1, 3)), ("count", (3, 0, 1, 2))):
            with self.subTest(key=key):
                words = ("--sort", key) if key else ()
                self.assertEqual(self.table(*words, made), [total[k] for k in order])
        self.assertEqual(self.names(made, "--sort=max")[0], "post/bloom")
        run = self.run_command("report", "--sort=max", made)
        self.assertRegex(run.stdout, r"\n   passes .*\n   post: bloom .*\n   scene: window ") # the short table, too

    def test_pass(self):
        made = self.made()
        for pattern, found in (("SCENE", ["scene: window"]), ("window", ["scene: window", "ui: window"]), ("*map", ["shadow map"]),
                               ("post: b*", ["post: bloom"]), ("00aa", ["shadow map"]), ("s?e*", ["scene: window"])):
            with self.subTest(pattern=pattern):
                self.assertEqual(self.table("--pass", pattern, made), found)
        text = self.run_command("report", "--pass=shadow", made).stdout
        self.assertIn("   only the passes of   --pass shadow\n", text)
        self.assertIn(" 28.41%    2.999", text)  # shares are still of all passes: 3 of 10.56 ms
        self.assertEqual(self.names(made, "--pass", "shadow"), ["/shadow map"])
        run = self.run_command("report", "--pass", "shadwo", made)
        self.assertEqual((run.returncode, run.stdout), (125, ""))
        self.assert_one_line(run.stderr, "no pass is named 'shadwo'")

    def test_percent_limit(self):
        made = self.made()
        text = self.run_command("report", "--percent-limit", "20", made).stdout
        self.assertEqual(self.table("--percent-limit", "20", made), ["scene: window", "shadow map"])
        self.assertIn("   left out by --percent-limit: 2 passes with 14.8 % of the GPU time\n", text)
        self.assertIn("# left out by --percent-limit: 2 passes with 14.8 % of the GPU time\n", text)
        self.assertNotIn("bloom", text)
        self.assertEqual(self.names(made, "--percent-limit=20"), ["scene/window", "/shadow map"])
        self.assertEqual(len(self.table("--percent-limit", "0", made)), 4)
        self.assertIn("# left out by --percent-limit: 4 passes with 100.0 %",
                      self.run_command("report", "--percent-limit", "99.5", made).stdout)

    def test_mistakes(self):
        made = self.made()
        for words, part in ((("--sort", "p42"), "--sort: bad value 'p42'"), (("--sort", ""), "--sort: bad value ''"),
                            (("--percent-limit", "x"), "--percent-limit: bad value 'x'"), (("--percent-limit", ""), "bad value ''"),
                            (("--percent-limit", "-1"), "bad value '-1'"), (("--percent-limit", "1.2.3"), "bad value"),
                            (("--percent-limit", "101"), "bad value '101'"), (("--percent-limit", "nan"), "bad value 'nan'")):
            with self.subTest(words=words):
                run = self.run_command("report", *words, made)
                self.assertEqual((run.returncode, run.stdout), (125, ""))
                self.assert_one_line(run.stderr, part)


if __name__ == "__main__":
    unit_main()
