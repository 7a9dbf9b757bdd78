# What nights say together that each alone lets pass. The driver is a fake, the family a script.
load common
load fake_gpu
export WIDE=yes

# A baseline of ten rounds of 1 ms, each of a boot of its own.
mature_baseline() {
  for round in 1 2 3 4 5 6 7 8 9 10; do
    latency "0.00100$((round % 3))"
    gpugauge run --device 0 --profile smoke --quiet --output "round-$round.json" >/dev/null
    edit_files "it['boot_id'] = 'boot-$round'" "round-$round.json"
  done
  gpugauge baseline create --name mine round-*.json >/dev/null
}

nightly=(gpugauge check --device 0 --profile smoke --quiet)

# The last night was a day ago, and the one before it a day earlier.
a_day_passes() {
  edit_files "
import datetime
earlier = lambda text: (datetime.datetime.fromisoformat(text.replace('Z', '+00:00')) - datetime.timedelta(days=1)).strftime('%Y-%m-%dT%H:%M:%SZ')
for one in it['sums'].values(): one['last'], one['since'] = earlier(one['last']), one['since'] and earlier(one['since'])" "$GPUGAUGE_STATE"/monitor/*.json
}

@test "a drop within the tolerance that stays is told after some nights, measured once more, and decides nothing" {
  one_gpu
  mature_baseline
  latency 0.001041 # of 5%
  nights=0
  until [[ ${output:-} == *"The monitor alarms"* ]]; do
    [ "$nights" -lt 6 ]
    nights=$((nights + 1))
    run -0 "${nightly[@]}" --report github=night.txt --report json=night.json --report openmetrics=night.prom
    [[ $output == *"pass: "* ]]
    "$PYTHON" "$GPUGAUGE_SOURCE/tests/validate_json.py" report night.json
    "$PYTHON" "$GPUGAUGE_SOURCE/tests/validate_json.py" monitor "$GPUGAUGE_STATE"/monitor/*.json
    a_day_passes
  done
  [ "$nights" -gt 1 ]
  [[ $output == *"worse than the baseline from check to check, by what one check lets pass: probe/op:latency by 4.0% in $nights checks since "*" (4.0% when measured again). This decides nothing"* ]]
  grep -q '^::warning title=declining%3A monitor%3A probe/op%3Alatency::worse than the baseline from check to check, by 4.0%' night.txt
  grep -q 'metric="monitor: probe/op:latency",class="launch",verdict="declining"} 1' night.prom
  latency 0.001
  run -0 "${nightly[@]}"
  [[ $output != *"The monitor alarms"* ]]
}

@test "within twelve hours a second check is no night, and sums that cannot be read are begun anew" {
  one_gpu
  mature_baseline
  latency 0.001041
  "${nightly[@]}" >/dev/null
  cp "$GPUGAUGE_STATE"/monitor/*.json before.json
  "${nightly[@]}" >/dev/null
  cmp before.json "$GPUGAUGE_STATE"/monitor/*.json
  for file in "$GPUGAUGE_STATE"/monitor/*.json; do echo '{"schema": "gpugauge.monitor/2"}' >"$file"; done
  run -0 "${nightly[@]}"
  [[ $output == *"What the monitor had kept cannot be read, and it begins anew: "* ]]
  "$PYTHON" "$GPUGAUGE_SOURCE/tests/validate_json.py" monitor "$GPUGAUGE_STATE"/monitor/*.json
}

@test "what the monitor keeps is reached through no link" {
  one_gpu
  mature_baseline
  mkdir -p victim && rm -rf "$GPUGAUGE_STATE/monitor" && ln -s "$PWD/victim" "$GPUGAUGE_STATE/monitor"
  run -2 "${nightly[@]}"
  [[ $output == *"monitor is a link"* ]]
  [ -z "$(ls victim)" ]
}
