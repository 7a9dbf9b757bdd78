// Baseline folders: written once, verified whenever they are read.
#include <set>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include "baseline/baseline.hpp"
#include "baseline/digest.hpp"
#include "baseline/kept_file.hpp"
#include "baseline/patient_lock.hpp"
#include "baseline/run_id.hpp"
#include "baseline/same_measurement.hpp"
#include "result/begun.hpp"
#include "result/counted.hpp"
#include "result/error.hpp"
#include "result/file.hpp"
#include "result/temporary_file.hpp"
#include "result/time.hpp"

namespace gpugauge::baseline {
namespace {

constexpr const char* manifest_name = "baseline.json";
constexpr std::size_t manifest_limit = std::size_t{16} << 20;

/// Creates the folder of a baseline and locks it against other creators while this object lives. Removes an
/// unfinished folder before releasing the lock.
class FolderLock {
 public:
  explicit FolderLock(const std::filesystem::path& folder) {
    do {
      begun_.make_folder(folder);
      descriptor_ = result::Descriptor(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
      if (descriptor_.get() < 0) return;
      lock_patiently(descriptor_.get(), folder);
    } while (!is_there_still(folder));  // the previous holder may have removed it
  }
  result::Begun& begun() { return begun_; }

 private:
  bool is_there_still(const std::filesystem::path& folder) const {
    struct stat open {};
    struct stat named {};
    return ::fstat(descriptor_.get(), &open) == 0 && ::stat(folder.c_str(), &named) == 0 &&
           open.st_dev == named.st_dev && open.st_ino == named.st_ino;
  }

  result::Descriptor descriptor_{-1};
  result::Begun begun_;  // declared after the descriptor, so destroyed first
};

std::string first_difference(const result::Run& a, const result::Run& b) {
  const auto different = mismatches(a, b);
  if (!different.empty())
    return fmt::format("{} is {} in one and {} in the other", result::shortened(different.front().field),
                       result::quoted(different.front().now), result::quoted(different.front().then));
  if (a.profile != b.profile)
    return fmt::format("one has profile {}, the other {}", result::shortened(a.profile),
                       result::shortened(b.profile));
  if (a.device != b.device)
    return fmt::format("one measured {}, the other {}", result::shortened(a.device),
                       result::shortened(b.device));
  // mismatches() allows a family on one side only; within a baseline that is a gap.
  if (key(a.fingerprint) != key(b.fingerprint)) return "one measured families that the other did not";
  return "";
}

void require_fit(const std::vector<result::Run>& runs) {
  if (runs.empty())
    throw result::UsageError("a baseline needs at least one run: name run files or let it measure");
  std::set<std::string> ids;
  for (const result::Run& run : runs) {
    if (!is_run_id(run.id))
      throw result::UsageError(fmt::format(
          "a run has the id {}, which is none (26 digits and capital letters): it cannot be pinned",
          result::quoted(run.id)));
    if (!run.complete)
      throw result::UsageError(
          fmt::format("run {} is partial ({}): only whole runs make a baseline", run.id, run.partial_reason));
    if (run.only != runs.front().only)
      throw result::UsageError(
          fmt::format("runs {} and {} measured different selections of benchmarks: a baseline needs the same "
                      "in each round",
                      runs.front().id, run.id));
    if (!ids.insert(run.id).second)
      throw result::UsageError(fmt::format("run {} is given twice: each round counts once", run.id));
    if (const std::string why = first_difference(runs.front(), run); !why.empty())
      throw result::UsageError(
          fmt::format("runs {} and {} cannot be in one baseline: {}", runs.front().id, run.id, why));
    if (of_two_machines(runs.front(), run))
      throw result::UsageError(fmt::format(
          "runs {} and {} are of two machines (their host identity differs): what machines differ "
          "by would pass for what one of them spreads by; pin the rounds of each by themselves",
          runs.front().id, run.id));
  }
  for (std::size_t i = 0; i < runs.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (same_measurement(runs[j], runs[i]))
        throw result::UsageError(fmt::format(
            "runs {} and {} are one measurement under two ids (same start, same samples): each round counts "
            "once; leave one of them out",
            runs[j].id, runs[i].id));
}

/// Reads a regular file; refuses links, which could lead out of the folder.
std::string read_plain(const std::filesystem::path& file, std::size_t limit) {
  std::error_code error;
  const auto status = std::filesystem::symlink_status(file, error);
  if (status.type() == std::filesystem::file_type::not_found)
    throw result::FormatError(fmt::format(
        "{} is missing: the baseline is incomplete; restore it or make a new one", file.string()));
  if (std::filesystem::is_symlink(status))
    throw result::FormatError(fmt::format("{} is a link: a baseline holds plain files only", file.string()));
  try {
    return result::read_file(file, limit);
  } catch (const result::FileError& fault) {
    throw result::FormatError(fault.what());
  }
}

[[noreturn]] void refuse_size(const std::filesystem::path& file, std::uintmax_t bytes, const Entry& entry) {
  throw result::FormatError(fmt::format(
      "{} has {} bytes and was pinned with {}: it was {} since; restore it or make a new baseline",
      file.string(), bytes, entry.bytes, bytes < entry.bytes ? "truncated" : "changed"));
}

/// The bytes of a run as they were pinned. Throws result::FormatError for others.
std::string pinned_text(const std::filesystem::path& file, const Entry& entry) {
  std::string text = read_plain(file, result::max_file_bytes);
  if (text.size() != entry.bytes) refuse_size(file, text.size(), entry);
  if (sha256(text) != entry.sha256)
    throw result::FormatError(fmt::format(
        "{} was changed since it was pinned (its SHA-256 differs); restore it or make a new baseline",
        file.string()));
  return text;
}

/// A baseline holds plain files only, and no folder of it is a link.
void refuse_linked_runs(const std::filesystem::path& folder) {
  std::error_code unseen;  // what cannot be seen is said when it is read
  if (std::filesystem::is_symlink(std::filesystem::symlink_status(folder / "runs", unseen)))
    throw result::FormatError(
        fmt::format("{} is a link: a baseline holds plain files only", (folder / "runs").string()));
}

result::Run load_run(const std::filesystem::path& folder, const Manifest& manifest, const Entry& entry) {
  const std::filesystem::path file = folder / entry.file;
  result::Run run = result::parse_run(pinned_text(file, entry), file.string());
  const auto must_be = [&](const char* what, const std::string& found, const std::string& pinned) {
    if (found != pinned)
      throw result::FormatError(
          fmt::format("{}: {} names {} {} where the run has {}: the manifest was changed",
                      (folder / manifest_name).string(), entry.run_id, what, result::quoted(pinned),
                      result::quoted(found)));
  };
  must_be("run_id", run.id, entry.run_id);
  must_be("boot_id", run.boot_id, entry.boot_id);
  must_be("started", run.started, entry.started);
  must_be("profile", run.profile, manifest.profile);
  must_be("device", run.device, manifest.device);
  must_be("key", key(run.fingerprint), manifest.key);
  return run;
}

}  // namespace

Baseline create(const std::filesystem::path& folder, const std::string& name,
                const std::vector<result::Run>& runs, State state, const std::string& reason) {
  require_fit(runs);
  refuse_links_in_state(folder);
  FolderLock only_one(result::without_detours(folder));
  result::Begun& begun = only_one.begun();
  if (result::is_there(folder / manifest_name))
    throw result::UsageError(fmt::format(
        "{} already holds a baseline; baselines are never overwritten: choose another name or folder",
        folder.string()));
  Baseline baseline;
  baseline.folder = folder;
  baseline.runs = runs;
  Manifest& manifest = baseline.manifest;
  manifest.created = result::utc_now_milliseconds();
  manifest.key = key(runs.front().fingerprint);
  manifest.profile = runs.front().profile;
  manifest.device = runs.front().device;
  manifest.name = name.empty() ? fmt::format("{}-{}", manifest.device, manifest.key.substr(0, 8)) : name;
  begun.make_folder(folder / "runs");
  for (const result::Run& run : runs) {
    const std::string text = result::to_json(run);
    Entry entry{"runs/" + run.id + ".json", sha256(text), run.id, run.boot_id, run.started, text.size()};
    begun.add_file(folder / entry.file);
    keep_file(folder / entry.file, text);
    manifest.entries.push_back(std::move(entry));
  }
  const std::string text = to_json(manifest);
  // Refuse a manifest that could not be read back, before it counts as a baseline.
  parse_manifest(text, (folder / manifest_name).string());
  // A log without its head was left by an earlier attempt that was killed.
  std::error_code error;
  if (!std::filesystem::exists(folder / "log.head", error))
    std::filesystem::remove(folder / "log.jsonl", error);
  for (const char* const file : {"log.jsonl", "log.head"}) begun.add_file(folder / file);
  append_log(folder, {{result::utc_time(manifest.created).value(), current_user(),
                       fmt::format("created from {}{}", result::counted(runs.size(), "round"),
                                   reason.empty() ? "" : ": " + reason),
                       state, std::nullopt}});
  baseline.log = read_log(folder);
  keep_file(folder / manifest_name, text);
  begun.keep();
  return baseline;
}

Manifest load_manifest(const std::filesystem::path& folder) {
  const std::filesystem::path file = folder / manifest_name;
  return parse_manifest(read_plain(file, manifest_limit), file.string());
}

void require_sizes(const std::filesystem::path& folder, const Manifest& manifest) {
  for (const Entry& entry : manifest.entries) {
    const std::filesystem::path file = folder / entry.file;
    std::error_code error;
    const auto status = std::filesystem::symlink_status(file, error);
    if (!std::filesystem::exists(status))
      throw result::FormatError(fmt::format(
          "{} is missing: the baseline is incomplete; restore it or make a new one", file.string()));
    if (!std::filesystem::is_regular_file(status)) continue;  // load reports what it is instead
    if (const auto bytes = std::filesystem::file_size(file, error); !error && bytes != entry.bytes)
      refuse_size(file, bytes, entry);
  }
}

void require_contents(const std::filesystem::path& folder, const Manifest& manifest) {
  refuse_linked_runs(folder);
  for (const Entry& entry : manifest.entries) pinned_text(folder / entry.file, entry);
}

Baseline load(const std::filesystem::path& folder) {
  Baseline baseline;
  baseline.folder = folder;
  baseline.manifest = load_manifest(folder);
  refuse_linked_runs(folder);
  for (const Entry& entry : baseline.manifest.entries)
    baseline.runs.push_back(load_run(folder, baseline.manifest, entry));
  baseline.log = read_log(folder);
  return baseline;
}

}  // namespace gpugauge::baseline
