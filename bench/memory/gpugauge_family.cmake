# Measured on an H100, 2026-11-26: gigabytes are filled and compared.
set(FAMILY_BESIDE_SECONDS 0.2)
