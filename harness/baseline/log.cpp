// Reads, verifies and extends the hash-chained log of a baseline.
#include "baseline/log.hpp"

#include <array>
#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <fmt/format.h>
#include <pwd.h>
#include <unistd.h>

#include "baseline/digest.hpp"
#include "baseline/kept_file.hpp"
#include "baseline/patient_lock.hpp"
#include "result/counted.hpp"
#include "result/error.hpp"
#include "result/file.hpp"
#include "result/launcher.hpp"
#include "result/object_reader.hpp"
#include "result/temporary_file.hpp"
#include "result/time.hpp"

namespace gpugauge::baseline {
namespace {

constexpr const char* log_name = "log.jsonl";
constexpr const char* head_name = "log.head";
constexpr std::size_t log_limit = std::size_t{16} << 20;
constexpr std::size_t head_limit = 4096;

/// What the last line of the log must be.
struct Head {
  std::uint64_t lines = 0;
  std::string sha256;
};

std::string digest_before_first() {
  return std::string(64, '0');
}

State state_from(const std::string& word, const result::Place& place) {
  for (const State state : {State::candidate, State::active, State::retired})
    if (word == to_string(state)) return state;
  place.refuse(fmt::format("is {}; a state is candidate, active or retired", result::quoted(word)));
}

AcceptedChange accepted_from(const nlohmann::json& value, const result::Place& place) {
  result::ObjectReader reader(value, place);
  AcceptedChange out;
  out.metric = reader.text("metric");
  out.unit = reader.text("unit");
  out.old_value = reader.number("old");
  out.new_value = reader.number("new");
  out.run_id = reader.text("run_id");
  out.expires = reader.text("expires");
  out.since = reader.optional_text("since");
  reader.done();
  if (!(out.old_value > 0)) place.key("old").refuse("must be above 0");
  if (!(out.new_value > 0)) place.key("new").refuse("must be above 0");
  if (!out.expires.empty() && !result::is_day(out.expires))
    place.key("expires").refuse("is no day such as 2027-01-31");
  return out;
}

/// Parses one line. Its sequence number and previous hash must follow from `before`.
LogEntry entry_from(const std::string& line, const std::string& origin, const Head& before) {
  const nlohmann::json value = result::parse_json(line, origin);
  result::ObjectReader reader(value, {origin, ""});
  result::require_schema(reader, log_schema);
  LogEntry entry;
  const std::uint64_t sequence = reader.unsigned_integer("sequence");
  const std::string previous = reader.text("previous");
  entry.time = reader.text("time");
  entry.who = reader.text("who");
  entry.reason = reader.text("reason");
  if (const nlohmann::json* state = reader.optional("state"); state != nullptr) {
    if (!state->is_string()) reader.place().key("state").refuse("must be text");
    entry.state = state_from(state->get<std::string>(), reader.place().key("state"));
  }
  if (const nlohmann::json* accepted = reader.optional("accepted"); accepted != nullptr)
    entry.accepted = accepted_from(*accepted, reader.place().key("accepted"));
  entry.imported = reader.optional_boolean("imported").value_or(false);
  reader.done();
  if (sequence != before.lines + 1 || previous != before.sha256)
    throw result::FormatError(fmt::format(
        "{} does not follow from the line before it: the log was changed since it was written; restore it "
        "from a copy",
        origin));
  return entry;
}

std::string line_of(const LogEntry& entry, const Head& before) {
  nlohmann::ordered_json out{{"schema", log_schema},      {"sequence", before.lines + 1},
                             {"previous", before.sha256}, {"time", entry.time},
                             {"who", entry.who},          {"reason", entry.reason}};
  if (entry.state) out["state"] = to_string(*entry.state);
  if (entry.accepted) {
    out["accepted"] = {{"metric", entry.accepted->metric}, {"unit", entry.accepted->unit},
                       {"old", entry.accepted->old_value}, {"new", entry.accepted->new_value},
                       {"run_id", entry.accepted->run_id}, {"expires", entry.accepted->expires}};
    if (!entry.accepted->since.empty()) out["accepted"]["since"] = entry.accepted->since;
  }
  if (entry.imported) out["imported"] = true;
  return out.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

[[noreturn]] void refuse_link(const std::filesystem::path& file) {
  throw result::FormatError(fmt::format("{} is a link: a baseline holds plain files only", file.string()));
}

/// nullopt if there is no head file.
std::optional<Head> read_head(const std::filesystem::path& folder) {
  const std::filesystem::path file = folder / head_name;
  const auto status = std::filesystem::symlink_status(file);
  if (!std::filesystem::exists(status)) return std::nullopt;
  if (std::filesystem::is_symlink(status)) refuse_link(file);
  const nlohmann::json value = result::parse_json(result::read_file(file, head_limit), file.string());
  result::ObjectReader reader(value, {file.string(), ""});
  Head head{reader.unsigned_integer("lines"), reader.text("sha256")};
  reader.done();
  return head;
}

struct ReadLog {
  std::vector<LogEntry> entries;
  Head head{0, digest_before_first()};
  std::size_t bytes = 0;  ///< length of the complete lines; any rest is an unfinished line
};

/// Verifies the chain from its first line. `promised` is the head file's content. After a crash between the
/// two writes it may lag behind the log, but is never ahead of it. Without a head file, missing lines at the
/// end would go unnoticed, so every writer writes one. Behind the promised line, a kill leaves an incomplete
/// line and a power failure NULs: these are no entries.
ReadLog replay(const std::string& text, const std::string& origin, const std::optional<Head>& promised) {
  ReadLog out;
  bool promise_kept = !promised || (promised->lines == 0 && promised->sha256 == out.head.sha256);
  std::size_t start = 0;
  while (start < text.size()) {
    const std::size_t end = text.find('\n', start);
    const std::string place = fmt::format("{}:{}", origin, out.head.lines + 1);
    const std::string line = text.substr(start, end - start);
    if (promise_kept && (end == std::string::npos || line.find('\0') != std::string::npos)) break;
    if (end == std::string::npos)
      throw result::FormatError(
          fmt::format("{} has no end: the log was truncated; restore it from a copy", place));
    if (promised && out.head.lines >= promised->lines && !line.starts_with('{'))
      throw result::FormatError(fmt::format(
          "{} stands behind the last decision and is none: somebody else wrote it; take that line out",
          place));
    out.entries.push_back(entry_from(line, place, out.head));
    out.head = {out.head.lines + 1, sha256(line)};
    promise_kept = promise_kept || (promised->lines == out.head.lines && promised->sha256 == out.head.sha256);
    start = end + 1;
    out.bytes = start;
  }
  if (!promise_kept && out.head.lines >= promised->lines)
    throw result::FormatError(fmt::format(
        "{}:{} is not the line that was written there: the log was changed since; restore it from a copy",
        origin, promised->lines));
  if (!promise_kept)
    throw result::FormatError(
        fmt::format("{} has {} and should have {}: lines at its end were removed; restore it from a copy",
                    origin, result::counted(out.head.lines, "line"), promised->lines));
  if (!promised && out.head.lines > 0)
    throw result::FormatError(
        fmt::format("{} is missing: without it nobody can tell whether lines at the end of {} were removed; "
                    "restore it from a copy",
                    (std::filesystem::path(origin).parent_path() / head_name).string(), origin));
  return out;
}

ReadLog read_whole(const std::filesystem::path& folder) {
  const std::filesystem::path file = folder / log_name;
  const std::optional<Head> promised = read_head(folder);
  const auto status = std::filesystem::symlink_status(file);
  if (!std::filesystem::exists(status)) {
    if (promised && promised->lines > 0)
      throw result::FormatError(
          fmt::format("{} is missing: {} decision{} recorded there; restore it from a copy", file.string(),
                      promised->lines, promised->lines == 1 ? " was" : "s were"));
    return {};
  }
  if (std::filesystem::is_symlink(status)) refuse_link(file);
  return replay(result::read_file(file, log_limit), file.string(), promised);
}

/// An open file, locked while this object lives.
class LockedFile {
 public:
  explicit LockedFile(std::filesystem::path file)
      : file_(std::move(file)),
        descriptor_(::open(file_.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644)) {
    if (descriptor_.get() < 0) fail("opened");
    lock_patiently(descriptor_.get(), file_);
  }
  /// Writes `text` after the first `whole` bytes, replacing the rest: all of it, or nothing.
  void append(std::size_t whole, std::string_view text) {
    if (cut(whole) && write(text) && ::fsync(descriptor_.get()) == 0) return;
    const int reason = errno;
    static_cast<void>(cut(whole));
    errno = reason;
    fail("written");
  }

  /// Truncates to the first `bytes` bytes.
  bool cut(std::size_t bytes) const { return ::ftruncate(descriptor_.get(), static_cast<off_t>(bytes)) == 0; }

 private:
  /// Continues after a short write, which sets no errno; a failed write does.
  bool write(std::string_view text) const {
    while (!text.empty()) {
      const ssize_t count = ::write(descriptor_.get(), text.data(), text.size());
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) return false;
      text.remove_prefix(static_cast<std::size_t>(count));
    }
    return true;
  }
  [[noreturn]] void fail(const char* what) const {
    throw result::FileError(
        fmt::format("{} could not be {}: {}", file_.string(), what, std::strerror(errno)));
  }

  std::filesystem::path file_;
  result::Descriptor descriptor_;
};

}  // namespace

std::string_view to_string(State state) {
  constexpr std::array<std::string_view, 3> words{"candidate", "active", "retired"};
  return words[static_cast<std::size_t>(state)];
}

std::vector<LogEntry> read_log(const std::filesystem::path& folder) {
  std::vector<LogEntry> entries = read_whole(folder).entries;
  if (entries.empty())
    throw result::FormatError(fmt::format(
        "{} is missing: every baseline has a log, which begins with who made it; restore it from a copy",
        (folder / log_name).string()));
  return entries;
}

void append_log(const std::filesystem::path& folder, const std::vector<LogEntry>& entries) {
  refuse_links_in_state(folder / log_name);
  LockedFile file(folder / log_name);
  const ReadLog before = read_whole(folder);
  Head head = before.head;
  std::string text;
  for (const LogEntry& entry : entries) {
    const std::string line = line_of(entry, head);
    entry_from(line, "the new entry", head);  // an entry that could not be read back is not written
    head = {head.lines + 1, sha256(line)};
    text += line + "\n";
  }
  if (before.bytes + text.size() > log_limit)
    throw result::FileError(fmt::format(
        "{} would have {} bytes, of which {} at most are read: nothing was written; give a shorter "
        "reason, or make a new baseline",
        (folder / log_name).string(), before.bytes + text.size(), log_limit));
  file.append(before.bytes, text);
  try {
    keep_file(folder / head_name, result::dump_json({{"lines", head.lines}, {"sha256", head.sha256}}));
  } catch (...) {
    static_cast<void>(file.cut(before.bytes));  // a refused decision must not count
    throw;
  }
}

State state_of(const std::vector<LogEntry>& log) {
  State state = State::active;
  for (const LogEntry& entry : log) state = entry.state.value_or(state);
  return state;
}

const AcceptedChange* accepted_on(const std::vector<LogEntry>& log, std::string_view metric,
                                  std::string_view when, const AcceptedChange** expired) {
  const std::string day = result::day_of(when);
  for (auto entry = log.rbegin(); entry != log.rend() && !entry->imported; ++entry) {
    if (!entry->accepted || entry->accepted->metric != metric) continue;
    const AcceptedChange& change = *entry->accepted;
    if (result::seconds_of(when) < result::seconds_of(change.since.empty() ? entry->time : change.since))
      break;
    if (change.expires.empty() || day <= change.expires) return &change;
    if (expired != nullptr) *expired = &change;
    break;  // it replaced the earlier ones
  }
  return nullptr;
}

std::string current_user() {
  const passwd* user = ::getpwuid(::geteuid());
  const std::string host = result::host_name();
  return fmt::format("{}@{}", user != nullptr ? user->pw_name : std::to_string(::geteuid()),
                     host.empty() ? "?" : host);
}

}  // namespace gpugauge::baseline
