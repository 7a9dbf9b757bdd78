# gpugauge doctor --plan by its policy and its order; the JSON of every question against its schema.
load common
load doctor

# So that no line break stands within a sentence that a test looks for.
in_one_line() { export COLUMNS=1000; }

# The causes that a plan's findings name. Branches end with the calendar, so what a date decides is not asked for.
causes() {
  gpugauge doctor "$@" --json >plan.json || [ $? -le 3 ]
  "$PYTHON" -c 'import json; print(*[finding["cause"] for finding in json.load(open("plan.json"))["findings"]])'
}

@test "--plan --policy production says what a branch is and what is not pinned; development does not" {
  [[ "$(causes --plan cuda=13.0.2,driver=590.48.01 --gpu h100)" != *driver_not_long_term* ]]
  [[ "$(causes --plan cuda=13.0.2,driver=590.48.01 --gpu h100 --policy production)" == *driver_not_long_term* ]]
  [[ "$(causes --plan cuda=13.0,driver=580 --gpu h100)" != *plan_not_pinned* ]]
  [[ "$(causes --plan cuda=13.0,driver=580 --gpu h100 --policy production)" == *plan_not_pinned* ]]
  [[ "$(causes --plan cuda=13.0.2,driver=580.65.06 --gpu h100 --policy production)" != *not_* ]]
  run -0 gpugauge doctor --plan cuda=13.0,driver=580 --gpu h100 --policy production
  [[ $output == *"names lines of releases"*"cuda=13.0"*"driver=580"*"This combination works"* ]]
}

@test "--plan never asks for, nor advises, a branch that has ended without saying so" {
  in_one_line
  run -0 gpugauge doctor --plan cuda=12.4,driver=550.54.14 --gpu h100
  [[ $output == *"Driver branch 550 gets no more fixes"* ]]
  # CUDA 12.9 came with R575, which has ended: the branch to take is another one.
  run -0 gpugauge doctor --plan cuda=12.9 --gpu h100 --driver 570.124.06
  [[ $output == *"Install driver 575"*"Branch 575 has ended"* || $output == *"The tables know no branch that reaches it"* ]]
}

@test "--plan holds a vGPU guest against its host" {
  run -1 gpugauge doctor --plan driver=525.60.13,vgpu_host=580 --gpu a40
  [[ $output == *"vGPU release 15"*"R525"* ]]
  run -0 gpugauge doctor --plan driver=580.65.06,vgpu_host=19 --gpu a40
}

@test "--plan judges a driver by the board, and says which kernel modules it takes" {
  in_one_line
  run -1 gpugauge doctor --plan driver=570.26 --gpu b200
  [[ $output == *"NVIDIA requires driver 570.133.20 or newer"* ]]
  run -3 gpugauge doctor --plan driver=520.61.05 --gpu l40s
  [[ $output == *"Driver 535.104.05 is the next one"* ]]
  run -0 gpugauge doctor --plan driver=580.95.05 --gpu l40s
  run -0 gpugauge doctor --plan driver=580.95.05 --gpu b200
  [[ $output == *"open kernel modules only"* ]]
}

@test "--plan and upgrade plan leave a vGPU's driver to its release, in a guest and on a host" {
  in_one_line
  made() { # ROLE: an inventory of a machine with that role
    "$PYTHON" - "$1" <<'PY'
import json, sys
items = {"driver.version": "570.86.15", "gpu.0.name": "NVIDIA A40", "gpu.0.compute_capability": "8.6", "vgpu." + sys.argv[1]: "yes"}
print(json.dumps({"schema": "gpugauge.doctor/1", "inventory": {"schema": "gpugauge.inventory/1", "items": [
    {"key": key, "answer": "present", "value": value, "source": "test", "how": ""} for key, value in sorted(items.items())]}}))
PY
  }
  for role in guest host; do
    made $role >$role.json
    run -3 gpugauge doctor --inventory $role.json --plan driver=595.91.07
    [[ $output == *"vgpu_host="* && $output != *"This combination works"* ]]
  done
  run gpugauge upgrade plan --to driver=595.91.07 guest.json host.json
  [[ $output != *"canary"*"guest"* && $output != *"canary"*"host"* && $output == *"cannot be told"*"vgpu_host="* ]]
}

@test "--plan and upgrade plan: an older driver fails under a framework that needs the newer one" {
  in_one_line
  "$PYTHON" - <<'PY'
import json
items = {"driver.version": "580.65.06", "gpu.0.name": "NVIDIA H100 80GB HBM3", "gpu.0.compute_capability": "9.0",
         "framework.torch.version": "2.9.0+cu130", "framework.torch.build": "cuda", "framework.torch.cuda": "13.0"}
print(json.dumps({"schema": "gpugauge.doctor/1", "inventory": {"schema": "gpugauge.inventory/1", "items": [
    {"key": key, "answer": "present", "value": value, "source": "test", "how": ""} for key, value in sorted(items.items())]}}),
    file=open("n.json", "w"))
PY
  run -1 gpugauge doctor --inventory n.json --plan driver=570
  [[ $output == *"PyTorch 2.9.0+cu130 that is there (CUDA 13.0)"*"This combination does not work"* ]]
  run -0 gpugauge doctor --inventory n.json --plan driver=570,torch=2.8
  run -0 gpugauge doctor --inventory n.json --plan driver=595
  run -1 gpugauge upgrade plan n.json --to driver=570
  [[ $output == *"cannot take it (1)  n"*"PyTorch 2.9.0+cu130"* && "${lines[-1]}" == "0 of 1 node can take it"* ]]
}

@test "--plan for another machine mentions nothing of this one in its order" {
  mkdir -p here/usr/local/cuda-12.4/include here/proc/driver/nvidia
  echo '{"cuda": {"name": "CUDA SDK", "version": "12.4.1"}}' >here/usr/local/cuda-12.4/version.json
  ln -s cuda-12.4 here/usr/local/cuda
  run -0 gpugauge doctor --root here --plan cuda=12.8,driver=570 --gpu h100
  [[ $output == *"Install the CUDA toolkit 12.8."* ]]
  [[ $output != *12.4* ]]
  # What --driver names is there already.
  run -0 gpugauge doctor --plan cuda=12.8 --gpu h100 --driver 570.124.06
  [[ $output != *"the driver"*"restart"* ]]
}

@test "the JSON of --plan, --image-env and --binary is as their schemas say" {
  make_tree
  gpugauge doctor --plan cuda=12.9,cudnn=9.10,torch=2.8 --gpu h100 --driver 535 --policy production --json >plan.json || [ $? -le 3 ]
  valid plan plan.json
  gpugauge doctor --plan cuda=12.8,torch=2.8,driver=570 --gpu h100 --json >plan.json
  valid plan plan.json
  printf 'image=nvidia/cuda:latest\nCUDA_VERSION=12.8.1\nNVIDIA_REQUIRE_CUDA=cuda>=12.8\nNVIDIA_DRIVER_CAPABILITIES=utility\n' >image.env
  gpugauge doctor --root tree --image-env image.env --json >image.json || [ $? -le 3 ]
  valid image image.json
  gpugauge doctor --binary "$(command -v gpugauge)" --gpu h100,l4 --json >binary.json || [ $? -le 3 ]
  valid binary binary.json
  # A schema that lets anything pass would say nothing.
  for kind in plan image binary; do
    "$PYTHON" -c 'import json, sys; d = json.load(open(sys.argv[1])); d["surplus"] = 1; json.dump(d, open("bad.json", "w"))' "$kind.json"
    run -1 valid "$kind" bad.json
  done
}
