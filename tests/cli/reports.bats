# shellcheck disable=SC2154  # $stderr is set by run --separate-stderr
# --report KIND=FILE: what CI servers, dashboards and browsers read.
load common

kinds="json junit markdown github openmetrics html"

# Every kind at once, of the check that "$@" asks for.
every_kind() {
  local kind
  local -a wanted=()
  for kind in $kinds; do wanted+=(--report "$kind=out.$kind"); done
  gpugauge "$@" "${wanted[@]}"
}

valid_junit() {
  if ! command -v xmllint >/dev/null; then skip "xmllint is not installed: scripts/setup --for test installs libxml2-utils"; fi
  xmllint --noout --nonet --schema "$GPUGAUGE_SOURCE/tests/schema/junit-10.xsd" "$1"
}

count_of() {
  xmllint --xpath "string(/testsuites/@$2)" "$1"
}

# Two sides of a synthetic GPU, of which the second has a class 8% slower.
two_sides() {
  "$GPUGAUGE_BUILD/bin/make_fleet" sides 6 5 >/dev/null
}

@test "a check writes every kind at once, and the table too" {
  run every_kind check --device host --profile smoke --only 'host/clock_gettime*' --quiet
  [[ $status -eq 3 && $output == *"host/clock_gettime"* ]]  # one metric that no judge knows a limit of
  for kind in $kinds; do [ -s "out.$kind" ]; done
  "$PYTHON" "$GPUGAUGE_SOURCE/tests/validate_json.py" report out.json
  grep -q '^## GPUGauge check of .*: ' out.markdown
  grep -q '^::notice title=GPUGauge check of .*::' out.github
  [ "$(tail -n 1 out.openmetrics)" = "# EOF" ]
  "$PYTHON" - <<'PY'
import json, re, socket
host = socket.gethostname()
assert json.load(open("out.json"))["host"] == host
assert f'hostname="{host}"' in open("out.junit").read()
assert f'gpugauge_host_info{{report="check",host="{host}"}} 1' in open("out.openmetrics").read()
assert f'"host":"{host}"' in open("out.html").read()
plain = lambda name: open(name).read().replace("\\", "")
assert f"check of {host}" in plain("out.markdown") and f"check of {host}" in plain("out.github")
PY
  valid_junit out.junit
}

@test "JUnit fails where the exit code does, and the published schema accepts it" {
  two_sides
  run -1 every_kind compare --before sides/node-00004 --after sides/node-00005
  valid_junit out.junit
  [ "$(count_of out.junit failures)" -ge 1 ]
  [ "$(xmllint --xpath 'count(//failure)' out.junit)" = "$(count_of out.junit failures)" ]
  [[ $(xmllint --xpath 'string(//failure/@message)' out.junit) == *"worse than before"* ]]
  gpugauge compare --before sides/node-00001 --after sides/node-00002 --report junit=same.junit
  valid_junit same.junit
  [ "$(count_of same.junit failures)$(count_of same.junit errors)" = 00 ]
  run -3 gpugauge fleet sides/node-00001/round-1.json --report junit=few.junit
  valid_junit few.junit
  [ "$(count_of few.junit errors)" -ge 1 ]
}

@test "promtool accepts the text files of a check, a comparison and a fleet" {
  if ! command -v promtool >/dev/null; then skip "promtool is not installed: scripts/setup --for all installs prometheus"; fi
  two_sides
  gpugauge check --device host --profile smoke --only 'host/clock_gettime*' --quiet --report openmetrics=check.prom || [ $? -eq 3 ]
  gpugauge compare --before sides/node-00004 --after sides/node-00005 --report openmetrics=compare.prom || [ $? -eq 1 ]
  "$GPUGAUGE_BUILD/bin/make_fleet" fleet 12 >/dev/null
  gpugauge fleet fleet --report openmetrics=fleet.prom
  for file in check compare fleet; do
    run -0 promtool check metrics <"$file.prom"
    [ -z "$output" ] || { echo "$output"; false; }
    [ "$(grep -vc '^#' "$file.prom")" -ge 5 ]
  done
  echo 'gpugauge_broken{' >>fleet.prom
  run ! promtool check metrics <fleet.prom
}

@test "an unknown kind, a missing file name, one file twice: refused before anything is measured" {
  run -2 gpugauge check --device host --profile smoke --report xml=out.xml
  [[ $output == *"there is no kind of report 'xml' here; there are json, junit, markdown, github, openmetrics, html"* ]]
  run -2 gpugauge check --device host --profile smoke --report junit
  [[ $output == *"give it as KIND=FILE, such as junit=FILE"* ]]
  run -2 gpugauge check --device host --profile smoke --report json=a --report html=./a
  [[ $output == *"a and ./a are the same file, named for two outputs"* ]]
  run -2 gpugauge check --device host --profile smoke --json --report html=-
  [[ $output == *"standard output too"* ]]
  [ ! -d "$GPUGAUGE_STATE/runs" ]
}

