# scripts/lib/estimates.py: what took the time of run files, beside what the families state.
bats_require_minimum_version 1.5.0

setup() {
  export PYTHON="${GPUGAUGE_PYTHON:-python3}"
  runs="$BATS_TEST_TMPDIR/run.json"
}

estimates() {
  "$PYTHON" "$GPUGAUGE_SOURCE/scripts/lib/estimates.py" "$GPUGAUGE_BUILD" "$@"
}

# benchmark ID WINDOW TIMELINE: one that was measured.
benchmark() {
  printf '{"id": "%s", "status": "ok", "batches": {"window_seconds": %s}, "timeline": %s}' "$@"
}

# process FAMILY WALL BENCHMARKS
process() {
  printf '{"family": "%s", "wall_seconds": %s, "samples": {"benchmarks": [%s]}}' "$@"
}

@test "medians over processes of each step, beside what is stated" {
  local gemm='{"began": 1, "warming": 1.5, "timed": 3, "ended": 3.25}'
  local later='{"began": 2, "warming": 2.5, "timed": 5, "ended": 5.25}'
  local own='{"began": 4, "ended": 6}'
  printf '{"processes": [%s, %s, %s, {"family": "host"}]}' \
    "$(process host 7 "$(benchmark host/copy/one_core 1 "$gemm"), $(benchmark host/made 1.5 "$own")")" \
    "$(process host 9 "$(benchmark host/copy/one_core 1 "$later"), $(benchmark host/made 1.5 "$own")")" \
    "$(process host 8 "$(benchmark host/copy/one_core 1 "$gemm")")" >"$runs"
  run -0 estimates "$runs"
  echo "$output"
  # Starts 1, 2, 1; ends 7-6, 9-6, 8-3.25.
  [[ $output == *"host: a process "*" 4.00   1.00 start, 3.00 end"* ]]
  # Warming up: 3-1-1.5, 5-1-2.5, 3-1-1.5.
  [[ $output =~ "host/copy/one_core "\ *[0-9.]+\ +1.25\ +"0.50 prepare, 0.50 warm up, 0.25 check" ]]
  [[ $output =~ "host/made "\ *-\ +0.50\ +"0.50 beside its batches" ]]
}

@test "a run without timelines and one without a measured benchmark are refused" {
  printf '{"processes": [{"family": "host", "samples": {"benchmarks": [{"id": "host/a", "status": "ok"}]}}]}' >"$runs"
  run -1 estimates "$runs"
  [[ $output == *"a process of host has no timeline: measure anew with this version"* ]]
  echo '{"processes": [{"family": "host"}]}' >"$runs"
  run -1 estimates "$runs"
  [[ $output == *"no benchmark of these runs was measured"* ]]
}

@test "what a run of the host wrote can be told" {
  run -0 "$GPUGAUGE_BUILD/bin/gpugauge" run --device host --profile smoke --only host/system_call --quiet --force --output "$runs"
  run -0 estimates "$runs"
  [[ $output =~ "host/system_call "\ *[0-9.]+\ +[0-9.]+\ +[0-9.]+" prepare, "[0-9.]+" warm up, "[0-9.]+" check" ]]
}
