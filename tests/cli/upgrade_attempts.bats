# What several `upgrade end` of one upgrade make of each other's rounds, and what a record that was begun elsewhere, in
# another shell or in another state does to them. The GPU is the fake one of upgrade.bats.
load common
load fake_upgrade
export WIDE=yes

# environment NAME: a virtual environment of a Python 3.11, active from now on.
environment() {
  mkdir -p "$1/bin" "$1/lib/python3.11/site-packages"
  printf 'home = /usr/bin\nversion = 3.11.9\n' >"$1/pyvenv.cfg"
  printf '#!/bin/sh\n' >"$1/bin/python3"
  chmod +x "$1/bin/python3"
  export VIRTUAL_ENV="$PWD/$1"
}
# wheel ENVIRONMENT NAME VERSION
wheel() {
  mkdir -p "$1/lib/python3.11/site-packages/$2-$3.dist-info" "$1/lib/python3.11/site-packages/$2"
  printf 'Metadata-Version: 2.1\nName: %s\nVersion: %s\n' "$2" "$3" >"$1/lib/python3.11/site-packages/$2-$3.dist-info/METADATA"
}

# failing: the family's results are wrong from now on; latency makes them right again.
failing() {
  sed -i 's/"passed": true/"passed": false/' "$GPUGAUGE_LIBEXEC/now.json"
}

@test "an environment that is active on one side only is no change of the stack" {
  one_gpu
  environment venv
  wheel venv torch 2.8.0
  begin --to driver=580 >/dev/null
  unset VIRTUAL_ENV
  run -3 end
  [[ $output == *"nothing changed"* && $output != *torch* ]]
  state_is open
  driver 580.65.06
  latency 0.0015
  run -1 end
  [[ $output != *"Nobody planned the change of"* ]]
  driver 570.86.15
  latency 0.001
  run -0 end
  [[ $output == *"is closed: the machine is as it was before it"* && $output != *"baseline create"* ]]
  state_is returned
}

@test "an environment that moved is a setting; one that is named at the end is read instead" {
  one_gpu
  environment venv
  wheel venv torch 2.8.0
  begin >/dev/null
  environment other
  wheel other torch 2.8.0
  run -3 end --python other
  [[ $output == *"python.prefix"*"nothing changed"* ]]
  rm -r other/lib
  environment other
  wheel other torch 2.9.0
  run -0 gpugauge upgrade status --python other
  [[ $output == *torch*2.8.0*2.9.0* ]]
  run -0 gpugauge upgrade status
  [[ $output != *2.9.0* ]]
}

@test "an interpreter that is gone is a change to be told, and no error" {
  one_gpu
  environment venv
  wheel venv torch 2.9.0
  begin --to driver=580 >/dev/null
  driver 580.65.06
  rm -r venv
  unset VIRTUAL_ENV
  run -0 gpugauge upgrade status
  [[ $output == *torch* && $output != *"--python"* ]]
  run end
  [ "$status" -ne 2 ]
}

@test "what was mended is measured again: a failure of the attempt before does not count" {
  one_gpu
  begin --to driver=580 >/dev/null
  driver 580.65.06
  failing
  run -1 end
  state_is open
  latency 0.001
  run -0 end
  [[ $output == *"Left out: 2 rounds of an earlier \`upgrade end\`"*"cannot be part of a baseline"* ]]
  state_is passed
}

@test "a setting that was put right is another state than the one measured before" {
  one_gpu
  printf '%s\n' power_limit_mw=700000 power_limit_default_mw=700000 >>scenario
  begin --to driver=580 >/dev/null
  driver 580.65.06 power_limit_mw=100000 power_limit_default_mw=700000
  latency 0.0015
  run -1 end
  driver 580.65.06 power_limit_mw=700000 power_limit_default_mw=700000
  latency 0.001
  run -0 end
  [[ $output == *"Left out: 2 rounds of an earlier \`upgrade end\`"*"power_limit"* ]]
  [[ $output == *"is closed: passed"* ]]
}

@test "the old stack measured again is judged by its last attempt, too" {
  one_gpu
  begin --to driver=580 >/dev/null
  driver 580.65.06
  latency 0.0015
  run -1 end
  driver 570.86.15
  failing
  run -1 end
  latency 0.001
  run -0 end
  [[ $output == *"(A/B/A): regressed"*"is closed: the machine is as it was before it"* ]]
}

@test "further rounds of an unchanged machine are added to those of before" {
  one_gpu
  begin --to driver=580 >/dev/null
  driver 575.57.08
  run -0 end
  run -0 end
  [[ $output == *"4 rounds of 1 boot after"* && $output != *"Left out"* ]]
}

