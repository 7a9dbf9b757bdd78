# Machine code, and PTX of 7.5 and of nothing else: what CUDA_FORCE_PTX_JIT compiles on every GPU.
set(FAMILY_PTX 75)
# Estimated from what an H100 took on 2026-11-26 (docs/measuring.md): four fresh processes at the least, of some tenths of a second each.
set(FAMILY_BESIDE_SECONDS 0.45)
