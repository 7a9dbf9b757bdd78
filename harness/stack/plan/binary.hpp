// `doctor --binary FILE`: which GPU code a program or library carries, what it needs, and whether it can run
// on a machine. The file is read, never run or loaded.
#pragma once

#include <string>
#include <vector>

#include "stack/environment.hpp"
#include "stack/plan/binary_fatbin.hpp"
#include "stack/tree.hpp"

namespace gpugauge::stack {

/// What a file is. unknown: none of these, or it could not be opened.
enum class BinaryKind { unknown, executable, shared_library, object, archive, cubin, ptx, fatbin };
const char* to_string(BinaryKind kind);  ///< "shared library"

/// How the CUDA runtime comes in.
enum class RuntimeLink {
  none,     ///< no sign of one: the driver API alone, or no CUDA
  shared,   ///< it needs libcudart.so
  inside,   ///< linked in statically
  by_link,  ///< not linked yet, or left to whoever loads it
};
const char* to_string(
    RuntimeLink link);  ///< "static", "shared", "none", "left to the link or to what loads it"

/// A library that a program asks the loader for.
struct NeededLibrary {
  std::string soname;  ///< as the file names it; a name with a slash is a path, which is not searched for
  std::string path;    ///< what the loader would pick on this machine, "" where it finds none

  bool operator==(const NeededLibrary&) const = default;  ///< soname and path
};

/// What one file is, and which GPU code it carries.
struct BinaryReport {
  std::string path;  ///< as it was given, absolute on the live machine, else below the root
  BinaryKind kind = BinaryKind::unknown;  ///< unknown too where the file could not be opened
  std::string problem;       ///< why nothing, or not all, could be read: a clause; "" when all was
  std::string machine;       ///< processor it is for: "x86_64", "aarch64", ...; "" for GPU code alone
  GpuCodes codes;            ///< without sets where it carries none, or none could be read
  bool relocatable = false;  ///< its GPU code still has to be linked (nvcc -dc)
  RuntimeLink runtime = RuntimeLink::none;  ///< always none for GPU code alone
  std::string runtime_version;  ///< "13.0" of a static one, "13" of a shared one's name, "" unknown
  /// In the file's order; empty for objects and archives, which are not linked yet.
  std::vector<NeededLibrary> needed;
};

/// Reads a file of the inspected machine: an executable, library, object, archive of objects, .cubin, .ptx or
/// .fatbin. Anything else is unknown, with its problem said.
BinaryReport inspect_binary(const Tree& tree, const Environment& environment, const std::string& path,
                            const ReadingLimit& limit = {});

/// Where it is to run.
struct RunQuestion {
  std::vector<std::string> compute_capabilities;  ///< "9.0"; those of the GPUs
  std::string driver_cuda;                        ///< newest CUDA of the driver: "12.8"; "" unknown
  std::string machine;                            ///< processor: "x86_64"; "" does not matter
};

/// Whether the file runs on one compute capability.
struct RunAnswer {
  /// What of it runs, if anything.
  enum class Way {
    machine_code,  ///< all of its code is there for this GPU
    compiled,      ///< it runs, some or all of it after the driver has compiled PTX
    partly,        ///< some containers hold nothing for this GPU
    no,            ///< it cannot start, or none of its code fits
    unknown,       ///< it needs the driver to compile, and no driver's version is known
    no_gpu_code,   ///< it carries none, so nothing can be said from the file
  };
  std::string compute_capability;  ///< as the question has it: "9.0"
  Way way = Way::unknown;          ///< sentence says why
  std::vector<std::string> uses;   ///< what the driver would take: "sm_90", "compute_80 (PTX 8.7)"
  std::string sentence;            ///< whether it can run, and why
  std::string first_launch;        ///< what its first launch costs; "" where it does not run
};

/// One answer for each compute capability. Machine code runs on the same major and the same or a later minor
/// compute capability (not between desktop GPUs and Tegra), sm_90a only on 9.0, sm_100f on its family; PTX on
/// that compute capability or later, if the driver is not older than the PTX.
std::vector<RunAnswer> can_run(const BinaryReport& report, const RunQuestion& question);

/// The same for one form of code, without the driver's word about PTX.
bool fits(const GpuCode& code, int compute_capability_major, int compute_capability_minor);

}  // namespace gpugauge::stack
