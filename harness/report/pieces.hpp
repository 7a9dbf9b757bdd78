// Where a line of prose may be broken.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gpugauge::report {

/// The pieces of a text between which a line may be broken: its words, and each command whole, since half a
/// command that is pasted does something else. A command is what stands between backticks, and in prose what
/// begins with sudo or, where a clause begins, with a program of those that this project names: it lasts to
/// the punctuation, bracket or word of prose that ends it. Blanks around and inside a piece are single ones.
std::vector<std::string> pieces(std::string_view text);

}  // namespace gpugauge::report
