// What a family needs from its machine before any benchmark runs. Through this interface support/cuda
// reports why there is no usable GPU and adds facts to the context. This folder itself needs no CUDA.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "result/samples.hpp"
#include "support/gpu_room.hpp"

namespace gpugauge::bench {

/// Functions that the family supplies to answer questions about the machine.
struct Environment {
  /// Returns one sentence why no benchmark of this family can run here, or nullopt. Called once, before the
  /// first benchmark.
  std::function<std::optional<std::string>()> unavailable;
  /// Compute capability of the device under test (90 for 9.0). Called only when unavailable() returned
  /// nullopt.
  std::function<int()> compute_capability;
  /// Number of GPUs that this process sees. Called only when unavailable() returned nullopt; empty means one.
  std::function<int()> devices;
  /// Returns "rank3" where several processes of one family run together; it becomes part of the sample file's
  /// name. Called after unavailable(). May be empty, or return "", for a process that runs alone.
  std::function<std::string()> rank_name = nullptr;
  /// Returns for example "node7.20260131T120000Z-4711": the same in all processes of one job, and in no other
  /// job. It becomes part of a sample file's name when --gpugauge_samples is absent. Called after
  /// unavailable(), only where rank_name() returns a name.
  std::function<std::string()> job_name = nullptr;
  /// Returns why this process can measure nothing any more, as the end of a sentence ("the CUDA context was
  /// lost"), or nullopt. Called after a failed benchmark; may be empty.
  std::function<std::optional<std::string>()> lost = nullptr;
  /// Called last, after the sample file is written; may be empty.
  std::function<void()> finish = nullptr;
  /// Notes on the process, added to every benchmark. Called before each; may be empty.
  std::function<result::Facts()> notes = nullptr;
  /// Returns the memory of the device under test, or nullopt where it cannot be read. Called after a
  /// benchmark that got too little memory; may be empty.
  std::function<std::optional<GpuMemory>()> gpu_memory = nullptr;
  /// Adds facts to the sample file's context. Called after unavailable(), also when the family is
  /// unavailable.
  std::function<void(result::Facts&)> describe;
};

/// Sets the process's environment; any member may be empty. The last call wins. Call it before run_family, or
/// from a static initialiser in an object file that the benchmarks refer to. The linker drops other object
/// files of a static library.
void set_environment(Environment environment);
const Environment& environment();

}  // namespace gpugauge::bench
