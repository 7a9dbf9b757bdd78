# Which folders hold the nodes of a fleet, and that none of them vanishes.
load common

export WIDE=yes

slower='for process in it["processes"]:
    for one in process["samples"]["benchmarks"]:
        for metric in one["metrics"]:
            metric["value"] *= .5 if metric["better"] == "higher" else 2'

# f: twelve healthy nodes.
healthy() {
  "$GPUGAUGE_BUILD/bin/make_fleet" f 14 >planted.txt
  rm -r f/node-00005 f/node-00012 # planted, and a suspect by chance
}

@test "a node's folder without a run is an unread node, and no pass" {
  healthy
  run -0 gpugauge fleet f
  mkdir f/node-00099
  run -3 gpugauge fleet f --emit-retest again.txt
  [[ $output == *"cannot judge all nodes: 12 of 13 "*"1 could not be read (node-00099)"* ]]
  [[ $output == *"the folder holds no *.json: the node was not measured, or its run was not copied"* ]]
  grep -q '^node-00099' again.txt
  touch f/node-00099/run.json.tmp
  run -3 gpugauge fleet f --by-folder
  [[ $output == *"1 could not be read (node-00099)"* ]]
  rm -r f/node-00099
  ln -s /nowhere f/node-00099
  run -3 gpugauge fleet f
  [[ $output == *"1 could not be read (node-00099)"* ]]
  rm f/node-00099
  # A folder of something else is said, and what is hidden is no node.
  mkdir f/.snapshot f/reports
  echo '{"schema": "gpugauge.baseline/1"}' >f/reports/baseline.json
  run -0 gpugauge fleet f
  [[ $output == *"No run in 1 folder (reports): a node of which that is the folder was not measured."* ]]
  mkdir new
  cp -r f/node-00000 new/
  mkdir new/node-00077
  rm -r f/node-00000
  run -3 gpugauge fleet admit new --against f
  [[ $output == *"node-00077"*"the folder holds no *.json"* ]]
}

@test "a link to a node's folder is followed, and one back into the tree is not" {
  healthy
  mv f/node-00003 elsewhere
  ln -s "$PWD/elsewhere" f/node-00003
  ln -s . f/loop
  ln -s node-00001 f/latest
  run -0 gpugauge fleet f
  [[ $output == *"12 of 12 nodes are like their peers"* ]]
  as_hosts f/*/*.json
  run -0 gpugauge fleet f --by-folder --every-node
  [[ $output == *"12 of 12 nodes are like their peers"*  ]]
  [[ $output == *"node-00003 "* && $output != *latest* && $output != *loop* ]]
}

@test "folders that the shell wrote out name their nodes, as the folder around them does" {
  healthy
  "$GPUGAUGE_BUILD/bin/make_fleet" twice 14 2 >planted.txt
  rm -r twice/node-00005 twice/node-00012
  as_hosts twice/*/*.json
  edit_files 'it["started"] = "2026-01-02T04:00:00Z"' twice/*/round-2.json
  edit_files "$slower" twice/node-00007/round-?.json
  for paths in twice "twice/node-*" "twice/node-000*/" "'twice/*'"; do
    eval "run -1 gpugauge fleet $paths --by-folder"
    [[ $output == *"1 of 12 nodes has a finding (node-00007)"* ]]
  done
  run -2 gpugauge fleet twice/node-00000 --by-folder
  [[ $output == *"twice/node-00000/round-1.json and twice/node-00000/round-2.json lie in one folder, and nothing in them tells that they are of one machine"* ]]
}

