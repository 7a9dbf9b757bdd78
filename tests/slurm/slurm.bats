# scripts/slurm on a real Slurm: a controller and eight node daemons on this machine. The nodes measure the host, one at a time, since
# they share its processors. Run by scripts/lib/test-slurm; the same with made commands: tests/scripts/slurm.bats.
bats_require_minimum_version 1.5.0
load cluster

setup_file() {
  export PYTHONDONTWRITEBYTECODE=1 COLUMNS=1000
  unset SLURM_JOB_ID SLURM_JOB_NODELIST SLURMD_NODENAME GPUGAUGE_STATE
  HOOKS="$BATS_FILE_TMPDIR/hooks"
  export HOOKS
  cp -r "$GPUGAUGE_SOURCE/scripts/slurm" "$HOOKS"
  mkdir "$BATS_FILE_TMPDIR/bin" "$BATS_FILE_TMPDIR/verdict"
  start_cluster "Prolog=$HOOKS/prolog" "Epilog=$HOOKS/epilog"
  # The command as it was built, but for two things. The node $SLOW measures while its processors are kept busy by 24 others: its
  # measurements are slow for a reason, and not edited. And the stored verdict is that of a file, one a node, unless a file says that
  # the real command is asked.
  cat >"$BATS_FILE_TMPDIR/bin/gpugauge" <<TEXT
#!/usr/bin/env bash
if [[ "\$1" == status && -e "$BATS_FILE_TMPDIR/verdict/\$SLURMD_NODENAME.real" ]]; then
  exec "$GPUGAUGE_BUILD/bin/gpugauge" "\$@"
fi
if [[ "\$1" == status ]]; then
  [[ -e "$BATS_FILE_TMPDIR/verdict/\$SLURMD_NODENAME" ]] || { echo "no verdict is stored"; exit 3; }
  cat "$BATS_FILE_TMPDIR/verdict/\$SLURMD_NODENAME"
  exit 1
fi
# Each node is a machine of its own: none holds the host against another.
export GPUGAUGE_DEVICE_LOCK="\$SLURMD_NODENAME"
# The commands of a page, on a machine without a GPU and in seconds.
if [[ "\$1" == @(run|check) && -n "\${PAGE:-}" ]]; then
  folder="\$(printf '%s\n' "\$@" | sed -n '/^--state-dir\$/ { n; p }')"
  set -- "\$1" --quiet --device host --profile smoke --only 'host/clock_gettime*' \${folder:+--state-dir "\$folder"}
fi
busy=()
if [[ "\$1" == run && -n "\${SLURMD_NODENAME:-}" && "\$SLURMD_NODENAME" == "\${SLOW:-}" ]]; then
  for _ in {1..24}; do
    setsid timeout 60 sh -c 'while :; do :; done' &  # a session each: the scheduler may share between sessions
    busy+=(\$!)
  done
fi
code=0
"$GPUGAUGE_BUILD/bin/gpugauge" "\$@" || code=\$?
((\${#busy[@]} == 0)) || kill "\${busy[@]}"
exit "\$code"
TEXT
  chmod +x "$BATS_FILE_TMPDIR/bin/gpugauge"
  export PATH="$BATS_FILE_TMPDIR/bin:$PATH"
  settings on_regression=report
}

teardown_file() { stop_cluster; }

setup() { cd "$BATS_TEST_TMPDIR" || exit; }

settings() {
  printf '%s\n' "gpugauge=$BATS_FILE_TMPDIR/bin/gpugauge" "state=$BATS_FILE_TMPDIR/state" "slurm_conf=$SLURM_CONF" "$@" >"$HOOKS/slurm.conf"
}

wait_until() {
  for _ in $(seq 300); do
    if "$@"; then return 0; fi
    sleep 0.1
  done
  echo "never held: $*" >&2
  return 1
}
is_drained() { [[ "$(state_of "$1")" == *DRAIN* ]]; }
is_queued() { scontrol show job "$1" | grep -qE 'JobState=PENDING Reason=(launch_failed_requeued_held|ReqNodeNotAvail)'; }
is_idle() { [[ "$(state_of "$1")" == IDLE ]]; }
is_over() { ! squeue --noheader --jobs="$1" --format=%T 2>/dev/null | grep -qE 'PENDING|RUNNING|COMPLETING'; }

@test "eight node daemons, each under its own name" {
  # shellcheck disable=SC2016  # each node expands it
  run -0 srun --nodes=8 sh -c 'echo $SLURMD_NODENAME'
  [ "$(sort <<<"$output" | tr '\n' ' ')" = "node1 node2 node3 node4 node5 node6 node7 node8 " ]
}

@test "docs/tasks/admitting-nodes.md: its srun measures every node once, all of its memory" {
  line="$(sed -n 's/^\(srun .*\) gpugauge run .*/\1/p' "$GPUGAUGE_SOURCE/docs/tasks/admitting-nodes.md")"
  [[ $line == *" --nodes=200 "* && $line == *" --mem=0"* ]]
  # shellcheck disable=SC2016,SC2086  # each node expands it; the page's words, one by one
  run -0 --separate-stderr ${line/--nodes=200/--nodes=8} sh -c 'echo $SLURMD_NODENAME'
  [ "$(sort <<<"$output" | tr '\n' ' ')" = "node1 node2 node3 node4 node5 node6 node7 node8 " ]
}

@test "bisect: salloc, steps of pairs, and the slow node of a made fabric" {
  echo '{"slow_nodes": {"node6": 0.6}}' >fabric.json
  FAKE_FABRIC="$PWD/fabric.json" run -1 "$HOOKS/bisect" --bench "$GPUGAUGE_SOURCE/tests/slurm/fake_nccl.py" --gpus-per-node 2 \
    --partition gpu --output "$PWD/out"
  echo "$output"
  [[ $output == *"slow node: node6"*"is slow with every partner"* ]]
  [[ $(grep -c 'slow node' <<<"$output") == 1 ]]
  [ "$(find out/measurements -name samples.rank0.json | wc -l)" = 14 ]
  echo '{"hangs": ["node3"]}' >fabric.json
  FAKE_FABRIC="$PWD/fabric.json" run -1 "$HOOKS/bisect" --bench "$GPUGAUGE_SOURCE/tests/slurm/fake_nccl.py" --gpus-per-node 1 \
    --nodes 'node[1-4]' --limit 3 --output "$PWD/hung"
  echo "$output"
  [[ $output == *"node that fails: node3"*"did not end within 3 s"* ]]
}

@test "gauge in an allocation: every node leaves its files under its own name" {
  run salloc --nodes=8 --exclusive "$HOOKS/gauge" --output "$PWD/out" --device host --profile smoke --at-once 1 -- --only 'host/clock_gettime*'
  echo "$output"
  [ "$(find out/runs -name '1-*.json' | wc -l)" = 8 ]
  for number in 1 2 3 4 5 6 7 8; do [ "$(find "out/runs/node$number" -name '1-*.json' | wc -l)" = 1 ]; done
  [[ $output =~ "8 nodes: "[^$'\n']*": "[1-9][0-9]*" metric"s?" compared" ]]
}

@test "gauge: the node that was made slow is the one reported, and with --drain the one drained" {
  local start=$SECONDS attempt
  # A neighbour's burst during both runs of another node makes that one slow, too: two more attempts. The planted one must be found
  # in each of them.
  for attempt in 1 2 3; do
    SLOW=node5 run "$HOOKS/gauge" --partition gpu --output "$PWD/out$attempt" --device host --profile smoke --at-once 1 --drain -- \
      --only host/cpu_share/all_cores
    echo "$output"
    [ "$status" = 1 ]
    grep -q $'^node5\tfound' "out$attempt/suspects.tsv"
    if [ "$(cut -f 1,2 "out$attempt/suspects.tsv" | grep -w found | sort -u)" = $'node5\tfound' ]; then break; fi
    for number in 1 2 3 4 5 6 7 8; do "$HOOKS/drain" --lift "node$number" && wait_until is_idle "node$number"; done
  done
  [[ $output == *"1 of 8 nodes has a finding (node5)"* ]]
  if [[ -n "${KEEP_OUTPUT:-}" ]]; then printf '%s\n' "$output" >"$KEEP_OUTPUT"; fi
  [[ $output == *"node5 is drained: host/"*"worse than the median of 8 nodes"* ]]
  [[ $(reason_of node5) == "gpugauge: host/"*"worse than the median of 8 nodes"* ]]
  for number in 1 2 3 4 6 7 8; do [[ $(state_of "node$number") != *DRAIN* ]]; done
  [ "$(find "out$attempt/runs/node5" -name '2-*.json' | wc -l)" = 1 ]
  echo "eight nodes, a second run of the suspects: $((SECONDS - start)) s, attempt $attempt" >&3
}

@test "gauge: what a node had measured when its time was over is in the folder, by a job and by a step" {
  # The command itself: Slurm tells every process to end, and a wrapper would end before it.
  words=(--time 1 --device host --profile standard --gpugauge "$GPUGAUGE_BUILD/bin/gpugauge")
  GPUGAUGE_DEVICE_LOCK=node1 "$HOOKS/gauge" --nodes node1 --output "$PWD/job" "${words[@]}" >job.log 2>&1 3>&- &
  local job=$!
  GPUGAUGE_DEVICE_LOCK=node2 run salloc --nodes=1 --nodelist=node2 --exclusive "$HOOKS/gauge" --output "$PWD/step" "${words[@]}"
  echo "$output"
  wait "$job" || true
  cat job.log
  for one in job/status/node1.1 step/status/node2.1; do
    cat "$one"
    [[ $(cat "$one") == $'3\t'* ]]
  done
  for one in job/runs/node1 step/runs/node2; do
    [ "$(find "$one" -name '1-*.json' | wc -l)" = 1 ]
    grep -q '"complete": false' "$one"/1-*.json
    grep -q 'SIGTERM stopped the run' "$one"/1-*.json
  done
}

@test "docs/tasks/slurm.md: every command of the page, as it is written" {
  echo '{"slow_nodes": {"node2": 0.7}}' >fabric.json
  export PAGE=yes FAKE_FABRIC="$PWD/fabric.json"
  # What stands in for the cluster of the page: its shared folder, its GPUs' collective. What is typed stays the same.
  mkdir -p shared/gpugauge scripts "$BATS_FILE_TMPDIR/libexec/gpugauge"
  ln -s "$HOOKS" scripts/slurm
  ln -sf "$GPUGAUGE_SOURCE/tests/slurm/fake_nccl.py" "$BATS_FILE_TMPDIR/libexec/gpugauge/gpugauge-bench-nccl"
  "$HOOKS/drain" --lift node5
  wait_until is_idle node5
  awk '/^```/ { open = !open; shell = open && $0 == "```"; next } shell' "$GPUGAUGE_SOURCE/docs/tasks/slurm.md" |
    sed -e ':join' -e '/\\$/ { N; s/\\\n *//; b join' -e '}' -e "s#/shared/#$PWD/shared/#g" -e "s#/var/lib/#$PWD/var/#g" \
      -e "s#/etc/gpugauge/#$PWD/etc/#g" >commands
  cat commands
  [ "$(wc -l <commands)" = 8 ]
  mkdir -p var/gpugauge/runs etc
  touch -d '40 days ago' var/gpugauge/runs/old.json
  echo '{"schema": "gpugauge.policy/1", "expect": {"gpus": 8}}' >etc/policy.json
  while IFS= read -r command; do
    run bash -c "$command"
    echo "\$ $command"
    echo "$output [$status]"
    case "$command" in
      *bisect*)
        [ "$status" = 1 ]
        [[ $output == *"slow node: node2"* ]]
        ;;
      *gauge/first* | *gauge/second*) [[ $status == [01] ]] ;;
      # One benchmark of the host is nothing that a check could judge by.
      *gauge/night* | *"gpugauge check"*) [[ $status == 3 ]] ;;
      *) [ "$status" = 0 ] ;;
    esac
    if [[ $command == *'drain node5'* ]]; then is_drained node5; fi
  done <commands
  run ! is_drained node5
  [ ! -e var/gpugauge/runs/old.json ]
  [ -s var/gpugauge/verdicts/host.json ]
  [ "$(find shared/gpugauge/night/runs -name '1-*.json' | wc -l)" = 8 ]
  [ "$(find shared/gpugauge/first/runs -name '1-*.json' | wc -l)" = 8 ]
  [ "$(find shared/gpugauge/second/runs -name '1-*.json' | wc -l)" = 8 ]
}

