"""Which rows `report` shows, and in which order: --by, --pass, --sort, --percent-limit; groups of draws."""
import csv
import io
import json
import subprocess

from command import ABOUT, CommandTest, DRAW_HEADER, LABEL_HEADER, MS, frames, passes
from harness import unit_main


class Views(CommandTest):
    def made(self, name="made"):
        """100 frames: `shadow map` 3 ms, `scene: window` 6 ms, `post: bloom` 1 ms and 50 ms in frame 70, `ui: window` 20 us
        twice in each frame."""
        ranked = passes(101)
        for i in range(101):
            ranked.append({"frame": i, "pass": 2, "pass_id": "00cc", "kind": "render", "name": "bloom", "label": "post",
                           "gpu_time_ns": 50 * MS if i == 70 else MS})
            ranked += [{"frame": i, "pass": place, "pass_id": "00dd", "kind": "render", "name": "window", "label": "ui",
                        "gpu_time_ns": 20_000} for place in (3, 4)]
        return self.session(frames(101), ranked, about=ABOUT, name=name)

    def table(self, *words):
        """Titles in the long table, from top to bottom."""
        run = self.run_command("report", *words)
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        lines = run.stdout.split("# GPU %")[1].split("\n")[2:]
        return [line.split("  ")[-1].removesuffix(" (2.0 a frame)") for line in lines[:[*(line[:1] == "#" for line in lines), True].index(True)] if line]

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
        for words, columns in (((), "p50"), (("--sort=mean",), "mean p50"), (("-v",), "mean p50")):
            self.assertIn("# GPU % ms/frame " + columns, " ".join(self.report(*words, made).split()))
        for words in (("--sort=count",), ("-v",)):
            self.assertRegex(self.report(*words, made), r" 70 +200 +-  ui: window|  frame   count draws  pass\n")

    def test_pass(self):
        made = self.made()
        for pattern, found in (("SCENE", ["scene: window"]), ("window", ["scene: window", "ui: window"]), ("*map", ["shadow map"]),
                               ("post: b*", ["post: bloom"]), ("00aa", ["shadow map"]), ("s?e*", ["scene: window"])):
            with self.subTest(pattern=pattern):
                self.assertEqual(self.table("--pass", pattern, made), found)
        text = self.run_command("report", "--pass=shadow", made).stdout
        self.assertIn("   only the passes of   --pass shadow\n", text)
        self.assertIn("   28.5    2.999 2.999", text)  # shares are still of all passes: 300 of 1052 ms
        self.assertEqual(self.names(made, "--pass", "shadow"), ["/shadow map"])
        run = self.run_command("report", "--pass", "shadwo", made)
        self.assertEqual((run.returncode, run.stdout), (125, ""))
        self.assert_one_line(run.stderr, "no pass or label is named 'shadwo'")

    def test_percent_limit(self):
        made = self.made()
        text = self.run_command("report", "--percent-limit", "20", made).stdout
        self.assertEqual(self.table("--percent-limit", "20", made), ["scene: window", "shadow map"])
        self.assertIn("# left out by --percent-limit: 2 passes with 14.5 % of the GPU time\n", text)
        self.assertNotIn("bloom", text)
        self.assertEqual(self.names(made, "--percent-limit=20"), ["scene/window", "/shadow map"])
        self.assertEqual(len(self.table("--percent-limit", "0", made)), 4)
        self.assertIn("# left out by --percent-limit: 4 passes with 100.0 %",
                      self.run_command("report", "--percent-limit", "99.5", made).stdout)

    def with_draws(self, timed=True):
        """11 frames of 60 draws: 19 of `depth` in the shadow map, 20 us each; 40 of `lit` in the window, 10 us each, the one
        at place 45 500 us; a clear of 30 us."""
        rows, ranked = [], passes(11)
        for one in ranked:
            one["queue"] = "context 1" if one["pass"] == 0 else "context 2"
        for i in range(11):
            for place in range(60):
                shadow, clear = place < 19, place == 59
                rows.append({"frame": i, "pass": 0 if shadow else 1, "draw": place, "draw_id": f"d{place:02}",
                             "call": "glClear" if clear else "glDrawArrays" if shadow else "glDrawElements",
                             "pipeline": "" if clear else "depth" if shadow else "lit", "vertices": "" if clear else 36,
                             "instances": "" if clear else 1, "pipeline:vertex_shader_invocations": "" if clear else 36,
                             "gpu_time_ns": 1000 * (20 if shadow else 30 if clear else 500 if place == 45 else 10) + 1000
                             if timed else ""})
        made = self.session(frames(11, level="draw"), ranked, about=ABOUT)
        self.write_csv(made, "draws.csv", DRAW_HEADER, rows)
        self.write_csv(made, "labels.csv", LABEL_HEADER, [
            {"frame": i, "label": "scene", "depth": 1, "passes": 1, "draws": 41, "gpu_inclusive_ns": 6 * MS,
             "gpu_exclusive_ns": 6 * MS} for i in range(11)])
        return made

    def report(self, *words):
        run = self.run_command("report", *words)
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        return run.stdout

    def draws(self, *words):
        """Rows of the long table of draws, without repeated blanks."""
        lines = self.report("-v", *words).split("  draw\n#\n")[1].split("#")[0].split("\n")
        return [" ".join(line.split()) for line in lines if line]

    def test_draws_in_groups(self):
        """60 draws in 20 rows: each group has a row; the other rows show the most expensive draws, by place."""
        made = self.with_draws()
        rows = self.draws(made)
        self.assertEqual(len(rows), 20)
        self.assertEqual(rows[0], "68.5 890.0 22.2 10.0 400 36 - lit, 40 draws in scene: window")
        self.assertEqual(rows[1], "38.5 500.0 500.0 500.0 10 36 d45 45 glDrawElements lit in scene: window")
        self.assertEqual(rows[2], "29.2 380.0 20.0 20.0 190 36 - depth, 19 draws in shadow map")
        self.assertEqual([row.split()[6] for row in rows[3:19]], [f"d{place:02}" for place in range(16)])
        self.assertEqual(rows[19], "2.3 30.0 30.0 30.0 10 - d59 59 glClear in scene: window")
        text = self.report(made)
        self.assertIn("# Draws of one shader program or pipeline share a row", text)
        self.assertNotIn("more draws", text)
        self.assertIn("lit, 40 draws in scene: window\n", self.stat_of(made).stderr)
        self.assertEqual(len(self.draws("-E0", made)), 60)
        self.assertNotIn("share a row", self.report("-E0", made))
        self.assertIn("# and 20 more draws: --entries 0\n", self.report("-E1", made))  # those of depth, and the clear

    def test_draws_without_time_in_groups(self):
        text = self.report(self.with_draws(timed=False))
        self.assertRegex(text, r"\n +67\.8 +1,440 +36  lit, 40 draws in scene: window\n")
        self.assertRegex(text, r"\n +0\.0 +0 +-  59 glClear in scene: window\n")

    def test_by(self):
        made = self.with_draws()
        self.assertEqual([row.split(" ", 7)[7] for row in self.draws("--by=program", made)],
                         ["lit, 40 draws in scene: window", "depth, 19 draws in shadow map", "59 glClear in scene: window"])
        self.assertEqual([row.split(" ", 7)[7] for row in self.draws("--by=call", made)],
                         ["glDrawElements, 40 draws in scene: window", "glDrawArrays, 19 draws in shadow map",
                          "59 glClear in scene: window"])
        self.assertEqual(len(self.draws("--by=draw", "-E0", made)), 60)
        self.assertEqual(self.table("--by=pass", made), ["scene: window", "shadow map"])
        self.assertEqual(self.table("--by=queue", made), ["context 2, 1 pass", "context 1, 1 pass"])
        self.assertIn("# Labels: ", self.report("--by=label", made))
        for by, there in (("program", "# Draws"), ("pass", "  pass\n"), ("queue", "  pass\n"), ("label", "# Labels")):
            with self.subTest(by=by):
                text = self.report("--by", by, made)
                for table in ("# Draws", "  pass\n", "# Labels", "# Per frame"):
                    (self.assertIn if table == there else self.assertNotIn)(table, text)
        self.assertIn("# No draws: they are recorded at level draw only.\n", self.report("--by=call", self.made("passes")))

    def with_labels(self):
        """100 frames with passes as in made(); region `scene` 6 ms, inside of it `scene/sky` 1 ms; `post` 1 ms and 50 ms in
        frame 70; `ui` 0.04 ms in every second frame."""
        made = self.made("labels")
        rows = []
        for i in range(101):
            for label, whole, own in (("scene", 6 * MS, 5 * MS), ("scene/sky", MS, MS), ("post", 50 * MS if i == 70 else MS, MS),
                                      ("ui", 40_000, 40_000)):
                if label != "ui" or i % 2:
                    rows.append({"frame": i, "label": label, "depth": 1, "passes": 1, "draws": 2, "gpu_inclusive_ns": whole,
                                 "gpu_exclusive_ns": own})
        self.write_csv(made, "labels.csv", LABEL_HEADER, rows)
        return made

    def labels(self, *words):
        """Rows of the table of labels, without repeated blanks."""
        table = self.report("--by=label", *words).split("  label\n#\n")[1].split("#")[0]
        return [" ".join(line.split()) for line in table.splitlines()]

    def test_labels_are_chosen_and_ranked(self):
        made = self.with_labels()
        self.assertEqual(self.labels(made), ["57.0 5.999 5.000 5.999 5.999 5.999 1 scene", "14.1 1.489 0.999 0.999 1.489 50.00 70 post",
                                             "9.5 0.999 0.999 0.999 0.999 0.999 1 scene/sky",
                                             "0.2 0.019 0.019 0.039 0.039 0.039 1 ui"])
        for key, order in (("total", "scene post scene/sky ui"), ("mean", "scene post scene/sky ui"),
                           ("max", "post scene scene/sky ui"), ("count", "scene post scene/sky ui")):
            with self.subTest(key=key):
                self.assertEqual([row.split()[-1] for row in self.labels("--sort", key, made)], order.split())
        self.assertEqual(self.labels("--sort=mean", "--pass=ui", made), ["0.2 19.5 19.5 39.0 39.0 39.0 39.0 1 ui"])
        self.assertEqual(self.labels("--sort=count", "--pass=ui", made), ["0.2 19.5 19.5 39.0 39.0 39.0 1 50 ui"])
        self.assertEqual([row.split()[-1] for row in self.labels("--percent-limit=10", made)], ["scene", "post"])
        self.assertIn("# left out by --percent-limit: 2 labels\n", self.report("--by=label", "--percent-limit=10", made))
        self.assertEqual([row.split()[-1] for row in self.labels("--pass=scene/*", made)], ["scene/sky"])
        self.assertIn("# No pass has a name like --pass scene/*.\n", self.report("--pass=scene/*", made))
        self.assertEqual([row.split()[-1] for row in self.labels("--pass=bloom", made)], ["post"], "the region of that pass")
        self.assertIn("# No label has a name like --pass shadow, or a pass with such a name.\n",
                      self.report("--by=label", "--pass=shadow", made))
        self.assertIn("# and 3 more labels: --entries 0\n", self.report("--by=label", "-E1", made))
        names = [row["label"] for row in json.loads(self.report("--json", "--sort=max", "--percent-limit=10", made))["labels"]]
        self.assertEqual(names, ["post", "scene"])
        row, = self.csv("--by=label", "--pass=post", made)
        self.assertEqual((row["label"], row["count"], row["max_ns"], row["max_frame"]), ("post", "100", "49999000", "70"))

    def test_a_queue_has_the_times_of_its_passes(self):
        rows = passes(11)
        for one in rows:
            one["queue"] = "queue 7"
        text = self.report("--by=queue", self.session(frames(11), rows, about=ABOUT))
        self.assertRegex(text, r"\n +100\.0 +8\.998 +4\.499 +5\.999 +5\.999 +5\.999 +1 +-  queue 7, 2 passes\n")

    def test_draws_are_chosen_and_ranked(self):
        made = self.with_draws()
        self.assertEqual(self.draws("--sort=max", "-E0", made)[0].split()[5:7], ["36", "d45"])
        self.assertIn("# GPU %   us/frame    max vertices  draw\n", self.report("--sort=max", made))
        self.assertEqual(self.draws("--sort=count", made)[0].split()[4], "400")
        self.assertEqual(len(self.draws("--pass=shadow", "-E0", made)), 19)
        text = self.report("--percent-limit=20", made)
        self.assertIn("# left out by --percent-limit: 1 draw with 2.3 % of this table\n", text)
        self.assertEqual(len(self.draws("--percent-limit=20", made)), 3)

    def csv(self, *words):
        run = subprocess.run([self.install, "report", "--csv", *words], env=self.env, cwd=self.cwd, stdin=subprocess.DEVNULL,
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=True, timeout=60)
        self.assertEqual((run.stderr, run.stdout.count(b"\n")), (b"", run.stdout.count(b"\r\n")))
        return list(csv.DictReader(io.StringIO(run.stdout.decode(), newline="")))

    def test_csv(self):
        made = self.with_draws()
        first, second = self.csv(made)
        self.assertEqual((first["pass_id"], first["label"], first["name"], first["queue"], first["surface"], first["count"]),
                         ("00bb", "scene", "window", "context 2", "window 1", "10"))
        self.assertEqual((float(first["mean_ns"]), float(first["max_ns"]), first["width"]), (6 * MS - 1000, 6 * MS - 1000, ""))
        self.assertEqual(second["name"], "shadow map")
        self.assertEqual([row["pass_id"] for row in self.csv("--sort=max", "--percent-limit=50", made)], ["00bb"])
        self.assertEqual([(row["queue"], row["passes"], row["pass_id"]) for row in self.csv("--by=queue", made)],
                         [("context 2", "1", ""), ("context 1", "1", "")])
        lit, depth, clear = self.csv("--by=program", made)
        self.assertEqual((lit["pipeline"], lit["draws"], lit["count"], lit["mean_ns"], lit["pass_id"], lit["draw_id"]),
                         ("lit", "40", "400", "22250", "00bb", ""))
        self.assertEqual((clear["pipeline"], clear["call"], clear["draw_id"], clear["vertices"]), ("", "glClear", "d59", ""))
        self.assertEqual(len(self.csv("--by=draw", made)), 60)
        self.assertEqual([(row["label"], row["count"]) for row in self.csv("--by=label", made)], [("scene", "10")])
        hostile = self.session(frames(3), [{"frame": i, "pass": 0, "pass_id": "x", "name": 'a,"b"\n\x1b', "gpu_time_ns": MS}
                                           for i in range(3)], name="hostile")
        self.assertEqual([row["name"] for row in self.csv(hostile)], ['a,"b"??'])

    def test_no_option_is_ignored(self):
        """Of two options of which one would have no effect, the message names both."""
        made = self.made()
        for words in (("--json", "--csv"), ("--json", "--by=call"), ("--entries=3", "--json"), ("--csv", "-E0"),
                      ("--frame=7", "--worst=3"), ("--frame=7", "--csv"), ("--frame=7", "--frames=1-9"), ("--frame=7", "--time=0-9"),
                      ("--frame=7", "--between=a,b"), ("--frame=7", "--by=draw"), ("--sort=max", "--frame=7"),
                      ("--frame=7", "--pass=x"), ("--frame=7", "--percent-limit=1"), ("--frame=7", "-E3"), ("--worst=3", "--json"),
                      ("--worst=3", "--csv"), ("--worst=3", "--by=draw"), ("--worst=3", "--sort=max"), ("--worst=3", "--pass=x"),
                      ("--worst=3", "--percent-limit=1"), ("-E3", "--worst=3")):
            with self.subTest(words=words):
                run = self.run_command("report", *words, made)
                self.assertEqual((run.returncode, run.stdout), (125, ""))
                names = ["--entries" if word.startswith("-E") else word.split("=")[0] for word in words]
                self.assert_one_line(run.stderr, *names, "are not possible together")
        for words in (("--csv", "--by=label", "--sort=mean"), ("--json", "--sort=max", "--pass=s"), ("--worst=3", "--frames=1-9"),
                      ("--json", "--frame=7"), ("--json", "--frames=1-9"), ("-v", "--frame=7")):
            with self.subTest(words=words):
                self.assertEqual(self.run_command("report", *words, made).returncode, 0)

    def test_mistakes(self):
        made = self.made()
        for words, part in ((("--sort", "p42"), "--sort: bad value 'p42'"), (("--sort", ""), "--sort: bad value ''"),
                            (("--by", "usual"), "--by: bad value 'usual'"), (("--by", ""), "bad value"),
                            (("--percent-limit", "x"), "--percent-limit: bad value 'x'"), (("--percent-limit", ""), "bad value ''"),
                            (("--percent-limit", "-1"), "bad value '-1'"), (("--percent-limit", "1.2.3"), "bad value"),
                            (("--percent-limit", "101"), "bad value '101'"), (("--percent-limit", "nan"), "bad value 'nan'")):
            with self.subTest(words=words):
                run = self.run_command("report", *words, made)
                self.assertEqual((run.returncode, run.stdout), (125, ""))
                self.assert_one_line(run.stderr, part)


if __name__ == "__main__":
    unit_main()
