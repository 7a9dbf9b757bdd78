#include "stack/elf.hpp"

#include <cstring>

#include <elf.h>
#include <gtest/gtest.h>

#include "fake_tree.hpp"
#include "stack/inventory/libraries.hpp"

namespace gpugauge::stack {
namespace {

/// A header, one note segment, and in it a note of another owner and the build id 0xa0a1a2.
std::string elf_file() {
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_phoff = sizeof header;
  header.e_phentsize = sizeof(Elf64_Phdr);
  header.e_phnum = 1;
  std::string notes;
  const auto add = [&notes](std::uint32_t type, std::string name, std::string content) {
    name += '\0';
    const Elf64_Nhdr note{static_cast<Elf64_Word>(name.size()), static_cast<Elf64_Word>(content.size()),
                          type};
    notes.append(reinterpret_cast<const char*>(&note), sizeof note);
    name.resize((name.size() + 3) / 4 * 4);
    content.resize((content.size() + 3) / 4 * 4);
    notes += name + content;
  };
  add(NT_GNU_BUILD_ID, "Maker", "\x01\x02");
  add(NT_GNU_BUILD_ID, "GNU", "\xa0\xa1\xa2");
  Elf64_Phdr segment{};
  segment.p_type = PT_NOTE;
  segment.p_offset = sizeof header + sizeof segment;
  segment.p_filesz = notes.size();
  std::string bytes(reinterpret_cast<const char*>(&header), sizeof header);
  bytes.append(reinterpret_cast<const char*>(&segment), sizeof segment);
  return bytes + notes;
}

TEST(BuildId, IsReadFromTheNotes) {
  FakeTree tree;
  tree.file("/lib.so", elf_file());
  EXPECT_EQ(build_id(tree.at("/lib.so")), "a0a1a2");
}

TEST(BuildId, StandsBesideAVersionThatTheNameDoesNotHold) {
  FakeTree tree;
  tree.file("/libcudnn.so.9", elf_file());
  EXPECT_EQ(library_version(tree.at("/libcudnn.so.9")), "9 (build a0a1a2)");
  tree.file("/libcudnn.so.9.10.2", elf_file());
  EXPECT_EQ(library_version(tree.at("/libcudnn.so.9.10.2")), "9.10.2");
  tree.file("/t/include/cublas_api.h",
            "#define CUBLAS_VER_MAJOR 12\n#define CUBLAS_VER_MINOR 8\n#define CUBLAS_VER_PATCH 4\n"
            "#define CUBLAS_VER_BUILD 1\n");
  tree.file("/t/lib/libcublas.so.12", elf_file());
  EXPECT_EQ(library_version(tree.at("/t/lib/libcublas.so.12")), "12.8.4.1 (build a0a1a2)");
}

TEST(BuildId, OfADamagedFileIsNone) {
  FakeTree tree;
  const std::string whole = elf_file();
  // The last byte is padding, which the note does not need; everything else it does.
  for (std::size_t size = 0; size + 1 < whole.size(); ++size) {
    tree.file("/lib.so", whole.substr(0, size));
    EXPECT_EQ(build_id(tree.at("/lib.so")), "") << size;
  }
  tree.file("/text", "no ELF at all");
  EXPECT_EQ(build_id(tree.at("/text")), "");
  EXPECT_EQ(build_id(tree.at("/missing")), "");
  EXPECT_EQ(build_id(tree.root()), "");
}

}  // namespace
}  // namespace gpugauge::stack
