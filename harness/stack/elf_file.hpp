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

struct ElfSection {
  std::string name;
  Elf64_Shdr header{};
};

struct ElfSymbol {
  std::uint64_t address = 0;
  std::uint64_t size = 0;
  bool defined = false;  ///< false: this file asks another one for it
};

/// What the dynamic section tells the loader.
struct ElfDynamic {
  std::vector<std::string> needed;
  std::string soname;
  std::string rpath;  ///< folders joined by ':', looked at before LD_LIBRARY_PATH; void where runpath is set
  std::string runpath;  ///< looked at after it
};

class ElfFile {
 public:
  explicit ElfFile(FileBytes bytes);

  /// A 64-bit ELF of this machine's byte order with a whole header; nothing else below is of use otherwise.
  bool valid() const { return valid_; }
  const Elf64_Ehdr& header() const { return header_; }
  const FileBytes& bytes() const { return bytes_; }

  /// Empty where there are none, or their table is damaged or holds more than 262,144 entries.
  const std::vector<ElfSection>& sections() const { return sections_; }
  const ElfSection* section(std::string_view name) const;
  /// A section's contents; an empty window for one that takes no room in the file.
  FileBytes contents(const ElfSection& section) const;
  /// From the program headers, so it is there in a stripped file too.
  ElfDynamic dynamic() const;
  /// Where an address of the running program lies in the file; nullopt where no segment of the file holds it.
  std::optional<std::uint64_t> offset_of(std::uint64_t address) const;
  /// Among the exported symbols, then among all; tables of more than 64 MiB are not searched.
  std::optional<ElfSymbol> symbol(std::string_view name) const;
  bool has_symbol_table() const;  ///< that a strip would have removed

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