@test "whom to measure again has the names of folders that the shell wrote out" {
  healthy
  edit_files "$slower" f/node-00007/*.json
  for paths in f "f/*" "'f/*'"; do
    eval "run -0 gpugauge fleet $paths --emit-retest again.txt"
    [[ $output == *"1 to be measured again (node-00007)"* ]]
    grep -q '^node-00007' again.txt
    rm again.txt
  done
}

@test "two machines in one folder are not one node" {
  healthy
  as_hosts f/*/*.json
  mkdir flat
  for node in f/*; do cp "$node/round-1.json" "flat/${node##*/}.json"; done
  run -2 gpugauge fleet flat --by-folder
  [[ $output == *"lie in one folder, and cannot be of one machine: give the folders of two machines two names, or leave --by-folder out"* ]]
  run -0 gpugauge fleet flat
}

@test "an admission by folder takes two machines of one name for no node" {
  healthy
  as_hosts f/*/*.json
  mkdir -p x/node7 y/node7
  mv f/node-00003/round-1.json x/node7/
  mv f/node-00004/round-1.json y/node7/
  rmdir f/node-0000[34]
  edit_files "$slower" x/node7/round-1.json
  run -2 gpugauge fleet admit x y --against f --by-folder
  [[ $output == *"x/node7/round-1.json and y/node7/round-1.json lie in folders of one name, and cannot be of one machine"* ]]
  run -3 gpugauge fleet admit x --against f --by-folder
  mkdir -p g/node-00000
  cp y/node7/round-1.json g/node-00000/
  run -2 gpugauge fleet admit x --against f --against g --by-folder
  [[ $output == *"lie in folders of one name"* ]]
}

@test "a host that was booted between two runs is said to count twice" {
  healthy
  "$GPUGAUGE_BUILD/bin/make_fleet" twice 12 2 >planted.txt
  as_hosts twice/*/*.json
  edit_files 'it["fingerprint"]["device"]["host.identity"] = "id of " + name.split("/")[1]' twice/*/*.json
  run gpugauge fleet twice
  [[ $output == *"Runs of the host of 12 machines are of several boots, and each boot counts as a node"*"--by-folder compares them so."* ]]
}

@test "a first run of chosen benchmarks before the whole one is no finding, of files and of a history" {
  healthy
  "$GPUGAUGE_BUILD/bin/make_fleet" twice 14 2 >planted.txt
  cp twice/node-00003/round-2.json f/node-00003/
  edit_files 'for process in it["processes"]:
    process["samples"]["benchmarks"] = process["samples"]["benchmarks"][:5]
it["only"] = sorted(one["id"] for one in it["processes"][0]["samples"]["benchmarks"])' f/node-00003/round-1.json
  edit_files 'it["started"] = "2026-01-02T05:00:00Z"; it["round"] = 1' f/node-00003/round-2.json
  run -0 gpugauge fleet f --strict
  if gpugauge history --help 2>&1 | grep -q 'Not in this build'; then skip "this build has no history: SOCI is not installed"; fi
  gpugauge history ingest f --store h.sqlite
  run -0 gpugauge fleet h.sqlite --strict
}

@test "a node whose folder may not be entered is missed by no pattern" {
  healthy
  as_user test -x "$(command -v gpugauge)" || skip "the command is in a folder that another user may not enter"
  run -0 as_user gpugauge fleet 'f/*/round-1.json'
  chmod 000 f/node-00003
  run as_user gpugauge fleet f
  [[ $status -eq 2 && $output == *"f/node-00003 could not be searched: Permission denied"* ]]
  for pattern in 'f/*/round-1.json' 'f/*/*.json' 'f/*3/round-[12].json'; do
    run as_user gpugauge fleet "$pattern"
    [[ $status -eq 2 && $output == *"f/node-00003 could not be searched: Permission denied"* ]]
  done
  chmod 755 f/node-00003
  run -2 gpugauge fleet 'f/*/round-3.json'
  [[ $output == *"no file matches f/*/round-3.json"* ]]
  run -0 gpugauge fleet 'f//node-0000[0-9]/round-1.json' "$PWD"/f/node-0001*/round-?.json
  ln -s /nowhere f/node-00001/round-2.json
  run -3 gpugauge fleet 'f/*/round-[12].json'
  [[ $output == *"f/node-00001/round-2"*"could not be opened"* ]]
}
