#!/usr/bin/env bats
# Where what was built looks for its libraries. The loader reads an empty entry as the working folder, and a relative one from there.
bats_require_minimum_version 1.5.0

# The entries of RUNPATH and RPATH of a file, one a line; an empty one as an empty line.
entries() {
  readelf -dW "$1" | sed -nE 's/.*\((RUNPATH|RPATH)\).*\[(.*)\]$/\2/p' | tr ':' '\n'
}

@test "nothing that is installed looks for libraries in the working folder" {
  local file entry files=0 entries=0
  while IFS= read -r -d '' file; do
    readelf -h "$file" >/dev/null 2>&1 || continue
    files=$((files + 1))
    while IFS= read -r entry; do
      echo "$file: '$entry'"
      [[ "$entry" == /* || "$entry" == "\$ORIGIN"* ]]
      entries=$((entries + 1))
    done < <(entries "$file")
  done < <(find "$GPUGAUGE_BUILD/libexec/gpugauge" "$GPUGAUGE_BUILD/bin/gpugauge" -type f -perm -u+x -print0)
  [ "$files" -ge 2 ]
  [ -e "$GPUGAUGE_BUILD/libexec/gpugauge/gpugauge-bench-cublas" ] || skip "no family with a library of its own in this build"
  [ "$entries" -ge 1 ]
  # CUPTI is opened by every family, also by those that need no library of the toolkit.
  [ "$(entries "$GPUGAUGE_BUILD/libexec/gpugauge/gpugauge-bench-cub")" = "$(entries "$GPUGAUGE_BUILD/libexec/gpugauge/gpugauge-bench-cublas")" ]
}
