#!/usr/bin/env bats
# shellcheck disable=SC2016  # what stands in single quotes is expanded by the programs made of it
# scripts/record with a GPU, its tests and the command replaced: what is recorded, what is kept, what is said.

setup() {
  tree="$BATS_TEST_TMPDIR/tree"
  mkdir -p "$tree" "$tree/build/ci/bin" "$BATS_TEST_TMPDIR/fakes"
  cp -r "$GPUGAUGE_SOURCE/scripts" "$tree/scripts"
  export CALLS="$BATS_TEST_TMPDIR/calls" TEST_STATUS=0 UUID=GPU-11111111-2222-3333-4444-555555555555 COMMIT=abc123 NAME="NVIDIA \"Test\" GPU"
  touch "$CALLS"
  export COLUMNS=1000  # no cell of the table is wrapped
  export MADE="$BATS_TEST_TMPDIR/made" RUN_STATUS=0 TORCH_STATUS=0 HEARD="$BATS_TEST_TMPDIR/heard"
  mkdir "$MADE"
  program gpugauge 'output() { while [ "$1" != --output ]; do shift; done; echo "$2"; }
  case "$1" in
    --version) echo "gpugauge 0.1.0"; echo "commit $COMMIT" ;;
    doctor) for word; do case "$word" in json=*|markdown=*) cat "$MADE/doctor" >"${word#*=}" ;; esac; done ;;
    run) echo "run $CUDA_VISIBLE_DEVICES $*" >>"$CALLS"
      case "$*" in *first_launch*) made=launch ;; *"--only hbm"*) made=spread ;; *--ids*|*cub/*) made=ratios ;; *) made=run ;; esac
      cat "$MADE/$made" >"$(output "$@")"; exit "$RUN_STATUS" ;;
    frameworks) echo "frameworks $CUDA_VISIBLE_DEVICES $NVIDIA_TF32_OVERRIDE $*" >>"$CALLS"; cat "$MADE/torch" >"$(output "$@")"
      [ "$TORCH_STATUS" = 0 ] || echo "cannot judge: none of the frameworks asked for is installed"; exit "$TORCH_STATUS" ;;
    selftest) echo "selftest $*" >>"$CALLS"; cat "$MADE/faults" >"$(output "$@")" ;;
  esac'
  made "$MADE"
  program test_gpu 'echo "test_gpu" >>"$CALLS"
    for word; do case "$word" in --gtest_output=*) cat "$MADE/tests" >"${word#--gtest_output=json:}" ;; esac; done
    exit "$TEST_STATUS"'
  cat >"$BATS_TEST_TMPDIR/fakes/nvidia-smi" <<'TEXT'
#!/bin/sh
[ -n "$UUID" ] || { echo "NVIDIA-SMI has failed"; exit 9; }
echo "$UUID, $NAME, 580.65.06"
TEXT
  cat >"$BATS_TEST_TMPDIR/fakes/compute-sanitizer" <<'TEXT'
#!/bin/sh
echo "sanitizer $2" >>"$CALLS"
[ -n "$GPUGAUGE_TEST_SMALL" ] || exit 8
for word; do case "$word" in --gtest_output=*) cat "$MADE/tests" >"${word#--gtest_output=json:}" ;; esac; done
[ "$2" != "$BAD_TOOL" ] || exit 9
TEXT
  chmod +x "$BATS_TEST_TMPDIR/fakes/"*
  PATH="$BATS_TEST_TMPDIR/fakes:$PATH"
}

# made FOLDER: what the fakes answer, all of it good: a doctor's report, runs, tests, a certificate.
made() {
  PYTHONPATH="$GPUGAUGE_SOURCE/scripts/lib" python3 -B - "$1" <<'TEXT'
import json, pathlib, sys
import ratios

folder = pathlib.Path(sys.argv[1])

def run(values, processes=1):
    return {"schema": "gpugauge.run/1", "complete": True, "partial_reason": "", "processes": processes * [
        {"family": "made", "status": "ok", "reason": "", "samples": {"context": {"gpu.compute_capability": "9.0"}, "benchmarks": [
            {"id": name, "status": "ok", "reason": "",
             "batches": {"operations_per_batch": 5, "seconds_per_operation": [1e-6 * (number + 1) for number in range(100)]},
             "metrics": [{"name": metric, "value": value, "class": "hbm", "judged": True}]} for (name, metric), value in values.items()]}}]}

def sides(wanted, torch):
    keys = {tuple(key.split(":")): 1.0 for one in wanted for key in one.others} | {tuple(one.kernel.split(":")): float(one.rate or 1) for one in wanted}
    return {key: value for key, value in keys.items() if key[0].startswith("torch/") == torch}

def write(name, content):
    (folder / name).write_text(json.dumps(content))

write("run", run({("memory/copy/cold", "bandwidth"): 1.0, ("gemm/bf16", "throughput"): 1.0}))
write("launch", run({("launch/enqueue", "latency"): 1.0, ("first_launch/context", "latency"): 1.0}))
write("ratios", run(sides(ratios.LIBRARIES + ratios.PEAKS + ratios.PYTORCH, False)))
write("spread", run({("memory/copy/cold", "bandwidth"): 1.0, ("gemm/bf16", "throughput"): 1.0}, 5))
write("torch", run(sides(ratios.PYTORCH, True)))
write("tests", {"testsuites": [{"name": "Copy", "testsuite": [
    {"name": "IsExact", "status": "RUN", "result": "COMPLETED"}, {"name": "IsWhole", "status": "RUN", "result": "COMPLETED"}]}]})
write("doctor", {"layers": [{"layer": "GPU", "version": "NVIDIA Test GPU"}], "findings": [],
                 "inventory": {"items": [{"key": "a", "answer": "present", "source": "x"}, {"key": "b", "answer": "absent", "source": "y"}]}})
trial = {"problem": ""}
write("faults", {"interrupted": False, "quiet": {"alarms": 0, "trials": [trial]}, "faults": [
    {"fault": "cpu_quota", "not_run": "", "found": 1, "named_first": 1, "confused_with": {}, "trials": [trial]}]})
TEXT
}

# change NAME EXPRESSION...: of what the fakes answer, `it`.
change() {
  python3 -B -c 'import json, sys
path = sys.argv[1]; it = json.load(open(path))
for text in sys.argv[2:]: exec(text)
json.dump(it, open(path, "w"))' "$MADE/$1" "${@:2}"
}

# row STAGE: its line of the table.
row() { "$tree/scripts/record" --list "${@:2}" | grep "^$1  "; }

program() {
  printf '#!/bin/sh\n%s\n' "$2" >"$tree/build/ci/bin/$1"
  chmod +x "$tree/build/ci/bin/$1"
}

record() {
  run "$tree/scripts/record" "$@"
  echo "$output"
}

@test "without a usable GPU: one sentence with the reason, and 3" {
  UUID="" record all
  [ "$status" -eq 3 ]
  [[ "$output" == *"no usable GPU here (nvidia-smi says: NVIDIA-SMI has failed)"* ]]
}

@test "a stage that leaves a file too large to keep has failed, and names it" {
  printf '%s\n' STAGE_ORDER=1 STAGE_TITLE=Large STAGE_PROVES=nothing STAGE_SECONDS=10 \
    'stage_commands() { echo "truncate -s 17M \"\$OUT/large file\"; echo {} >\"\$OUT/summary.json\""; }' >"$tree/scripts/record.d/large.sh"
  record large
  [ "$status" -eq 1 ]
  [[ "$output" == *"large: larger than 16 MiB, which is too much to keep: large file"* ]]
  [[ "$(row large)" == *"not recorded: tried on "*"larger than 16 MiB"* ]]
}

@test "a dry run needs no GPU, runs nothing and shows claims and commands" {
  UUID="" record all --dry-run
  [ "$status" -eq 0 ]
  [[ "$output" == *"bin/test_gpu"* ]]
  [[ "$output" == *"--profile standard"* ]]
  [[ "$output" == *"gpu-tests: GPU tests, to prove: every kernel against its reference"* ]]
  [[ "$output" == *"  not recorded"* ]]
  [ ! -s "$CALLS" ]
}

@test "stages run in order, reach everything, and leave a provenance that is JSON" {
  record all --output "$BATS_TEST_TMPDIR/out"
  [ "$status" -eq 0 ]
  [[ "${lines[-1]}" == "All recorded, and all reached: doctor gpu-tests run spread launch links ratios pytorch faults-gpu faults-products faults-inside faults-start faults-framework faults-host sanitizer" ]]
  cat "$CALLS"
  [ "$(sed -n 1p "$CALLS")" = test_gpu ]
  [[ "$(sed -n 2p "$CALLS")" == "run $UUID run --device $UUID --profile standard"* ]]
  [[ "$(sed -n 3p "$CALLS")" == "run $UUID run --device $UUID --profile standard --only gemm32 --only gemmtf32 --only gemm16 --only gemm8 --only hbm --only launch "* ]]
  [[ "$(sed -n 4p "$CALLS")" == "run $UUID run --device $UUID --profile deep --only launch/* --only first_launch/* "* ]]
  [[ "$(sed -n 5p "$CALLS")" == *" run --device links --profile standard"* ]]
  [[ "$(sed -n 6p "$CALLS")" == "run $UUID run --device $UUID --profile deep --only copy/d2d/1GiB --only cub/histogram"* ]]
  [[ "$(sed -n 7p "$CALLS")" == "frameworks $UUID 0 frameworks torch --output "* ]]
  [[ "$(sed -n 8p "$CALLS")" == *" --profile deep --only copy/d2d/1GiB --only cub/transform/copy --only cub/transform/triad --only gemm/"* ]]
  [[ "$(sed -n 9p "$CALLS")" == "selftest selftest --inject --device $UUID --only launch_blocking --only "* ]]
  [[ "$(sed -n 10p "$CALLS")" == "selftest selftest --inject --device $UUID --only tf32_environment --only tf32_math_mode --output "* ]]
  [[ "$(sed -n 14p "$CALLS")" == "selftest selftest --inject --device host --quiet-runs 3 --only cpu_quota --only "* ]]
  [ "$(sed -n '15,$p' "$CALLS" | tr '\n' ' ')" = "sanitizer memcheck sanitizer racecheck sanitizer synccheck sanitizer initcheck " ]
  grep -q '^| primitive/reduce:bandwidth | cub/reduce:bandwidth | 1.000 | 0.98 | reached |$' "$BATS_TEST_TMPDIR/out/ratios/ratios.md"
  grep -q '^| launch/enqueue | 50 us | 90 us | 99 us | 100 | 5 |$' "$BATS_TEST_TMPDIR/out/launch/launch.md"
  python3 - "$BATS_TEST_TMPDIR/out/run/provenance.json" <<'TEXT'
import json, os, sys
found = json.load(open(sys.argv[1]))
assert found["gpu_uuid"] == os.environ["UUID"], found
assert found["gpu_name"] == os.environ["NAME"], found
assert found["driver"] == "580.65.06", found
assert "abc123" in found["build"], found
assert found["exit_status"] == 0 and found["boot_id"] and found["date"] and found["commands"] and found["proves"], found
TEXT
}

@test "the list is a table: claim, how much is recorded, GPU, driver, date" {
  record gpu-tests
  run row gpu-tests
  echo "$output"
  [[ "$output" == *"every kernel against its reference"*"  recorded: 2 of 2 tests passed  NVIDIA \"Test\" GPU  580.65.06  20"*Z ]]
  [[ "$(row run)" == *"a whole run of the standard profile"*"  not recorded  "*"-"* ]]
  COLUMNS=120 record --list
  [ "$(wc -L <<<"$output")" -le 120 ]
}

@test "what is recorded is not run again, unless asked, also where it fell short" {
  change tests 'it["testsuites"][0]["testsuite"][1].update(result="SKIPPED", skipped=[{"message": "needs two GPUs"}])'
  record gpu-tests
  [ "$status" -eq 1 ]
  record gpu-tests
  [ "$status" -eq 1 ]
  [[ "$output" == *"recorded: 1 of 2 tests passed; no answer: Copy.IsWhole; it is for this GPU, boot, driver and build"* ]]
  [[ "$output" == *"Failed or fell short: gpu-tests"* ]]
  [ "$(wc -l <"$CALLS")" -eq 1 ]
  record gpu-tests --again
  [ "$(wc -l <"$CALLS")" -eq 2 ]
  grep -q 'Copy.IsWhole: needs two GPUs' "$tree/build/record/gpu-tests/summary.json"
}

@test "a recording holds for its own GPU and its own build only, and the list says whose it is" {
  record gpu-tests
  UUID=GPU-99999999-2222-3333-4444-555555555555
  [[ "$(row gpu-tests)" == *"recorded: 2 of 2 tests passed; for another GPU, GPU-11111111-"* ]]
  record gpu-tests
  [[ "$(COMMIT=def456 row gpu-tests)" == *"by another build, gpugauge 0.1.0 commit abc123"* ]]
  COMMIT=def456 record gpu-tests
  [ "$(wc -l <"$CALLS")" -eq 3 ]
  sed -i 's/"boot_id": "[^"]*"/"boot_id": "earlier"/' "$tree/build/record/gpu-tests/provenance.json"
  [[ "$(COMMIT=def456 row gpu-tests)" == *"; at another boot, earlier"* ]]
}

@test "without a GPU or a build the list still says what is recorded, and that nothing was compared" {
  record gpu-tests
  rm -r "$tree/build/ci"
  UUID="" record --list
  [ "$status" -eq 0 ]
  [[ "$output" == *"recorded: 2 of 2 tests passed; there is no usable GPU here to compare with"*"NVIDIA \"Test\" GPU  580.65.06"* ]]
  [[ "$output" == *"There is no usable GPU here (nvidia-smi says: NVIDIA-SMI has failed)"*"There is no built gpugauge"* ]]
}

@test "a stage that crashes ends with 1, names its log and keeps what was recorded before" {
  TEST_STATUS=139 record gpu-tests
  [ "$status" -eq 1 ]
  [[ "$output" == *"log.txt"* ]]
  [[ "$(row gpu-tests)" == *"  not recorded: tried on 20"*", status 1"* ]]
  record gpu-tests
  [ "$status" -eq 0 ]
  TEST_STATUS=139 record gpu-tests --again
  [ "$status" -eq 1 ]
  [[ "$(row gpu-tests)" == *"  recorded: 2 of 2 tests passed; a later try failed on 20"* ]]
}

@test "tests that fail are recorded as such, by name" {
  change tests 'it["testsuites"][0]["testsuite"][0]["failures"] = [{"failure": "copy.cu:7\nexpected 0"}]'
  TEST_STATUS=1 record gpu-tests
  [ "$status" -eq 1 ]
  [[ "$(row gpu-tests)" == *"  recorded: 1 of 2 tests passed; below: Copy.IsExact: copy.cu:7 expected 0  NVIDIA"* ]]
}

@test "GPU tests that were all skipped prove nothing" {
  change tests 'for test in it["testsuites"][0]["testsuite"]: test["result"] = "SKIPPED"'
  record gpu-tests
  [ "$status" -eq 1 ]
  [[ "$(row gpu-tests)" == *"not recorded: tried on "*"Nothing to record: none of 2 tests passed: Copy.IsExact."* ]]
}

@test "a ratio below its bound is recorded, and nobody calls it proven; one that lacks a side is no answer" {
  change ratios 'for one in it["processes"][0]["samples"]["benchmarks"]:
    if one["id"] == "primitive/reduce": one["metrics"][0]["value"] = 0.5
    if one["id"] == "cub/scan/exclusive": one.update(status="skipped", reason="too little memory")'
  record ratios
  [ "$status" -eq 1 ]
  [[ "$output" != *proven* ]]
  [[ "$(row ratios)" == *"recorded: 22 of 24 ratios reached; below: primitive/reduce:bandwidth: 0.500 of 0.98; no answer: primitive/scan/exclusive:bandwidth"* ]]
  grep -q 'too little memory' "$tree/build/record/ratios/summary.json"
}

@test "a run that skipped, or a family that crashed, is counted" {
  change run 'it["processes"][0]["samples"]["benchmarks"][0].update(status="skipped", reason="too little memory")' \
    'it["processes"].append({"family": "nccl", "status": "failed", "reason": "signal 11", "samples": None})'
  RUN_STATUS=1 record run
  [ "$status" -eq 1 ]
  [[ "$(row run)" == *"recorded: 1 of 3 benchmarks measured; below: family nccl: signal 11; no answer: memory/copy/cold  "* ]]
  change run 'it.update(complete=False, partial_reason="a signal ended it")'
  record run --again
  [[ "$output" == *"Nothing to record: "*"run.json is partial: a signal ended it."* ]]
}

@test "a percentile of too few batches is none" {
  change launch 'it["processes"][0]["samples"]["benchmarks"][1]["batches"]["seconds_per_operation"] = [1e-3] * 7'
  record launch
  [ "$status" -eq 1 ]
  [[ "$(row launch)" == *"recorded: 1 of 2 benchmarks with p50, p90 and p99; no answer: first_launch/context  "* ]]
  grep -q '^| first_launch/context | 1 ms | 1 ms | - | 7 | 5 |$' "$tree/build/record/launch/launch.md"
}

@test "without PyTorch its stage says so and is not recorded" {
  TORCH_STATUS=3 record pytorch
  [ "$status" -eq 1 ]
  [[ "$(row pytorch)" == *"not recorded: tried on "*", status 3: cannot judge: none of the frameworks asked for is installed"* ]]
  [ "$(grep -c '^run ' "$CALLS" || true)" -eq 0 ]
}

@test "the certificate: what was not found, not named or not tried is no success" {
  change faults 'it["faults"] += [{**it["faults"][0], "fault": "busy_core", "named_first": 0, "confused_with": {"cpu_contention": 1}},
    {**it["faults"][0], "fault": "far_node", "trials": [], "not_run": "there is one NUMA node"}]' 'it["quiet"]["alarms"] = 1'
  record faults-host
  [ "$status" -eq 1 ]
  [[ "$(row faults-host)" == *"recorded: 1 of 4 faults found and named first, quiet runs without an alarm; below: busy_core: found 1 and named first 0 of 1, instead cpu_contention, 1 of 1 quiet runs raised an alarm; no answer: far_node  "* ]]
}

@test "the stages of faults set every fault of the table, each once" {
  known="$(sed -n 's/.*{\.id = "\([a-z0-9_]*\)".*/\1/p' "$GPUGAUGE_SOURCE/harness/conductor/fault_table.cpp" | sort)"
  asked="$(sed -n "s/^  fault_commands '.*' \(.*\)/\1/p" "$tree"/scripts/record.d/faults-*.sh | tr ' ' '\n' | sort)"
  [ "$(wc -l <<<"$known")" -ge 20 ]
  [ "$asked" = "$known" ]
}

