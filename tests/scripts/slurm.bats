# shellcheck disable=SC2154  # slurm comes from slurm_fakes
# gauge, bisect and drain of scripts/slurm with Slurm's commands, the nodes' measurements and the fabric made up; its hooks:
# slurm_hooks.bats. The same on a real Slurm: tests/slurm/slurm.bats, which scripts/test --all runs.
load slurm_fakes

@test "gauge: a job a node, the suspect is measured again, and found" {
  fleet_of_nine
  run -1 "$slurm/gauge" --partition all --output out
  [[ $output == *"1 of 9 nodes has a finding (node5)"* ]]
  [[ $output == *"1 node(s) to look at"* && $output == *"node5  found"* && $output == *"confirmed by a further run"* ]]
  [ "$(sort fake/measured | cut -d ' ' -f 1 | uniq -c | awk '$1 > 1 { print $2 }')" = node5 ]
  [ "$(wc -l <fake/measured)" = 10 ]
  [ "$(find out/runs -name '*.json' | wc -l)" = 10 ]
  [ -z "$(find out -name '*.part')" ]
  grep -q $'^node5\tfound\tGPU-.*worse than the median of 9 nodes' out/suspects.tsv
  [ -s out/fleet.html ] && [ -s out/fleet.json ]
  grep -q 'sbatch.*--nodelist=node5 --exclusive' fake/calls
  # Nothing is drained unless asked for, and one folder holds one night.
  run ! grep -q update fake/calls
  run -2 "$slurm/gauge" --partition all --output out
  [[ $output == *"holds runs already"* ]]
}

@test "gauge: where Slurm gave no answer, took no job or calls every node down, the same folder may be given again" {
  fleet_of_nine
  for name in sinfo sbatch; do
    printf '#!/bin/sh\necho "%s: error: Unable to contact slurm controller" >&2\nexit 1\n' "$name" >refusing && chmod +x refusing
    mv "bin/$name" kept && mv refusing "bin/$name"
    run "$slurm/gauge" --partition all --output out
    echo "$output"
    [ "$status" = "$([ "$name" = sinfo ] && echo 2 || echo 3)" ]
    [[ $output == *"Unable to contact slurm controller"* ]]
    [ ! -e out/runs ]
    mv kept "bin/$name"
  done
  echo DOWN >fake/nodes/node0
  run -3 "$slurm/gauge" --nodes node0 --output out
  [ ! -e out/runs ]
  echo IDLE >fake/nodes/node0
  run -1 "$slurm/gauge" --partition all --output out
  [[ $output == *"1 of 9 nodes has a finding (node5)"* ]]
  echo text >file
  run -2 "$slurm/gauge" --partition all --output file/below
  [[ $output == *"file/below/runs could not be made: Not a directory"* ]]
}

@test "gauge: a node that is down, one that never starts, one that gets lost and one that cannot measure are said" {
  fleet_of_nine
  printf 'DOWN\nno power' >fake/nodes/node0
  echo IDLE >fake/nodes/lost1
  echo IDLE >fake/nodes/busy1
  BROKEN=node8 run -3 "$slurm/gauge" --nodes 'node[0-8],lost1,busy1,nosuch' --output out --wait 0.05 --time 1 2>&1
  [[ $output == *"node0  not gauged"*"Slurm calls it down: no power"* ]]
  [[ $output == *"lost1  not gauged"*"left no result: NODE_FAIL"* ]]
  [[ $output == *"busy1  not gauged"*"pending for too long (Resources)"* ]]
  [[ $output == *"nosuch  not gauged"*"Slurm knows no node of this name"* ]]
  [[ $output == *"node8  not gauged"*"gpugauge ended with 3: gpugauge: no usable GPU: the driver gives no answer"* ]]
  [ "$(grep -c '^node8' out/suspects.tsv)" = 1 ]
  grep -q 'scancel' fake/calls
}

# node_told FOLDER VERB: scripts/slurm/node in a process group of its own, to which Slurm's end of the time comes while it measures.
node_told() {
  cat >bin/gpugauge <<'TEXT'
#!/bin/sh
trap 'echo partial >"$GPUGAUGE_STATE/runs/one.json"; echo "  kept as $GPUGAUGE_STATE/runs/one.json"; echo "gpugauge: stopped by SIGTERM" >&2; exit 3' TERM
mkdir -p "$GPUGAUGE_STATE/runs" && : >measuring
while :; do sleep 0.1; done
TEXT
  rm -f measuring
  SLURMD_NODENAME=node1 GPUGAUGE_STATE="$PWD/state" TMPDIR="$PWD/tmp" setsid "$slurm/node" "$1" 1 "$2" "$PWD/bin/gpugauge" >said 2>&1 3>&- &
  local pid=$!
  for _ in $(seq 200); do [ ! -e measuring ] || break; sleep 0.05; done
  kill -TERM -- "-$pid"
  wait "$pid"
}

