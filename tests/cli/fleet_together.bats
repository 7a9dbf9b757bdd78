# Nodes that were measured together, and checksums, through the command. What the ranks leave is made up; no network is measured.
load common

export WIDE=1

# ranks SET NODES [VALUE [STATUS]]: the sample files of a collective with two ranks on each node, as gpugauge-bench-nccl leaves them.
# The log of ranks on $BY_SOCKETS says so, that of others InfiniBand.
ranks() {
  "$PYTHON" - "$@" <<'PY'
import json, os, pathlib, sys
name, nodes, value, status = sys.argv[1:] + ["4e11", "ok"][len(sys.argv) - 3:]
nodes = nodes.split(",")
folder = pathlib.Path("together") / name
folder.mkdir(parents=True, exist_ok=True)
for rank in range(2 * len(nodes)):
    metrics = [{"name": key, "unit": "byte/second", "better": "higher", "class": "coll_large", "statistic": "median",
                "value": float(value) * share, "resolution": 0, "judged": key == "busbw", "note": "" if key == "busbw" else "recorded"} for key, share in (("algbw", .5), ("busbw", 1))]
    samples = {"schema": "gpugauge.samples/1", "family": "nccl", "status": status, "reason": "" if status == "ok" else "rank 1 cannot take part",
               "suite_version": "0.1.0", "source_hash": "aa", "seed": 1, "benchmarks": [], "context": {
                   "ranks.rank": str(rank), "ranks.size": str(2 * len(nodes)), "ranks.launcher": "Slurm", "ranks.nodes": " ".join(nodes), "ranks.node": nodes[rank // 2],
                   "gpu.name": "Synthetic H200", "nccl.version": "2.27.7"}}
    notes = {"nccl.transport": "ib", "nccl.network": "IB"}
    if nodes[rank // 2] == os.environ.get("BY_SOCKETS"):
        notes = {"nccl.transport": "socket", "nccl.network": "Socket", "nccl.warnings": "NET/IB : Unable to open device mlx5_0 | and more"}
    if status == "ok":
        samples["benchmarks"] = [{"id": "nccl/all_reduce/256MiB", "status": "ok", "reason": "", "parameters": {}, "notes": notes, "metrics": metrics,
                                  "work": {"bytes": 0, "flops": 0, "items": 0}, "verifications": [{"method": "made for the test", "passed": True}],
                                  "batches": {"operations_per_batch": 1, "seconds_per_operation": [.001], "cpu_seconds_per_operation": [],
                                              "sm_clock_hz": [], "window_seconds": .001, "cpu_seconds": 0}}]
    (folder / f"samples.rank{rank}.json").write_text(json.dumps(samples))
PY
}

# Every pair of node1 to node5; node3 is slow with everybody.
slow_third() {
  local one other
  for one in 1 2 3 4 5; do
    for other in $(seq $((one + 1)) 5); do
      if [[ $one == 3 || $other == 3 ]]; then ranks "$one-$other" "node$one,node$other" 2.4e11; else ranks "$one-$other" "node$one,node$other"; fi
    done
  done
}

fabric_of() {
  "$PYTHON" "$GPUGAUGE_SOURCE/tests/validate_json.py" fleet report.json
  "$PYTHON" - "$@" <<'PY'
import json, sys
fabric, = json.load(open("report.json"))["fabrics"]
found = {(one["finding"], ",".join(one["nodes"])) for one in fabric["findings"]}
assert found == set(tuple(word.split(":")) for word in sys.argv[1:]), fabric["findings"]
PY
}

@test "the files that ranks leave: the node in all slow pairs is named, and no other" {
  slow_third
  run -1 gpugauge fleet together --emit-retest again.txt
  [[ $output == *"nccl/all_reduce/256MiB:busbw: Synthetic H200, NCCL 2.27.7"* ]]
  [[ $output == *"10 pairs, 4 ranks each: held against 400 GB/s, tolerance 10"* ]]
  [[ $output == *"slow node: node3: is slow with every partner (node1 240 GB/s"* ]]
  [[ $output == *"3 node3"*"+40.0%"* ]]
  [[ $output == *"between nodes: slow node node3"* ]]
  [ ! -s again.txt ]
  run -1 gpugauge fleet together --json
  echo "$output" >report.json
  fabric_of "slow node:node3"
  # As files by name; and for CI servers and browsers.
  run -1 gpugauge fleet together/*/samples.rank0.json --report junit=out.xml --report markdown=out.md --report openmetrics=out.prom --report html=out.html
  [[ $(cat out.xml) == *'name="node3: nccl/all_reduce/256MiB:busbw"'* ]]
  grep -q 'slow node' out.md
  grep -q 'gpugauge_cases{.*verdict="slow node"} 1' out.prom
  [[ $(cat out.html) == *'"finding":"slow node"'* ]]
}

@test "what NCCL's log said on a slow node stands beside what it said elsewhere" {
  BY_SOCKETS=node3 slow_third
  run -1 gpugauge fleet together
  [[ $output == *"NCCL's log there: transport socket, network Socket, warnings: NET/IB : Unable to open device mlx5_0, and more; elsewhere: transport ib, network IB"* ]]
  run -1 gpugauge fleet together --json
  echo "$output" >report.json
  fabric_of "slow node:node3"
  "$PYTHON" - <<'PY'
import json
nodes = {one["node"]: one["nccl"] for one in json.load(open("report.json"))["fabrics"][0]["nodes"]}
assert nodes["node3"] == {"transports": ["socket"], "networks": ["Socket"], "paths": [], "warnings": ["NET/IB : Unable to open device mlx5_0", "and more"], "reasons": []}, nodes
assert nodes["node1"] == {"transports": ["ib"], "networks": ["IB"], "paths": [], "warnings": [], "reasons": []}, nodes
PY
}

@test "a path between fast nodes is slow only when it is measured again" {
  slow_third
  rm -r together/?-3 together/3-?
  ranks 1-2 node1,node2 1e11
  run -0 gpugauge fleet together --emit-retest again.txt
  [[ $output == *"undecided: node1 and node2: slow once (100 GB/s; reference 400 GB/s)"* ]]
  [ "$(cat again.txt)" = $'node1,node2\tnccl/all_reduce/256MiB' ]
  run -4 gpugauge fleet together --strict
  ranks again-1-2 node1,node2 1.1e11
  run -1 gpugauge fleet together --emit-retest again.txt
  [[ $output == *"slow path: node1 and node2: slow each time (100 GB/s, 110 GB/s"* ]]
  [ ! -s again.txt ]
  ranks again-1-2 node1,node2
  run -0 gpugauge fleet together
  [[ $output == *"were slow once and fast when measured again"* ]]
}

@test "files that each node gathered of its own ranks are one measurement, and ranks that are lacking are said" {
  slow_third
  rm -r together/?-3 together/3-?
  ranks 1-2 node1,node2 1e11
  mkdir first second
  for set in together/*; do
    mkdir -p "first/${set##*/}" "second/${set##*/}"
    mv "$set"/samples.rank[01].json "first/${set##*/}"
    mv "$set"/samples.rank[23].json "second/${set##*/}"
  done
  run -0 gpugauge fleet first second --emit-retest again.txt
  [[ $output == *"undecided: node1 and node2: slow once (100 GB/s; reference 400 GB/s)"* && $output != *"lacking"* ]]
  [ "$(cat again.txt)" = $'node1,node2\tnccl/all_reduce/256MiB' ]
  run -0 gpugauge fleet first
  [[ $output == *"Of 6 collectives between nodes not every rank's file is here (1-2/samples.rank0: 2 of 4, "*"whether a rank whose file is lacking failed is not known."* ]]
}

@test "two nodes that are slower than expected are measured again before that is found" {
  cat >pair.fabric <<'JSON'
{"schema": "gpugauge.fabric/1", "benchmark": "nccl/all_reduce/256MiB", "metric": "busbw", "unit": "byte/second", "better": "higher",
 "class": "coll_large", "expected": 4e11, "measurements": [{"nodes": ["a", "b"], "value": 1e11}]}
JSON
  run -0 gpugauge fleet pair.fabric --emit-retest again.txt
  [[ $output == *"undecided: a and b: slow once (100 GB/s; expected 400 GB/s)"* ]]
  [ "$(cat again.txt)" = $'a,b\tnccl/all_reduce/256MiB' ]
  sed -i 's/"value": 1e11}/"value": 1e11}, {"nodes": ["a", "b"], "value": 1.2e11}/' pair.fabric
  run -1 gpugauge fleet pair.fabric
  [[ $output == *"slow path: a and b: slow each time (100 GB/s, 120 GB/s; expected 400 GB/s)"* ]]
}

@test "what cannot be told is said: a node with one partner, two nodes that only met each other, all nodes once" {
  ranks 1-2 node1,node2
  run -3 gpugauge fleet together
  [[ $output == *"one pair has nothing to be compared with"*"cannot judge"* ]]
  ranks 1-3 node1,node3
  ranks 4-5 node4,node5 1e11
  ranks all node1,node2,node3,node4,node5 2e11
  run -0 gpugauge fleet together --json --emit-retest again.txt
  echo "$output" >report.json
  fabric_of undecided:node4 undecided:node5
  [ "$(wc -l <again.txt)" = 4 ]
  grep -q '^node[123],node4' again.txt
  run -0 gpugauge fleet together
  [[ $output == *"was measured in one pair only"*"cannot be told"* ]]
  [[ $output == *"one set of 5 nodes has nothing to be compared with"* ]]
}

@test "a node whose collectives fail is named with the ranks' reason" {
  slow_third
  for set in 1-3 2-3 3-4 3-5; do ranks "$set" "node${set%-*},node${set#*-}" 0 unavailable; done
  run -1 gpugauge fleet together
  [[ $output == *"node that fails: node3: fails with every partner (node1 failed (rank 1 cannot take part)"* ]]
}

@test "a list of measurements is judged as files are, and a damaged one is named" {
  cat >pairs.fabric <<'JSON'
{"schema": "gpugauge.fabric/1", "benchmark": "nccl/all_reduce/256MiB", "metric": "busbw", "unit": "byte/second", "better": "higher",
 "class": "coll_large", "tolerance": 0.2, "expected": 4e11, "measurements": [{"nodes": ["a", "b"], "value": 3.3e11},
 {"nodes": ["a", "c"], "value": 1e11}, {"nodes": ["b", "c"], "reason": "no answer"}, {"nodes": ["a", "d"], "value": 4e11}]}
JSON
  "$PYTHON" "$GPUGAUGE_SOURCE/tests/validate_json.py" fabric pairs.fabric
  run -1 gpugauge fleet pairs.fabric
  [[ $output == *"held against the expected 400 GB/s, tolerance 20"* ]]
  [[ $output == *"slow node: c: "* ]]
  echo '{"schema": "gpugauge.fabric/1"}' >broken.fabric
  run -3 gpugauge fleet broken.fabric
  [[ $output == *"broken.fabric"*"benchmark"* ]]
}

@test "sample files of one process are left out of a folder, and refused by name" {
  slow_third
  mkdir results && cp together/1-2/samples.rank0.json results/alone.json
  sed -i 's/"ranks.size": "4"/"ranks.size": "1"/' results/alone.json
  run -3 gpugauge fleet results
  [[ $output == *"1 file was left out"* ]]
  run -3 gpugauge fleet results/alone.json
  [[ $output == *"is the sample file of one process"* ]]
}

# checksums NODE VALUE [ROUND]: what the family integrity of that run notes.
checksums() {
  "$PYTHON" - "$@" <<'PY'
import json, sys
name = f"fleet/node-{int(sys.argv[1]):05}/round-{(sys.argv[3:] + ['1'])[0]}.json"
run = json.load(open(name))
for process in list(run["processes"]):
    made = dict(process["samples"]["benchmarks"][0], id="integrity/gemm/short", notes={"checksum": sys.argv[2]})
    made["metrics"] = [dict(made["metrics"][0], name="repeats", unit="1", judged=False, note="recorded", **{"class": "integrity"})]
    samples = dict(process["samples"], family="integrity", benchmarks=[made])
    run["processes"].append(dict(process, family="integrity", order=len(run["processes"]), samples=samples))
json.dump(run, open(name, "w"))
PY
}

@test "the GPU whose checksum no other has is a suspect, and found by a second run, right or wrong" {
  "$GPUGAUGE_BUILD/bin/make_fleet" fleet 5 >/dev/null
  for node in 0 1 2 3; do checksums $node 1111aaaa; done
  checksums 4 1111aaab
  run -3 gpugauge fleet fleet --emit-retest again.txt
  [[ $output == *"node-00004"*"integrity/gemm/short:checksum: inconclusive: the checksum is 1111aaab, and 1111aaaa on 4 of 5 GPUs"* ]]
  [ "$(cut -f 1 again.txt)" = node-00004 ]
  "$GPUGAUGE_BUILD/bin/make_fleet" again 5 2 >/dev/null
  cp again/node-00004/round-2.json fleet/node-00004/
  checksums 4 1111aaaa 2
  run -1 gpugauge fleet fleet --report json=report.json
  [[ $output == *"integrity/gemm/short:checksum: failed: the checksums of its runs disagree: 1111aaaa, 1111aaab"* ]]
  "$PYTHON" "$GPUGAUGE_SOURCE/tests/validate_json.py" fleet report.json
}

@test "a history keeps the checksums, and compares them" {
  gpugauge history --help | grep -q 'Not in this build' && skip "this build has no history"
  "$GPUGAUGE_BUILD/bin/make_fleet" fleet 5 >/dev/null
  for node in 0 1 2 3; do checksums $node 1111aaaa; done
  checksums 4 1111aaab
  gpugauge history ingest fleet --store nights.sqlite --quiet
  run -3 gpugauge fleet --store nights.sqlite
  [[ $output == *"node-00004"*"the checksum is 1111aaab, and 1111aaaa on 4 of 5 GPUs"* ]]
}

@test "two checksums with as many GPUs each, or another driver, condemn nobody" {
  "$GPUGAUGE_BUILD/bin/make_fleet" fleet 5 >/dev/null
  for node in 0 1; do checksums $node aaaa; done
  for node in 2 3; do checksums $node bbbb; done
  checksums 4 cccc
  sed -i 's/580.65.06/575.57.08/' fleet/node-00004/round-1.json
  run -3 gpugauge fleet fleet
  [[ $output == *"integrity/gemm/short: 4 GPUs of one kind have 2 different checksums and none has a majority (aaaa on 2, bbbb on 2)"* ]]
  [[ $output == *"Checksums are compared within each kind, not between kinds"* ]]
  [[ $output != *cccc* ]]
}
