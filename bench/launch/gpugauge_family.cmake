# Estimated from what an H100 took on 2026-11-26 (docs/measuring.md): next to nothing beside the windows.
set(FAMILY_BESIDE_SECONDS 0.02)