@test "a clock that stepped back does not put earlier rounds in the place of the latest" {
  one_gpu
  begin --to driver=580 >/dev/null
  driver 575.57.08
  run -0 end
  state_is open
  mapfile -t earlier < <(find "$GPUGAUGE_STATE"/upgrades/*/new -name '*.json')
  edit_files 'it["started"] = "2097" + it["started"][4:]' "${earlier[@]}"
  driver 580.65.06
  latency 0.003
  run -1 end
  [[ $output == *"Left out: 2 rounds of another state of the stack; it was changed again since."* ]]
  state_is open
}

@test "the limit of a process is part of the upgrade; an end may have another" {
  one_gpu
  begin --process-limit 1 >/dev/null
  [ "$(recorded 'it["process_limit"]')" = 1.0 ]
  : >"$GPUGAUGE_LIBEXEC/hang"
  driver 580.65.06
  SECONDS=0
  run -1 end
  [ "$SECONDS" -lt 30 ]
  rm "$GPUGAUGE_LIBEXEC/hang"
  sed -i 's/^cp /sleep 2; cp /' "$GPUGAUGE_LIBEXEC/gpugauge-bench-probe"
  run -0 end --process-limit 20
  state_is passed
}

@test "gone back and not comparable is not said to be another machine" {
  one_gpu
  begin --to driver=580 >/dev/null
  driver 580.65.06
  latency 0.0015
  run -1 end
  driver 570.86.15
  latency 0.001
  printf '#!/bin/sh\nexit 9\n' >"$GPUGAUGE_LIBEXEC/gpugauge-bench-other"
  chmod +x "$GPUGAUGE_LIBEXEC/gpugauge-bench-other"
  run -3 end
  [[ $output == *"could not be told"* && $output != *"is not what it was"* ]]
  state_is open
}

@test "an upgrade is ended on the host on which it was begun" {
  one_gpu
  begin --to driver=580 >/dev/null
  record=$(echo "$GPUGAUGE_STATE"/upgrades/*/upgrade.json)
  [ "$(recorded 'it["host"]')" = "$(cat /proc/sys/kernel/hostname)" ]
  # A GPU is told by its UUID, where the name is a container's; a host is not.
  edit_files 'it["host"] = "node9"; it["machine"] = "0" * 16; it["devices"] = [{"selection": "host", "label": "host"}]' "$record"
  driver 580.65.06
  run -2 end
  [[ $output == *"was begun on the host node9, and this is "* ]]
  run -0 gpugauge upgrade status
  [[ $output == *"next: go on at node9"* ]]
  # Of a record without these words, whoever began it tells the host.
  edit_files 'del it["host"], it["machine"]; it["who"] = "root@node9"' "$record"
  "$PYTHON" "$GPUGAUGE_SOURCE/tests/validate_json.py" upgrade "$record"
  run -2 end
  [[ $output == *"was begun on the host node9, and this is "* ]]
  edit_files 'it["state"] = "measuring"' "$record"
  run -2 gpugauge upgrade begin --resume --quiet
  [[ $output == *"was begun on the host node9, and this is "* ]]
}

@test "the baseline that is advised after a pass holds what was judged, and can be typed" {
  one_gpu
  begin --to driver=580 >/dev/null
  driver 580.65.06
  failing
  run -1 end
  latency 0.001
  run -0 end
  line=$(grep -o 'gpugauge baseline create .*' <<<"$output")
  [ "$(wc -w <<<"$line")" -eq 5 ]
  eval "run -0 $line"
}

@test "a family that cannot be measured is refused before anything is recorded" {
  one_gpu
  printf '#!/bin/sh\nexit 9\n' >"$GPUGAUGE_LIBEXEC/gpugauge-bench-other"
  chmod +x "$GPUGAUGE_LIBEXEC/gpugauge-bench-other"
  run -2 begin
  [[ $output == *"cannot be measured"*"--family"* ]]
  run -0 begin --family probe
}

