// What a family needs from its machine before any benchmark runs: the seam through which support/cuda says
// "no usable GPU, because ..." and adds what it found to the context, without this folder knowing about CUDA.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "result/samples.hpp"
#include "support/gpu_room.hpp"

namespace gpugauge::bench {

/// What is asked of the machine, each by a function of the family's own.
struct Environment {
  /// One sentence why no benchmark of this family can run here, or nullopt. Called once, before the first
  /// benchmark.
  std::function<std::optional<std::string>()> unavailable;
  /// Compute capability of the device under test (90 for 9.0). Called only when unavailable() had nothing to
  /// say.
  std::function<int()> compute_capability;
  /// GPUs that this process sees. Called only when unavailable() had nothing to say; empty means one.
  std::function<int()> devices;
  /// "rank3" where several processes of one family run together: stands in the name of this one's sample
  /// file. Called after unavailable(); empty, or "", for a process that stands alone.
  std::function<std::string()> rank_name = nullptr;
  /// "node7.20260131T120000Z-4711": the same in all processes that run together and in no others; stands in
  /// the name of a sample file that nobody named. Called after unavailable(), only where rank_name() says
  /// something.
  std::function<std::string()> job_name = nullptr;
  /// Why nothing can be measured any more in this process, as the end of a sentence ("the CUDA context was
  /// lost"), or nullopt. Asked after a benchmark that failed; may be empty.
  std::function<std::optional<std::string>()> lost = nullptr;
  /// Called last, the sample file written; may be empty.
  std::function<void()> finish = nullptr;
  /// What every benchmark notes of the process that measures it. Asked before each; may be empty.
  std::function<result::Facts()> notes = nullptr;
  /// The memory of the device under test, nullopt where it cannot be read. Asked after a benchmark that got
  /// too little of it; may be empty.
  std::function<std::optional<GpuMemory>()> gpu_memory = nullptr;
  /// Adds facts to the sample file's context. Called after unavailable(), also when the family is
  /// unavailable.
  std::function<void(result::Facts&)> describe;
};

/// Sets the process's environment; any member may be empty. Call it from a static initialiser of an object
/// file that is certainly linked (one that the benchmarks refer to: the linker drops the rest of a static
/// library), or before run_family. The last call wins.
void set_environment(Environment environment);
const Environment& environment();

}  // namespace gpugauge::bench
