# shellcheck disable=SC2154  # $stderr is set by run --separate-stderr
# No output may be one of the files that a command reads: by its name, through a link or as another name of the file, in a folder,
# by a pattern, or without being named at all. Refused before anything is done, and nothing is changed.
load common

# A run, an observation, an inventory, a policy, a baseline and a store.
make_inputs() {
  quick_run in.json >/dev/null
  cp in.json other.json
  cp "$(find "$GPUGAUGE_SOURCE/harness/diagnose/reports/observations" -name '*.json' | sort | head -n 1)" seen.json
  gpugauge doctor --json --root /usr/share >stack.json || true
  echo '{"schema": "gpugauge.policy/1"}' >policy.json
  gpugauge baseline create in.json --name mine >/dev/null
  gpugauge baseline create in.json --output pinned >/dev/null
  gpugauge baseline export mine bundle.json >/dev/null
  mkdir -p night/node1 && cp in.json night/node1/run.json
  ln -s in.json link.json && ln in.json hard.json
  if gpugauge history ingest in.json --quiet >/dev/null 2>&1; then gpugauge history ingest in.json --store h.sqlite --quiet >/dev/null; fi
}

everything() {
  find . -type f ! -name '*-shm' ! -name sums ! -name 'separate-stderr-*' -exec sha256sum {} + | sort -k 2
}

@test "an output that is an input is refused with one sentence that names both, and nothing is changed" {
  make_inputs
  everything >sums
  rows=(
    "compare in.json --report json=in.json|--report json=in.json|RUN in.json"
    "compare in.json --report json=link.json|--report json=link.json|RUN in.json"
    "compare in.json --report json=hard.json|--report json=hard.json|RUN in.json"
    "compare link.json --report html=./night/../in.json|in.json|RUN link.json"
    "compare other.json --against in.json --report junit=in.json|--report junit=in.json|--against in.json"
    "compare --before night --after in.json --report markdown=night/node1/run.json|--report markdown=|--before night"
    "compare --before other.json --after in.json --report github=in.json|--report github=in.json|--after in.json"
    "compare in.json --policy policy.json --report json=policy.json|--report json=policy.json|--policy policy.json"
    "compare in.json --baseline pinned --report json=pinned/log.head|--report json=pinned/log.head|--baseline pinned"
    "compare in.json --report json=state/baselines/mine/baseline.json|--report json=|state/baselines/mine/baseline.json"
    "fleet in.json other.json --emit-retest in.json|--emit-retest in.json|PATH in.json"
    "fleet night --report json=night/node1/run.json|--report json=night/node1/run.json|PATH night"
    "fleet night/*/run.json --emit-retest night/node1/run.json|--emit-retest night/node1/run.json|PATH night/"
    "check --device host --policy policy.json --observation policy.json|--observation policy.json|--policy policy.json"
    "check --device host --baseline pinned --report html=pinned/baseline.json|--report html=|--baseline pinned"
    "check --device host --report html=state/baselines/mine/log.jsonl|--report html=|state/baselines/mine/log.jsonl"
    "diagnose seen.json --report json=seen.json|--report json=seen.json|FILE seen.json"
    "doctor --inventory stack.json --report markdown=stack.json|--report markdown=stack.json|--inventory stack.json"
    "doctor lock --inventory stack.json --output stack.json --force|--output stack.json|--inventory stack.json"
    "doctor lock --inventory stack.json --output ./stack.json|--output ./stack.json|--inventory stack.json"
    "selftest mine --inject --output state/baselines/mine/baseline.json|--output state/|baselines/mine/baseline.json"
    "selftest --policy policy.json --inject --output policy.json|--output policy.json|--policy policy.json"
    "baseline export mine state/baselines/mine/log.head|state/baselines/mine/log.head|the state folder's"
    "run --device host --output state/baselines/mine/log.head|--output state/|the state folder's"
    "frameworks --python $(command -v "$PYTHON") --output state/baselines/mine/log.head|--output state/|the state folder's"
  )
  if [ -e h.sqlite ]; then
    rows+=(
      "history export --store h.sqlite --output h.sqlite|--output h.sqlite|--store h.sqlite"
      "history export --output state/history.sqlite|--output state/history.sqlite|the store "
      "history trend * --store h.sqlite --report html=h.sqlite|--report html=h.sqlite|--store h.sqlite"
      "fleet --store h.sqlite --emit-retest h.sqlite|--emit-retest h.sqlite|--store h.sqlite"
      "fleet h.sqlite --report json=h.sqlite|--report json=h.sqlite|PATH h.sqlite"
      "fleet --store h.sqlite --emit-retest state/history.sqlite|--emit-retest state/history.sqlite|the store "
      "check --device host --store h.sqlite --report html=h.sqlite|--report html=h.sqlite|--store h.sqlite"
    )
  fi
  for row in "${rows[@]}"; do
    IFS='|' read -r line output_name input_name <<<"$row"
    set -f
    # shellcheck disable=SC2086
    run -2 --separate-stderr gpugauge $line
    set +f
    [[ $stderr == "gpugauge: "*"$output_name"*" would be written over "*"$input_name"*", which is read; give the output another name" ]] ||
      { echo "$line: $stderr"; false; }
    [ "$(wc -l <<<"$stderr")" -eq 1 ]
  done
  everything | diff sums -
}

