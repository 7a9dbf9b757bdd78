// Bytes as nvcc and the linker write them, made by hand: fat binary containers and ELF files with sections.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include <elf.h>

namespace gpugauge::stack {

template <typename Value>
std::string bytes_of(const Value& value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

struct FakeEntry {
  std::uint16_t kind = 2;  ///< 1 PTX, 2 cubin, 8 link-time code
  std::uint32_t architecture = 90;
  std::uint64_t flags = 0x11;  ///< 0x2000 LZ4, 0x8000 zstd, 0x100000 "a", 0x200000 "f"
  std::uint16_t major = 1;     ///< PTX ISA for PTX
  std::uint16_t minor = 7;
  std::string contents = std::string(16, 'x');
  std::uint32_t extra_header = 0;  ///< bytes behind the 64 of the header
};

inline std::string fatbin_entry(FakeEntry entry) {
  entry.contents.resize((entry.contents.size() + 7) / 8 * 8);
  return bytes_of(entry.kind) + bytes_of(std::uint16_t{0x101}) +
         bytes_of(static_cast<std::uint32_t>(64 + entry.extra_header)) +
         bytes_of(static_cast<std::uint64_t>(entry.contents.size())) + bytes_of(std::uint32_t{0}) +
         bytes_of(std::uint32_t{0}) + bytes_of(entry.minor) + bytes_of(entry.major) +
         bytes_of(entry.architecture) + bytes_of(std::uint64_t{0}) + bytes_of(entry.flags) +
         std::string(16, '\0') + std::string(entry.extra_header, '\0') + entry.contents;
}

inline std::string fatbin(const std::vector<FakeEntry>& entries) {
  std::string body;
  for (const FakeEntry& entry : entries) body += fatbin_entry(entry);
  return bytes_of(std::uint32_t{0xba55ed50}) + bytes_of(std::uint16_t{1}) + bytes_of(std::uint16_t{16}) +
         bytes_of(static_cast<std::uint64_t>(body.size())) + body;
}

inline FakeEntry machine_code(std::uint32_t architecture, std::uint64_t flags = 0x11) {
  return {.kind = 2, .architecture = architecture, .flags = flags};
}

inline FakeEntry ptx_code(std::uint32_t architecture, int isa, std::uint64_t flags = 0x8011) {
  return {.kind = 1,
          .architecture = architecture,
          .flags = flags,
          .major = static_cast<std::uint16_t>(isa / 10),
          .minor = static_cast<std::uint16_t>(isa % 10)};
}

/// An ELF file of sections; a ".dynstr" and ".dynamic" become a dynamic segment.
struct FakeElf {
  struct Section {
    std::string name;
    std::string contents;
    std::uint32_t type = SHT_PROGBITS;
    std::string link{};  ///< name of the section it refers to
  };
  std::uint16_t type = ET_DYN;
  std::uint16_t machine = EM_X86_64;
  std::uint32_t flags = 0;
  unsigned char abi_version = 0;
  std::vector<Section> sections{};

  /// Adds the dynamic section: tags with their texts.
  void dynamic(const std::vector<std::pair<std::int64_t, std::string>>& entries) {
    std::string texts(1, '\0');
    std::string table;
    for (const auto& [tag, text] : entries) {
      Elf64_Dyn entry{};
      entry.d_tag = tag;
      entry.d_un.d_val = texts.size();
      table += bytes_of(entry);
      texts += text + '\0';
    }
    Elf64_Dyn strings{};
    strings.d_tag = DT_STRTAB;  // its address is filled in by bytes()
    table += bytes_of(strings) + bytes_of(Elf64_Dyn{});
    sections.push_back({".dynstr", texts, SHT_STRTAB, ""});
    sections.push_back({".dynamic", table, SHT_DYNAMIC, ".dynstr"});
  }

  /// Adds a symbol table: name, section that defines it ("" none), offset in it, size.
  struct Symbol {
    std::string name, section;
    std::uint64_t offset = 0;
    std::uint64_t size = 0;
  };
  void symbols(const std::vector<Symbol>& entries, std::uint32_t table_type = SHT_DYNSYM) {
    symbols_ = entries;
    const std::string strings = table_type == SHT_DYNSYM ? ".symnames" : ".strtab";
    std::string names(1, '\0');
    for (const Symbol& symbol : entries) names += symbol.name + '\0';
    sections.push_back({strings, names, SHT_STRTAB, ""});
    sections.push_back({table_type == SHT_DYNSYM ? ".dynsym" : ".symtab",
                        std::string((entries.size() + 1) * sizeof(Elf64_Sym), '\0'), table_type, strings});
  }

  std::string bytes() const {
    std::vector<Section> all = sections;
    all.insert(all.begin(), Section{"", "", SHT_NULL, ""});
    std::string names;
    for (const Section& section : all) names += section.name + '\0';
    names += std::string(".shstrtab") + '\0';
    all.push_back({".shstrtab", names, SHT_STRTAB, ""});
    const auto index_of = [&](const std::string& name) {
      for (std::size_t i = 1; i < all.size(); ++i) {
        if (all[i].name == name) return i;
      }
      return std::size_t{0};
    };
    // Two segments: all of the file at its own offset, and the dynamic section.
    std::vector<std::uint64_t> offsets;
    std::uint64_t at = sizeof(Elf64_Ehdr) + 2 * sizeof(Elf64_Phdr);
    for (const Section& section : all) {
      offsets.push_back(at);
      at += (section.contents.size() + 7) / 8 * 8;
    }
    fill_in(all, offsets, index_of);
    Elf64_Ehdr header{};
    std::memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_ident[EI_CLASS] = ELFCLASS64;
    header.e_ident[EI_DATA] = ELFDATA2LSB;
    header.e_ident[EI_ABIVERSION] = abi_version;
    header.e_type = type;
    header.e_machine = machine;
    header.e_flags = flags;
    header.e_phoff = sizeof header;
    header.e_phentsize = sizeof(Elf64_Phdr);
    header.e_phnum = 2;
    header.e_shoff = at;
    header.e_shentsize = sizeof(Elf64_Shdr);
    header.e_shnum = static_cast<std::uint16_t>(all.size());
    header.e_shstrndx = static_cast<std::uint16_t>(all.size() - 1);
    Elf64_Phdr load{};
    load.p_type = PT_LOAD;
    load.p_filesz = at;
    load.p_memsz = at;
    Elf64_Phdr dynamic_segment{};
    const std::size_t dynamic_index = index_of(".dynamic");
    if (dynamic_index != 0) {
      dynamic_segment.p_type = PT_DYNAMIC;
      dynamic_segment.p_offset = offsets[dynamic_index];
      dynamic_segment.p_filesz = all[dynamic_index].contents.size();
    }
    std::string file = bytes_of(header) + bytes_of(load) + bytes_of(dynamic_segment);
    for (const Section& section : all) {
      file += section.contents;
      file.resize((file.size() + 7) / 8 * 8);
    }
    std::uint32_t name_at = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
      Elf64_Shdr row{};
      row.sh_name = name_at;
      row.sh_type = all[i].type;
      row.sh_addr = offsets[i];
      row.sh_offset = offsets[i];
      row.sh_size = all[i].contents.size();
      row.sh_link = static_cast<std::uint32_t>(index_of(all[i].link));
      file += bytes_of(row);
      name_at += static_cast<std::uint32_t>(all[i].name.size() + 1);
    }
    return file;
  }

 private:
  template <typename IndexOf>
  void fill_in(std::vector<Section>& all, const std::vector<std::uint64_t>& offsets, IndexOf index_of) const {
    if (const std::size_t dynamic_index = index_of(".dynamic"); dynamic_index != 0) {
      std::string& table = all[dynamic_index].contents;
      for (std::size_t at = 0; at + sizeof(Elf64_Dyn) <= table.size(); at += sizeof(Elf64_Dyn)) {
        Elf64_Dyn entry{};
        std::memcpy(&entry, table.data() + at, sizeof entry);
        if (entry.d_tag == DT_STRTAB) entry.d_un.d_ptr = offsets[index_of(".dynstr")];
        std::memcpy(table.data() + at, &entry, sizeof entry);
      }
    }
    std::size_t table_index = index_of(".dynsym");
    if (table_index == 0) table_index = index_of(".symtab");
    if (table_index == 0) return;
    std::uint32_t name_at = 1;
    for (std::size_t i = 0; i < symbols_.size(); ++i) {
      Elf64_Sym symbol{};
      symbol.st_name = name_at;
      name_at += static_cast<std::uint32_t>(symbols_[i].name.size() + 1);
      const std::size_t home = index_of(symbols_[i].section);
      symbol.st_shndx = static_cast<std::uint16_t>(home);
      symbol.st_value = home == 0 ? 0 : offsets[home] + symbols_[i].offset;
      symbol.st_size = symbols_[i].size;
      std::memcpy(all[table_index].contents.data() + (i + 1) * sizeof symbol, &symbol, sizeof symbol);
    }
  }

  std::vector<Symbol> symbols_;
};

/// A cubin as ptxas of CUDA 13 writes it: ELF machine 190, second layout of the flags.
inline std::string cubin(std::uint32_t architecture, const std::string& called_for = "") {
  FakeElf elf;
  elf.type = ET_EXEC;
  elf.machine = 190;
  elf.abi_version = 8;
  elf.flags = 0x06000004U | architecture << 8U;
  elf.sections.push_back({".text.k", std::string(32, 'c'), SHT_PROGBITS, ""});
  if (!called_for.empty())
    elf.sections.push_back(
        {".note.nv.tkinfo", std::string("ptxas\0-arch ", 12) + called_for + " -m 64 ", SHT_NOTE, ""});
  return elf.bytes();
}

}  // namespace gpugauge::stack
