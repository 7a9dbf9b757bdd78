// Predicts the dynamic loader's choice from its cache and search folders.
#include "stack/loader.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <optional>

#include <elf.h>
#include <fmt/format.h>

#include "stack/elf_bytes.hpp"

namespace gpugauge::stack {
namespace {

constexpr std::string_view magic = "glibc-ld.so.cache1.1";
constexpr std::size_t header_size = 48;
constexpr std::size_t entry_size = 24;
constexpr std::size_t cache_limit = std::size_t{32} << 20;
constexpr std::size_t path_limit = 4096;  // a longer path cannot be opened

// Flags of a cache entry. Low byte: 3 = an ELF library for glibc. High byte: the ABI; here the ones that a
// 64-bit process loads.
constexpr LoaderAbi x86_64{
    EM_X86_64,
    0x0303,
    {"/lib/x86_64-linux-gnu", "/usr/lib/x86_64-linux-gnu", "/lib64", "/usr/lib64", "/lib", "/usr/lib"}};
constexpr LoaderAbi aarch64{
    EM_AARCH64,
    0x0a03,
    {"/lib/aarch64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/lib64", "/usr/lib64", "/lib", "/usr/lib"}};

/// Processor data from the start of an ELF file; nullopt for any other file.
struct ElfKind {
  unsigned char word_size;  ///< ELFCLASS64
  std::uint16_t machine;
};
std::optional<ElfKind> elf_kind(const std::filesystem::path& file) {
  constexpr std::size_t machine_at = 18;
  const FileBytes bytes(file);
  if (bytes.read(0, SELFMAG) != ELFMAG) return std::nullopt;
  const auto word_size = bytes.value<unsigned char>(EI_CLASS);
  const auto machine = bytes.value<std::uint16_t>(machine_at);
  if (!word_size || !machine) return std::nullopt;
  return ElfKind{*word_size, *machine};
}

std::uint32_t word_at(const std::string& bytes, std::size_t offset) {
  std::uint32_t word = 0;
  std::memcpy(&word, bytes.data() + offset, sizeof word);
  return word;
}

/// The zero-terminated text at an offset; "" if it lies outside or does not end.
std::string text_at(const std::string& bytes, std::size_t offset) {
  if (offset >= bytes.size()) return "";
  const std::string_view text = std::string_view(bytes).substr(offset, path_limit);
  const auto end = text.find('\0');
  return end == std::string_view::npos ? "" : std::string(text.substr(0, end));
}

}  // namespace

std::vector<std::string> split_folders(const std::string& list) {
  std::vector<std::string> folders;
  std::size_t start = 0;
  while (start <= list.size()) {
    const std::size_t end = std::min(list.find_first_of(":;", start), list.size());
    if (end > start) folders.push_back(list.substr(start, end - start));
    start = end + 1;
  }
  return folders;
}

const LoaderAbi& own_loader_abi() {
#if defined(__aarch64__)
  return aarch64;
#else
  return x86_64;
#endif
}

const LoaderAbi& loader_abi(const Tree& tree) {
  for (const char* const file :
       {"/usr/bin/env", "/bin/ls", "/lib64/ld-linux-x86-64.so.2", "/lib/ld-linux-aarch64.so.1"}) {
    const std::string real = tree.resolve(file);
    const auto kind = real.empty() ? std::nullopt : elf_kind(tree.at(real));
    if (!kind || kind->word_size != ELFCLASS64) continue;
    for (const LoaderAbi* const abi : {&x86_64, &aarch64})
      if (kind->machine == abi->machine) return *abi;
  }
  return own_loader_abi();
}

std::vector<CachedLibrary> parse_loader_cache(const std::string& bytes, const LoaderAbi& abi) {
  std::vector<CachedLibrary> libraries;
  // An old cache may precede the new one, which then begins aligned after it.
  const auto start = bytes.find(magic);
  if (start == std::string::npos || start + header_size > bytes.size()) return libraries;
  const std::uint32_t count = word_at(bytes, start + magic.size());
  if (count > (bytes.size() - start - header_size) / entry_size) return libraries;
  // Entries may share text, as a name is the end of a path. If every entry is one long text, ldconfig did not
  // write the cache.
  const std::size_t texts_most = 8 * bytes.size();
  std::size_t texts = 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::size_t entry = start + header_size + i * entry_size;
    if ((word_at(bytes, entry) & 0xffffU) != abi.cache_flags) continue;
    // Offsets are relative to the new part.
    CachedLibrary library{text_at(bytes, start + word_at(bytes, entry + 4)),
                          text_at(bytes, start + word_at(bytes, entry + 8))};
    texts += library.soname.size() + library.path.size();
    if (texts > texts_most) return {};
    if (!library.soname.empty() && !library.path.empty()) libraries.push_back(std::move(library));
  }
  return libraries;
}

Loader::Loader(const Tree& tree, const Environment& environment) : tree_(tree), abi_(loader_abi(tree)) {
  first_ = split_folders(value_of(environment, "LD_LIBRARY_PATH").value_or(""));
  cache_ = parse_loader_cache(tree.read_raw("/etc/ld.so.cache", cache_limit).text, abi_);
}

std::vector<std::string> Loader::standard_folders() const {
  return {abi_.folders.begin(), abi_.folders.end()};
}

bool Loader::loads(const std::string& path) const {
  if (!tree_.exists(path)) return false;
  const std::string real = tree_.resolve(path);
  if (real.empty()) return false;
  const auto kind = elf_kind(tree_.at(real));
  return !kind || (kind->word_size == ELFCLASS64 && kind->machine == abi_.machine);
}

std::vector<std::string> Loader::all(const std::string& soname, const OwnFolders& own) const {
  std::vector<std::string> found;
  const auto add = [&](const std::string& path) {
    if (std::find(found.begin(), found.end(), path) == found.end() && loads(path)) found.push_back(path);
  };
  for (const std::string& folder : own.rpath) add(fmt::format("{}/{}", folder, soname));
  for (const std::string& folder : first_) add(fmt::format("{}/{}", folder, soname));
  for (const std::string& folder : own.runpath) add(fmt::format("{}/{}", folder, soname));
  for (const CachedLibrary& library : cache_) {
    if (library.soname == soname) add(library.path);
  }
  for (const std::string_view folder : abi_.folders) add(fmt::format("{}/{}", folder, soname));
  return found;
}

std::vector<std::string> Loader::refused() const {
  std::vector<std::string> folders;
  const auto add = [&](const std::string& folder) {
    if (tree_.folder(folder, false) == Presence::unreadable) folders.push_back(folder);
  };
  for (const std::string& folder : first_) add(folder);
  for (const std::string_view folder : abi_.folders) add(std::string(folder));
  return folders;
}

std::string Loader::pick(const std::string& soname, const OwnFolders& own) const {
  const std::vector<std::string> found = all(soname, own);
  return found.empty() ? "" : found.front();
}

}  // namespace gpugauge::stack
