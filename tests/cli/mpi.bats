# shellcheck disable=SC2016,SC2154  # what stands in single quotes is expanded by programs; $stderr is set by run --separate-stderr
# gpugauge started by a launcher: a file for each rank, and never two of them on one device at once.
load common

tiny=(--device host --profile smoke --only 'host/clock_gettime*' --quiet)

# mpi CODE RANKS COMMAND...: every rank must end with CODE. Told not to end the job when one rank does not end with 0, mpirun itself
# ends with 0, so that each rank keeps its own.
mpi() {
  command -v mpirun >/dev/null || skip "no mpirun: scripts/setup --for test installs openmpi-bin"
  rm -f codes
  COLUMNS=1000 run --separate-stderr timeout 300 mpirun --oversubscribe --allow-run-as-root --bind-to none \
    --mca orte_abort_on_non_zero_status 0 -n "$2" bash -c '"$@"; code=$?; echo "$code" >>codes; exit "$code"' rank "${@:3}"
  echo "$output"
  echo "$stderr" >&2
  [ "$(wc -l <codes)" = "$2" ]
  [ "$(sort -u codes)" = "$1" ]
}

# as_rank RANK RANKS LOCAL LOCALS COMMAND...: one rank, by hand, on a node of LOCALS ranks.
as_rank() {
  GPUGAUGE_RANK=$1 GPUGAUGE_RANKS=$2 GPUGAUGE_LOCAL_RANK=$3 GPUGAUGE_LOCAL_RANKS=$4 "${@:5}"
}

host=$(uname -n)

# Every given file is a run file of its own round, and no two rounds overlapped.
separate_rounds() {
  local file
  for file in "$@"; do "$PYTHON" "$GPUGAUGE_SOURCE/tests/validate_json.py" run "$file"; done
  "$PYTHON" - "$@" <<'PY'
import datetime, json, sys
runs = [json.load(open(name)) for name in sys.argv[1:]]
assert len({run["id"] for run in runs}) == len(runs) and all(run["complete"] for run in runs)
spans = sorted((datetime.datetime.fromisoformat(run["started"].replace("Z", "+00:00")).timestamp(), run["wall_seconds"]) for run in runs)
for (start, seconds), (later, _) in zip(spans, spans[1:]):
    assert later > start + seconds - 0.01, (start, seconds, later)
PY
}

