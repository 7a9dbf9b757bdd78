// Ownership of CUDA objects. Constructors throw OutOfMemory (std::bad_alloc for host memory) or CudaError.
// Destructors ignore errors, because an earlier sticky error is reported where it arose.
#pragma once

#include <cstddef>
#include <memory>
#include <type_traits>

#include <cuda_runtime_api.h>

#include "support/cuda/error.hpp"

namespace gpugauge::bench::cuda {

/// Destroys the object behind a handle; ignores errors.
struct Deleter {
  /// Does not wait for the stream's work.
  void operator()(cudaStream_t stream) const { cudaStreamDestroy(stream); }
  /// Also valid for an event that has not happened yet.
  void operator()(cudaEvent_t event) const { cudaEventDestroy(event); }
  /// Executable graphs instantiated from it remain valid.
  void operator()(cudaGraph_t graph) const { cudaGraphDestroy(graph); }
  /// A running launch of it continues.
  void operator()(cudaGraphExec_t graph) const { cudaGraphExecDestroy(graph); }
};

/// A handle that is destroyed with its owner.
template <typename Handle>
using Owned = std::unique_ptr<std::remove_pointer_t<Handle>, Deleter>;

/// A stream that does not wait for the legacy default stream.
class Stream {
 public:
  /// Makes one on the device under test.
  Stream() {
    cudaStream_t stream = nullptr;
    check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "creating a stream");
    stream_.reset(stream);
  }
  /// Never null. The caller does not own it.
  cudaStream_t get() const { return stream_.get(); }
  /// Waits for all work that was enqueued. Throws CudaError.
  void synchronize() const { check(cudaStreamSynchronize(get()), "waiting for the GPU"); }

 private:
  Owned<cudaStream_t> stream_;
};

/// A point in a stream, with its GPU time unless cudaEventDisableTiming is given.
class Event {
 public:
  /// `flags` as cudaEventCreateWithFlags takes them.
  explicit Event(unsigned flags = cudaEventDefault) {
    cudaEvent_t event = nullptr;
    check(cudaEventCreateWithFlags(&event, flags), "creating an event");
    event_.reset(event);
  }
  /// Never null. The caller does not own it.
  cudaEvent_t get() const { return event_.get(); }
  /// Enqueues the event: it happens when earlier work on `stream` is done. Throws CudaError.
  void record(cudaStream_t stream) const { check(cudaEventRecord(get(), stream), "recording an event"); }

 private:
  Owned<cudaEvent_t> event_;
};

/// Seconds between two events that have happened.
inline double seconds_between(const Event& start, const Event& stop) {
  float milliseconds = 0;
  check(cudaEventElapsedTime(&milliseconds, start.get(), stop.get()), "reading the time between two events");
  return static_cast<double>(milliseconds) * 1e-3;
}

/// `count` elements of device memory, not initialised.
template <typename T>
class DeviceBuffer {
 public:
  /// `count` >= 1.
  explicit DeviceBuffer(std::size_t count) : count_(count) {
    void* memory = nullptr;
    check_allocation(cudaMalloc(&memory, count * sizeof(T)), "allocating GPU memory", count * sizeof(T));
    memory_.reset(static_cast<T*>(memory));
  }
  /// The first element, on the device. The caller does not own it.
  T* get() const { return memory_.get(); }
  /// Elements.
  std::size_t count() const { return count_; }
  /// Bytes of all elements.
  std::size_t bytes() const { return count_ * sizeof(T); }

 private:
  struct Free {
    void operator()(T* memory) const { cudaFree(memory); }
  };
  std::size_t count_;
  std::unique_ptr<T, Free> memory_;
};

/// `count` value-initialised elements of page-locked host memory that the GPU can reach.
template <typename T>
class PinnedBuffer {
 public:
  /// `count` >= 1.
  explicit PinnedBuffer(std::size_t count) : count_(count) {
    void* memory = nullptr;
    check_pinned(cudaHostAlloc(&memory, count * sizeof(T), cudaHostAllocMapped),
                 "allocating pinned host memory");
    memory_.reset(static_cast<T*>(memory));
    std::uninitialized_value_construct_n(get(), count);
  }
  /// The first element, at its host address. The caller does not own it.
  T* get() const { return memory_.get(); }
  /// Elements.
  std::size_t count() const { return count_; }
  /// The same memory at its GPU address.
  T* on_device() const {
    void* pointer = nullptr;
    check(cudaHostGetDevicePointer(&pointer, get(), 0), "mapping pinned memory");
    return static_cast<T*>(pointer);
  }

 private:
  struct Free {
    void operator()(T* memory) const { cudaFreeHost(memory); }
  };
  std::size_t count_;
  std::unique_ptr<T, Free> memory_;
};

/// One trivially copyable value in device memory, read on the host on demand.
template <typename T>
class DeviceValue {
 public:
  /// Sets all bytes to 0 before it returns.
  DeviceValue() : buffer_(1) {
    check(cudaMemset(buffer_.get(), 0, sizeof(T)), "clearing GPU memory");
    // A Stream does not wait for the default stream, which cleared the value.
    check(cudaStreamSynchronize(nullptr), "clearing GPU memory");
  }
  /// Its device address. The caller does not own it.
  T* get() const { return buffer_.get(); }
  /// Waits for `stream` and reads the value.
  T read(cudaStream_t stream) const {
    T value{};
    check(cudaMemcpyAsync(&value, get(), sizeof value, cudaMemcpyDeviceToHost, stream),
          "reading a value back");
    check(cudaStreamSynchronize(stream), "waiting for the GPU");
    return value;
  }

 private:
  DeviceBuffer<T> buffer_;
};

}  // namespace gpugauge::bench::cuda
