// Decides whether a text from elsewhere states something or denies it. A denial must stand in the same
// clause.
#pragma once

#include <cstddef>
#include <string_view>

namespace gpugauge::diagnose {

/// True when the text after `end` says that there is none: "GPU is lost: no", "Remapping Failure Occurred :
/// No", "Xid 79 count 0". The rest of the word, a number and words of counting may stand between. "Xid 79
/// pid=0" is no such answer.
bool is_answered_none(std::string_view text, std::size_t end);

/// True when `text` states what stands from `begin` to `end`. It is not stated if a word before denies it
/// ("no GPU has fallen off the bus") or is_answered_none() holds behind it.
bool is_stated(std::string_view text, std::size_t begin, std::size_t end);

/// Like is_stated(), for a name such as "Xid" that follows its sentence without a verb. Only a denial of the
/// name itself counts ("no Xid 79", not "GPU is not responding Xid 79").
bool is_name_stated(std::string_view text, std::size_t begin, std::size_t end);

}  // namespace gpugauge::diagnose
