#include "run/order.hpp"

#include <numeric>
#include <random>
#include <utility>

namespace gpugauge::run {
namespace {

/// Uniform over [0, bound). Does not use the standard library's distributions, which differ between
/// implementations.
std::uint64_t below(std::mt19937_64& generator, std::uint64_t bound) {
  const std::uint64_t reject_below = (0 - bound) % bound;  // 2^64 mod bound
  for (;;) {
    const std::uint64_t draw = generator();
    if (draw >= reject_below) return draw % bound;
  }
}

}  // namespace

std::vector<Step> order(std::size_t families, int processes, std::uint64_t seed) {
  std::mt19937_64 generator(seed);
  std::vector<Step> steps;
  std::vector<std::size_t> shuffled(families);
  std::iota(shuffled.begin(), shuffled.end(), std::size_t{0});
  for (int index = 0; index < processes; ++index) {
    for (std::size_t i = families; i > 1; --i) std::swap(shuffled[i - 1], shuffled[below(generator, i)]);
    for (const std::size_t family : shuffled) steps.push_back({family, index});
  }
  return steps;
}

std::uint64_t process_seed(std::uint64_t seed, const std::string& family, int index) {
  std::uint64_t hash = 0xCBF29CE484222325U;  // FNV-1a
  for (const char c : family) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3U;
  // splitmix64: neighbouring inputs give unrelated seeds
  std::uint64_t z = seed ^ (hash + static_cast<std::uint64_t>(index) * 0x9E3779B97F4A7C15U);
  z += 0x9E3779B97F4A7C15U;
  z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9U;
  z = (z ^ (z >> 27U)) * 0x94D049BB133111EBU;
  return z ^ (z >> 31U);
}

}  // namespace gpugauge::run
