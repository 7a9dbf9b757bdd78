#!/usr/bin/env python3
"""Counts what CTest ran. Usage: count.py JUNIT_FILE

Prints the names of failed and skipped tests, below a failed one the end of what it said ("    | ..."), then
"N passed, N failed, N skipped" on a line of its own.
Ends with 2 when the file cannot be read: no tests counted is never a pass.
"""
import sys
import xml.etree.ElementTree


LINES = 15  # of a failed test's output


def main(path):
    try:
        suite = xml.etree.ElementTree.parse(path).getroot()
    except (OSError, xml.etree.ElementTree.ParseError) as error:
        print(f"{path}: the tests' results cannot be read: {error}")
        return 2
    outcome = {"passed": [], "failed": [], "skipped": []}
    said = {}
    for case in suite.iter("testcase"):
        if case.find("failure") is not None or case.get("status") == "fail":
            outcome["failed"].append(case.get("name"))
            said[case.get("name")] = (case.findtext("system-out") or "").strip().splitlines()[-LINES:]
        elif case.find("skipped") is not None or case.get("status") in ("notrun", "disabled"):
            outcome["skipped"].append(case.get("name"))
        else:
            outcome["passed"].append(case.get("name"))
    if not any(outcome.values()):
        print(f"{path}: no test ran.")
        return 2
    for kind in ("skipped", "failed"):
        for name in sorted(outcome[kind]):
            print(f"  {kind}: {name}")
            for line in said.get(name, []):
                print(f"    | {line}")
    print(", ".join(f"{len(names)} {kind}" for kind, names in outcome.items()))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
