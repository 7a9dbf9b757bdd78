#!/usr/bin/env python3
"""What scripts/record keeps of a stage: how much of what was asked it reached, and what that holds for.

Usage: recorded.py count KIND FILE...  prints a summary as JSON (counts.py). KIND:
         tests       files of suites.py, together; sanitizer: those under compute-sanitizer
         run         run files, together; launch: one, whose benchmarks count only with a p99
         ratios      run files, for ratios.py; pytorch: those against PyTorch; spread: how far processes differ
         doctor      a doctor's report
         faults      the file of `gpugauge selftest --inject --output`
         check       the times of verdicts, and the report of the one against a baseline
       recorded.py percentiles RUN_FILE prints p50, p90 and p99 over the batches as a Markdown table
       recorded.py installed WORDS...   those of the ids on standard input that `WORDS...`, a JSON list of benchmarks, has
       recorded.py state FOLDER         prints how a stage stands, one line
       recorded.py seconds FOLDER       prints how long it took when it was recorded; nothing where it was not
       recorded.py limit_seconds FOLDER likewise, how long it might have taken
       recorded.py list                 reads lines of stage, claim, folder and remark, with tabs between; prints a table
       recorded.py keep BASELINES PAGE  reads the same; copies what is recorded into BASELINES/GPU/STAGE, and PAGE says so
       recorded.py archive FOLDER FILE  writes what is recorded in FOLDER into FILE, a tar.xz, all at once

state and list compare with what is here: the variables GPU_UUID (empty: no usable GPU), BOOT_ID, DRIVER and BUILD_IDENTITY
(empty: no build). count ends with 0 when there is anything to record, 1 when not; state with 0 when all is reached here, 1 when
it is recorded here and falls short, 2 when it is not recorded for what is here. 3: a file cannot be read.
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tarfile
import textwrap

from counts import KINDS, NothingToRecord, load, percentiles
from kept import archive, keep

TIMED_OUT = (124, 137)    # what timeout(1) ends with
SHOWN = 3                 # names that one line of a state holds


def named(title, entries):
    """"; TITLE: a, b, c and 4 more", or nothing. Names only: their reasons stand in summary.json."""
    if not entries:
        return ""
    names = [textwrap.shorten(entry, 100, placeholder=" ...") if title == "below" else entry.split(": ")[0]
             for entry in entries[:SHOWN]]
    return f"; {title}: " + ", ".join(names) + (f" and {len(entries) - SHOWN} more" if len(entries) > SHOWN else "")


def elsewhere(provenance):
    """What differs from what is here: a list of "for another GPU: ..." and the like."""
    out = []
    here = {name: os.environ.get(name, "") for name in ("GPU_UUID", "BOOT_ID", "DRIVER", "BUILD_IDENTITY")}
    if here["GPU_UUID"] and provenance["gpu_uuid"] != here["GPU_UUID"]:
        out.append(f"for another GPU, {provenance['gpu_uuid']}")
    if here["GPU_UUID"] and provenance["boot_id"] != here["BOOT_ID"]:
        out.append(f"at another boot, {provenance['boot_id']}")
    if here["GPU_UUID"] and provenance["driver"] != here["DRIVER"]:
        out.append(f"under another driver, {provenance['driver']}")
    if here["BUILD_IDENTITY"] and provenance["build"] != here["BUILD_IDENTITY"]:
        out.append(f"by another build, {provenance['build']}")
    return out


def last_line(path):
    """The last line of a log that says anything; "" where there is none."""
    try:
        lines = pathlib.Path(path).read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return ""
    said = [" ".join(line.split()) for line in lines if line.strip()]
    return "".join(one if one.isprintable() else "?" for one in said[-1][:200]) if said else ""


def failure(folder, provenance):
    """How a try ended that recorded nothing, one clause."""
    if provenance["exit_status"] in TIMED_OUT:
        why = f"ran past its {provenance['limit_seconds']} s"
    else:
        why = f"status {provenance['exit_status']}"
    said = last_line(folder / "log.txt")
    return f"{why}{': ' + said if said else ''}"


def standing(folder):
    """(code, state, provenance or None): see `state` above for the code."""
    folder = pathlib.Path(folder)
    try:
        provenance = load(folder / "provenance.json")
        if provenance["exit_status"] != 0:
            return 2, f"not recorded: tried on {provenance['date'][:10]}, {failure(folder, provenance)}", None
        kept = load(folder / "summary.json")
        text = f"recorded: {kept['reached']} of {kept['asked']} {kept['what']}"
        text += named("below", kept["below"]) + named("no answer", kept["missing"])
        if kept["not_here"]:
            text += f"; {len(kept['not_here'])} {'does' if len(kept['not_here']) == 1 else 'do'} not apply here"
        others = elsewhere(provenance)
        full = kept["reached"] == kept["asked"] and not kept["below"] and not kept["missing"]
    except FileNotFoundError as error:
        without = not error.filename.endswith("provenance.json")
        return 2, f"not recorded: {error.filename} is missing" if without else "not recorded", None
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        return 2, f"not recorded: {folder} cannot be read ({type(error).__name__}: {error})", None
    try:
        later = load(f"{folder}.failed/provenance.json")
        text += f"; a later try failed on {later['date'][:10]}: {failure(pathlib.Path(f'{folder}.failed'), later)}"
    except (OSError, ValueError, KeyError, TypeError):
        pass  # there was none, or it says nothing
    if others:
        text += "; " + "; ".join(others)
    if not os.environ.get("GPU_UUID"):
        return 2, text + "; there is no usable GPU here to compare with", provenance
    return (2 if others else 0 if full else 1), text, provenance


def installed(lines, words):
    """Of the lines, those that are ids in the JSON list that the command prints."""
    answer = subprocess.run(words, capture_output=True, text=True, timeout=120, check=False)
    known = {one["id"] for one in json.loads(answer.stdout)}
    return [line for line in lines if line.strip() in known]


def table(rows, width):
    """Rows of equal length, the first a head; the second and third columns are wrapped to what `width` leaves."""
    fixed = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    left = max(24, (width - sum(fixed) + fixed[1] + fixed[2] - 2 * (len(fixed) - 1)) // 2)
    fixed[1], fixed[2] = min(fixed[1], left), min(fixed[2], left)
    out = []
    for number, row in enumerate(rows):
        cells = [textwrap.wrap(text, fixed[column]) or [""] for column, text in enumerate(row)]
        for line in range(max(map(len, cells))):
            parts = (cell[line] if line < len(cell) else "" for cell in cells)
            out.append("  ".join(part.ljust(size) for part, size in zip(parts, fixed)).rstrip())
        if number == 0:
            out.append("  ".join("-" * size for size in fixed))
    return "\n".join(out)


def listing(lines):
    """The table of `list`."""
    rows = [("stage", "claim", "state", "GPU", "driver", "date")]
    for line in lines:
        name, claim, folder, remark = line.rstrip("\n").split("\t")
        _, state, provenance = standing(folder)
        state += f"; {remark}" if remark else ""
        kept = provenance or {}
        rows.append((name, claim, state, kept.get("gpu_name") or "-", kept.get("driver") or "-",
                     kept.get("date", "-").replace("T", " ")))
    return table(rows, shutil.get_terminal_size((160, 24)).columns)


def main(arguments):
    """The command; its exit code."""
    command, rest = (arguments[0], arguments[1:]) if arguments else ("", [])
    try:
        if command == "count" and len(rest) > 1 and rest[0] in KINDS:
            print(json.dumps(KINDS[rest[0]](rest[1:]), indent=1))
        elif command == "percentiles" and len(rest) == 1:
            print(percentiles(rest[0]), end="")
        elif command == "state" and len(rest) == 1:
            code, text, _ = standing(rest[0])
            print(text)
            return code
        elif command in ("seconds", "limit_seconds") and len(rest) == 1:
            provenance = standing(rest[0])[2]
            seconds = provenance.get(command) if provenance else None
            print(seconds if isinstance(seconds, int) and not isinstance(seconds, bool) and seconds >= 0 else "")
        elif command == "installed" and rest:
            print("".join(installed(sys.stdin, rest)), end="")
        elif command == "list" and not rest:
            print(listing(sys.stdin))
        elif command == "archive" and len(rest) == 2:
            archive(*rest)
        elif command == "keep" and len(rest) == 2:
            return keep([line.rstrip("\n").split("\t")[::2][:2] for line in sys.stdin], *rest)
        else:
            print(__doc__, file=sys.stderr, end="")
            return 3
    except NothingToRecord as error:
        print(f"Nothing to record: {error}.", file=sys.stderr)
        return 1
    except (OSError, ValueError, KeyError, TypeError, tarfile.TarError) as error:
        print(f"recorded.py {' '.join(arguments)}: {type(error).__name__}: {error}", file=sys.stderr)
        return 3
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
