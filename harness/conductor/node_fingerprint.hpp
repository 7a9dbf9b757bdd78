// The node's fingerprint as its families see it: each family has its own library search path.
#pragma once

#include "result/run_file.hpp"
#include "stack/gpu_report.hpp"

namespace gpugauge::conductor {

/// stack::fingerprint() plus the libraries that the installed families would load, without the suite part. It
/// loads none of them.
result::Fingerprint node_fingerprint(const stack::GpuReport& gpus);

/// Records in the run's fingerprint which files of cuBLAS, cuDNN, cuFFT and NCCL the processes really mapped.
/// They differ from the expected files for a preloaded or just replaced library. Where two processes mapped
/// different files, the fact holds both and a remark says so. `first` is library_facts() of the device's
/// first round, empty for that round itself. A narrower later round that mapped no other file counts as the
/// same stack.
void add_mapped_libraries(result::Run& run, const result::Facts& first);

/// Only the facts that add_mapped_libraries() wrote into the run's fingerprint.
result::Facts library_facts(const result::Run& run);

}  // namespace gpugauge::conductor
