// The chained log of a baseline. A fuzzer finds no hashes: behind a first line "chained" the chain is put
// right, so that what the lines say is read; otherwise the bytes are the log as they are.
#include <nlohmann/json.hpp>

#include "baseline/digest.hpp"
#include "baseline/log.hpp"
#include "fuzz/support/place.hpp"
#include "fuzz/support/target.hpp"

namespace gpugauge::fuzz {
namespace {

struct Chained {
  std::string text;
  std::string head;
};

/// Each line that is an object gets the number and the hash of the line before it.
Chained chained(std::string_view bytes) {
  std::string previous(64, '0');
  std::uint64_t sequence = 0;
  Chained out;
  while (!bytes.empty()) {
    nlohmann::json value = nlohmann::json::parse(take_line(bytes), nullptr, false);
    if (!value.is_object()) continue;
    value["sequence"] = ++sequence;
    value["previous"] = previous;
    const std::string line = value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    previous = baseline::sha256(line);
    out.text += line + "\n";
  }
  out.head = nlohmann::json{{"lines", sequence}, {"sha256", previous}}.dump();
  return out;
}

void read(std::string_view bytes) {
  static const Place place;
  place.clear();
  constexpr std::string_view mark = "chained\n";
  if (bytes.starts_with(mark)) {
    const Chained log = chained(bytes.substr(mark.size()));
    place.write("log.jsonl", log.text);
    place.write("log.head", log.head);
  } else {
    place.write("log.jsonl", bytes);
  }
  std::vector<baseline::LogEntry> entries;
  if (!accepted([&] { entries = baseline::read_log(place.path()); })) return;
  baseline::state_of(entries);
  for (const baseline::LogEntry& entry : entries) {
    if (!entry.accepted) continue;
    const baseline::AcceptedChange* expired = nullptr;
    baseline::accepted_on(entries, entry.accepted->metric, "2026-01-01T00:00:00Z", &expired);
  }
  // What was read can be written again, and the log goes on from any log that was accepted.
  require(accepted([&] { baseline::append_log(place.path(), entries); }),
          "an accepted log cannot be extended");
  std::vector<baseline::LogEntry> twice = entries;
  twice.insert(twice.end(), entries.begin(), entries.end());
  require(baseline::read_log(place.path()) == twice, "what was appended comes back as something else");
}

const Target target("baseline_log", read);

}  // namespace
}  // namespace gpugauge::fuzz
