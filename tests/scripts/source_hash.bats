# gpugauge-source-hash: which files a family's hash is of, and what in them counts.
# shellcheck disable=SC2154  # $stderr is set by run
bats_require_minimum_version 1.5.0

setup() {
  cd "$BATS_TEST_TMPDIR" || exit
  mkdir -p bench/one bench/support
  echo 'int a;' >bench/one/a.cpp
  printf '#include "support/window.hpp"\nint b;\n' >bench/one/b.cpp
  echo 'int window();' >bench/support/window.hpp
  echo 'int window() { return 1; }' >bench/support/window.cpp
  echo 'int ranks();' >bench/support/ranks.hpp
  echo 'int ranks() { return 1; }' >bench/support/ranks.cpp
}

# hash_of [LINE...]: of both files, with further lines of the manifest.
hash_of() {
  {
    printf '%s\n' "family one" "root $PWD" "start_seconds 0.6" "beside_seconds 0.12" "source $PWD/bench/one/a.cpp" "source $PWD/bench/one/b.cpp"
    printf "shared $PWD/bench/support/%s\n" window.hpp window.cpp ranks.hpp ranks.cpp
    printf '%s\n' "$@"
  } >manifest.txt
  "$GPUGAUGE_BUILD/bench/gpugauge-source-hash" manifest.txt out.cpp used.txt
  sed -n 's/.*family_source_hash = "\([0-9a-f]\{64\}\)";$/\1/p' out.cpp
}

@test "code and the version of PTX change a family's hash; comments, blanks and estimates do not" {
  plain=$(hash_of)
  [ ${#plain} -eq 64 ]
  [ "$(hash_of "start_seconds 9" "beside_seconds 9")" = "$plain" ]
  ptx=$(hash_of "ptx 75")
  [ "$ptx" != "$plain" ]
  [ "$(hash_of "ptx 80")" != "$ptx" ]
  printf '// The first.\nint\n  a /* one */;\n' >bench/one/a.cpp
  [ "$(hash_of)" = "$plain" ]
  echo 'int c;' >bench/one/a.cpp
  [ "$(hash_of)" != "$plain" ]
}

@test "of the shared files those count that the family uses, the sources behind its headers included" {
  plain=$(hash_of)
  [ "$(cat used.txt)" = "bench/one/a.cpp
bench/one/b.cpp
bench/support/window.cpp
bench/support/window.hpp" ]
  echo 'int ranks() { return 2; }' >bench/support/ranks.cpp
  [ "$(hash_of)" = "$plain" ]
  echo 'int window() { return 2; }' >bench/support/window.cpp
  [ "$(hash_of)" != "$plain" ]
}

@test "a file that is not there is named, and nothing is written" {
  run -2 --separate-stderr hash_of "shared $PWD/bench/support/gone.cpp"
  [[ "$stderr" == *"gone.cpp cannot be read"* ]]
  [ ! -e out.cpp ]
}

@test "whatever shared file was linked into a family counts in its hash" {
  command -v readelf >/dev/null || skip "readelf is not installed"
  shared=$(cd "$GPUGAUGE_SOURCE" && find bench/support kernels -name '*.cpp' -o -name '*.cu' | sed 's|.*/||; s|\.[a-z]*$||' | sort -u)
  families=0 linked=0
  for used in "$GPUGAUGE_BUILD"/bench/*_used.txt; do
    family=$(basename "$used" _used.txt)
    stems=$(sed 's|.*/||; s|\.[a-z]*$||' "$used" | sort -u)
    while read -r stem; do
      grep -qxF "$stem" <<<"$shared" || continue
      linked=$((linked + 1))
      grep -qxF "$stem" <<<"$stems" || {
        echo "$family links $stem, which its hash leaves out: let that source include the header that declares it"
        false
      }
    done < <(readelf -sW "$GPUGAUGE_BUILD/libexec/gpugauge/gpugauge-bench-$family" | awk '$4 == "FILE" { print $8 }' |
      sed 's/^tmpxft_[0-9a-f]*_[0-9a-f]*-[0-9]*_//; s/\..*//' | sort -u)
    families=$((families + 1))
  done
  [ "$families" -gt 0 ]
  [ "$linked" -gt "$families" ]
}
