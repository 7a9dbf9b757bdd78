#include "cli/diagnose_told.hpp"

#include <algorithm>
#include <iostream>

#include <fmt/format.h>

#include "conductor/node_fingerprint.hpp"
#include "conductor/observe.hpp"
#include "diagnose/diagnose.hpp"
#include "diagnose/plain_text.hpp"
#include "diagnose/told/told.hpp"
#include "result/error.hpp"
#include "result/file.hpp"
#include "result/text.hpp"
#include "stack/gpu_report.hpp"
#include "stack/inventory/node.hpp"

namespace gpugauge::cli {
namespace {

/// An observation is small, and a log is read whole; a limit keeps a stray pipe from filling the memory.
constexpr std::size_t most_bytes = std::size_t{64} << 20;

constexpr const char* standard_input = "-";

std::string origin_of(const std::string& file) {
  return file == standard_input ? "standard input" : file;
}

std::string read_standard_input() {
  std::string text;
  char buffer[1 << 16];
  while (std::cin.read(buffer, sizeof buffer) || std::cin.gcount() > 0) {
    text.append(buffer, static_cast<std::size_t>(std::cin.gcount()));
    if (text.size() > most_bytes)
      throw result::FileError("standard input: more than 64 MiB; give the part that matters");
  }
  return text;
}

std::string text_of(const std::string& file) {
  return file == standard_input ? read_standard_input() : result::read_file(file, most_bytes);
}

diagnose::Observation read_observation(const std::string& file) {
  try {
    return diagnose::parse_observation(text_of(file), origin_of(file));
  } catch (const result::FormatError& error) {
    throw result::FormatError(
        fmt::format("{}; see docs/observation.md, or give a text with --log", error.what()));
  }
}

/// The lines of all logs together: what two of them hold counts once.
void add_logs(const std::vector<std::string>& files, diagnose::Observation& out) {
  std::string text;
  std::string names;
  for (const std::string& file : files) {
    const std::string one = text_of(file);
    if (const std::string why = diagnose::why_no_text(one); !why.empty())
      throw result::FormatError(fmt::format("{} {}", origin_of(file), why));
    text += one + "\n";
    names += (names.empty() ? "" : ", ") + origin_of(file);
  }
  diagnose::TextLines found = diagnose::lines_of_text(text);
  const std::string source = fmt::format("{}, {} of {} lines", names, found.lines.size(), found.read);
  out.about.source = out.about.source.empty() ? source : out.about.source + "; " + source;
  for (std::string& line : found.lines)
    if (std::find(out.log.begin(), out.log.end(), line) == out.log.end()) out.log.push_back(std::move(line));
}

void add_this_machine(diagnose::Observation& out) {
  stack::Context context;
  context.environment = stack::current_environment();
  const stack::GpuReport gpus = stack::probe_gpus();
  stack::Inventory node = stack::with_report(stack::files_of_node(context), gpus);
  stack::collect_kernel_log(context, node);
  conductor::add_machine(conductor::node_fingerprint(gpus), node, out);
  if (out.about.gpu.empty() && !gpus.gpus.empty()) out.about.gpu = gpus.gpus.front().name;
  if (out.about.compute_capability.empty() && !gpus.gpus.empty())
    out.about.compute_capability = gpus.gpus.front().compute_capability;
  if (!out.about.gpus && !gpus.gpus.empty()) out.about.gpus = static_cast<int>(gpus.gpus.size());
}

void require_told(const ToldArguments& arguments) {
  if (!arguments.says.empty() && result::stripped(arguments.says).empty())
    throw result::UsageError("diagnose: --says is blank; say what is wrong, or leave it out");
  if (arguments.file.empty() && arguments.logs.empty() && arguments.says.empty())
    throw result::UsageError(
        "diagnose: nothing is told; name an observation file, a log (--log FILE), or what is wrong (--says TEXT)");
  const auto piped = std::count(arguments.logs.begin(), arguments.logs.end(), standard_input) +
                     (arguments.file == standard_input ? 1 : 0);
  if (piped > 1)
    throw result::UsageError("diagnose: standard input can be read once only, and is named twice");
}

}  // namespace

Told read_told(const ToldArguments& arguments) {
  require_told(arguments);
  Told out;
  if (!arguments.file.empty()) out.seen = read_observation(arguments.file);
  out.by_a_person =
      !arguments.logs.empty() || !arguments.says.empty() || !diagnose::is_of_a_command(out.seen);
  if (!arguments.says.empty()) {
    out.seen.metrics.push_back(diagnose::figure_of_words(arguments.says));
    diagnose::read_words(arguments.says, out.seen);
  }
  if (!arguments.logs.empty()) {
    add_logs(arguments.logs, out.seen);
    diagnose::read_log(out.seen);
  }
  if (arguments.here) add_this_machine(out.seen);
  return out;
}

}  // namespace gpugauge::cli
