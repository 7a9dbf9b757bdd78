# shellcheck shell=bash
# The distribution's packages by role, in one place: Debian 12, Ubuntu 22.04 and 24.04 name them alike.
# Each role's list adds to the one before.

# What scripts/check needs: compile the command and its families.
PACKAGES_CHECK=(
  ca-certificates ccache cmake g++ git ninja-build pkg-config python3 python3-venv
  libbenchmark-dev libboost-math-dev libcli11-dev libfmt-dev libpugixml-dev libssl-dev libuv1-dev nlohmann-json3-dev zlib1g-dev
)
# What scripts/test needs on top.
PACKAGES_TEST=(
  bats doxygen libgmock-dev libgtest-dev libxml2-utils openmpi-bin python3-jsonschema shellcheck strace
  # The history's databases, which a build may lack, and a server to test against.
  libpq-dev libsoci-dev libsqlite3-dev postgresql
  "clang-format-$PIN_CLANG_TOOLS_VERSION" "clang-tidy-$PIN_CLANG_TOOLS_VERSION"
)

# What scripts/test --all needs on top: promtool, shells and a checker for what they read, a minimal root, a
# Slurm to start as an ordinary user, the fuzzing targets' compiler, and on Debian a browser, which Ubuntu has only as a snap.
PACKAGES_ALL=(
  "clang-$PIN_CLANG_TOOLS_VERSION" debootstrap fish mandoc munge prometheus slurm-client slurmctld slurmd zsh
)
# And what builds the container image without a registry: the image's base is a Debian; and for Arm, whose libraries come from one. libFuzzer and the sanitizers of clang are a
# package of their own there; Ubuntu 22.04 has them with clang.
PACKAGES_ALL_DEBIAN=(
  buildah chromium chromium-driver fonts-dejavu-core g++-aarch64-linux-gnu "libclang-rt-$PIN_CLANG_TOOLS_VERSION-dev" mmdebstrap
  python3-selenium qemu-user-static
)

# packages_for check|test|all: prints the names, one a line.
packages_for() {
  printf '%s\n' "${PACKAGES_CHECK[@]}"
  [[ "$1" == check ]] || printf '%s\n' "${PACKAGES_TEST[@]}"
  [[ "$1" == all ]] || return 0
  printf '%s\n' "${PACKAGES_ALL[@]}"
  if [[ "$(. /etc/os-release 2>/dev/null && printf '%s' "${ID:-}")" == debian ]]; then
    printf '%s\n' "${PACKAGES_ALL_DEBIAN[@]}"
  fi
}

# Prints those of the given packages that are not installed. dpkg-query fails when it knows one of them not: that is an answer.
missing_packages() {
  local installed
  installed="$(dpkg-query -W -f='${db:Status-Status} ${Package}\n' "$@" 2>/dev/null | sed -n 's/^installed //p' || true)"
  comm -23 <(printf '%s\n' "$@" | sort -u) <(sort -u <<<"$installed")
}

# Where packages have other names: the commands and headers without which nothing builds. The libraries that CMake can
# fetch as sources are not asked for.
missing_essentials() {
  local name header
  for name in g++ git ninja pkg-config python3; do
    command -v "$name" >/dev/null || printf '%s\n' "$name"
  done
  command -v g++ >/dev/null || return 0
  for header in boost/math/distributions/students_t.hpp openssl/evp.h uv.h; do
    g++ -E -x c++ -include "$header" /dev/null >/dev/null 2>&1 || printf '%s\n' "$header"
  done
}
