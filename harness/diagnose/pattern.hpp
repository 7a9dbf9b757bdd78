// How well the movements of the classes fit what a cause predicts.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "diagnose/seen.hpp"

namespace gpugauge::diagnose {

/// How a cause says that a class moves: the signs 0, -, --, x and ?.
enum class Prediction { unchanged, slower, much_slower, fails, either };

/// What a cause predicts of one class.
struct Move {
  std::string_view metric_class;  ///< one of result::classes; points into the text that was parsed
  Prediction prediction = Prediction::either;  ///< either: says nothing about the class
};

/// "gemm32 --, gemm16 0" as moves. Throws std::invalid_argument for a class or sign that does not exist.
std::vector<Move> parse_moves(std::string_view text);

/// How the measured classes compare with the predicted moves.
struct Fit {
  /// -1 everything contradicts .. 1 every measured class moved as predicted; 0 where nothing predicted was
  /// measured, and never above 0 unless a class that should be slower is.
  double match = 0;
  std::vector<std::string> fitting;        ///< "gemm32 much slower, as predicted"
  std::vector<std::string> contradicting;  ///< "gemm16 slower, predicted unchanged"
};

/// How much of what the moves predict to be worse was seen to be so, each class by as much as predicted: 0 to
/// 1.
double share_seen(const std::vector<Move>& moves, const Seen& seen);

/// Whether something that is slower or fails is of a kind that these moves speak of. True where nothing is
/// slower, where only an application is, and for moves that name no harm.
bool concerns(const std::vector<Move>& moves, const Seen& seen);
/// The moves speak of slowness only, and what was seen is a failure.
bool only_fails(const std::vector<Move>& moves, const Seen& seen);

/// Over the classes that were measured and of which the moves say something; docs/diagnosis.md has the
/// weight.
Fit fit(const std::vector<Move>& moves, const Seen& seen);

}  // namespace gpugauge::diagnose
