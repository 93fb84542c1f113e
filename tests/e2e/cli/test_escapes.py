"""Nothing that controls a terminal is printed raw: control characters, escape sequences, marks that change the writing
direction or break lines, invisible characters, broken UTF-8. The test puts them into every string of every file, name
and variable that is printed."""
import copy
import json
import os
import shutil
import unicodedata

from command import ABOUT, CommandTest, DRAW_HEADER, FRAME_HEADER, LABEL_HEADER, MS, PASS_HEADER, SHIM, frames, passes
from harness import unit_main

INVISIBLE = [0xad, 0x34f, 0x61c, 0x115f, 0x1160, 0x17b4, 0x180b, 0x180e, *range(0x200b, 0x2010), *range(0x2028, 0x202f),
             *range(0x2060, 0x2070), 0x3164, 0xfe00, 0xfe0f, 0xfeff, 0xffa0, *range(0xfff9, 0xfffc), 0x1bca0, 0x1d173, 0xe0001,
             0xe0041, 0xe0100]
CONTROLS = [*range(1, 0x20), *range(0x7f, 0xa0)]
BROKEN = [*range(0x80, 0xa0), 0xc0, 0xc3, 0xe2, 0xff]


def texts(bad, count):
    """Strings of a number of characters, with one that forges a line if a line break is printed raw."""
    for i in range(0, len(bad), count):
        yield "a" + "b".join(bad[i:i + count]) + "\nFORGED"


UTF8 = [chr(c) for c in CONTROLS + INVISIBLE]
# Python's way to hold broken UTF-8 in a string: written with errors="surrogateescape"
RAW = [chr(0xdc00 + c) for c in BROKEN]
# Short enough for the narrowest cell.
EVERY = list(texts(UTF8, 8)) + list(texts(RAW, 8))
# For messages, which are not cut to a cell: few runs of the command.
EVERY_LONG = list(texts(UTF8, 40)) + list(texts(RAW, 40))
SHORT = "a\x1b[31m\x07\x9b2J\u202e\u2028\u200b\x7f\nFORGED"
SHORT_RAW = "a\udc9b2J\udcc3"


