#include "support/stream.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <vector>

#include <fmt/format.h>

namespace gpugauge::bench {

namespace {

// Two 16-byte vectors per step, fixed by hand so that every compiler and optimisation level gives the same
// loop. The barrier keeps compilers from turning the copy into memcpy, whose non-temporal stores would move
// fewer bytes.
using Pack = double __attribute__((vector_size(16)));
constexpr std::size_t pack_elements = 2;
constexpr std::size_t packs_per_step = 4;

void copy(double* to, const double* from, std::size_t elements) {
  auto* a = reinterpret_cast<Pack*>(to);
  const auto* b = reinterpret_cast<const Pack*>(from);
  for (std::size_t i = 0; i < elements / pack_elements; i += packs_per_step) {
    a[i] = b[i];
    a[i + 1] = b[i + 1];
    a[i + 2] = b[i + 2];
    a[i + 3] = b[i + 3];
    asm volatile("" ::: "memory");
  }
}

void triad(double* to, const double* from, const double* other, std::size_t elements) {
  auto* a = reinterpret_cast<Pack*>(to);
  const auto* b = reinterpret_cast<const Pack*>(from);
  const auto* c = reinterpret_cast<const Pack*>(other);
  const Pack factor{Stream::scale, Stream::scale};
  for (std::size_t i = 0; i < elements / pack_elements; i += packs_per_step) {
    a[i] = b[i] + factor * c[i];
    a[i + 1] = b[i + 1] + factor * c[i + 1];
    a[i + 2] = b[i + 2] + factor * c[i + 2];
    a[i + 3] = b[i + 3] + factor * c[i + 3];
    asm volatile("" ::: "memory");
  }
}

// Small integers: sums and products are exact, so any difference is an error.
double source(std::size_t index) {
  return static_cast<double>(index % 8191);
}
double other_source(std::size_t index) {
  return static_cast<double>(index % 127);
}

// The larger of two errors; propagates NaN, which std::max would lose.
double worse(double left, double right) {
  if (std::isnan(left) || std::isnan(right)) return std::numeric_limits<double>::quiet_NaN();
  return std::max(left, right);
}

std::int64_t slices_of(std::size_t bytes, std::size_t arrays, int members) {
  const std::size_t slice =
      arrays * Stream::slice_elements * sizeof(double) * static_cast<std::size_t>(members);
  if (bytes < slice)
    throw std::invalid_argument(
        fmt::format("a stream needs at least {} bytes of memory, not {}", slice, bytes));
  return static_cast<std::int64_t>(bytes / slice);
}

}  // namespace

Stream::Stream(Kind kind, std::span<std::byte> memory, ThreadTeam& team)
    : kind_(kind),
      team_(team),
      arrays_(kind == Kind::copy ? 2 : 3),
      slices_(slices_of(memory.size(), arrays_, team.size())),
      elements_(static_cast<std::size_t>(slices_) * slice_elements * static_cast<std::size_t>(team.size())),
      start_(reinterpret_cast<double*>(memory.data())) {
  team_.run([this](int member) {
    const std::size_t part = static_cast<std::size_t>(slices_) * slice_elements;
    double* const a = array(0, member);
    double* const b = array(1, member);
    std::fill(a, a + part, std::numeric_limits<double>::quiet_NaN());
    for (std::size_t i = 0; i < part; ++i) b[i] = source(i);
    if (kind_ == Kind::copy) return;
    double* const c = array(2, member);
    for (std::size_t i = 0; i < part; ++i) c[i] = other_source(i);
  });
}

double Stream::bytes_per_operation() const {
  return static_cast<double>(arrays_ * sizeof(double) * slice_elements) * team_.size();
}

double* Stream::array(int index, int member) const {
  return start_ + static_cast<std::size_t>(index) * elements_ +
         static_cast<std::size_t>(member) * static_cast<std::size_t>(slices_) * slice_elements;
}

void Stream::slice(int member, std::int64_t number) const {
  const std::size_t offset = static_cast<std::size_t>(number % slices_) * slice_elements;
  if (kind_ == Kind::copy)
    copy(array(0, member) + offset, array(1, member) + offset, slice_elements);
  else
    triad(array(0, member) + offset, array(1, member) + offset, array(2, member) + offset, slice_elements);
}

void Stream::walk(std::int64_t operations) {
  team_.run([=, this](int member) {
    for (std::int64_t i = 0; i < operations; ++i) slice(member, walked_ + i);
  });
  walked_ += operations;
}

double Stream::largest_error() {
  if (walked_ < slices_) walk(slices_ - walked_);
  std::vector<double> errors(static_cast<std::size_t>(team_.size()), 0);
  team_.run([&](int member) {
    const double* const a = array(0, member);
    const std::size_t part = static_cast<std::size_t>(slices_) * slice_elements;
    double largest = 0;
    for (std::size_t i = 0; i < part; ++i) {
      const double expected = kind_ == Kind::copy ? source(i) : source(i) + scale * other_source(i);
      largest = worse(largest, std::abs(a[i] - expected));
    }
    errors[static_cast<std::size_t>(member)] = largest;
  });
  double largest = 0;
  for (const double error : errors) largest = worse(largest, error);
  return largest;
}

}  // namespace gpugauge::bench
