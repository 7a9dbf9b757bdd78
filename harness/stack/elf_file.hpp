// The structure of an ELF file: sections, what the loader needs, symbols. Every offset in it is taken as a
// claim that may be false.
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
  std::string name;     ///< "" where the table of names does not hold it
  Elf64_Shdr header{};  ///< as it stands in the file, unchecked
};

/// A symbol by its name, from one of the symbol tables.
struct ElfSymbol {
  std::uint64_t address = 0;  ///< virtual, as the file states it: offset_of() finds it in the file
  std::uint64_t size = 0;     ///< in bytes; 0 where the file does not tell
  bool defined = false;       ///< false: this file asks another one for it
};

/// What the dynamic section tells the loader.
struct ElfDynamic {
  std::vector<std::string> needed;  ///< sonames, in the file's order, at most 1024
  std::string soname;               ///< the library's own; "" where it has none
  std::string rpath;  ///< folders joined by ':', looked at before LD_LIBRARY_PATH; void where runpath is set
  std::string runpath;  ///< looked at after it
};

/// Reads header, segments and section table once, and everything else when it is asked for. Throws nothing
/// for a damaged file.
class ElfFile {
 public:
  explicit ElfFile(FileBytes bytes);  ///< of a file or of a part of one, such as a cubin in a container

  /// A 64-bit ELF of this machine's byte order with a whole header; nothing else below is of use otherwise.
  bool valid() const { return valid_; }
  const Elf64_Ehdr& header() const { return header_; }  ///< zeros unless valid
  const FileBytes& bytes() const { return bytes_; }     ///< all of the file, as given

  /// Empty where there are none, or their table is damaged or holds more than 262,144 entries.
  const std::vector<ElfSection>& sections() const { return sections_; }
  /// The first of that name, owned by this object; nullptr where there is none.
  const ElfSection* section(std::string_view name) const;
  /// A section's contents; an empty window for one that takes no room in the file.
  FileBytes contents(const ElfSection& section) const;
  /// From the program headers, so it is there in a stripped file too.
  ElfDynamic dynamic() const;
  /// Where an address of the running program lies in the file; nullopt where no segment of the file holds it.
  std::optional<std::uint64_t> offset_of(std::uint64_t address) const;
  /// Among the exported symbols, then among all; tables of more than 64 MiB are not searched.
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
