# shellcheck disable=SC2016  # ${BASE} is the Containerfile's
# scripts/container: what can be said of the image without building it. scripts/lib/test-container builds it.
bats_require_minimum_version 1.5.0

setup() {
  container="$GPUGAUGE_SOURCE/scripts/container"
  linters="${GPUGAUGE_LINTERS:-$GPUGAUGE_SOURCE/.venv/linters/bin}"
}

@test "hadolint has nothing to say of the Containerfile" {
  if [ ! -x "$linters/hadolint" ]; then skip "hadolint is not installed: scripts/setup --for test installs it"; fi
  run -0 "$linters/hadolint" --no-color "$container/Containerfile"
  [ "$output" = "" ]
}

@test "the Containerfile copies every file of the root that is installed" {
  copied="$(grep '^COPY [^-]' "$container/Containerfile" | tr ' ' '\n')"
  installed="$(sed -n 's/^install(FILES \([A-Z][A-Za-z. ]*\) DESTINATION.*/\1/p' "$GPUGAUGE_SOURCE/scripts/cmake/Package.cmake" | tr ' ' '\n')"
  grep -qx LICENSE <<<"$installed"
  for file in $installed; do grep -qxF "$file" <<<"$copied"; done
}

@test "the base can be given with a digest: every stage starts from it, and the image says what it was" {
  file="$container/Containerfile"
  [ "$(grep '^FROM ' "$file" | cut -d ' ' -f 2 | sort -u)" = '${BASE}' ]
  grep -q 'org.opencontainers.image.base.name="${BASE}"' "$file"
}

@test "the image asks for no GPU by itself: who starts a container of it says which" {
  run -1 grep -E '^[^#]*NVIDIA_VISIBLE_DEVICES' "$container/Containerfile"
  grep -q 'NVIDIA_DRIVER_CAPABILITIES=compute,utility' "$container/Containerfile"
}
