// What cuobjdump prints, and the files that say what it should print. A text that begins with "{" is such a
// file, before an empty line; what follows is cuobjdump's.
#include <algorithm>

#include "fuzz/support/target.hpp"
#include "stack/codegen/parse.hpp"
#include "stack/codegen/review.hpp"

namespace gpugauge::fuzz {
namespace {

void read(std::string_view bytes) {
  std::vector<stack::Expectation> expectations;
  if (bytes.starts_with('{')) {
    const std::size_t end = std::min(bytes.find("\n\n"), bytes.size());
    const std::string text(bytes.substr(0, end));
    accepted([&] { expectations = stack::read_expectations(text, "x.codegen.json"); });
    bytes.remove_prefix(end);
  }
  // It comes in pieces: where they are cut must not matter.
  stack::CodeParser whole;
  whole.feed(bytes);
  whole.end_output();
  stack::CodeParser pieces;
  const std::size_t half = bytes.size() / 2;
  pieces.feed(bytes.substr(0, half));
  pieces.feed(bytes.substr(half));
  pieces.end_output();
  require(whole.architectures() == pieces.architectures(), "a piece more gives another architecture");
  require(whole.kernels().size() == pieces.kernels().size(), "a piece more gives another kernel");
  stack::CodeParser both;
  both.take(whole);
  require(both.kernels().size() == whole.kernels().size(), "a copy got lost between two parsers");
  both.take(pieces);
  const std::vector<stack::KernelCode> distinct = stack::distinct(both.kernels());
  require(distinct.size() == stack::distinct(whole.kernels()).size(),
          "the same text twice holds more bodies");
  const stack::CodeReview review = stack::review(distinct, expectations, stack::Kernels::of_this_project);
  require(review.rows.size() + static_cast<std::size_t>(review.foreign) == distinct.size(),
          "a kernel got lost in its review");
}

const Target target("codegen", read);

}  // namespace
}  // namespace gpugauge::fuzz