@test "each rank keeps its run under a name of its own, and they take turns" {
  mpi 0 3 gpugauge run "${tiny[@]}"
  files=("$GPUGAUGE_STATE"/runs/*."$host".rank{0,1,2}.json)
  [ "${#files[@]}" = 3 ]
  [ "$(find "$GPUGAUGE_STATE/runs" -type f | wc -l)" = 3 ]
  separate_rounds "${files[@]}"
  [ "$(grep -c "3 ranks on this node measure the same devices, one after another" <<<"$stderr")" = 1 ]
}

@test "one file name for all ranks: each adds its host and number" {
  mpi 0 2 gpugauge run "${tiny[@]}" --output out/run.json
  [ "$(find out -type f | sort | tr '\n' ' ')" = "out/run.$host.rank0.json out/run.$host.rank1.json " ]
  separate_rounds out/run.*.json
  for rank in 0 1; do [[ $output == *"kept as out/run.$host.rank$rank.json"* ]]; done
}

@test "a folder for all ranks: below it a folder for each host" {
  mkdir out
  mpi 0 2 gpugauge run "${tiny[@]}" --output out
  [ "$(find out -type f | wc -l)" = 2 ]
  separate_rounds out/"$host"/*.rank0.json out/"$host"/*.rank1.json
  # Without a launcher too; and fleet and history take the folder for the node's name.
  gpugauge run "${tiny[@]}" --output new/
  [ "$(find new -type f -path "new/$host/*.json" | wc -l)" = 1 ]
  [ "$(find new -name '*rank*' | wc -l)" = 0 ]
}

@test "a check's reports and observation of all ranks do not replace each other" {
  mpi 3 2 gpugauge check "${tiny[@]}" --report json=report.json --report junit=out/junit.xml --observation seen.json
  for rank in 0 1; do
    "$PYTHON" "$GPUGAUGE_SOURCE/tests/validate_json.py" report "report.$host.rank$rank.json"
    [ -s "out/junit.$host.rank$rank.xml" ]
    [ -s "seen.$host.rank$rank.json" ]
  done
  [ ! -e report.json ]
}

@test "a launcher's only rank is alone: every file is called as it was asked for" {
  mpi 0 1 gpugauge run "${tiny[@]}" --output run.json
  [ -s run.json ]
  [ -z "$stderr" ]
}

@test "a batch script of Slurm is no rank, a step of it is" {
  export SLURM_PROCID=1 SLURM_JOB_ID=7 SLURM_LOCALID=0
  gpugauge run "${tiny[@]}" --output batch.json
  [ -s batch.json ]
  SLURM_STEP_NUM_TASKS=2 gpugauge run "${tiny[@]}" --output step.json
  [ -s "step.$host.rank1.json" ]
}

@test "commands that nobody started together do not measure the host at once either" {
  for name in a b c; do gpugauge run "${tiny[@]}" --wait 120 --output "$name.json" >"$name.out" 2>&1 & done
  wait
  separate_rounds a.json b.json c.json
}

@test "a command that nobody told to wait says who measures the host, and ends with 3" {
  gpugauge run --device host --profile standard --quiet --output long.json >/dev/null &
  first=$!
  wait_until measures "$first"
  for wait in "" "--wait=0"; do
    COLUMNS=1000 run -3 --separate-stderr gpugauge run "${tiny[@]}" ${wait:+"$wait"} --output short.json
    [[ $stderr == "gpugauge: host is being measured by process $first (gpugauge run --device host "*", started "*"); nothing was measured; --wait SECONDS waits for it" ]]
    [ ! -e short.json ]
  done
  COLUMNS=1000 run -3 --separate-stderr gpugauge run "${tiny[@]}" --wait 0.5 --output short.json
  [[ $stderr == *", started "*"); waited 0.5 s; nothing was measured; "* ]]
  kill -TERM "$first"
  wait "$first" || true
}

# A family of this command measures, so that it holds its device: those that only describe themselves come before.
measures() {
  pgrep --parent "$1" --full 'gpugauge-bench-.*--gpugauge_samples=' >/dev/null
}

@test "a holder that is killed lets go" {
  gpugauge run --device host --profile standard --quiet --output killed.json >/dev/null &
  first=$!
  wait_until measures "$first"
  kill -KILL "$first"
  wait "$first" || true
  quick_run after.json
  [ -s after.json ]
}

@test "--device rank needs a launcher that says how many ranks the node has" {
  run -2 gpugauge run --device rank --profile smoke --quiet
  [[ $output == *"--device rank: no launcher started this process as a rank"* ]]
  export RANK=0 WORLD_SIZE=2
  COLUMNS=1000 run -2 gpugauge run --device rank --profile smoke --quiet
  [[ $output == *"torchrun does not say how many ranks are on this node"* ]]
  [ ! -d "$GPUGAUGE_STATE/runs" ]
}

@test "--device rank without a usable GPU says why, on every rank, and falls back to nothing" {
  if has_gpu; then skip "there is a GPU here"; fi
  mpi 3 2 gpugauge run --device rank --profile smoke --quiet
  [ "$(grep -c "no usable GPU" <<<"$stderr")" = 2 ]
  [ ! -d "$GPUGAUGE_STATE/runs" ]
}

@test "numbers of ranks that make no sense are refused" {
  run -2 as_rank 2 2 0 1 gpugauge run "${tiny[@]}"
  [[ $output == *"GPUGAUGE_RANK=2: there are 2 ranks, numbered from 0"* ]]
  run -2 as_rank x 2 0 1 gpugauge run "${tiny[@]}"
  [[ $output == *"GPUGAUGE_RANK=x: not a whole number"* ]]
}
