// Programs and libraries: ELF files, archives, fat binaries, cubins, PTX. Nothing of them is run.
#include "stack/plan/binary.hpp"

#include <sys/stat.h>

#include "fuzz/support/place.hpp"
#include "fuzz/support/target.hpp"
#include "run/executable.hpp"
#include "stack/elf.hpp"
#include "stack/elf_constant.hpp"
#include "stack/inventory/libraries.hpp"

namespace gpugauge::fuzz {
namespace {

void read(std::string_view bytes) {
  static const Place place;
  const std::string name = "libcudnn.so.9";
  const std::filesystem::path file = place.write(name, bytes);
  const stack::Tree tree(place.path());

  const stack::BinaryReport report = stack::inspect_binary(tree, {}, "/" + name);
  stack::RunQuestion question;
  question.compute_capabilities = {"7.5", "9.0", "10.0", "12.0"};
  question.driver_cuda = "12.8";
  question.machine = "x86_64";
  for (const stack::RunAnswer& answer : stack::can_run(report, question))
    require(!answer.sentence.empty(), "an answer without a sentence");
  question.driver_cuda = "";
  stack::can_run(report, question);

  const stack::ElfFile elf{stack::FileBytes(file)};
  for (const char* const function :
       {"ncclGetVersion", "nvrtcVersion", "cudnnGetVersion", "cublasLtGetVersion"})
    stack::constants_of(elf, function);
  stack::number_of(elf, "cudnn_graph_version");
  stack::runtime_version_in(elf);
  stack::constants_in(bytes, EM_X86_64);
  stack::constants_in(bytes, EM_AARCH64);
  stack::build_id(file);
  if (const auto library = stack::library_of_file(name)) {
    stack::version_in_file(tree, *library, "/" + name);
    stack::version_of_file(tree, *library, "/" + name);
  }
  ::chmod(file.c_str(), 0700);
  run::why_not_executable(file);
}

const Target target("binary", read);

}  // namespace
}  // namespace gpugauge::fuzz
