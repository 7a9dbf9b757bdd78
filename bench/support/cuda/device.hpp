// The GPU under test: the first one that this process sees, or the reason why there is none.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include <cuda_runtime_api.h>

#include "support/gpu_room.hpp"

namespace gpugauge::bench::cuda {

/// A GPU as the CUDA runtime describes it.
struct Device {
  /// "NVIDIA H100 80GB HBM3".
  std::string name;
  std::string uuid;            ///< "GPU-8a3c...", as nvidia-smi writes it
  std::string pci_bus_id;      ///< "0000:01:00.0"
  int compute_capability = 0;  ///< 90 for 9.0
  /// Streaming multiprocessors.
  int sm_count = 0;
  /// Total memory, free or not.
  std::size_t memory_bytes = 0;
  /// Size of the L2 cache.
  std::size_t l2_bytes = 0;
  /// Highest SM clock; 0 = the driver does not say.
  double sm_clock_max_hz = 0;
};

/// Device 0 of this process, read once. Throws CudaError.
const Device& device();

/// "GPU-8a3c...": the UUID of a device of this process. Throws CudaError.
std::string uuid_of(int device);

/// Memory of the current device. Throws CudaError.
GpuMemory memory_now();

/// Bytes of device memory that can be allocated now. Throws CudaError.
std::size_t free_memory_bytes();

/// Returns why `bytes` of device memory cannot be allocated now while a tenth of the GPU's memory stays free,
/// or nullopt. Throws CudaError.
std::optional<std::string> why_too_large(std::size_t bytes);

/// Returns why no other process can make a context on the current device while this one has one (its compute
/// mode), or nullopt. Under MPS another process still works, so ask only after one has failed.
std::optional<std::string> why_exclusive();

/// The outcome of the attempt to use a GPU.
struct StartUp {
  bool driver_library = false;     ///< libcuda.so.1 could be opened
  std::string loader_message;      ///< why not
  cudaError_t code = cudaSuccess;  ///< of the first call that failed
  const char* doing = "";          ///< the action of that call
  /// Number of GPUs that the runtime shows.
  int devices = 0;
  int driver_version = 0;          ///< newest CUDA that the driver supports, 13000 for 13.0; 0 = unknown
  int runtime_version = 0;         ///< CUDA version of this build
  std::string compute_capability;  ///< "9.0", once known
};

/// One or two sentences for a failed start-up; nullopt for a successful one. The runtime returns error 35
/// (insufficient driver) also where there is no driver library at all. This function tells the two apart.
std::optional<std::string> why_unavailable(const StartUp& start);

/// True if the start-up failed only because something else uses the GPU or holds its memory.
bool is_occupied(const StartUp& start);

/// "13.0" for 13000, "unknown" for 0.
std::string cuda_version_text(int version);

/// Opens the driver library, makes the context and runs one kernel. Runs once; later calls return the first
/// result.
const StartUp& start_up();

}  // namespace gpugauge::bench::cuda
