# What a new stack took back beside its versions: the two inventories of an upgrade reach its diagnosis. The GPU is the
# fake one of upgrade.bats, the machine a tree.
load common
load fake_upgrade
export WIDE=yes

# machine VERSION MODULE ...: what the tree says of the driver and of the modules that are loaded.
machine() {
  mkdir -p tree/proc/driver/nvidia tree/etc
  printf 'ID=ubuntu\nVERSION_ID="24.04"\n' >tree/etc/os-release
  printf 'NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  %s  Release Build\n' "$1" >tree/proc/driver/nvidia/version
  rm -rf tree/sys/module
  for module in nvidia "${@:2}"; do mkdir -p "tree/sys/module/$module"; done
}

causes() {
  "$PYTHON" - "$1" <<'PY'
import json, sys
print({one["cause"]: " ".join(one["evidence"]) for one in json.load(open(sys.argv[1]))["devices"][0]["findings"]})
PY
}

@test "a module that did not come back with the driver is a cause, and is remembered after going back" {
  one_gpu
  machine 570.86.15 nvidia_uvm nvidia_peermem
  begin --root tree >/dev/null
  driver 580.65.06
  machine 580.65.06 nvidia_uvm
  latency 0.0015
  run -1 end --report json=end.json
  [[ $output == *"Settings that differ"*driver.peermem* ]]
  [[ $(causes end.json) == *settings_lost_on_reboot*"peermem.module changed from nvidia_peermem to ?"* ]]
  folder=$(echo "$GPUGAUGE_STATE"/upgrades/*)
  "$PYTHON" "$GPUGAUGE_SOURCE/tests/validate_json.py" inventory "$folder/stacks/1.json"
  driver 570.86.15
  machine 570.86.15 nvidia_uvm nvidia_peermem
  latency 0.001
  run -0 end --report json=back.json
  "$PYTHON" - <<'PY'
import json
told = json.load(open("back.json"))["devices"][0]["going_back"]
assert "peermem.module" in json.dumps(told), told
PY
  # A record of an earlier version has no stack of its attempts.
  rm -r "$folder/stacks"
  sed -i 's/"state": "returned"/"state": "open"/' "$folder/upgrade.json"
  run -0 end
  [[ $output == *"Going back recovers"* ]]
}

# libraries VERSION: the driver's libraries in the tree.
libraries() {
  rm -rf tree/usr/lib && mkdir -p tree/usr/lib/x86_64-linux-gnu
  for library in libcuda libnvidia-ml; do
    cp "$GPUGAUGE_BUILD/tests/fakes/driver/$library.so.1" "tree/usr/lib/x86_64-linux-gnu/$library.so.$1"
    ln -s "$library.so.$1" "tree/usr/lib/x86_64-linux-gnu/$library.so.1"
  done
}

@test "a driver whose libraries are new and whose module is the old one is not judged, with and without a plan" {
  for plan in "" driver=580; do
    rm -rf "$GPUGAUGE_STATE"
    one_gpu
    machine 570.86.15 nvidia_uvm
    libraries 570.86.15
    begin --root tree ${plan:+--to "$plan"} >/dev/null
    libraries 580.65.06
    for anyway in "" --anyway; do
      run -3 end $anyway
      [[ ${lines[-1]} == "cannot judge: the kernel module that is loaded is still 570.86.15, while the driver's libraries are 580.65.06: restart the machine"* ]]
      [[ $output != *"something else changed"* ]]
    done
    machine 580.65.06 nvidia_uvm
    driver 580.65.06
    run -0 end
  done
}