@test "a tool of compute-sanitizer that finds something is below, and the others still run" {
  BAD_TOOL=racecheck record sanitizer
  [ "$status" -eq 1 ]
  [ "$(grep -c '^sanitizer' "$CALLS")" -eq 4 ]
  [[ "$(row sanitizer)" == *"recorded: 11 of 12 tests passed and tools without an error; below: racecheck: ended with 9, "* ]]
}

@test "under compute-sanitizer sizes are small, and the summary names the tests that were" {
  change tests 'it["testsuites"][0]["testsuite"][1]["small"] = "true"'
  record sanitizer
  [ "$status" -eq 0 ]
  python3 -c 'import json, sys; assert json.load(open(sys.argv[1]))["tested_small"] == ["Copy.IsWhole"]' \
    "$tree/build/record/sanitizer/summary.json"
}

@test "what the doctor cannot read, or finds failing, is told" {
  change doctor 'it["inventory"]["items"][1]["answer"] = "unreadable"' \
    'it["findings"] = [{"cause": "shm_too_small", "severity": "failure", "title": "/dev/shm is small"}]'
  record doctor
  [[ "$(row doctor)" == *"recorded: 1 of 2 facts read; below: shm_too_small: /dev/shm is small; no answer: b  "* ]]
  change doctor 'it["layers"][0]["version"] = "absent"'
  record doctor --again
  [[ "$output" == *"Nothing to record: the doctor sees no GPU."* ]]
}

