// Reads the structure of an ELF file: sections, the loader's needs, symbols. Treats every offset in it as
// untrusted.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <elf.h>

#include "stack/elf_bytes.hpp"

namespace gpugauge::stack {

/// An entry of the section table.
struct ElfSection {
  std::string name;     ///< "" if the name table does not hold it
  Elf64_Shdr header{};  ///< as in the file, unchecked
};

/// A symbol by its name, from one of the symbol tables.
struct ElfSymbol {
  std::uint64_t address = 0;  ///< virtual address from the file; offset_of() converts it
  std::uint64_t size = 0;     ///< in bytes; 0 if the file does not tell
  bool defined = false;       ///< false: this file imports it
};

/// The dynamic section's information for the loader.
struct ElfDynamic {
  std::vector<std::string> needed;  ///< sonames, in the file's order, at most 1024
  std::string soname;               ///< the library's own; "" if it has none
  std::string rpath;    ///< folders joined by ':', searched before LD_LIBRARY_PATH; ignored if runpath is set
  std::string runpath;  ///< searched after it
};

/// Reads header, segments and section table once, and the rest on demand. Does not throw for a damaged file.
class ElfFile {
 public:
  explicit ElfFile(FileBytes bytes);  ///< a file or a part of one, such as a cubin in a container

  /// True for a 64-bit ELF of this machine's byte order with a whole header. Otherwise nothing below is
  /// usable.
  bool valid() const { return valid_; }
  const Elf64_Ehdr& header() const { return header_; }  ///< zeros if not valid
  const FileBytes& bytes() const { return bytes_; }     ///< the window as given

  /// As in the file, unchecked. Fewer than header().e_phnum if their table is cut short; empty if there are
  /// none, or their table is damaged or has more than 1024 entries.
  const std::vector<Elf64_Phdr>& segments() const { return segments_; }
  /// Empty if there are none, or their table is damaged or has more than 262,144 entries.
  const std::vector<ElfSection>& sections() const { return sections_; }
  /// The first section of that name, owned by this object; nullptr if there is none.
  const ElfSection* section(std::string_view name) const;
  /// A section's contents; an empty window if it takes no space in the file.
  FileBytes contents(const ElfSection& section) const;
  /// Uses the program headers, so it works on a stripped file too.
  ElfDynamic dynamic() const;
  /// The file offset of an address in the running program; nullopt if no segment of the file holds it.
  std::optional<std::uint64_t> offset_of(std::uint64_t address) const;
  /// Searches the exported symbols, then all. Skips tables of more than 64 MiB.
  std::optional<ElfSymbol> symbol(std::string_view name) const;

 private:
  void read_segments();
  void read_sections();

  FileBytes bytes_;
  Elf64_Ehdr header_{};
  std::vector<Elf64_Phdr> segments_;
  std::vector<ElfSection> sections_;
  bool valid_ = false;
};

}  // namespace gpugauge::stack