@test "what is written beside an open store counts as the store" {
  make_inputs
  [ -e h.sqlite ] || skip "this build has no history"
  echo page >h.sqlite-wal
  run -2 gpugauge history export --store h.sqlite --output h.sqlite-wal
  [[ $output == *"--output h.sqlite-wal would be written over --store h.sqlite, which is read"* ]]
}

@test "last night's report may lie in the folder that is read, and be written anew" {
  "$GPUGAUGE_BUILD/bin/make_fleet" fleet 9 1 >planted.txt
  gpugauge fleet fleet --report json=fleet/report.json --report html=fleet/report.html --emit-retest fleet/again.txt >/dev/null
  sed -i '1s/^{/{ /' fleet/report.json
  run -0 gpugauge fleet fleet --report json=fleet/report.json --report html=fleet/report.html --emit-retest fleet/again.txt
  [ "$(head -c 2 fleet/report.json)" != "{ " ]
}

@test "a baseline that is named is no folder of that name here" {
  quick_run in.json >/dev/null
  gpugauge baseline create in.json --name nightly >/dev/null
  mkdir nightly
  for _ in 1 2; do
    gpugauge compare in.json --baseline nightly --report json=nightly/gauge.json >/dev/null || [ $? -eq 3 ]
  done
  [ -s nightly/gauge.json ]
}

@test "an empty file of last night may be written anew in the folder that is read" {
  "$GPUGAUGE_BUILD/bin/make_fleet" fleet 9 1 >planted.txt
  : >fleet/report.json
  run -3 gpugauge fleet fleet --report json=fleet/report.json  # the empty one cannot be read
  run -0 gpugauge fleet fleet --report json=fleet/report.json
}

@test "a word that is no file is no input, and a new output beside an input is none" {
  quick_run in.json >/dev/null
  echo old >host
  gpugauge run --device host --profile smoke --only 'host/clock_gettime*' --quiet --output host --force
  grep -q gpugauge.run host
  run ! gpugauge compare in.json --report json=out.json
  [ -s out.json ] && grep -q gpugauge.run in.json
}

@test "- is standard output where there is something for it, and refused elsewhere; ./- is a file" {
  quick_run in.json >/dev/null
  for line in "run --device host --output -" "check --device host --observation -" "fleet in.json --emit-retest -" \
    "frameworks --output -" "selftest --inject --output -" "baseline export mine -" "baseline create in.json --output -" \
    "doctor --report json=-"; do
    # shellcheck disable=SC2086
    run -2 gpugauge $line
    [[ $output == *"-: it is not written to standard output; ./- is the file of that name" ]] || { echo "$line: $output"; false; }
  done
  if gpugauge history ingest in.json --quiet; then
    gpugauge history export --output - | grep -q ^started,node
    run -2 gpugauge history trend '*' --report html=-
    [[ $output == *"it is not written to standard output"* ]]
  fi
  run -0 gpugauge doctor lock --output -
  [[ $output == *gpugauge.lock/1* ]]
  run ! gpugauge compare in.json --report json=-
  [[ $output == "{"* ]]
  [ ! -e - ]
  run ! gpugauge fleet in.json --emit-retest ./-
  [ -e ./- ]
}

