# scripts/cmake/SourceHash.cmake: what the hash of a family's sources depends on, and what not.
bats_require_minimum_version 1.5.0

setup() {
  cd "$BATS_TEST_TMPDIR" || exit
  mkdir -p bench/one
  echo 'int a;' >bench/one/a.cpp
  echo 'int b;' >bench/one/b.cpp
}

# hash_of [OPTION...]: of both files, in the order given by the last -DFILES.
hash_of() {
  cmake -DFAMILY=one "-DOUTPUT=$PWD/out.cpp" "-DFILES=$PWD/bench/one/a.cpp;$PWD/bench/one/b.cpp" "-DROOT=$PWD" -DPTX= \
    -DSTART_SECONDS=0.6 -DBESIDE_SECONDS=0.12 "$@" -P "$GPUGAUGE_SOURCE/scripts/cmake/SourceHash.cmake"
  sed -n 's/.*family_source_hash = "\([0-9a-f]\{64\}\)";$/\1/p' out.cpp
}

@test "sources and the version of PTX change a family's hash; order and estimates do not" {
  plain=$(hash_of)
  [ ${#plain} -eq 64 ]
  [ "$(hash_of "-DFILES=$PWD/bench/one/b.cpp;$PWD/bench/one/a.cpp")" = "$plain" ]
  [ "$(hash_of -DSTART_SECONDS=9 -DBESIDE_SECONDS=9)" = "$plain" ]
  ptx=$(hash_of -DPTX=75)
  [ "$ptx" != "$plain" ]
  [ "$(hash_of -DPTX=80)" != "$ptx" ]
  echo 'int c;' >bench/one/a.cpp
  [ "$(hash_of)" != "$plain" ]
}
