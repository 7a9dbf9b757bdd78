// The fingerprint of the node as its families see it: each finds its libraries by a search path of its own.
#pragma once

#include "result/run_file.hpp"
#include "stack/gpu_report.hpp"

namespace gpugauge::conductor {

/// Without the suite part: what stack::fingerprint() says, with the libraries that the installed families
/// would load. Loads none.
result::Fingerprint node_fingerprint(const stack::GpuReport& gpus);

/// Puts into the run's fingerprint the files of cuBLAS, cuDNN, cuFFT and NCCL that its processes really
/// mapped, where they are others than it says (a preloaded library, one that was replaced a moment ago). A
/// remark where two processes mapped different ones: the fact then holds both. `first` is library_facts() of
/// the device's first round, empty for that one: a later round, narrowed to some families, that mapped
/// nothing else is of the same stack.
void add_mapped_libraries(result::Run& run, const result::Facts& first);

/// What add_mapped_libraries() left in the run's fingerprint, and nothing else of it.
result::Facts library_facts(const result::Run& run);

}  // namespace gpugauge::conductor
