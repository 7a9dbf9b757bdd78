# The life of a baseline, through the command.
# shellcheck disable=SC2030,SC2031  # each test has a state directory of its own
load common
export WIDE=yes

setup_file() {
  export BATS_NO_PARALLELIZE_WITHIN_FILE=true
  export GPUGAUGE_STATE="$BATS_FILE_TMPDIR/state" PATH="$GPUGAUGE_BUILD/bin:$PATH"
  for i in 1 2 3 4 5; do
    gpugauge run --device host --profile smoke --only 'host/clock_gettime*' --quiet --output "$BATS_FILE_TMPDIR/$i.json"
  done
  # What a verdict is must not hang on how noisy this machine was meanwhile.
  PYTHON="${GPUGAUGE_PYTHON:-python3}" edit_files "
for process in it['processes']:
    for benchmark in process['samples']['benchmarks']:
        for metric in benchmark['metrics']:
            metric['value'] = 25e-9 * (1 + .002 * int(name[-6]))" "$BATS_FILE_TMPDIR"/[1-5].json
}

make_baseline() {
  gpugauge baseline create --name mine "$BATS_FILE_TMPDIR"/{1,2,3,4,5}.json "$@" >/dev/null
}

# slower FACTOR: a copy of a run with every metric so many times slower, as slower.json.
slower() {
  "$PYTHON" - "$BATS_FILE_TMPDIR/3.json" "$1" <<'PY'
import json, sys
run = json.load(open(sys.argv[1]))
run["id"] = run["id"][:-3] + "XYZ"
for process in run["processes"]:
    for benchmark in process["samples"]["benchmarks"]:
        for metric in benchmark["metrics"]:
            metric["value"] *= float(sys.argv[2]) if metric["better"] == "lower" else 1 / float(sys.argv[2])
json.dump(run, open("slower.json", "w"))
PY
}

@test "a candidate is not used until it is accepted, and a retired one no more" {
  make_baseline --candidate
  run -3 gpugauge compare "$BATS_FILE_TMPDIR/3.json"
  [[ $output == *"is a candidate"* && $output == *"No baseline"* ]]
  run -2 gpugauge baseline accept mine --reason ' '
  run -2 gpugauge baseline accept mine
  run -0 gpugauge baseline accept mine --reason "after the burn-in"
  [[ $output == *"active from now on"* ]]
  run -2 gpugauge baseline accept mine --reason again
  run gpugauge compare "$BATS_FILE_TMPDIR/3.json"
  [[ $output == *"own baseline mine"* ]]
  run -0 gpugauge baseline retire mine --reason "new board"
  run -3 gpugauge compare "$BATS_FILE_TMPDIR/3.json"
  [[ $output == *"No baseline"* ]]
  run -0 gpugauge baseline show mine
  [[ $output == *"after the burn-in"* && $output == *"new board"* && $output == *retired* ]]
}

@test "a baseline of the version before is no pass on limits: 3, and what to do" {
  cp "$BATS_FILE_TMPDIR"/[1-5].json .
  edit_files "it['fingerprint']['suite']['suite.source_hash.host'] = 'ab' * 32" [1-5].json
  gpugauge baseline create --name old [1-5].json >/dev/null
  run -3 gpugauge check --device host --profile smoke --only 'host/clock_gettime*' --quiet
  then="not comparable with the baseline old: the sources of the family host differ: another version of GPUGauge; "
  then+="measure a baseline with this version, \`gpugauge baseline create --device host --profile smoke\`, and until"
  [[ $output == *"cannot judge: $then"* && $output != *"was not used"* ]]
  run -3 gpugauge status --device host
  [[ $output == *"cannot judge"*"$then"* ]]
  run gpugauge baseline create --name mine "$BATS_FILE_TMPDIR"/{1,2,3,4,5}.json
  [[ $status == 0 && $output == *"against old, from which these rounds differ in suite.source_hash.host: of "* ]]
  run gpugauge compare "$BATS_FILE_TMPDIR/3.json"
  [[ $output == *"own baseline mine"* && $output != *"baseline old"* && $output != *"/old"* ]]
}

