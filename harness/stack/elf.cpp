#include "stack/elf.hpp"

#include <array>
#include <bit>
#include <cstring>
#include <fstream>
#include <vector>

#include <elf.h>
#include <fmt/format.h>

namespace gpugauge::stack {
namespace {

constexpr std::size_t note_limit = std::size_t{64} << 10;
constexpr int segment_limit = 256;
constexpr std::string_view owner{"GNU\0", 4};

template <typename Value>
bool read_at(std::ifstream& file, std::uint64_t offset, Value& value) {
  static_assert(std::is_trivially_copyable_v<Value>);
  file.clear();
  file.seekg(static_cast<std::streamoff>(offset));
  file.read(reinterpret_cast<char*>(&value), sizeof value);
  return file.good();
}

bool is_ours(const Elf64_Ehdr& header) {
  constexpr int order = std::endian::native == std::endian::little ? ELFDATA2LSB : ELFDATA2MSB;
  return std::memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 && header.e_ident[EI_CLASS] == ELFCLASS64 &&
         header.e_ident[EI_DATA] == order && header.e_phentsize == sizeof(Elf64_Phdr) &&
         header.e_phnum <= segment_limit;
}

/// The build id in the notes of one segment; "" if there is none.
std::string id_in(const std::string& notes) {
  const auto padded = [](std::uint64_t size) { return (size + 3) & ~std::uint64_t{3}; };
  std::uint64_t at = 0;
  while (at + sizeof(Elf64_Nhdr) <= notes.size()) {
    Elf64_Nhdr note{};
    std::memcpy(&note, notes.data() + at, sizeof note);
    const std::uint64_t name = at + sizeof note;
    const std::uint64_t content = name + padded(note.n_namesz);
    if (content + note.n_descsz > notes.size()) return "";
    const std::string_view named(notes.data() + name, note.n_namesz);
    if (note.n_type == NT_GNU_BUILD_ID && named == owner) {
      std::string id;
      for (std::uint64_t i = 0; i < note.n_descsz; ++i) {
        id += fmt::format("{:02x}", static_cast<unsigned char>(notes[content + i]));
      }
      return id;
    }
    at = content + padded(note.n_descsz);
  }
  return "";
}

}  // namespace

std::string build_id(const std::filesystem::path& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return "";
  std::ifstream file(path, std::ios::binary);
  Elf64_Ehdr header{};
  if (!read_at(file, 0, header) || !is_ours(header)) return "";
  for (int i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment{};
    if (!read_at(file, header.e_phoff + i * sizeof segment, segment)) return "";
    if (segment.p_type != PT_NOTE || segment.p_filesz > note_limit) continue;
    std::string notes(segment.p_filesz, '\0');
    file.seekg(static_cast<std::streamoff>(segment.p_offset));
    file.read(notes.data(), static_cast<std::streamsize>(notes.size()));
    if (!file.good()) return "";
    std::string id = id_in(notes);
    if (!id.empty()) return id;
  }
  return "";
}

}  // namespace gpugauge::stack
