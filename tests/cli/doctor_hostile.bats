# gpugauge doctor on places that give names away, with rights missing, and asked about error codes.
export WIDE=yes
load common
load doctor

@test "--redact leaves out what names machines and people, wherever it stands" {
  mkdir -p people/anna/cuda/lib64
  ln -s "$PWD/people/anna" home
  : >people/anna/cuda/lib64/libcudart.so.13.0.48
  ln -s libcudart.so.13.0.48 people/anna/cuda/lib64/libcudart.so.13
  local hostile=(HOME="$PWD/home" LD_LIBRARY_PATH="$PWD/home/cuda/lib64:/var/home/bob/lib:/mnt/c/Users/carla/lib"
    NCCL_COMM_ID=head01.example.org:4444 JAX_COORDINATOR_ADDRESS=head01:1234
    TF_CONFIG='{"cluster":{"worker":["worker-a:22"]}}' OMPI_MCA_orte_hnp_uri='1;tcp://10.0.0.1:4000'
    VLLM_PROXY_URL=https://anna:hunter2@proxy.example.org/x NCCL_HOSTID=node17 CUDA_CACHE_PATH=/nfs/home/dora/x
    CUDA_VISIBLE_DEVICES=GPU-8e3f1a22 UCX_LOG_FILE=01-aa-bb-cc-dd-ee-ff
    NCCL_DEBUG_FILE=/var/lib/docker/cccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccc/x)
  env "${hostile[@]}" gpugauge doctor --json --redact --report markdown=report.md >report.json || [ $? -le 3 ]
  env "${hostile[@]}" gpugauge doctor --redact --all >report.txt || [ $? -le 3 ]
  for secret in anna bob carla dora head01 worker-a hunter2 10.0.0.1 proxy.example node17 8e3f1a22 dd-ee cccccccccc "$PWD/people"; do
    run ! grep -n -F -- "$secret" report.json report.md report.txt
  done
  grep -q 'libcudart.so.13' report.json # what a library is still shows
  grep -q '"NCCL_DEBUG_FILE\|env.NCCL_DEBUG_FILE' report.json
  env "${hostile[@]}" gpugauge doctor lock --redact --output redacted.lock
  run ! grep -F -e anna -e "$PWD/people" redacted.lock
}

@test "a password in a URL is withheld without --redact too" {
  VLLM_PROXY_URL=https://anna:hunter2@proxy.example.org/x NVIDIA_PROXY='http://anna:hun,ter3@proxy.example:3128' \
    TORCH_X='https://reg.example/x?X-Amz-Signature=abcd&token=s3cr3t' run gpugauge doctor --all
  [[ $output == *"https://withheld@proxy.example.org/x"* && $output == *"http://withheld@proxy.example:3128"* ]]
  [[ $output != *hunter2* && $output != *ter3* && $output != *abcd* && $output != *s3cr3t* ]]
  make_tree
  echo 'ro systemd.set_credential=pw:hunter4 iommu=pt' >tree/proc/cmdline
  echo 'NCCL_SOCKET_IFNAME=http://anna:hun,ter5@h' >tree/etc/nccl.conf
  run gpugauge doctor --root tree --all
  [[ $output == *"systemd.set_credential=withheld iommu=pt"* && $output != *hunter4* && $output != *ter5* ]]
}

@test "--redact holds for a binary and for an image, too" {
  mkdir -p people/anna
  cp "$(command -v gpugauge)" people/anna/tool
  HOME="$PWD/people/anna" run -3 gpugauge doctor --binary people/anna/tool --gpu h100 --redact
  [[ $output == *home-folder-0* && $output != *anna* ]]
  # A library without a name of its own is asked for by its path.
  echo 'int one(void) { return 1; }' | cc -shared -fPIC -x c - -o people/anna/libone.so
  echo 'int one(void); int main(void) { return one(); }' | cc -x c - -x none -o asks "$PWD/people/anna/libone.so"
  HOME="$PWD/people/anna" run gpugauge doctor --binary asks --gpu h100 --redact
  [[ $output == *home-folder-0/libone.so* && $output != *anna* ]]
  echo '[{"Config": {"Env": ["CUDA_VERSION=12.8.1"]}, "RepoTags": ["registry.corp.example:5000/team/x:latest"]}]' >image.json
  run gpugauge doctor --image-env image.json --redact
  [[ $output == *registry-0/team/x:latest* && $output != *corp.example* ]]
  # A container's own environment names GPUs.
  printf '%s\n' CUDNN_VERSION=9.10.2.21 NVIDIA_DRIVER_CAPABILITIES=/nfs/home/dora/x \
    NVIDIA_VISIBLE_DEVICES=GPU-12345678-1111-2222-3333-444444444444 >container.env
  run gpugauge doctor --image-env container.env --redact
  [[ $output == *gpu-uuid-0* && $output == *9.10.2.21* && $output != *12345678* && $output != *dora* ]]
}

