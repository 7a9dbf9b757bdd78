// How well the movements of the classes fit a cause's prediction.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "diagnose/seen.hpp"

namespace gpugauge::diagnose {

/// Predicted movement of a class: the signs 0, -, --, x and ?.
enum class Prediction { unchanged, slower, much_slower, fails, either };

/// A cause's prediction for one class.
struct Move {
  std::string_view metric_class;  ///< one of result::classes; points into the text that was parsed
  Prediction prediction = Prediction::either;  ///< either: no prediction
};

/// Parses moves such as "gemm32 --, gemm16 0". Throws std::invalid_argument for an unknown class or sign.
std::vector<Move> parse_moves(std::string_view text);

/// How the measured classes compare with the predicted moves.
struct Fit {
  /// From -1 (everything contradicts) to 1 (every measured class moved as predicted). 0 where no predicted
  /// class was measured. Never above 0 unless a class predicted slower is slower.
  double match = 0;
  std::vector<std::string> fitting;        ///< "gemm32 much slower, as predicted"
  std::vector<std::string> contradicting;  ///< "gemm16 slower, predicted unchanged"
};

/// Share of the classes predicted worse that are worse, 0 to 1. A class that is worse by another degree than
/// predicted counts in part.
double share_seen(const std::vector<Move>& moves, const Seen& seen);

/// True when something that is slower or fails is in a class of these moves. Also true where nothing is
/// slower, where only an application is, and for moves that predict no harm.
bool concerns(const std::vector<Move>& moves, const Seen& seen);
/// True when the moves predict only slowness and a failure was seen.
bool only_fails(const std::vector<Move>& moves, const Seen& seen);

/// Compares over the classes that were measured and have a prediction; docs/diagnosis.md gives the weights.
Fit fit(const std::vector<Move>& moves, const Seen& seen);

}  // namespace gpugauge::diagnose
