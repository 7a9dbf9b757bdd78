#include "stack/codegen/expectation.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "result/number.hpp"
#include "result/object_reader.hpp"
#include "result/pattern.hpp"
#include "stack/codegen/embedded.hpp"

namespace gpugauge::stack {
namespace {

constexpr std::string_view schema = "gpugauge-codegen-1";

/// 80 for "sm_80", "sm_80+" or "sm_90a"; 0 for other text.
int architecture_number(std::string_view text) {
  if (!text.starts_with("sm_")) return 0;
  text.remove_prefix(3);
  const int value = result::take_number<int>(text).value_or(0);
  return text.empty() || text == "+" || text == "a" || text == "f" ? value : 0;
}

/// Reads counts; each must be from `lowest` to one million.
Counts read_counts(const nlohmann::json* value, const result::Place& place, int lowest) {
  Counts counts;
  if (value == nullptr) return counts;
  if (!value->is_object()) place.refuse("must be an object of opcode patterns and numbers");
  for (const auto& [pattern, number] : value->items()) {
    if (pattern.empty() || !number.is_number_integer() || number.get<std::int64_t>() < lowest ||
        number.get<std::int64_t>() > 1'000'000)
      place.key(pattern).refuse(fmt::format("must be a whole number from {} to 1000000", lowest));
    counts[pattern] = number.get<int>();
  }
  return counts;
}

std::optional<int> read_bound(result::ObjectReader& reader, const std::string& key) {
  const std::optional<int> value = reader.optional_integer(key);
  if (value && *value < 0) reader.place().key(key).refuse("must not be negative");
  return value;
}

Expectation read_expectation(const nlohmann::json& value, const result::Place& place) {
  result::ObjectReader reader(value, place);
  Expectation out;
  out.origin = place.origin + ": " + place.path;
  out.kernel = reader.text("kernel");
  if (reader.optional("architectures") != nullptr) {
    out.architectures = reader.texts("architectures");
    for (const std::string& word : out.architectures)
      if (architecture_number(word) == 0)
        place.key("architectures")
            .refuse(result::quoted(word) + " is no architecture; write sm_90a, or sm_80+");
  }
  out.registers_most = read_bound(reader, "registers_most");
  out.shared_bytes_most = read_bound(reader, "shared_bytes_most");
  out.instructions_most = read_bound(reader, "instructions_most");
  out.stack_bytes_most = read_bound(reader, "stack_bytes_most").value_or(0);
  out.local_accesses_most = read_bound(reader, "local_accesses_most").value_or(0);
  out.vector_bytes = read_bound(reader, "vector_bytes");
  out.least = read_counts(reader.optional("least"), place.key("least"), 1);
  out.most = read_counts(reader.optional("most"), place.key("most"), 1);
  out.loop_least = read_counts(reader.optional("loop_least"), place.key("loop_least"), 1);
  out.loop_most = read_counts(reader.optional("loop_most"), place.key("loop_most"), 0);
  if (!out.loop_most.empty() && out.loop_least.empty())
    place.key("loop_most").refuse("says nothing without loop_least, which tells the loop");
  out.loop_share = reader.optional_number("loop_share").value_or(0);
  if (!(out.loop_share >= 0 && out.loop_share <= 1))
    place.key("loop_share").refuse("must lie within 0 and 1");
  if (out.loop_share > 0 && out.loop_least.empty())
    place.key("loop_share").refuse("says nothing without loop_least");
  if (reader.optional("forbidden") != nullptr) out.forbidden = reader.texts("forbidden");
  reader.done();
  return out;
}

}  // namespace

std::vector<Expectation> read_expectations(const std::string& text, const std::string& origin) {
  const nlohmann::json json = result::parse_json(text, origin);
  result::ObjectReader reader(json, {origin, ""});
  result::require_schema(reader, schema);
  std::vector<Expectation> out;
  reader.each("kernels", [&](const nlohmann::json& value, const result::Place& place) {
    out.push_back(read_expectation(value, place));
  });
  if (out.empty())
    reader.place().key("kernels").refuse("declares no kernel, so there is nothing to judge by");
  reader.done();
  return out;
}

std::vector<Expectation> built_in_expectations() {
  std::vector<Expectation> out;
  for (const DataFile& file : embedded_codegen())
    for (Expectation& one : read_expectations(file.text, file.name)) out.push_back(std::move(one));
  return out;
}

bool names(const Expectation& expectation, const KernelCode& code) {
  return result::matches(expectation.kernel, code.name) ||
         result::matches(expectation.kernel, without_arguments(code.name));
}

bool means(std::string_view word, std::string_view architecture) {
  if (!word.ends_with('+')) return word == architecture;
  return architecture_number(architecture) >= architecture_number(word);
}

bool covers(const Expectation& expectation, std::string_view architecture) {
  return expectation.architectures.empty() ||
         std::any_of(expectation.architectures.begin(), expectation.architectures.end(),
                     [&](const std::string& word) { return means(word, architecture); });
}

}  // namespace gpugauge::stack
