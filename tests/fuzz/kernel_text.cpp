// Text beside a measurement: what the kernel says of processes and processors, and the lines of the child
// that asks NVML.
#include <cmath>

#include "fuzz/support/target.hpp"
#include "result/processor_list.hpp"
#include "run/processes.hpp"
#include "run/surroundings.hpp"
#include "run/telemetry_gpu.hpp"

namespace gpugauge::fuzz {
namespace {

void read_line(const std::string& line) {
  const std::vector<int> processors = result::parse_processors(line);
  require(result::parse_processors(result::processors_text(processors)) == processors,
          "processors are not written as they are read");
  const auto said = run::parse_telemetry_line(line);
  if (!said) return;
  if (said->error) {
    require(said->values.empty() && said->lost.empty(), "a line is an error and an answer");
    require(said->error->find('\n') == std::string::npos, "an error of more than one line");
  }
  for (const run::TelemetryLine::Value& one : said->values)
    require(!one.uuid.empty() && std::isfinite(one.value), "an answer of no GPU, or that is no number");
}

void read(std::string_view bytes) {
  const std::string text(bytes);
  run::parse_process_stat(text);
  const std::string start = run::process_start(text, text, 100);
  require(start.empty() || start.size() == 20, "a time of another length");
  const std::string before(bytes.substr(0, bytes.size() / 2));
  const std::string after(bytes.substr(bytes.size() / 2));
  for (const auto& [processor, share] : run::idle_shares(before, after))
    require(share >= 0 && share <= 1, "a share that is none");
  for (std::string_view rest = bytes; !rest.empty();) read_line(std::string(take_line(rest)));
}

const Target target("kernel_text", read);

}  // namespace
}  // namespace gpugauge::fuzz
