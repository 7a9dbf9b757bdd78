#include "store/ingest_files.hpp"

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <thread>

#include "baseline/digest.hpp"
#include "result/device_kind.hpp"
#include "result/future.hpp"
#include "result/google_benchmark.hpp"
#include "result/read_ahead.hpp"
#include "result/run_reader.hpp"
#include "result/schema_in.hpp"
#include "result/threads.hpp"

namespace gpugauge::store {
namespace {

/// What reading one file gave.
struct Read {
  std::size_t input = 0;
  std::optional<Record> record;
  std::string fault;   ///< one sentence
  std::string remark;  ///< one sentence on what is stored all the same
  bool known = false;  ///< in the store already; without any of these: no run file, left out
};

/// Reads on every core, a little ahead of whoever takes.
class Readers {
 public:
  Readers(const std::vector<NodeFile>& inputs, const std::set<std::string>& known)
      : inputs_(inputs), known_(known) {
    const std::size_t cores = std::max(1U, std::thread::hardware_concurrency());
    result::start_threads(threads_, std::min(cores, inputs.size()), [this] { work(); });
  }
  ~Readers() {
    const std::lock_guard lock(mutex_);
    stop_ = true;
    room_.notify_all();
  }
  Readers(const Readers&) = delete;
  Readers& operator=(const Readers&) = delete;

  /// What is ready, at least one, at most `most`, in the order of the inputs; empty at the end.
  std::vector<Read> take(std::size_t most) {
    if (threads_.empty()) return read_here();
    std::unique_lock lock(mutex_);
    ready_.wait(lock, [&] { return failure_ || next_ == inputs_.size() || read_.contains(next_); });
    if (failure_) std::rethrow_exception(failure_);
    std::vector<Read> out;
    for (auto next = read_.find(next_); next != read_.end() && out.size() < most; next = read_.find(++next_))
      out.push_back(std::move(read_.extract(next).mapped()));
    room_.notify_all();
    return out;
  }

 private:
  static constexpr std::size_t ahead = 128;

  void work() {
    try {
      result::ReadAhead::File file;
      result::Run run;
      while (ahead_.next(file)) {
        Read read = read_one(file, run);
        std::unique_lock lock(mutex_);
        // While a slow file is waited for, others may be read beyond that: it could be with any of us.
        room_.wait(lock, [&] { return stop_ || read_.size() < ahead || !read_.contains(next_); });
        if (stop_) return;
        read_.emplace(read.input, std::move(read));
        ready_.notify_one();
      }
    } catch (...) {
      const std::lock_guard lock(mutex_);
      failure_ = std::current_exception();
      ready_.notify_one();
    }
  }

  /// The next one, where the system gave no thread.
  std::vector<Read> read_here() {
    std::vector<Read> out;
    result::ReadAhead::File file;
    result::Run run;
    if (ahead_.next(file)) out.push_back(read_one(file, run));
    return out;
  }

  /// `run`: room that is used again.
  Read read_one(const result::ReadAhead::File& file, result::Run& run) const {
    const NodeFile& input = inputs_[file.index];
    const std::string& text = file.text;
    Read out;
    out.input = file.index;
    try {
      if (file.fault) std::rethrow_exception(file.fault);
      if (input.in_a_folder && result::of_another_schema(text)) return out;
      std::string hash = baseline::sha256(text);
      out.known = known_.contains(hash);
      if (out.known) return out;
      if (result::is_google_benchmark(text))
        run = result::parse_google_benchmark(text, input.file);
      else
        result::parse_run(text, input.file, result::Detail::values, run);
      out.remark = result::from_the_future(input.file, run.started);
      const bool of_host = result::is_host(run.device);
      out.record = record_of(run, std::move(hash), input.file, of_host ? input.host : input.node);
      out.record->named_by_folder = input.named_by_folder;
    } catch (const std::runtime_error& error) {
      out.fault = error.what();
    }
    return out;
  }

  const std::vector<NodeFile>& inputs_;
  const std::set<std::string>& known_;
  std::mutex mutex_;
  std::condition_variable ready_, room_;
  std::map<std::size_t, Read> read_;  ///< by input
  std::size_t next_ = 0;              ///< input that is taken next
  bool stop_ = false;
  std::exception_ptr failure_;
  result::ReadAhead ahead_{inputs_.size(), [this](std::size_t i) { return inputs_[i].file; }};
  std::vector<std::jthread> threads_;  ///< last: they end before what they use
};

/// The records among the read files; the others are counted, and told.
std::vector<Record> records_of(std::vector<Read>& ready, const IngestWatch& watch, Ingested& counts) {
  std::vector<Record> out;
  for (Read& read : ready) {
    if (read.record && !read.remark.empty()) watch.remark(read.remark);
    if (read.record) {
      out.push_back(std::move(*read.record));
    } else if (!read.fault.empty()) {
      watch.unreadable(read.fault);
      ++counts.refused;
    } else {
      ++(read.known ? counts.known : counts.left_out);
    }
  }
  return out;
}

void store_records(Store& store, const std::vector<Record>& records, const IngestWatch& watch,
                   Ingested& counts) {
  std::map<std::size_t, std::string> refusals;
  const std::vector<Outcome> outcomes = store.ingest(records, &refusals);
  for (std::size_t i = 0; i < records.size(); ++i) {
    if (outcomes[i] == Outcome::known) {
      ++counts.known;
    } else if (outcomes[i] != Outcome::stored) {
      watch.not_taken(records[i], outcomes[i], refusals[i]);
      ++counts.refused;
    } else {
      ++counts.stored;
      counts.values += static_cast<std::size_t>(
          std::count_if(records[i].measured.begin(), records[i].measured.end(),
                        [](const Measured& measured) { return measured.form.judged; }));
    }
  }
}

}  // namespace

Ingested ingest_files(Store& store, const std::vector<NodeFile>& files, const IngestWatch& watch) {
  constexpr std::size_t most_at_once = 64;
  constexpr std::size_t few = 16;
  // A folder that grows night by night holds mostly what is known.
  const std::set<std::string> known = files.size() > few ? store.content_hashes() : std::set<std::string>{};
  Ingested counts;
  std::size_t done = 0;
  Readers readers(files, known);
  for (auto ready = readers.take(most_at_once); !ready.empty(); ready = readers.take(most_at_once)) {
    store_records(store, records_of(ready, watch, counts), watch, counts);
    done += ready.size();
    watch.progress(done, files[ready.back().input].file);
  }
  store.count_rows(counts.values);
  return counts;
}

}  // namespace gpugauge::store
