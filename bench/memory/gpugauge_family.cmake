# Estimated from what an H100 took on 2026-11-26 (docs/measuring.md): gigabytes are filled and compared.
set(FAMILY_BESIDE_SECONDS 0.2)
