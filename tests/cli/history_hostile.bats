# What must not leave the history: passwords in messages and files, names that a spreadsheet or a launcher would act on.
load common

export WIDE=yes

need_store() {
  if gpugauge history --help 2>&1 | grep -q 'Not in this build'; then skip "this build has no history: SOCI is not installed"; fi
}

@test "no sentence on a store in PostgreSQL repeats a password, whatever libpq says" {
  need_store
  local url
  for url in 'postgresql://me:s3%cr3t@127.0.0.1:1/db' 'postgresql://me:s3cr3t@[bad/db' 'postgresql://me:s3/cr3t@127.0.0.1:1/db' \
    'postgresql://127.0.0.1:1/db?pass%77ord=s3cr3t' 'postgresql://127.0.0.1:1/db?passwrd=s3cr3t' 'postgresql://me:s3cr3t/db' \
    'postgresql://me:s3cr3t@127.0.0.1:1/db?password=s3@cr3t' 'postgres:me:s3cr3t@127.0.0.1/db' 'pg://me:s3cr3t@127.0.0.1/db'; do
    run -2 gpugauge history changes --store "$url"
    [[ $output == "gpugauge: "* && $output != *s3* && $output != *cr3t* ]]
    [ "$(wc -l <<<"$output")" -eq 1 ]
    GPUGAUGE_STORE="$url" run -2 gpugauge history changes
    [[ $output != *s3* && $output != *cr3t* ]]
    run -2 gpugauge fleet "$url" other
    [[ $output != *s3* && $output != *cr3t* ]]
    run -2 gpugauge history changes --stor "$url"
    [[ $output != *s3* && $output != *cr3t* ]]
  done
  run -2 gpugauge history changes --store 'postgresql://me:s3%cr3t@127.0.0.1:1/db'
  [[ $output == *'the store postgresql://me@127.0.0.1:1/db: '*'"withheld"; in a URL a password'* ]]
}

@test "libpq's keywords make no file that has a password for a name" {
  need_store
  local text
  for text in 'host=127.0.0.1 password=s3cr3t' "password='s3cr3t'" 'postgresql:me:s3cr3t@127.0.0.1/db'; do
    run -2 gpugauge history ingest --store "$text" .
    [[ $output != *s3cr3t* ]]
    run -2 gpugauge fleet "$text"
    [[ $output == *"libpq's keywords are not taken as a store: write postgresql://user@host/database"* && $output != *s3cr3t* ]]
  done
  [ -z "$(find . -name '*s3cr3t*')" ]
  run -2 gpugauge history changes --store './x=1.sqlite'
  [[ $output == *"there is no store at ./x=1.sqlite"* ]]
}

@test "a spreadsheet finds neither a formula nor a line break in what export writes" {
  need_store
  quick_run run.json
  local name
  for name in "=cmd|'!calc'!A1" '+1' '-1' '@x' $'two\nlines' $'tab\there' $'right\xe2\x80\xaeleft' 'plain, "quoted"'; do
    gpugauge history ingest run.json --node "$name" --store "$(printf '%s' "$name" | md5sum | cut -c1-8).sqlite"
  done
  for store in *.sqlite; do gpugauge history export --store "$store" | tail -n +2; done >all.csv
  "$PYTHON" - <<'PY'
import csv
names = {row[1] for row in csv.reader(open("all.csv", newline=""))}
assert names == {"'=cmd|'!calc'!A1", "'+1", "'-1", "'@x", "two?lines", "tab?here", "right?left", 'plain, "quoted"'}, names
PY
  gpugauge history export --format jsonl --store "$(printf %s -1 | md5sum | cut -c1-8).sqlite" | grep -q '"node":"-1"'
}

@test "a store that was tampered with is refused, and prints nothing of it" {
  need_store
  quick_run run.json
  gpugauge history ingest run.json --node n1 --store clean.sqlite
  local change
  for change in "run SET started = '+cmd|x'" "run SET started = '2026-01-01' || char(27) || ']0;T'" \
    "measurement SET process_values = '[\"=1+1\"]'" "measurement SET process_values = '[1,' || char(10) || '2]'" \
    "measurement SET process_values = '[[1]]'" "measurement SET process_values = '[1, 2]'" "measurement SET process_values = '[-1]'" \
    "measurement SET process_values = '[.5]'" "measurement SET process_values = '[1.]'" "measurement SET process_values = '[01]'"; do
    cp clean.sqlite bad.sqlite
    "$PYTHON" -c 'import sqlite3, sys; base = sqlite3.connect("bad.sqlite"); base.execute("UPDATE " + sys.argv[1]); base.commit()' "$change"
    run -2 gpugauge history export --store bad.sqlite
    [[ $output == *"bad.sqlite"* && $output != *cmd* && $output != *1+1* && $output != *$'\e'* ]]
    run gpugauge history changes --store bad.sqlite
    [[ $output != *$'\e'* ]]
  done
  for change in "measurement SET process_values = '[1e999]'" "measurement SET process_values = ']'" "recorded SET process_values = '[0]'" \
    "recorded SET metric = metric + 99999" "choice SET benchmarks = '{}'" "choice SET benchmarks = '[1]'" "choice SET benchmarks = '[]]'" "choice SET benchmarks = '[\"b\",\"a\"]'"; do
    cp clean.sqlite bad.sqlite
    "$PYTHON" -c 'import sqlite3, sys; base = sqlite3.connect("bad.sqlite"); changed = base.execute("UPDATE " + sys.argv[1]).rowcount; base.commit(); sys.exit(changed < 1)' "$change"
    run -2 gpugauge fleet bad.sqlite
    [[ $output == "gpugauge: the store bad.sqlite holds what GPUGauge does not write ("*"), so it is damaged"* ]]
  done
  run -0 gpugauge history export --store clean.sqlite --output out.csv
  [ "$(find . -maxdepth 1 -name '.out.csv*' | wc -l)" -eq 0 ]
}

@test "a store whose pages are damaged: how it is made again" {
  need_store
  quick_run run.json
  gpugauge history ingest run.json --node n1 --store bad.sqlite
  dd if=/dev/urandom of=bad.sqlite bs=4096 seek=1 count=8 conv=notrunc status=none
  local said="the store bad.sqlite: database disk image is malformed, so it is damaged: make it again from the run files with \`gpugauge history ingest\`, in another place"
  run -2 gpugauge history trend 'host/*' --store bad.sqlite
  [[ $output == *"$said"* ]]
  run -2 gpugauge history ingest run.json --store bad.sqlite
  [[ $output == *"$said"* ]]
}

@test "a name that no launcher takes is not in the list for one" {
  "$GPUGAUGE_BUILD/bin/make_fleet" fleet 12 1 >planted.txt
  mv fleet/node-00005 $'fleet/a\tnode99'
  run -0 gpugauge fleet fleet --by-folder --emit-retest again.txt
  [[ $output == *"to be measured again of a?node99 is left out of the list"* ]]
  [ ! -s again.txt ]
}
