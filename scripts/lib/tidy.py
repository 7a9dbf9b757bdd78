#!/usr/bin/env python3
"""Runs clang-tidy over the project's host code, in parallel, and only where something changed.

Usage: tidy.py BUILD_FOLDER [--clang-tidy PROGRAM] [--jobs N]

Reads BUILD_FOLDER/compile_commands.json and takes the C++ files of the project itself: no CUDA files, nothing generated,
nothing fetched. A file that was clean is not looked at again until it, a project header that it includes (directly or not),
its compile command, .clang-tidy, the program or this script changes; the notes are kept in BUILD_FOLDER/tidy.
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

ROOT = pathlib.Path(__file__).resolve().parents[2]
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


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--clang-tidy", default="clang-tidy")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    options = parser.parse_args()
    try:
        commands = json.loads((options.build / "compile_commands.json").read_text())
        version = subprocess.run([options.clang_tidy, "--version"], capture_output=True, text=True, check=True).stdout
    except (OSError, ValueError, subprocess.CalledProcessError) as error:
        print(f"clang-tidy cannot run: {error}; run scripts/setup --for test and configure {options.build} first.")
        return 2

    notes = options.build / "tidy"
    notes.mkdir(exist_ok=True)
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

    def check(item):
        source, note, digest = item
        # The commands are g++'s: warnings that clang does not know are no finding.
        done = subprocess.run([options.clang_tidy, "--quiet", "--extra-arg=-Wno-unknown-warning-option",
                               "-p", str(options.build), str(source)],
                              capture_output=True, text=True, check=False)
        if done.returncode == 0:
            note.write_text(digest)
        return source, done

    bad = []
    with concurrent.futures.ThreadPoolExecutor(max(1, options.jobs)) as pool:
        for count, (source, done) in enumerate(pool.map(check, todo), 1):
            print(f"[{count}/{len(todo)}] {source.relative_to(ROOT)}", flush=True)
            if done.returncode != 0:
                bad.append(source)
                print(done.stdout + "\n".join(line for line in done.stderr.splitlines() if "error" in line), flush=True)
    print(f"clang-tidy: {len(sources)} files, {len(todo)} looked at, {len(bad)} with findings")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
