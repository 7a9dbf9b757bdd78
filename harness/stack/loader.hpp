// Predicts which copy of a library the dynamic loader picks for a program without a search path of its own.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "stack/environment.hpp"
#include "stack/tree.hpp"

namespace gpugauge::stack {

/// One entry of /etc/ld.so.cache.
struct CachedLibrary {
  std::string soname;  ///< the name programs ask for
  std::string path;    ///< of the file or link, as ldconfig wrote it
};

/// The processor of a tree's programs, and its consequences for their loader.
struct LoaderAbi {
  std::uint16_t machine;               ///< e_machine of its ELF files: EM_X86_64, EM_AARCH64
  std::uint32_t cache_flags;           ///< flags of its entries in /etc/ld.so.cache
  std::array<const char*, 6> folders;  ///< folders that the loader searches last
};
/// The ABI of this build.
const LoaderAbi& own_loader_abi();
/// From the ELF header of a program that every tree has, else of its loader: an image may be for another
/// processor. This build's ABI if neither tells.
const LoaderAbi& loader_abi(const Tree& tree);

/// Entries for that ABI in a cache of the format "glibc-ld.so.cache1.1" (glibc 2.2 and later). Empty if the
/// text is no such cache or is damaged.
std::vector<CachedLibrary> parse_loader_cache(const std::string& bytes,
                                              const LoaderAbi& abi = own_loader_abi());

/// "/a::/b;/c" -> {"/a", "/b", "/c"}: the non-empty entries of a search path. Empty ones mean the current
/// folder, which is no fact about the machine.
std::vector<std::string> split_folders(const std::string& list);

/// The search path in a program or library.
struct OwnFolders {
  std::vector<std::string> rpath = {};    ///< searched before LD_LIBRARY_PATH
  std::vector<std::string> runpath = {};  ///< searched after it

  bool operator==(const OwnFolders&) const = default;  ///< member by member
};

/// Searches folders in the order of ld.so(8): LD_LIBRARY_PATH, /etc/ld.so.cache, the standard folders, and
/// the program's own folders, if given. Opens no library.
class Loader {
 public:
  /// Reads the cache, and LD_LIBRARY_PATH from `environment`. `tree` must outlive this object.
  Loader(const Tree& tree, const Environment& environment);

  /// The path below the root, without resolving symbolic links; "" if no folder has it. Skips dangling links,
  /// files in folders that may not be entered, and ELF files of another processor or word size. `own`: the
  /// search path of the program that asks.
  std::string pick(const std::string& soname, const OwnFolders& own = {}) const;
  /// Every path below the root where it is found, in search order. Different names may lead to one file.
  std::vector<std::string> all(const std::string& soname, const OwnFolders& own = {}) const;

  /// Existing search folders that this user may not enter. The search skips them as the real loader does;
  /// other users may find libraries there.
  std::vector<std::string> refused() const;
  const std::vector<std::string>& path_folders() const { return first_; }  ///< folders of LD_LIBRARY_PATH
  /// In the cache's order; empty if it is absent, unreadable or damaged.
  const std::vector<CachedLibrary>& cache() const { return cache_; }
  /// Standard folders for the tree's processor, in search order.
  std::vector<std::string> standard_folders() const;

 private:
  bool loads(const std::string& path) const;  ///< it exists and is for no other processor

  const Tree& tree_;
  const LoaderAbi& abi_;
  std::vector<std::string> first_;  ///< folders of LD_LIBRARY_PATH
  std::vector<CachedLibrary> cache_;
};

}  // namespace gpugauge::stack
