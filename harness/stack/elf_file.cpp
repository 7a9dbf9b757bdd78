// Parses ELF files with bounds checks, because their offsets may be wrong.
#include "stack/elf_file.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace gpugauge::stack {
namespace {

constexpr std::uint64_t sections_most = 262144;
constexpr std::size_t segments_most = 1024;
constexpr std::size_t names_most = std::size_t{16} << 20;
constexpr std::size_t name_longest = 256;  // all sections may share one name of several megabytes
constexpr std::size_t table_most = std::size_t{64} << 20;
constexpr std::size_t dynamic_most = std::size_t{1} << 20;
constexpr std::size_t needed_most = 1024;
constexpr int symbol_tables_most = 4;

bool has_our_header(const Elf64_Ehdr& header) {
  constexpr int order = std::endian::native == std::endian::little ? ELFDATA2LSB : ELFDATA2MSB;
  return std::memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 && header.e_ident[EI_CLASS] == ELFCLASS64 &&
         header.e_ident[EI_DATA] == order;
}

/// Entries of a table read as bytes; drops an incomplete last one.
template <typename Entry>
std::vector<Entry> entries_of(const std::string& bytes) {
  std::vector<Entry> entries(bytes.size() / sizeof(Entry));
  if (!entries.empty()) std::memcpy(entries.data(), bytes.data(), entries.size() * sizeof(Entry));
  return entries;
}

/// The symbol of that name in a table whose names are in `names`.
std::optional<ElfSymbol> find_in(const std::string& table, const std::string& names, std::string_view name) {
  const std::string ended = std::string(name) + '\0';
  if (names.find(ended) == std::string::npos) return std::nullopt;
  std::optional<ElfSymbol> asked;
  for (std::size_t at = 0; at + sizeof(Elf64_Sym) <= table.size(); at += sizeof(Elf64_Sym)) {
    Elf64_Sym symbol{};
    std::memcpy(&symbol, table.data() + at, sizeof symbol);
    if (symbol.st_name >= names.size() || names.compare(symbol.st_name, ended.size(), ended) != 0) continue;
    const ElfSymbol found{symbol.st_value, symbol.st_size, symbol.st_shndx != SHN_UNDEF};
    if (found.defined) return found;
    asked = found;
  }
  return asked;
}

}  // namespace

ElfFile::ElfFile(FileBytes bytes) : bytes_(std::move(bytes)) {
  const auto header = bytes_.value<Elf64_Ehdr>(0);
  if (!header || !has_our_header(*header)) return;
  header_ = *header;
  valid_ = true;
  read_segments();
  read_sections();
}

void ElfFile::read_segments() {
  if (header_.e_phentsize != sizeof(Elf64_Phdr) || header_.e_phnum > segments_most) return;
  segments_ = entries_of<Elf64_Phdr>(bytes_.read(header_.e_phoff, header_.e_phnum * sizeof(Elf64_Phdr)));
}

void ElfFile::read_sections() {
  if (header_.e_shoff == 0 || header_.e_shentsize != sizeof(Elf64_Shdr)) return;
  const auto first = bytes_.value<Elf64_Shdr>(header_.e_shoff);
  if (!first) return;
  // Counts that do not fit the header are in the first, otherwise empty, entry.
  const std::uint64_t count = header_.e_shnum != 0 ? header_.e_shnum : first->sh_size;
  const std::uint64_t names_index = header_.e_shstrndx != SHN_XINDEX ? header_.e_shstrndx : first->sh_link;
  if (count > sections_most || names_index >= count) return;
  const auto headers = entries_of<Elf64_Shdr>(
      bytes_.read(header_.e_shoff, static_cast<std::size_t>(count) * sizeof(Elf64_Shdr)));
  if (headers.size() != count || headers[names_index].sh_size > names_most) return;
  const std::string names =
      bytes_.read(headers[names_index].sh_offset, static_cast<std::size_t>(headers[names_index].sh_size));
  sections_.reserve(headers.size());
  for (const Elf64_Shdr& header : headers) {
    ElfSection section{"", header};
    const std::string_view rest =
        std::string_view(names).substr(std::min<std::size_t>(header.sh_name, names.size()), name_longest);
    if (const auto end = rest.find('\0'); end != std::string_view::npos) section.name = rest.substr(0, end);
    sections_.push_back(std::move(section));
  }
}

const ElfSection* ElfFile::section(std::string_view name) const {
  for (const ElfSection& section : sections_) {
    if (section.name == name) return &section;
  }
  return nullptr;
}

FileBytes ElfFile::contents(const ElfSection& section) const {
  const bool in_file = section.header.sh_type != SHT_NOBITS && section.header.sh_type != SHT_NULL;
  return bytes_.part(section.header.sh_offset, in_file ? section.header.sh_size : 0);
}

std::optional<std::uint64_t> ElfFile::offset_of(std::uint64_t address) const {
  for (const Elf64_Phdr& segment : segments_) {
    if (segment.p_type != PT_LOAD || address < segment.p_vaddr) continue;
    if (address - segment.p_vaddr < segment.p_filesz) return segment.p_offset + (address - segment.p_vaddr);
  }
  return std::nullopt;
}

ElfDynamic ElfFile::dynamic() const {
  ElfDynamic found;
  for (const Elf64_Phdr& segment : segments_) {
    if (segment.p_type != PT_DYNAMIC) continue;
    const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(segment.p_filesz, dynamic_most));
    const auto entries = entries_of<Elf64_Dyn>(bytes_.read(segment.p_offset, size));
    std::optional<std::uint64_t> names;
    for (const Elf64_Dyn& entry : entries) {
      if (entry.d_tag == DT_NULL) break;
      if (entry.d_tag == DT_STRTAB) names = offset_of(entry.d_un.d_ptr);
    }
    if (!names) return found;
    for (const Elf64_Dyn& entry : entries) {
      if (entry.d_tag == DT_NULL) break;
      const auto text = [&] { return bytes_.text(*names + entry.d_un.d_val); };
      if (entry.d_tag == DT_NEEDED && found.needed.size() < needed_most) found.needed.push_back(text());
      if (entry.d_tag == DT_SONAME) found.soname = text();
      if (entry.d_tag == DT_RPATH) found.rpath = text();
      if (entry.d_tag == DT_RUNPATH) found.runpath = text();
    }
    return found;
  }
  return found;
}

std::optional<ElfSymbol> ElfFile::symbol(std::string_view name) const {
  std::optional<ElfSymbol> asked;
  int searched = 0;
  for (const Elf64_Word type : {Elf64_Word{SHT_DYNSYM}, Elf64_Word{SHT_SYMTAB}}) {
    for (const ElfSection& section : sections_) {
      if (section.header.sh_type != type || section.header.sh_link >= sections_.size()) continue;
      const ElfSection& strings = sections_[section.header.sh_link];
      if (section.header.sh_size > table_most || strings.header.sh_size > table_most) continue;
      if (++searched > symbol_tables_most) return asked;
      const auto found =
          find_in(contents(section).read(0, table_most), contents(strings).read(0, table_most), name);
      if (found && found->defined) return found;
      if (found) asked = found;
    }
  }
  return asked;
}

}  // namespace gpugauge::stack
