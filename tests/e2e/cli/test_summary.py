"""The summary that `stat` prints and `report` begins with: the same block from the same session, and what it says."""
import os
import pty
import re
import subprocess

from command import ABOUT, CommandTest, DRAW_HEADER, MS, frames, passes
from harness import unit_main


class Block(CommandTest):
    def shown(self, made, *words):
        return self.run_command("report", *words, made).stdout

    def test_stat_and_report_print_the_same_block(self):
        """From every session, however it was recorded: at level frame, by variables only, killed."""
        for name, rows, passes_too, ended in (("pass", frames(50), passes(50), "exit"),
                                              ("frame", frames(50, level="frame", gpu_busy_ns=""), (), "exit"),
                                              ("killed", frames(50), passes(50), "running")):
            with self.subTest(session=name):
                about = {**ABOUT, "ended": ended, "program": {"command": ["true", "-x"]}}
                made = self.session(rows, passes_too, about=about, name=name)
                stat = self.stat_of(made, command=("true", "-x")).stderr.split("   OpenGL on ")[1]
                report = self.shown(made)
                self.assertTrue(report.startswith("\n true -x\n"), report)
                times, tables = stat.split("48+: 0\n")
                self.assertIn(times, report)
                self.assertIn("\n measuring cost " + tables.split(" measuring cost ")[1].split("\n")[0], report)

    def test_report_prints_each_table_once(self):
        """The longer tables of `report` replace those of the summary."""
        text = self.shown(self.session(frames(50), passes(50), about=ABOUT))
        self.assertEqual([text.count(part) for part in ("shadow map", "scene: window", "pipeline:vertex_shader")], [1, 1, 1])

    def test_draws_a_frame_are_of_frames_at_level_draw(self):
        """The level changed while the application ran: 40 frames at level pass, 20 at level draw, 4 draws each."""
        rows = frames(60, draws=4)
        for row in rows[40:]:
            row["level"] = "draw"
        made = self.session(rows, passes(60), about=ABOUT)
        draws = [{"frame": frame, "pass": 0, "draw": i, "draw_id": f"d{i}", "call": "glDrawArrays", "vertices": 300,
                  "pipeline:vertex_shader_invocations": 100} for frame in range(40, 60) for i in range(4)]
        self.write_csv(made, "draws.csv", DRAW_HEADER, draws)
        text = " ".join(self.run_command("report", made).stdout.split())
        self.assertIn("25.0 100 300 0 glDrawArrays", text)
        self.assertIn("4.0 rows a frame: 4.0 draws", text)

    def test_each_finer_level_has_its_count(self):
        rows = frames(60, level="frame")
        for i, row in enumerate(rows[20:]):
            row["level"] = "pass" if i < 30 else "draw"
        text = " ".join(self.run_command("report", self.session(rows, passes(60), about=ABOUT)).stdout.split())
        self.assertIn("of all 60 frames, 30 are at level pass and 10 at level draw", text)

    def test_draws_of_buffers_that_were_recorded_before_are_not_missing(self):
        """Vulkan: a command buffer keeps its level. After a change to level draw, its draws have no rows."""
        rows = frames(40, api="vulkan", device=0, surface=0, pid=7)
        for row in rows[20:]:
            row["level"] = "draw"
        about = {**ABOUT, "schema": 2, "options": {"level": "pass"}, "revision": 3, "revision_end": 3,
                 "counts": {"frames": 40, "passes": 80, "draws": 0, "labels": 0}}
        made = self.session(rows, passes(40), about=about)
        self.write_csv(made, "draws.csv", DRAW_HEADER, [])
        run = self.run_command("report", made)
        self.assertNotIn("damaged", run.stderr)
        self.assertEqual(run.returncode, 0, run.stderr)

    def test_maximum_and_its_frame(self):
        rows = frames(119)
        rows[60].update(frame_time_ns=170 * MS, cpu_busy_ns=3 * MS, gpu_busy_ns=169 * MS)
        rows[2].update(cpu_busy_ns=38 * MS)
        ranked = passes(119)
        ranked[120].update(gpu_time_ns=169 * MS)
        text = self.shown(self.session(rows, ranked, about=ABOUT))
        for line in ("frame time 11.36 10.00 10.00 10.00 170.0 60", "CPU busy 2.314 2.000 2.000 2.830 38.00 2",
                     "GPU busy 9.364 8.000 8.000 8.000 169.0 60", "118 frames in 1.340 s, without the first one (0.500 s)",
                     "88.06 FPS 1% low 5.88 0.1% low -", "0-6 ms: 0 6-12: 117 12-24: 0 24-48: 0 48+: 1",
                     "42.3 4.406 2.999 2.999 2.999 169.0 60 - shadow map"):
            self.assertIn(line, " ".join(text.split()))

    def test_passes_that_ran_once_share_a_row(self):
        """Loading leaves hundreds of passes that ran once. One that cost much has a row of its own."""
        ranked = passes(50)
        for k in range(290):
            ranked.append({"frame": 5, "pass": 2 + k, "pass_id": f"t{k}", "kind": "transfer", "name": "transfer",
                           "gpu_time_ns": 10_000})
        ranked.append({"frame": 7, "pass": 2, "pass_id": "big", "name": "bake", "gpu_time_ns": 90 * MS})
        made = self.session(frames(50), ranked, about=ABOUT)
        text = " ".join(self.shown(made).split())
        self.assertIn(" 0.5 0.053 - - - 0.009 5 - 290 passes that ran once # passes that share a row, each in its own: --entries 0 #", text)
        self.assertEqual(text.count("transfer"), 0)
        self.assertEqual(len(re.findall(r"\bbake\b", text)), 1)
        every = self.shown(made, "-E0")
        self.assertEqual(every.split("# GPU %")[1].count("transfer"), 290)
        self.assertNotIn("that ran once", every)
        self.assertIn("   passes that share a row, each in its own: passprobe report -E0\n", self.stat_of(made).stderr)

    def test_passes_of_no_frame_share_a_row(self):
        """Work of no frame and of first frames, too; one that cost much has a row of its own."""
        ranked = passes(5)
        for k in range(73):
            ranked += [{"pass": k, "pass_id": f"n{k}", "kind": "transfer", "name": f"upload {k}", "gpu_time_ns": 2000}] * 3
        ranked += [{"frame": 0, "pass": k, "pass_id": f"f{k}", "name": f"start {k}", "gpu_time_ns": MS} for k in range(9)]
        ranked.append({"pass": 2, "pass_id": "big", "name": "bake", "gpu_time_ns": 90 * MS})
        made = self.session(frames(5), ranked, about=ABOUT)
        table = self.shown(made).split("# GPU %")[1]
        self.assertRegex(table, r"\n    0\.2 .*  73 passes of no frame\n")
        self.assertRegex(table, r"\n      - .*  9 passes of first frames\n")
        self.assertRegex(table, r"  bake \(of no frame\)\n")
        self.assertNotIn("upload", table)
        self.assertEqual(self.shown(made, "-E0").count("upload"), 73)

    def test_draws_and_size_tell_passes_apart(self):
        ranked = []
        for i in range(30):
            for place, draws in ((0, 89), (3, 4)):
                ranked.append({"frame": i, "pass": place, "pass_id": f"w{place}", "kind": "render", "name": "window",
                               "width": 1024, "height": 768, "draws": draws, "gpu_time_ns": MS})
        made = self.session(frames(30), ranked, about=ABOUT)
        text = self.shown(made)
        self.assertIn(" window 1024x768, 89 draws (pass 0)\n", text)
        self.assertIn(" window 1024x768, 4 draws (pass 3)\n", text)
        self.assertRegex(self.stat_of(made).stderr, r"\n   window 1024x768, 89 draws \(pass 0\) +89 ")

    def test_a_time_below_resolution_reads_so_everywhere(self):
        """A region's time and its pass's time are the same time."""
        rows = passes(50)
        for row in rows:
            row["gpu_time_ns"] = 1500
        made = self.session(frames(50), rows, about=ABOUT)
        self.write_csv(made, "labels.csv", "frame,label,depth,passes,draws,gpu_inclusive_ns,gpu_exclusive_ns",
                       [{"frame": i, "label": "scene", "depth": 1, "passes": 1, "draws": 1, "gpu_inclusive_ns": 1500,
                         "gpu_exclusive_ns": 1500} for i in range(50)])
        tables = self.shown(made)
        self.assertRegex(tables, r"-  +below resolution +below +1 +-  scene: window\n")
        self.assertRegex(tables, r"- +below resolution +below +1  scene\n")

    def test_details_are_asked_for(self):
        made = self.session(frames(50), passes(50), about=ABOUT)
        for word in ("overhead", "brackets", "CPU wait", "GPU wait", "as in PresentMon."):
            self.assertNotIn(word, self.shown(made).split("# ")[0])
            self.assertIn(word, self.shown(made, "-v").split("# ")[0])

    def on_terminal(self, made, *words, **env):
        """What `report`, or another command, prints on a terminal, which is 80 columns wide."""
        main, user = pty.openpty()
        with subprocess.Popen([self.install, *(words or ("report", made))], stdin=subprocess.DEVNULL, stdout=user, stderr=user,
                              env={**self.env, "TERM": "xterm", "LC_ALL": "C.UTF-8", **env}, cwd=self.cwd) as run:
            os.close(user)
            text = b""
            while True:
                try:
                    part = os.read(main, 65536)
                except OSError:
                    break
                if not part:
                    break
                text += part
            run.wait(60)
        os.close(main)
        return text.decode().replace("\r\n", "\n")

    def test_terminal(self):
        """Bars and bold text are for terminals; NO_COLOR and other locales than UTF-8 are respected."""
        made = self.session(frames(50), passes(50), about=ABOUT)
        piped = self.shown(made)
        self.assertNotRegex(piped, r"[\x1b\u2588]|##")
        shown = self.on_terminal(made)
        stat = {"FAKE_SESSION": made, "FAKE_PROGRAM": "true"}
        self.assertIn("\x1b[1m100.0 FPS\x1b[0m", shown)
        self.assertRegex(self.on_terminal(made, "stat", "--", "true", **stat), r"\n   scene: window .* 66\.7 .*  \u2588{13}\u258d\n")
        self.assertRegex(shown, r"6-12: \u2588{5} 49")
        plain = self.on_terminal(made, NO_COLOR="1")
        self.assertNotIn("\x1b", plain)
        self.assertIn("\u2588", plain)
        self.assertNotIn("\x1b", self.on_terminal(made, TERM="dumb"))
        ascii_only = self.on_terminal(made, "stat", "--", "true", LC_ALL="C", NO_COLOR="1", **stat)
        self.assertRegex(ascii_only, r"\n   scene: window .* 66\.7 .*  #{13}\n")
        self.assertTrue(ascii_only.isascii())

    def test_tables_fit_a_terminal(self):
        """80 columns, and no figure has more than five digits. A file or another program gets whole names."""
        rows, ranked = frames(30), passes(30)
        for i, row in enumerate(ranked):
            row.update(name="colour and depth of the reflection", width=1024, height=768, draws=1234, gpu_time_ns=123_456_789 + i)
        made = self.session(rows, ranked, about=ABOUT)
        table = self.on_terminal(made, NO_COLOR="1").split("# GPU %")[1].split("\n#\n")[1]
        self.assertRegex(table, r"(?m)^   50\.0 +123\.5 123\.5 123\.5 +123\.5 +\d+ 1,234  scene: colour and\.\.\. 1024x768$")
        self.assert_narrow(table)
        self.assertIn("  scene: colour and depth of the reflection 1024x768\n", self.shown(made))

    def test_names_of_draws_have_whole_words(self):
        """On a terminal, and in the summary: words of the pass are left out first, then the shader program, then the pass."""
        ranked = [{"frame": i, "pass": place, "pass_id": name, "kind": "render", "name": name, "label": label, "gpu_time_ns": MS,
                   "width": 1024, "height": 768}
                  for i in range(9) for place, name, label in ((0, "render 1024x768 RGBA16F+DEPTH_COMPONENT32F", ""),
                                                               (1, "a target with quite a long name", "reflections"))]
        draws = [{"frame": i, "pass": place, "draw": place, "draw_id": f"d{place}", "call": "glDrawElementsInstancedBaseVertex",
                  "pipeline": pipeline, "vertices": 3_456_789, "instances": 1.11719, "gpu_time_ns": 123_456_789}
                 for i in range(9) for place, pipeline in ((0, "program-ca828212feca1367"), (1, "water"))]
        made = self.session(frames(9, level="draw"), ranked, about=ABOUT)
        self.write_csv(made, "draws.csv", DRAW_HEADER, draws)
        table = self.on_terminal(made, NO_COLOR="1").split("# Draws ")[1].split("# Rows")[0]
        self.assert_narrow(table)
        summary = self.stat_of(made).stderr.split(" vertices  draw\n")[1].split("   rows/frame")[0]
        self.assert_narrow(summary)
        for text in (table, summary):
            rows = [line.split("x1.12  ")[1] for line in text.splitlines() if "x1.12  " in line]
            self.assertEqual(len(rows), 2)
            for row in rows:
                for word in row.replace("...", " ").split():
                    self.assertIn(word, "0 1 glDrawElementsInstancedBaseVertex in water program-ca828212feca1367 reflections "
                                  "reflections: a target with quite long name render 1024x768 RGBA16F+DEPTH_COMPONENT32F".split())
        self.assertIn("  0 glDrawElementsInstancedBaseVertex program-ca828212feca1367 in render 1024x768 "
                      "RGBA16F+DEPTH_COMPONENT32F\n", self.shown(made))
        self.assertNotRegex(table + summary, r"\d{6}|\d{3},\d{3}")


if __name__ == "__main__":
    unit_main()
