#include "conductor/node_fingerprint.hpp"

#include <array>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <system_error>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "result/facts.hpp"
#include "run/runner.hpp"
#include "stack/shared_object.hpp"

namespace gpugauge::conductor {
namespace {

/// A library that has facts of its own in the fingerprint; its family bears the same name.
struct Library {
  const char* fact;
  const char* mapped;  ///< what the families' processes record of it
};
constexpr std::array libraries{Library{"cublas", "library.libcublas"}, Library{"cudnn", "library.libcudnn"},
                               Library{"cufft", "library.libcufft"}, Library{"nccl", "library.libnccl"}};

std::string real_path(const std::string& path) {
  std::error_code error;
  const std::filesystem::path real = std::filesystem::canonical(path, error);
  return error ? path : real.string();
}

}  // namespace

result::Fingerprint node_fingerprint(const stack::GpuReport& gpus) {
  std::map<std::string, std::string> programs;
  for (const run::Family& family : run::find_families()) programs[family.name] = family.executable.string();
  return stack::fingerprint(gpus, "/", programs);
}

void add_mapped_libraries(result::Run& run, result::Facts& known) {
  for (const Library& library : libraries) {
    std::set<std::string> mapped;
    for (const result::Process& process : run.processes)
      if (process.samples)
        if (const std::string path = result::fact(process.samples->context, library.mapped); !path.empty())
          mapped.insert(path);
    const std::string path = fmt::format("{}.path", library.fact);
    const std::string version = fmt::format("{}.version", library.fact);
    result::Facts& facts = run.fingerprint.stack;
    if (mapped.empty()) {
      for (const std::string& fact : {path, version})
        if (const auto found = known.find(fact); found != known.end()) facts[fact] = found->second;
      continue;
    }
    if (mapped.size() == 1 && real_path(result::fact(facts, path)) == *mapped.begin()) continue;
    std::vector<std::string> versions;
    versions.reserve(mapped.size());
    for (const std::string& one : mapped) versions.push_back(stack::library_version(one));
    known[path] = facts[path] = fmt::format("{}", fmt::join(mapped, ", "));
    known[version] = facts[version] = fmt::format("{}", fmt::join(versions, ", "));
    if (mapped.size() > 1)
      run.remarks.push_back(
          fmt::format("The processes of this run did not load one {}: {}. It was replaced meanwhile, or they "
                      "search it in "
                      "different places; what they measured is of both.",
                      library.fact, fmt::join(mapped, ", ")));
  }
}

}  // namespace gpugauge::conductor
