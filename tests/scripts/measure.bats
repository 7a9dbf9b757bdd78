# scripts/lib/measure-fleet on a small fleet: that it runs, counts what it planted, and says so when it is not found. No time is tested.
bats_require_minimum_version 1.5.0

setup() {
  PYTHON="${GPUGAUGE_PYTHON:-python3}"
  measure="$GPUGAUGE_SOURCE/scripts/lib/measure-fleet"
  cd "$BATS_TEST_TMPDIR" || exit
}

@test "measure-fleet makes its data, measures every command, and leaves nothing behind" {
  run -0 "$PYTHON" "$measure" "$GPUGAUGE_BUILD" --nodes 16 --year-nodes 2 --postgresql --folder data
  [[ $output == *"| fleet over 16 files |"*"1 planted, all named"* ]]
  [[ $output == *"exactly the 1 planted ones are named"* ]]
  [[ $output == *"| compare of one run with 10 rounds |"* ]]
  if [[ $output != *"No history in this build"* ]]; then
    [[ $output == *"| history ingest of 16 files |"*"3200 rows:"* ]]
    [[ $output == *"| fleet --store over 16 nodes |"* ]]
    [[ $output == *"SQLite: series of one metric"*"365 runs"* ]]
    [[ $output == *"| SQLite: history changes of 2 nodes |"* ]]
    if [[ $output != *"PostgreSQL is not installed"* ]]; then
      [[ $output == *"| PostgreSQL: history ingest of 16 files |"*"3200 rows:"* ]]
      [[ $output == *"| PostgreSQL: fleet --store over 16 nodes |"*"1 planted, all named"* ]]
      [[ $output == *"PostgreSQL: series of one metric"*"365 runs"* ]]
    fi
  fi
  [ ! -e data ]
}

@test "measure-fleet fails when a planted fault is not named" {
  run -0 "$GPUGAUGE_BUILD/bin/make_fleet" data/fleet 16
  echo '{"node-00005": "class hbm 8% slower", "node-00006": "nothing, and it should be found"}' >data/planted.json
  run -1 "$PYTHON" "$measure" "$GPUGAUGE_BUILD" --nodes 16 --year-nodes 0 --folder data --keep
  [[ $output == *"planted faults that nobody named: ['node-00006']"* ]]
  run -2 "$PYTHON" "$measure" "$GPUGAUGE_BUILD" --nodes 17 --folder data
  [[ $output == *"holds another number of nodes than --nodes 17"* ]]
}
