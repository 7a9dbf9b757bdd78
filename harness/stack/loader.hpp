// Which copy of a library the dynamic loader would pick for a program without a search path of its own.
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
  std::string soname;  ///< the name that programs ask for
  std::string path;    ///< of the file or link, as ldconfig wrote it
};

/// The processor that a tree's programs are for, and what that means for their loader.
struct LoaderAbi {
  std::uint16_t machine;               ///< e_machine of its ELF files: EM_X86_64, EM_AARCH64
  std::uint32_t cache_flags;           ///< of its entries in /etc/ld.so.cache
  std::array<const char*, 6> folders;  ///< that the loader looks through last
};
/// The one that this was built for.
const LoaderAbi& own_loader_abi();
/// By the ELF header of a program that every tree has, else of its loader, since an image may be of another
/// processor; of this build where neither tells.
const LoaderAbi& loader_abi(const Tree& tree);

/// Entries of a cache in the format "glibc-ld.so.cache1.1" (glibc 2.2 and later) for that ABI; empty where
/// the text is no such cache or is damaged.
std::vector<CachedLibrary> parse_loader_cache(const std::string& bytes,
                                              const LoaderAbi& abi = own_loader_abi());

/// "/a::/b;/c" -> {"/a", "/b", "/c"}: the entries of a search path, without the empty ones (the current
/// folder, which is no fact about the machine).
std::vector<std::string> split_folders(const std::string& list);

/// The search path that a program or library brings along.
struct OwnFolders {
  std::vector<std::string> rpath = {};    ///< looked at before LD_LIBRARY_PATH
  std::vector<std::string> runpath = {};  ///< and after it

  bool operator==(const OwnFolders&) const = default;  ///< member by member
};

/// Folder by folder as ld.so(8) has it: LD_LIBRARY_PATH, /etc/ld.so.cache, the standard folders, and between
/// them what the caller says that the program brings along. Opens no library.
class Loader {
 public:
  /// Reads the cache and LD_LIBRARY_PATH of `environment`. `tree` must outlive this object.
  Loader(const Tree& tree, const Environment& environment);

  /// Path below the root, symbolic links not resolved; "" where no folder has it. A link that leads nowhere,
  /// a file in a folder that may not be entered, and an ELF file of another processor or word size are passed
  /// over. `own`: of the program that asks for it.
  std::string pick(const std::string& soname, const OwnFolders& own = {}) const;
  /// Every path below the root where it is found, in the order of the search; different names may lead to one
  /// file.
  std::vector<std::string> all(const std::string& soname, const OwnFolders& own = {}) const;

  /// Folders of the search that are there and may not be entered by this user: what they hold is passed over,
  /// as the real loader passes it over, and may be found by others.
  std::vector<std::string> refused() const;
  const std::vector<std::string>& path_folders() const { return first_; }  ///< of LD_LIBRARY_PATH
  /// In its own order; empty where it is absent, unreadable or damaged.
  const std::vector<CachedLibrary>& cache() const { return cache_; }
  /// Those of the tree's processor, in the order of the search.
  std::vector<std::string> standard_folders() const;

 private:
  bool loads(const std::string& path) const;  ///< it is there, and of no other processor

  const Tree& tree_;
  const LoaderAbi& abi_;
  std::vector<std::string> first_;  ///< folders of LD_LIBRARY_PATH
  std::vector<CachedLibrary> cache_;
};

}  // namespace gpugauge::stack
