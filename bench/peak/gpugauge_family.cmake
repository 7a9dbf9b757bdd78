# Measured on an H100, 2026-11-26: warming up.
set(FAMILY_BESIDE_SECONDS 0.2)
