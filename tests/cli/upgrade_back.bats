# Going back from a new stack: whether it was the cause (A/B/A). The GPU is the fake one of upgrade.bats.
load common
load fake_upgrade
export WIDE=yes

@test "a regression is found, going back is advised, and the old stack measured again closes it (A/B/A)" {
  one_gpu
  begin --to driver=580 >/dev/null
  driver 580.65.06
  latency 0.0015
  echo '{"schema": "gpugauge.policy/1", "metrics": [{"metric": "probe/op:latncy", "advisory": true}]}' >policy.json
  run -2 end --policy policy.json
  [[ $output == *"'probe/op:latncy' matches no metric"* ]]
  state_is open
  run -1 end
  [[ $output == *regressed*probe/op:latency* ]]
  [[ $output == *"boot it and run \`gpugauge upgrade end\` once more (A/B/A)"* && $output != *"--before"* ]]
  # A machine that is busy meanwhile is a cause of its own, which is said instead of the advice to go back.
  busy=no
  [[ $output != *"cpu_contention"*confident* ]] || busy=yes
  if [ "$busy" = no ]; then
    [[ $output == *"1 verdict against the new stack, and nothing else was found that explains it: go back"* ]]
    [[ $output == *"The way back"*"Go back with the driver from 580.65.06 to 570.86.15."* ]]
  fi
  [[ $output == *"stays open"* ]]
  state_is open
  driver 570.86.15
  latency 0.001
  run -0 end --report json=back.json --report markdown=back.md --report junit=back.xml
  [[ $output == *"The new stack against both measurements of the old one (A/B/A): regressed"* ]]
  [[ $output == *"Going back recovers: of 1 verdict against the new stack 1 is gone"* ]]
  [[ $output == *"Of the change that was taken back (A/B/A)"*driver_regression*"same_binary_old_driver (driver=570.86.15) recovers"* ]]
  "$PYTHON" "$GPUGAUGE_SOURCE/tests/validate_json.py" report back.json
  "$PYTHON" - <<'PY'
import json
told = json.load(open("back.json"))["devices"][0]["going_back"]
assert told["outcome"] == "recovers" and "driver_regression" in [one["cause"] for one in told["findings"]], told
PY
  [[ $output != *"Of the change"*cpu_contention*confident* ]] || busy=yes
  if [ "$busy" = no ]; then
    grep -q 'driver\\_regression\*\*: .*confident' back.md
    grep -q 'driver_regression (0.8' back.xml
  fi
  grep -q 'driver_regression (0' back.xml
  [[ $output == *"As before: driver: it is 570.86.15, and 580 was planned."* && $output != *"Not changed"* ]]
  [[ $output != *"can be booted again"* ]]
  [[ $output == *"is closed: the machine is as it was before it"* ]]
  [[ $(recorded '[one["cause"] for one in it["attempts"][1]["findings"]]') == *driver_regression* ]]
  gpugauge upgrade status --json >record.json || [ $? -eq 3 ]
  "$PYTHON" "$GPUGAUGE_SOURCE/tests/validate_json.py" upgrade record.json
  run -3 gpugauge upgrade status
  [[ $output == *"going back told: "*"driver_regression (0."* ]]
  [ "$(gpugauge upgrade status --json | "$PYTHON" -c 'import json, sys; print([a["exit_code"] for a in json.load(sys.stdin)["attempts"]])')" = "[1, 0]" ]
  [ "$busy" = no ] || skip "other work kept the processors busy: the advice to go back was not given, and not looked at"
}

@test "what is as slow after going back was not the change" {
  one_gpu
  begin >/dev/null
  driver 580.65.06
  latency 0.0015
  run -1 end
  driver 570.86.15
  run -1 end
  [[ $output == *"The stack is the old one again, and the machine is not what it was"* ]]
  [[ $output == *"Going back changes nothing: of 1 verdict"*false_attribution*"changes nothing"* ]]
  [[ $(recorded '[one["cause"] for one in it["attempts"][1]["findings"]]') == *false_attribution* ]]
  # What going back told is nothing to mend, and takes no round away.
  run -1 end
  [[ ! $output =~ named\ what\ to\ mend:\ [a-z_,\ ]*false_attribution ]]
  state_is open
}