@test "node: where Slurm's time is over, what was measured and how it ended are in the folder, and nothing is left" {
  mkdir tmp
  for verb in run check; do
    run -0 node_told "$PWD/$verb.out" "$verb"
    cat said
    [ "$(cat "$verb.out/status/node1.1")" = $'3\tgpugauge: stopped by SIGTERM' ]
    [ "$(cat "$verb.out/runs/node1/1-one.json")" = partial ]
    [ -z "$(ls -A tmp)" ]
  done
}

@test "gauge inside of an allocation: a step a node, one at a time; --drain drains with the reason" {
  fleet_of_nine
  SLURM_JOB_ID=7 SLURM_JOB_NODELIST='node[0-8]' run -1 "$slurm/gauge" --output out --at-once 1 --drain -- --only hbm
  [[ $output == *"1 of 9 nodes has a finding (node5)"* ]]
  [[ $(cat fake/nodes/node5) == $'IDLE+DRAIN\ngpugauge: synthetic/op/'*"worse than the median of 9 nodes"* ]]
  [ "$(grep -l DRAIN fake/nodes/* | wc -l)" = 1 ]
  [ "$(grep -c '^srun' fake/calls)" = 10 ]
  grep -q '^node3 run --quiet --device all --profile standard --only hbm$' fake/measured
}

@test "gauge --check: each node judges itself, and the graver end counts; a home that all nodes share mixes nothing" {
  fleet_of_nine
  export GPUGAUGE_STATE="$PWD/state"
  CHECK_ENDS=1 CHECK_SAYS="regressed: 1 of 9 metrics" SLURM_JOB_ID=7 SLURM_JOB_NODELIST='node[0-4,6-8]' run -1 "$slurm/gauge" --output out --check
  [[ $output == *"node0  check"*"its own check ended with 1: regressed: 1 of 9 metrics"* ]]
  [[ $output == *"pass: 8 of 8 nodes are like their peers"* ]]
  # A check that was killed counts as 2, and is in the list, too.
  rm fake/measured
  CHECK_ENDS=137 SLURM_JOB_ID=7 SLURM_JOB_NODELIST='node[0-4,6-8]' run -2 "$slurm/gauge" --output killed --check
  grep -q $'^node0\tcheck\tall\tits own check ended with 137: ' killed/suspects.tsv
  for number in 0 1 2 3 4 6 7 8; do [ "$(ls "out/runs/node$number")" = "1-node$number-1.json" ]; done
}

@test "gauge: a suspect that an epilog has drained meanwhile is said at once, and no job waits for it" {
  fleet_of_nine
  DRAINS=node5 run -0 "$slurm/gauge" --partition all --output out
  [[ $output == *"node5  suspect"*"its second run did not come: Slurm calls it drained: gpugauge: its own check"* ]]
  [ "$(grep -c '^sbatch.*--nodelist=node5 ' fake/calls)" = 1 ]
  [ "$(grep -c '^sbatch' fake/calls)" = 9 ]
}

@test "gauge --check: the state is that of the hooks, never a home that nodes share, and without one nothing is measured" {
  fleet_of_nine
  # The settings of this machine, if it has any, are none of the test's.
  cp -r "$slurm" own && sed -i "s#/etc/gpugauge/#$PWD/etc/#" own/gauge
  run -2 own/gauge --nodes 'node[0-4,6-8]' --output out --check
  [[ $output == *"name a folder of the node"*"state= in $PWD/own/slurm.conf or $PWD/etc/slurm.conf"* ]]
  run -2 own/gauge --nodes 'node[0-4,6-8]' --output out --check --state relative
  [[ $output == *"relative is no absolute path"* ]]
  run -2 own/gauge --nodes 'node[0-4,6-8]' --output out --check -- --state-dir "$PWD/third"
  [[ $output == *"with --check give --state DIR in front of --, and not --state-dir behind it"* ]]
  [ ! -e fake/measured ] && [ ! -e out ]
  mkdir etc && printf '%s\n' "#state=/no" "state=$PWD/hooks" >etc/slurm.conf
  # Slurm may give a job nothing of the environment: the folder comes with the command.
  run -0 own/gauge --nodes 'node[0-4,6-8]' --output out --check
  [ "$(grep -c -- "check --quiet --device all --profile standard --state-dir $PWD/hooks --report" fake/measured)" = 8 ]
  [ "$(find hooks/runs -name '*.json' | wc -l)" = 8 ]
  GPUGAUGE_STATE="$PWD/other" run -0 own/gauge --nodes 'node[0-4,6-8]' --output again --check --state "$PWD/third"
  [[ $output == *"the hooks read $PWD/hooks ($PWD/etc/slurm.conf), not $PWD/third"* ]]
  [ "$(find third/runs -name '*.json' | wc -l)" = 8 ]
  # Without --check nothing is kept on the nodes, and no folder is asked for.
  rm -r etc fake/measured
  run -0 own/gauge --nodes 'node[0-4,6-8]' --output plain
}

