# Estimated from what an H100 took on 2026-11-26 (docs/measuring.md): 16 GiB are written and read three times at the least, and 67 million keys compared by the host.
set(FAMILY_BESIDE_SECONDS 0.05)
