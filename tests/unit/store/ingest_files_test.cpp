// Files into a store: what counts as stored, known, left out and refused, and what is said of it.
#include "store/ingest_files.hpp"

#include <fstream>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "result/run_file.hpp"
#include "unit/store/histories.hpp"

namespace gpugauge::store {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class IngestFiles : public testing::Test {
 protected:
  IngestFiles() {
    watch_.remark = [this](const std::string& sentence) { said_.push_back(sentence); };
    watch_.unreadable = [this](const std::string& why) { said_.push_back("unreadable: " + why); };
    watch_.not_taken = [this](const Record& record, Outcome outcome, const std::string&) {
      said_.push_back(fmt::format("not taken: {} {}", record.peer.id, static_cast<int>(outcome)));
    };
    watch_.progress = [this](std::size_t done, const std::string&) { done_.push_back(done); };
  }

  static result::Samples samples_of(double latency) {
    result::Samples samples;
    samples.family = "host";
    samples.suite_version = "0.1.0";
    samples.source_hash = std::string(64, 'a');
    result::BenchmarkResult& benchmark = samples.benchmarks.emplace_back();
    benchmark.id = "host/op";
    benchmark.batches.operations_per_batch = 1;
    benchmark.batches.seconds_per_operation = {latency, latency};
    benchmark.batches.window_seconds = 2 * latency;
    result::Metric& metric = benchmark.metrics.emplace_back();
    metric.name = "latency";
    metric.unit = "second";
    metric.better = result::Direction::lower;
    metric.metric_class = "host_cpu";
    metric.statistic = "median";
    metric.value = latency;
    benchmark.verifications = {{"made for the test", true, {}, {}}};
    return samples;
  }

  /// A run of the host that was measured on a day of January 2026.
  static result::Run run_of(int day, double latency = 1e-3) {
    result::Run out;
    out.id = fmt::format("{:026}", day);
    out.complete = true;
    out.started = fmt::format("2026-01-{:02}T03:00:00.000Z", day);
    out.profile = "quick";
    out.device = "host";
    out.boot_id = "boot";
    result::Process process;
    process.family = "host";
    process.exit_code = 0;
    process.samples = samples_of(latency);
    out.processes = {process};
    return out;
  }

  NodeFile file(const std::string& name, const std::string& text, bool in_a_folder = true) const {
    std::ofstream(folder_.file(name), std::ios::binary) << text;
    return {folder_.file(name), "node-1", "node-1", true, in_a_folder};
  }
  NodeFile file(int day) const { return file(fmt::format("{}.json", day), result::to_json(run_of(day))); }

  Ingested ingest(const std::vector<NodeFile>& files) { return ingest_files(store_, files, watch_); }

  test::Folder folder_;
  Store store_ = Store::open(folder_.file("history.sqlite"), Access::writing);
  IngestWatch watch_;
  std::vector<std::string> said_;
  std::vector<std::size_t> done_;
};

TEST_F(IngestFiles, EachRunIsStoredOnceUnderItsNode) {
  const std::vector<NodeFile> files{file(1), file(2)};
  Ingested counts = ingest(files);
  EXPECT_EQ(counts.stored, 2U);
  EXPECT_EQ(counts.values, 2U);
  EXPECT_EQ(counts.known + counts.refused + counts.left_out, 0U);
  ASSERT_EQ(store_.devices().size(), 1U);
  EXPECT_EQ(store_.devices().front().node, "node-1");
  EXPECT_EQ(done_.back(), 2U);
  counts = ingest(files);
  EXPECT_EQ(counts.stored, 0U);
  EXPECT_EQ(counts.known, 2U);
  EXPECT_THAT(said_, IsEmpty());
}

TEST_F(IngestFiles, WhatIsKnownIsNotReadAgainAmongMany) {
  std::vector<NodeFile> files;
  for (int day = 1; day <= 20; ++day) files.push_back(file(day));
  EXPECT_EQ(ingest(files).stored, 20U);
  files.push_back(file(21));
  const Ingested counts = ingest(files);
  EXPECT_EQ(counts.known, 20U);
  EXPECT_EQ(counts.stored, 1U);
}

TEST_F(IngestFiles, MoreFilesThanOneTransactionTakesAreStoredInTheirOrder) {
  std::vector<NodeFile> files;
  for (int i = 1; i <= 150; ++i) {
    result::Run run = run_of(1 + i % 28);
    run.id = fmt::format("{:026}", i);
    files.push_back(file(fmt::format("{}.json", i), result::to_json(run)));
  }
  EXPECT_EQ(ingest(files).stored, 150U);
  EXPECT_GE(done_.size(), 3U) << "64 at most in each";
  EXPECT_TRUE(std::is_sorted(done_.begin(), done_.end()));
  EXPECT_EQ(done_.back(), 150U);
}

TEST_F(IngestFiles, AFileThatIsNoRunIsRefusedByNameAndAnotherOfOursInAFolderIsPassedOver) {
  const std::string manifest = R"({"schema": "gpugauge.baseline/1"})";
  const Ingested counts = ingest({file("manifest.json", manifest), file("named.json", manifest, false),
                                  file("broken.json", "{"), file(1)});
  EXPECT_EQ(counts.left_out, 1U);
  EXPECT_EQ(counts.refused, 2U);
  EXPECT_EQ(counts.stored, 1U);
  EXPECT_THAT(said_, ElementsAre(testing::AllOf(HasSubstr("unreadable: "), HasSubstr("named.json")),
                                 testing::AllOf(HasSubstr("unreadable: "), HasSubstr("broken.json"))));
}

TEST_F(IngestFiles, ARunThatWasChangedIsNotTaken) {
  ingest({file(1)});
  const Ingested counts = ingest({file("changed.json", result::to_json(run_of(1, 2e-3)))});
  EXPECT_EQ(counts.refused, 1U);
  EXPECT_EQ(counts.stored, 0U);
  EXPECT_THAT(said_,
              ElementsAre(fmt::format("not taken: {} {}", run_of(1).id, static_cast<int>(Outcome::changed))));
}

TEST_F(IngestFiles, ARunFromTheFutureIsStoredAndSaid) {
  result::Run run = run_of(1);
  run.started = "2999-01-01T00:00:00.000Z";
  EXPECT_EQ(ingest({file("later.json", result::to_json(run))}).stored, 1U);
  EXPECT_THAT(said_, ElementsAre(HasSubstr("later.json is dated 2999-01-01T00:00:00.000Z, later than now")));
}

TEST_F(IngestFiles, OnlyAHostIsCalledByTheFolderThatWasGiven) {
  NodeFile host = file(1);
  host.node = "day-1";
  host.host = "node-7";
  result::Run gpu = run_of(2);
  gpu.device = "GPU-11111111-2222-3333-4444-555555555555";
  NodeFile card = file("card.json", result::to_json(gpu));
  card.node = "day-1";
  card.host = "node-7";
  ingest({host, card});
  std::map<std::string, std::string> nodes;
  for (const Device& device : store_.devices()) nodes[device.identity] = device.node;
  EXPECT_EQ(nodes["host"], "node-7");
  EXPECT_EQ(nodes[gpu.device], "day-1");
}

}  // namespace
}  // namespace gpugauge::store
