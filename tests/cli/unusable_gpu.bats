# A node whose GPU cannot be used: what a check says of why, for people and for programs. The driver is a fake.
load common
load fake_gpu

export WIDE=1

# broken [KEY=VALUE ...]: a driver that does not start.
broken() {
  one_gpu
  driver 570.86.15 "$@"
}

validate() {
  "$PYTHON" "$GPUGAUGE_SOURCE/tests/validate_json.py" "$1" "$2"
}

@test "the JSON report of a check without a usable GPU names the doctor's causes" {
  broken init_result=803
  run -3 gpugauge check --device 0 --profile smoke --quiet --report json=check.json
  [[ $output == *"CUDA cannot start: cuInit answers with code 803"* ]]
  [[ $output == *"\`gpugauge doctor\` names umd_kmd_mismatch and shows the evidence"* ]]
  # Told once: evidence and next steps stand in the paragraph.
  [ "$(grep -o "of different versions" <<<"$output" | wc -l)" = 1 ]
  validate report check.json
  run -0 jq -r '.findings[] | .cause, .severity, (.next | length > 0), (.evidence | join(" ") | contains("cuInit answers 803"))' check.json
  [ "$output" = $'umd_kmd_mismatch\nfailure\ntrue\ntrue' ]
  # What a device has of its own stays with the device.
  [ "$(jq '.devices | length' check.json)" = 0 ]
}

@test "every report of a check without a usable GPU names the doctor's causes, and no score" {
  broken init_result=803
  run -3 gpugauge check --device 0 --profile smoke --quiet --report junit=check.xml --report markdown=check.md \
    --report openmetrics=check.prom --report html=check.html --report github=-
  [[ $output == *"cause: umd_kmd_mismatch ("* ]]
  grep -F "umd_kmd_mismatch (by the doctor): " check.xml
  grep -F '**umd\_kmd\_mismatch**: ' check.md | grep -F "(by the doctor)"
  grep -F "next: " check.md
  grep -xF 'gpugauge_doctor_finding{report="check",cause="umd_kmd_mismatch"} 1' check.prom
  [ "$(grep -c "^gpugauge_finding_score_ratio{" check.prom)" = 0 ]
  grep -F '"findings":[{"cause":"umd_kmd_mismatch","title":' check.html
}

@test "the observation of a check without a usable GPU holds what was seen, and is diagnosed" {
  broken init_result=803
  run -3 gpugauge check --device 0 --profile smoke --quiet --observation seen.json
  [ -e seen.json ]
  validate observation-1 seen.json
  [ "$(jq -c '.errors[0] | [.api, .code]' seen.json)" = '["driver",803]' ]
  run -1 gpugauge diagnose seen.json
  [[ $output == *umd_kmd_mismatch* ]]
}

@test "a crash of the driver is its own cause, whatever else the doctor calls a failure" {
  broken crash=cuInit driver_version=12040
  run -3 gpugauge check --device 0 --profile smoke --quiet --report json=check.json
  [ "$(jq -r '.findings[].cause' check.json)" = driver_crashes ]
}

@test "a GPU that is held is no observation, and one sentence says that the file was not written" {
  one_gpu
  : >"$GPUGAUGE_LIBEXEC/hang"
  gpugauge run --device 0 --profile smoke --quiet --output held.json 3>&- &
  local holder=$!
  wait_until test -e "$GPUGAUGE_LIBEXEC/hanging"
  run -3 gpugauge check --device 0 --profile smoke --quiet --observation seen.json
  kill "$holder"
  wait "$holder" || true
  [[ $output == *"--observation: nothing was measured, so that seen.json was not written"* ]]
  [ ! -e seen.json ]
}

@test "a check that measures its GPU has no findings of a node that cannot be used" {
  one_gpu
  run gpugauge check --device 0 --profile smoke --quiet --no-probes --report json=check.json
  [[ $output != *"gpugauge doctor"* ]]
  [ "$(jq -c .findings check.json)" = '[]' ]
}
