"""Asks DuckDB, where npm has it."""
import json
import os
import subprocess

from harness import LIB, Skip, need

PACKAGE = "@duckdb/node-api@1.5.6-r.1"  # its licence is MIT


class DuckDB:
    """DuckDB in its own process. @param folder Where npm keeps the package."""

    def __init__(self, folder):
        need("node", "npm")
        os.makedirs(folder, exist_ok=True)
        self.folder = folder
        if not os.path.isdir(os.path.join(folder, "node_modules/@duckdb/node-api")):
            try:
                subprocess.run(["npm", "install", "--silent", "--no-audit", "--no-fund", "--prefix", folder, PACKAGE],
                               check=True, timeout=240, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL)
            except (subprocess.SubprocessError, OSError) as error:
                raise Skip(f"npm does not give {PACKAGE}: {error}") from error

    def rows(self, cwd, *asked):
        """Run statements in a folder: the rows of the last one, as dicts. Large numbers are texts."""
        run = subprocess.run(["node", os.path.join(LIB, "duckdb_engine.mjs"), self.folder], input=json.dumps(asked),
                             cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=240, check=False)
        if run.returncode:
            raise AssertionError(run.stderr)
        return json.loads(run.stdout.splitlines()[-1])


def statements(path):
    """The statements of a file; none of them has a semicolon in a text."""
    with open(path, encoding="utf-8") as file:
        lines = [line for line in file if not line.startswith("--")]
    return [text for text in "".join(lines).split(";\n") if text.strip()]
