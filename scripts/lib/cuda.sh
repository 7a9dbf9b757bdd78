# shellcheck shell=bash
# Finds the CUDA toolkit, or makes one of NVIDIA's wheels; finds the tools and headers that a toolkit may lack.

# The parts of the cuda-toolkit meta-package that the families and their tests are built from.
CUDA_EXTRAS=nvcc,crt,nvvm,cudart,cccl,culibos,cublas,cufft,cupti,cuxxfilt,nvjitlink,nvml,nvrtc,nvtx,profiler
DEFAULT_TOOLKIT=/usr/local/cuda
WHEEL_TOOLKIT="$ROOT/.venv/cuda/toolkit"
TOOLS_VENV="$ROOT/.venv/cuda-tools"

# toolkit_version ROOT: "13.0"
toolkit_version() { "$1/bin/nvcc" --version 2>/dev/null | sed -n 's/.*release \([0-9.]*\),.*/\1/p'; }

# Whether ROOT holds a toolkit to build with; says why not where the user may expect that it does.
_usable_toolkit() {
  local version
  [[ -x "$1/bin/nvcc" ]] || return 1
  version="$(toolkit_version "$1")"
  if ! version_at_least "${version:-0}" "$PIN_CUDA_MINIMUM_VERSION"; then
    warn "CUDA: the toolkit at $1 is ${version:-unreadable}; $PIN_CUDA_MINIMUM_VERSION or later is needed."
    return 1
  fi
}

