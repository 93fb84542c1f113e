#!/usr/bin/env python3
"""The generators of counters/: the output does not depend on the order of files, and mistakes are reported with file
and line."""
import base64
import csv
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

from harness import ROOT, unit_main

LAYOUTS = os.path.join(ROOT, "counters", "snapshot", "layouts")
INTEL = os.path.join(ROOT, "counters", "gpus", "intel")
HEAD = "layout,size,field,first,count,offset,stride,bits,high_offset,high_stride,high_bits,mode,unit,source\n"


def run(tool, *arguments):
    return subprocess.run([sys.executable, os.path.join(ROOT, "tools", tool), *arguments], capture_output=True,
                          text=True, check=False)


def content(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


class Generators(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)

    def path(self, name, text=None):
        path = os.path.join(self.folder, name)
        if text is not None:
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
        return path

    def layout(self, rows):
        return run("gen_layouts.py", self.path("out.c"), self.path("in.csv", "# remark\n" + HEAD + rows))

    def refused(self, rows, line, words):
        result = self.layout(rows)
        self.assertNotEqual(result.returncode, 0)
        self.assertIn(f"in.csv:{line}: ", result.stderr)
        self.assertIn(words, result.stderr)

    def test_layouts_do_not_depend_on_order(self):
        files = [os.path.join(LAYOUTS, name) for name in os.listdir(LAYOUTS) if name.endswith(".csv")]
        for name, order in (("a.c", sorted(files)), ("b.c", sorted(files, reverse=True))):
            self.assertEqual(run("gen_layouts.py", self.path(name), *order).returncode, 0)
        self.assertEqual(content(self.path("a.c")), content(self.path("b.c")))

    def test_array_is_written_out(self):
        self.assertEqual(self.layout("t,64,A#,7,3,0x10,4,32,0x30,1,8,wraps,count,here\n").returncode, 0)
        out = content(self.path("out.c"))
        self.assertIn('{"A7", {{16, 0, 32}, {48, 0, 8}}, PP_FIELD_WRAPS, PP_UNIT_COUNT, PP_NUMBER_U64, false}', out)
        self.assertIn('{"A9", {{24, 0, 32}, {50, 0, 8}}, PP_FIELD_WRAPS, PP_UNIT_COUNT, PP_NUMBER_U64, false}', out)

    def test_mistakes_are_named(self):
        good = "t,64,x,,,0,,32,,,,wraps,count,here\n"
        self.refused(good + "t,64,y,,,62,,32,,,,wraps,count,here\n", 4, "outside")
        self.refused(good + "t,64,x,,,4,,32,,,,wraps,count,here\n", 4, "twice")
        self.refused(good + "t,32,y,,,4,,32,,,,wraps,count,here\n", 4, "64 above")
        self.refused("t,64,x,,,0,,32,,,,wrap,count,here\n", 3, "mode")
        self.refused("t,64,x,,,0,,32,,,,wraps,meters,here\n", 3, "unit")
        self.refused("t,64,x,,,zero,,32,,,,wraps,count,here\n", 3, "not a number")
        self.refused("t,64,x,,,0,,65,,,,wraps,count,here\n", 3, "65 bits")
        self.refused("t,64,x,,,0,,32,,,,wraps,count,\n", 3, "source")
        self.refused("t,64,x,,4,0,4,32,,,,wraps,count,here\n", 3, "#")

    def oa(self, devices, *files):
        return run("gen_oa.py", self.path("out.c"), self.path("out.h"), devices, *files)

    def test_descriptions_do_not_depend_on_order(self):
        files = sorted(os.path.join(INTEL, name) for name in os.listdir(INTEL) if name.endswith(".xml"))
        outputs = []
        for order in (files, files[::-1]):
            result = self.oa(os.path.join(INTEL, "devices.csv"), *order)
            self.assertEqual(result.returncode, 0, result.stderr)
            outputs.append(content(self.path("out.c")))
        self.assertEqual(outputs[0], outputs[1])

    def test_description_without_device_is_refused(self):
        files = [os.path.join(INTEL, "oa-hsw.xml"), os.path.join(INTEL, "oa-bdw.xml")]
        result = self.oa(os.path.join(INTEL, "devices.csv"), *files)
        self.assertNotEqual(result.returncode, 0)
        self.assertIn("kblgt2", result.stderr)

    def test_unknown_unit_is_refused(self):
        devices = self.path("devices.csv", content(os.path.join(INTEL, "devices.csv")).split("\nhsw,")[0] + "\nhsw," +
                            content(os.path.join(INTEL, "devices.csv")).split("\nhsw,")[1].split("\n")[0] + "\n")
        xml = self.path("oa-hsw.xml", content(os.path.join(INTEL, "oa-hsw.xml")).replace('units="cycles"', 'units="turns"'))
        result = self.oa(devices, xml)
        self.assertNotEqual(result.returncode, 0)
        self.assertIn("turns", result.stderr)

    def devices(self, change=None, old="", new="", more=""):
        """devices.csv with a change and more rows; it has only the GPU hsw and those of `more`."""
        lines = content(os.path.join(INTEL, "devices.csv")).splitlines(keepends=True)
        text = "".join(line for line in lines if line.startswith(("#", "gpu,", "hsw,"))) + more
        if old:
            self.assertIn(old, text)
        return self.path("devices.csv", text.replace(old, new, 1) if old else text)

    def test_new_intel_gpu_is_two_files_of_data(self):
        hsw = os.path.join(INTEL, "oa-hsw.xml")
        added = self.path("oa-new.xml", content(os.path.join(INTEL, "oa-adl.xml")))
        row = "new,120,oa-a32u40-a4u32-b8-c8,,96,1,6,0x1,0x3f,7,0xabcd 0xabce,a test\n"
        result = self.oa(self.devices(more=row), hsw, added)
        self.assertEqual(result.returncode, 0, result.stderr)
        out = content(self.path("out.c"))
        self.assertIn('"new"', out)
        self.assertIn("{0xabcd, 1}", out)
        self.assertIn("const uint32_t pp_oa_gpus = 2;", out)

    def test_pci_ids_are_checked(self):
        hsw = os.path.join(INTEL, "oa-hsw.xml")
        for old, new, words in (("0x0402 ", "0x0402 0x0402 ", "0x0402 appears twice"), ("0x0402 ", "402 ", "'402' is not")):
            result = self.oa(self.devices(old=old, new=new), hsw)
            self.assertNotEqual(result.returncode, 0)
            self.assertIn(words, result.stderr)

    MALI = ("g76-counters.csv", "g76-metrics.csv", "g76-descriptions.csv", "devices.csv")

    def mali(self, change=None, old="", new=""):
        for name in self.MALI:
            text = content(os.path.join(ROOT, "counters", "gpus", "mali", name))
            if name == change:
                self.assertIn(old, text)
                text = text.replace(old, new, 1)
            self.path(name, text)
        return run("gen_mali.py", self.path("out.c"), self.path("out.h"), self.path("devices.csv"))

    def test_mali_tables(self):
        self.assertEqual(self.mali().returncode, 0)
        out = content(self.path("out.c"))
        self.assertEqual(out.count(", PP_MALI_SHADER_CORE, "), 42)
        self.assertIn('"FRAG_ACTIVE"', out)
        self.assertIn("#define PP_MALI_GPUS 1", content(self.path("out.h")))
        self.assertEqual(self.mali().returncode, 0)
        self.assertEqual(out, content(self.path("out.c")))

    def test_mali_mistakes_are_named(self):
        for change, old, new, words in (
                ("g76-counters.csv", ",JM,6,1,", ",JM,6,2,", "g76-counters.csv:2: MaliGPUCyclesGPUActive: word 6"),
                ("g76-counters.csv", ",JM,6,1,", ",XM,6,1,", "g76-counters.csv:2: MaliGPUCyclesGPUActive: block XM"),
                ("g76-counters.csv", "hw,TILER,4,", "hw,TILER,64,", "word 64"),
                ("g76-metrics.csv", ",$MaliGPUCyclesGPUActive,", ",$MaliGPUCyclesGPUActiv,",
                 "g76-metrics.csv:4: gpu_active_cycles"),
                ("g76-descriptions.csv", "\npixels,", "\npixel,", "pixels: no description"),
                ("g76-descriptions.csv", "\npixels,", "\nmore,x\npixels,", "no metric more")):
            result = self.mali(change, old, new)
            self.assertNotEqual(result.returncode, 0, words)
            self.assertIn(words, result.stderr)

    def test_mali_formulas_say_the_same_twice(self):
        """The reverse Polish column and the printed formula were made independently of passprobe's compiler."""
        with open(os.path.join(ROOT, "counters", "gpus", "mali", "g76-metrics.csv"), newline="", encoding="utf-8") as file:
            rows = [row for row in csv.DictReader(file) if row["scope"] == "gpu"]
        self.assertEqual(len(rows), 85)
        operators = {"+": float.__add__, "-": float.__sub__, "*": float.__mul__, "/": float.__truediv__, "min": min,
                     "max": max}
        for row in rows:
            values = {name: float(1 + sum(map(ord, name)) % 997) for name in re.findall(r"\$(\w+)", row["expression"])}
            text = re.sub(r"\b(\d+)\b", r"\1.0", re.sub(r"\$(\w+)", r"\1", row["expression"]))
            stack = []
            for word in row["rpn"].split():
                if word in operators:
                    right, left = stack.pop(), stack.pop()
                    stack.append(operators[word](left, right))
                else:
                    stack.append(values[word[1:]] if word[0] == "$" else float(word))
            self.assertEqual([eval(text, {"min": min, "max": max}, values)], stack, row["id"])

    def test_text_is_compiled_byte_for_byte(self):
        text = 'a "quoted" \\ line\n\u00e4\n'
        self.assertEqual(run("gen_text.py", self.path("out.c"), "x.h", "t", self.path("in", text)).returncode, 0)
        numbers = content(self.path("out.c")).split("{", 1)[1].split("}")[0].split(",")
        self.assertEqual(bytes(int(n) % 256 for n in numbers if n.strip()), text.encode() + b"\0")
        self.assertNotEqual(run("gen_text.py", self.path("out.c"), "x.h", "t", self.path("in", "a\0b")).returncode, 0)

    def test_page_permits_exactly_its_script(self):
        """The hashes match what the page holds; a file that would end its element, or a place that is missing, is refused."""
        template = "<!--policy--><!--style--><i><!--verdict--></i><!--script--><pre><!--licences--></pre>"
        page, style = self.path("page.html", template), self.path("page.css", "i { color: red; }")
        script, library = self.path("a.js", "go();"), self.path("lib.js", "let l;\n//# sourceMappingURL=lib.js.map\n")
        licence, out = self.path("licence", "<MIT>"), self.path("out.c")
        made = run("gen_page.py", out, "h.h", "pp_x", page, "--style", style, "--script", script, "--library", library, licence, style)
        self.assertEqual((made.returncode, made.stderr), (0, ""))
        text = bytes(int(number) % 256 for number in re.findall(r"-?\d+(?=,)", content(out).split("{")[1])).decode().rstrip("\0")
        inside = re.search(r"<script>(.*)</script>", text, re.S).group(1)
        self.assertIn("'sha256-" + base64.b64encode(hashlib.sha256(inside.encode()).digest()).decode() + "'", text)
        self.assertTrue(inside.startswith("let l;") and inside.endswith("go();"), inside)
        self.assertNotIn("sourceMappingURL", text)
        self.assertIn("<i><!--verdict--></i>", text)
        self.assertIn("<pre>&lt;MIT&gt;</pre>", text)
        for wrong, told in ((("a.js", "'</script>'"), "would end its element"), (("page.html", "<!--style-->"), "needs one <!--policy-->")):
            self.path(*wrong)
            made = run("gen_page.py", out, "h.h", "pp_x", page, "--style", style, "--script", script)
            self.assertEqual(made.returncode, 1)
            self.assertIn(told, made.stderr)
            self.path("a.js", "go();")

    def test_peaks_are_quoted_in_the_order_of_their_names(self):
        files = [self.path(name + "-peaks.csv", 'id,peak\n"a ??) \\ ""b""",1\r\n') for name in "zby"]
        for name, order in (("a.c", files), ("b.c", files[::-1])):
            self.assertEqual(run("gen_peaks.py", self.path(name), *order).returncode, 0)
        out = content(self.path("a.c"))
        self.assertEqual(out, content(self.path("b.c")))
        self.assertIn('    "\\"a ?\\?) \\\\ \\"\\"b\\"\\"\\",1\\r\\n"', out)
        self.assertLess(out.index('"b", table_0'), out.index('"y", table_1'))

    def test_peaks_have_names_and_are_ascii(self):
        for name, text, words in (("a.csv", "id", "not called"), ("a-peaks.csv", "id,\u00b5", "ASCII")):
            result = run("gen_peaks.py", self.path("out.c"), self.path(name, text))
            self.assertNotEqual(result.returncode, 0)
            self.assertIn(words, result.stderr)


if __name__ == "__main__":
    unit_main()
