#!/usr/bin/env python3
"""test_decode.py PASSPROBE VECTORS: `passprobe decode` on files made of the test vectors. The CSV has the numbers of
the vectors; a torn or foreign file gives one clear error with the place."""
import csv
import io
import json
import os
import random
import struct
import subprocess
import tempfile
import unittest

from harness import take_arguments, unit_main

PASSPROBE, VECTORS = map(os.path.abspath, take_arguments(2))
REPORT = 256


def load(name):
    with open(os.path.join(VECTORS, "intel-oa", name), encoding="utf-8") as file:
        return json.load(file)


def record(kind, payload=b""):
    return struct.pack("<IHH", kind, 0, 8 + len(payload)) + payload


class Decode(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.vectors = load("pairs.json")
        cls.pairs = [v for v in cls.vectors["vectors"] if v["device"] == "kblgt2"]

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def run_on(self, data, *options, kind="intel-oa"):
        path = os.path.join(self.folder.name, "dump")
        with open(path, "wb") as file:
            file.write(data)
        done = subprocess.run([PASSPROBE, "decode", kind, *options, path], capture_output=True, timeout=60, check=False)
        return done.returncode, done.stdout.decode(), done.stderr.decode()

    def rows(self, data, *options, **more):
        status, out, err = self.run_on(data, *options, **more)
        self.assertEqual(status, 0, err)
        self.assertTrue(out.endswith("\r\n"))
        return list(csv.DictReader(io.StringIO(out, newline=""))), err

    def refused(self, data, byte, words, *options, **more):
        status, out, err = self.run_on(data, *options, **more)
        self.assertEqual(status, 125)
        lines = [line for line in err.splitlines() if "no --gpu" not in line]
        self.assertEqual(len(lines), 1, err)
        self.assertIn(f": byte {byte}: ", lines[0])
        self.assertIn(words, lines[0])
        return out

    def check_metrics(self, row, expected, unavailable=()):
        columns = {name.split("_")[0]: name for name in row}
        for symbol, value in expected.items():
            cell = row[columns[symbol]]
            if isinstance(value, dict):
                self.assertEqual(float(cell), value["f64"], symbol)
            else:
                self.assertEqual(int(cell), int(value), symbol)
        for symbol in unavailable:
            self.assertEqual(row[columns[symbol]], "", symbol)

    def test_pairs_give_the_metrics_of_the_vectors(self):
        data = b"".join(bytes.fromhex(v["begin"] + v["end"]) for v in self.pairs)
        for name in ("RenderBasic", "ComputeBasic"):
            rows, err = self.rows(data, "--pairs", "-g", "kblgt2", "-s", name)
            self.assertEqual(err, "")
            self.assertEqual(len(rows), len(self.pairs))
            for i, (row, vector) in enumerate(zip(rows, self.pairs)):
                self.assertEqual((row["report"], row["offset"]), (str(i), str((2 * i + 1) * REPORT)))
                self.check_metrics(row, vector["metrics"][name])

    def test_reports_in_sequence_are_pairs(self):
        data = bytes.fromhex(self.pairs[1]["begin"] + self.pairs[1]["end"])
        rows, err = self.rows(data)
        self.assertIn("kblgt2", err) # the command prints what it assumes
        self.check_metrics(rows[0], self.pairs[1]["metrics"]["RenderBasic"])
        rows, _ = self.rows(data + bytes.fromhex(self.pairs[2]["begin"]), "--gpu", "kblgt2")
        self.assertEqual(len(rows), 2)
        self.check_metrics(rows[0], self.pairs[1]["metrics"]["RenderBasic"])

    def test_many_pairs_are_decoded(self):
        vector = self.pairs[1]
        rows, _ = self.rows(bytes.fromhex(vector["begin"] + vector["end"]) * 3000, "--pairs", "--gpu=kblgt2")
        self.assertEqual(len(rows), 3000)
        for row in (rows[0], rows[1023], rows[1024], rows[2999]):
            self.check_metrics(row, vector["metrics"]["RenderBasic"])

    def test_variables(self):
        devices = self.vectors["devices"]
        for device in ("kblgt2_23eu", "kblgt2_ss101", "kblgt2_ss110"):
            options = [f"--var={name}={value}" for name, value in devices[device]["vars"].items()
                       if name != "GpuMaxFrequency"]
            for vector in (v for v in self.vectors["vectors"] if v["device"] == device):
                rows, _ = self.rows(bytes.fromhex(vector["begin"] + vector["end"]), "-g", "kblgt2", *options)
                self.check_metrics(rows[0], vector["metrics"]["RenderBasic"], vector["unavailable"]["RenderBasic"])

    def test_haswell(self):
        vector = load("haswell.json")["vectors"][0]
        rows, _ = self.rows(bytes.fromhex(vector["begin"] + vector["end"]), "-g", "hsw")
        self.check_metrics(rows[0], vector["metrics"]["RenderBasic"], vector["unavailable"]["RenderBasic"])

    def test_results_of_mdapi(self):
        vectors = [v for v in load("mdapi.json")["vectors"] if v["device"] == "kblgt2"]
        rows, _ = self.rows(b"".join(bytes.fromhex(v["mdapi"]) for v in vectors), "-g", "kblgt2", "--layout",
                            "mdapi-gfx9")
        self.assertEqual(len(rows), len(vectors))
        for row, vector in zip(rows, vectors):
            self.check_metrics(row, vector["metrics"]["RenderBasic"])

    def test_unseen_wraps(self):
        vector = self.pairs[1]
        begin, end = bytes.fromhex(vector["begin"]), bytearray(bytes.fromhex(vector["end"]))
        end[4:8] = struct.pack("<I", (struct.unpack("<I", begin[4:8])[0] + 5 * 12000000) & 0xFFFFFFFF)
        rows, _ = self.rows(begin + bytes(end), "-g", "kblgt2", "--var", "GpuMaxFrequency=1050000000")
        self.assertEqual(rows[0]["GpuCoreClocks_cycles"], "")
        self.assertEqual(rows[0]["GpuTime_ns"], "5000000000")
        self.assertNotEqual(rows[0]["VsThreads"], "")

    def stream(self):
        reports = [bytes.fromhex(self.pairs[1]["begin"]), bytes.fromhex(self.pairs[1]["end"])]
        return [record(1, struct.pack("<I", 0x2209003E) + report[4:]) for report in reports]

    def test_streams_are_decoded(self):
        first, second = self.stream()
        rows, _ = self.rows(first + second + record(2) + first + record(77) + second, "-g", "kblgt2")
        self.assertEqual([row["offset"] for row in rows], ["272", "544", "816"])
        for row in (rows[0], rows[2]):
            self.check_metrics(row, self.pairs[1]["metrics"]["RenderBasic"])
        self.assertEqual(rows[0]["reason"], "timer")
        self.assertEqual(rows[0]["slice_clock_hz"], str(17 * 16666667))
        self.assertEqual(rows[0]["unslice_clock_hz"], str(62 * 16666667))
        self.assertEqual(int(rows[0]["context"], 16), int(self.pairs[1]["header"]["end"]["ctx_id"], 16))

    def test_lost_buffer_parts_a_stream(self):
        first, second = self.stream()
        rows, _ = self.rows(first + second + record(3) + first + second, "-g", "kblgt2")
        self.assertEqual([row["offset"] for row in rows], ["272", "808"])
        self.refused(first + record(3) + second, 536, "two consecutive reports", "-g", "kblgt2")

    def test_torn_files(self):
        first, second = self.stream()
        out = self.refused(first + second + first[:100], 528, "inside a record")
        self.assertEqual(len(out.split("\r\n")), 3) # the rows before the error are printed
        self.refused(first + second + first[:5], 528, "inside a record")
        out = self.refused(bytes.fromhex(self.pairs[1]["begin"] + self.pairs[1]["end"])[:-1], 256, "511 bytes")
        self.assertEqual(out, "")
        data = bytes.fromhex(self.pairs[1]["begin"] + self.pairs[1]["end"])
        self.refused(data + data[:77], 512, "77 of 256 bytes")
        self.refused(data + data[:256], 512, "no end report", "--pairs")
        self.refused(b"", 0, "empty")

    def test_foreign_files(self):
        first, second = self.stream()
        self.refused(b"frame,pass\r\n1,2\r\n" * 40, 0, "text")
        self.refused(b"\x7fELF" + bytes(1000), 0, "ELF")
        self.refused(first + second + bytes(64), 528, "not an i915-perf record")
        self.refused(first + struct.pack("<IHH", 1, 0, 136) + bytes(600), 264, "not an i915-perf record")
        self.refused(bytes(100), 0, "100 bytes", "-g", "kblgt2")

    def test_random_bytes_never_crash(self):
        source = random.Random(1)
        for i in range(60):
            data = source.randbytes(source.randrange(3000))
            if i % 3 == 0:
                data = b"".join(self.stream()) + record(source.randrange(5), data[:source.randrange(300)]) + data
            for kind in ("intel-oa", "mali"):
                status, _, err = self.run_on(data, kind=kind)
                self.assertIn(status, (0, 125), err)

    def test_wrong_arguments_are_refused(self):
        data = bytes(512)
        for options, words in ((("-g", "kblgt9"), "kblgt9"), (("-g", "kblgt2", "-s", "Nothing"), "Nothing"),
                               (("--var", "X"), "NAME=NUMBER"), (("--var", "X=y"), "number"),
                               (("--var=X=1",) * 33, "--var: at most 32 times"),
                               (("--layout", "nothing"), "nothing"), (("--bogus",), "bogus")):
            status, _, err = self.run_on(data, *options)
            self.assertEqual(status, 125)
            self.assertIn(words, err)
        self.assertEqual(self.run_on(data, kind="nvidia")[0], 125)
        done = subprocess.run([PASSPROBE, "decode", "intel-oa", "/nonexistent"], capture_output=True, check=False)
        self.assertEqual(done.returncode, 125)
        self.assertIn(b"/nonexistent: No such file", done.stderr)

    def test_standard_input(self):
        data = bytes.fromhex(self.pairs[1]["begin"] + self.pairs[1]["end"])
        done = subprocess.run([PASSPROBE, "decode", "intel-oa", "-"], input=data, capture_output=True, check=False)
        self.assertEqual(done.returncode, 0)
        self.assertEqual(done.stdout.count(b"\r\n"), 2)

    def test_full_disk(self):
        path = os.path.join(self.folder.name, "dump")
        with open(path, "wb") as file:
            file.write(bytes.fromhex(self.pairs[1]["begin"] + self.pairs[1]["end"]) * 100)
        with open("/dev/full", "wb") as full:
            done = subprocess.run([PASSPROBE, "decode", "intel-oa", "-g", "kblgt2", path], stdout=full,
                                  stderr=subprocess.PIPE, check=False)
        self.assertEqual(done.returncode, 125)
        self.assertIn(b"standard output", done.stderr)

    def test_mali_dumps(self):
        status, _, err = self.run_on(b"\1", kind="mali") # the command prints what mali-g76 assumes
        self.assertEqual(status, 125)
        size = int(err.split(" of ")[-1].split(" ")[0])
        self.assertEqual(size % 256, 0)
        dump = bytearray(size)
        for block in range(size // 256):
            dump[block * 256 + 8:block * 256 + 12] = b"\xff\xff\x00\x00" # PRFCNT_EN: all
            for word in range(4, 64):
                struct.pack_into("<I", dump, block * 256 + 4 * word, 1000 + word)
        rows, _ = self.rows(bytes(dump) * 3, kind="mali")
        self.assertEqual(len(rows), 3)
        self.assertEqual(rows[0]["offset"], "0")
        self.assertEqual(rows[2]["offset"], str(2 * size))
        self.assertEqual(rows[0]["MaliGPUCyclesGPUActive_cycles"], "1006")
        self.assertEqual({k: v for k, v in rows[0].items() if k not in ("dump", "offset")},
                         {k: v for k, v in rows[1].items() if k not in ("dump", "offset")})
        rows, _ = self.rows(bytes(dump) * 3, "--differences", kind="mali")
        self.assertEqual(len(rows), 2)
        self.assertEqual(rows[0]["MaliGPUCyclesGPUActive_cycles"], "0")
        self.refused(bytes(dump) + b"xyz", size, "3 of", kind="mali")


if __name__ == "__main__":
    unit_main()
