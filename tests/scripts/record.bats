#!/usr/bin/env bats
# shellcheck disable=SC2016,SC2154  # single quotes: expanded by the programs made of it; variables come from record_fakes
# scripts/record with a GPU, its tests and the command replaced: what is recorded, what is kept, what is said.

load record_fakes

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
  [[ "${lines[-1]}" == "All recorded, and all reached: doctor gpu-tests sanitizer ratios run spread check pytorch launch links faults-gpu faults-inside faults-products faults-math faults-start faults-framework" ]]
  cat "$CALLS"
  [ "$(sed -n 1p "$CALLS")" = "test_gpu Copy " ]
  # Several at a time: in any order.
  [ "$(sed -n '2,9p' "$CALLS" | sort | uniq -c | tr -s ' \n' ' ')" = " 1 sanitizer initcheck 1 sanitizer memcheck 1 sanitizer racecheck 1 sanitizer synccheck 4 test_gpu Copy 1 " ]
  [[ "$(sed -n 10p "$CALLS")" == "run $UUID run --device $UUID --profile deep --only copy/d2d/1GiB --only cub/histogram"*" --process-limit 90 --output "* ]]
  [[ "$(sed -n 11p "$CALLS")" == "run $UUID run --device $UUID --profile standard --process-limit 90 --output "* ]]
  [[ "$(sed -n 12p "$CALLS")" == "check check --device $UUID --profile quick "* ]]
  [[ "$(sed -n 13p "$CALLS")" == "baseline baseline create --device $UUID --profile smoke --rounds 5" ]]
  [[ "$(sed -n 14p "$CALLS")" == "check check --device $UUID --profile smoke "* ]]
  [[ "$(sed -n 15p "$CALLS")" == "frameworks $UUID 0 frameworks torch --output "* ]]
  [[ "$(sed -n 16p "$CALLS")" == "run $UUID run --device $UUID --profile deep --only launch/* --only first_launch/* "* ]]
  [[ "$(sed -n 17p "$CALLS")" == *" run --device links --profile standard"* ]]
  [[ "$(sed -n 18p "$CALLS")" == "selftest selftest --inject --device $UUID --only launch_blocking --only "* ]]
  [[ "$(sed -n 20p "$CALLS")" == "selftest selftest --inject --device $UUID --only tf32_environment --output "* ]]
  [ "$(wc -l <"$CALLS")" -eq 23 ]
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
  [[ "$output" == *"every kernel against its reference"*"  recorded: 2 of 2 tests passed  "*"NVIDIA \"Test\" GPU  580.65.06  20"*Z ]]
  [[ "$(row run)" == *"a whole run of the standard profile"*"  not recorded  "*"-"* ]]
  COLUMNS=120 record --list
  [ "$(wc -L <<<"$output")" -le 120 ]
}

@test "what is recorded is not run again, unless asked, also where it fell short" {
  test_says IsWhole '<skipped message="copy_test.cu:7\&\#x0A;kernel names unknown"/>'
  record gpu-tests
  [ "$status" -eq 1 ]
  record gpu-tests
  [ "$status" -eq 1 ]
  [[ "$output" == *"recorded: 1 of 2 tests passed; no answer: Copy.IsWhole; it is for this GPU, boot, driver and build"* ]]
  [[ "$output" == *"Failed or fell short: gpu-tests"* ]]
  [ "$(wc -l <"$CALLS")" -eq 1 ]
  record gpu-tests --again
  [ "$(wc -l <"$CALLS")" -eq 2 ]
  grep -q '"Copy.IsWhole: kernel names unknown"' "$tree/build/record/gpu-tests/summary.json"
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
  mv "$MADE/run" "$MADE/other"
  RUN_STATUS=139 record run
  [ "$status" -eq 1 ]
  [[ "$output" == *"log.txt"* ]]
  [[ "$(row run)" == *"  not recorded: tried on 20"*", status 139"* ]]
  mv "$MADE/other" "$MADE/run"
  record run
  [ "$status" -eq 0 ]
  rm "$MADE/run"
  RUN_STATUS=139 record run --again
  [ "$status" -eq 1 ]
  [[ "$(row run)" == *"  recorded: 2 of 2 benchmarks measured; a later try failed on 20"* ]]
}

@test "tests that fail are recorded as such, by name" {
  test_says IsExact '<failure message="copy.cu:7\&\#x0A;expected 0"/>'
  TEST_STATUS=1 record gpu-tests
  [ "$status" -eq 1 ]
  [[ "$(row gpu-tests)" == *"  recorded: 1 of 2 tests passed; below: Copy.IsExact: copy.cu:7 expected 0  NVIDIA"* ]]
}

