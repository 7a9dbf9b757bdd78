#!/usr/bin/env bats
# tests/structure.py finds what it is there to find, and nothing in a sound tree.

setup() {
  cd "$BATS_TEST_TMPDIR" || exit
  mkdir -p tests harness/result harness/run harness/judge harness/cli bench/support bench/gemm kernels tests/unit/result
  cp "$GPUGAUGE_SOURCE/tests/structure.py" tests/
  echo 'int r;' >harness/result/units.hpp
  echo '#include "result/units.hpp"' >harness/run/child.hpp
  echo '#include "result/units.hpp"' >harness/judge/judge.hpp
  echo '#include "judge/judge.hpp"' >harness/cli/check.cpp
  echo '#include "result/units.hpp"' >bench/support/trial.hpp
  echo 'int k;' >kernels/copy.cuh
  printf '#include "support/trial.hpp"\n#include "kernels/copy.cuh"\n' >bench/gemm/bf16.cu
  git init -q .
}

# finding FILE TEXT SENTENCE: FILE with TEXT is reported with SENTENCE, and nothing else is.
finding() {
  printf '%b\n' "$2" >"$1"
  run python3 tests/structure.py
  echo "$output"
  [ "$status" -eq 1 ]
  [[ "$output" == *"$1:"*"$3"* ]]
  [[ "$output" == *"1 findings" ]]
}

@test "a sound tree has no findings" {
  run python3 tests/structure.py
  echo "$output"
  [ "$status" -eq 0 ]
  [[ "$output" == *"0 findings" ]]
}

@test "what cannot read the pins names the pinned version" {
  mkdir scripts
  echo CLANG_TOOLS_VERSION=14 >scripts/versions.env
  printf '"clang++-14"\n' >CMakePresets.json
  finding .pre-commit-config.yaml 'entry: clang-format-15 -i' "names clang-format-15; scripts/versions.env pins 14"
}

@test "a room may not include a room above it" {
  finding harness/result/bad.cpp '#include "judge/judge.hpp"' "result stands nearer the ground than judge"
}

@test "a room may not include a room below it that its row does not name" {
  finding harness/judge/bad.cpp '#include "run/child.hpp"' "judge may use baseline, result, and not run"
}

@test "what docs/architecture.md names on the way of a check is there" {
  run python3 - "$GPUGAUGE_SOURCE" <<'PYTHON'
import pathlib, re, sys
root = pathlib.Path(sys.argv[1])
way = (root / "docs/architecture.md").read_text().split("## A check in ten lines")[1].split("\n## ")[0]
def texts(folder):
    return [file.read_text() for ending in ("hpp", "cpp") for file in sorted((root / folder).rglob(f"*.{ending}"))]
def is_there(scope, name):
    call = re.compile(rf"\b{name}\(")
    if scope == "bench" or (scope and (root / "harness" / scope).is_dir()):
        return any(call.search(text) for text in texts("bench/support" if scope == "bench" else f"harness/{scope}"))
    kind = re.compile(rf"\bclass {scope}\b" if scope else "")
    return any(kind.search(text) and call.search(text) for text in texts("harness") + texts("bench/support"))
named = re.findall(r"`(?:(\w+)::)?(\w+)\(\)`", way)
assert len(named) > 25, named
for scope, name in named:
    assert is_there(scope, name), f"{scope}::{name}"
for file in re.findall(r"`([\w/]+\.[ch]pp)`", way):
    assert (root / file).exists() or (root / "harness" / file).exists(), file
PYTHON
  echo "$output"
  [ "$status" -eq 0 ]
}

@test "the rooms and what each may use are those of docs/architecture.md" {
  run python3 - "$GPUGAUGE_SOURCE" <<'PYTHON'
import pathlib, re, sys
root = pathlib.Path(sys.argv[1])
sys.path.insert(0, str(root / "tests"))
import structure
rows = re.findall(r"^\| `(\w+)` \|.*\| ([^|]+) \|$", (root / "docs/architecture.md").read_text(), re.M)
page = {}
for room, rooms in reversed(rows):
    below = list(page)
    page[room] = below if rooms == "all below" else [] if rooms == "nothing of ours" else rooms.split(", ")
wanted = {room: sorted(rooms) for room, rooms in page.items()}
assert wanted == {room: sorted(rooms) for room, rooms in structure.MAY_USE.items()}, wanted
cmake = dict(re.findall(r"^\s*gpugauge_room\((\w+)[^)]*?ROOMS ([a-z ]+?)(?: LIBRARIES|\))", (root / "harness/CMakeLists.txt").read_text(), re.M))
for room, rooms in cmake.items():
    assert sorted(rooms.split()) == wanted[room], (room, rooms)
assert len(cmake) >= 8, cmake
PYTHON
  echo "$output"
  [ "$status" -eq 0 ]
}

