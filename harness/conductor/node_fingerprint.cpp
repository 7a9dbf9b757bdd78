#include "conductor/node_fingerprint.hpp"

#include <algorithm>
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
#include "stack/inventory/libraries.hpp"

namespace gpugauge::conductor {
namespace {

/// A library with its own facts in the fingerprint; its family has the same name.
struct Library {
  const char* fact;
  const char* mapped;  ///< the fact that the families' processes record of it
};
constexpr std::array libraries{Library{"cublas", "library.libcublas"}, Library{"cudnn", "library.libcudnn"},
                               Library{"cufft", "library.libcufft"}, Library{"nccl", "library.libnccl"}};

std::string real_path(const std::string& path) {
  std::error_code error;
  const std::filesystem::path real = std::filesystem::canonical(path, error);
  return error ? path : real.string();
}

/// The files of one library that a run's processes mapped, and their versions, without duplicates.
struct Mapped {
  std::vector<std::string> paths;  ///< sorted
  std::vector<std::string> versions;
};

Mapped mapped_by(const result::Run& run, const Library& library) {
  std::set<std::string> paths;
  for (const result::Process& process : run.processes)
    if (process.samples)
      if (const std::string path = result::fact(process.samples->context, library.mapped); !path.empty())
        paths.insert(path);
  Mapped out{{paths.begin(), paths.end()}, {}};
  for (const std::string& path : out.paths)
    if (std::string version = stack::library_version(path);
        std::find(out.versions.begin(), out.versions.end(), version) == out.versions.end())
      out.versions.push_back(std::move(version));
  return out;
}

/// True when a fact of several joined values contains each of `some`.
bool among(const std::vector<std::string>& some, const std::string& fact) {
  const std::string all = fmt::format(", {}, ", fact);
  return std::all_of(some.begin(), some.end(), [&](const std::string& one) {
    return all.find(fmt::format(", {}, ", one)) != std::string::npos;
  });
}

}  // namespace

result::Fingerprint node_fingerprint(const stack::GpuReport& gpus) {
  std::map<std::string, std::string> programs;
  for (const run::Family& family : run::find_families()) programs[family.name] = family.executable.string();
  return stack::fingerprint(gpus, "/", programs);
}

void add_mapped_libraries(result::Run& run, const result::Facts& first) {
  for (const Library& library : libraries) {
    const Mapped mapped = mapped_by(run, library);
    const std::string path = fmt::format("{}.path", library.fact);
    const std::string version = fmt::format("{}.version", library.fact);
    result::Facts& facts = run.fingerprint.stack;
    if (mapped.paths.size() > 1)
      run.remarks.push_back(
          fmt::format("The processes of this run did not load one {}: {}. It was replaced meanwhile, or they "
                      "search it in "
                      "different places; what they measured is of both.",
                      library.fact, fmt::join(mapped.paths, ", ")));
    if (first.contains(path) && among(mapped.paths, first.at(path)) &&
        among(mapped.versions, result::fact(first, version))) {
      facts[path] = first.at(path);
      facts[version] = result::fact(first, version);
      continue;
    }
    if (mapped.paths.empty()) continue;
    if (mapped.paths.size() == 1 && real_path(result::fact(facts, path)) == mapped.paths.front()) continue;
    facts[path] = fmt::format("{}", fmt::join(mapped.paths, ", "));
    facts[version] = fmt::format("{}", fmt::join(mapped.versions, ", "));
  }
}

result::Facts library_facts(const result::Run& run) {
  result::Facts out;
  for (const Library& library : libraries)
    for (const char* const what : {"path", "version"}) {
      const auto found = run.fingerprint.stack.find(fmt::format("{}.{}", library.fact, what));
      if (found != run.fingerprint.stack.end()) out.insert(*found);
    }
  return out;
}

}  // namespace gpugauge::conductor
