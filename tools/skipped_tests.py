#!/usr/bin/env python3
"""Lists the skipped tests of a ctest JUnit file, each with the last line that it printed: its reason."""
import sys
import xml.etree.ElementTree as ET


def main():
    skipped = []
    for case in ET.parse(sys.argv[1]).getroot().iter("testcase"):
        if case.get("status") in ("notrun", "disabled") or case.find("skipped") is not None:
            lines = (case.findtext("system-out") or "").strip().splitlines()
            skipped.append((case.get("name"), lines[-1] if lines else "no reason given"))
    if skipped:
        print(f"{len(skipped)} tests skipped:")
        for name, reason in skipped:
            print(f"  {name}: {reason}")


main()
