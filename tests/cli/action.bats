# shellcheck disable=SC2016,SC2154  # what stands in single quotes is expanded by programs; $stderr is set by run --separate-stderr
# scripts/github: the workflow and the action against GitHub's schemas, and the action's steps run as they are written.
load common

linters="${GPUGAUGE_LINTERS:-$GPUGAUGE_SOURCE/.venv/linters/bin}"
needs_linters() {
  if [ ! -x "$linters/check-jsonschema" ]; then skip "check-jsonschema is not installed: scripts/setup --for test installs it"; fi
}

schema() {
  "$linters/check-jsonschema" --builtin-schema "vendor.github-$1" "${@:2}"
}

# action CODE INPUT=VALUE...: the whole action.
action() {
  needs_linters
  rm -f used output.* summary.*
  run "-$1" --separate-stderr "$linters/python" "$GPUGAUGE_SOURCE/tests/run_action.py" "$GPUGAUGE_SOURCE/scripts/github/action.yml" "${@:2}"
  echo "$output"
  echo "$stderr" >&2
}

# A gpugauge whose check ends with "$1", and whose ingest with "$2".
fake() {
  mkdir -p bin
  cat >bin/gpugauge <<TEXT
#!/bin/sh
echo "\$*" >>calls
case "\$1 \$2" in
  "check "*) mkdir -p "\$GPUGAUGE_STATE/runs" && echo '{}' >"\$GPUGAUGE_STATE/runs/new.json"; exit $1 ;;
  "history ingest") exit $2 ;;
  "history changes") echo "<b>since</b> driver 1 -> 2" ;;
esac
TEXT
  chmod +x bin/gpugauge
  PATH="$PWD/bin:$PATH"
}