@test "no shell is started" {
  for line in 'int r = std::system("ls");' 'FILE* f = popen(word, "r");' 'execl(a, b, nullptr);' 'run({"/bin/sh", "x"});' 'run({"sh", "x"});' \
    'run({"bash", "-c", x});' 'const char* program = "bash";' 'run({"/usr/bin/env", "dash"});' 'spawn("/bin/ash");' '"zsh"' '"fish"' '"/usr/bin/tcsh"'; do
    finding harness/cli/bad.cpp "$line" "starts a shell"
  done
  echo 'const OsSupport* system(const std::string& id); auto t = tables.system(id); auto s = "flash" "a.sh" "Bash" + "bash_completion";' >harness/cli/bad.cpp
  echo 'auto s = "bash";' >harness/cli/completion.cpp
  run python3 tests/structure.py
  echo "$output"
  [ "$status" -eq 0 ]
}

@test "nothing names a function of NVML that changes a GPU" {
  for name in nvmlDeviceSetPersistenceMode nvmlDeviceResetGpuLockedClocks nvmlDeviceClearEccErrorCounts nvmlDeviceCreateGpuInstance nvmlDeviceSetMigMode_v2; do
    finding harness/run/bad.cpp "load(\"$name\");" "changes a GPU"
  done
  echo 'load("nvmlDeviceGetClockInfo"); load("nvmlEventSetCreate_v2"); load("nvmlInit_v2");' >harness/run/bad.cpp
  run python3 tests/structure.py
  [ "$status" -eq 0 ]
}

@test "what changes a device or a context of CUDA is called where that is allowed only" {
  for call in 'cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, 0);' 'cudaCtxResetPersistingL2Cache();' 'cudaDeviceReset();' \
    'check(cuCtxSetLimit(a, 1));' 'cuDevicePrimaryCtxReset_v2 (0);' 'cudaDeviceSetCacheConfig(x);' 'cudaMemPoolSetAttribute(p, a, &v);'; do
    finding bench/gemm/bad.cu "$call" "which changes a device or a context"
  done
  mkdir bench/support/cuda
  echo 'cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, 0);' >bench/support/cuda/persisting_l2.cpp
  echo 'auto s = "cudaDeviceSetLimit(..., 0)"; cudaSetDevice(0); cuCtxSetCurrent(c); cudaDeviceGetLimit(&n, l);' >bench/gemm/bad.cu
  run python3 tests/structure.py
  echo "$output"
  [ "$status" -eq 0 ]
}

@test "an option that names a file says whether it is read or written" {
  for name in FILE "KIND=FILE" RUN PATH "FILE|URL"; do
    finding harness/cli/bad.cpp "command->add_option(\"--x\", x)->type_name(\"$name\");" "reads() or writes()"
  done
  echo 'command->add_option("--x", x)->type_name("DIR"); reads(command->add_option("--y", y), "FILE");' >harness/cli/bad.cpp
  run python3 tests/structure.py
  [ "$status" -eq 0 ]
}

@test "a room's unit test may not include a room above it" {
  finding tests/unit/result/test_bad.cpp '#include "judge/judge.hpp"' "result stands nearer the ground than judge"
}

@test "bench may use the result schema only" {
  finding bench/gemm/bad.cu '#include "judge/judge.hpp"' "bench/gemm may not use harness/judge"
}

@test "the harness may not include the benches" {
  finding harness/cli/bad.cpp '#include "support/trial.hpp"' "harness/cli may not use bench/support"
}

@test "kernels stand on their own" {
  finding kernels/bad.cu '#include "support/trial.hpp"' "kernels/ may not use bench/support"
}

@test "the harness includes no CUDA header" {
  finding harness/cli/bad.cpp '#include <cuda_runtime.h>' "the harness uses no CUDA header"
}

@test "includes go by room" {
  finding harness/judge/bad.cpp '#include "../result/units.hpp"' "never by ../"
}

@test "a file of 401 lines is too long" {
  finding harness/judge/bad.cpp "$(printf 'int a;\\n%.0s' {1..400})int b;" "split what is longer than 400"
}

@test "no absolute home path" {
  finding README.md "see /ho""me/someone/notes" "an absolute home path"
}

@test "no unfinished-work mark" {
  finding harness/judge/bad.cpp "// TO""DO later" "an unfinished-work mark"
}
