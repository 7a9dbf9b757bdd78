// A log or any printed text, and the diagnosis of its lines.
#include "diagnose/plain_text.hpp"

#include "diagnose/diagnose.hpp"
#include "fuzz/support/target.hpp"
#include "result/error.hpp"

namespace gpugauge::fuzz {
namespace {

void read(std::string_view bytes) {
  const diagnose::TextLines found = diagnose::lines_of_text(bytes);
  require(found.lines.size() <= found.read, "more lines are kept than there are");
  for (const std::string& line : found.lines) {
    require(!line.empty() && line.size() <= diagnose::text_line_longest, "a line is empty or too long");
    require(result::one_line(line) == line, "a line holds what a terminal would obey");
  }
  std::string again;
  for (const std::string& line : found.lines) again += line + "\n";
  require(diagnose::lines_of_text(again).lines == found.lines, "lines that were kept are not kept again");
  diagnose::Observation seen;
  seen.log = found.lines;
  require(!diagnose::diagnose(seen).sentence.empty(), "a diagnosis has no sentence");
}

const Target target("plain_text", read);

}  // namespace
}  // namespace gpugauge::fuzz
