# PTX of the oldest GPU that this project is built for: every driver compiles it for its own.
set(FAMILY_PTX 75)
# Estimated from what an H100 took on 2026-11-26 (docs/measuring.md): four fresh processes at the least, of some tenths of a second each.
set(FAMILY_BESIDE_SECONDS 0.45)
