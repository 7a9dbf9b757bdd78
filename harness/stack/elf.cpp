#include "stack/elf.hpp"

#include <cstring>
#include <string_view>

#include <fmt/format.h>

#include "stack/elf_file.hpp"

namespace gpugauge::stack {
namespace {

constexpr std::size_t note_limit = std::size_t{64} << 10;
constexpr std::string_view owner{"GNU\0", 4};

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
  const ElfFile elf{FileBytes(path)};
  for (const Elf64_Phdr& segment : elf.segments()) {
    if (segment.p_type != PT_NOTE || segment.p_filesz > note_limit) continue;
    std::string id = id_in(elf.bytes().read(segment.p_offset, static_cast<std::size_t>(segment.p_filesz)));
    if (!id.empty()) return id;
  }
  return "";
}

}  // namespace gpugauge::stack