@test "status names a next step that can be taken" {
  one_gpu
  begin --to driver=580 >/dev/null
  run -3 end
  run -0 gpugauge upgrade status
  [[ $output == *"next: make the change, then \`gpugauge upgrade end\`"* ]]
  record=$(echo "$GPUGAUGE_STATE"/upgrades/*/upgrade.json)
  edit_files 'it["state"] = "measuring"' "$record"
  driver 580.65.06
  run -0 gpugauge upgrade status
  [[ $output == *"next: "*"go back"*"check --treatment"* && $output != *"--resume\` measures"* ]]
  run -2 gpugauge upgrade begin --resume --quiet
  [[ $output == *"go back"*"check --treatment"* && $output != *"begin anew"* ]]
}

@test "status: something else than planned changed" {
  one_gpu
  environment venv
  wheel venv torch 2.8.0
  begin --to driver=580 >/dev/null
  rm -r venv/lib
  environment venv
  wheel venv torch 2.9.0
  run -0 gpugauge upgrade status
  [[ $output == *"next: make the planned change (driver)"*"--anyway"* ]]
  run -3 end
  [[ $output == *"the planned change did not take place: driver"* ]]
}

@test "rounds of the old stack that are not of one kind are said, and not measured to no end" {
  one_gpu
  begin --to driver=580 >/dev/null
  folder=$(echo "$GPUGAUGE_STATE"/upgrades/*)
  gpu=$(basename "$folder"/old/*)
  mkdir -p "$folder/measuring/$gpu"
  cp "$folder"/old/"$gpu"/runs/*.json "$folder/measuring/$gpu"
  rm -r "$folder/old"
  edit_files 'it["state"] = "measuring"' "$folder/upgrade.json"
  set -- "$folder/measuring/$gpu"/*.json
  edit_files 'it["fingerprint"]["stack"]["kernel.version"] = "1.2.3"' "$1"
  run -2 gpugauge upgrade begin --resume --quiet
  [[ $output == *"stack.kernel.version"*"upgrade close"* ]]
  run -0 gpugauge upgrade status
  [[ $output == *"next: "*"stack.kernel.version"*"upgrade close"* && $output != *"begin --resume"* ]]
}

@test "a report that could not be written, or a table that nobody saw, leaves the upgrade open" {
  one_gpu
  begin --to driver=580 >/dev/null
  driver 580.65.06
  run -2 end --report junit=made --report html=made/page.html
  [[ $output == *"without that it would have ended with 0"* && $output != *"is closed: passed"* ]]
  [[ $output == *"stays open"* ]]
  state_is open
  run -2 bash -c 'gpugauge upgrade end --quiet >/dev/full'
  state_is open
  run -0 end --report html=page.html
  state_is passed
}

@test "a folder of upgrades that cannot be read is no empty one" {
  mkdir -p "$GPUGAUGE_STATE"
  : >"$GPUGAUGE_STATE/upgrades"
  run -2 gpugauge upgrade status
  [[ $output == *"$GPUGAUGE_STATE/upgrades"*"could not be read"* && $output != *"no upgrade was begun"* ]]
}

@test "an interrupted end goes on with the devices that are not whole" {
  one_gpu
  sed -i 's/^devices=1$/devices=2/' scenario
  gpugauge upgrade begin --to driver=580 --device 0,1 --profile smoke --rounds 2 --quiet >/dev/null
  driver 580.65.06
  sed -i 's/^devices=1$/devices=2/' scenario
  folder=$(echo "$GPUGAUGE_STATE"/upgrades/*)
  # The third round of all is the second device's first.
  cat >>"$GPUGAUGE_LIBEXEC/gpugauge-bench-probe" <<'SH'
[ ! -e "$here/count" ] || { echo x >>"$here/count"; [ "$(wc -l <"$here/count")" -ne 3 ] || { : >"$here/hanging"; sleep 60; }; }
SH
  : >"$GPUGAUGE_LIBEXEC/count"
  gpugauge upgrade end --quiet >end.txt 2>&1 3>&- &
  command=$!
  wait_until test -e "$GPUGAUGE_LIBEXEC/hanging"
  kill -INT "$command"
  wait "$command" || true
  grep -q 'goes on' end.txt
  rm "$GPUGAUGE_LIBEXEC/count"
  before=$(grep -lr '"complete": true' "$folder/new" | wc -l)
  [ "$before" -ge 2 ]
  run -0 end
  [ "$(grep -lr '"complete": true' "$folder/new" | wc -l)" -eq 4 ]
  state_is passed
}

@test "a GPU that is lost while another is measured keeps an upgrade from passing" {
  one_gpu
  driver 570.86.15
  sed -i 's/^devices=1/devices=2/' scenario
  run --separate-stderr gpugauge upgrade begin --device all --profile smoke --rounds 2 --quiet
  [ "$status" -eq 0 ]
  driver 580.65.06
  sed -i 's/^devices=1/devices=2/' scenario
  probe_family <<'SH'
case $CUDA_VISIBLE_DEVICES in *01) sleep 1; echo gpu.0.lost=1 >>"$GPUGAUGE_FAKE_SCENARIO"; sleep 1.5 ;; esac
cp "$here/now.json" "$samples"
SH
  latency 0.001
  run --separate-stderr end
  [ "$status" -eq 1 ]
  [[ "$output" == *" was lost while GPU 1 "* && "$output" != *"closed: passed"* ]]
  state_is open
  # The card is back.
  driver 580.65.06
  sed -i 's/^devices=1/devices=2/' scenario
  probe_family <<'SH'
cp "$here/now.json" "$samples"
SH
  run --separate-stderr end
  [ "$status" -eq 0 ]
  [[ "$output" != *" was lost while GPU 1 "* ]]
  state_is passed
}