# Prints the root of the machine's toolkit: CUDA_HOME, then /usr/local/cuda, then that of any nvcc on PATH. Fails if there
# is none. A CUDA_HOME that points to this project's wheels is not the machine's.
system_toolkit() {
  local candidate nvcc
  if [[ -n "${CUDA_HOME:-}" && "$CUDA_HOME" != "$WHEEL_TOOLKIT" && ! -x "$CUDA_HOME/bin/nvcc" ]]; then
    warn "CUDA: CUDA_HOME is $CUDA_HOME, but there is no bin/nvcc in it; looking elsewhere."
  fi
  for candidate in "${CUDA_HOME:-}" "$DEFAULT_TOOLKIT"; do
    if [[ -n "$candidate" && "$candidate" != "$WHEEL_TOOLKIT" ]] && _usable_toolkit "$candidate"; then
      printf '%s\n' "$candidate"
      return 0
    fi
  done
  while IFS= read -r nvcc; do
    [[ "$nvcc" == "$WHEEL_TOOLKIT"/* ]] && continue
    # nvcc itself says where its toolkit is: the command on PATH may be a wrapper script or a link.
    candidate="$("$nvcc" --dryrun -c -x cu /dev/null 2>&1 | sed -n 's/^#\$ TOP=//p' | head -n 1)"
    candidate="$(realpath -q "${candidate:-/nowhere}" || true)"
    if _usable_toolkit "$candidate"; then
      printf '%s\n' "$candidate"
      return 0
    fi
  done < <(type -ap nvcc)
  return 1
}

# new_venv DIRECTORY: the first python3 that can make one.
new_venv() {
  local python
  own_folder "$(dirname "$1")"
  rm -rf "$1"
  for python in python3 /usr/bin/python3; do
    if "$python" -m venv "$1" >/dev/null 2>&1; then
      return 0
    fi
  done
  fail 2 "No python3 here can make a virtual environment in $1; install python3-venv."
}

# wheels VENV REQUIREMENT...: makes VENV hold exactly these, once; a note beside it says which, so that the next time costs nothing.
wheels() {
  local venv="$1" wanted
  shift
  wanted="$*"
  _holds_wheels "$venv" "$wanted" && return 0
  (
    hold setup "sets up"
    _holds_wheels "$venv" "$wanted" && exit 0  # made meanwhile
    new_venv "$venv"
    "$venv/bin/python" -m pip install --quiet --disable-pip-version-check "$@" || exit 1
    printf '%s' "$wanted" >"$venv/wheels"
  )
}
_holds_wheels() { [[ -f "$1/wheels" && "$(<"$1/wheels")" == "$2" ]]; }

# Whether wheels for VENV could not be had within the last hour: a machine without a connection does not wait for the network
# again in every call.
lately_refused() { [[ -n "$(find "$1.refused" -mmin -60 2>/dev/null)" ]]; }
# refused VENV: notes that they could not be had.
refused() { touch "$1.refused"; }

# site_packages VENV: its one site-packages folder.
site_packages() { printf '%s\n' "$1"/lib/python3*/site-packages | head -n 1; }

# Makes a toolkit of the wheels at .venv/cuda/toolkit. The wheels hold lib/ where CMake and nvcc look in lib64/ and targets/,
# and only versioned library names (libcublas.so.13), which no linker takes: both are added as links.
wheel_toolkit() {
  local site top package library
  wheels "$ROOT/.venv/cuda" "cuda-toolkit[$CUDA_EXTRAS]==$PIN_CUDA_WHEEL_VERSION" \
    "nvidia-cudnn-cu13==$PIN_CUDNN_WHEEL_VERSION" "nvidia-nccl-cu13==$PIN_NCCL_WHEEL_VERSION" || return 1
  site="$(site_packages "$ROOT/.venv/cuda")/nvidia"
  top="$site/cu13"
  [[ -x "$top/bin/nvcc" ]] || { warn "The wheels were installed but hold no nvcc at $top/bin." && return 1; }
  for package in cudnn nccl; do
    ln -sfn "$site/$package"/lib/*.so.* "$top/lib/"
    ln -sfn "$site/$package"/include/* "$top/include/"
  done
  for library in "$top"/lib/*.so.*; do
    ln -sfn "$(basename "$library")" "${library%%.so.*}.so"
  done
  mkdir -p "$top/targets/$(uname -m)-linux"
  ln -sfn lib "$top/lib64"
  ln -sfn ../../include "$top/targets/$(uname -m)-linux/include"
  ln -sfn ../../lib "$top/targets/$(uname -m)-linux/lib"
  ln -sfn "$top" "$WHEEL_TOOLKIT"
}

# find_cuda auto|wheels|none: sets CUDA_HOME (empty for none) and CUDA_ORIGIN.
find_cuda() {
  local found runner=()
  if [[ "$1" == none ]]; then
    CUDA_HOME="" CUDA_ORIGIN=""
    return 0
  fi
  if [[ "$1" == auto ]] && found="$(system_toolkit)"; then
    CUDA_HOME="$found" CUDA_ORIGIN="this machine's"
    return 0
  fi
  if [[ ! -f "$ROOT/.venv/cuda/wheels" ]]; then
    say "CUDA: no toolkit to use; installing NVIDIA's wheels of $PIN_CUDA_WHEEL_VERSION into .venv/cuda (about 2 GB)."
    runner=(logged cuda-wheels "CUDA wheels")
  fi
  "${runner[@]}" wheel_toolkit || fail 2 "There is no CUDA toolkit of $PIN_CUDA_MINIMUM_VERSION or later here (docs/install.md says where it is looked for), and NVIDIA's wheels could not be installed; the lines above and $LOGS/cuda-wheels.log say why."
  # shellcheck disable=SC2034  # read by scripts/setup
  CUDA_HOME="$WHEEL_TOOLKIT" CUDA_ORIGIN="NVIDIA's wheels"
}

# Prints the folder of cudnn_frontend.h where the toolkit or the distribution has it, no older than what is pinned: older ones lack
# what the family cudnn is written in.
system_cudnn_frontend() {
  local folder version
  for folder in "$CUDA_HOME/include" /usr/include; do
    [[ -f "$folder/cudnn_frontend.h" && -f "$folder/cudnn_frontend_version.h" ]] || continue
    version="$(awk '/define CUDNN_FRONTEND_(MAJOR|MINOR|PATCH)_VERSION/ { printf "%s%s", dot, $3; dot = "." }' "$folder/cudnn_frontend_version.h")"
    if [[ -n "$version" ]] && version_at_least "$version" "$PIN_CUDNN_FRONTEND_WHEEL_VERSION"; then
      printf '%s\n' "$folder"
      return 0
    fi
  done
  return 1
}

# The headers of cudnn-frontend, for building without the tests: sets CUDNN_FRONTEND_INCLUDE. Without them only the family
# cudnn is missing, and the configure summary says why.
find_cudnn_frontend() {
  local venv="$ROOT/.venv/cudnn-frontend"
  CUDNN_FRONTEND_INCLUDE="$(system_cudnn_frontend)" && return 0
  if [[ -f "$TOOLS_VENV/wheels" ]]; then
    venv="$TOOLS_VENV"
  elif lately_refused "$venv"; then
    warn "cudnn-frontend could not be installed less than an hour ago: the family cudnn will not be built. Remove $venv.refused to try at once."
    return 0
  elif ! wheels "$venv" --no-deps "nvidia-cudnn-frontend==$PIN_CUDNN_FRONTEND_WHEEL_VERSION"; then
    refused "$venv"
    warn "cudnn-frontend could not be installed into .venv/cudnn-frontend: the family cudnn will not be built."
    return 0
  fi
  CUDNN_FRONTEND_INCLUDE="$(site_packages "$venv")/include"
  [[ -f "$CUDNN_FRONTEND_INCLUDE/cudnn_frontend.h" ]] || CUDNN_FRONTEND_INCLUDE=""
}

# What the toolkit lacks of cuobjdump, nvdisasm, nvml.h and cudnn-frontend, from wheels; sets CUOBJDUMP, NVDISASM,
# NVML_INCLUDE and CUDNN_FRONTEND_INCLUDE. A toolkit that has them all needs no connection.
find_cuda_tools() {
  local site path wanted=()
  CUOBJDUMP="$CUDA_HOME/bin/cuobjdump" NVDISASM="$CUDA_HOME/bin/nvdisasm" NVML_INCLUDE="$CUDA_HOME/include"
  CUDNN_FRONTEND_INCLUDE="$(system_cudnn_frontend)" || wanted+=("nvidia-cudnn-frontend==$PIN_CUDNN_FRONTEND_WHEEL_VERSION")
  [[ -x "$CUOBJDUMP" ]] || wanted+=("nvidia-cuda-cuobjdump==$PIN_CUOBJDUMP_WHEEL_VERSION")
  [[ -x "$NVDISASM" ]] || wanted+=("nvidia-cuda-nvdisasm==$PIN_NVDISASM_WHEEL_VERSION")
  [[ -f "$NVML_INCLUDE/nvml.h" ]] || wanted+=("nvidia-nvml-dev==$PIN_NVML_WHEEL_VERSION")
  ((${#wanted[@]} > 0)) || return 0
  if [[ ! -f "$TOOLS_VENV/wheels" || "$(<"$TOOLS_VENV/wheels")" != "--no-deps ${wanted[*]}" ]]; then
    say "CUDA tools: installing what the toolkit lacks into .venv/cuda-tools."
  fi
  wheels "$TOOLS_VENV" --no-deps "${wanted[@]}" ||
    fail 2 "The toolkit lacks, and these wheels could not be installed into .venv/cuda-tools: ${wanted[*]}. Run scripts/setup again with a connection."
  site="$(site_packages "$TOOLS_VENV")"
  [[ -x "$CUOBJDUMP" ]] || CUOBJDUMP="$site/nvidia/cu13/bin/cuobjdump"
  [[ -x "$NVDISASM" ]] || NVDISASM="$site/nvidia/cu13/bin/nvdisasm"
  [[ -f "$NVML_INCLUDE/nvml.h" ]] || NVML_INCLUDE="$site/nvidia/cu13/include"
  [[ -n "$CUDNN_FRONTEND_INCLUDE" ]] || CUDNN_FRONTEND_INCLUDE="$site/include"
  for path in "$CUOBJDUMP" "$NVDISASM" "$NVML_INCLUDE/nvml.h" "$CUDNN_FRONTEND_INCLUDE/cudnn_frontend.h"; do
    [[ -e "$path" ]] || fail 2 "The wheels were installed, but $path is missing: remove .venv/cuda-tools and run scripts/setup again."
  done
}
