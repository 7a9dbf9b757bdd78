#!/usr/bin/env python3
"""Compiles the project's own C++ files one by one, in a build folder that CMake configured without unity builds.

Usage: separate.py BUILD_FOLDER [--jobs N] [--seconds N]

Each file includes what it uses and hides no name of its own: compiled as one with others (preset ci), that would not show.
With --seconds files that are not committed come first, then those whose last commit is the newest, and none is begun after that
time: how many were left out is said in the last line. Without it everything that the build makes is made, linked too.
Ends with 1 when a file does not compile, 2 when it cannot work.
"""
import argparse
import json
import os
import pathlib
import shlex
import subprocess
import sys
import time

import tidy

# Given to the build at a time: starting it takes half a second, and what was begun is waited for.
BATCH = 16


def objects(commands):
    """Each of the project's own sources with the files that are compiled of it, as the build names them."""
    own = tidy.project_sources(commands)
    made = {source: [] for source in own}
    for entry in commands:
        source = (pathlib.Path(entry["directory"]) / entry["file"]).resolve()
        words = shlex.split(entry["command"])
        if source in made and "-o" in words[:-1]:
            made[source].append(words[words.index("-o") + 1])
    return made


def compile_all(build, jobs, targets):
    """The build's status and what it said."""
    done = subprocess.run(["cmake", "--build", str(build), "-j", str(jobs), "--target", *targets, "--", "-k", "0"],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    return done.returncode, done.stdout


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--seconds", type=float, default=0)
    options = parser.parse_args()
    begun = time.monotonic()
    try:
        made = objects(json.loads((options.build / "compile_commands.json").read_text()))
    except (OSError, ValueError, KeyError) as error:
        print(f"Nothing can be compiled: {error!r}; configure {options.build} first.")
        return 2
    todo = tidy.newest_first(made)
    failed, compiled = 0, 0
    for first in range(0, len(todo), BATCH):
        if options.seconds and time.monotonic() - begun > options.seconds:
            break
        batch = todo[first:first + BATCH]
        status, said = compile_all(options.build, options.jobs, [target for source in batch for target in made[source]])
        compiled += len(batch)
        failed += status != 0
        print(("" if status == 0 else said) + f"[{compiled}/{len(todo)}] up to {batch[-1].relative_to(tidy.ROOT)}", flush=True)
    if not failed and not options.seconds:
        status, said = compile_all(options.build, options.jobs, ["all"])
        failed += status != 0
        print("" if status == 0 else said, end="", flush=True)
    left_out = len(todo) - compiled
    print(f"One by one: {len(todo)} files, {compiled} compiled" + (", not all of them without an error" if failed else "")
          + (f", {left_out} left out for lack of time" if left_out else ""))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
