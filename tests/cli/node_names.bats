# A folder's name stands for one machine: through `fleet --by-folder` and `history ingest`.
load common

export WIDE=yes

# Two racks with nodes of the same names.
racks() {
  "$GPUGAUGE_BUILD/bin/make_fleet" rackA 8 1 >planted.txt
  "$GPUGAUGE_BUILD/bin/make_fleet" rackB 8 1 2 >planted.txt
  edit_files 'it["id"] += "B"' rackB/*/*.json
  as_hosts rack{A,B}/*/*.json
}

with_history() {
  if gpugauge history --help 2>&1 | grep -q 'Not in this build'; then skip "this build has no history: SOCI is not installed"; fi
}

@test "two machines in folders of one name are not compared as one node" {
  racks
  run -2 gpugauge fleet rackA rackB --by-folder
  [[ $output == *"rackA/node-00000/round-1.json and rackB/node-00000/round-1.json lie in folders of one name, and cannot be of one machine: "*"leave --by-folder out"* ]]
  # One after the other, so that their times prove nothing.
  edit_files 'it["started"] = "2026-01-02T04:00:00Z"' rackB/*/*.json
  run -2 gpugauge fleet rackA rackB --by-folder
  [[ $output == *"lie in folders of one name, and nothing in them tells that they are of one machine: "* ]]
  run gpugauge fleet rackA rackB
  [[ $output == *"16 nodes: "* ]]
  # The runs of two nights are of one machine where it says who it is.
  edit_files 'it["started"] = "2026-01-03T04:00:00Z"; it["fingerprint"]["device"]["host.identity"] = "id of " + name.split("/")[1]' rackA/*/*.json rackB/*/*.json
  edit_files 'it["started"] = "2026-01-02T04:00:00Z"' rackA/*/*.json
  run gpugauge fleet rackA rackB --by-folder
  [[ $output == *"8 nodes: "* ]]
  # One folder under two names is one folder.
  run gpugauge fleet rackA ./rackA --by-folder
  [[ $output == *"8 nodes: "* ]]
}

@test "cards of a node are its own in every folder that was given" {
  "$GPUGAUGE_BUILD/bin/make_fleet" first 8 2 >planted.txt
  for node in first/*; do
    mkdir -p "second/${node##*/}"
    mv "$node/round-2.json" "second/${node##*/}"
  done
  run -1 gpugauge fleet first second --by-folder
  [[ $output == *"1 of 8 nodes has a finding (node-00005)"* ]]
}

@test "a copy of older runs beside the nodes is no node" {
  with_history
  "$GPUGAUGE_BUILD/bin/make_fleet" res 12 1 >planted.txt
  cp -r res 2025 && mv 2025 res/2025-archive
  for command in "fleet res --by-folder" "history ingest res --store h.sqlite"; do
    # shellcheck disable=SC2086  # words
    run -2 gpugauge $command
    [[ $output == *"res/2025-archive/node-00000 and res/node-00000 are folders of one name, so that res/2025-archive is no node and its runs would be called by it: move it out of res, or give the folders without it"* ]]
  done
  [ ! -e h.sqlite ]
  run -0 gpugauge fleet res
  [[ $output == *"12 nodes: "* ]]
}

@test "ingest makes no series of two machines in folders of one name, however often it is called" {
  with_history
  racks
  run -2 gpugauge history ingest rackA rackB --store h.sqlite
  [[ $output == *"8 of 16 files stored"*"8 refused"* ]]
  [[ $output == *"rackB/node-00003/round-1.json: the store has runs of another machine as 'node-00003', the name of this one's folder: "*"--node"* ]]
  run -2 gpugauge history ingest rackB --store h.sqlite
  [[ $output == *"0 of 8 files stored"*"8 refused"* ]]
  run -2 gpugauge history ingest rackA rackB --store h.sqlite
  [[ $output == *"8 known already, 8 refused"* ]]
  run -0 gpugauge history ingest rackB/node-00003 --node rackB-node-00003 --store h.sqlite
  run -0 gpugauge history export --store h.sqlite --metric '*op/000:bandwidth'
  [ "$(grep -c ',node-00003,' <<<"$output")" = 1 ]
  # A reboot, and a night later a machine that was installed anew, go on as they were.
  edit_files 'it["id"] += "N"; it["started"] = "2026-01-03T04:00:00Z"; it["boot_id"] += "N"' rackA/*/*.json
  run -0 gpugauge history ingest rackA --store h.sqlite
  [[ $output == *"8 of 8 files stored"* ]]
}
