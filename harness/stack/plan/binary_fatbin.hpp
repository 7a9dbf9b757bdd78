// GPU code as nvcc packs it: containers with the same kernels for several architectures, as machine code
// (cubin) or PTX. The toolkit's header "fatbinary_section.h" names the sections and the wrapper. The headers
// of containers and entries were verified with files of CUDA 12 and 13.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>

#include "stack/elf_bytes.hpp"

namespace gpugauge::stack {

/// One architecture's code: sm_90, sm_90a (only this one), sm_100f (this family), compute_90 (PTX).
struct GpuCode {
  bool ptx = false;      ///< true: text that the driver compiles; false: machine code
  int architecture = 0;  ///< 90 is compute capability 9.0, 120 is 12.0
  char suffix = '\0';    ///< 'a', 'f', or '\0'
  int ptx_isa = 0;       ///< PTX only: 9.0 is 90, 8.7 is 87; 0 unknown

  std::string text() const;  ///< "sm_90a", "compute_120"
  /// Compares all four members: two PTX versions for one architecture differ.
  bool operator==(const GpuCode&) const = default;
  /// Orders machine code before PTX, then by architecture.
  bool operator<(const GpuCode& other) const {
    return std::tie(ptx, architecture, suffix, ptx_isa) <
           std::tie(other.ptx, other.architecture, other.suffix, other.ptx_isa);
  }
};

/// The forms of code in a container: each holds all of its kernels.
using CodeSet = std::set<GpuCode>;

/// Containers, grouped by their set.
struct GpuCodes {
  std::map<CodeSet, std::uint64_t> sets;  ///< never an empty set
  std::uint64_t containers = 0;           ///< containers read so far, including those without known code
  std::uint64_t compressed = 0;           ///< entries whose contents are compressed
  std::uint64_t link_time = 0;            ///< entries with intermediate code for link-time optimisation
  std::uint64_t other = 0;                ///< entries of an unknown kind
  bool damaged = false;                   ///< a header is invalid; its content was not read to the end
  bool cut = false;                       ///< a limit on count or time ended the reading

  CodeSet all() const;  ///< every form in any container
  /// Forms in at least half of the containers: the targets of the library as a whole. Ignores the few files
  /// that are compiled for more.
  CodeSet usual() const;
};

/// Limits on reading, over all calls with the same GpuCodes. A library of gigabytes holds thousands of
/// containers; each costs a few small reads.
struct ReadingLimit {
  std::uint64_t containers = 200000;  ///< most containers to read in total
  /// One deadline for all sections and members of a file, of which there may be any number.
  std::chrono::steady_clock::time_point until = std::chrono::steady_clock::now() + std::chrono::seconds(10);

  /// True after that time.
  bool over() const { return std::chrono::steady_clock::now() > until; }
};

/// Reads and adds the containers of a window that holds only containers and padding (a section, a .fatbin
/// file).
void read_containers(const FileBytes& window, const ReadingLimit& limit, GpuCodes& codes);

/// The architecture in a cubin's ELF header; nullopt if it is no cubin.
std::optional<GpuCode> code_of_cubin(const FileBytes& window);

/// The data in the first lines of PTX text (".version 8.7", ".target sm_90a"); nullopt if it is no PTX.
std::optional<GpuCode> code_of_ptx(const std::string& beginning);

/// The first CUDA release whose driver compiles that PTX version: "12.8" for 87. "" for 0 and for versions
/// newer than known here.
std::string cuda_of_ptx(int ptx_isa);

}  // namespace gpugauge::stack
