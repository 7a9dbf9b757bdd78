# Bad days: hostile files, full disks, killed commands and killed families.
load common

@test "a missing, empty, truncated or hostile run file is one sentence and exit 2" {
  quick_run good.json
  : >empty.json
  head -c 1000 good.json >truncated.json
  echo '{"schema": "gpugauge.run/1", "schema": "x"}' >twice.json
  printf '[%.0s' $(seq 100000) >deep.json
  sed 's/"complete": true/"complete": "yes"/' good.json >type.json
  sed 's/"seed"/"\\u001b[31mseed"/' good.json >escape.json
  mkfifo fifo.json
  for file in missing empty truncated twice deep type escape fifo; do
    run -2 timeout 20 gpugauge compare "$file.json"
    [ "${#lines[@]}" -eq 1 ] || { echo "$file: $output"; false; }
    [[ $output == "gpugauge: $file.json"* ]] || { echo "$file: $output"; false; }
    [[ $output != *$'\x1b'* ]]
  done
  run gpugauge compare good.json
  [ "$status" -ne 2 ]
}

@test "a full disk under the output: one sentence, exit 2, the earlier file unchanged" {
  mkdir full
  mount -t tmpfs -o size=64k tmpfs full 2>/dev/null || skip "mounting a tmpfs needs root"
  echo earlier >full/run.json
  head -c 100k /dev/zero >full/ballast || true
  run quick_run full/run.json --force
  content=$(cat full/run.json)
  leftovers=$(find full -mindepth 1 -printf '%f\n' | sort | tr '\n' ' ')
  umount full
  [ "$status" -eq 2 ]
  [[ $output == *full/run.json*"No space left"* ]]
  [ "$content" = earlier ]
  [ "$leftovers" = "ballast run.json " ]
}

@test "a read-only place for the output is refused in one sentence" {
  run -2 quick_run /proc/run.json
  [[ $output == *"/proc/run.json could not be written"* ]]
}

@test "kill -9 of the command: no process stays, earlier results stay readable" {
  quick_run earlier.json
  gpugauge run --device host --profile standard --quiet --output later.json &
  command=$!
  wait_until bash -c "pgrep --parent $command --full gpugauge-bench-host >/dev/null"
  child=$(families_of "$command" | head -n 1)
  kill -9 "$command"
  wait "$command" || true
  wait_until bash -c "! kill -0 $child 2>/dev/null"
  [ ! -e later.json ]
  run gpugauge compare earlier.json
  [ "$status" -ne 2 ]
}

@test "kill -9 of one family process: it is named, the rest is measured" {
  gpugauge run --device host --profile quick --only 'host/clock_gettime*' --quiet --output run.json >log 2>&1 &
  command=$!
  # One that measures: before it each family is asked to describe itself.
  local measuring='gpugauge-bench-host.*--gpugauge_samples'
  wait_until bash -c "pgrep --parent $command --full -- '$measuring' >/dev/null"
  kill -9 "$(pgrep --parent "$command" --full -- "$measuring" | head -n 1)"
  status=0
  wait "$command" || status=$?
  cat log
  [ "$status" -eq 1 ]
  grep -q SIGKILL log
  "$PYTHON" - <<'PY'
import json
run = json.load(open("run.json"))
states = sorted(process["status"] for process in run["processes"])
assert states == ["failed", "ok", "ok"], states
PY
}

@test "Ctrl-C ends the children and leaves a partial run file that says so" {
  gpugauge run --device host --profile standard --quiet --output run.json >log 2>&1 &
  command=$!
  # One that measures: while families are only asked to describe themselves, a stop leaves nothing to keep.
  local measuring='gpugauge-bench-host.*--gpugauge_samples'
  wait_until bash -c "pgrep --parent $command --full -- '$measuring' >/dev/null"
  child=$(pgrep --parent "$command" --full -- "$measuring" | head -n 1)
  kill -INT "$command"
  status=0
  wait "$command" || status=$?
  cat log
  [ "$status" -eq 3 ]
  run ! kill -0 "$child"
  "$PYTHON" "$GPUGAUGE_SOURCE/tests/validate_json.py" run run.json
  "$PYTHON" -c 'import json; run = json.load(open("run.json")); assert not run["complete"] and "SIGINT" in run["partial_reason"], run'
  run -2 gpugauge baseline create --name partial run.json
  [[ $output == *partial* ]]
}

@test "families that are missing or cannot start are named" {
  mkdir libexec
  GPUGAUGE_LIBEXEC="$PWD/libexec" run -2 gpugauge run --device host
  [[ $output == *libexec* ]]
  printf '#!/bin/sh\nexit 7\n' >libexec/gpugauge-bench-odd
  chmod +x libexec/gpugauge-bench-odd
  ln -s "$GPUGAUGE_BUILD/libexec/gpugauge/gpugauge-bench-host" libexec/gpugauge-bench-host
  GPUGAUGE_LIBEXEC="$PWD/libexec" run gpugauge list
  [[ $output == *"family odd"* ]]
  [[ $output == *host/clock_gettime* ]]
}
