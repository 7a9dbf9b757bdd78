#!/usr/bin/env python3
"""Runs clang-tidy over the project's host code, in parallel, and only where something changed.

Usage: tidy.py BUILD_FOLDER [--clang-tidy PROGRAM] [--jobs N] [--seconds N]

Reads BUILD_FOLDER/compile_commands.json and takes the C++ files of the project itself: no CUDA files, nothing generated,
nothing fetched. Several files are read as one where that shows the same (tidy_groups.py); what is found in a group counts only when
the file alone shows it. Every file is looked at with a small budget for the static analyzer, then by the analyzer alone with all of
its budget, "deeply". A file that was clean is not looked at again until it, a project header that it includes (directly or not),
its compile command, .clang-tidy, the program or these scripts change; the notes are kept in BUILD_FOLDER/tidy.
With --seconds files that are not committed come first, then those whose last commit is the newest, none is begun after that
time, and what has not ended a third of it later is ended: how many were left out, or not looked at deeply, is said in the last line.
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

import tidy_groups

ROOT = pathlib.Path(__file__).resolve().parents[2]
# In one group: enough that headers no longer count, few enough that one file with findings does not cost much.
# What a deep look costs is hardly ever the headers.
MOST_FILES, MOST_LINES, MOST_DEEP = 12, 1500, 3
# States that the analyzer follows in one function. Its own budget goes to functions whose loops would take any budget, nine
# tenths of all time: the first look stops far before.
FIRST_LOOK = ["-Xclang", "-analyzer-config", "-Xclang", "max-nodes=25000"]
ANALYZER = "--checks=-*,clang-analyzer-*,-clang-analyzer-cplusplus.NewDeleteLeaks"
NAMED = re.compile(r"^(/[^:\n]+):\d+:\d+: (?:error|warning): .*\[([^\],]+)", re.MULTILINE)
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
    return sorted(todo, key=lambda item: age.get(str(item.relative_to(ROOT)), len(listed)))


def tidy(program, path, flags, deep, until):
    """What clang-tidy says of one file, and nothing where it is clean; a deep look is the analyzer's alone, with all its budget.
    TimeoutExpired where it has not ended by `until`."""
    options = [ANALYZER] if deep else []
    # The flags are g++'s, and so is what the code asks of a compiler: warnings that clang does not know are no finding, and folds of
    # 512 are compiled.
    done = subprocess.run([program, "--quiet", f"--config-file={ROOT / '.clang-tidy'}", *options, str(path), "--",
                           "-Wno-unknown-warning-option", "-fbracket-depth=1024", *flags, *([] if deep else FIRST_LOOK)],
                          capture_output=True, text=True, check=False, timeout=max(0, until - time.monotonic()) if until else None)
    if done.returncode == 0:
        return ""
    return done.stdout + "\n".join(line for line in done.stderr.splitlines() if "error" in line)


def look(program, unit, group, deep, until):
    """What clang-tidy says of the sources of a group that are not clean. What it finds in the group it must find in the file
    alone; where they do not compile as one, or the finding is in none of them, each half is looked at."""
    suspects = group
    if len(group) > 1:
        said = tidy(program, unit, tidy_groups.write_unit(unit, group), deep, until)
        if not said:
            return {}
        named = NAMED.findall(said)
        paths = {pathlib.Path(path) for path, _ in named}
        compiles = not any(check == "clang-diagnostic-error" for _, check in named)
        if not compiles or not named or not paths <= {source.path for source in group}:
            middle = len(group) // 2
            return look(program, unit, group[:middle], deep, until) | look(program, unit, group[middle:], deep, until)
        suspects = [source for source in group if source.path in paths]
    alone = {source.path: tidy(program, source.path, [f"-D{each}" for each in source.defines] + list(source.flags), deep, until)
             for source in suspects}
    return {path: said for path, said in alone.items() if said}


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
    scripts = "".join(pathlib.Path(each).read_text() for each in (__file__, tidy_groups.__file__))
    common = hashlib.sha256(((ROOT / ".clang-tidy").read_text() + version + scripts).encode())
    contents, graph, marks, done = {}, {}, {}, {}
    commands = project_sources(commands)
    for source, command in sorted(commands.items()):
        digest = common.copy()
        digest.update(command.encode())
        for path in included(source, graph):
            if path not in contents:
                contents[path] = hashlib.sha256(path.read_bytes()).digest()
            digest.update(str(path).encode() + contents[path])
        note = notes / (str(source.relative_to(ROOT)).replace("/", "_") + ".clean")
        marks[source] = note, digest.hexdigest()
        found = note.read_text().split() if note.is_file() else []
        done[source] = len(found) if found[:1] == [digest.hexdigest()] else 0

    def pass_over(deep):
        """Looks at what has not been looked at so deep; the files with findings, and how many there was no time for."""
        todo = [source for source in commands if done[source] == (1 if deep else 0)]
        todo = newest_first(todo) if options.seconds else todo
        groups = tidy_groups.grouped([tidy_groups.Source(source, commands[source]) for source in todo],
                                     MOST_DEEP if deep else MOST_FILES, MOST_LINES)

        def check(place):
            if options.seconds and time.monotonic() - begun > options.seconds:
                return None
            unit = notes / f"{tidy_groups.PREFIX}{'-deep' if deep else ''}-{place}.cpp"
            try:
                return look(options.clang_tidy, unit, groups[place], deep, begun + options.seconds * 4 / 3 if options.seconds else 0)
            except subprocess.TimeoutExpired:
                return None

        bad, left_out, count = 0, 0, 0
        with concurrent.futures.ThreadPoolExecutor(max(1, options.jobs)) as pool:
            for group, found in zip(groups, pool.map(check, range(len(groups)))):
                if found is None:
                    left_out += len(group)
                    continue
                for source in group:
                    count += 1
                    print(f"[{count}/{len(todo)}] {source.path.relative_to(ROOT)}{' (deep)' if deep else ''}", flush=True)
                    if source.path in found:
                        bad += 1
                        print(found[source.path], flush=True)
                        continue
                    note, digest = marks[source.path]
                    done[source.path] = 2 if deep else 1
                    note.write_text(digest + (" deep" if deep else ""))
        return count, bad, left_out

    looked, bad, left_out = pass_over(False)
    deeper, deep_bad, shallow = pass_over(True)
    print(f"clang-tidy: {len(commands)} files, {looked} looked at and {deeper} deeply, {bad + deep_bad} with findings"
          + (f", {shallow} not deeply for lack of time" if shallow else "")
          + (f", {left_out} left out for lack of time" if left_out else ""))
    return 1 if bad + deep_bad else 0


if __name__ == "__main__":
    sys.exit(main())