@test "the list names a baseline whole, and keeps its rows within the width" {
  make_baseline
  gpugauge baseline export mine mine.bundle
  name=GPU-74c11cbb-20-standard-cc806e11-01M8DGYRDR
  gpugauge baseline import mine.bundle --name "$name" --reason "from there" >/dev/null
  for width in 40 60 80 200; do
    COLUMNS=$width run -0 gpugauge baseline list
    [[ $output == *"$name"* ]]
    [ "$(wc -L <<<"$output")" -le $((width < 60 ? 60 : width)) ]
  done
}

@test "create with run files refuses options of measuring, and a name that is too long with the limit" {
  gpugauge run --device host --profile smoke --only 'host/clock_gettime*' --quiet --output pinned.json >/dev/null
  COLUMNS=1000 run -2 gpugauge baseline create pinned.json --rounds 9 --device host --profile quick
  [ "$output" = "gpugauge: --rounds, --device, --profile say how rounds are measured, and run files were given to pin: leave out one or the other" ]
  COLUMNS=1000 run -2 gpugauge baseline create pinned.json --name "$(printf 'x%.0s' {1..300})"
  [ "$output" = "gpugauge: --name has 300 letters, and a name has at most 120: give a shorter one" ]
  [ ! -d "$GPUGAUGE_STATE/baselines" ]
}

@test "a treatment that names no field is refused before anything is measured" {
  for word in nosuch drivr; do
    COLUMNS=1000 run -2 gpugauge check --device host --profile smoke --treatment "$word"
    [[ $output == "gpugauge: treatment $word: no field of the fingerprint is called so"* ]]
  done
  [[ $output == *"near to it: driver"* ]]
  [ ! -d "$GPUGAUGE_STATE/runs" ]
  run gpugauge check --device host --profile smoke --only 'host/clock_gettime*' --quiet --treatment kernel.version --treatment driver
  [ "$status" -ne 2 ]
}

@test "list and show say what there is, and name what cannot be read" {
  run -0 gpugauge baseline list
  [[ $output == *"no baseline yet: \`gpugauge baseline create --device 0\` makes one of GPU 0, --device host one of the host."* ]]
  make_baseline
  run -0 gpugauge baseline list
  [[ $output == *mine* && $output == *own* && $output == *active* ]]
  run -0 gpugauge baseline list --json
  "$PYTHON" -c 'import json,sys; rows = json.load(sys.stdin)["baselines"]; assert [r["state"] for r in rows] == ["active"], rows' <<<"$output"
  run -0 gpugauge baseline show mine --json
  "$PYTHON" -c 'import json,sys; d = json.load(sys.stdin); assert d["provisional"] and d["metrics"] and d["log"][0]["state"] == "active", d' <<<"$output"
  round="$(find "$GPUGAUGE_STATE/baselines/mine/runs" -name '*.json' | head -1)"
  cp "$round" pinned.json
  sed -i '0,/"complete"/s//"Complete"/' "$round"
  run -0 gpugauge baseline list
  [[ $output == *unreadable* && $output != *active* && $output == *"was changed since it was pinned"* ]]
  run -2 gpugauge baseline show mine
  cp pinned.json "$round"
  echo '{' >"$GPUGAUGE_STATE/baselines/mine/baseline.json"
  run -0 gpugauge baseline list
  [[ $output == *unreadable* && $output == *truncated* ]]
  run -2 gpugauge baseline show mine
  run -2 gpugauge baseline show other
  [[ $output == *"there is no baseline 'other'"* ]]
}