@test "--redact holds for the names of files that are compared" {
  mkdir -p people/anna
  gpugauge doctor --json >people/anna/one.json || [ $? -le 3 ]
  sed 's/"value": "linux"/"value": "wsl2"/' people/anna/one.json >people/anna/other.json
  HOME="$PWD/people/anna" gpugauge doctor lock --output lock.json
  HOME="$PWD/people/anna" run gpugauge doctor verify lock.json "$PWD/people/anna/one.json" --redact
  [[ $output == *home-folder-0* && $output != *anna* ]]
  HOME="$PWD/people/anna" run gpugauge doctor diff "$PWD/people/anna/one.json" "$PWD/people/anna/other.json" --redact
  [[ $output == *home-folder-0*home-folder-1* && $output != *anna* ]]
}

@test "--redact takes names away, and no verdict" {
  cat >node.json <<'JSON'
{"schema": "gpugauge.inventory/1", "items": [
{"key": "gpu.0.name", "answer": "present", "value": "NVIDIA RTX 6000 Ada Generation", "source": "nvml", "how": ""},
{"key": "driver.version", "answer": "present", "value": "570.172.08", "source": "/x", "how": ""},
{"key": "driver.kernel_module_version", "answer": "present", "value": "570.172.08", "source": "/x", "how": ""},
{"key": "driver.kernel_module_kind", "answer": "present", "value": "open", "source": "/x", "how": ""},
{"key": "driver.cuda_max", "answer": "present", "value": "12.8", "source": "/x", "how": ""},
{"key": "container.kind", "answer": "present", "value": "docker", "source": "/x", "how": ""},
{"key": "container.image_cuda", "answer": "present", "value": "13.0.0.044", "source": "environment", "how": ""}]}
JSON
  run -1 gpugauge doctor --inventory node.json
  USER=ada run -1 gpugauge doctor --inventory node.json --redact
  gpugauge doctor lock --inventory node.json --output node.lock
  for user in ada open nvidia; do
    USER=$user LOGNAME=$user run -0 gpugauge doctor verify node.lock node.json --redact
    [[ $output == *"as locked"* ]]
  done
}

@test "--redact finds homes by relative paths and with blanks, and who has one" {
  mkdir -p "im/home/alice/Ann Lee/img/etc"
  printf 'carol:x:1001:1001::/data/carol:/bin/sh\n' >"im/home/alice/Ann Lee/img/etc/passwd"
  echo 'name=carol_run' >"im/home/alice/Ann Lee/img/etc/nccl.conf"
  run gpugauge doctor --root "im/home/alice/Ann Lee/img" --redact --all
  [[ $output != *Lee* && $output != *carol* ]]
  VIRTUAL_ENV="/mnt/c/Users/Bob Jones/venv" CUDA_HOME="/mnt/c/Users/Bob Jones/cuda" LD_LIBRARY_PATH=../home/bob/lib \
    run gpugauge doctor --redact --all
  [[ $output != *Jones* && $output != *bob* ]]
}

@test "what this user may not look at is unreadable, not absent" {
  as_user test -x "$(command -v gpugauge)" || skip "the command is in a folder that another user may not enter"
  make_tree
  chmod 000 tree/sys/bus/pci/devices tree/dev tree/proc/driver tree/usr/lib/x86_64-linux-gnu tree/var/lib/dpkg
  run as_user gpugauge doctor --root "$PWD/tree" --all
  chmod 755 tree/sys/bus/pci/devices tree/dev tree/proc/driver tree/usr/lib/x86_64-linux-gnu tree/var/lib/dpkg
  [ "$status" -eq 3 ]
  [[ $output == *"cannot be told by this user"* && $output != *"No NVIDIA GPU was found"* ]]
  [[ "${lines[-1]}" == "cannot judge: this user may not look"* ]]
  for key in pci driver.device_nodes driver.kernel_module_version driver.libcuda_path library.cudnn.picked packages.database host.libc; do
    grep -E "^  $key +unreadable \(it takes root\)" <<<"$output"
  done
}

@test "a library that this user may not reach is passed over, as the loader does" {
  mkdir -p shut dangling
  : >shut/libcudart.so.13
  chmod 000 shut
  ln -s /nowhere/libcudart.so.13 dangling/libcudart.so.13
  as_user test -x "$(command -v gpugauge)" || skip "the command is in a folder that another user may not enter"
  as_user gpugauge doctor --json >plain.json || [ $? -le 3 ]
  LD_LIBRARY_PATH="$PWD/shut:$PWD/dangling" as_user gpugauge doctor --json >hidden.json || [ $? -le 3 ]
  chmod 755 shut
  "$PYTHON" - <<'PY'
import json
def picked(name):
    items = json.load(open(name))["inventory"]["items"]
    return [item.get("value") for item in items if item["key"] == "library.cudart.picked"]
assert picked("plain.json") == picked("hidden.json"), (picked("plain.json"), picked("hidden.json"))
PY
}

