# An upgrade from begin to end. The driver is a fake whose version a test changes, the family a script that reports
# what it is told: no verdict here rests on how fast this machine is.
load common
load fake_upgrade
export WIDE=yes

@test "begin plans, records, measures and says what will be seen; end passes and closes" {
  one_gpu
  run -0 begin --to driver=580
  [[ $output == *"Upgrade the driver from 570.86.15 to 580."* ]]
  [[ $output == *"2 rounds, 1 metric."*"will be found with 90% probability"* ]]
  [[ $output == *"is open: make the change, then"* ]]
  state_is open
  folder=$(echo "$GPUGAUGE_STATE"/upgrades/*)
  gpu=$(basename "$folder"/old/*)
  "$PYTHON" "$GPUGAUGE_SOURCE/tests/validate_json.py" upgrade "$folder/upgrade.json"
  "$PYTHON" "$GPUGAUGE_SOURCE/tests/validate_json.py" inventory "$folder/inventory.json"
  "$PYTHON" "$GPUGAUGE_SOURCE/tests/validate_json.py" lock "$folder/stack.lock"
  [ "$(find "$folder/old/$gpu/runs" -name '*.json' | wc -l)" -eq 2 ]
  grep -q 'The way back from upgrade' "$folder/way-back.txt"
  run -0 gpugauge upgrade status
  [[ $output == *"old stack 2 of 2 rounds"*"planned, not changed"*"next: make the change"* ]]
  [[ $output != *"was planned and it is still"* ]]

  driver 580.65.06
  run -0 gpugauge upgrade status
  [[ $output == *"580.65.06"*"as planned"*"next: \`gpugauge upgrade end\`"* ]]
  run -0 end --report json=end.json --report junit=end.xml
  [[ $output == *"Changed: driver: 570.86.15 -> 580.65.06, as planned."* ]]
  [[ $output == *"Treatment stack.driver: "*"stack.driver.version (580.65.06 now, 570.86.15 then)."* ]]
  [[ $output == *"gpugauge baseline create $folder/new/$gpu/1/"*".json $folder/new/$gpu/1/"*".json"* ]]
  [[ $output == *"is closed: passed"* ]]
  "$PYTHON" "$GPUGAUGE_SOURCE/tests/validate_json.py" report end.json
  grep -q 'GPUGauge upgrade' end.xml
  "$PYTHON" "$GPUGAUGE_SOURCE/tests/validate_json.py" upgrade "$folder/upgrade.json"
  run -3 gpugauge upgrade status
  [[ $output == *passed* ]]
  run -2 end
  [[ $output == *"no upgrade is open; the last one"*"is passed since"* ]]
}

@test "nothing changed, the wrong thing changed, and more than was planned" {
  one_gpu
  begin --to driver=580 >/dev/null
  run -3 end
  [[ $output == *"cannot judge: nothing changed"* ]]
  NCCL_DEBUG=INFO run -3 end
  [[ $output == *"Settings that differ"*env.NCCL_DEBUG* ]]
  driver 575.57.08
  run -0 end
  [[ $output == *"driver: 580 was planned and it is 575.57.08 now (570.86.15 before)."*"stays open: not all that was planned is there"* ]]
  state_is open
  run -0 gpugauge upgrade close --reason "took 575 on purpose"
  run -3 gpugauge upgrade status
  [[ $output == *"closed"*"took 575 on purpose"* ]]
}

@test "a round that no baseline may hold is an error, and a later one takes its place" {
  one_gpu
  sed -i 's/"passed": true/"passed": false/' "$GPUGAUGE_LIBEXEC/now.json"
  run -2 begin
  [[ $output == *"cannot be part of a baseline"*"gpugauge upgrade begin --resume"* ]]
  latency 0.001
  run -0 gpugauge upgrade begin --resume --quiet
  state_is open
}

@test "one upgrade at a time; a plan that cannot work is refused before anything is measured; bad input is named" {
  one_gpu
  run -1 begin --to driver=470,cuda=13.0
  [[ $output == *"does not work"*"nothing was recorded or measured"* ]]
  [ ! -e "$GPUGAUGE_STATE/upgrades" ]
  run -2 begin --to driver
  [[ $output == *"--to: 'driver' has no '='"* ]]
  run -2 begin --to driver=580,gpu=h100
  [[ $output == *"--to: gpu is no layer"* ]]
  run -2 gpugauge upgrade begin --resume
  [[ $output == *"no upgrade was begun in $GPUGAUGE_STATE/upgrades"* ]]
  run -2 end
  [[ $output == *"no upgrade was begun in $GPUGAUGE_STATE/upgrades"* ]]
  run -3 gpugauge upgrade status
  run -3 --separate-stderr gpugauge upgrade status --json
  # shellcheck disable=SC2154  # bats sets it
  [[ $output == null && $stderr == *"no upgrade was begun in $GPUGAUGE_STATE/upgrades"* ]]
  begin >/dev/null
  run -2 begin
  [[ $output == *"is open since"*"upgrade close --reason"* ]]
  run -2 gpugauge upgrade begin --resume --to driver=580
  [[ $output == *"--resume keeps it"* ]]
  run -2 gpugauge upgrade begin --resume --device 0
  run -2 gpugauge upgrade begin --resume
  [[ $output == *"is measured: make the change"* ]]
  run -2 gpugauge upgrade close
  run -2 gpugauge upgrade close --reason ' '
  [[ $output == *"--reason is empty"* ]]
  sed -i 's/"open"/"ajar"/' "$GPUGAUGE_STATE"/upgrades/*/upgrade.json
  run -2 gpugauge upgrade status
  [[ $output == *"upgrade.json: state: should be"* ]]
}

@test "an interrupted begin goes on; not after the stack changed" {
  one_gpu
  : >"$GPUGAUGE_LIBEXEC/hang"
  gpugauge upgrade begin --device 0 --profile smoke --rounds 2 --quiet 2>log &
  command=$!
  wait_until test -e "$GPUGAUGE_LIBEXEC/hanging"
  kill -INT "$command"
  code=0
  wait "$command" || code=$?
  [ "$code" -eq 3 ]
  grep -q 'upgrade begin --resume' log
  state_is measuring
  rm "$GPUGAUGE_LIBEXEC/hang"
  run -2 end
  [[ $output == *"is not measured yet"* ]]
  run -0 gpugauge upgrade status
  [[ $output == *"old stack 0 of 2 rounds"*"begin --resume"* ]]
  driver 580.65.06
  run -2 gpugauge upgrade begin --resume --quiet
  [[ $output == *"the stack changed since"*"driver: 570.86.15 -> 580.65.06"* ]]
  driver 570.86.15
  run -0 gpugauge upgrade begin --resume --quiet
  state_is open
}

@test "a GPU that cannot be used after the change: no verdict, and the way back" {
  one_gpu
  begin --to driver=580 >/dev/null
  driver 580.65.06 init_result=803
  run -3 end --report json=end.json
  grep -qF "\"host\": \"$(cat /proc/sys/kernel/hostname)\"" end.json   # who has many nodes sees which it is
  [[ $output == *"The way back"*"Go back with the driver"*"cannot be used now"* ]]
  state_is open
}

@test "a driver on which this build could measure nothing is refused before anything is measured" {
  one_gpu
  [[ $(gpugauge --version) == *"needs NVIDIA driver 580"* ]] || skip "this build has another oldest driver, or no CUDA"
  run -1 begin --to driver=570
  [[ $output == *"needs driver 580.65.06 or newer: it could not measure the new stack"* ]]
  [ ! -e "$GPUGAUGE_STATE/upgrades" ] || [ -z "$(ls "$GPUGAUGE_STATE/upgrades")" ]
  begin --to driver=570 --anyway >/dev/null
}

@test "without a verdict the reports are there all the same; with one they tell the way back" {
  one_gpu
  begin --to driver=580 >/dev/null
  run -3 --separate-stderr end --json
  echo "$output" >report.json
  "$PYTHON" "$GPUGAUGE_SOURCE/tests/validate_json.py" report report.json
  grep -q 'nothing changed' report.json
  driver 580.65.06
  latency 0.0015
  run -1 end --report json=report.json --report junit=report.xml
  "$PYTHON" "$GPUGAUGE_SOURCE/tests/validate_json.py" report report.json
  # As above: a busy machine is said instead.
  grep -q '"cause": *"cpu_contention"' report.json || grep -q 'The way back: ' report.json
}

@test "a GPU that is not there any more is no typing error: no verdict, and what is there" {
  one_gpu
  sed -i 's/^devices=1$/devices=2/' scenario
  gpugauge upgrade begin --to driver=580 --device 1 --profile smoke --rounds 2 --quiet >/dev/null
  driver 580.65.06
  run -3 end
  [[ $output == *"cannot judge: the GPU that was measured before the change cannot be used now: GPU 1 "*" is not there; there is GPU 0 "* ]]
  state_is open
}

@test "the packages of this machine are named with the commands that hold and bring them back" {
  mkdir -p tree/var/lib/dpkg tree/etc
  printf 'ID=ubuntu\nVERSION_ID="24.04"\n' >tree/etc/os-release
  for package in nvidia-driver-570-open=570.86.15-0ubuntu1 libnccl2=2.25.1-1+cuda12.8; do
    printf 'Package: %s\nStatus: install ok installed\nVersion: %s\n\n' "${package%%=*}" "${package#*=}"
  done >tree/var/lib/dpkg/status
  run -0 gpugauge upgrade begin --device host --profile smoke --only 'host/clock_gettime*' --rounds 2 --quiet \
    --root tree --to nccl=2.27
  [[ $output == *"sudo apt-mark hold nvidia-driver-570-open"* && $output == *"apt-get download libnccl2=2.25.1-1+cuda12.8"* ]]
  grep -q 'sudo apt-get install --allow-downgrades --allow-change-held-packages libnccl2=2.25.1-1+cuda12.8' \
    "$GPUGAUGE_STATE"/upgrades/*/way-back.txt
  sed -i 's/2.25.1-1+cuda12.8/2.27.3-1+cuda12.9/' tree/var/lib/dpkg/status
  run gpugauge upgrade status
  [[ $output == *"nccl"*2.25.1*2.27.3*"as planned"* ]]
  run gpugauge upgrade status --root /nonexistent
  [ "$status" -eq 2 ]
}

@test "one command at a time changes an upgrade: what another has read is not saved over" {
  one_gpu
  begin --to driver=580 >/dev/null
  driver 580.65.06
  touch "$GPUGAUGE_LIBEXEC/hang"
  gpugauge upgrade end --quiet >end.txt 2>&1 3>&- &
  local ending=$!
  wait_until test -e "$GPUGAUGE_LIBEXEC/hanging"
  run -2 gpugauge upgrade close --reason "we gave up"
  [[ $output == *"is being changed by process "*"(gpugauge upgrade end, user "*"nothing was changed; wait for its end" ]]
  run -2 begin
  [[ $output == *"is being changed by process "* ]]
  kill -TERM "$ending"
  wait "$ending" || true
  [ ! -e "$GPUGAUGE_STATE/.upgrades.lock" ]
  state_is open
  run -0 gpugauge upgrade close --reason "we gave up"
  state_is closed
}

@test "measured again without a change: the old stack once more, no way back and no end" {
  one_gpu
  begin --to driver=580 >/dev/null
  run -3 end
  [[ $output == *"nothing changed"* ]]
  run -0 end --anyway
  [[ $output == *"stays open: nothing changed yet, and the old stack measured again agrees with itself; make the change"* ]]
  [[ $output != *"The new stack against both"* ]]
  state_is open
  gpugauge upgrade close --reason "once more" >/dev/null
  begin --to driver=580 >/dev/null
  latency 0.0015
  run -1 end --anyway
  [[ $output == *"Nothing changed in the stack, and the machine is not what it was when the upgrade began"* ]]
  [[ $output != *"way back"* && $output != *"new stack"* ]]
  state_is open
}

@test "what to type stands there before anything is measured" {
  one_gpu
  run -0 begin --to driver=580
  "$PYTHON" - "$output" <<'PY'
import sys
text = sys.argv[1]
assert -1 < text.index("Recorded packages") < text.index("What will be seen"), text
PY
  rm "$GPUGAUGE_LIBEXEC/now.json"
  gpugauge upgrade close --reason next >/dev/null
  run begin --to driver=580
  [ "$status" -ne 0 ]
  [[ $output == *"Recorded packages"* && $output != *"What will be seen"* ]]
  run -0 gpugauge upgrade status
  [[ $output == *"old stack 0 of 2 rounds"* ]]
}
