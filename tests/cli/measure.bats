# Measuring and judging the host for real, through the command.
load common

@test "a reader that goes away changes no exit code and is no error" {
  for command in list "list --json"; do
    run -0 --separate-stderr bash -c "gpugauge $command | true; exit \${PIPESTATUS[0]}"
    # shellcheck disable=SC2154 # run sets stderr
    [ -z "$stderr" ]
  done
}

@test "run refuses a file that is there before it measures, and --force replaces it" {
  echo "my notes" >notes.md
  COLUMNS=1000 run -2 quick_run notes.md
  [ "$output" = "gpugauge: notes.md exists, and nothing was measured: choose another --output, or say --force to replace the file" ]
  [ "$(cat notes.md)" = "my notes" ]
  ln -s notes.md link.json
  run -2 quick_run link.json
  [ ! -d "$GPUGAUGE_STATE/runs" ]
  run -0 quick_run link.json --force
  [ -L link.json ]
  grep -q gpugauge.run notes.md
}

@test "run writes a run file that the published schema accepts" {
  run -0 quick_run one.json
  [[ $output == *host/clock_gettime* ]]
  "$PYTHON" "$GPUGAUGE_SOURCE/tests/validate_json.py" run one.json
  "$PYTHON" - <<'PY'
import json
run = json.load(open("one.json"))
assert run["complete"] and run["profile"] == "smoke" and run["device"] == "host"
process, = run["processes"]
benchmark, = process["samples"]["benchmarks"]
assert len(benchmark["batches"]["seconds_per_operation"]) >= 20
assert benchmark["verifications"], "every result is verified"
assert run["fingerprint"]["device"]["host.cpu_model"]
assert run["fingerprint"]["suite"]["suite.version"]
assert any(series["source"] == "host" for series in run["telemetry"])
PY
}

@test "a class selects its benchmarks, and the time that is left is estimated from the start" {
  run -0 --separate-stderr gpugauge run --device host --profile smoke --only host_memory --process-limit 600 --output one.json
  # shellcheck disable=SC2154 # set by run --separate-stderr
  [[ ${stderr%%$'\n'*} =~ "0/1  host  ".*", about "[0-9]+" s left" ]]
  "$PYTHON" - <<'PY'
import json
run = json.load(open("one.json"))
found = run["processes"][0]["samples"]["benchmarks"]
assert {metric["class"] for one in found for metric in one["metrics"]} == {"host_memory"}, found
assert sorted(one["id"] for one in found) == run["only"], run["only"]
PY
}

@test "an escape sequence never reaches a pipe, and lines keep to COLUMNS" {
  quick_run one.json
  COLUMNS=70 run gpugauge compare one.json
  [[ $output != *$'\x1b'* ]]
  while IFS= read -r line; do [ "${#line}" -le 70 ] || { echo "too long: $line"; false; }; done < <(grep -v 'kept as' <<<"$output")
}

@test "no command that is advised is broken over two lines" {
  COLUMNS=60 run gpugauge check --device host --profile smoke --only 'host/clock_gettime*' --quiet
  [[ $output == *"\`gpugauge baseline create --device host --profile smoke\`"* ]]
}

@test "check of the host judges it by name and says that no GPU was judged" {
  run gpugauge check --device host --profile smoke --only 'host/clock_gettime*' --quiet --report json=report.json
  [[ $output == *"no GPU is judged"* ]]
  [[ $output == *"No baseline"* || $output == *"no baseline"* ]]
  "$PYTHON" "$GPUGAUGE_SOURCE/tests/validate_json.py" report report.json
  [ "$(find "$GPUGAUGE_STATE/runs" -name '*.json' | wc -l)" -ge 1 ]
}

@test "what a policy expects of GPUs is said to be unseen where only the host was asked for" {
  echo '{"schema": "gpugauge.policy/1", "expect": {"gpus": 8}}' >policy.json
  COLUMNS=1000 run -3 gpugauge check --device host --profile smoke --only host/clock_gettime --policy policy.json --no-probes
  [[ $output == *"What the policy expects of the node was not looked at: only the host was asked for."* ]]
  echo '{"schema": "gpugauge.policy/1"}' >policy.json
  COLUMNS=1000 run -3 gpugauge check --device host --profile smoke --only host/clock_gettime --policy policy.json --no-probes
  [[ $output != *"What the policy expects"* ]]
}

@test "a baseline is made from run files, found again, and refuses to be overwritten" {
  for i in 1 2 3 4 5; do quick_run "$i.json"; done
  run -0 gpugauge baseline create --name mine {1,2,3,4,5}.json
  [[ $output == *"detects"* && $output == *provisional* && $output != *"verdicts need"* ]]
  run -0 gpugauge baseline create --name two {1,2}.json
  [[ $output == *"Baseline two of host: 2 rounds"*"verdicts need 5 rounds: with this baseline alone nothing can be decided"* ]]
  gpugauge baseline retire two --reason 'too few' >/dev/null
  run -2 gpugauge baseline create --name mine {1,2,3,4,5}.json
  [[ $output == *"already holds a baseline"* ]]
  run gpugauge compare 3.json
  [[ $output == *mine* ]]
  [[ $status -eq 0 ]]
}

@test "a changed or truncated baseline is named and not used" {
  for i in 1 2 3 4 5; do quick_run "$i.json"; done
  gpugauge baseline create --name mine {1,2,3,4,5}.json
  victim=$(find "$GPUGAUGE_STATE/baselines/mine/runs" -name '*.json' | head -n 1)
  sed -i 's/"seed": [0-9]*/"seed": 1/' "$victim"
  run -2 gpugauge compare 3.json --baseline "$GPUGAUGE_STATE/baselines/mine"
  [[ $output == *"$(basename "$victim")"* ]]
  run gpugauge compare 3.json
  [[ $output == *"$(basename "$victim")"* ]]
}

@test "runs of different kinds are not compared: the fields are named, exit 3" {
  quick_run one.json
  "$PYTHON" - <<'PY'
import json
run = json.load(open("one.json"))
run["fingerprint"]["device"]["host.cpu_model"] = "AnotherCpu"
run["started"] = "2026-01-02T03:04:05.000Z"
json.dump(run, open("other.json", "w"))
PY
  run -3 gpugauge compare one.json --against other.json
  [[ $output == *host.cpu_model*AnotherCpu* ]]
}

@test "a command of low priority says that it is" {
  run -0 quick_run one.json
  [[ $output != *"niceness"* ]] || [ "$(nice)" -gt 0 ]
  COLUMNS=1000 run -0 nice -n 5 gpugauge run --device host --profile smoke --only host/clock_gettime --output two.json
  [[ $output == *"Measured at niceness $(($(nice) + 5)): other work on this machine is given the processors first."* ]]
}