@test "--error: a code, a name, both APIs, and what this machine shows of it" {
  run -0 gpugauge doctor --error 803
  [[ $output == *cudaErrorSystemDriverMismatch*CUDA_ERROR_SYSTEM_DRIVER_MISMATCH*causes*"1. "*next* ]]
  run -0 gpugauge doctor --error cudaErrorIllegalAddress
  [[ $output == *"CUDA 700"*compute-sanitizer* ]]
  run -0 gpugauge doctor --error nvml:18
  [[ $output == *NVML_ERROR_LIB_RM_VERSION_MISMATCH* ]]
  run -0 gpugauge doctor --error 4
  [[ $output == *"CUDA 4"*"NVML 4"* ]]
  make_tree
  printf 'NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.216.03  Release Build\n' >tree/proc/driver/nvidia/version
  run -0 gpugauge doctor --error 803 --root tree --json
  printf '%s' "$output" >error.json
  valid error error.json
  [[ $output == *umd_kmd_mismatch* && $output == *535.183.01* ]]
  run -2 gpugauge doctor --error 12345
  [[ $output == *"no header"* && ${#lines[@]} -eq 1 ]]
  for bad in '' 'a b' ':' 'gpu:1' $'\xff'; do
    run -2 gpugauge doctor --error "$bad"
  done
  run -2 gpugauge doctor --error 803 --plan cuda=12.8
  run -2 gpugauge doctor --error 803 --gpu h100
  run -2 gpugauge doctor --error 803 --report json=x
}

@test "--error explains CUDA's misleading code where there is no driver" {
  has_gpu && skip "this machine has a usable GPU"
  gpugauge probe hardware && skip "this machine has NVIDIA hardware"
  run -0 gpugauge doctor --error 35
  [[ $output == *"libcuda.so.1: absent"*"No NVIDIA GPU was found"*misleading* ]]
}

@test "--python of what is no Python is refused, and not taken for one" {
  mkdir empty
  for place in /etc/passwd empty "$(command -v env)"; do
    run -2 gpugauge doctor --python "$place"
    [[ $output == *"no Python is there"* ]]
  done
  make_tree
  run -2 gpugauge doctor --root tree --python /etc
}

@test "a version that no table knows is unknown, whatever the layer" {
  for plan in cuda=14.0 cuda=13.9 nccl=3.0,cuda=13.0 nccl=2.99,cuda=13.0 cudnn=9.99,cuda=13.0 torch=9.9 jax=9.9 \
    tensorflow=9.9 onnxruntime=9.9 tensorrt=99.1 cupy=99.1 vllm=9.9; do
    run -3 gpugauge doctor --plan "$plan" --gpu h100 --driver 580
    [[ $output == *unknown* ]]
  done
}

@test "a FIFO, a folder, an empty and an endless file in each place end in an answer" {
  places=(etc/os-release etc/hostname etc/passwd proc/driver/nvidia/version proc/cpuinfo proc/meminfo proc/cmdline proc/self/mountinfo
    proc/self/cgroup var/lib/dpkg/status var/log/apt/history.log var/log/kern.log etc/ld.so.cache etc/docker/daemon.json
    usr/local/cuda/version.json usr/local/cuda/include/cuda.h usr/lib/x86_64-linux-gnu/libcuda.so.1 usr/lib/x86_64-linux-gnu/libcudnn.so.9)
  for kind in fifo folder empty loop noise endless; do
    rm -rf odd
    for name in "${places[@]}"; do
      place="odd/$name"
      mkdir -p "$(dirname "$place")"
      case $kind in
        fifo) mkfifo "$place" ;;
        folder) mkdir "$place" ;;
        empty) : >"$place" ;;
        loop) ln -s "${place##*/}" "$place" ;;
        noise) head -c 300000 /dev/urandom >"$place" ;;
        endless) ln -s /dev/zero "$place" ;;
      esac
    done
    run timeout 20 gpugauge doctor --root odd --all --redact
    [ "$status" -eq 1 ] || [ "$status" -eq 3 ]
  done
}

@test "a FIFO, a folder or a device in the place of rpm's database is said, and nobody waits at it" {
  for kind in fifo folder loop device; do
    for name in var/lib/rpm usr/lib/sysimage/rpm usr/share/rpm; do
      rm -rf odd
      mkdir -p "odd/$name"
      place="odd/$name/rpmdb.sqlite"
      case $kind in
        fifo) mkfifo "$place" ;;
        folder) mkdir "$place" ;;
        loop) ln -s rpmdb.sqlite "$place" ;;
        device) mknod "$place" c 1 5 2>/dev/null || continue ;; # as /dev/zero is, and only root may
      esac
      run timeout 20 gpugauge doctor --root odd --all
      [ "$status" -eq 3 ]
      if [ "$kind" = loop ]; then continue; fi
      [[ $output == *"packages.database "*"unreadable (it takes a regular file in its place)"* ]]
    done
  done
}