@test "drain: another's drain is nobody's to touch or to lift" {
  scontrol update NodeName=node7 State=DRAIN Reason="fan is broken, ask first"
  run -0 "$HOOKS/drain" node7 "slow, too"
  [ "$(reason_of node7)" = "fan is broken, ask first" ]
  run -1 "$HOOKS/drain" --lift node7
  is_drained node7
  scontrol update NodeName=node7 State=RESUME
}

@test "prolog: a job starts in spite of a bad verdict unless the settings say drain; then the node is drained with our reason" {
  echo "host: regressed: host/triad/one_core" >"$BATS_FILE_TMPDIR/verdict/node2"
  run -0 srun --nodelist=node2 --nodes=1 echo started
  [[ $output == *started* ]]
  run ! is_drained node2
  settings on_regression=drain
  job="$(sbatch --parsable --nodelist=node2 --nodes=1 --output="$PWD/job.log" --wrap 'echo started')"
  wait_until is_drained node2
  [ "$(reason_of node2)" = "gpugauge: host: regressed: host/triad/one_core" ]
  # The job has not run: Slurm queued it again, held or for the node that it asked for. The reason is still ours.
  wait_until is_queued "$job"
  [ "$(reason_of node2)" = "gpugauge: host: regressed: host/triad/one_core" ]
  run ! grep -qx started job.log
  scancel "$job"
  # No verdict: the job starts, the node stays.
  run -0 srun --nodelist=node3 --nodes=1 echo started
  [[ $output == *started* ]]
  run ! is_drained node3
}