class Escapes(CommandTest):
    def assert_clean(self, run, *wanted, breaks="\n"):
        for text in (run.stdout, run.stderr):
            for line in text.split("\n"):
                self.assertFalse(line.startswith("FORGED"), text)
            for c in set(text) - set(breaks):
                self.assertNotIn(unicodedata.category(c), ("Cc", "Cf", "Cs", "Zl", "Zp"), f"U+{ord(c):04X} in {text!r}")
                self.assertNotIn(ord(c), INVISIBLE, f"U+{ord(c):04X} in {text!r}")
        self.assertNotIn("Sanitizer", run.stderr)
        for part in wanted:
            self.assertIn(part, run.stdout + run.stderr)

    def run_raw(self, *args, **more):
        return self.run_command(*args, encoding="utf-8", errors="surrogateescape", **more)

    def write_raw(self, path, file, text):
        with open(os.path.join(path, file), "wb") as out:
            out.write(text.encode("utf-8", "surrogateescape"))

    @staticmethod
    def csv_text(header, rows):
        def cell(value):
            return '"' + str(value).replace('"', '""') + '"'
        return "\r\n".join([",".join(cell(c) for c in header)] +
                           [",".join(cell(row[c]) if row.get(c, "") != "" else "" for c in header) for row in rows]) + "\r\n"

    def write_session(self, path, tables, about):
        os.makedirs(path, exist_ok=True)
        for file, (header, rows) in tables.items():
            self.write_raw(path, file, self.csv_text(header, rows))
        self.write_raw(path, "session.json", about if isinstance(about, str) else json.dumps(about, ensure_ascii=False))

    @staticmethod
    def tables(text="name"):
        """Rows of all four files; columns that hold text hold the given text."""
        made = frames(12, level="draw", device=text, surface=text, api=text, **{f"khr:{text}_ns": 7, f"metric:{text}": 1.5})
        rows = passes(12)
        draws, labels = [], []
        for row in rows:
            row.update(label=text, name=text, kind=text, pass_id=text if row["pass"] else "x" + text, bound_by=text[:20],
                       queue=text, attachments=text, **{f"metric:{text}": 2.5})
            draws.append({"frame": row["frame"], "pass": row["pass"], "draw": row["pass"], "draw_id": text[:row["pass"] + 14],
                          "call": text, "label": text + "/x", "pipeline": text, "vertices": 3,
                          "gpu_time_ns": MS if row["pass"] else ""})
            labels.append({"frame": row["frame"], "label": text, "depth": 1, "passes": 2, "gpu_inclusive_ns": MS})
        def table(header, rows):
            columns = header.split(",")
            return columns + [c for c in rows[0] if c not in columns], rows
        return {"frames.csv": table(FRAME_HEADER, made), "passes.csv": table(PASS_HEADER, rows),
                "draws.csv": table(DRAW_HEADER, draws), "labels.csv": table(LABEL_HEADER, labels)}

    @staticmethod
    def about(text="name"):
        return {**copy.deepcopy(ABOUT), "ended": text, "command": [text], "host": {"name": text},
                "options": {"level": text, "output": text}, "states": [text], "counts": {"frames": 12},
                "metrics": [{"name": f"metric:{text}", "unit": text, "formula": text}],
                "devices": [{"api": text, "name": text, "notes": [text, text + " again"], "events_missing":
                             [{"event": text, "reason": text}, {"event": "other " + text, "reason": "because " + text}],
                             "bracket_bias": [{"scope": "pass", "median_ns": 1000, "iqr_ns": 200}]}],
                "frames": {"event_sets": [[text], []], "events_missing": [{"event": "f" + text, "reason": text}]}}

    def read_everywhere(self, path, *wanted):
        for args in (("report", path), ("report", "-E0", path), ("report", "--entries=1", path)):
            self.assert_clean(self.run_raw(*args), *wanted)
        fake = {"FAKE_SESSION": path, "FAKE_PROGRAM": "true"}
        for args in (("stat", "true"), ("stat", "-q", "true"), ("record", "true"), ("doctor", "true")):
            self.assert_clean(self.run_raw(*args, env=fake))

    def test_texts_of_every_file(self):
        path = os.path.join(self.top, "made")
        for text in EVERY:
            with self.subTest(text=text):
                self.write_session(path, self.tables(text), self.about(text))
                self.read_everywhere(path, "FORGED")

    def test_every_cell(self):
        """Cells of number columns, too: row i has the text in column i."""
        for text in (SHORT, SHORT_RAW):
            tables = self.tables()
            for header, rows in tables.values():
                while len(rows) <= len(header) + 1:
                    rows.append({**rows[-1], "frame": rows[-1]["frame"] + 1})
                for row, column in zip(rows[1:], header):
                    row[column] = text
            path = os.path.join(self.top, "cells")
            self.write_session(path, tables, self.about())
            self.read_everywhere(path)

    def test_every_header(self):
        path = os.path.join(self.top, "headers")
        whole = self.tables()
        for file, (header, rows) in whole.items():
            for i, column in enumerate(header):
                changed = [SHORT + SHORT_RAW if k == i else c for k, c in enumerate(header)]
                moved = [{**row, SHORT + SHORT_RAW: row.get(column, "")} for row in rows]
                with self.subTest(file=file, column=column):
                    self.write_session(path, {**whole, file: (changed, moved)}, self.about())
                    self.assert_clean(self.run_raw("report", path))
                    if file in ("frames.csv", "passes.csv"):  # stat opens no other file
                        self.assert_clean(self.run_raw("stat", "true", env={"FAKE_SESSION": path, "FAKE_PROGRAM": "true"}))

    def test_every_string_and_key_of_the_json(self):
        path = os.path.join(self.top, "json")

        def places(value, way=()):
            if isinstance(value, dict):
                for key, inner in value.items():
                    yield way + (key,), True
                    yield from places(inner, way + (key,))
            elif isinstance(value, list):
                for i, inner in enumerate(value):
                    yield from places(inner, way + (i,))
            else:
                yield way, False

        self.write_session(path, self.tables(), self.about())
        for way, is_key in list(places(self.about())):
            about = self.about()
            at = about
            for step in way[:-1]:
                at = at[step]
            if is_key:
                at[SHORT] = at.pop(way[-1])
            else:
                at[way[-1]] = SHORT
            with self.subTest(way=way, key=is_key):
                self.write_raw(path, "session.json", json.dumps(about))
                self.assert_clean(self.run_raw("report", path))
                self.assert_clean(self.run_raw("stat", "true", env={"FAKE_SESSION": path, "FAKE_PROGRAM": "true"}))
        for broken in ('{"' + SHORT_RAW + '": 1}', '{"a": ' + SHORT + "}", SHORT + SHORT_RAW, '{"a": tru' + SHORT_RAW + "}"):
            self.write_raw(path, "session.json", broken)
            self.assert_clean(self.run_raw("report", path), "session.json")

    def test_names_of_files_and_commands(self):
        for text in (SHORT, SHORT_RAW, "x" * 150 + SHORT):
            name = text[-40:]
            path = os.path.join(self.top, name)
            self.write_session(path, self.tables(), self.about())
            self.assert_clean(self.run_raw("report", path))
            self.write_raw(path, "session.json", "{")
            self.assert_clean(self.run_raw("report", path), "damaged")
            os.unlink(os.path.join(path, "frames.csv"))
            self.assert_clean(self.run_raw("report", path))
            self.assert_clean(self.run_raw("report", path + "not"), "not a session")
            made = os.path.join(self.top, "made")
            self.write_session(made, self.tables(), self.about())
            fake = {"FAKE_SESSION": made, "FAKE_PROGRAM": "true"}
            for command in ("stat", "record"):
                self.assert_clean(self.run_raw(command, "-o", "out" + name, "true", text, env=fake))
                self.assert_clean(self.run_raw(command, text), "cannot run")
            self.assert_clean(self.run_raw("doctor", text))
            self.assert_clean(self.run_raw(text), "not a passprobe command")
            self.assert_clean(self.run_raw("--" + text), "unknown option")
            script = os.path.join(self.top, "script" + name)
            self.write_raw(self.top, "script" + name, "#!/no/such" + text.split("\n")[0].replace(" ", "") + "\n")
            os.chmod(script, 0o755)
            self.assert_clean(self.run_raw("stat", script), "cannot run")
            self.assert_clean(self.run_raw("doctor", script))

    def test_arguments_variables_and_configuration(self):
        os.makedirs(os.path.join(self.env["HOME"], ".config/passprobe"))
        self.write_raw(self.top, "dump", "\0" * 64)
        for text in EVERY_LONG:
            for option in ("--level", "--events", "--output", "--metrics", "--frames", "--frame-on", "--" + text):
                run = self.run_raw("record", option, text, "true")
                self.assert_clean(run)
            for command in (("report", "-E"), ("list", "-e"), ("list", "--metrics"), ("decode", "--var")):
                self.assert_clean(self.run_raw(*command, text, *(("mali", self.top + "/dump") if command[0] == "decode" else ())),
                                  "FORGED")
            for variable in ("PASSPROBE_LEVEL", "PASSPROBE_EVENTS", "PASSPROBE_METRICS", "PASSPROBE_FRAMES",
                             "PASSPROBE_OUTPUT"):
                self.assert_clean(self.run_raw("doctor", "true", env={variable: text}))
        for text in EVERY:
            # A name longer than any GPU's is cut.
            self.assert_clean(self.run_raw("decode", "--gpu", text, "mali", self.top + "/dump"), "FORGED")
        for text in (SHORT, SHORT_RAW):
            # the loader itself prints names of libraries that are missing
            library = os.path.join(self.top, text.replace(" ", ""))
            shutil.copy(SHIM, library)
            self.assert_clean(self.run_raw("doctor", env={"LD_PRELOAD": library}), "already '")
            for variable in ("PASSPROBE_LEVEL", "DISPLAY", "VK_ICD_FILENAMES", "HOME", "XDG_CONFIG_HOME"):
                self.assert_clean(self.run_raw("doctor", env={variable: text}))
        for line in ("level = ", "", "[", "[x]\nevents = "):
            for text in (SHORT, SHORT_RAW):
                self.write_raw(self.env["HOME"], ".config/passprobe/passprobe.conf", line + text + "\n")
                self.assert_clean(self.run_raw("record", "true"), "passprobe.conf")

    def test_metrics_files(self):
        """`list` and `decode` print units, descriptions and formulas of a file of metrics."""
        self.write_raw(self.top, "dump", "\0" * 65536)
        for text in EVERY_LONG:
            text = text.replace("\n", "").replace("\r", "")
            for line in (f"a [{text}] = 1 + 1  # {text}", f"{text} = 1", f"a = {text}", f"a = 1 + 1  # {text}"):
                for section in ("[gpu *]", f"[gpu {text}]", f"[gpu {text} like mali-g76]"):
                    self.write_raw(self.top, "m", f"{section}\n{line}\n")
                    self.assert_clean(self.run_raw("list", "--metrics", self.top + "/m", "-e", "metric:"))
                    self.assert_clean(self.run_raw("decode", "mali", "--metrics", self.top + "/m", self.top + "/dump"),
                                      breaks="\r\n")

    def test_decode_names_files(self):
        for text in (SHORT, SHORT_RAW):
            name = "raw" + text.replace("/", "")
            for content in ("", "text", "\0" * 64, "x" * 1000):
                self.write_raw(self.cwd, name, content)
                for kind in ("intel-oa", "mali", text):
                    self.assert_clean(self.run_raw("decode", kind, name))
                    self.assert_clean(self.run_raw("decode", kind, name + "not"))
                self.assert_clean(self.run_raw("decode", "intel-oa", "--set", text, name))
                self.assert_clean(self.run_raw("decode", "intel-oa", "--layout", text, name))


if __name__ == "__main__":
    unit_main()
