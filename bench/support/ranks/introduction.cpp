#include "support/ranks/introduction.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include "result/build.hpp"
#include "result/number.hpp"

namespace gpugauge::bench::ranks {

namespace {

constexpr std::string_view protocol = "gpugauge.ranks/";
constexpr std::string_view knock_mark = " of GPUGauge ";

/// The number behind the protocol's name; nullopt where there is none.
std::optional<int> format_in(const std::string& text) {
  if (!text.starts_with(protocol)) return std::nullopt;
  const auto number = result::number_in<int>(text.substr(protocol.size()));
  return number && *number >= 1 ? number : std::nullopt;
}

}  // namespace

std::string this_host() {
  char name[256] = "";
  if (gethostname(name, sizeof name - 1) != 0) return "unknown host";
  return name;
}

const Speech& own_speech() {
  static const Speech own{3, result::build().version};
  return own;
}

Message hello_of(const Launch& launch, const Speech& speech) {
  Message hello{Kind::hello,
                {fmt::format("{}{}", protocol, speech.format), launch.job, std::to_string(launch.size),
                 std::to_string(launch.rank), this_host(), std::to_string(getpid())}};
  if (speech.format > last_silent_format) hello.texts.push_back(speech.suite);
  return hello;
}

std::optional<Introduction> introduction_in(const Message& message) {
  if (message.kind != Kind::hello || message.texts.size() < 2) return std::nullopt;
  const auto format = format_in(message.texts[0]);
  if (!format) return std::nullopt;
  const auto text = [&](std::size_t place) {
    return place < message.texts.size() ? message.texts[place] : std::string();
  };
  return Introduction{{*format, text(6)}, text(1), text(2), text(3), text(4), text(5)};
}

Message answer_of(const Speech& speech) {
  return {Kind::hello, {fmt::format("{}{}", protocol, speech.format), speech.suite}};
}

std::optional<Speech> speech_in(const Message& message) {
  if (message.kind != Kind::hello || message.texts.size() < 2) return std::nullopt;
  const auto format = format_in(message.texts[0]);
  return format ? std::optional(Speech{*format, message.texts[1]}) : std::nullopt;
}

Message knock_of(const Launch& launch, const Speech& speech, int format) {
  Message hello = hello_of(launch, {format, ""});
  hello.texts[5] += fmt::format("{}{}", knock_mark, speech.suite);
  return hello;
}

bool is_knock(const Introduction& introduction) {
  return introduction.process.find(knock_mark) != std::string::npos;
}

std::string to_text(const Speech& speech) {
  return fmt::format("message format {} ({})", speech.format,
                     speech.suite.empty() ? "an older GPUGauge" : "GPUGauge " + speech.suite);
}

}  // namespace gpugauge::bench::ranks
