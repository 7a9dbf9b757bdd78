// Memory for emulated kernels: 16-byte aligned, of exactly the size asked for, so that a sanitizer sees an
// access behind it.
#pragma once

#include <cstddef>
#include <cstring>
#include <new>
#include <utility>

namespace emulator {

template <typename T>
class Array {
 public:
  /// Every byte 0xff: NaN, or the largest integer.
  explicit Array(std::size_t count)
      : count_(count), data_(static_cast<T*>(::operator new (count * sizeof(T), std::align_val_t{32}))) {
    std::memset(static_cast<void*>(data_), 0xff, count * sizeof(T));
  }
  template <typename Make>
  Array(std::size_t count, Make make) : Array(count) {
    for (std::size_t i = 0; i < count; ++i) data_[i] = make(i);
  }
  Array(Array&& other) noexcept : count_(other.count_), data_(std::exchange(other.data_, nullptr)) {}
  Array(const Array&) = delete;
  Array& operator=(const Array&) = delete;
  ~Array() { ::operator delete (data_, std::align_val_t{32}); }
  T* get() const { return data_; }
  std::size_t count() const { return count_; }
  T& operator[](std::size_t i) const { return data_[i]; }

 private:
  std::size_t count_;
  T* data_;
};

}  // namespace emulator
