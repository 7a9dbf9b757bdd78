#!/usr/bin/env python3
"""Runs clang-tidy over the project's host code, in parallel, and only where something changed.

Usage: tidy.py BUILD_FOLDER [--clang-tidy PROGRAM] [--jobs N] [--seconds N]

Reads BUILD_FOLDER/compile_commands.json and takes the C++ files of the project itself: no CUDA files, nothing generated,
nothing fetched. A file that was clean is not looked at again until it, a project header that it includes (directly or not),
its compile command, .clang-tidy, the program or this script changes; the notes are kept in BUILD_FOLDER/tidy.
With --seconds files that are not committed come first, then those whose last commit is the newest, and none is begun after
that time: how many were left out is said in the last line.
Ends with 1 when a file is not clean, 2 when it cannot work.
"""
import argparse
import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
PRECOMPILED = re.compile(r" -Winvalid-pch| -include \S*/cmake_pch\.hxx")
INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.MULTILINE)


def included(source, cache):
    """The source and every project file that it includes, found as the build's include folders find them."""
    seen, todo = set(), [source]
    while todo:
        path = todo.pop()
        if path in seen:
            continue
        seen.add(path)
        if path not in cache:
            found = []
            for name in INCLUDE.findall(path.read_text(encoding="utf-8", errors="replace")):
                for folder in (path.parent, ROOT / "harness", ROOT / "bench", ROOT / "tests", ROOT):
                    if (folder / name).is_file():
                        found.append((folder / name).resolve())
                        break
            cache[path] = found
        todo.extend(cache[path])
    return sorted(seen)


def project_sources(commands):
    """Each of the project's own C++ files once, with its compile command."""
    chosen = {}
    for entry in commands:
        path = (pathlib.Path(entry["directory"]) / entry["file"]).resolve()
        top = path.relative_to(ROOT).parts[0] if path.is_relative_to(ROOT) else ""
        if top in ("harness", "bench", "tests") and path.suffix == ".cpp":
            chosen.setdefault(path, entry.get("command") or " ".join(entry["arguments"]))
    return chosen


def without_precompiled(commands, folder):
    """Writes the compile commands to `folder` without g++'s precompiled headers, which clang cannot read."""
    for entry in commands:
        command = entry.pop("command", None) or " ".join(entry.pop("arguments"))
        entry["command"] = PRECOMPILED.sub(" ", command)
    (folder / "compile_commands.json").write_text(json.dumps(commands))


def newest_first(todo):
    """The files in the order of their last commit, the newest first; as they are where there is no history."""
    changed = subprocess.run(["git", "-C", str(ROOT), "status", "--porcelain", "--no-renames", "--untracked-files=all"],
                             capture_output=True, text=True, check=False).stdout.splitlines()
    listed = [line[3:] for line in changed]
    listed += subprocess.run(["git", "-C", str(ROOT), "log", "--format=", "--name-only", "--no-renames", "-n", "400"],
                            capture_output=True, text=True, check=False).stdout.splitlines()
    age = {}
    for place, name in enumerate(listed):
        age.setdefault(name, place)
    return sorted(todo, key=lambda item: age.get(str(item[0].relative_to(ROOT)), len(listed)))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--clang-tidy", default="clang-tidy")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--seconds", type=float, default=0)
    options = parser.parse_args()
    begun = time.monotonic()
    try:
        commands = json.loads((options.build / "compile_commands.json").read_text())
        version = subprocess.run([options.clang_tidy, "--version"], capture_output=True, text=True, check=True).stdout
    except (OSError, ValueError, subprocess.CalledProcessError) as error:
        print(f"clang-tidy cannot run: {error}; run scripts/setup --for test and configure {options.build} first.")
        return 2

    notes = options.build / "tidy"
    notes.mkdir(exist_ok=True)
    without_precompiled(commands, notes)
    common = hashlib.sha256(((ROOT / ".clang-tidy").read_text() + version + pathlib.Path(__file__).read_text()).encode())
    contents, graph, todo = {}, {}, []
    sources = project_sources(commands)
    for source, command in sorted(sources.items()):
        digest = common.copy()
        digest.update(command.encode())
        for path in included(source, graph):
            if path not in contents:
                contents[path] = hashlib.sha256(path.read_bytes()).digest()
            digest.update(str(path).encode() + contents[path])
        note = notes / (str(source.relative_to(ROOT)).replace("/", "_") + ".clean")
        if not note.is_file() or note.read_text() != digest.hexdigest():
            todo.append((source, note, digest.hexdigest()))

    if options.seconds:
        todo = newest_first(todo)

    def check(item):
        source, note, digest = item
        if options.seconds and time.monotonic() - begun > options.seconds:
            return source, None
        # The commands are g++'s: warnings that clang does not know are no finding.
        done = subprocess.run([options.clang_tidy, "--quiet", "--extra-arg=-Wno-unknown-warning-option",
                               "-p", str(notes), str(source)],
                              capture_output=True, text=True, check=False)
        if done.returncode == 0:
            note.write_text(digest)
        return source, done

    bad, left_out = [], 0
    with concurrent.futures.ThreadPoolExecutor(max(1, options.jobs)) as pool:
        for count, (source, done) in enumerate(pool.map(check, todo), 1):
            if done is None:
                left_out += 1
                continue
            print(f"[{count}/{len(todo)}] {source.relative_to(ROOT)}", flush=True)
            if done.returncode != 0:
                bad.append(source)
                print(done.stdout + "\n".join(line for line in done.stderr.splitlines() if "error" in line), flush=True)
    print(f"clang-tidy: {len(sources)} files, {len(todo) - left_out} looked at, {len(bad)} with findings"
          + (f", {left_out} left out for lack of time" if left_out else ""))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
