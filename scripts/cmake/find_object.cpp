// _dl_find_object for the portable command (Portable.cmake). The unwinder of GCC 12, linked statically, asks
// glibc 2.35 or later where an address's tables are; the command is to start with an older one, too, and asks
// as every glibc can answer.
#include <cstddef>
#include <cstdint>

#include <dlfcn.h>
#include <link.h>

#ifdef DLFO_STRUCT_HAS_EH_DBASE  // a C library that has it, and may have been what the unwinder was compiled \
                                 // with
namespace {

struct Question {
  std::uintptr_t address;
  dl_find_object* answer;
};

// NOLINTBEGIN(performance-no-int-to-ptr): the program headers hold addresses
/// For dl_iterate_phdr: 0 goes on, 1 found, -1 found an object without tables.
int look(dl_phdr_info* object, std::size_t, void* data) {
  const auto& question = *static_cast<const Question*>(data);
  const ElfW(Phdr)* tables = nullptr;
  bool inside = false;
  for (int index = 0; index < object->dlpi_phnum; ++index) {
    const ElfW(Phdr)& part = object->dlpi_phdr[index];
    if (part.p_type == PT_GNU_EH_FRAME) tables = &part;
    const std::uintptr_t begin = object->dlpi_addr + part.p_vaddr;
    if (part.p_type != PT_LOAD || question.address < begin || question.address - begin >= part.p_memsz)
      continue;
    inside = true;
    question.answer->dlfo_map_start = reinterpret_cast<void*>(begin);
    question.answer->dlfo_map_end = reinterpret_cast<void*>(begin + part.p_memsz);
  }
  if (!inside) return 0;
  if (tables == nullptr) return -1;
  question.answer->dlfo_eh_frame = reinterpret_cast<void*>(object->dlpi_addr + tables->p_vaddr);
  return 1;
}
// NOLINTEND(performance-no-int-to-ptr)

}  // namespace

/// As the C library's, but that dlfo_link_map stays null, which the unwinder does not read. Hidden: libraries
/// that the command opens go on using the C library's own.
// NOLINTNEXTLINE(bugprone-reserved-identifier,readability-identifier-naming)
extern "C" __attribute__((visibility("hidden"))) int _dl_find_object(void* address,
                                                                     dl_find_object* result) noexcept {
  *result = {};
  Question question{reinterpret_cast<std::uintptr_t>(address), result};
  return ::dl_iterate_phdr(look, &question) == 1 ? 0 : -1;
}
#endif
