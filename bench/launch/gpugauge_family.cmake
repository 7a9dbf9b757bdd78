# Estimated from what an H100 took on 2026-11-26 (docs/measuring.md): next to nothing beside the windows. Some 25 ms were
# added for raising the clock before each window, which is not measured yet.
set(FAMILY_BESIDE_SECONDS 0.045)
