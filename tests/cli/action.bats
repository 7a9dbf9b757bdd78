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
  # As on GitHub, and not as where these tests may run themselves.
  export GITHUB_REPOSITORY=me/nights GITHUB_EVENT_NAME="${EVENT:-schedule}"
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
for line in ("store: ${{ secrets.GPUGAUGE_STORE }}", "PGPASSWORD: ${{ secrets.GPUGAUGE_PASSWORD }}", "history: artifact", "actions: read"):
    assert "# " + line in text
    text = text.replace("# " + line, line)   # what a user takes the comment off of
steps = yaml.safe_load(text)["jobs"]["gauge"]["steps"]
own = [step for step in steps if step["uses"].startswith("./")]
assert len(own) == 1 and set(own[0]["with"]) == {"profile", "store", "history"} <= set(action["inputs"])
assert yaml.safe_load(text)["permissions"] == {"contents": "read", "actions": "read"}
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

# What stands for GitHub: gh answers with ./artifacts ("TIME RUN" a line; without it, it fails), download-artifact fetches ./kept and
# upload-artifact keeps what it is given.
fake_artifacts() {
  mkdir -p bin uses
  printf '%s\n' '#!/bin/sh' 'echo "gh $*" >>calls' 'cat artifacts' >bin/gh
  printf '%s\n' '#!/usr/bin/env python3' 'import json, os, shutil, sys' 'given = json.loads(sys.argv[1])' \
    'shutil.copy("kept", given["path"] + "/history.sqlite")' >uses/download-artifact
  printf '%s\n' '#!/usr/bin/env python3' 'import json, os, shutil, sys' 'given = json.loads(sys.argv[1])' \
    'if given["name"].startswith("gpugauge-history-") and os.path.exists(given["path"]): shutil.copy(given["path"], "kept")' >uses/upload-artifact
  chmod +x bin/gh uses/*
  : >artifacts
}

@test "history=artifact: begun on the first night, then downloaded, added to and uploaded again, on red nights as well" {
  fake_artifacts
  PATH="$PWD/bin:$PATH"
  local night=0 rows=0 code
  # A check of the host without a baseline ends with 3: every one of these nights is red.
  for code in 3 3 3; do
    night=$((night + 1))
    action "$code" device=host profile=smoke 'arguments=--only host/clock_gettime*' history=artifact
    [ "$(cat output.decide)" = "exit-code=3" ]
    grep -q '"actions/upload-artifact@v4", "with": {"name": "gpugauge-history-runner-7", "path": "'"$GPUGAUGE_STATE"'/artifact/history.sqlite", "if-no-files-found": "ignore", "overwrite": "True"' used
    gpugauge history export --store kept >rows.csv
    # Each night adds its values; a busy one may be too short of batches for one of them, and two may begin in one second.
    [ "$(tail -n +2 rows.csv | wc -l)" -gt "$rows" ]
    rows="$(tail -n +2 rows.csv | wc -l)"
    if ((night == 1)); then
      [[ $output == *"::notice title=gpugauge history::There is no artifact gpugauge-history-runner-7 yet: a history begins."* ]]
      run ! grep -q download-artifact used
    else
      [[ $output != *"a history begins"* ]]
      grep -q '"actions/download-artifact@v4", "with": {"name": "gpugauge-history-runner-7", "path": "'"$GPUGAUGE_STATE"'/artifact", "run-id": "'$((40 + night))'", "github-token": "a-token"' used
    fi
    # The newest counts, in whichever order they come.
    printf '%s\n' "2026-01-0${night}T02:00:00Z 7" "2026-01-1${night}T02:00:00Z $((41 + night))" "2026-01-05T02:00:00Z 8" >artifacts
  done
  grep -q '^gh api --method GET --paginate repos/me/nights/actions/artifacts -f name=gpugauge-history-runner-7 ' calls
}

@test "history=artifact: what could not be listed or fetched is said, and is not begun anew; the verdict stands" {
  fake 0 0
  fake_artifacts
  rm artifacts
  action 2 history=artifact
  [[ $output == *"::error title=gpugauge history::The artifacts could not be listed"*"actions: read"* ]]
  [[ $output == *"could not be added to the history"*"gpugauge-reports/runs"* ]]
  grep -q '^check ' calls
  run ! grep -q 'history ingest' calls
  run ! grep -q gpugauge-history- used
  [ "$(ls gpugauge-reports/runs)" = new.json ]
  # Found, and its download fails: there is no ./kept.
  echo "2026-01-01T02:00:00Z 41" >artifacts
  fake 1 0
  action 1 history=artifact
  [[ $output == *"could not be added to the history"* ]]
  grep -q download-artifact used
  run ! grep -q '"Upload the history"' used
  # An ingest that fails uploads nothing over what is kept.
  echo whole >kept
  fake 0 2
  action 2 history=artifact
  run ! grep -q '"Upload the history"' used
  # A database is a database, whatever the history.
  fake 0 0
  action 0 history=artifact store=postgresql://gauge@db/nights
  run ! grep -q gpugauge-history- used
}

@test "history=artifact takes no artifact of a fork and none that has expired" {
  command -v jq >/dev/null || skip "jq is not installed: it stands for gh's own --jq"
  fake 0 0
  fake_artifacts
  echo whole >kept
  cat >artifacts <<'JSON'
{"artifacts": [
  {"created_at": "2026-01-04T02:00:00Z", "expired": false, "workflow_run": {"id": 44, "repository_id": 1, "head_repository_id": 2}},
  {"created_at": "2026-01-01T02:00:00Z", "expired": false, "workflow_run": {"id": 41, "repository_id": 1, "head_repository_id": 1}},
  {"created_at": "2026-01-02T02:00:00Z", "expired": false, "workflow_run": {"id": 42, "repository_id": 1, "head_repository_id": 1}},
  {"created_at": "2026-01-03T02:00:00Z", "expired": true, "workflow_run": {"id": 43, "repository_id": 1, "head_repository_id": 1}}]}
JSON
  # shellcheck disable=SC2016
  printf '%s\n' '#!/usr/bin/env bash' 'exec jq --raw-output "${@: -1}" artifacts' >bin/gh
  action 0 history=artifact
  grep -q '"run-id": "42"' used
  sed -i -e '/"id": 4[12]/d' -e 's/1}},$/1}},/' artifacts
  action 0 history=artifact
  [[ $output == *"a history begins"* ]]
  run ! grep -q download-artifact used
}

@test "a run for a fork writes no history, wherever it is; one of a branch does" {
  fake 0 0
  fake_artifacts
  local where
  export GITHUB_EVENT_PULL_REQUEST_HEAD_REPO_FULL_NAME=stranger/nights GITHUB_EVENT_WORKFLOW_RUN_HEAD_REPOSITORY_FULL_NAME=stranger/nights
  for where in history=artifact history=state history=cache store=postgresql://gauge@db/nights; do
    for event in pull_request pull_request_target workflow_run; do
      rm -f calls
      EVENT="$event" action 0 "$where"
      [[ $output == *"::notice title=gpugauge history::A run for a fork adds nothing to the history."* ]]
      [ "$(grep -vc '^check ' calls)" = 0 ]
      [ "$(wc -l <used)" = 1 ]
    done
  done
  GITHUB_EVENT_PULL_REQUEST_HEAD_REPO_FULL_NAME='' EVENT=pull_request action 0 history=state
  run ! grep -q 'history ingest' calls
  GITHUB_EVENT_PULL_REQUEST_HEAD_REPO_FULL_NAME=me/nights EVENT=pull_request action 0 history=state
  grep -q 'history ingest' calls
  [[ $output != *"for a fork"* ]]
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
  action 0 $'arguments=--strict --budget 900\n--only gemm\n'
  grep -q '^check .* --quiet --strict --budget 900 --only gemm --report github=- ' calls
}

@test "without a state folder nothing is measured" {
  fake 0 0
  unset GPUGAUGE_STATE
  action 2
  [[ $output == *"::error title=gpugauge::Set GPUGAUGE_STATE"* ]]
  [ ! -e calls ]
  action 2 state=here history=sqlite
  [[ $output == *"The input history takes state, cache, artifact or none"* ]]
  [ ! -e calls ]
}

@test "without a GPU the job is red and says why" {
  if has_gpu; then skip "this machine has a GPU: the action would measure it for minutes"; fi
  action 3
  [[ $output == *"::error title=cannot judge%3A usable GPU::"* ]]
  grep -q '^## GPUGauge check of .*: cannot judge' summary.check
  "$PYTHON" -c 'import sys, xml.etree.ElementTree as tree; sys.exit(int(tree.parse(sys.argv[1]).getroot().get("errors")) < 1)' gpugauge-reports/junit.xml
}
