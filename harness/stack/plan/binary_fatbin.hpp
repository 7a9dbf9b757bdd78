// GPU code as nvcc packs it: containers that hold the same kernels for several architectures, as machine code
// (cubin) or as PTX. Layout: the header "fatbinary_section.h" of the toolkit names the sections and the
// wrapper; the container's and entries' headers were checked against files of CUDA 12 and 13.
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
  bool ptx = false;      ///< text that the driver compiles; false: machine code
  int architecture = 0;  ///< 90 is compute capability 9.0, 120 is 12.0
  char suffix = '\0';    ///< 'a', 'f', or '\0'
  int ptx_isa = 0;       ///< PTX only: 9.0 is 90, 8.7 is 87; 0 unknown

  std::string text() const;  ///< "sm_90a", "compute_120"
  /// All four; two versions of PTX for one architecture differ.
  bool operator==(const GpuCode&) const = default;
  /// Machine code before PTX, then by architecture.
  bool operator<(const GpuCode& other) const {
    return std::tie(ptx, architecture, suffix, ptx_isa) <
           std::tie(other.ptx, other.architecture, other.suffix, other.ptx_isa);
  }
};

/// What one container offers: all of its kernels are there in each of these forms.
using CodeSet = std::set<GpuCode>;

/// Containers, those with the same set counted together.
struct GpuCodes {
  std::map<CodeSet, std::uint64_t> sets;  ///< never an empty set
  std::uint64_t containers = 0;           ///< read so far, those without any code that is known here too
  std::uint64_t compressed = 0;           ///< entries whose contents are compressed
  std::uint64_t link_time = 0;            ///< entries of intermediate code for link-time optimisation
  std::uint64_t other = 0;                ///< entries of a kind that is not known here
  bool damaged = false;                   ///< a header makes no sense: what it begins was not read to its end
  bool cut = false;                       ///< a limit of count or time ended the reading

  CodeSet all() const;  ///< every form that some container offers
  /// Those in at least half of the containers: what a library was compiled for as a whole, without the few
  /// files that are compiled for more.
  CodeSet usual() const;
};

/// When to stop, over every call with the same GpuCodes. A library of gigabytes holds thousands of
/// containers; each costs a few small reads.
struct ReadingLimit {
  std::uint64_t containers = 200000;  ///< containers read in all
  /// One point in time for all sections and members of a file, which may have any number of them.
  std::chrono::steady_clock::time_point until = std::chrono::steady_clock::now() + std::chrono::seconds(10);

  /// It is later than that.
  bool over() const { return std::chrono::steady_clock::now() > until; }
};

/// Reads the containers of a window that holds nothing else but padding (a section, a .fatbin file) and adds
/// them.
void read_containers(const FileBytes& window, const ReadingLimit& limit, GpuCodes& codes);

/// The architecture that a cubin's ELF header states, nullopt where it is no cubin.
std::optional<GpuCode> code_of_cubin(const FileBytes& window);

/// What the first lines of PTX text state (".version 8.7", ".target sm_90a"), nullopt where it is no PTX.
std::optional<GpuCode> code_of_ptx(const std::string& beginning);

/// The first CUDA release whose driver compiles PTX of that version, "12.8" for 87; "" for versions newer
/// than known here, or none.
std::string cuda_of_ptx(int ptx_isa);

}  // namespace gpugauge::stack