# slow SECONDS: a stage of that limit that starts a process which would live on, and says which.
slow() {
  cat >"$tree/scripts/record.d/slow.sh" <<TEXT
STAGE_ORDER=1
STAGE_TITLE="Slow"
STAGE_PROVES="nothing"
STAGE_SECONDS=$1
stage_commands() { printf '%s\n' 'sleep 300 & echo \$! >"\$HEARD"; echo begun; wait'; }
TEXT
}

gone() {
  for _ in $(seq 50); do
    kill -0 "$1" 2>/dev/null || return 0
    sleep 0.1
  done
  return 1
}

@test "a stage that runs past its time is ended with all that it started" {
  slow 2
  record slow
  [ "$status" -eq 1 ]
  [[ "$(row slow)" == *"not recorded: tried on "*", ran past its 2 s: begun"* ]]
  gone "$(cat "$HEARD")"
}

@test "a signal ends the stage and what it started, and the script with 130" {
  slow 200
  "$tree/scripts/record" slow >"$BATS_TEST_TMPDIR/said" 2>&1 &
  script=$!
  for _ in $(seq 100); do [ -s "$HEARD" ] && break; sleep 0.1; done
  kill -TERM "$script"
  code=0
  wait "$script" || code=$?
  cat "$BATS_TEST_TMPDIR/said"
  [ "$code" -eq 130 ]
  gone "$(cat "$HEARD")"
}

