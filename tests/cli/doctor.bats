# gpugauge doctor as a user drives it, on this machine and on trees made for it.
load common
load doctor

@test "on a machine without a GPU: the stack, the misleading message explained, and 3" {
  has_gpu && skip "this machine has a usable GPU"
  gpugauge probe hardware && skip "this machine has NVIDIA hardware"
  run -3 gpugauge doctor
  [[ $output == *"No NVIDIA GPU was found"* ]]
  [[ $output == *"error 35"*misleading* ]]
  [[ $output == *"kernel driver"*absent* ]]
  [[ "${lines[-1]}" == "cannot judge: this machine shows no NVIDIA GPU"* ]]
}

@test "JSON, Markdown and the inventory's round trip" {
  gpugauge doctor --json --redact --report markdown=report.md >report.json || [ $? -le 3 ]
  "$PYTHON" "$GPUGAUGE_SOURCE/tests/validate_json.py" doctor report.json
  grep -q '^| layer | version | detail |$' report.md
  gpugauge doctor --json --inventory report.json >again.json || [ $? -le 3 ]
  "$PYTHON" - <<'PY'
import json
first, again = (json.load(open(name)) for name in ("report.json", "again.json"))
assert first["inventory"] == again["inventory"]
assert [finding["cause"] for finding in first["findings"]] == [finding["cause"] for finding in again["findings"]]
PY
}

@test "a report that cannot be written keeps neither the verdict nor the other report back" {
  run gpugauge doctor
  local code=2
  ((status == 1)) && code=1
  local verdict=${lines[-1]}
  # What the shell hands on is not bounded.
  run "-$code" bash -o pipefail -c '(ulimit -f 1; exec gpugauge doctor --report json=x.json --report markdown=y.md) 2>&1 | cat'
  [[ $output == *"$verdict"*"--report json=x.json: "*"--report markdown=y.md: "* ]]
  [ ! -e x.json ]
}

@test "--redact leaves out the host's name, the user's home and addresses" {
  HOME="$PWD/home/anna" NCCL_SOCKET_IFNAME=eth0 CUDA_CACHE_PATH="$PWD/home/anna/cache" gpugauge doctor --json --redact >redacted.json || [ $? -le 3 ]
  run ! grep -q anna redacted.json
}

@test "passwords in a command line and in variables are withheld; --redact takes the hosts, too" {
  make_tree
  mkdir -p tree/var/log/apt
  printf 'Start-Date: 2026-08-03  10:22:01\nCommandline: apt-get -o Acquire::http::Proxy=http://bob:s3cret@proxy.corp.example:3128 install nvidia-driver-535\nInstall: nvidia-driver-535:amd64 (535.183.01-0ubuntu1)\nEnd-Date: 2026-08-03  10:23:01\n' >tree/var/log/apt/history.log
  echo 'root=/dev/sda1 systemd.setenv=API_TOKEN=s3cret rd.nvmf.hostnqn=nqn.corp.example' >tree/proc/cmdline
  gpugauge doctor --root tree --json >plain.json || [ $? -le 1 ]
  run ! grep -e s3cret -e bob plain.json
  grep -q 'apt-get -o Acquire::http::Proxy=http://withheld@proxy.corp.example:3128 install' plain.json
  grep -q 'systemd.setenv=API_TOKEN=withheld' plain.json
  gpugauge doctor --root tree --json --redact >redacted.json || [ $? -le 1 ]
  run ! grep -e s3cret -e corp.example redacted.json
  grep -q 'apt-get -o Acquire::http::Proxy=http://address-' redacted.json
  export NVIDIA_PROXY_PASS=s3cret JAX_PROXY=bob:s3cret@proxy.corp.example:3128 VLLM_DP_MASTER_IP=node5.corp.example
  gpugauge doctor --json >plain.json || [ $? -le 3 ]
  grep -q 'withheld@proxy.corp.example:3128' plain.json
  run ! grep s3cret plain.json
  gpugauge doctor --json --redact >redacted.json || [ $? -le 3 ]
  run ! grep -e s3cret -e corp.example redacted.json
}

@test "a healthy host's tree: a GPU that the kernel module lists is one GPU, of which nobody was asked" {
  make_tree
  folder=tree/proc/driver/nvidia/gpus/0000:01:00.0
  mkdir -p "$folder"
  printf 'Model: \t NVIDIA H100 80GB HBM3\nGPU UUID: \t GPU-aa010203-0405-0607-0809-0a0b0c0d0e00\nDevice Minor: \t 0\n' >"$folder/information"
  run gpugauge doctor --root tree
  [[ $output != *"on the PCI bus"* && $output != *"its slot and"* ]]
  [[ $output == *"1 x NVIDIA H100 80GB HBM3"* ]]
  [ "$status" -ne 1 ]
}

