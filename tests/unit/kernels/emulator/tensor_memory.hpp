// Tensor Memory of a block and the products on it that one thread has started, for the emulated tcgen05.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <vector>

namespace emulator {

struct TensorMemory {
  static constexpr std::size_t lanes = 128;
  static constexpr std::size_t columns = 512;

  std::mutex mutex;
  std::vector<std::uint32_t> words = std::vector<std::uint32_t>(lanes * columns, 0xffffffffU);
  std::uint32_t first = 0;  ///< column
  std::size_t taken = 0;    ///< columns
  unsigned holder = 0;      ///< warp that took them
  unsigned issuer = 0;      ///< thread that starts the products
  struct Product {
    std::size_t sums;  ///< its first column of 256
    std::function<void()> run;
  };
  std::vector<Product> products;
  std::size_t done = 0;  ///< of products

  std::uint32_t& at(std::size_t row, std::size_t column) { return words.at(row * columns + column); }
  /// Products of one thread follow each other.
  void finish(std::size_t count) {
    const std::scoped_lock lock(mutex);
    for (; done < count; ++done) products.at(done).run();
  }
  std::size_t started() {
    const std::scoped_lock lock(mutex);
    return products.size();
  }
  bool idle() {
    const std::scoped_lock lock(mutex);
    return done == products.size();
  }
  /// Whether a product that is not done adds to the sums that hold this column: 256 each.
  bool adds_to(std::size_t column) {
    const std::scoped_lock lock(mutex);
    for (std::size_t i = done; i < products.size(); ++i)
      if (products[i].sums / 256 == column / 256) return true;
    return false;
  }
};

}  // namespace emulator
