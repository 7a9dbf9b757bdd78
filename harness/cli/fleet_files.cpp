#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <thread>

#include <fmt/format.h>

#include "cli/fleet.hpp"
#include "result/file.hpp"
#include "result/run_file.hpp"
#include "result/run_reader.hpp"

namespace gpugauge::cli {
namespace {

class Reader {
 public:
  Reader(const std::vector<FoundFile>& files, judge::PeerCollector& collector, const TakeRun& take)
      : files_(files), collector_(collector), take_(take), rounds_(files.size()) {}

  ReadRuns read() && {
    const std::size_t cores = std::max(1U, std::thread::hardware_concurrency());
    {
      std::vector<std::jthread> threads;
      for (std::size_t i = 0; i < std::min(cores, files_.size()); ++i)
        threads.emplace_back([this] { work(); });
    }
    if (failure_) std::rethrow_exception(failure_);
    ReadRuns out;
    for (auto& round : rounds_)
      if (round) out.rounds.push_back(std::move(*round));
    std::sort(unread_.begin(), unread_.end(), [](const auto& a, const auto& b) { return a.label < b.label; });
    out.unread = std::move(unread_);
    if (left_out_ > 0)
      out.left_out =
          fmt::format("{} left out: in the folders, and no run file.",
                      left_out_ == 1 ? "1 file was" : fmt::format("{} files were", left_out_.load()));
    return out;
  }

 private:
  static constexpr std::size_t ahead = 16;

  void work() {
    try {
      std::string text;
      result::Run run;
      for (std::size_t i = next_++; i < files_.size(); i = next_++) {
        if (i + ahead < files_.size()) fetch_soon(files_[i + ahead].file);
        read_one(i, text, run);
      }
    } catch (...) {
      const std::lock_guard lock(mutex_);
      failure_ = std::current_exception();
    }
  }

  /// `text` and `run`: room that is used again.
  void read_one(std::size_t index, std::string& text, result::Run& run) {
    const FoundFile& found = files_[index];
    const std::string name = found.file.string();
    try {
      result::read_file(found.file, text);
      if (found.in_a_folder && of_another_schema(text)) {
        ++left_out_;
        return;
      }
      result::parse_run(text, name, result::Detail::values, run);
      rounds_[index] = collector_.reduce(run, name, found.label);
      if (take_) take_(*rounds_[index], run);
    } catch (const std::runtime_error& error) {
      const std::lock_guard lock(mutex_);
      unread_.push_back({name, found.label, error.what()});
    }
  }

  const std::vector<FoundFile>& files_;
  judge::PeerCollector& collector_;
  const TakeRun& take_;
  std::vector<std::optional<judge::PeerRound>> rounds_;
  std::atomic<std::size_t> next_ = 0;
  std::atomic<std::size_t> left_out_ = 0;
  std::mutex mutex_;
  std::vector<judge::UnreadFile> unread_;
  std::exception_ptr failure_;
};

}  // namespace

ReadRuns read_runs(const std::vector<FoundFile>& files, judge::PeerCollector& collector,
                   const TakeRun& take) {
  return Reader(files, collector, take).read();
}

}  // namespace gpugauge::cli
