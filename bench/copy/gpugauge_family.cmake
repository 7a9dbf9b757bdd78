# Estimated from what an H100 took on 2026-11-26 (docs/measuring.md): page-locking, filling and comparing up to a gigabyte of the host's memory.
set(FAMILY_BESIDE_SECONDS 0.3)