@test "an accepted change is said and counts no more; what is not worse cannot be accepted" {
  make_baseline
  slower 3
  run -2 gpugauge baseline accept mine --reason "new libc" --metric '*'
  [[ $output == *"needs --run"* ]]
  run -2 gpugauge baseline accept mine --reason "new libc" --metric 'nothing*' --run slower.json
  [[ $output == *"matches no metric"* ]]
  slower 0.1 && mv slower.json faster.json
  run -2 gpugauge baseline accept mine --reason "new libc" --metric '*' --run faster.json
  [[ $output == *"nothing to accept"* ]]
  slower 3
  for bad in 2020-01-01 2027-02-31 soon 0d 99999999999d; do
    run -2 gpugauge baseline accept mine --reason "new libc" --metric '*' --run slower.json --expires "$bad"
    [[ $output == *"--expires $bad"* ]]
  done
  run -0 gpugauge baseline accept mine --reason "new libc" --metric '*' --run slower.json --expires 30d
  [[ $output == *Accepted*until* ]]
  # One run cannot confirm a regression, and what was accepted is said all the same.
  run -0 gpugauge compare slower.json --baseline mine
  [[ $output == *"; accepted until "*": new libc"* && $output == *" accepted"* ]]
  run -0 gpugauge baseline show mine
  [[ $output == *"new libc"* ]]
}

@test "a change that a run of another machine shows is not accepted" {
  make_baseline
  slower 3
  "$PYTHON" -c 'import json; r = json.load(open("slower.json")); r["fingerprint"]["device"]["host.cpu_model"] = "Z"; json.dump(r, open("foreign.json", "w"))'
  run -2 gpugauge baseline accept mine --reason "new libc" --metric '*' --run foreign.json
  [[ $output == *"foreign.json is not of the machine, device, profile and suite of baseline mine: device.host.cpu_model is 'Z' in the run"* ]]
}

@test "one bundle under two names: the folder that is named is retired, and no other" {
  make_baseline
  gpugauge baseline export mine mine.bundle
  export GPUGAUGE_STATE="$BATS_TEST_TMPDIR/other"
  gpugauge baseline import mine.bundle --name golden --reason "our reference" >/dev/null
  gpugauge baseline import mine.bundle --name archive --reason "kept" >/dev/null
  COLUMNS=1000 run -0 gpugauge baseline list
  [[ $output == *"golden (mine) "* && $output == *"archive (mine) "* ]]
  run -2 gpugauge baseline retire mine --reason "old"
  [[ $output == *"several baselines are called 'mine'"*archive* ]]
  run -0 gpugauge baseline retire golden --reason "old"
  run -0 gpugauge baseline show golden
  [[ $output == *retired* ]]
  run -0 gpugauge baseline show archive
  [[ $output != *retired* ]]
}

@test "what a whole class lost can be accepted too" {
  # Nine runs of three benchmarks of one class; from the sixth on all of it is 5% slower.
  "$PYTHON" - "$BATS_FILE_TMPDIR/3.json" <<'PY'
import copy, json, random, sys
random.seed(5)
for i in range(9):
    run = json.load(open(sys.argv[1]))
    run["id"], run["boot_id"], run["only"] = f"01TESTCLASS{i:015d}", f"boot-{i}", []
    for process in run["processes"]:
        first = process["samples"]["benchmarks"][0]
        process["samples"]["benchmarks"] = [dict(copy.deepcopy(first), id=f"host/{name}") for name in "abc"]
        for benchmark in process["samples"]["benchmarks"]:
            for metric in benchmark["metrics"]:
                metric["value"] *= random.gauss(1, .002) * (1.05 if i > 4 else 1)
    json.dump(run, open(f"class{i}.json", "w"))
PY
  gpugauge baseline create --name whole class{0,1,2,3,4}.json
  run -1 gpugauge compare class{5,6,7,8}.json --baseline whole
  [[ $output == *" on average "*" metrics"*"; worse in "*" rounds (tolerance of the mean "* ]]
  run -0 gpugauge baseline accept whole --reason "new kernel" --metric 'class/*' --run class5.json
  [[ $output == *"Accepted: class/host_cpu from 1"*" to 1.05"* ]]
  run -0 gpugauge compare class{5,6,7,8}.json --baseline whole
  [[ $output == *"accepted for good"* ]]
}

