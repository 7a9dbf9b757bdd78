# gpugauge frameworks on packages made for the test: what is absent, broken, stuck or on the processor is said so.
load common

# An environment of this Python's own interpreter, with nothing in it.
setup_file() {
  "${GPUGAUGE_PYTHON:-python3}" -m venv --without-pip "$BATS_FILE_TMPDIR/venv"
}

# package NAME BODY: a package of that name in a folder that Python looks into first.
package() {
  mkdir -p "packages/$1"
  printf '%s\n' "$2" >"packages/$1/__init__.py"
  export PYTHONPATH="$PWD/packages"
}

frameworks() { gpugauge frameworks --python "$BATS_FILE_TMPDIR/venv" --window 0.1 --quiet "$@"; }

@test "nothing installed: each is absent, and nothing can be judged" {
  run -3 frameworks
  [[ $output == *torch*"not installed"* ]]
  [[ "${lines[-1]}" == *"cannot judge: none of the frameworks asked for is installed"* ]]
}

@test "an environment is found by a relative path, and PYTHONPATH leads to nothing of the working folder" {
  cp -r "$BATS_FILE_TMPDIR/venv" env
  echo 'open("owned", "w")' | tee torch.py importlib.py >json.py
  WIDE=yes PYTHONPATH=/nowhere: run -3 gpugauge frameworks --python env --window 0.1 --quiet torch
  [[ $output == *"PYTHONPATH: its empty and relative entries lead into the working folder and were left out"* ]]
  [[ $output == *"not installed"* ]]
  [ ! -e owned ]
}

@test "a framework that cannot be imported has failed, with its own words" {
  package torch 'raise ImportError("libcudnn.so.9: cannot open shared object file: No such file or directory")'
  WIDE=yes run -1 frameworks torch
  [[ $output == *"torch cannot be imported: ImportError: libcudnn.so.9: cannot open shared object file"* ]]
  [[ "${lines[-1]}" == *"failed: torch"* ]]
}

@test "what a framework itself lacks is not taken for its absence" {
  package torch 'import a_module_that_is_nowhere'
  WIDE=yes run -1 frameworks torch
  [[ $output == *"cannot be imported"*a_module_that_is_nowhere* ]]
}

@test "a framework that hangs is killed, and the others still run" {
  package torch 'import time; time.sleep(600)'
  WIDE=yes run -1 frameworks torch jax --limit 6
  [[ $output == *"jax"*"not installed"* ]]
  [[ $output == *torch*"time limit"* ]]
}

@test "a framework that crashes is named with the signal" {
  package jax 'import os; os.abort()'
  WIDE=yes run -1 frameworks jax
  [[ $output == *"signal 6 (SIGABRT)"* ]]
}

@test "what a framework prints is no part of the answer" {
  package jax 'print("banner"); raise ImportError("broken")'
  run -1 --separate-stderr frameworks jax --json
  "$PYTHON" -c 'import json, sys; assert json.load(sys.stdin)["frameworks"][0]["state"] == "failed"' <<<"$output"
}

@test "JSON, run file and observation fit their schemas; the run file holds what failed" {
  package torch 'raise ImportError("broken")'
  run -1 --separate-stderr frameworks torch --json --output run.json --observation seen.json
  printf '%s\n' "$output" >report.json
  for kind in frameworks:report run:run observation-1:seen; do
    "$PYTHON" "$GPUGAUGE_SOURCE/tests/validate_json.py" "${kind%:*}" "${kind#*:}.json"
  done
  grep -q 'cannot be imported: ImportError: broken' run.json
  gpugauge diagnose seen.json || [ $? -le 3 ]
}

@test "one observation is of one framework" {
  run -2 frameworks --observation seen.json
  [[ $output == *"--observation holds one framework; name it"* ]]
  [ ! -e seen.json ]
}

@test "no Python, no framework of that name: one sentence each" {
  run -2 gpugauge frameworks --python /nonexistent
  [[ $output == *"no Python was found"*"--python"* ]]
  run -2 frameworks caffe
  [[ $output == *caffe* ]]
}

# Real packages, where the machine has them: without a GPU all of it runs on the processor, and that is proved.
on_the_processor() {
  has_gpu && skip "this machine has a usable GPU"
  /usr/bin/python3 -c "import $1" 2>/dev/null || skip "/usr/bin/python3 has no $1"
  local code=0
  gpugauge frameworks --python /usr/bin/python3 --window 0.1 --quiet --json "$1" >report.json || code=$?
  [ "$code" -eq 3 ]
  "$PYTHON" - report.json <<'PY'
import json, sys
one, = json.load(open(sys.argv[1]))["frameworks"]
assert one["state"] == "on_cpu" and one["version"], one
assert all(op["ran_on"] == "cpu" and not op["failed"] and op["flops"] > 0 for op in one["operations"]), one
PY
}

@test "the distribution's PyTorch ran on the processor" { on_the_processor torch; }
