// Whether a text that others wrote says a thing, or denies it. What denies stands in the same clause.
#pragma once

#include <cstddef>
#include <string_view>

namespace gpugauge::diagnose {

/// What stands behind `end` says that there is none of it: "GPU is lost: no", "Remapping Failure Occurred :
/// No", "Xid 79 count 0". The rest of the word, a number and words of counting may stand between; "Xid 79
/// pid=0" answers another question.
bool is_answered_none(std::string_view text, std::size_t end);

/// Whether what stands from `begin` to `end` in `text` is said to be: neither denied by a word before it ("no
/// GPU has fallen off the bus") nor answered by none behind it.
bool is_stated(std::string_view text, std::size_t begin, std::size_t end);

/// The same of a name such as "Xid" that follows its sentence without a verb: only a denial of the name
/// itself counts ("no Xid 79", not "GPU is not responding Xid 79").
bool is_name_stated(std::string_view text, std::size_t begin, std::size_t end);

}  // namespace gpugauge::diagnose
