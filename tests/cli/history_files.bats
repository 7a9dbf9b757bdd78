# What `gpugauge history ingest` makes of files and folders of all kinds.
load common

export WIDE=yes

setup_store() {
  if gpugauge history --help 2>&1 | grep -q 'Not in this build'; then skip "this build has no history: SOCI is not installed"; fi
  "$GPUGAUGE_BUILD/bin/make_fleet" fleet "$1" "$2" >planted.txt
}

# Nodes that the store has.
nodes_of() {
  gpugauge history export --store "$1" | tail -n +2 | cut -d , -f 2 | sort -u | paste -sd ' '
}

@test "an array that is no list of paths is named and skipped, and an empty list is refused" {
  setup_store 1 1
  echo '[1, 2]' >array.json
  run -2 gpugauge history ingest --store h.sqlite fleet/node-00000/round-1.json array.json
  [[ $output == *"array.json: "*": skipped"*"1 of 2 files stored (200 metric values), 1 refused"* ]]
  echo '[]' >empty.json
  run -2 gpugauge history ingest --store none.sqlite empty.json
  [[ $output == *"empty.json is a list of no file"* ]]
  [ ! -e none.sqlite ]
}

@test "a list may begin with any number of blanks" {
  setup_store 1 1
  { printf '%9000s\n\t\r' '' && echo '["fleet/node-00000/round-1.json"]'; } >list.json
  run -0 gpugauge history ingest --store h.sqlite list.json
  [[ $output == *"1 of 1 files stored"* ]]
}

@test "folders that the shell wrote out name their hosts as the folder around them does" {
  setup_store 3 1
  as_hosts fleet/*/*.json
  gpugauge history ingest --store around.sqlite fleet
  gpugauge history ingest --store written.sqlite fleet/*
  [ "$(nodes_of around.sqlite)" = "node-00000 node-00001 node-00002" ]
  [ "$(nodes_of written.sqlite)" = "node-00000 node-00001 node-00002" ]
  gpugauge history ingest --store one.sqlite fleet/node-00001
  [ "$(nodes_of one.sqlite)" = "" ]
}

@test "a GPU is one, whatever the folders are called that the shell wrote out" {
  setup_store 1 3
  mkdir -p runs/2026-11-1{1,2,3}
  for night in 1 2 3; do mv "fleet/node-00000/round-$night.json" "runs/2026-11-1$night"; done
  gpugauge history ingest --store h.sqlite runs/2026-11-11
  gpugauge history ingest --store h.sqlite runs/*
  [ "$(nodes_of h.sqlite)" = "" ]
  run -0 gpugauge history trend --store h.sqlite 'synthetic/op/000*'
  [[ $output == *"3 runs"* ]]
}

@test "hosts that nobody named are not made one" {
  setup_store 2 1
  as_hosts fleet/*/*.json
  run -2 gpugauge history ingest --store h.sqlite fleet/node-00000/round-1.json fleet/node-00001/round-1.json
  [[ $output == *"fleet/node-00001/round-1.json: the store has runs of another host without a name: say with --node which node it is: skipped"* ]]
  [[ $output == *"1 of 2 files stored"*"1 refused"* ]]
  run -0 gpugauge history ingest --store h.sqlite fleet/node-00001/round-1.json --node n1
}

@test "a file that no store takes is named and costs no other" {
  setup_store 5 1
  edit_files 'it["processes"][0]["samples"]["benchmarks"][0]["id"] = "synthetic/" + "x" * (1 << 20)' fleet/node-00001/round-1.json
  edit_files 'it["fingerprint"]["settings"]["long"] = "x" * (17 << 20)' fleet/node-00002/round-1.json
  mv fleet/node-00003 fleet/$'node-\xff3'
  run -2 gpugauge history ingest --store h.sqlite fleet
  [[ $output == *"fleet/node-00001/round-1.json: its metric is 10485"*" bytes long, and a history keeps 1048576 at most"*": skipped"* ]]
  [[ $output == *"fleet/node-00002/round-1.json: its fingerprint is 178"*" bytes long, and a history keeps 8388608 at most"*": skipped"* ]]
  [[ $output == *"3 of 5 files stored (600 metric values), 2 refused"* ]]
  [ "$(nodes_of h.sqlite)" = 'node-00000 node-00004 node-\xff3' ]
}

@test "files of another program are of one node, and its programs are of two series" {
  setup_store 1 1
  mkdir -p g/n1
  for one in a b; do
    for second in 10 11; do
      cat >"g/n1/$one-$second.json" <<JSON
{"context": {"date": "2026-02-01T01:30:10+00:00", "host_name": "x", "executable": "./bench_$one", "num_cpus": 2, "mhz_per_cpu": 2000,
 "cpu_scaling_enabled": false, "caches": [], "load_avg": [0], "library_build_type": "release"},
 "benchmarks": [{"name": "sum", "run_name": "sum", "run_type": "iteration", "repetitions": 1, "repetition_index": 0,
  "threads": 1, "iterations": 100000000000, "real_time": $second.0, "cpu_time": 5.0, "time_unit": "ns"}]}
JSON
    done
  done
  run -0 gpugauge history ingest g --store h.sqlite
  [[ $output == *"4 of 4 files stored"* ]]
  run -0 gpugauge history trend 'sum*' --store h.sqlite
  [[ $output == *"2 runs of profile google-benchmark of bench_a"*"2 runs of profile google-benchmark of bench_b"* ]]
  sed 's/"host_name": "x"/"host_name": "y"/' g/n1/a-10.json >g/n1/other.json
  run -2 gpugauge history ingest g --store h.sqlite
  [[ $output == *"g/n1/other.json: the store has runs of another machine as 'n1', the name of this one's folder (its host is called 'y', and theirs otherwise): call"* ]]
  # A container's number is no name of a machine.
  sed 's/"host_name": "x"/"host_name": "3f2a91c0d7aa"/; s/02-01T01/02-01T02/' g/n1/a-10.json >g/n1/other.json
  sed 's/"host_name": "x"/"host_name": "91b7c2d0e5f1"/; s/02-01T01/02-01T03/' g/n1/a-10.json >g/n1/third.json
  run -0 gpugauge history ingest g --store h.sqlite
  [[ $output == *"2 of 6 files stored"* ]]
}