@test "prolog, with the real gpugauge status: a regression that a check stored drains the node, and its job does not run" {
  settings on_regression=drain device=host
  : >"$BATS_FILE_TMPDIR/verdict/node3.real"
  GPUGAUGE_DEVICE_LOCK=node3 GPUGAUGE_STATE="$BATS_FILE_TMPDIR/state" run -3 "$GPUGAUGE_BUILD/bin/gpugauge" check --device host --profile smoke --only 'host/clock_gettime*' --quiet
  # What cannot be judged lets the job start.
  run -0 srun --nodelist=node3 --nodes=1 echo started
  [[ $output == *started* ]]
  "${GPUGAUGE_PYTHON:-python3}" - "$BATS_FILE_TMPDIR/state/verdicts/host.json" <<'PY'
import json, sys
verdict = json.load(open(sys.argv[1]))
verdict["outcome"] = {"exit_code": 1, "word": "regressed", "sentence": "regressed: 1 of 1 metric (host/clock_gettime:latency)"}
json.dump(verdict, open(sys.argv[1], "w"))
PY
  job="$(sbatch --parsable --nodelist=node3 --nodes=1 --output="$PWD/job.log" --wrap 'echo started')"
  wait_until is_drained node3
  [[ $(reason_of node3) == "gpugauge: Host "*": regressed, "*"1 of 1 metric (host/clock_gettime:latency)"* ]]
  wait_until is_queued "$job"
  run ! grep -qx started job.log
  scancel "$job"
  rm "$BATS_FILE_TMPDIR/verdict/node3.real"
  "$HOOKS/drain" --lift node3
  wait_until is_idle node3
}

