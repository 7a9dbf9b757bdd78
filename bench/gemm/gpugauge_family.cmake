# Estimated from what an H100 took on 2026-11-26 (docs/measuring.md): the reference in fp64, and warming up.
set(FAMILY_BESIDE_SECONDS 0.25)
