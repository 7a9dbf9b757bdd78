#!/usr/bin/env bats
# shellcheck disable=SC2016  # what stands in single quotes is expanded by the programs made of it
# scripts/record with a GPU, its tests and the command replaced: what is proven, what is kept, what is said.

setup() {
  tree="$BATS_TEST_TMPDIR/tree"
  mkdir -p "$tree" "$tree/build/ci/bin" "$BATS_TEST_TMPDIR/fakes"
  cp -r "$GPUGAUGE_SOURCE/scripts" "$tree/scripts"
  export CALLS="$BATS_TEST_TMPDIR/calls" TEST_STATUS=0 UUID=GPU-11111111-2222-3333-4444-555555555555 COMMIT=abc123 NAME="NVIDIA \"Test\" GPU"
  touch "$CALLS"
  program gpugauge 'case "$1" in
    --version) echo "gpugauge 0.1.0"; echo "commit $COMMIT" ;;
    doctor) for word; do case "$word" in json=*|markdown=*) echo "{}" >"${word#*=}" ;; esac; done ;;
    run) echo "run $CUDA_VISIBLE_DEVICES $*" >>"$CALLS"; while [ "$1" != --output ]; do shift; done; cat "$MADE_RUN" >"$2" ;;
  esac'
  export MADE_RUN="$BATS_TEST_TMPDIR/made-run.json"
  cat >"$MADE_RUN" <<'TEXT'
{"schema": "gpugauge.run/1", "processes": [{"samples": {"benchmarks": [
  {"id": "primitive/reduce", "status": "ok", "reason": "", "metrics": [{"name": "bandwidth", "value": 1}]},
  {"id": "cub/reduce", "status": "ok", "reason": "", "metrics": [{"name": "bandwidth", "value": 2}]}]}}]}
TEXT
  program test_gpu 'echo "test_gpu" >>"$CALLS"
    case "$1" in --gtest_output=*) ;; *) exit 0 ;; esac
    printf "\"result\": \"COMPLETED\"\n" >"${1#--gtest_output=json:}"; exit "$TEST_STATUS"'
  cat >"$BATS_TEST_TMPDIR/fakes/nvidia-smi" <<'TEXT'
#!/bin/sh
[ -n "$UUID" ] || { echo "NVIDIA-SMI has failed"; exit 9; }
echo "$UUID, $NAME, 580.65.06"
TEXT
  cat >"$BATS_TEST_TMPDIR/fakes/compute-sanitizer" <<'TEXT'
#!/bin/sh
echo "sanitizer $2" >>"$CALLS"
TEXT
  chmod +x "$BATS_TEST_TMPDIR/fakes/"*
  PATH="$BATS_TEST_TMPDIR/fakes:$PATH"
}

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

@test "a dry run needs no GPU, runs nothing and shows the commands" {
  UUID="" record all --dry-run
  [ "$status" -eq 0 ]
  [[ "$output" == *"bin/test_gpu"* ]]
  [[ "$output" == *"--profile standard"* ]]
  [ ! -s "$CALLS" ]
}

@test "stages run in order and leave a provenance that is JSON" {
  record all --output "$BATS_TEST_TMPDIR/out"
  [ "$status" -eq 0 ]
  [ "$(head -n 1 "$CALLS")" = test_gpu ]
  [[ "$(sed -n 2p "$CALLS")" == "run $UUID run --device $UUID --profile standard"* ]]
  [[ "$(sed -n 3p "$CALLS")" == *" run --device links --profile standard"* ]]
  [[ "$(sed -n 4p "$CALLS")" == "run $UUID run --device $UUID --profile deep --only copy/d2d/1GiB"* ]]
  [ "$(sed -n '5,$p' "$CALLS" | tr '\n' ' ')" = "sanitizer memcheck sanitizer racecheck sanitizer synccheck sanitizer initcheck " ]
  grep -q '^| primitive/reduce:bandwidth | cub/reduce:bandwidth | 0.500 | 0.98 | below |$' "$BATS_TEST_TMPDIR/out/ratios/ratios.md"
  python3 - "$BATS_TEST_TMPDIR/out/run/provenance.json" <<'TEXT'
import json, os, sys
found = json.load(open(sys.argv[1]))
assert found["gpu_uuid"] == os.environ["UUID"], found
assert found["gpu_name"] == os.environ["NAME"], found
assert found["driver"] == "580.65.06", found
assert "abc123" in found["build"], found
assert found["exit_status"] == 0 and found["boot_id"] and found["date"] and found["commands"], found
TEXT
}

@test "what is proven is not run again, unless asked" {
  record gpu-tests
  record gpu-tests
  [ "$status" -eq 0 ]
  [[ "$output" == *"proven for this GPU, boot and build"* ]]
  [ "$(wc -l <"$CALLS")" -eq 1 ]
  record gpu-tests --again
  [ "$(wc -l <"$CALLS")" -eq 2 ]
}

@test "a proof holds for its own GPU and its own build only" {
  record gpu-tests
  UUID=GPU-99999999-2222-3333-4444-555555555555 record gpu-tests
  COMMIT=def456 record gpu-tests
  [ "$(wc -l <"$CALLS")" -eq 3 ]
}

@test "a stage that fails ends with 1, names its log and keeps an earlier proof" {
  TEST_STATUS=1 record gpu-tests
  [ "$status" -eq 1 ]
  [[ "$output" == *"log.txt"* ]]
  record --list
  [[ "$output" == *"gpu-tests: GPU tests"*": failed"* ]]
  record gpu-tests
  [ "$status" -eq 0 ]
  TEST_STATUS=1 record gpu-tests --again
  [ "$status" -eq 1 ]
  record --list
  [[ "$output" == *"gpu-tests: GPU tests"*": proven"* ]]
}

@test "GPU tests that were all skipped prove nothing" {
  program test_gpu 'printf "\"result\": \"SKIPPED\"\n" >"${1#--gtest_output=json:}"'
  record gpu-tests
  [ "$status" -eq 1 ]
}

@test "an unknown stage is a usage error that names those there are" {
  record warp-drive
  [ "$status" -eq 2 ]
  [[ "$output" == *'"warp-drive"'*"gpu-tests run links ratios sanitizer"* ]]
}

@test "without a build the sentence says what to do" {
  rm -r "$tree/build"
  record all
  [ "$status" -eq 2 ]
  [[ "$output" == *"--build"* ]]
}
