#!/usr/bin/env python3
"""Lists the tests of a ctest JUnit file that were skipped, each with its reason (the last line that it printed), and
those that failed, each with the end of what it printed. Tests that are off in a preset, and run in another one, are not
listed."""
import sys
import xml.etree.ElementTree as ET


def main():
    skipped = []
    failed = []
    for case in ET.parse(sys.argv[1]).getroot().iter("testcase"):
        if case.find("skipped") is not None:
            lines = (case.findtext("system-out") or "").strip().splitlines()
            skipped.append((case.get("name"), lines[-1] if lines else "no reason given"))
        elif case.get("status") in ("fail", "notrun"):
            failed.append((case.get("name"), (case.findtext("system-out") or "").strip().splitlines()[-25:]))
    if skipped:
        print(f"{len(skipped)} tests skipped:")
        for name, reason in skipped:
            print(f"  {name}: {reason}")
    for name, lines in failed:
        print("\n".join([f"failed: {name}", *("    " + line for line in lines)]))


main()