@test "a place that is seen to take no file is refused before anything is measured" {
  echo "a file" >file
  mkdir folder
  long=$(printf 'x%.0s' {1..300})
  for report in html=folder html=file/below.html html=/proc/x.html junit=/proc/none/x.xml json=/dev/full "json=$long"; do
    COLUMNS=1000 run -2 gpugauge check --device host --profile smoke --report "$report"
    [[ $output == "gpugauge: --report $report: "*"; nothing was done" ]] || { echo "$output"; false; }
  done
  for words in "run --device host --output /proc/x.json" "run --device host --output file/" \
    "check --device host --observation /proc/x.json" "selftest --inject --output folder" "frameworks --output folder"; do
    # shellcheck disable=SC2086
    COLUMNS=1000 run -2 gpugauge $words
    [[ $output == "gpugauge: --"*"; nothing was done" ]] || { echo "$words: $output"; false; }
  done
  [ "$(cat file)" = "a file" ]
  [ -z "$(ls -A folder)" ]
  [ ! -d "$GPUGAUGE_STATE/runs" ]
}

@test "a place that cannot be written costs that report alone: one sentence, exit 2, verdict and run file are there" {
  COLUMNS=1000 run -2 --separate-stderr gpugauge check --device host --profile smoke --only 'host/clock_gettime*' --quiet \
    --report junit=whole.junit --report html=whole.junit/below.html --report json=whole.junit/more/below.json
  [[ $output == *"host/clock_gettime"* && $output == *"kept as"* ]]
  [ "$(wc -l <<<"$stderr")" -eq 2 ]
  [[ $stderr == *"--report html=whole.junit/below.html: the folder whole.junit could not be made"*"--report json=whole.junit/more/below.json: the folder whole.junit/more could not be made"*"; without these 2 problems it would have ended with 3" ]]
  [ -s whole.junit ]
  [ "$(find "$GPUGAUGE_STATE/runs" -name '*.json' | wc -l)" -ge 1 ]
  [ -z "$(find . -name '.*.??????')" ]
}

@test "standard output: annotations stand below the table, another kind takes its place" {
  two_sides
  run -1 --separate-stderr gpugauge compare --before sides/node-00004 --after sides/node-00005 --report github=-
  [[ $output == *"regressed: "*"::error title=regressed%3A "* ]]
  [ "$(grep -c '^::error' <<<"$output")" -eq 10 ]
  run -1 --separate-stderr gpugauge compare --before sides/node-00004 --after sides/node-00005 --report junit=-
  [[ $output == "<?xml"*"</testsuites>" ]]
}

@test "annotations below the table cannot stand beside what takes the table's place" {
  two_sides
  run -2 gpugauge compare --before sides/node-00004 --after sides/node-00005 --json --report github=-
  [[ $output == *"takes the table's place; write one of them to a file"* ]]
}

@test "a report replaces what a link points to and leaves the link" {
  two_sides
  mkdir real && echo old >real/report.json && ln -s real/report.json link.json
  gpugauge compare --before sides/node-00001 --after sides/node-00002 --report json=link.json
  [ -L link.json ]
  "$PYTHON" "$GPUGAUGE_SOURCE/tests/validate_json.py" report real/report.json
}

@test "a diagnosis and a fleet write every kind" {
  observation=$(find "$GPUGAUGE_SOURCE/harness/diagnose/reports/observations" -name '*.json' | sort | head -n 1)
  run every_kind diagnose "$observation"
  [[ $status -le 3 && $status -ne 2 ]]
  for kind in $kinds; do [ -s "out.$kind" ]; done
  "$PYTHON" "$GPUGAUGE_SOURCE/tests/validate_json.py" diagnosis out.json
  valid_junit out.junit
  "$GPUGAUGE_BUILD/bin/make_fleet" fleet 12 2 >/dev/null
  run -1 every_kind fleet fleet
  "$PYTHON" "$GPUGAUGE_SOURCE/tests/validate_json.py" fleet out.json
  valid_junit out.junit
  [ "$(count_of out.junit failures)" = 1 ]
  [[ $(xmllint --xpath 'string(//testcase[failure]/@name)' out.junit) == node-00005 ]]
}

@test "the page of a fleet of a thousand nodes and 200 metrics stays below 15 MB" {
  # Twelve nodes and what each adds: the page grows by a line a node.
  "$GPUGAUGE_BUILD/bin/make_fleet" fleet 12 >/dev/null
  gpugauge fleet fleet --report html=twelve.html
  rm -r fleet/node-00011
  gpugauge fleet fleet --report html=eleven.html
  twelve=$(wc -c <twelve.html) eleven=$(wc -c <eleven.html)
  [ $((twelve + 988 * (twelve - eleven))) -lt 15000000 ]
}

