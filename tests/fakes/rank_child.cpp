// A rank without a GPU: meets the others, compares facts, takes one more step. What it says it is comes from
// FAKE_FACTS ("nccl=2.28.9,driver=580"). What goes wrong comes from FAKE_DEATH=RANK (ends between two steps),
// FAKE_DEATH_BEFORE=RANK (ends before it meets the others), FAKE_ABSENCE=RANK (lives, and never comes) and
// FAKE_HANG=RANK (does not come to the second step). FAKE_FORMAT_RANK=NUMBER gives that rank the message format NUMBER
// and the version 9.9.9.
#include <cstdio>
#include <cstdlib>
#include <sstream>

#include <fmt/format.h>
#include <unistd.h>

#include "result/error.hpp"
#include "support/ranks/agreement.hpp"
#include "support/ranks/channel.hpp"

namespace {

using namespace gpugauge;
using namespace gpugauge::bench;

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

bool is_fate(const char* name, int rank) {
  return variable(name) == std::to_string(rank);
}

double step_seconds() {
  const std::string asked = variable("FAKE_STEP_SECONDS");
  return asked.empty() ? 10 : std::stod(asked);
}

ranks::Speech speech_of(int rank) {
  const std::string format = variable(fmt::format("FAKE_FORMAT_{}", rank).c_str());
  return format.empty() ? ranks::own_speech() : ranks::Speech{std::stoi(format), "9.9.9"};
}

void take_part(ranks::Channel& channel) {
  const int rank = channel.rank();
  std::string own = variable("FAKE_FACTS");
  if (const std::string other = variable(fmt::format("FAKE_FACTS_{}", rank).c_str()); !other.empty())
    own = other;
  ranks::RankFacts all;
  for (const std::string& text : channel.exchange("versions", own, 10)) {
    result::Facts facts{{"host", "node"}};
    std::istringstream words(text);
    for (std::string word; std::getline(words, word, ',');)
      facts[word.substr(0, word.find('='))] = word.substr(word.find('=') + 1);
    all.push_back(std::move(facts));
  }
  if (const auto sentence = ranks::disagreement(all)) throw ranks::Parted(*sentence);
  if (is_fate("FAKE_DEATH", rank)) _exit(9);  // as a killed process: nothing is said
  if (is_fate("FAKE_HANG", rank)) ::sleep(10);
  std::string answer;
  for (const std::string& text : channel.exchange("answer", std::to_string(rank * 10), step_seconds()))
    answer += text + " ";
  fmt::print("rank {} of {}: {}\n", rank, channel.size(), answer);
}

int say(const ranks::Parted& parted) {
  // One write: lines of several ranks must not mix.
  const std::string line = fmt::format("PARTED {}\n", parted.what());
  return write(STDERR_FILENO, line.data(), line.size()) < 0 ? 4 : 3;
}

int run() {
  const auto launch = ranks::find_launch();
  if (!launch) {
    fmt::print("alone\n");
    return 0;
  }
  if (is_fate("FAKE_DEATH_BEFORE", launch->rank)) _exit(9);
  if (is_fate("FAKE_ABSENCE", launch->rank)) {
    ::sleep(8);
    return 0;
  }
  ranks::Channel channel(*launch, speech_of(launch->rank));
  int code = 0;
  try {
    take_part(channel);
  } catch (const ranks::Parted& parted) {
    code = say(parted);
  }
  channel.end_together();
  return code;
}

}  // namespace

int main() {
  try {
    return run();
  } catch (const ranks::Parted& parted) {
    const int code = say(parted);
    ranks::end_apart();
    return code;
  } catch (const result::UsageError& error) {
    fmt::print(stderr, "USAGE {}\n", error.what());
    return 2;
  }
}
