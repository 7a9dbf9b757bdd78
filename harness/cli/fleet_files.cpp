#include <algorithm>
#include <atomic>
#include <exception>
#include <iterator>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <stdexcept>
#include <thread>

#include <fmt/format.h>

#include "cli/fleet.hpp"
#include "judge/fabric_input.hpp"
#include "result/counted.hpp"
#include "result/error.hpp"
#include "result/future.hpp"
#include "result/read_ahead.hpp"
#include "result/run_file.hpp"
#include "result/run_reader.hpp"
#include "result/schema_in.hpp"
#include "result/threads.hpp"

namespace gpugauge::cli {
namespace {

class Reader {
 public:
  Reader(const std::vector<FoundFile>& files, judge::PeerCollector& collector, const TakeRun& take)
      : files_(files), collector_(collector), take_(take), rounds_(files.size()) {}

  ReadRuns read() && {
    result::share_work(std::min<std::size_t>(std::thread::hardware_concurrency(), files_.size()),
                       [this] { work(); });
    ReadRuns out;
    for (auto& round : rounds_)
      if (round) out.rounds.push_back(std::move(*round));
    judge::FabricInputs between = std::move(ranks_).made();
    out.fabrics = std::move(between.fabrics);
    for (auto& [file, fabric] : listed_) out.fabrics.push_back(std::move(fabric));
    out.remarks = std::move(between.remarks);
    out.remarks.insert(out.remarks.end(), future_.begin(), future_.end());
    std::move(between.unread.begin(), between.unread.end(), std::back_inserter(unread_));
    std::sort(unread_.begin(), unread_.end(), [](const auto& a, const auto& b) { return a.label < b.label; });
    out.unread = std::move(unread_);
    if (left_out_ > 0)
      out.remarks.push_back(fmt::format("{} left out: in the folders, and no run file.",
                                        result::counted(left_out_.load(), "file was", "files were")));
    return out;
  }

 private:
  void work() {
    result::ReadAhead::File read;
    result::Run run;
    while (ahead_.next(read)) read_one(read, run);
  }

  /// `run`: room that is used again.
  void read_one(const result::ReadAhead::File& read, result::Run& run) {
    const FoundFile& found = files_[read.index];
    const std::string& text = read.text;
    const std::string name = found.file.string();
    try {
      if (read.fault) std::rethrow_exception(read.fault);
      if (take_between(found, text)) return;
      if (found.in_a_folder && result::of_another_schema(text)) {
        ++left_out_;
        return;
      }
      result::parse_run(text, name, result::Detail::values, run);
      if (std::string remark = result::from_the_future(name, run.started); !remark.empty()) {
        const std::lock_guard lock(mutex_);
        future_.insert(std::move(remark) + ".");
      }
      rounds_[read.index] = collector_.reduce(run, name, found.label);
      if (take_) take_(*rounds_[read.index], run);
    } catch (const std::runtime_error& error) {
      const std::lock_guard lock(mutex_);
      unread_.push_back({name, found.label, error.what()});
    }
  }

  /// True for a file about nodes that were measured together: it is taken. A sample file of one process alone
  /// is none, and refused where it was named.
  bool take_between(const FoundFile& found, const std::string& text) {
    const std::string name = found.file.string();
    const std::string schema = result::schema_in(text);
    if (schema == judge::fabric_schema) {
      judge::FabricInput fabric = judge::parse_fabric(text, name);
      const std::lock_guard lock(mutex_);
      listed_.emplace(name, std::move(fabric));
      return true;
    }
    if (schema != result::samples_schema) return false;
    const result::Samples samples = result::parse_samples(text, name);
    if (judge::is_of_ranks(samples)) {
      ranks_.add(samples, name, found.label);
      return true;
    }
    if (!found.in_a_folder)
      throw result::FormatError(
          fmt::format("{} is the sample file of one process; give run files, or the files of all ranks of a "
                      "collective",
                      name));
    return false;
  }

  const std::vector<FoundFile>& files_;
  judge::PeerCollector& collector_;
  const TakeRun& take_;
  std::vector<std::optional<judge::PeerRound>> rounds_;
  std::atomic<std::size_t> left_out_ = 0;
  std::mutex mutex_;
  std::vector<judge::UnreadFile> unread_;
  std::set<std::string> future_;  ///< remarks on runs that are dated later than now
  judge::FabricCollector ranks_;
  std::map<std::string, judge::FabricInput> listed_;  ///< by file
  result::ReadAhead ahead_{files_.size(), [this](std::size_t i) { return files_[i].file; }};
};

}  // namespace

ReadRuns read_runs(const std::vector<FoundFile>& files, judge::PeerCollector& collector,
                   const TakeRun& take) {
  return Reader(files, collector, take).read();
}

}  // namespace gpugauge::cli