@test "workflows and the action hold against GitHub's schemas" {
  needs_linters
  schema workflows "$GPUGAUGE_SOURCE"/scripts/github/nightly.yml "$GPUGAUGE_SOURCE"/.github/workflows/*.yml
  schema actions "$GPUGAUGE_SOURCE/scripts/github/action.yml"
}

@test "what GitHub would not accept is found" {
  needs_linters
  sed 's/runs-on:/runs_on:/' "$GPUGAUGE_SOURCE/scripts/github/nightly.yml" >wrong.yml
  run -1 schema workflows wrong.yml
  sed 's/^ *shell: bash$//' "$GPUGAUGE_SOURCE/scripts/github/action.yml" >wrong.yml
  run -1 schema actions wrong.yml
}

@test "the workflow gives the action only inputs that it has; no input is pasted into a script" {
  needs_linters
  "$linters/python" - "$GPUGAUGE_SOURCE/scripts/github" <<'PY'
import sys, yaml
action = yaml.safe_load(open(sys.argv[1] + "/action.yml"))
text = open(sys.argv[1] + "/nightly.yml").read()
for line in ("store: ${{ secrets.GPUGAUGE_STORE }}", "PGPASSWORD: ${{ secrets.GPUGAUGE_PASSWORD }}"):
    assert "# " + line in text
    text = text.replace("# " + line, line)   # what a user takes the comment off of
steps = yaml.safe_load(text)["jobs"]["gauge"]["steps"]
own = [step for step in steps if step["uses"].startswith("./")]
assert len(own) == 1 and set(own[0]["with"]) == {"profile", "store"} <= set(action["inputs"])
for step in action["runs"]["steps"]:
    assert "${{" not in step.get("run", ""), step["run"]
PY
}

@test "the host is gauged, stored, summed up and uploaded; a verdict that nobody can give makes the job red" {
  action 3 device=host profile=smoke 'arguments=--only host/clock_gettime*'
  [[ $output == *"host/clock_gettime"*"::notice title="* ]]
  for file in junit.xml report.json report.html; do [ -s "gpugauge-reports/$file" ]; done
  "$PYTHON" "$GPUGAUGE_SOURCE/tests/validate_json.py" report gpugauge-reports/report.json
  [ "$(find gpugauge-reports/runs -name '*.json' | wc -l)" = 1 ]
  grep -q '^## GPUGauge check' summary.check
  grep -q '^### History of 30 days' summary.store
  [ "$(cat output.decide)" = "exit-code=3" ]
  grep -q '^exit-code=0$' output.store
  [ "$(gpugauge history export --store "$GPUGAUGE_STATE/history.sqlite" | grep -c runner-7)" -ge 1 ]
  [ "$(wc -l <used)" = 1 ]
  grep -q '"actions/upload-artifact@v4", "with": {"name": "gpugauge-42-1", "path": "gpugauge-reports/"' used
  # The next night adds to the same history and uploads only its own run.
  action 3 device=host profile=smoke 'arguments=--only host/clock_gettime*'
  [ "$(find gpugauge-reports/runs -name '*.json' | wc -l)" = 1 ]
  [ "$(find "$GPUGAUGE_STATE/runs" -name '*.json' | wc -l)" = 2 ]
}

@test "reports of an earlier night are not uploaded as those of one that wrote none" {
  fake 2 0
  mkdir -p gpugauge-reports/runs && touch gpugauge-reports/junit.xml gpugauge-reports/runs/old.json
  action 2
  [ ! -e gpugauge-reports/junit.xml ]
  [ ! -e gpugauge-reports/runs/old.json ]
}

@test "the exit code of the check decides, whatever it is" {
  for code in 0 1 2 3 4; do
    fake "$code" 0
    action "$code"
    [ "$(cat output.decide)" = "exit-code=$code" ]
    [ "$(wc -l <used)" = 1 ]
  done
}

@test "a history that cannot be written is said; it makes a pass an error and hides no regression" {
  fake 0 2
  action 2
  [[ $output == *"::error title=gpugauge history::"* ]]
  fake 1 2
  action 1
  [[ $output == *"::error title=gpugauge history::"* ]]
}

@test "where the history is: the state folder, the cache, a database, or nowhere" {
  fake 0 0
  action 0
  grep -q -- "--store $GPUGAUGE_STATE/history.sqlite" calls
  rm calls
  action 0 history=cache
  [ "$(wc -l <used)" = 3 ]
  grep -q '"actions/cache/restore@v4", "with": {"path": "'"$GPUGAUGE_STATE"'/history.sqlite", "key": "gpugauge-history-runner-7-42-1", "restore-keys": "gpugauge-history-runner-7-"' used
  grep -q '"actions/cache/save@v4"' used
  rm calls
  action 0 history=cache store=postgresql://gauge@db/nights
  [ "$(wc -l <used)" = 1 ]
  grep -q -- "--store postgresql://gauge@db/nights" calls
  rm calls
  action 0 history=none
  [ "$(cat calls)" = "$(grep '^check' calls)" ]
}

@test "a history that was not stored is not saved over the one in the cache" {
  fake 0 2
  action 2 history=cache
  run ! grep -q cache/save used
}

@test "inputs reach the command as they are, and the summary as text" {
  fake 0 0
  action 0 'arguments=--strict --budget 900' device=0,1 profile=quick artifact= 'reports=out dir'
  grep -q '^check --device 0,1 --profile quick --quiet --strict --budget 900 --report github=- ' calls
  [ ! -e used ]
  [ -d "out dir/runs" ]
  grep -q '^    <b>since</b>' summary.store
}

@test "without a state folder nothing is measured" {
  fake 0 0
  unset GPUGAUGE_STATE
  action 2
  [[ $output == *"::error title=gpugauge::Set GPUGAUGE_STATE"* ]]
  [ ! -e calls ]
  action 2 state=here history=sqlite
  [[ $output == *"The input history takes state, cache or none"* ]]
  [ ! -e calls ]
}

@test "without a GPU the job is red and says why" {
  if has_gpu; then skip "this machine has a GPU: the action would measure it for minutes"; fi
  action 3
  [[ $output == *"::error title=cannot judge%3A usable GPU::"* ]]
  grep -q '^## GPUGauge check: cannot judge' summary.check
  "$PYTHON" -c 'import sys, xml.etree.ElementTree as tree; sys.exit(int(tree.parse(sys.argv[1]).getroot().get("errors")) < 1)' gpugauge-reports/junit.xml
}
