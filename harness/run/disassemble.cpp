// Finds NVIDIA's cuobjdump and runs it on files to list their machine code.
#include "run/disassemble.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <deque>
#include <fstream>
#include <memory>
#include <set>
#include <string_view>

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "run/child.hpp"
#include "stack/codegen/parse.hpp"

namespace gpugauge::run {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_at_once = 2;
constexpr double limit_seconds = 600;
constexpr std::string_view no_code = "does not contain device code";

bool executable(const fs::path& file) {
  std::error_code ignored;
  return fs::is_regular_file(file, ignored) && ::access(file.c_str(), X_OK) == 0;
}

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

/// True if only this user and root can replace the file. Neither it nor a folder above it belongs to others
/// or is writable by them. In a sticky folder like /tmp only an entry's owner may replace it.
bool only_we_write(const fs::path& file) {
  std::error_code error;
  fs::path place = fs::canonical(file, error);
  while (!error) {
    struct stat status {};
    if (::lstat(place.c_str(), &status) != 0 || (status.st_uid != 0 && status.st_uid != ::geteuid()))
      return false;
    const bool sticky = S_ISDIR(status.st_mode) && (status.st_mode & S_ISVTX) != 0;
    if (!sticky && (status.st_mode & (S_IWGRP | S_IWOTH)) != 0) return false;
    if (place == place.root_path()) return true;
    place = place.parent_path();
  }
  return false;
}

/// The wheel's path in a folder's .venv, for any python3 version.
fs::path in_wheel(const fs::path& folder) {
  std::error_code none;
  for (fs::directory_iterator python(folder / ".venv" / "cuda-tools" / "lib", none), end;
       !none && python != end; python.increment(none)) {
    std::error_code none_there;
    for (fs::directory_iterator part(python->path() / "site-packages" / "nvidia", none_there);
         !none_there && part != end; part.increment(none_there))
      if (fs::path found = part->path() / "bin" / "cuobjdump"; executable(found)) return found;
  }
  return {};
}

/// The cuobjdump that scripts/setup put into the source tree of this build; empty elsewhere.
fs::path in_source_tree() {
  std::error_code ignored;
  for (fs::path folder = fs::read_symlink("/proc/self/exe", ignored).parent_path();
       !folder.empty() && folder != folder.root_path(); folder = folder.parent_path()) {
    if (!fs::is_regular_file(folder / "scripts" / "setup", ignored) ||
        !fs::is_regular_file(folder / "harness" / "run" / "disassemble.cpp", ignored))
      continue;
    fs::path found = in_wheel(folder);
    return only_we_write(found) ? found : fs::path();
  }
  return {};
}

std::string unread_cubin(const std::string& file) {
  return fmt::format("{} is a bare cubin that this cuobjdump cannot read: it is cut off, or of a newer CUDA",
                     file);
}

/// One run of cuobjdump. Each has a parser of its own, because two runs write at once.
struct Job {
  std::size_t file = 0;  ///< index into files
  std::vector<std::string> arguments;
  stack::CodeParser parser;
  std::unique_ptr<Child> child;
};

}  // namespace

fs::path find_cuobjdump() {
  if (std::string named = variable("GPUGAUGE_CUOBJDUMP"); !named.empty() && executable(named)) return named;
  for (const char* const root : {"CUDA_HOME", "CUDA_PATH"})
    if (const std::string folder = variable(root); !folder.empty())
      if (fs::path found = fs::path(folder) / "bin" / "cuobjdump"; executable(found)) return found;
  const std::string path = variable("PATH");
  for (std::size_t from = 0; from < path.size();) {
    const std::size_t end = std::min(path.find(':', from), path.size());
    if (fs::path found = fs::path(path.substr(from, end - from)) / "cuobjdump";
        // "." and "" mean the folder in which the command was started.
        found.is_absolute() && executable(found))
      return found;
    from = end + 1;
  }
  if (fs::path found = "/usr/local/cuda/bin/cuobjdump"; executable(found)) return found;
  return in_source_tree();
}