@test "every stage states its claim, fits into 480 s, and docs/testing.md has the same table" {
  for file in "$tree"/scripts/record.d/*.sh; do
    claim="$(sed -n 's/^STAGE_PROVES="\(.*\)"$/\1/p' "$file")"
    [ -n "$claim" ]
    [ "$(sed -n 's/^STAGE_SECONDS=//p' "$file")" -le 480 ]
    echo "$(sed -n 's/^STAGE_ORDER=//p' "$file") $(basename "$file" .sh) | $claim |"
  done | sort -n | cut -d ' ' -f 2- >"$BATS_TEST_TMPDIR/stages"
  sed -n '/^## What a GPU must prove/,/^## Ratios/ { s/^| \([a-z-]* | .* |\) [^|]* |$/\1/p }' "$GPUGAUGE_SOURCE/docs/testing.md" |
    sed '/^stage /d' >"$BATS_TEST_TMPDIR/documented"
  diff "$BATS_TEST_TMPDIR/stages" "$BATS_TEST_TMPDIR/documented"
}

@test "an unknown stage is a usage error that names those there are" {
  record warp-drive
  [ "$status" -eq 2 ]
  [[ "$output" == *'"warp-drive"'*"gpu-tests run spread launch links ratios pytorch faults-gpu faults-products faults-inside faults-start faults-framework faults-host sanitizer"* ]]
}

@test "without a build the sentence says what to do" {
  rm -r "$tree/build"
  record all
  [ "$status" -eq 2 ]
  [[ "$output" == *"--build"* ]]
}
