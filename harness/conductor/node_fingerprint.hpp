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
/// remark where two processes mapped different ones: the fact then holds both, and fits no baseline. `known`
/// holds such facts of earlier rounds of the command: they stand for a round whose processes mapped none, or
/// it would seem to be of another stack.
void add_mapped_libraries(result::Run& run, result::Facts& known);

}  // namespace gpugauge::conductor
