# Measured on an H100, 2026-11-26: the reference in fp64, and warming up.
set(FAMILY_BESIDE_SECONDS 0.25)
