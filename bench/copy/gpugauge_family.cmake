# Measured on an H100, 2026-11-26: page-locking, filling and comparing up to a gigabyte of the host's memory.
set(FAMILY_BESIDE_SECONDS 0.3)
