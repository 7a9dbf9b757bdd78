#include "run/executable.hpp"

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <optional>
#include <system_error>

#include <elf.h>
#include <fmt/core.h>
#include <unistd.h>

namespace gpugauge::run {
namespace {

namespace fs = std::filesystem;

/// The part of the ELF header that 32-bit and 64-bit files share.
struct ElfStart {
  std::array<unsigned char, EI_NIDENT> ident;
  std::uint16_t type;
  std::uint16_t machine;
};

std::optional<ElfStart> read_elf_start(const fs::path& file) {
  ElfStart start{};
  std::ifstream stream(file, std::ios::binary);
  if (!stream.read(reinterpret_cast<char*>(&start), sizeof start)) return std::nullopt;
  if (std::memcmp(start.ident.data(), ELFMAG, SELFMAG) != 0) return std::nullopt;
  return start;
}

bool is_script(const fs::path& file) {
  std::array<char, 2> start{};
  std::ifstream stream(file, std::ios::binary);
  return stream.read(start.data(), start.size()) && start[0] == '#' && start[1] == '!';
}

/// True if the file is not cut short. A full disk or a broken copy leaves the header intact.
bool is_whole(const fs::path& file) {
  Elf64_Ehdr header{};
  std::ifstream stream(file, std::ios::binary);
  std::error_code error;
  const auto size = fs::file_size(file, error);
  if (error || !stream.read(reinterpret_cast<char*>(&header), sizeof header)) return false;
  if (header.e_ident[EI_CLASS] != ELFCLASS64) return true;
  for (std::uint64_t i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment{};
    stream.seekg(static_cast<std::streamoff>(header.e_phoff + i * header.e_phentsize));
    if (!stream.read(reinterpret_cast<char*>(&segment), sizeof segment)) return false;
    if (segment.p_type == PT_LOAD && (segment.p_offset > size || segment.p_filesz > size - segment.p_offset))
      return false;
  }
  return header.e_phnum > 0;
}

}  // namespace

std::string why_not_executable(const fs::path& file) {
  std::error_code error;
  const auto status = fs::status(file, error);
  if (status.type() == fs::file_type::not_found) return "does not exist; install it again";
  if (error) return fmt::format("cannot be looked at: {}", error.message());
  if (status.type() != fs::file_type::regular) return "is not a regular file; install it again";
  if (access(file.c_str(), X_OK) != 0)
    return fmt::format(
        "is not executable ({}); check its mode and that its file system is not mounted noexec",
        std::strerror(errno));
  if (is_script(file)) return {};
  const auto start = read_elf_start(file);
  if (!start) return "is neither an executable of this system nor a script; install it again";
  const auto own = read_elf_start("/proc/self/exe");
  if (own && (own->ident[EI_CLASS] != start->ident[EI_CLASS] ||
              own->ident[EI_DATA] != start->ident[EI_DATA] || own->machine != start->machine))
    return fmt::format(
        "was built for another architecture (ELF machine {}, this command is {}); install the one for this "
        "machine",
        start->machine, own->machine);
  if ((start->type != ET_EXEC && start->type != ET_DYN) || !is_whole(file))
    return "is damaged or cut short; install it again";
  return {};
}

}  // namespace gpugauge::run
