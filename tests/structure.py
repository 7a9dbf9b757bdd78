#!/usr/bin/env python3
"""Checks how the house is built: includes only point to rooms nearer the ground, files stay short, nothing machine-bound, every
link of a page leads to something.

Usage: structure.py [FILE...]     (without files: everything that git tracks or would track)

Prints one line per finding, "path:line: sentence"; ends with 1 if there is one.
"""
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
CODE = {".cpp", ".hpp", ".cu", ".cuh", ".h"}
SCRIPT = {".sh", ".py", ".bats", ".cmake"}
LINES_MOST = 400
# Other people's files, kept as they were published.
BORROWED = ("harness/report/uplot/", "tests/schema/")
# From the ground up: a room may include itself and, of what stands before it, what is named here ("may use" in
# docs/architecture.md).
MAY_USE = {
    "result": [],
    "stack": ["result"],
    "run": ["stack", "result"],
    "baseline": ["result"],
    "judge": ["baseline", "result"],
    "diagnose": ["stack", "result"],
    "store": ["judge", "baseline", "result"],
    "report": ["store", "diagnose", "judge", "baseline", "stack", "result"],
    "conductor": ["report", "store", "diagnose", "judge", "baseline", "run", "stack", "result"],
    "cli": ["conductor", "report", "store", "diagnose", "judge", "baseline", "run", "stack", "result"],
}
HARNESS = list(MAY_USE)
# [words](place), ![words](picture); the place without what follows its #. Places of a web are not looked up.
LINK = re.compile(r"\]\((?![a-z]+:)([^)#\s]+)")
INCLUDE = re.compile(r'^\s*#\s*include\s*(["<])([^">]+)[">]')
CUDA_HEADER = re.compile(r"^(cuda|cublas|cudnn|cufft|cupti|nccl|nvml|nvrtc|cub/|thrust/)")
# Assembled from parts, so that this file does not find itself.
FORBIDDEN = [
    (re.compile(r"(?<![\w.])/(" + "home|Users" + r")/[a-z]\w+/"), "an absolute home path"),
    (re.compile(r"(?<![\w.$}])/(" + "root|work" + r")/\w"), "an absolute path of one machine"),
    (re.compile(r"\b(" + "|".join(["TO" + "DO", "FIX" + "ME", "X" * 3]) + r")\b"), "an unfinished-work mark"),
    (re.compile("pypi" + r"\.org|pythonhosted" + r"\.org|pypi\." + "nvidia"), "the name of a package index host"),
    (re.compile("<" * 7 + " |" + ">" * 7 + " "), "a merge conflict mark"),
]

# Children are started by their program and words. What is declared with such a name, or belongs to a class, is another thing.
SHELL = re.compile(r"(?<![\w.>:])(?:(?:std)?::)?(?:system|popen|wordexp|execl[pe]?)\s*\((?!const )|[\"/](?:ba|da|a|z|k|c|tc|fi)?sh\"")
# Names the shells that it writes a script for, and starts none.
NAMES_SHELLS = "harness/cli/completion.cpp"

# What NVML has for changing a GPU: all of it is called nvmlDeviceSet..., ...Reset..., ...Clear..., or the like.
CHANGES_A_GPU = re.compile(r"\bnvml(?:Device|Unit|GpuInstance|Gpm|Vgpu|System)\w*?(?:Set|Reset|Clear|Lock|Unlock|Create|Destroy|Activate|Deactivate|Modify|Remove)[A-Z]\w*")

# What CUDA has for changing a device or a context, and who may call it: what else would change a machine's settings is written
# down in docs/threats.md first. `(` ends the name, so that a sentence may speak of it.
CHANGES_CUDA = re.compile(
    r"\b(cuda(?:DeviceSet(?!GraphMem)\w+|DeviceReset|SetDeviceFlags|SetValidDevices|CtxReset\w+|DeviceEnablePeerAccess|DeviceDisablePeerAccess|"
    r"DeviceFlushGPUDirectRDMAWrites|MemPoolSetAttribute|ProfilerSt(?:art|op))|"
    r"cu(?:CtxSet(?!Current)\w+|CtxReset\w+|CtxEnablePeerAccess|CtxDisablePeerAccess|DevicePrimaryCtx(?:Reset|SetFlags)(?:_v\d)?|"
    r"DeviceSet\w+|MemPoolSetAttribute|ProfilerSt(?:art|op)))\s*\(")
MAY_CHANGE_CUDA = {
    # Of this process's context: gives L2 back that was set aside; the injected fault sets it aside.
    "cudaDeviceSetLimit": ("bench/support/cuda/persisting_l2.cpp", "bench/faults/persisting_l2.cu"),
    "cudaCtxResetPersistingL2Cache": ("bench/support/cuda/persisting_l2.cpp",),
    # Of this process's own context, and gone with it.
    "cudaDeviceEnablePeerAccess": ("bench/copy/peer_pairs.cpp",),
    "cudaDeviceDisablePeerAccess": ("bench/copy/peer_pairs.cpp",),
    "cudaMemPoolSetAttribute": ("bench/launch/allocate.cpp",),
}

# An option with the name of a file says by reads() or writes() what becomes of it (harness/cli/named_files.hpp).
UNDECLARED_FILE = re.compile(r'type_name\("[^"]*(?:FILE|PATH|RUN|LOCK)')