@test "--root looks below that folder only, and runs nothing of it" {
  make_tree
  mkdir -p tree/usr/bin
  printf '#!/bin/sh\ntouch "%s/was-run"\n' "$PWD" | tee tree/usr/bin/nvcc tree/usr/bin/python3 tree/usr/bin/nvidia-smi >/dev/null
  chmod +x tree/usr/bin/*
  echo "NCCL_DEBUG=escaped-from-the-root" >outside.conf
  ln -s "$PWD/outside.conf" tree/etc/nccl.conf
  run gpugauge doctor --root tree --all
  [ "$status" -le 1 ]
  [[ $output == *"Ubuntu 22.04.5 LTS"* ]]
  [[ $output == *535.183.01* ]]
  [ ! -e was-run ]
  grep -q nccl_conf <<<"$output"
  run gpugauge doctor --root tree --all --json
  [[ $output != *"escaped-from-the-root"* ]]
  run -2 gpugauge doctor --root tree --pid 1
  [[ $output == *"--root"*"--pid"* ]]
  run -2 gpugauge doctor --root /nonexistent
  [[ $output == *"no such folder"* ]]
}

@test "--root of an image says of what only a running machine has that it does" {
  mkdir -p image/etc image/dev image/lib/modules/6.1.0-28-amd64 image/usr/lib/x86_64-linux-gnu
  printf 'PRETTY_NAME="Debian GNU/Linux 12 (bookworm)"\nID=debian\nVERSION_ID="12"\n' >image/etc/os-release
  : >image/lib/modules/6.1.0-28-amd64/modules.dep
  touch image/dev/nvidia0 image/dev/nvidiactl image/usr/lib/x86_64-linux-gnu/libcuda.so.580.65.06
  ln -s libcuda.so.580.65.06 image/usr/lib/x86_64-linux-gnu/libcuda.so.1
  export COLUMNS=1000
  run -3 gpugauge doctor --root image --all
  [[ $output == *"An image of files has no hardware to judge"* ]]
  [[ $output == *"GPU "*"not told"*"only a running machine has one"* ]]
  [[ $output == *"kernel driver"*"not told"*"no module file is there for the newest kernel here, 6.1.0-28-amd64"* ]]
  [[ $output == *"driver.kernel_module_version"*absent*"only a running machine has it"* ]]
  [[ $output != *"No NVIDIA GPU was found on this machine"* && $output != *"this machine shows"* ]]
  [[ "${lines[-1]}" == "cannot judge: these are files, and whether they work on a GPU"* ]]
}

@test "--plan: works, does not work with the layer named, and every bad input named" {
  run -0 gpugauge doctor --plan cuda=12.8,cudnn=9.10,torch=2.8,driver=570 --gpu h100
  [[ $output == *"This combination works"* ]]
  run -1 gpugauge doctor --plan cuda=13.0 --gpu h100 --driver 535
  [[ $output == *"error 35"* && $output == *"what would have to change: driver"* ]]
  run -1 gpugauge doctor --plan cuda=13.0,driver=580 --gpu v100
  run -0 gpugauge doctor --plan cuda=12.8,driver=570 --gpu h100 --json
  "$PYTHON" -c 'import json, sys; assert json.loads(sys.argv[1])["schema"] == "gpugauge.plan/1"' "$output"
  for bad in '' 'cuda' 'cuda=' 'cuda=x' 'cuda=12,cuda=13' 'coda=12' '=12'; do
    run -2 gpugauge doctor --plan "$bad" --gpu h100
  done
  run -2 gpugauge doctor --plan coda=12 --gpu h100
  [[ $output == *coda*cuda* ]]
  run -2 gpugauge doctor --plan cuda=12.8 --gpu h1000000
  run -3 gpugauge doctor --plan cuda=12.8 --gpu h100 --driver 9999
  [[ $output == *"know no driver branch"* ]]
  run -3 gpugauge doctor --plan cuda=99.9 --gpu h100 --driver 580
  run -2 gpugauge doctor --plan cuda=12.8 --gpu h100 --report json=plan.json
  run -2 gpugauge doctor --plan cuda=12.8 lock
  run -2 gpugauge doctor --gpu h100
  [[ $output == *"--plan or --binary"* ]]
}

@test "--binary: a program, what is none, and a library that does not tell" {
  run gpugauge doctor --binary "$(command -v gpugauge)" --gpu h100
  [[ $output == *"carries no GPU code"* ]]
  [ "$status" -eq 3 ]
  # Which GPU there is does not matter to it.
  run -3 gpugauge doctor --binary "$(command -v gpugauge)" --root /
  [[ $output == *"carries no GPU code of its own"* && $output != *"No GPU was seen there"* ]]
  echo text >file
  run -2 gpugauge doctor --binary file --gpu h100
  [[ $output == *"no ELF file"* ]]
  run -2 gpugauge doctor --binary ./nothing --gpu h100
  [[ $output == *"./nothing: there is no such file"* ]]
  run -2 gpugauge doctor --binary '' --gpu h100
  cp "$(command -v gpugauge)" here
  run -3 gpugauge doctor --binary ./here --gpu h100
  [[ $output == *"carries no GPU code"* ]]
}

@test "--image-env: lines and docker inspect, judged against the host" {
  make_tree
  printf 'CUDA_VERSION=12.8.1\nNVIDIA_REQUIRE_CUDA=cuda>=12.8\nNVIDIA_DRIVER_CAPABILITIES=utility\n' >image.env
  gpugauge doctor --root tree --json >tree.json || [ $? -le 1 ]
  run -1 gpugauge doctor --image-env image.env --inventory tree.json
  [[ $output == *NVIDIA_DRIVER_CAPABILITIES* ]]
  echo '[{"Config": {"Env": ["CUDA_VERSION=12.2.0"]}, "RepoTags": ["nvidia/cuda:latest"]}]' >image.json
  run gpugauge doctor --image-env image.json --inventory tree.json
  [ "$status" -le 3 ]
  [[ $output == *latest* ]]
  echo '[{"Config"' >broken.json
  run -2 gpugauge doctor --image-env broken.json
  [[ $output == *broken.json* ]]
}

@test "lock, verify and diff" {
  make_tree
  run -0 gpugauge doctor lock --root tree --output stack.lock
  "$PYTHON" "$GPUGAUGE_SOURCE/tests/validate_json.py" lock stack.lock
  run -2 gpugauge doctor lock --root tree --output stack.lock
  [[ $output == *"not overwritten"* ]]
  run -0 gpugauge doctor verify stack.lock --root tree
  gpugauge doctor --root tree --json >before.json || [ $? -le 1 ]
  printf 'NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.216.03  Release Build\n' >tree/proc/driver/nvidia/version
  gpugauge doctor --root tree --json >after.json || [ $? -le 1 ]
  run -1 gpugauge doctor verify stack.lock --root tree
  [[ $output == *535.183.01*535.216.03* ]]
  run -1 gpugauge doctor verify stack.lock before.json after.json
  [[ $output == *"1 of 2 as locked, 1 drifted"* ]]
  run -1 gpugauge doctor diff before.json after.json
  [[ $output == *kernel_module_version*535.183.01*535.216.03* ]]
  local words
  for words in "doctor verify stack.lock --root tree" "doctor diff before.json after.json" \
    "doctor diff before.json after.json --json" "doctor --plan cuda=13.0 --gpu h100 --driver 535"; do
    run -1 bash -c "gpugauge $words >/dev/full"
    [[ $output == *"standard output could not be written: "*"; what was found stands, and so does exit code 1"* ]]
  done
  run -2 bash -c 'gpugauge doctor diff before.json before.json >/dev/full'
  run -0 gpugauge doctor diff before.json before.json
  "$PYTHON" - <<'PY'
import json
lock = json.load(open("stack.lock"))
for field in lock["fields"].values() if isinstance(lock["fields"], dict) else lock["fields"]: field["match"] = "ignore"
json.dump(lock, open("loose.lock", "w"))
PY
  run -3 gpugauge doctor verify loose.lock before.json
  mkdir empty
  run -2 gpugauge doctor --root empty lock --output empty.lock
  [ ! -e empty.lock ]
  run -2 gpugauge doctor verify before.json
  [[ $output == *before.json* ]]
  run -2 gpugauge doctor diff before.json
  for text in '' '{' '[]' '{"schema": "gpugauge.lock/2", "created": "", "fields": {}}'; do
    printf '%s' "$text" >hostile.lock
    run -2 gpugauge doctor verify hostile.lock --root tree
    [[ $output == *hostile.lock* ]]
    [ "${#lines[@]}" -eq 1 ]
  done
}

@test "hostile trees end in an answer" {
  mkdir -p tree/proc/driver/nvidia tree/var/lib/dpkg tree/var/log tree/etc/apt/apt.conf.d tree/usr/lib tree/lib
  mkfifo tree/proc/driver/nvidia/version tree/etc/os-release tree/etc/nccl.conf
  mkdir tree/var/lib/dpkg/status
  ln -s loop tree/etc/loop && ln -s ../etc/loop tree/usr/lib/os-release
  ln -s / tree/lib/modules
  head -c 3000000 /dev/urandom >tree/var/log/kern.log
  head -c 100000 /dev/urandom >tree/usr/lib/libcuda.so.1
  run timeout 20 gpugauge doctor --root tree --all
  [ "$status" -le 3 ]
  [ "$status" -ne 2 ]
}

@test "a saved inventory that is none, and options that exclude each other" {
  echo '{"inventory": {"schema": "gpugauge.inventory/9", "items": []}}' >future.json
  run -2 gpugauge doctor --inventory future.json
  [[ $output == *future.json* ]]
  run -2 gpugauge doctor --inventory future.json --root /
  run -2 gpugauge doctor --inventory missing.json
  run -2 gpugauge doctor --report pdf=x
  [[ $output == *"there is no kind of report 'pdf' here; there are json, markdown"* ]]
  run -2 gpugauge doctor --policy strict
  run -2 gpugauge doctor --python ./no-such-environment
  run -2 gpugauge doctor --pid 99999999
  run -2 gpugauge doctor --pid abc
  "$PYTHON" -c 'print("{\"inventory\":{\"a\":" + "[" * 300000 + "]" * 300000 + "}}")' >deep.json
  run -2 gpugauge doctor --inventory deep.json
  [[ $output == *"nested deeper"* ]]
}
