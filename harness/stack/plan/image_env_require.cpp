// NVIDIA_REQUIRE_*, which the container runtime checks before it starts an image. Blanks separate
// alternatives; commas separate conditions that must all hold (NVIDIA Container Toolkit, "Environment
// variables: constraints").
#include <algorithm>
#include <array>
#include <cctype>
#include <compare>

#include "stack/plan/image_env.hpp"

namespace gpugauge::stack {
namespace {

constexpr std::array<std::string_view, 6> relations{">=", "<=", "!=", ">", "<", "="};
constexpr std::array<std::string_view, 4> properties{"cuda", "driver", "arch", "brand"};
constexpr std::size_t terms_most = 1000;

std::optional<RequireTerm> parse_term(std::string_view text) {
  const auto at = text.find_first_of("<>=!");
  if (at == std::string_view::npos || at == 0) return std::nullopt;
  for (const std::string_view relation : relations) {
    if (!text.substr(at).starts_with(relation)) continue;
    RequireTerm term{std::string(text.substr(0, at)), std::string(relation),
                     std::string(text.substr(at + relation.size()))};
    if (term.value.empty() || term.value.find_first_of("<>=!") != std::string::npos) return std::nullopt;
    if (std::find(properties.begin(), properties.end(), term.property) == properties.end())
      return std::nullopt;
    return term;
  }
  return std::nullopt;
}

std::string plain(std::string_view text) {
  std::string lower;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) != 0) lower += static_cast<char>(std::tolower(byte));
  }
  return lower;
}

bool compare(const std::string& relation, std::strong_ordering order) {
  if (relation == "=") return std::is_eq(order);
  if (relation == "!=") return std::is_neq(order);
  if (relation == "<") return std::is_lt(order);
  if (relation == "<=") return std::is_lteq(order);
  if (relation == ">") return std::is_gt(order);
  return std::is_gteq(order);
}

}  // namespace

std::optional<RequireExpression> parse_require(std::string_view text) {
  RequireExpression expression;
  std::size_t count = 0;
  std::size_t start = 0;
  while (start < text.size()) {
    const std::size_t end = std::min(text.find_first_of(" \t", start), text.size());
    const std::string_view alternative = text.substr(start, end - start);
    start = end + 1;
    if (alternative.empty()) continue;
    std::vector<RequireTerm> terms;
    for (std::size_t from = 0; from <= alternative.size();) {
      const std::size_t comma = std::min(alternative.find(',', from), alternative.size());
      const auto term = parse_term(alternative.substr(from, comma - from));
      if (!term || ++count > terms_most) return std::nullopt;
      terms.push_back(*term);
      from = comma + 1;
    }
    expression.push_back(std::move(terms));
  }
  if (expression.empty()) return std::nullopt;
  return expression;
}

RequireHost require_host(const Inventory& inventory) {
  RequireHost host;
  host.cuda = Version::parse(inventory.value("driver.cuda_max"));
  host.driver = Version::parse(inventory.value("driver.version"));
  for (const std::string& index : inventory.children("gpu")) {
    const auto capability = Version::parse(inventory.value("gpu." + index + ".compute_capability"));
    if (capability && (!host.arch || *capability < *host.arch)) host.arch = capability;
    if (host.brand.empty()) host.brand = plain(inventory.value("gpu." + index + ".brand"));
  }
  return host;
}

std::optional<bool> holds(const RequireTerm& term, const RequireHost& host) {
  if (term.property == "brand") {
    if (host.brand.empty()) return std::nullopt;
    const bool same = host.brand == plain(term.value);
    if (term.relation == "=") return same;
    if (term.relation == "!=") return !same;
    return std::nullopt;
  }
  const auto& have = term.property == "cuda"     ? host.cuda
                     : term.property == "driver" ? host.driver
                                                 : host.arch;
  const auto wanted = Version::parse(term.value);
  if (!have || !wanted) return std::nullopt;
  return compare(term.relation, *have <=> *wanted);
}

std::optional<bool> holds(const RequireExpression& expression, const RequireHost& host) {
  bool open = false;
  for (const auto& terms : expression) {
    bool failed = false;
    bool unknown = false;
    for (const RequireTerm& term : terms) {
      const auto one = holds(term, host);
      failed = failed || (one && !*one);
      unknown = unknown || !one;
    }
    if (failed) continue;
    if (!unknown) return true;
    open = true;
  }
  if (open) return std::nullopt;
  return false;
}

}  // namespace gpugauge::stack
