# shellcheck shell=bash
# Libraries for scripts/record: what is carried of a build to a machine without compilers, and what its programs lack there.

# Programs that a GPU is measured and tested with, of BUILD: one a line.
measuring_programs() {
  local file
  for file in "$BUILD"/bin/test_gpu "$BUILD"/libexec/gpugauge/gpugauge-bench-*; do
    if [[ -x "$file" ]]; then echo "$file"; fi
  done
}

# Shared libraries to carry: all but the C library's, the C++ library's and NVIDIA's, of which the other machine has its own.
libraries_to_carry() {
  { echo "$BUILD/bin/gpugauge" && measuring_programs; } | xargs -d '\n' ldd 2>/dev/null |
    sed -n 's/.*=> \(\/[^ ]*\) .*/\1/p' | sort -u |
    grep -vE '/(ld-linux[^/]*|lib(c|m|dl|rt|pthread|resolv|util|anl|mvec|stdc\+\+|gcc_s)\.so[^/]*|lib(cu[^r]|curand|nv|nccl)[^/]*)$' || true
}

# Puts all that the stages need of BUILD, stripped, into BUILD/carry.tar.xz.
carry_build() {
  local folder="$BUILD/carry.new/gpugauge" file
  [[ -x "$BUILD/bin/test_gpu" ]] || fail 2 "$BUILD/bin/test_gpu is not built: the tests on a GPU are what is to be carried, too."
  rm -rf "$BUILD/carry.new"
  mkdir -p "$folder/bin" "$folder/carried"
  cp -L "$BUILD/bin/gpugauge" "$BUILD/bin/test_gpu" "$folder/bin/"
  for file in libexec share; do
    # With links followed: in a build they lead into its source tree.
    if [[ -d "$BUILD/$file" ]]; then cp -rL "$BUILD/$file" "$folder/"; fi
  done
  find "$folder" -name __pycache__ -prune -exec rm -rf {} +
  # Recordings of other machines.
  if [[ -d "$folder/share" ]]; then find "$folder/share" -name provenance.json -printf '%h\0' | xargs -0 -r rm -rf; fi
  libraries_to_carry | xargs -r -d '\n' cp -L -t "$folder/carried"
  while IFS= read -r file; do
    if [[ "$(head -c 4 "$file" | tail -c 3)" == ELF ]]; then strip --strip-unneeded "$file"; fi
  done < <(command -v strip >/dev/null && find "$folder" -type f)
  # Beside it first: what is cut short is no archive, and an earlier one stays.
  (cd "$BUILD/carry.new" && python3 -m tarfile -c carry.tar.xz gpugauge)
  mv "$BUILD/carry.new/carry.tar.xz" "$BUILD/carry.tar.xz"
  rm -rf "$BUILD/carry.new"
  say "$BUILD/carry.tar.xz ($(du -h "$BUILD/carry.tar.xz" | cut -f 1)): take it along with the sources, unpack it anywhere with"
  say "  python3 -m tarfile -e carry.tar.xz FOLDER"
  say "and record with: scripts/record all --build FOLDER/gpugauge"
}

# Lets BUILD's programs find what is carried and this machine lacks, and nothing else of it: what is carried would otherwise stand
# before this machine's own libraries in every program that is started. Fails with BUILD_PROBLEM where the command does not start.
use_carried_libraries() {
  local name more=yes
  if [[ -d "$BUILD/carried" ]]; then
    # The same name each time: it stands in what every run says of its environment, which comparisons heed. It stays: another
    # recording may use it, and finds in it what it would make.
    BORROWED="$BUILD/borrowed/$(uname -n)"
    if ! { mkdir -p "$BORROWED" && [[ -w "$BORROWED" ]]; } 2>/dev/null; then
      BORROWED="$(mktemp -d)"
      trap 'rm -rf "$BORROWED"' EXIT
    fi
    export LD_LIBRARY_PATH="$BORROWED${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
    while [[ -n "$more" ]]; do  # what is found may lack something in turn
      more=""
      while IFS= read -r name; do
        if [[ -e "$BUILD/carried/$name" && ! -e "$BORROWED/$name" ]]; then
          ln -sfn "$BUILD/carried/$name" "$BORROWED/$name"
          more=yes
        fi
      done < <({ echo "$BUILD/bin/gpugauge" && measuring_programs; } | xargs -d '\n' ldd 2>/dev/null |
        sed -n 's/^[[:space:]]*\([^ /]*\) => not found$/\1/p' | sort -u)
    done
    # A library of the same name may be too old here.
    "$BUILD/bin/gpugauge" --version >/dev/null 2>&1 || ln -sf "$BUILD"/carried/* "$BORROWED/"
  fi
  "$BUILD/bin/gpugauge" --version >/dev/null 2>&1 && return 0
  # shellcheck disable=SC2034  # read by scripts/record
  BUILD_PROBLEM="$BUILD/bin/gpugauge does not start here ($("$BUILD/bin/gpugauge" --version 2>&1 | head -n 1)); run scripts/record --carry where it was built, and name with --build what that file holds."
  return 1
}

# NVIDIA's libraries as wheels of the active virtual environment, or of the first python3, bring them: folders, with colons between.
folders_of_wheels() {
  local python=python3
  if [[ -n "${VIRTUAL_ENV:-}" && -x "$VIRTUAL_ENV/bin/python3" ]]; then python="$VIRTUAL_ENV/bin/python3"; fi
  "$python" -c 'import glob, sys
print(":".join(one for path in sys.path if path for one in sorted(glob.glob(glob.escape(path) + "/nvidia/*/lib"))))' 2>/dev/null || true
}

# starts PROGRAM: whether it says what it holds; else WHY_NOT, one line.
starts() {
  local word=--gpugauge_describe status=0
  if [[ "$1" == */test_gpu ]]; then word=--gtest_list_tests; fi
  WHY_NOT="$(timeout --kill-after=5 30 "$1" "$word" 2>&1 >/dev/null | head -n 1; exit "${PIPESTATUS[0]}")" || status=$?
  if ((status == 124 || status == 137)); then WHY_NOT="it says nothing for 30 s"; fi
  WHY_NOT="${WHY_NOT:-it ended with $status}"
  return "$status"
}

# Names what does not start here, and goes on without it. Sets WHEEL_FOLDERS where something starts only with NVIDIA's wheels.
preflight() {
  local program folders helped="" why
  WHEEL_FOLDERS=""
  folders="$(folders_of_wheels)"
  while IFS= read -r program; do
    starts "$program" && continue
    why="$WHY_NOT"
    if [[ -n "$folders" ]] && LD_LIBRARY_PATH="${LD_LIBRARY_PATH:+$LD_LIBRARY_PATH:}$folders" starts "$program"; then
      WHEEL_FOLDERS="$folders"
      helped+=" $(basename "$program")"
    else
      say "$(basename "$program") does not start here, and nothing of it is recorded: $why"
    fi
  done < <(measuring_programs)
  [[ -z "$helped" ]] || say "With NVIDIA's libraries in $WHEEL_FOLDERS:$helped"
}
