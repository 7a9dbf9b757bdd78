// The words that both sides of the house share: classes, units, directions, states. One list of each, here.
#pragma once

#include <array>
#include <string>
#include <string_view>

namespace gpugauge::result {

/// Which way a metric is better.
enum class Direction { higher, lower };

/// What became of a benchmark, a process or a family.
/// ok: measured. skipped: it could not apply here (too little memory, wrong compute capability) and says why.
/// unavailable: a library or device that it needs is missing. failed: it ran and went wrong (wrong result,
/// error, crash, time limit). interrupted: the user or a limit ended it.
enum class Status { ok, skipped, unavailable, failed, interrupted };

/// What a metric stresses; tolerances and diagnosis go by class, never by a metric's name.
struct ClassInfo {
  std::string_view name;     ///< as it stands in files, policies and --only
  std::string_view meaning;  ///< what is in it, for whoever chooses one
};

/// Every class there is, in the order in which lists name them.
inline constexpr std::array classes{
    ClassInfo{"gemm64", "matrix product, fp64"},
    ClassInfo{"gemm32", "matrix product, fp32 without Tensor Cores"},
    ClassInfo{"gemmtf32", "matrix product, tf32"},
    ClassInfo{"gemm16", "matrix product, fp16 or bf16"},
    ClassInfo{"gemm8", "matrix product, fp8 or int8"},
    ClassInfo{"conv", "convolution"},
    ClassInfo{"attention", "scaled-dot-product attention"},
    ClassInfo{"fft", "fast Fourier transform"},
    ClassInfo{"primitive", "reduce, scan, sort, histogram, select"},
    ClassInfo{"hbm", "device-memory bandwidth"},
    ClassInfo{"l2", "L2 bandwidth and latency"},
    ClassInfo{"smem", "shared-memory bandwidth"},
    ClassInfo{"atomic", "atomic operations"},
    ClassInfo{"launch", "kernel and graph launch"},
    ClassInfo{"first_launch", "first launch in a fresh process"},
    ClassInfo{"init", "start-up until the first kernel"},
    ClassInfo{"alloc", "memory allocation"},
    ClassInfo{"sync", "stream, event and device synchronisation"},
    ClassInfo{"h2d", "copies from host to device"},
    ClassInfo{"d2h", "copies from device to host"},
    ClassInfo{"p2p", "copies between devices"},
    ClassInfo{"coll_large", "collectives, bandwidth-bound sizes"},
    ClassInfo{"coll_small", "collectives, latency-bound sizes"},
    ClassInfo{"host_cpu", "host processor: arithmetic, system calls, wake-up"},
    ClassInfo{"host_memory", "host memory bandwidth and latency"},
    ClassInfo{"integrity", "repeatability bit for bit"},
    ClassInfo{"framework_op", "one operation of a framework"},
    ClassInfo{"application", "a program of the user's own"},
};

/// Units in which values are written: SI, spelled out, no prefixes. "1" is a plain ratio or count.
inline constexpr std::array<std::string_view, 10> units{
    "second", "byte/second", "flop/second", "operation/second", "hertz", "byte",
    "watt",   "celsius",     "1",           "flop/clock"};

/// The range of a value that anything of a machine can have, in any unit: what is judged, and each bound of
/// it, is smallest_value to largest_value; what is only recorded is at most largest_value away from 0. Ratios
/// and powers of such values are finite.
inline constexpr double smallest_value = 1e-30;
inline constexpr double largest_value = 1e30;

/// Finite, and at most largest_value away from 0.
bool is_possible(double value);
/// The same, and smallest_value or more.
bool is_possible_size(double value);

bool is_class(std::string_view name);  ///< one of classes, letter for letter
bool is_unit(std::string_view name);   ///< one of units, letter for letter

/// The word in files; std::invalid_argument for a value outside the enumeration.
std::string_view to_string(Direction value);
std::string_view to_string(Status value);  ///< likewise

/// Throws std::invalid_argument, naming the word and the words that exist.
Direction direction_from(std::string_view word);
Status status_from(std::string_view word);  ///< likewise

}  // namespace gpugauge::result
