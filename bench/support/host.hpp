// What the host has: processors that this process may use, caches, memory. All values come from the kernel's
// own files.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace gpugauge::bench {

/// Processors that this process may run on (affinity and cpuset), ascending; never empty.
std::vector<int> allowed_cpus();

/// The first line of a kernel file, without its newline; "" where there is none.
std::string first_line(const std::filesystem::path& file);

/// Restricts the calling thread, and the threads and processes it starts, to these processors permanently.
/// Throws std::system_error when the kernel refuses.
void allow_only(const std::vector<int>& cpus);

/// Restricts the calling thread to these processors; the destructor restores the earlier affinity.
class Pinned {
 public:
  /// Throws std::system_error when the kernel refuses.
  explicit Pinned(const std::vector<int>& cpus);
  ~Pinned();
  Pinned(const Pinned&) = delete;
  Pinned& operator=(const Pinned&) = delete;

 private:
  std::vector<int> before_;
};

/// Processors for the axis `cores`. "one_core" is the highest-numbered allowed one, because the lowest serves
/// most interrupts. "all_cores" are all allowed ones.
std::vector<int> cpus_of(const std::string& cores);

/// Data-cache sizes that one processor sees, in bytes. A size that the kernel does not report keeps a common
/// default.
struct Caches {
  /// First level, data or both, in bytes.
  std::size_t l1 = std::size_t{32} << 10;
  /// Second level, in bytes.
  std::size_t l2 = std::size_t{1} << 20;
  std::size_t last = std::size_t{32} << 20;  ///< one instance of the last level
  bool known = false;                        ///< false: the kernel reports nothing, these are the defaults
};
/// The caches of processor `cpu`; `root` is the prefix of /sys.
Caches caches_of(int cpu, const std::filesystem::path& root = "/");

/// Sum of the last-level caches that these processors reach.
std::size_t last_level_bytes(const std::vector<int>& cpus, const std::filesystem::path& root = "/");

/// Bytes of memory that can still be used: the kernel's estimate, or less where a control group limits it
/// (version 1 or 2, its own or an ancestor), whose cached files count as free. 0 when nothing can be read.
std::size_t available_memory_bytes(const std::filesystem::path& root = "/");

/// Bytes of memory that this process could use if nobody else used any: all of it, or what its control groups allow.
/// 0 when nothing can be read.
std::size_t allowed_memory_bytes(const std::filesystem::path& root = "/");

/// Why `bytes` of the host's memory are too many where `available` can still be used: a sentence without a full stop. A
/// quarter stays free. nullopt where they fit, and where it is not known (0).
std::optional<std::string> why_host_too_small(std::size_t available, std::size_t bytes);

}  // namespace gpugauge::bench