@test "GPU tests that were all skipped prove nothing" {
  test_says IsExact '<skipped message="no GPU"/>'
  test_says IsWhole '<skipped message="no GPU"/>'
  record gpu-tests
  [ "$status" -eq 1 ]
  [[ "$(row gpu-tests)" == *"not recorded: tried on "*"Nothing to record: none of 2 tests passed: Copy.IsExact: no GPU."* ]]
}

@test "a ratio below its bound is recorded, and nobody calls it proven; one that lacks a side is no answer" {
  change ratios 'for one in it["processes"][0]["samples"]["benchmarks"]:
    if one["id"] == "primitive/reduce": one["metrics"][0]["value"] = 0.5
    if one["id"] == "cub/scan/exclusive": one.update(status="skipped", reason="too little memory")'
  record ratios
  [ "$status" -eq 1 ]
  [[ "$output" != *proven* ]]
  [[ "$(row ratios)" == *"recorded: 32 of 34 ratios reached; below: primitive/reduce:bandwidth: 0.500 of 0.98; no answer: primitive/scan/exclusive:bandwidth"* ]]
  grep -q 'too little memory' "$tree/build/record/ratios/summary.json"
}

@test "a run that skipped, or a family that crashed, is counted" {
  change run 'it["processes"][0]["samples"]["benchmarks"][0].update(status="skipped", reason="too little memory")' \
    'it["processes"].append({"family": "nccl", "status": "failed", "reason": "signal 11", "samples": None})'
  RUN_STATUS=1 record run
  [ "$status" -eq 1 ]
  [[ "$(row run)" == *"recorded: 1 of 3 benchmarks measured; below: family nccl: signal 11; no answer: memory/copy/cold  "* ]]
}

@test "of a run that was cut everything is kept that a process measured, and the run is called partial" {
  change run 'it.update(complete=False, partial_reason="SIGTERM stopped the run after 15 of 25 processes; not measured: made (2 of 5)")' \
    'it["processes"] = it["processes"][:3]'
  RUN_STATUS=3 record run
  [ "$status" -eq 1 ]
  [[ "$output" != *"Nothing to record"* ]]
  [[ "$(row run)" == *"  recorded: 2 of 2 benchmarks measured; no answer: partial  "* ]]
  # What failed once, or was measured by nobody, is not reached by what other processes say.
  change run 'it["processes"][1]["samples"]["benchmarks"][0].update(status="failed", reason="a wrong result")' \
    '[one["samples"]["benchmarks"][1].update(status="interrupted", reason="SIGTERM") for one in it["processes"]]' \
    'it["processes"][0]["samples"]["benchmarks"].append({**it["processes"][2]["samples"]["benchmarks"][0], "id": "memory/triad/cold"})'
  record run --again
  [[ "$(row run)" == *"recorded: 1 of 3 benchmarks measured; below: memory/copy/cold: a wrong result; no answer: gemm/bf16, partial  "* ]]
}

@test "a partial run is kept: what a family still owed is no answer, and the reason is told" {
  change run 'it.update(complete=False, partial_reason="SIGTERM stopped the run after 4 of 6 processes; not measured: gone (1 of 1), nccl (1 of 2)")' \
    'it["processes"].append({"family": "nccl", "status": "interrupted", "reason": "SIGTERM stopped the run.", "samples": {"benchmarks": [
      {"id": "nccl/all_reduce", "status": "ok", "reason": "", "metrics": []}]}})'
  RUN_STATUS=3 record run
  [ "$status" -eq 1 ]
  [[ "$(row run)" == *"recorded: 3 of 5 benchmarks measured; no answer: family gone, family nccl, partial  "* ]]
  grep -q '"partial: SIGTERM stopped the run after 4 of 6' "$tree/build/record/run/summary.json"
  change ratios 'it.update(complete=False, partial_reason="SIGTERM stopped it")'
  record ratios
  [[ "$(row ratios)" == *"recorded: 34 of 34 ratios reached; no answer: partial  "* ]]
}

@test "a percentile of too few batches is none" {
  change launch 'it["processes"][0]["samples"]["benchmarks"][1]["batches"]["seconds_per_operation"] = [1e-3] * 7'
  record launch
  [ "$status" -eq 1 ]
  [[ "$(row launch)" == *"recorded: 1 of 2 benchmarks with p50, p90 and p99; no answer: first_launch/context  "* ]]
  grep -q '^| first_launch/context | 1 ms | 1 ms | - | 7 | 5 |$' "$tree/build/record/launch/launch.md"
}

