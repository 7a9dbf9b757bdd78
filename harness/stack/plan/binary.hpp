// `doctor --binary FILE`: the GPU code in a program or library, what it needs, and whether it can run on a
// machine. Reads the file; never runs or loads it.
#pragma once

#include <string>
#include <vector>

#include "stack/environment.hpp"
#include "stack/plan/binary_fatbin.hpp"
#include "stack/tree.hpp"

namespace gpugauge::stack {

/// The type of a file; unknown: another type, or it could not be opened.
enum class BinaryKind { unknown, executable, shared_library, object, archive, cubin, ptx, fatbin };
const char* to_string(BinaryKind kind);  ///< "shared library"

/// How the file gets the CUDA runtime.
enum class RuntimeLink {
  none,     ///< no sign of one: it uses only the driver API, or no CUDA
  shared,   ///< it needs libcudart.so
  inside,   ///< statically linked
  by_link,  ///< decided by a later link or by whatever loads it
};
const char* to_string(
    RuntimeLink link);  ///< "static", "shared", "none", "left to the link or to what loads it"

/// A library that a program needs from the loader.
struct NeededLibrary {
  std::string soname;  ///< as in the file; a name with a slash is a path and is not searched for
  std::string path;    ///< what the loader would pick on this machine; "" if it finds none

  bool operator==(const NeededLibrary&) const = default;  ///< soname and path
};

/// The type of a file and its GPU code.
struct BinaryReport {
  std::string path;                       ///< as given; absolute on the live machine, else below the root
  BinaryKind kind = BinaryKind::unknown;  ///< unknown also if the file could not be opened
  std::string problem;       ///< why some or all of it could not be read, a clause; "" if all was read
  std::string machine;       ///< its processor: "x86_64", "aarch64", ...; "" for pure GPU code
  GpuCodes codes;            ///< without sets if it has none or none could be read
  bool relocatable = false;  ///< its GPU code still needs linking (nvcc -dc)
  RuntimeLink runtime = RuntimeLink::none;  ///< always none for pure GPU code
  std::string runtime_version;  ///< "13.0" for a static one, "13" from a shared one's name, "" unknown
  /// In the file's order; empty for objects and archives, which are not linked yet.
  std::vector<NeededLibrary> needed;
};

/// Reads a file of the inspected machine: an executable, library, object, archive of objects, .cubin, .ptx or
/// .fatbin. Any other file is unknown, and `problem` says why.
BinaryReport inspect_binary(const Tree& tree, const Environment& environment, const std::string& path,
                            const ReadingLimit& limit = {});

/// The machine on which it should run.
struct RunQuestion {
  std::vector<std::string> compute_capabilities;  ///< "9.0"; of the GPUs
  /// Newest CUDA that the driver supports: "12.8"; "" unknown.
  std::string driver_cuda;
  std::string machine;  ///< processor: "x86_64"; "" for any
};

/// Whether the file runs on one compute capability.
struct RunAnswer {
  /// How much of it runs, and how.
  enum class Way {
    machine_code,  ///< all of its code exists as machine code for this GPU
    compiled,      ///< it runs, but the driver must first compile some or all of its code from PTX
    partly,        ///< some containers have no code for this GPU
    no,            ///< it cannot start, or none of its code fits
    unknown,       ///< the driver must compile it, and its version is unknown
    no_gpu_code,   ///< it has no GPU code, so the file does not tell
  };
  std::string compute_capability;  ///< as in the question: "9.0"
  Way way = Way::unknown;          ///< `sentence` gives the reason
  std::vector<std::string> uses;   ///< code that the driver would use: "sm_90", "compute_80 (PTX 8.7)"
  std::string sentence;            ///< whether it can run, and why
  std::string first_launch;        ///< the cost of its first launch; "" if it does not run
};

/// One answer per compute capability. Machine code runs on the same major and the same or a later minor
/// compute capability. It does not run across desktop GPUs and Tegra. Code for sm_90a runs only on 9.0, code
/// for sm_100f only on its family. PTX runs on its compute capability or later, if the driver is not older
/// than the PTX.
std::vector<RunAnswer> can_run(const BinaryReport& report, const RunQuestion& question);

/// can_run for one form of code, ignoring whether the driver accepts the PTX version.
bool fits(const GpuCode& code, int compute_capability_major, int compute_capability_minor);

}  // namespace gpugauge::stack