bool is_cubin(const fs::path& file) {
  constexpr unsigned cuda_machine = 190;
  constexpr std::size_t machine_at = 18;
  std::array<char, machine_at + 2> head{};
  std::ifstream stream(file, std::ios::binary);
  if (!stream.read(head.data(), head.size()) || !std::string_view(head.data(), head.size())
                                                     .starts_with("\x7f"
                                                                  "ELF"))
    return false;
  // Little-endian, as every cubin is.
  const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(head[at]); };
  return (byte(machine_at) | unsigned{byte(machine_at + 1)} << 8) == cuda_machine;
}

Disassembly disassemble(const fs::path& cuobjdump, const std::vector<fs::path>& files,
                        const Reading& reading) {
  Disassembly out;
  std::vector<stack::CodeParser> of_file(files.size());  // results of the parsers of each file's jobs
  const auto run_all = [&](std::deque<std::unique_ptr<Job>> waiting, bool count_missing) {
    Loop loop;
    std::deque<std::unique_ptr<Job>> running;
    const std::size_t all = waiting.size();
    const auto start = [&](std::unique_ptr<Job> job) {
      ChildOptions options;
      options.limit_seconds = limit_seconds;
      options.end_descendants = false;  // else the other job's child would count as left behind
      options.on_output = [parser = &job->parser](std::string_view text) { parser->feed(text); };
      job->child = std::make_unique<Child>(loop, Command{cuobjdump, job->arguments, {}}, std::move(options));
      running.push_back(std::move(job));
    };
    while (!waiting.empty() || !running.empty()) {
      while (!waiting.empty() && running.size() < most_at_once) {
        start(std::move(waiting.front()));
        waiting.pop_front();
      }
      // In the order of the jobs, so that the result does not depend on their speed.
      if (reading) reading(all - waiting.size() - running.size(), all, files[running.front()->file]);
      loop.run_until([&] { return running.front()->child->ended(); });
      const std::unique_ptr<Job> job = std::move(running.front());
      running.pop_front();
      const ChildEnd& end = job->child->end();
      job->parser.end_output();
      const std::string file = files[job->file].string();
      if (end.fault.empty()) {
        // For a file with PTX only, cuobjdump lists no kernel and reports no error.
        if (count_missing && job->parser.architectures().empty()) out.without_code.push_back(file);
        of_file[job->file].take(job->parser);
      } else if (end.output.find(no_code) != std::string::npos) {
        if (is_cubin(files[job->file]))
          out.problems.push_back(unread_cubin(file));
        else if (count_missing)
          out.without_code.push_back(file);
      } else {
        out.problems.push_back(fmt::format("{}: {} {}{}", file, cuobjdump.string(), end.fault,
                                           end.output.empty() ? "" : "; it said: " + last_line(end.output)));
      }
    }
  };
  std::deque<std::unique_ptr<Job>> resources;
  for (std::size_t i = 0; i < files.size(); ++i) {
    auto job = std::make_unique<Job>();
    job->file = i;
    job->arguments = {"--dump-resource-usage", files[i].string()};
    resources.push_back(std::move(job));
  }
  run_all(std::move(resources), true);
  std::set<std::string> architectures;
  for (const stack::CodeParser& parser : of_file)
    for (std::string& architecture : parser.architectures()) architectures.insert(std::move(architecture));
  std::deque<std::unique_ptr<Job>> code;
  for (const std::string& architecture : architectures)
    for (std::size_t i = 0; i < files.size(); ++i) {
      const std::string file = files[i].string();
      if (std::find(out.without_code.begin(), out.without_code.end(), file) != out.without_code.end())
        continue;
      if (architecture.empty() != is_cubin(files[i])) continue;  // of one architecture, which is not listed
      auto job = std::make_unique<Job>();
      job->file = i;
      if (architecture.empty())
        job->arguments = {"--dump-sass", file};
      else
        job->arguments = {"--dump-sass", "--gpu-architecture", architecture, file};
      code.push_back(std::move(job));
    }
  run_all(std::move(code), false);
  if (out.problems.empty())
    for (std::size_t i = 0; i < files.size(); ++i)
      if (!of_file[i].settle()) out.problems.push_back(unread_cubin(files[i].string()));
  std::vector<stack::KernelCode> kernels;
  for (std::size_t i = 0; i < files.size(); ++i)
    for (stack::KernelCode& one : of_file[i].kernels()) {
      one.file = files[i].string();
      kernels.push_back(std::move(one));
    }
  out.kernels = stack::distinct(std::move(kernels));
  return out;
}

}  // namespace gpugauge::run
