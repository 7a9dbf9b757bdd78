// The shared vocabulary of bench and harness: classes, units, directions, states. Each has one list, here.
#pragma once

#include <array>
#include <string>
#include <string_view>

namespace gpugauge::result {

/// The direction in which a metric improves.
enum class Direction { higher, lower };

/// The outcome of a benchmark, a process or a family.
/// ok: measured. skipped: it could not apply here (too little memory, wrong compute capability) and says why.
/// unavailable: a library or device that it needs is missing. failed: it ran and went wrong (wrong result,
/// error, crash, time limit). interrupted: the user or a limit ended it.
enum class Status { ok, skipped, unavailable, failed, interrupted };

/// What a metric stresses. Tolerances and diagnosis use the class, never a metric's name.
struct ClassInfo {
  std::string_view name;     ///< as it stands in files, policies and --only
  std::string_view meaning;  ///< what the class contains, for users who select one
};

/// All classes, in the order in which lists show them.
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
    ClassInfo{"coll_small", "collectives and copies between devices, latency-bound sizes"},
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

/// The range of values that are possible on a machine, in any unit. Judged values and their bounds lie within
/// smallest_value ... largest_value. Values that are only recorded are at most largest_value away from 0.
/// Ratios and powers of such values stay finite.
inline constexpr double smallest_value = 1e-30;
inline constexpr double largest_value = 1e30;

/// True if finite and at most largest_value away from 0.
bool is_possible(double value);
/// True if is_possible() and at least smallest_value.
bool is_possible_size(double value);

bool is_class(std::string_view name);  ///< one of classes, letter for letter
bool is_unit(std::string_view name);   ///< one of units, letter for letter

/// The word used in files. Throws std::invalid_argument for a value outside the enumeration.
std::string_view to_string(Direction value);
std::string_view to_string(Status value);  ///< the same for a status

/// Throws std::invalid_argument that lists the valid words.
Direction direction_from(std::string_view word);
Status status_from(std::string_view word);  ///< the same for a status

}  // namespace gpugauge::result
