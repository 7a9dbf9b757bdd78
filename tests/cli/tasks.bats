# The pages of docs/tasks: each command as it is written, on a GPU that is none (fake_gpu.bash).
load common
load pages
load fake_gpu
export WIDE=yes

# run_page PAGE HEADING: the commands below a heading; the place where a runner keeps its state becomes this test's, and sudo
# does what it is told as this user.
run_page() {
  mkdir -p sudo
  printf '#!/bin/sh\nexec "$@"\n' >sudo/sudo
  chmod +x sudo/sudo
  local PATH="$PWD/sudo:$PATH" USER
  USER=$(id -un)
  page_commands "$GPUGAUGE_SOURCE/docs/tasks/$1" "$2" >commands
  sed -i "s|/var/lib/gpugauge|$GPUGAUGE_STATE|g" commands
  page_run <commands
}

@test "after a driver upgrade: before, after, back again, many nodes, and without a begin" {
  one_gpu
  # What "Without a begin" needs: a baseline and runs of the old stack.
  gpugauge baseline create -n 5 --device 0 --profile standard --quiet >/dev/null
  for i in 1 2; do gpugauge run --device 0 --quiet --output "old/$i.json" >/dev/null; done
  mkdir nodes
  gpugauge doctor --json >nodes/a.json || [ $? -eq 1 ]

  run -0 run_page driver-upgrade.md Before
  [[ $output == *"sudo install"*"[0]"*"gpugauge upgrade begin --to driver=580"*"What will be seen"*"is open: make the change"*"[0]" ]]
  # Before the change: no verdict, and reports that say so.
  run -0 run_page driver-upgrade.md After
  [[ $output == *"cannot judge: nothing changed"*"[3]" ]]
  grep -q 'nothing changed' upgrade.json
  grep -q 'nothing changed' upgrade.html
  rm upgrade.json upgrade.html
  driver 580.65.06
  run -0 run_page driver-upgrade.md After
  [[ $output == *"as planned"*"is closed: passed"*"[0]" ]]
  "$PYTHON" "$GPUGAUGE_SOURCE/tests/validate_json.py" report upgrade.json
  grep -q '<html' upgrade.html

  begin=$(page_commands "$GPUGAUGE_SOURCE/docs/tasks/driver-upgrade.md" Before | grep 'upgrade begin')
  bash -c "$begin --quiet" >/dev/null
  run -0 run_page driver-upgrade.md "Went back?"
  [[ $output == *"is closed; what was measured stays in"*"[0]" ]]

  run -0 run_page driver-upgrade.md "Many nodes"
  [[ $output == *"Side by side meanwhile"*"of 1 node can take it"* ]]

  for i in 1 2; do gpugauge run --device 0 --quiet --output "new/$i.json" >/dev/null; done
  run -0 run_page driver-upgrade.md "Without a begin"
  [ "$(grep -c '^\[0\]$' <<<"$output")" -eq 2 ]
  [[ $output == *"Treatment driver: "*"580.65.06 now, 570.86.15 then"* ]]
}

@test "nightly: the baseline once, then the command of every night with its reports" {
  one_gpu
  run -0 run_page nightly-ci.md Once
  [[ $output == *"sudo install"*"[0]"*"gpugauge baseline create --device 0 --profile standard"*"rounds, profile standard"*"[0]" ]]
  export GITHUB_STEP_SUMMARY="$PWD/summary.md"
  run -0 run_page nightly-ci.md "Every night"
  [[ $output == *"[0]" ]]
  [ -s summary.md ] && [ -s reports/junit.xml ] && [ -s reports/report.html ]
  "$PYTHON" "$GPUGAUGE_SOURCE/tests/validate_json.py" report reports/report.json
}
