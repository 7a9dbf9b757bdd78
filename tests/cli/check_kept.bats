# What a check has shown stays shown, whatever goes wrong afterwards. The driver is a fake, the family a script.
# shellcheck disable=SC2030,SC2031  # each test has a driver of its own
load common
load fake_gpu
export WIDE=yes

check() {
  gpugauge check --profile smoke --quiet "$@"
}
# expects GPUS: a policy that wants so many.
expects() {
  echo "{\"schema\": \"gpugauge.policy/1\", \"expect\": {\"gpus\": $1}}" >policy.json
}
# In the background a check that hangs, until it is ended.
hang() {
  : >"$GPUGAUGE_LIBEXEC/hang"
  gpugauge check --profile smoke --quiet >/dev/null 2>&1 &
  hanging=$!
  wait_until test -e "$GPUGAUGE_LIBEXEC/hanging"
}
end_it() {
  kill -INT "$hanging"
  wait "$hanging" || true
  rm "$GPUGAUGE_LIBEXEC"/hang*
}

@test "a check that did not look at the whole node leaves what is known against it" {
  one_gpu
  expects 2
  run -1 check --policy policy.json
  [[ $output == *"the policy expects 2 GPUs and 1 is usable"* ]]
  cp "$GPUGAUGE_STATE/verdicts/node.json" failed.json
  check --only probe >/dev/null || true # narrowed
  cmp failed.json "$GPUGAUGE_STATE/verdicts/node.json"
  hang
  run -3 check # the GPU is busy
  [[ $output == *"cannot judge: "*"nothing was measured"* ]]
  cmp failed.json "$GPUGAUGE_STATE/verdicts/node.json"
  end_it # interrupted
  cmp failed.json "$GPUGAUGE_STATE/verdicts/node.json"
  check >/dev/null || true # whole
  grep -q 'pass: a GPU is usable' "$GPUGAUGE_STATE/verdicts/node.json"
  cp "$GPUGAUGE_STATE/verdicts/node.json" passed.json
  expects 3
  run -1 check --only probe --policy policy.json
  run ! cmp passed.json "$GPUGAUGE_STATE/verdicts/node.json"
}

@test "a check without a usable GPU leaves a failure of the node, also one narrowed to a GPU" {
  if has_gpu; then skip "this machine has a usable GPU"; fi
  mkdir -p "$GPUGAUGE_STATE/verdicts"
  gpugauge check --quiet >/dev/null || [ $? -eq 3 ] # makes the node's file
  "$PYTHON" - "$GPUGAUGE_STATE/verdicts/node.json" <<'PY'
import json, sys
verdict = json.load(open(sys.argv[1]))
verdict["outcome"].update(exit_code=1, word="failed", sentence="failed: the policy expects 2 GPUs and 1 is usable")
json.dump(verdict, open(sys.argv[1], "w"))
PY
  cp "$GPUGAUGE_STATE/verdicts/node.json" failed.json
  run -3 check --device 0 --only hbm
  cmp failed.json "$GPUGAUGE_STATE/verdicts/node.json"
  run -3 check
  cmp failed.json "$GPUGAUGE_STATE/verdicts/node.json"
}

@test "a node that has not what the policy expects fails also while its GPU is busy" {
  one_gpu
  expects 2
  hang
  run -1 check --policy policy.json --report junit=check.xml
  [[ $output == *"failed: the policy expects 2 GPUs and 1 is usable; "*" is being measured by process "*"; --wait SECONDS waits for it"* ]]
  expects 1
  run -3 check --policy policy.json --report junit=check.xml
  end_it
  grep -q '<error' check.xml
  expects 2
  rm -rf "$GPUGAUGE_STATE/runs" && : >"$GPUGAUGE_STATE/runs" # nor is there a place for what it would measure
  run -1 check --policy policy.json
  [[ $output == *"the policy expects 2 GPUs and 1 is usable"*"runs cannot be kept in "*"what was found stands"* ]]
}

@test "a device that cannot be measured costs no verdict of the one before it" {
  [ -e "$GPUGAUGE_BUILD/tests/fakes/driver/libcuda.so.1" ] || skip "the fake driver is not built"
  echo devices=2 >scenario
  export GPUGAUGE_FAKE_SCENARIO="$PWD/scenario" LD_LIBRARY_PATH="$GPUGAUGE_BUILD/tests/fakes/driver"
  probe_family <<'SH'
rm -rf "$GPUGAUGE_STATE/runs"
: >"$GPUGAUGE_STATE/runs"
cp "$here/now.json" "$samples"
SH
  latency 0.001
  run -2 check --device 0,1
  [[ $output == *"cannot judge: nothing to judge the measurement by"*"GPU 1 "*": runs cannot be kept in "*"without these 2 problems it would have ended with 3"* ]]
  [ "$(find "$GPUGAUGE_STATE/verdicts" -name 'GPU-*.json' | wc -l)" -eq 1 ]
  rm "$GPUGAUGE_STATE/runs"
  sed -i 's/"passed": true/"passed": false/' "$GPUGAUGE_LIBEXEC/now.json"
  run -1 check --device 0,1
  [[ $output == *"what was found stands"* ]]
}

@test "each verdict that cannot be kept is told with its device" {
  [ -e "$GPUGAUGE_BUILD/tests/fakes/driver/libcuda.so.1" ] || skip "the fake driver is not built"
  echo devices=2 >scenario
  export GPUGAUGE_FAKE_SCENARIO="$PWD/scenario" LD_LIBRARY_PATH="$GPUGAUGE_BUILD/tests/fakes/driver"
  probe_family <<'SH'
cp "$here/now.json" "$samples"
SH
  latency 0.001
  run -3 check --device 0,1
  for verdict in "$GPUGAUGE_STATE"/verdicts/*.json; do rm "$verdict" && mkdir "$verdict"; done
  run -2 check --device 0,1
  [[ $output == *"GPU 0 "*": the verdict could not be kept for "*"GPU 1 "*": the verdict could not be kept for "* ]]
  [[ $output == *": Node: the verdict could not be kept for "* ]]
  [[ $output == *"without these 3 problems it would have ended with 3"* ]]
}