@test "create and accept say which baseline is in force from then on, and what brings the other one back" {
  make_baseline
  run -0 gpugauge baseline create --name second "$BATS_FILE_TMPDIR"/{1,2,3,4,5}.json
  [[ $output == *"takes the place of mine (5 rounds from 2"*"baseline retire second --reason"* ]]
  run -0 gpugauge baseline create --name third "$BATS_FILE_TMPDIR"/{1,2,3,4,5}.json
  [[ $output == *"takes the place of second (5 rounds from 2"*"); \`gpugauge baseline retire third --reason ...\` brings that one back"* ]]
  run gpugauge compare "$BATS_FILE_TMPDIR/3.json"
  [[ $output == *"own baseline third"* ]]
  run -0 gpugauge baseline create --name few "$BATS_FILE_TMPDIR"/{1,2,3}.json
  [[ $output == *"not in force: third (5 rounds from 2"*"baseline retire third --reason ...\` brings second into force: second, mine come before this one, too"* ]]
  gpugauge baseline retire third --reason test >/dev/null
  run gpugauge compare "$BATS_FILE_TMPDIR/3.json"
  [[ $output == *"own baseline second"* ]]
  run -0 gpugauge baseline create --name later --candidate "$BATS_FILE_TMPDIR"/{1,2,3,4,5}.json
  [[ $output != *"in force"* && $output != *"takes the place"* ]]
}