@test "a benchmark of launching with metrics of its own is not asked for percentiles" {
  change launch 'it["processes"][0]["samples"]["benchmarks"][1]["batches"]["seconds_per_operation"] = []'
  record launch
  [ "$status" -eq 0 ]
  [[ "$(row launch)" == *"recorded: 1 of 1 benchmarks with p50, p90 and p99  "* ]]
}

@test "without PyTorch its stage says so and is not recorded" {
  cp "$MADE/torch" "$MADE/whole"
  change torch 'it["processes"][0].update(status="unavailable", reason="there is no torch"); it["processes"][0]["samples"]["context"]["framework.installed"] = "no"'
  TORCH_STATUS=3 record pytorch
  [ "$status" -eq 1 ]
  [[ "$(row pytorch)" == *"not recorded: tried on "*", status 3: cannot judge: it was so"* ]]
  [ "$(grep -c '^run ' "$CALLS" || true)" -eq 0 ]
  cp "$MADE/whole" "$MADE/torch"
  TORCH_STATUS=1 record pytorch  # an operation that failed is no reason to leave out the others
  [[ "$(row pytorch)" == *"recorded: 4 of 4 ratios reached  "* ]]
}

@test "the certificate: what was not found, not named or not tried is no success" {
  change faults 'it["faults"] += [{**it["faults"][0], "fault": "busy_core", "named_first": 0, "confused_with": {"cpu_contention": 1}},
    {**it["faults"][0], "fault": "far_node", "trials": [], "not_run": "there is no NUMA node beside the GPU'"'"'s whose processors this command may use"}]' 'it["quiet"]["alarms"] = 1'
  record faults-host
  [ "$status" -eq 1 ]
  [[ "$(row faults-host)" == *"recorded: 1 of 3 faults found and named first, quiet runs without an alarm; below: busy_core: found 1 and named first 0 of 1, instead cpu_contention, 1 of 1 quiet runs raised an alarm; 1 does not apply here; only by its name, not part of all  "* ]]
}

@test "a verdict that takes too long, is none or is no pass against its baseline is no success" {
  record check
  [ "$status" -eq 0 ]
  [[ "$(row check)" == *"recorded: 3 of 3 verdicts in time, and a pass  "* ]]
  grep -q '^baseline .* --profile smoke --rounds 5$' "$CALLS"
  change checked 'it["outcome"] = {"exit_code": 1, "sentence": "regressed: memory/copy/cold"}'
  CHECK_STATUS=1 record check --again
  [ "$status" -eq 1 ]
  [[ "$(row check)" == *"recorded: 2 of 3 verdicts in time, and a pass; below: a check against its baseline: regressed: memory/copy/cold  "* ]]
  # Another gpugauge measures: a verdict in words that says nothing of the GPU.
  CHECK_STATUS=3 record check --again
  [[ "$(row check)" == *"recorded: 0 of 3 "*"; no answer: quick, smoke"* ]]
  # No report either, and nothing to count: the stage has failed, and what was recorded before stays.
  CHECK_STATUS=2 record check --again
  [ "$status" -eq 1 ]
  [[ "$(row check)" == *"a later try failed on "*"none of 3 verdicts in time, and a pass: quick: no verdict, the command ended with 2"* ]]
  echo '{"profile": "quick", "exit_code": 0, "begin": 1000.5, "end": 1061.5}' >"$BATS_TEST_TMPDIR/slow"
  python3 -B "$tree/scripts/lib/recorded.py" count check "$BATS_TEST_TMPDIR/slow" "$MADE/checked" | grep -q '"quick: 61.0 s of 60 s"'
  python3 -B "$tree/scripts/lib/recorded.py" count check "$BATS_TEST_TMPDIR/slow" "$BATS_TEST_TMPDIR/none" | grep -q "it left no report"
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
  [[ "$(row sanitizer)" == *"recorded: 6 of 8 tests passed under a tool without an error; below: racecheck Copy: ended with 9  "* ]]
  grep -q 'ERROR SUMMARY: 1 error' "$tree/build/record/sanitizer/log.txt"
}

@test "under compute-sanitizer sizes are small, and the summary names the tests that were" {
  test_says IsWhole '<properties><property name="small" value="true"/></properties>'
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
  [[ "$output" == *'"warp-drive"'*"gpu-tests sanitizer ratios run spread check pytorch launch links faults-gpu faults-inside faults-products faults-math faults-start faults-framework faults-host"* ]]
}

@test "without a build the sentence says what to do" {
  rm -r "$tree/build"
  record all
  [ "$status" -eq 2 ]
  [[ "$output" == *"--build"* ]]
}
