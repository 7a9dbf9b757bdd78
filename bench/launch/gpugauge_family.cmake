# Measured on an H100, 2026-11-26: next to nothing beside the windows.
set(FAMILY_BESIDE_SECONDS 0.02)
