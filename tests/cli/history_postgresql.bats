# The history on a real PostgreSQL: a server of the distribution, started here, reached by a Unix socket only.
bats_require_minimum_version 1.5.0

find_server() {
  local folder
  for folder in /usr/lib/postgresql/*/bin; do
    if [[ -x $folder/initdb ]]; then echo "$folder"; fi
  done | sort -V | tail -1
}

# As an unprivileged user: the server refuses root.
as_server() {
  if ((EUID == 0)); then setpriv --reuid nobody --regid nogroup --clear-groups "$@"; else "$@"; fi
}

setup_file() {
  export PATH="$GPUGAUGE_BUILD/bin:$PATH"
  if gpugauge history --help 2>&1 | grep -q 'Not in this build'; then
    export NO_SERVER="this build has no history: SOCI is not installed"
    return
  fi
  SERVER_BIN="$(find_server)"
  if [[ -z $SERVER_BIN ]]; then
    export NO_SERVER="PostgreSQL is not installed (apt-get install postgresql)"
    return
  fi
  # A socket's path has 107 characters at most: not below bats' folder.
  SERVER="$(mktemp -d /tmp/gpugauge-pg.XXXXXX)"
  export SERVER SERVER_BIN
  if ((EUID == 0)); then chown nobody:nogroup "$SERVER"; fi
  cd "$SERVER" || exit
  as_server "$SERVER_BIN/initdb" -D "$SERVER/data" -U gauge -A trust -E UTF8 --locale=C >"$BATS_FILE_TMPDIR/initdb.log"
  as_server "$SERVER_BIN/pg_ctl" -D "$SERVER/data" -w -l "$SERVER/log" -o "-k '$SERVER' -c listen_addresses=''" start >&2
  export URL="postgresql://gauge@/postgres?host=$SERVER"
}

teardown_file() {
  if [[ -n ${SERVER:-} ]]; then
    cd /
    as_server "$SERVER_BIN/pg_ctl" -D "$SERVER/data" -m immediate stop >&2 || true
    rm -rf "$SERVER"
  fi
}

setup() {
  if [[ -n ${NO_SERVER:-} ]]; then skip "$NO_SERVER"; fi
  cd "$BATS_TEST_TMPDIR" || exit
  export COLUMNS=1000
}

ask() { (cd / && as_server "$SERVER_BIN/psql" -qtA -h "$SERVER" -U gauge postgres -c "$1"); }

@test "every unit test of the store passes on PostgreSQL" {
  GPUGAUGE_TEST_POSTGRESQL="$URL" run -0 test_store --gtest_filter='*PostgreSQL*'
  [[ $output == *"[  PASSED  ]"* && $output != *"0 tests ran"* ]]
  [[ $(grep -c '^\[       OK \] On/StoreTest' <<<"$output") -ge 10 ]]
}

@test "trend, changes, export and fleet answer the same on PostgreSQL as on SQLite" {
  ask 'DROP SCHEMA IF EXISTS gpugauge CASCADE'
  make_fleet fleet 12 3 >planted.txt
  gpugauge history ingest fleet --store "$URL"
  gpugauge history ingest fleet --store lite.sqlite
  for place in "$URL" lite.sqlite; do
    gpugauge history trend 'synthetic/op/000*' --node node-00001 --store "$place" >trend.out
    gpugauge history changes --store "$place" >changes.out
    gpugauge history export --store "$place" | sort >export.out
    gpugauge fleet --store "$place" | grep -v 'from the store' >fleet.out
    gpugauge fleet "$place" --night 2026-01-02..2026-01-04 | grep -v 'from the store' >nights.out
    if [[ $place == "$URL" ]]; then
      mkdir postgresql && mv ./*.out postgresql
    fi
  done
  grep -q 'node-00005.*found' nights.out
  for file in trend changes export fleet nights; do cmp "$file.out" "postgresql/$file.out"; done
  [ "$(wc -l <export.out)" -eq 7201 ]
  run -0 gpugauge history ingest fleet --store "$URL"
  [[ $output == *"0 of 36 files stored (0 metric values), 36 known already"* ]]
}

# A number that the server answers, at least so large, within 20 s.
wait_for() {
  for _ in $(seq 200); do
    if (($(ask "$1") >= $2)); then return 0; fi
    sleep 0.1
  done
  echo "never reached $2: $1" >&2
  return 1
}

@test "eight writers at once and one of them killed in its transaction: nothing lost, nothing doubled" {
  ask 'DROP SCHEMA IF EXISTS gpugauge CASCADE'
  make_fleet fleet 8 6 >planted.txt
  run -2 gpugauge history changes --store "$URL"
  [[ $output == *"there is no store at $URL: "* ]]
  echo none >none.json
  run -2 gpugauge history ingest none.json --store "$URL" # makes the tables; there is no run yet
  # Nobody may add measurements while this lock is held: all eight stand in the middle of a transaction then.
  ask "BEGIN; LOCK TABLE gpugauge.measurement IN SHARE MODE; SELECT pg_sleep(50); COMMIT" >holder.out 2>&1 &
  local holder=$! pids=()
  wait_for "SELECT count(*) FROM pg_locks WHERE relation = 'gpugauge.measurement'::regclass AND mode = 'ShareLock' AND granted" 1
  for node in 0 1 2 3 4 5 6; do
    gpugauge history ingest "fleet/node-0000$node" fleet/node-00000 --node "n$node" --store "$URL" >"out.$node" 2>&1 &
    pids+=($!)
  done
  gpugauge history ingest fleet --store "$URL" >out.7 2>&1 &
  local killed=$! status=0
  wait_for 'SELECT count(DISTINCT pid) FROM pg_locks WHERE NOT granted' 8
  [ "$(ask 'SELECT count(*) FROM gpugauge.run')" -eq 0 ]
  kill -9 "$killed"
  wait "$killed" || status=$?
  [ "$status" -eq 137 ]
  ask "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE query LIKE '%pg_sleep(50)%' AND pid <> pg_backend_pid()" >&2
  wait "$holder" || true
  wait "${pids[@]}"
  [ "$(grep -l 'of 12 files stored\|of 6 files stored' out.[0-6] | wc -l)" -eq 7 ]
  run ! grep -hE 'refused|deadlock' out.[0-6]
  # One statement, one view: the killed writer's server may still be finishing.
  [ "$(ask 'SELECT (SELECT count(*) FROM gpugauge.measurement) - 200 * (SELECT count(*) FROM gpugauge.run)')" = 0 ]
  # What the killed one alone was given is not there, whole or in part, until it is told again.
  [ "$(ask "SELECT count(*) FROM gpugauge.run WHERE source LIKE '%node-00007%'")" -eq 0 ]
  gpugauge history ingest fleet --store "$URL"
  [ "$(ask 'SELECT count(*) FROM gpugauge.run')" -eq 48 ]
  [ "$(ask 'SELECT count(*) FROM gpugauge.measurement')" -eq 9600 ]
  [ "$(ask 'SELECT count(DISTINCT content_hash) FROM gpugauge.run')" -eq 48 ]
  [ "$(ask "SELECT count(DISTINCT (run, metric)) FROM gpugauge.measurement")" -eq 9600 ]
}

to_first_schema() {
  ask 'DROP TABLE gpugauge.checksum, gpugauge.choice, gpugauge.counted, gpugauge.recorded, gpugauge.statistic, gpugauge.health; DELETE FROM gpugauge.schema_version WHERE version > 1'
}

@test "a role that only reads works on, once another one has brought an older store up to date" {
  ask 'DROP SCHEMA IF EXISTS gpugauge CASCADE; DROP ROLE IF EXISTS "the viewer"; CREATE ROLE "the viewer" LOGIN'
  make_fleet fleet 4 1 >planted.txt
  gpugauge history ingest fleet --store "$URL"
  ask 'GRANT USAGE ON SCHEMA gpugauge TO "the viewer"; GRANT SELECT ON ALL TABLES IN SCHEMA gpugauge TO "the viewer"'
  to_first_schema
  local viewer="postgresql://the%20viewer@/postgres?host=$SERVER"
  run -2 gpugauge history changes --store "$viewer"
  [[ $output == *"has the schema 1, this version of GPUGauge needs 5, and who only reads may not change it"* ]]
  run -2 gpugauge history ingest fleet --store "$viewer"
  [[ $output == *"has the schema 1, this version of GPUGauge needs 5, and this role may not change it"* ]]
  run -2 gpugauge history changes --store "$URL"
  [[ $output == *"run \`gpugauge history ingest\` once with a role that may"* ]]
  gpugauge history ingest fleet --store "$URL"
  gpugauge history changes --store "$viewer"
  [ "$(ask "SELECT has_table_privilege('the viewer', 'gpugauge.checksum', 'SELECT')")" = t ]
  [ "$(ask "SELECT has_table_privilege('the viewer', 'gpugauge.checksum', 'INSERT')")" = f ]
}

@test "a role that may read and add rows, and change none, ingests" {
  ask 'DROP SCHEMA IF EXISTS gpugauge CASCADE; DROP ROLE IF EXISTS collector; CREATE ROLE collector LOGIN'
  make_fleet fleet 3 1 >planted.txt
  gpugauge history ingest fleet/node-00000 --node one --store "$URL"
  to_first_schema
  gpugauge history ingest fleet/node-00001 --node two --store "$URL"
  ask 'GRANT USAGE ON SCHEMA gpugauge TO collector; GRANT SELECT, INSERT ON ALL TABLES IN SCHEMA gpugauge TO collector'
  run -0 gpugauge history ingest fleet/node-00002 --node three --store "postgresql://collector@/postgres?host=$SERVER"
  [[ $output == *"1 of 1 files stored (200 metric values)"* ]]
  [ "$(ask 'SELECT count(*) FROM gpugauge.counted')" -eq 200 ]
  [ "$(ask 'SELECT last_value FROM gpugauge.metric_id_seq')" -eq 200 ]  # not 200 more with every command
}

@test "a role with rights to the schema, and to no more of the database, makes a store and brings one up to date" {
  ask 'DROP SCHEMA IF EXISTS gpugauge CASCADE; DROP ROLE IF EXISTS keeper; CREATE ROLE keeper LOGIN'
  ask 'REVOKE CREATE ON DATABASE postgres FROM PUBLIC; CREATE SCHEMA gpugauge AUTHORIZATION keeper'
  make_fleet fleet 2 1 >planted.txt
  local keeper="postgresql://keeper@/postgres?host=$SERVER"
  gpugauge history ingest fleet --store "$keeper"
  to_first_schema
  gpugauge history ingest fleet --store "$keeper"
  [ "$(ask 'SELECT max(version) FROM gpugauge.schema_version')" -eq 5 ]
  # Who owns none of its tables may not refer to them.
  ask 'DROP ROLE IF EXISTS guest; CREATE ROLE guest LOGIN; GRANT ALL ON SCHEMA gpugauge TO guest'
  ask 'GRANT SELECT, INSERT ON ALL TABLES IN SCHEMA gpugauge TO guest'
  to_first_schema
  run -2 gpugauge history ingest fleet --store "postgresql://guest@/postgres?host=$SERVER"
  [[ $output == *"and this role may not change it"* ]]
}

@test "a server that goes away ends in one sentence" {
  run -2 gpugauge history changes --store "postgresql://me:secret@/postgres?host=$BATS_TEST_TMPDIR"
  [[ $output == "gpugauge: the store postgresql://me@/postgres?host="* && $output != *secret* ]]
  [ "$(wc -l <<<"$output")" -eq 1 ]
}

@test "a password in --store is in no file of a check" {
  ask 'DROP SCHEMA IF EXISTS gpugauge CASCADE'
  make_fleet fleet 1 1 >planted.txt
  gpugauge history ingest fleet --store "$URL"
  export GPUGAUGE_STATE="$PWD/state"
  gpugauge check --device host --profile smoke --only 'host/clock_gettime*' --quiet --store "${URL/gauge@/gauge:s3cr3t@}" \
    --report html=page.html --report json=report.json >said.txt 2>&1 || [ $? -eq 3 ]
  grep -rq 'postgresql://gauge@/postgres' state/runs
  run ! grep -rl s3cr3t .
}
