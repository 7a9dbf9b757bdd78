# Estimated from what an H100 took on 2026-11-26 (docs/measuring.md): page-locking, filling and comparing up to a gigabyte of the host's memory. A fifth was added for
# the copy into poisoned memory after the window, which is not measured yet.
set(FAMILY_BESIDE_SECONDS 0.36)