@test "epilog: a verdict that came while the job ran keeps the next one away" {
  settings on_regression=drain
  job="$(sbatch --parsable --nodelist=node4 --nodes=1 --output="$PWD/job.log" \
    --wrap "echo 'host: regressed: host/copy/one_core' >'$BATS_FILE_TMPDIR/verdict/node4'")"
  wait_until is_over "$job"
  wait_until is_drained node4
  [ "$(reason_of node4)" = "gpugauge: host: regressed: host/copy/one_core" ]
}

@test "healthcheck: drains the node of the bad verdict and no other" {
  settings on_regression=drain
  echo "host: regressed: host/futex_wake" >"$BATS_FILE_TMPDIR/verdict/node8"
  printf '%s\n' "HealthCheckProgram=$HOOKS/healthcheck" HealthCheckInterval=2 HealthCheckNodeState=ANY >>"$SLURM_CONF"
  scontrol reconfigure
  wait_until is_drained node8
  [ "$(reason_of node8)" = "gpugauge: host: regressed: host/futex_wake" ]
  for number in 1 3 5 6 7; do [[ $(state_of "node$number") != *DRAIN* ]]; done
}

@test "bisect: a node whose daemon dies inside of the allocation is the one named" {
  echo '{}' >fabric.json
  FAKE_FABRIC="$PWD/fabric.json" run -1 timeout 300 salloc --nodelist=node1,node3,node6,node7 --nodes=4 --immediate=30 bash -c \
    "kill -KILL \$(cat '$CLUSTER/spool/node6.pid'); exec '$HOOKS/bisect' --bench '$GPUGAUGE_SOURCE/tests/slurm/fake_nccl.py' \
    --gpus-per-node 1 --limit 15 --output '$PWD/out'"
  echo "$output"
  [[ $output == *"node that fails: node6"*"fails with every partner"* ]]
  [[ $output == *"all nodes without node6: "*" GB/s"* ]]
}
