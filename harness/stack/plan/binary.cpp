// Reads what a program or library contains and needs.
#include "stack/plan/binary.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <set>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "result/number.hpp"
#include "stack/elf_constant.hpp"
#include "stack/elf_file.hpp"
#include "stack/inventory/toolkits_paths.hpp"
#include "stack/loader.hpp"
#include "stack/own_folders.hpp"

namespace gpugauge::stack {
namespace {

constexpr std::string_view archive_magic = "!<arch>\n";
constexpr std::string_view thin_archive_magic = "!<thin>\n";
constexpr std::size_t members_most = 20000;
constexpr std::string_view register_symbol = "__cudaRegisterFatBinary";

std::string machine_name(unsigned machine) {
  switch (machine) {
    case EM_X86_64:
      return "x86_64";
    case EM_AARCH64:
      return "aarch64";
    case EM_PPC64:
      return "ppc64le";
    case EM_RISCV:
      return "riscv64";
    default:
      return fmt::format("ELF machine {}", machine);
  }
}

void say(BinaryReport& report, std::string problem) {
  if (report.problem.empty()) report.problem = std::move(problem);
}

void say_limits(BinaryReport& report) {
  if (report.codes.damaged) say(report, "a part of its GPU code is damaged or of an unknown layout");
  if (report.codes.cut) say(report, "it holds more GPU code than was read in the time allowed");
}

/// Reads the containers of all sections of that name, each file position once: a section table may list one a
/// hundred thousand times.
void read_sections_named(const ElfFile& file, std::string_view name, const ReadingLimit& limit,
                         GpuCodes& codes) {
  std::set<std::pair<std::uint64_t, std::uint64_t>> seen;
  for (const ElfSection& section : file.sections()) {
    if (codes.cut) return;
    if (section.name == name && seen.emplace(section.header.sh_offset, section.header.sh_size).second)
      read_containers(file.contents(section), limit, codes);
  }
}

/// Reads the GPU code of one ELF file: linked code if there is any, else code to be linked.
void read_gpu_code(const ElfFile& file, const ReadingLimit& limit, BinaryReport& report) {
  const std::uint64_t before = report.codes.containers;
  read_sections_named(file, ".nv_fatbin", limit, report.codes);
  if (report.codes.containers != before) return;
  read_sections_named(file, "__nv_relfatbin", limit, report.codes);
  if (report.codes.containers != before) report.relocatable = true;
}

void find_needed(const ElfDynamic& dynamic, const Tree& tree, const Environment& environment,
                 BinaryReport& report) {
  if (dynamic.needed.empty()) return;
  const std::string real = tree.resolve(report.path);
  const std::string origin = std::filesystem::path(real.empty() ? report.path : real).parent_path().string();
  const Loader loader(tree, environment);
  const OwnFolders own = own_folders(dynamic, origin);
  for (const std::string& soname : dynamic.needed) {
    NeededLibrary needed{soname, ""};
    if (soname.find('/') != std::string::npos) {  // a path: the loader does not search for it
      if (tree.exists(soname)) needed.path = soname;
      report.needed.push_back(std::move(needed));
      continue;
    }
    needed.path = loader.pick(soname, own);
    report.needed.push_back(std::move(needed));
  }
}

void find_runtime(const ElfFile& file, BinaryReport& report) {
  constexpr std::string_view prefix = "libcudart.so.";
  for (const NeededLibrary& needed : report.needed) {
    if (!needed.soname.starts_with(prefix)) continue;
    report.runtime = RuntimeLink::shared;
    report.runtime_version = needed.soname.substr(prefix.size());
    return;
  }
  const auto registers = file.symbol(register_symbol);
  const bool launches = file.section(".nvFatBinSegment") != nullptr;  // only nvcc's host code writes it
  const bool linked = file.header().e_type != ET_REL;
  if (registers ? !registers->defined : launches && !linked) {
    report.runtime = RuntimeLink::by_link;
  } else if (registers || launches) {
    report.runtime = RuntimeLink::inside;
    if (const auto version = runtime_version_in(file))
      report.runtime_version = fmt::format("{}.{}", *version / 1000, *version % 1000 / 10);
  }
}

void read_elf(const FileBytes& bytes, const Tree& tree, const Environment& environment,
              const ReadingLimit& limit, BinaryReport& report) {
  if (const auto cubin = code_of_cubin(bytes)) {
    report.kind = BinaryKind::cubin;
    report.codes.containers = 1;
    report.codes.sets[CodeSet{*cubin}] = 1;
    return;
  }
  const ElfFile file(bytes);
  if (!file.valid()) {
    say(report, "it is an ELF file, but none of 64 bits in this machine's byte order");
    return;
  }
  report.machine = machine_name(file.header().e_machine);
  const auto type = file.header().e_type;
  const bool interpreted = file.section(".interp") != nullptr;
  report.kind = type == ET_REL                   ? BinaryKind::object
                : type == ET_EXEC || interpreted ? BinaryKind::executable
                : type == ET_DYN                 ? BinaryKind::shared_library
                                                 : BinaryKind::unknown;
  if (file.sections().empty())
    say(report, "its section table, which tells where GPU code lies, is missing or damaged");
  read_gpu_code(file, limit, report);
  find_needed(file.dynamic(), tree, environment, report);
  find_runtime(file, report);
}

/// Members follow each other, each after a header of 60 characters.
void read_archive(const FileBytes& bytes, const ReadingLimit& limit, BinaryReport& report) {
  constexpr std::uint64_t header_size = 60;
  constexpr std::uint64_t size_at = 48;
  constexpr std::size_t size_length = 10;
  report.kind = BinaryKind::archive;
  std::uint64_t at = archive_magic.size();
  for (std::size_t member = 0; at + header_size <= bytes.size(); ++member) {
    if (member >= members_most || report.codes.cut || limit.over()) {
      report.codes.cut = true;
      return;
    }
    const auto stated = result::leading_number<std::uint64_t>(bytes.read(at + size_at, size_length));
    if (!stated || *stated > bytes.size() - at - header_size) {
      report.codes.damaged = true;
      return;
    }
    const std::uint64_t size = *stated;
    const ElfFile file(bytes.part(at + header_size, size));
    if (file.valid()) {
      report.machine = machine_name(file.header().e_machine);
      read_gpu_code(file, limit, report);
      if (file.section(".nvFatBinSegment") != nullptr) report.runtime = RuntimeLink::by_link;
    }
    at += header_size + size + size % 2;
  }
}

std::string opening_problem(int error) {
  if (error == ENOENT || error == ENOTDIR) return "there is no such file";
  if (error == EACCES || error == EPERM) return "it may not be read: it takes read permission for the file";
  if (error == EINVAL) return "it is no regular file";
  return fmt::format("it cannot be opened: {}", std::system_category().message(error));
}

}  // namespace

const char* to_string(BinaryKind kind) {
  static constexpr std::array names{"unknown", "executable", "shared library", "object", "archive",
                                    "cubin",   "PTX",        "fatbin"};
  return names[static_cast<std::size_t>(kind)];
}

const char* to_string(RuntimeLink link) {
  static constexpr std::array names{"none", "shared", "static", "left to the link or to what loads it"};
  return names[static_cast<std::size_t>(link)];
}

BinaryReport inspect_binary(const Tree& tree, const Environment& environment, const std::string& path,
                            const ReadingLimit& limit) {
  constexpr std::uint32_t container_magic = 0xba55ed50U;
  constexpr std::size_t beginning_size = 8192;
  BinaryReport report;
  report.path = as_given(tree, path);
  const FileBytes bytes(tree.at(report.path));
  if (!bytes.opened()) {
    say(report, opening_problem(bytes.error()));
    return report;
  }
  const std::string beginning = bytes.read(0, beginning_size);
  if (beginning.starts_with(ELFMAG)) {
    read_elf(bytes, tree, environment, limit, report);
  } else if (beginning.starts_with(archive_magic)) {
    read_archive(bytes, limit, report);
  } else if (beginning.starts_with(thin_archive_magic)) {
    say(report, "it is a thin archive, which only names its members: inspect those");
  } else if (bytes.value<std::uint32_t>(0) == container_magic) {
    report.kind = BinaryKind::fatbin;
    read_containers(bytes, limit, report.codes);
  } else if (const auto ptx = code_of_ptx(beginning)) {
    report.kind = BinaryKind::ptx;
    report.codes.containers = 1;
    report.codes.sets[CodeSet{*ptx}] = 1;
  } else {
    say(report, beginning.empty() ? "it is empty" : "it is no ELF file, archive, fatbin, cubin or PTX");
  }
  say_limits(report);
  return report;
}

}  // namespace gpugauge::stack