@test "drain: a reason that names us, nobody else's drain touched, lifted only where it was ours" {
  run -0 "$slurm/drain" node1 "host/triad 40% slower"
  [ "$(cat fake/nodes/node1)" = $'IDLE+DRAIN\ngpugauge: host/triad 40% slower' ]
  run -0 "$slurm/drain" node1 "something else"
  [[ $output == *"left as it is (IDLE+DRAIN: gpugauge: host/triad 40% slower)"* ]]
  printf 'IDLE+DRAIN\nfan is broken, an admin' >fake/nodes/node2
  run -0 "$slurm/drain" node2 "slow"
  [ "$(tail -n 1 fake/nodes/node2)" = "fan is broken, an admin" ]
  run -1 "$slurm/drain" --lift node2
  [[ $output == *"was not drained by this script"*"fan is broken, an admin"* ]]
  run -0 "$slurm/drain" --lift node1
  [ "$(head -n 1 fake/nodes/node1)" = IDLE ]
  run -0 "$slurm/drain" --lift node1
  [[ $output == *"is not drained"* ]]
  run -2 "$slurm/drain" node9 "slow"
  [[ $output == *"Node node9 not found"* ]]
  run -2 "$slurm/drain" 'node[1-8]' "slow"
  [[ $output == *"one name, not a list"* ]]
  run -2 "$slurm/drain" node3
  touch fake/refuses
  run -2 "$slurm/drain" node3 "slow"
  [[ $output == *"Invalid user id"* ]]
}

@test "drain: a node that power saving takes down is drained, and one that is down, failing or drained, whatever its flags, is left" {
  for state in IDLE+CLOUD+POWERED_DOWN IDLE+POWERING_DOWN IDLE+POWER_DOWN+POWER_DRAIN 'IDLE~' 'MIXED$+PLANNED' 'UNKNOWN*'; do
    printf '%s\nasked for by an admin' "$state" >fake/nodes/node1
    run -0 "$slurm/drain" --lift node1
    [[ $output == "node1 is not drained ($state)" ]]
    run -0 "$slurm/drain" node1 "slow"
    [ "$(cat fake/nodes/node1)" = $'IDLE+DRAIN\ngpugauge: slow' ]
  done
  for state in 'DOWN*' 'DOWN*+CLOUD' IDLE+DRAIN+POWERED_DOWN 'DRAINED~' DRAINING@ 'IDLE*+DRAIN' MIXED+DRAIN IDLE+FAIL FAILING DOWN+NOT_RESPONDING; do
    printf '%s\nasked for by an admin' "$state" >fake/nodes/node1
    run -0 "$slurm/drain" node1 "slow"
    [[ $output == "node1 is left as it is ($state: asked for by an admin)" ]]
    run -1 "$slurm/drain" --lift node1
    [ "$(head -n 1 fake/nodes/node1)" = "$state" ]
  done
}

@test "drain: what it did is said by its exit code also where nobody takes its line" {
  run -0 bash -c "'$slurm/drain' node1 slow >/dev/full"
  run -0 bash -c "set -o pipefail; '$slurm/drain' node1 slow | true"
  grep -q DRAIN fake/nodes/node1
}

@test "gauge: a node's state is read by its whole words" {
  made() { printf '#!/bin/sh\nprintf "node1|%s|none\n"\n' "$1" >bin/made && chmod +x bin/made && mv bin/made bin/sinfo; }
  for state in down 'down*' drained~ draining@ fail failing 'unknown*' idle+drain; do
    made "$state"
    run -3 "$slurm/gauge" --nodes node1 --output out
    [[ $output == *"node1  not gauged"*"Slurm calls it $state"* ]]
  done
  cat >bin/states.py <<'TEXT'
import launch
for state in "idle", "idle*", "idle~", "powered_down", "powering_down~", "mixed+planned", "downtime":
    assert not launch.is_out(state), state
TEXT
  PYTHONPATH="$slurm" python3 bin/states.py
}

