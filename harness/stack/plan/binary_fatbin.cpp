// Reads nvcc's containers of GPU code, cubins and PTX headers.
#include "stack/plan/binary_fatbin.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

#include <elf.h>
#include <fmt/format.h>

#include "result/number.hpp"
#include "stack/elf_file.hpp"

namespace gpugauge::stack {
namespace {

constexpr std::uint32_t container_magic = 0xba55ed50U;
constexpr std::uint16_t elf_machine_cuda = 190;
constexpr std::uint16_t kind_ptx = 1;
constexpr std::uint16_t kind_cubin = 2;
constexpr std::uint16_t kind_link_time = 8;
constexpr std::uint16_t kind_cubin_other = 16;
constexpr std::uint64_t flag_lz4 = 0x2000;
constexpr std::uint64_t flag_zstd = 0x8000;
constexpr std::uint64_t flag_this_one_only = 0x100000;
constexpr std::uint64_t flag_this_family_only = 0x200000;
constexpr std::uint64_t entries_most = 4096;  // per container; nvcc writes one or two per architecture
constexpr std::uint32_t largest_entry_header = 1U << 16;

struct ContainerHeader {
  std::uint32_t magic;
  std::uint16_t version;
  std::uint16_t header_size;
  std::uint64_t size;  ///< bytes after the header
};
static_assert(sizeof(ContainerHeader) == 16);

struct EntryHeader {
  std::uint16_t kind;
  std::uint16_t version;
  std::uint32_t header_size;
  std::uint64_t size;  ///< of the contents including padding
  std::uint32_t compressed_size;
  std::uint32_t options_offset;
  std::uint16_t minor;  ///< PTX ISA for PTX
  std::uint16_t major;
  std::uint32_t architecture;
  std::uint32_t name_offset;
  std::uint32_t name_size;
  std::uint64_t flags;
  std::uint64_t reserved;
  std::uint64_t whole_size;  ///< decompressed
};
static_assert(sizeof(EntryHeader) == 64);

char suffix_of(const EntryHeader& entry) {
  if ((entry.flags & flag_this_one_only) != 0) return 'a';
  return (entry.flags & flag_this_family_only) != 0 ? 'f' : '\0';
}

bool plausible(std::uint32_t architecture) {
  return architecture >= 10 && architecture < 1000;
}

/// The code form of an entry. Uncompressed contents add the suffix and correct the PTX version.
GpuCode code_of(const EntryHeader& entry, const FileBytes& contents) {
  const bool ptx = entry.kind == kind_ptx;
  GpuCode code{ptx, static_cast<int>(entry.architecture), suffix_of(entry),
               ptx ? entry.major * 10 + entry.minor : 0};
  if ((entry.flags & (flag_lz4 | flag_zstd)) != 0) return code;
  constexpr std::size_t first_lines = 4096;
  const auto inner = ptx ? code_of_ptx(contents.read(0, first_lines)) : code_of_cubin(contents);
  if (inner && inner->architecture == code.architecture) {
    if (code.suffix == '\0') code.suffix = inner->suffix;
    if (inner->ptx_isa != 0) code.ptx_isa = inner->ptx_isa;
  }
  return code;
}

/// Reads one container's entries; false if a header is invalid.
bool read_entries(const FileBytes& body, CodeSet& set, GpuCodes& codes) {
  std::uint64_t at = 0;
  for (std::uint64_t count = 0; at < body.size(); ++count) {
    const auto entry = body.value<EntryHeader>(at);
    const std::uint64_t left = body.size() - at;
    if (!entry || count >= entries_most || entry->header_size < sizeof(EntryHeader) ||
        entry->header_size > std::min<std::uint64_t>(left, largest_entry_header) ||
        entry->size > left - entry->header_size) {
      return false;
    }
    const FileBytes contents = body.part(at + entry->header_size, entry->size);
    if ((entry->flags & (flag_lz4 | flag_zstd)) != 0) ++codes.compressed;
    if (entry->kind == kind_link_time) {
      ++codes.link_time;
    } else if (entry->kind != kind_ptx && entry->kind != kind_cubin && entry->kind != kind_cubin_other) {
      ++codes.other;
    } else if (!plausible(entry->architecture)) {
      return false;
    } else {
      set.insert(code_of(*entry, contents));
    }
    at += entry->header_size + entry->size;
  }
  return true;
}

/// 'a' or 'f' if ptxas recorded a target such as "sm_90a", else '\0'. The ELF header of CUDA 13 does not
/// distinguish such code.
char suffix_in_note(const ElfFile& cubin, int architecture) {
  constexpr std::size_t enough = 4096;
  const ElfSection* const note = cubin.section(".note.nv.tkinfo");
  if (note == nullptr) return '\0';
  const std::string text = cubin.contents(*note).read(0, enough);
  const std::string called = fmt::format("-arch sm_{}", architecture);
  const auto at = text.find(called);
  if (at == std::string::npos || at + called.size() >= text.size()) return '\0';
  const char suffix = text[at + called.size()];
  return suffix == 'a' || suffix == 'f' ? suffix : '\0';
}

std::string_view word_after(std::string_view text, std::string_view directive) {
  const auto found = text.find(directive);
  if (found == std::string_view::npos) return "";
  const auto start = text.find_first_not_of(" \t", found + directive.size());
  if (start == std::string_view::npos || start == found + directive.size()) return "";
  return text.substr(start, text.find_first_of(", \t\r\n;", start) - start);
}

/// "8.7" -> 87; 0 for other text.
int isa_of(std::string_view version) {
  const int major = result::take_number<int>(version).value_or(0);
  if (!version.starts_with('.')) return 0;
  const int minor = result::leading_number<int>(version.substr(1)).value_or(-1);
  const bool sane = major > 0 && major < 100 && minor >= 0 && minor < 10;
  return sane ? major * 10 + minor : 0;
}

}  // namespace

std::string GpuCode::text() const {
  std::string name = fmt::format("{}_{}", ptx ? "compute" : "sm", architecture);
  if (suffix != '\0') name += suffix;
  return name;
}

CodeSet GpuCodes::all() const {
  CodeSet united;
  for (const auto& [set, count] : sets) united.insert(set.begin(), set.end());
  return united;
}

CodeSet GpuCodes::usual() const {
  std::map<GpuCode, std::uint64_t> counts;
  std::uint64_t with_code = 0;
  for (const auto& [set, count] : sets) {
    with_code += count;
    for (const GpuCode& code : set) counts[code] += count;
  }
  CodeSet usual;
  for (const auto& [code, count] : counts) {
    if (count * 2 >= with_code) usual.insert(code);
  }
  return usual;
}

void read_containers(const FileBytes& window, const ReadingLimit& limit, GpuCodes& codes) {
  constexpr std::size_t chunk = 4096;
  std::uint64_t at = 0;
  while (at < window.size()) {
    if (codes.containers >= limit.containers || limit.over()) {
      codes.cut = true;
      return;
    }
    const auto header = window.value<ContainerHeader>(at);
    if (!header) return;  // anything shorter than a header is padding
    if (header->magic != container_magic) {
      // Zeros may separate containers; anything else is damage.
      const std::string bytes = window.read(at, chunk);
      const std::size_t skip = std::min(bytes.find_first_not_of('\0'), bytes.size());
      if (skip == 0) {
        codes.damaged = true;
        return;
      }
      at += skip;
      continue;
    }
    const std::uint64_t room = window.size() - at;
    if (header->header_size < sizeof(ContainerHeader) || header->header_size > room ||
        header->size > room - header->header_size) {
      codes.damaged = true;
      return;
    }
    ++codes.containers;
    CodeSet set;
    const bool whole = read_entries(window.part(at + header->header_size, header->size), set, codes);
    if (!set.empty()) ++codes.sets[set];
    if (!whole) codes.damaged = true;
    at += header->header_size + header->size;
  }
}

std::optional<GpuCode> code_of_cubin(const FileBytes& window) {
  const auto machine = window.value<Elf64_Half>(offsetof(Elf64_Ehdr, e_machine));
  if (!machine || *machine != elf_machine_cuda) return std::nullopt;
  const ElfFile cubin(window);
  if (!cubin.valid()) return std::nullopt;
  // Two layouts of the flags; the second came with CUDA 13 (and Blackwell). LLVM's ELF.h documents both.
  constexpr unsigned char second_layout = 8;
  const bool second = cubin.header().e_ident[EI_ABIVERSION] >= second_layout;
  const std::uint32_t flags = cubin.header().e_flags;
  const std::uint32_t architecture = second ? flags >> 8 & 0xffU : flags & 0xffU;
  if (!plausible(architecture)) return std::nullopt;
  GpuCode code{false, static_cast<int>(architecture), '\0', 0};
  code.suffix = (flags & (second ? 0x8U : 0x800U)) != 0 ? 'a' : suffix_in_note(cubin, code.architecture);
  return code;
}

std::optional<GpuCode> code_of_ptx(const std::string& beginning) {
  std::string_view target = word_after(beginning, ".target");
  const int isa = isa_of(word_after(beginning, ".version"));
  if (isa == 0 || !target.starts_with("sm_")) return std::nullopt;
  target.remove_prefix(3);
  const auto architecture = result::take_number<int>(target);
  if (!architecture || *architecture < 0 || !plausible(static_cast<std::uint32_t>(*architecture)))
    return std::nullopt;
  GpuCode code{true, *architecture, '\0', isa};
  if (target.starts_with('a') || target.starts_with('f')) code.suffix = target.front();
  return code;
}

std::string cuda_of_ptx(int ptx_isa) {
  struct Row {
    int isa;
    const char* cuda;
  };
  // NVIDIA's PTX ISA document, "Release History". CUDA 12.6 still writes 8.5.
  static constexpr std::array rows{
      Row{50, "8.0"},  Row{60, "9.0"},  Row{61, "9.1"},  Row{62, "9.2"},  Row{63, "10.0"}, Row{64, "10.1"},
      Row{65, "10.2"}, Row{70, "11.0"}, Row{71, "11.1"}, Row{72, "11.2"}, Row{73, "11.3"}, Row{74, "11.4"},
      Row{75, "11.5"}, Row{76, "11.6"}, Row{77, "11.7"}, Row{78, "11.8"}, Row{80, "12.0"}, Row{81, "12.1"},
      Row{82, "12.2"}, Row{83, "12.3"}, Row{84, "12.4"}, Row{85, "12.5"}, Row{86, "12.7"}, Row{87, "12.8"},
      Row{88, "12.9"}, Row{90, "13.0"}, Row{91, "13.1"}, Row{92, "13.2"}, Row{93, "13.3"}, Row{94, "13.4"},
  };
  if (ptx_isa <= 0) return "";
  // Below the first row, and for versions between rows (which no release wrote), the next newer row applies.
  const auto row = std::find_if(rows.begin(), rows.end(), [&](const Row& r) { return r.isa >= ptx_isa; });
  return row == rows.end() ? "" : row->cuda;
}

}  // namespace gpugauge::stack
