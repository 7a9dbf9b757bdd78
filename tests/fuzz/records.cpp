// What the command keeps for itself, or a child of its own tells it: the last verdict of a device, an
// upgrade, the GPU probe's answer, a fingerprint of the store.
#include "conductor/upgrade_record.hpp"
#include "fuzz/support/target.hpp"
#include "report/stored_verdict.hpp"
#include "stack/gpu_report.hpp"
#include "store/record.hpp"

namespace gpugauge::fuzz {
namespace {

void read(std::string_view bytes) {
  const std::string text(bytes);
  comes_back(
      bytes, [](const std::string& from) { return report::parse_stored_verdict(from, "verdict.json"); },
      [](const judge::StoredVerdict& one) { return report::to_json(one); });
  comes_back(
      bytes, [](const std::string& from) { return conductor::upgrade_from_json(from, "upgrade.json"); },
      [](const conductor::UpgradeRecord& one) { return conductor::to_json(one); });
  comes_back(bytes, stack::gpu_report_from_json,
             [](const stack::GpuReport& one) { return stack::to_json(one); });
  const bool facts = comes_back(
      bytes, [](const std::string& from) { return store::fingerprint_from(from, "the store"); },
      store::facts_text);
  if (!facts) return;
  result::Facts suite;
  require(accepted([&] { suite = store::suite_from(text, "the store"); }),
          "a fingerprint that was read has no suite");
  require(suite == store::fingerprint_from(text, "the store").suite, "its suite is another one");
}

const Target target("records", read);

}  // namespace
}  // namespace gpugauge::fuzz
