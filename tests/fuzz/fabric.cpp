// Nodes that were measured together: a list of measurements, which a user hands in, and the sample files of
// other nodes' ranks, one a line, two of them a collective.
#include <cmath>

#include <fmt/format.h>

#include "fuzz/support/target.hpp"
#include "judge/fabric_input.hpp"
#include "result/samples.hpp"

namespace gpugauge::fuzz {
namespace {

void judge_one(const judge::FabricInput& input) {
  const judge::FabricJudgement judged = judge::judge_fabric(input);
  require(judged.tolerance > 0 && judged.tolerance < 1, "a tolerance is out of its range");
  for (const judge::FabricFinding& finding : judged.findings) {
    require(!finding.sentence.empty(), "a finding without a sentence");
    require(!finding.change || !std::isnan(*finding.change), "a change is no number");
  }
  for (const judge::FabricNode& node : judged.nodes) {
    require(!node.name.empty() && !node.state.empty(), "a node without name or state");
    require(!node.slowness || *node.slowness >= 0, "a node is faster than itself");
  }
}

void read_ranks(std::string_view bytes) {
  judge::FabricCollector ranks;
  int file = 0;
  for (std::string_view rest = bytes; !rest.empty(); ++file) {
    const std::string line(take_line(rest));
    const std::string name = fmt::format("out/{}.rank{}.json", file / 2, file % 2);
    result::Samples samples;
    if (!accepted([&] { samples = result::parse_samples(line, name); })) continue;
    if (judge::is_of_ranks(samples)) ranks.add(samples, name, "out");
  }
  const judge::FabricInputs made = std::move(ranks).made();
  for (const judge::FabricInput& input : made.fabrics) judge_one(input);
  for (const judge::UnreadFile& unread : made.unread)
    require(!unread.reason.empty(), "a collective is left out without a word");
}

void read(std::string_view bytes) {
  judge::FabricInput list;
  if (accepted([&] { list = judge::parse_fabric(std::string(bytes), "fabric.json"); })) judge_one(list);
  read_ranks(bytes);
}

const Target target("fabric", read);

}  // namespace
}  // namespace gpugauge::fuzz
