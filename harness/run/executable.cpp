#include "run/executable.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <optional>
#include <system_error>

#include <elf.h>
#include <fmt/core.h>
#include <unistd.h>

#include "stack/elf_file.hpp"

namespace gpugauge::run {
namespace {

namespace fs = std::filesystem;

/// The part of the ELF header that 32-bit and 64-bit files share.
struct ElfStart {
  std::array<unsigned char, EI_NIDENT> ident;
  std::uint16_t type;
  std::uint16_t machine;
};

std::optional<ElfStart> elf_start(const stack::FileBytes& file) {
  const auto start = file.value<ElfStart>(0);
  return start && std::memcmp(start->ident.data(), ELFMAG, SELFMAG) == 0 ? start : std::nullopt;
}

/// True if the file is not cut short. A full disk or a broken copy leaves the header intact.
bool is_whole(const stack::FileBytes& file) {
  const stack::ElfFile elf(file);
  const auto& segments = elf.segments();
  return !segments.empty() && segments.size() == elf.header().e_phnum &&
         std::all_of(segments.begin(), segments.end(), [&](const Elf64_Phdr& one) {
           return one.p_type != PT_LOAD ||
                  (one.p_offset <= file.size() && one.p_filesz <= file.size() - one.p_offset);
         });
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
  const stack::FileBytes bytes(file);
  if (bytes.read(0, 2) == "#!") return {};
  const auto start = elf_start(bytes);
  if (!start) return "is neither an executable of this system nor a script; install it again";
  const auto own = elf_start(stack::FileBytes("/proc/self/exe"));
  if (own && (own->ident[EI_CLASS] != start->ident[EI_CLASS] ||
              own->ident[EI_DATA] != start->ident[EI_DATA] || own->machine != start->machine))
    return fmt::format(
        "was built for another architecture (ELF machine {}, this command is {}); install the one for this "
        "machine",
        start->machine, own->machine);
  // Where /proc tells no class of our own, a file of 32 bits comes this far.
  const bool whole = start->ident[EI_CLASS] != ELFCLASS64 || is_whole(bytes);
  if ((start->type != ET_EXEC && start->type != ET_DYN) || !whole)
    return "is damaged or cut short; install it again";
  return {};
}

}  // namespace gpugauge::run
