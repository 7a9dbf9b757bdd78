// Compares the predicted movements of the classes with the measured ones.
#include "diagnose/pattern.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "result/vocabulary.hpp"

namespace gpugauge::diagnose {
namespace {

constexpr std::array<std::pair<std::string_view, Prediction>, 5> signs{{{"0", Prediction::unchanged},
                                                                        {"-", Prediction::slower},
                                                                        {"--", Prediction::much_slower},
                                                                        {"x", Prediction::fails},
                                                                        {"?", Prediction::either}}};

std::string_view word(Movement movement) {
  switch (movement) {
    case Movement::faster:
      return "faster";
    case Movement::unchanged:
      return "unchanged";
    case Movement::mixed:
      return "slower in part";
    case Movement::slower:
      return "slower";
    case Movement::much_slower:
      return "more than twice as slow";
    case Movement::fails:
      return "failing";
    case Movement::not_measured:
      break;
  }
  return "not measured";
}

std::string_view word(Prediction prediction) {
  switch (prediction) {
    case Prediction::unchanged:
      return "unchanged";
    case Prediction::slower:
      return "slower";
    case Prediction::much_slower:
      return "more than twice as slow";
    case Prediction::fails:
      return "failing";
    case Prediction::either:
      break;
  }
  return "either way";
}

bool is_worse(Movement movement) {
  return movement == Movement::mixed || movement == Movement::slower || movement == Movement::much_slower ||
         movement == Movement::fails;
}

constexpr double partly = .5;

/// 1 as predicted, .5 in the right direction, -1 in the wrong direction, 0 undecided.
double score(Prediction prediction, Movement movement) {
  switch (prediction) {
    case Prediction::unchanged:
      if (movement == Movement::mixed) return -partly;
      return is_worse(movement) ? -1 : 1;
    case Prediction::slower:
      if (movement == Movement::fails || movement == Movement::mixed) return partly;
      return is_worse(movement) ? 1 : -1;
    case Prediction::much_slower:
      if (movement == Movement::much_slower) return 1;
      return is_worse(movement) ? partly : -1;
    case Prediction::fails:
      if (movement == Movement::fails) return 1;
      return is_worse(movement) ? partly : -1;
    case Prediction::either:
      break;
  }
  return 0;
}

/// Kinds of work that usually suffer together, as bits.
enum : unsigned { compute = 1, memory = 2, copy = 4, collective = 8, start = 16, host = 32 };

constexpr std::array<std::pair<std::string_view, unsigned>, 26> kinds_of_classes{
    {{"gemm64", compute},
     {"gemm32", compute},
     {"gemmtf32", compute},
     {"gemm16", compute},
     {"gemm8", compute},
     {"conv", compute},
     {"attention", compute},
     {"fft", compute | memory},
     {"primitive", compute | memory},
     {"hbm", memory},
     {"l2", compute | memory},
     {"smem", compute},
     {"atomic", compute | memory},
     {"launch", host},
     {"first_launch", start},
     {"init", start | host},
     {"alloc", host},
     {"sync", host},
     {"h2d", copy | host},
     {"d2h", copy | host},
     {"p2p", copy | collective},
     {"coll_large", collective | copy},
     {"coll_small", collective | host},
     {"host_cpu", host},
     {"host_memory", host},
     {"integrity", compute | memory}}};

/// The bits of a class. All of them for a framework's operation or a user's program, which may be any work.
constexpr unsigned kinds(std::string_view name) {
  for (const auto& [known, bits] : kinds_of_classes)
    if (known == name) return bits;
  return ~0U;
}

constexpr bool every_class_has_kinds() {
  for (const result::ClassInfo& info : result::classes)
    if (kinds(info.name) == ~0U && info.name != "framework_op" && info.name != "application") return false;
  return true;
}
static_assert(every_class_has_kinds(), "a class of result::classes has no row in kinds_of_classes");

}  // namespace

bool concerns(const std::vector<Move>& moves, const Seen& seen) {
  unsigned affected = 0;
  for (const Move& move : moves)
    if (move.prediction != Prediction::unchanged) affected |= kinds(move.metric_class);
  if (affected == 0) return true;
  bool harmed = false;
  for (const Metric& metric : seen.it().metrics) {
    if (!metric.fails && !slower_by_figure(metric)) continue;
    harmed = true;
    if ((kinds(metric.metric_class) & affected) != 0) return true;
  }
  return !harmed;
}

bool only_fails(const std::vector<Move>& moves, const Seen& seen) {
  bool slows = false;
  for (const Move& move : moves) {
    if (move.prediction == Prediction::fails) return false;
    slows = slows || move.prediction != Prediction::unchanged;
  }
  if (!slows) return false;
  for (const Metric& metric : seen.it().metrics)
    if (slower_by_figure(metric) || is_noted_slower(metric)) return false;
  return !seen.it().errors.empty() || seen.fails({}).has_value();
}

double share_seen(const std::vector<Move>& moves, const Seen& seen) {
  double seen_so = 0;
  int worse = 0;
  for (const Move& move : moves) {
    if (move.prediction == Prediction::unchanged || move.prediction == Prediction::either) continue;
    ++worse;
    const Movement movement = seen.movement(move.metric_class);
    const bool exactly = (move.prediction == Prediction::much_slower) == (movement == Movement::much_slower);
    if (is_worse(movement)) seen_so += exactly ? 1 : partly;
  }
  return worse == 0 ? 0 : seen_so / worse;
}

std::vector<Move> parse_moves(std::string_view text) {
  std::vector<Move> out;
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    std::string_view entry = text.substr(0, comma);
    text.remove_prefix(std::min(comma + 1, text.size()));
    while (!entry.empty() && entry.front() == ' ') entry.remove_prefix(1);
    const std::size_t blank = entry.find(' ');
    if (blank == std::string_view::npos)
      throw std::invalid_argument(fmt::format("'{}' is no class and sign", entry));
    const std::string_view name = entry.substr(0, blank);
    const std::string_view mark = entry.substr(blank + 1);
    const auto known = std::find_if(signs.begin(), signs.end(),
                                    [&](const auto& known_sign) { return known_sign.first == mark; });
    if (known == signs.end() || !result::is_class(name))
      throw std::invalid_argument(fmt::format("'{}' is no class and sign", entry));
    out.push_back({name, known->second});
  }
  return out;
}

Fit fit(const std::vector<Move>& moves, const Seen& seen) {
  Fit out;
  double sum = 0;
  int measured = 0;
  bool harmed = false;
  for (const Move& move : moves) {
    const Movement movement = seen.movement(move.metric_class);
    if (movement == Movement::not_measured || move.prediction == Prediction::either) continue;
    const double one = score(move.prediction, movement);
    ++measured;
    sum += one;
    harmed = harmed || (one > 0 && move.prediction != Prediction::unchanged);
    if (one == 1)
      out.fitting.push_back(fmt::format("{} is {}, as predicted", move.metric_class, word(movement)));
    else if (one > 0)
      out.fitting.push_back(
          fmt::format("{} is {}, predicted {}", move.metric_class, word(movement), word(move.prediction)));
    else
      out.contradicting.push_back(
          fmt::format("{} is {}, predicted {}", move.metric_class, word(movement), word(move.prediction)));
  }
  if (measured == 0) return out;
  out.match = sum / measured;
  if (!harmed) out.match = std::min(out.match, 0.0);
  return out;
}

}  // namespace gpugauge::diagnose