def room_of(path):
    """('harness', 'run') for harness/run/x.cpp, ('bench', 'gemm'), ('kernels', ''), ('tests', 'unit/run')."""
    parts = path.parts
    if parts[0] == "tests" and len(parts) > 3 and parts[1] == "unit":
        return "tests", parts[2]
    return parts[0], parts[1] if len(parts) > 2 else ""


def target_of(include, path):
    """The room that an include points to, or None for a borrowed library's or a file beside it."""
    if (ROOT / "harness" / include).is_file():
        return "harness", include.split("/")[0]
    if (ROOT / "bench" / include).is_file():
        return "bench", include.split("/")[0]
    if include.startswith("kernels/") and (ROOT / include).is_file():
        return "kernels", ""
    if (ROOT / "tests" / include).is_file():
        return "tests", ""
    if (ROOT / path.parent / include).is_file():
        return room_of(path)
    return None


def include_problem(path, include):
    """Why this include may not stand in this file, or None."""
    top, room = room_of(path)
    target = target_of(include, path)
    if include.startswith("../"):
        return "includes go by room, never by ../"
    if top == "harness" and CUDA_HEADER.match(include) and not target:
        return f"the harness uses no CUDA header: {include}"
    if target is None:
        return None
    to_top, to_room = target
    allowed = {
        "kernels": to_top == "kernels",
        "harness": to_top == "harness",
        "bench": to_top == "kernels" or (to_top == "harness" and to_room == "result")
                 or (to_top == "bench" and to_room in ("support", room)),
        "tests": True,
    }.get(top, True)
    if not allowed:
        return f"{top}/{room} may not use {to_top}/{to_room} ({include})"
    height = room if top in ("harness", "tests") else ""
    if to_top == "harness" and height in HARNESS and to_room in HARNESS:
        if HARNESS.index(to_room) > HARNESS.index(height):
            return f"{height} stands nearer the ground than {to_room} and may not use it ({include})"
        # A unit test takes help from anywhere below its room.
        if top == "harness" and to_room != height and to_room not in MAY_USE[height]:
            return f"{height} may use {', '.join(MAY_USE[height])}, and not {to_room} ({include})"
    return None


def problems(path):
    """Yields (line, sentence) for one file, given relative to the root."""
    try:
        lines = (ROOT / path).read_text(encoding="utf-8").splitlines()
    except UnicodeDecodeError:
        return
    is_code = path.suffix in CODE
    is_script = path.suffix in SCRIPT or (path.parts[0] in ("scripts", ".ci") and path.suffix == "")
    if (is_code or is_script) and len(lines) > LINES_MOST:
        yield len(lines), f"{len(lines)} lines; split what is longer than {LINES_MOST}"
    for number, line in enumerate(lines, 1):
        for pattern, what in FORBIDDEN:
            if pattern.search(line):
                yield number, f"holds {what}"
        for place in LINK.findall(line) if path.suffix == ".md" else ():
            if not (ROOT / path.parent / place).exists():
                yield number, f"links to {place}, which is not there"
        if is_code and path.parts[0] in ("harness", "bench", "kernels") and path.as_posix() != NAMES_SHELLS and SHELL.search(line):
            yield number, "starts a shell; start the program itself with its words"
        if is_code and path.parts[0] in ("harness", "bench", "kernels") and CHANGES_A_GPU.search(line):
            yield number, "names a function of NVML that changes a GPU; what is measured is left as it is"
        if is_code and path.parts[0] in ("harness", "bench", "kernels"):
            for name in CHANGES_CUDA.findall(re.sub(r'"(?:\\.|[^"\\])*"', '""', line)):
                if path.as_posix() not in MAY_CHANGE_CUDA.get(name, ()):
                    yield number, f"calls {name}, which changes a device or a context; MAY_CHANGE_CUDA names who may"
        if is_code and path.parts[:2] == ("harness", "cli") and UNDECLARED_FILE.search(line):
            yield number, "names a file without saying whether it is read or written: reads() or writes()"
        match = INCLUDE.match(line) if is_code else None
        if match:
            problem = include_problem(path, match.group(2))
            if problem:
                yield number, problem


def pin_problems(path):
    """Yields (line, sentence) where a file that cannot read scripts/versions.env names another version of clang's tools."""
    if path.as_posix() not in ("CMakePresets.json", ".pre-commit-config.yaml"):
        return
    pinned = re.search(r"^CLANG_TOOLS_VERSION=(.+)$", (ROOT / "scripts/versions.env").read_text(encoding="utf-8"), re.M)[1]
    for number, line in enumerate((ROOT / path).read_text(encoding="utf-8").splitlines(), 1):
        for tool, version in re.findall(r"\b(clang(?:-[a-z]+|\+\+)?)-(\d+)\b", line):
            if version != pinned:
                yield number, f"names {tool}-{version}; scripts/versions.env pins {pinned}"


def main(arguments):
    if arguments:
        files = [pathlib.Path(name).resolve().relative_to(ROOT) for name in arguments]
    else:
        listed = subprocess.run(["git", "-C", str(ROOT), "ls-files", "--cached", "--others", "--exclude-standard", "-z"],
                                capture_output=True, check=True).stdout.decode()
        files = sorted({pathlib.Path(name) for name in listed.split("\0") if name})
    count = 0
    for path in files:
        if not (ROOT / path).is_file() or (ROOT / path).is_symlink() or path.as_posix().startswith(BORROWED):
            continue
        for line, sentence in (*problems(path), *pin_problems(path)):
            print(f"{path}:{line}: {sentence}")
            count += 1
    print(f"structure: {len(files)} files, {count} findings")
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
