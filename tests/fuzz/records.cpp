// What the command keeps for itself, or a child of its own tells it: the last verdict of a device, an
// upgrade, the GPU probe's answer, a fingerprint of the store, the reports of commands that it measures.
#include "conductor/fault_read.hpp"
#include "conductor/upgrade_record.hpp"
#include "fuzz/support/target.hpp"
#include "report/stored_verdict.hpp"
#include "stack/gpu_report.hpp"
#include "store/record.hpp"

namespace gpugauge::fuzz {
namespace {

void read(std::string_view bytes) {
  comes_back(
      bytes, [](const std::string& from) { return report::parse_stored_verdict(from, "verdict.json"); },
      [](const judge::StoredVerdict& one) { return report::to_json(one); });
  comes_back(
      bytes, [](const std::string& from) { return conductor::upgrade_from_json(from, "upgrade.json"); },
      [](const conductor::UpgradeRecord& one) { return conductor::to_json(one); });
  comes_back(bytes, stack::gpu_report_from_json,
             [](const stack::GpuReport& one) { return stack::to_json(one); });
  comes_back(
      bytes, [](const std::string& from) { return store::fingerprint_from(from, "the store"); },
      store::facts_text);
  const std::string text(bytes);
  accepted([&] { conductor::check_trial(text); });
  accepted([&] { conductor::doctor_trial(text, {"gpu_absent"}); });
  require(!conductor::last_said(text, "").empty(), "a command that said nothing, and no word of it");
}

const Target target("records", read);

}  // namespace
}  // namespace gpugauge::fuzz