@test "rounds that are slower than the baseline whose place they take need a reason, which is kept" {
  make_baseline
  mkdir slow
  "$PYTHON" - "$BATS_FILE_TMPDIR" <<'PY'
import json, sys
for number in range(1, 6):
    run = json.load(open(f"{sys.argv[1]}/{number}.json"))
    run["id"] = run["id"][:-3] + "XYZ"
    for process in run["processes"]:
        for benchmark in process["samples"]["benchmarks"]:
            for metric in benchmark["metrics"]:
                metric["value"] *= 3 if metric["better"] == "lower" else 1 / 3
    json.dump(run, open(f"slow/{number}.json", "w"))
PY
  run -2 gpugauge baseline create --name slow slow/*.json
  [[ $output == *"slower than baseline mine, whose place they would take: of "*"by class: "*"%"*"--reason TEXT"* ]]
  [ ! -e "$GPUGAUGE_STATE/baselines/slow" ]
  run -0 gpugauge baseline create --name later --candidate slow/*.json
  [[ $output != *"against mine"* ]]
  run -0 gpugauge baseline accept later --reason "the clock source is another one"
  [[ $output == *"against mine: of "*"worst: "* ]]
  gpugauge baseline retire later --reason test >/dev/null
  run -0 gpugauge baseline create --name slow --reason "the clock source is another one" slow/*.json
  [[ $output == *"against mine: of "*"worst: "* ]]
  run -0 gpugauge baseline show slow
  [[ $output == *"created from 5 rounds: the clock source is another one"* ]]
}

@test "copies of one run make no baseline" {
  for i in 1 2 3 4 5; do
    "$PYTHON" -c 'import json, sys; run = json.load(open(sys.argv[1])); run["id"] = run["id"][:-1] + sys.argv[2]; json.dump(run, open(f"copy{sys.argv[2]}.json", "w"))' \
      "$BATS_FILE_TMPDIR/1.json" "$i"
  done
  run -2 gpugauge baseline create --name copies copy{1,2,3,4,5}.json
  [[ $output == *"are one measurement under two ids"*"leave one of them out"* ]]
}

@test "a damaged byte in the baseline in force is no pass by an older one" {
  make_baseline
  gpugauge baseline create --name newer "$BATS_FILE_TMPDIR"/{1,2,3,4,5}.json >/dev/null
  run gpugauge compare "$BATS_FILE_TMPDIR/3.json"
  [[ $output == *"own baseline newer"* ]]
  local rounds=("$GPUGAUGE_STATE"/baselines/newer/runs/*)
  truncate -s 100 "${rounds[0]}"
  run -3 gpugauge compare "$BATS_FILE_TMPDIR/3.json"
  [[ $output == *"cannot judge: the baseline of this machine cannot be used"* ]]
  run -0 gpugauge baseline list --json
  "$PYTHON" -c 'import json,sys; rows = json.load(sys.stdin)["baselines"]; assert [("fault" in r, r["state"]) for r in rows] == [(False, "active"), (True, "unreadable")], rows' <<<"$output"
}

@test "a tampered log is named and the baseline not used" {
  make_baseline
  gpugauge baseline retire mine --reason "broken fan" >/dev/null
  sed -i 's/retired/active/' "$GPUGAUGE_STATE/baselines/mine/log.jsonl"
  run -2 gpugauge baseline show mine
  [[ $output == *log.jsonl* && $output == *changed* ]]
  run gpugauge compare "$BATS_FILE_TMPDIR/3.json"
  [[ $output == *log.jsonl* && $output == *"The baseline of this machine cannot be used"* ]]
}

@test "a baseline whose log is gone is in no state that list could show, and takes no other one's place" {
  make_baseline
  gpugauge baseline create --name second "$BATS_FILE_TMPDIR"/{1,2,3}.json >/dev/null
  gpugauge baseline retire second --reason "broken fan" >/dev/null
  rm "$GPUGAUGE_STATE"/baselines/second/log.*
  run -2 gpugauge baseline show second
  [[ $output == *"log.jsonl is missing: every baseline has a log"* ]]
  COLUMNS=1000 run -0 gpugauge baseline list
  [[ $output == *"second "*"unreadable"*"log.jsonl is missing: every baseline has a log"* ]]
  [[ $output == *"mine "*"active"* ]]
  [[ $output != *superseded* && $(grep -c active <<<"$output") == 1 ]]
}

@test "export and import carry a baseline to another node, as a candidate" {
  make_baseline
  run -0 gpugauge baseline export mine mine.bundle
  run -2 gpugauge baseline export mine mine.bundle
  [[ $output == *"is there already"* ]]
  export GPUGAUGE_STATE="$BATS_TEST_TMPDIR/other"
  run -0 gpugauge baseline import mine.bundle
  [[ $output == *candidate* ]]
  run -2 gpugauge baseline import mine.bundle
  run -0 gpugauge baseline accept mine --reason "trusted"
  run gpugauge compare "$BATS_FILE_TMPDIR/3.json"
  [[ $output == *"site's baseline mine"* ]]
  head -c 2000 mine.bundle >cut.bundle
  run -2 gpugauge baseline import cut.bundle --name cut
  [[ $output == *truncated* ]]
  [ ! -e "$GPUGAUGE_STATE/site/cut" ]
  run -2 gpugauge baseline import "$BATS_FILE_TMPDIR/3.json"
  [[ $output == *schema* ]]
}

@test "selftest says how often it would cry wolf on this baseline, and what it would find" {
  run -2 gpugauge selftest
  [[ $output == *"no baseline of this node"* ]]
  make_baseline
  run -0 gpugauge selftest --trials 5 --injections 5 --quiet
  [[ $output == *"false alarms"* && $output == *"flatters the false alarms"* ]]
  run -0 gpugauge selftest mine --trials 3 --injections 3 --quiet --json
  echo "$output" >selftest.json
  echo '{"schema": "gpugauge.policy/1", "metrics": [{"metric": "bm_*", "advisory": true}]}' >policy.json
  run -2 gpugauge selftest mine --trials 3 --injections 3 --quiet --policy policy.json
  [[ $output == *"'bm_*' matches no metric"* ]]
  "$PYTHON" -c 'import json,sys; d = json.load(sys.stdin); assert d["trials"] == 3 and d["rows"][0]["class"] == "all", d' <selftest.json
}

# hostile FIELD VALUE: hostile.json is a run with that field.
hostile() {
  "$PYTHON" - "$BATS_FILE_TMPDIR/3.json" "$1" "$2" <<'PY'
import json, sys
run = json.load(open(sys.argv[1]))
run[sys.argv[2]] = sys.argv[3]
json.dump(run, open("hostile.json", "w"))
PY
}

@test "a baseline that a run file names itself stays below the state directory, and draws nothing" {
  for field in device profile; do
    for value in ../../../../escaped /tmp/escaped $'x\e]0;TITLE\a\e[2J'; do
      hostile "$field" "$value"
      run -0 gpugauge baseline create hostile.json
      [[ $output != *$'\e'* ]]
      [ "$(find "$GPUGAUGE_STATE/baselines" -mindepth 1 -maxdepth 1 | wc -l)" -eq 1 ]
      [ -z "$(find . "$BATS_TEST_TMPDIR" /tmp -maxdepth 1 -name '*escaped*' ! -path '*/baselines/*')" ]
      rm -rf "$GPUGAUGE_STATE/baselines"
    done
  done
}

@test "rounds without a figure make no baseline" {
  "$PYTHON" - "$BATS_FILE_TMPDIR/3.json" <<'PY'
import json, sys
run = json.load(open(sys.argv[1]))
for process in run["processes"]:
    process["samples"]["benchmarks"] = []
json.dump(run, open("empty.json", "w"))
PY
  run -2 gpugauge baseline create empty.json
  [[ $output == *"holds no metric that can be judged"* ]]
  [ ! -e "$GPUGAUGE_STATE/baselines" ]
}

@test "a damaged baseline of this machine is no pass, and the list names it" {
  local only=(--device host --profile smoke --only host/clock_gettime --quiet)
  make_baseline
  file=$(find "$GPUGAUGE_STATE/baselines/mine/runs" -name '*.json' | head -n 1)
  truncate -s 1000 "$file"
  run -3 gpugauge check "${only[@]}" --no-probes
  [[ ${lines[-1]} == "cannot judge: the baseline of this machine cannot be used: "*"was truncated since"* ]]
  [[ $output == *"Restore it from a copy, or move its folder away and make a new one."* ]]
  run -0 gpugauge baseline list
  [[ $output == *unreadable*"was truncated since"* ]]
  mv "$GPUGAUGE_STATE/baselines/mine" away
  run gpugauge check "${only[@]}" --no-probes
  [[ $output == *"Make one with \`gpugauge baseline create --device host --profile smoke\`."* ]]
}

@test "a baseline that cannot be looked at is no pass, and the list names its folder" {
  make_baseline
  slower 50
  run gpugauge compare slower.json
  [[ $output == *"Compared with this machine's own baseline mine"* && $output != *"cannot be looked into"* ]]
  as_user test -x "$(command -v gpugauge)" || skip "the command is in a folder that another user may not enter"
  chmod 755 "$BATS_FILE_TMPDIR" "$GPUGAUGE_STATE" "$GPUGAUGE_STATE/baselines"
  for folder in "$GPUGAUGE_STATE/baselines/mine" "$GPUGAUGE_STATE/baselines"; do
    chmod 000 "$folder"
    run as_user gpugauge compare slower.json
    [[ $status -eq 3 && $output == *"$folder cannot be looked into: Permission denied; this device's baseline may lie there"* ]]
    run as_user gpugauge baseline list
    [[ $status -eq 0 && $output == *unreadable*"$folder cannot be looked into: Permission denied"* ]]
    run as_user gpugauge baseline show mine
    [[ $status -eq 2 && $output == *"$folder"*": Permission denied"* ]]
    chmod 755 "$folder"
  done
}