@test "drain --lift: on the node itself it refuses while the verdict there fails the node, and elsewhere it says what was not asked" {
  cp -r "$slurm" own
  printf '%s\n' "gpugauge=$PWD/bin/gpugauge" "state=$PWD/state" >own/slurm.conf
  own/drain node4 "its own check"
  SLURMD_NODENAME=node4 STATUS_ENDS=1 STATUS_SAYS="GPU 0: regressed, 3 days ago: hbm_thermal" run -1 own/drain --lift node4
  [[ $output == *"node4 is left as it is: the verdict stored here still fails it (GPU 0: regressed, 3 days ago: hbm_thermal); check it first"* ]]
  [ "$(head -n 1 fake/nodes/node4)" = IDLE+DRAIN ]
  SLURMD_NODENAME=node4 STATUS_ENDS=0 STATUS_SAYS="GPU 0: pass" run -0 own/drain --lift node4
  [[ $output == "node4 is taken back; it was drained for: gpugauge: its own check" ]]
  own/drain node4 "its own check"
  SLURMD_NODENAME=head STATUS_ENDS=1 run -0 own/drain --lift node4
  [[ $output == *"the verdict stored on node4 is not looked at from here"*"node4 is taken back"* ]]
  # What cannot be asked keeps no node out.
  own/drain node4 "its own check"
  SLURMD_NODENAME=node4 STATUS_ENDS=127 run -0 own/drain --lift node4
}

bisect() {
  echo "$1" >fabric.json
  FAKE_FABRIC="$PWD/fabric.json" "$slurm/bisect" --bench "$GPUGAUGE_SOURCE/tests/slurm/fake_nccl.py" --gpus-per-node 1 --output "out$RANDOM$RANDOM" "${@:2}" 2>&1
}

@test "bisect names the slow node, the slow path, and a node that never comes" {
  run -1 bisect '{"slow_nodes": {"node3": 0.6}}' --nodes 'node[1-5]'
  [[ $output == *"all 5 nodes: 2"*"slow node: node3"*"is slow with every partner"* ]]
  [[ $output == *"all nodes without node3: "* ]]
  [ "$(grep -c '^salloc' fake/calls)" = 1 ]
  run -1 bisect '{"slow_paths": [["node1", "node2", 0.3]]}' --nodes 'node[1-4]'
  [[ $output == *"slow path: node1 node2"* ]]
  run -1 bisect '{"dead": ["node2"]}' --nodes 'node[1-4]' --drain
  [[ $output == *"node that fails: node2"*"did not come within 60 s (node2)"* ]]
  [[ $(cat fake/nodes/node2) == *"DRAIN"*"gpugauge: nccl/all_reduce/256MiB fails with every partner"* ]]
}

@test "bisect names who gpugauge fleet names: it asks it, and the ranks' files say the same" {
  run -1 bisect '{"slow_nodes": {"node3": 0.6}, "slow_paths": [["node1", "node2", 0.3]]}' --nodes 'node[1-6]' --waves 5
  folder=$(echo out*)
  "${GPUGAUGE_PYTHON:-python3}" "$GPUGAUGE_SOURCE/tests/validate_json.py" fabric "$folder/pairs.fabric"
  for given in "$folder/pairs.fabric" "$folder/measurements" "$folder"; do
    run -1 gpugauge fleet "$given" --report json=fleet.json
    [[ $output == *"between nodes: slow node node3, slow path node1 and node2"* ]]
    python3 - "$folder/bisect.json" fleet.json <<'PY'
import json, sys
bisect, fleet = (json.load(open(name)) for name in sys.argv[1:])
found = lambda findings, kind: sorted((one[kind].replace("_", " "), tuple(one["nodes"])) for one in findings)
said, = fleet["fabrics"]
assert found(bisect["findings"], "kind") == found(said["findings"], "finding") != [], (bisect["findings"], said["findings"])
pairs, = [size["reference"] for size in said["sizes"] if size["nodes"] == 2]
assert pairs == bisect["reference"], (pairs, bisect["reference"])
PY
  done
}

@test "bisect says what it cannot tell" {
  run -0 bisect '{}' --nodes 'node[1-4]'
  [[ $output == *"what is slow everywhere is not seen without --expected"* ]]
  run -1 bisect '{}' --nodes 'node[1-4]' --expected 800
  [[ $output == *"everything is slow"*"no pair reaches the expected 800 GB/s"* ]]
  run -3 bisect '{}' --nodes 'node[1-2]'
  [[ $output == *"one pair has nothing to be compared with"* ]]
  run -1 bisect '{}' --nodes 'node[1-4]' --all-only --expected 800
  [[ $output == *"over 4 nodes: "*" GB/s"* ]]
  run -2 bisect '{}' --nodes 'node[1-4]' --tolerance 0
  run -2 bisect '{}' --nodes 'nosuch'
}

@test "bisect ends a measurement that hangs, and goes on" {
  run -1 bisect '{"hangs": ["node2"]}' --nodes 'node[1-3]' --limit 20
  [[ $output == *"node that fails: node2"*"did not end within 20 s"* ]]
}
