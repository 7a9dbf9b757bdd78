#include "stack/plan/lock.hpp"

#include <gmock/gmock.h>

#include "result/error.hpp"
#include "unit/stack/rules/cuda_world.hpp"

namespace gpugauge::stack {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using world::v;

bool holds(const char* bounds, const char* version) {
  const auto parsed = VersionBounds::parse(bounds);
  return parsed.value().hold(v(version));
}

TEST(VersionBounds, Hold) {
  EXPECT_TRUE(holds(">=580.65 <581", "580.65.06"));
  EXPECT_TRUE(holds(">=580.65 <581", "580.178.04"));
  EXPECT_FALSE(holds(">=580.65 <581", "581"));
  EXPECT_FALSE(holds(">=580.65 <581", "580.64.99"));
  EXPECT_TRUE(holds(">= 580.65, < 581", "580.95.05"));
  EXPECT_TRUE(holds(">=580.65<581", "580.95.05"));
  EXPECT_TRUE(holds("=580.65", "580.65.06")) << "begins so";
  EXPECT_FALSE(holds("=580.65.06", "580.65"));
  EXPECT_FALSE(holds("!=580.65", "580.65.06"));
  EXPECT_TRUE(holds(">12.8", "12.8.1"));
  EXPECT_TRUE(holds("<=12.8", "12.8.0"));
  EXPECT_FALSE(holds("<=12.8", "12.8.1"));
}

TEST(VersionBounds, AreRefusedWhenTheyAreNone) {
  for (const char* text :
       {"", " ", "580", "~580", ">=", ">=x", ">=580.x", ">=580.", "=>580", ">=580 or <500", ">=99999999999"})
    EXPECT_FALSE(VersionBounds::parse(text)) << text;
}

Inventory locked_node() {
  Inventory inventory = world::new_driver();
  world::put_toolkit(inventory, "12.8.93");
  world::put_library(inventory, "cudnn", 0, "/usr/lib/libcudnn.so.9.10.2", "9.10.2", "libcudnn.so.9",
                     "loader cache");
  world::put_library(inventory, "cudnn", 1, "/opt/libcudnn.so.9.1.0", "9.1.0", "libcudnn.so.9", "toolkit");
  world::put(inventory, {{"gpu.0.uuid", "GPU-1"},
                         {"gpu.0.serial", "1650"},
                         {"gpu.0.pci", "0000:01:00.0"},
                         {"gpu.0.vbios", "96.00.89.00.01"},
                         {"gpu.0.temperature_c", "31"},
                         {"framework.torch.version", "2.8.0"},
                         {"kernel.version", "6.8.0-79-generic"}});
  inventory.absent("library.nccl.0.version", "loader cache");
  return inventory;
}

TEST(Lock, PinsWhatAFleetHasAlike) {
  const Lock lock = make_lock(locked_node(), "2026-11-21T10:00:00Z");
  std::vector<std::string> lines;
  for (const LockField& field : lock.fields) {
    lines.push_back(field.key + "=" + field.value);
    EXPECT_EQ(field.match, Match::exact);
  }
  EXPECT_THAT(lines, ElementsAre("driver.version=580.95.05", "driver.kernel_module_version=580.95.05",
                                 "driver.cuda_max=13.0", "gpu.count=1", "gpu.0.name=NVIDIA H100 80GB HBM3",
                                 "gpu.0.compute_capability=9.0", "gpu.0.vbios=96.00.89.00.01",
                                 "toolkit.selected.version=12.8.93", "library.cudnn.0.version=9.10.2",
                                 "framework.torch.version=2.8.0", "kernel.version=6.8.0-79-generic"));
}

/// They come and go with the pods that they are given to.
TEST(Lock, PinsNoVirtualFunction) {
  Inventory node = locked_node();
  world::put(node, {{"host.infiniband", "mlx5_0 mlx5_1"},
                    {"host.infiniband.mlx5_0.state", "ACTIVE"},
                    {"host.infiniband.mlx5_1.state", "DOWN"},
                    {"host.infiniband.mlx5_1.virtual_function", "yes"}});
  std::vector<std::string> ports;
  for (const LockField& field : make_lock(node, "2026-11-21T10:00:00Z").fields)
    if (field.key.starts_with("host.infiniband.")) ports.push_back(field.key);
  EXPECT_THAT(ports, ElementsAre("host.infiniband.mlx5_0.state"));
}

TEST(Lock, ANodeIsAsItsOwnLockSays) {
  const LockReport report = verify(make_lock(locked_node(), "now"), locked_node());
  EXPECT_TRUE(report.as_locked());
  EXPECT_EQ(report.compared, 11U);
  EXPECT_EQ(report.ignored, 0U);
}

TEST(Lock, DriftIsNamedWithBothValues) {
  const Lock lock = make_lock(locked_node(), "now");
  Inventory other = locked_node();
  other.present("driver.version", "570.124.06", "test");
  other.present("gpu.1.name", "NVIDIA H100 80GB HBM3", "nvml");
  other.absent("framework.torch.version", "site-packages");
  other.unreadable("gpu.0.vbios", "nvml", "root");
  Inventory silent;
  for (const Item& item : other.items()) {
    if (item.key != "kernel.version") silent.add(item);
  }
  const LockReport report = verify(lock, silent);
  std::vector<std::string> said;
  for (const Drift& drift : report.drifts)
    said.push_back(std::string(to_string(drift.kind)) + ": " + drift.sentence);
  EXPECT_THAT(said, ElementsAre("differs: driver.version is locked to 580.95.05 and is 570.124.06",
                                "differs: gpu.count is locked to 1 and is 2",
                                "absent: framework.torch.version is locked to 2.8.0 and is absent"));
  EXPECT_EQ(report.drifts[0].expected, "580.95.05");
  EXPECT_EQ(report.drifts[0].found, "570.124.06");
  said.clear();
  for (const Drift& drift : report.unknown)
    said.push_back(std::string(to_string(drift.kind)) + ": " + drift.sentence);
  EXPECT_THAT(
      said,
      ElementsAre("unreadable: gpu.0.vbios is locked to 96.00.89.00.01 and may not be read; it takes root",
                  "not looked for: kernel.version is locked to 6.8.0-79-generic and was not looked for "
                  "here"));
  EXPECT_FALSE(report.as_locked());
  EXPECT_EQ(report.compared, 9U);
}

TEST(Lock, AVersionThatIsKnownLessExactlyHasNotDrifted) {
  Inventory exact = locked_node();
  exact.present("python.version", "3.12.11", "test");
  const Lock lock = make_lock(exact, "now");
  Inventory now = exact;
  now.present("python.version", "3.12", "test");
  EXPECT_TRUE(verify(lock, now).drifts.empty());
  EXPECT_TRUE(verify(make_lock(now, "now"), exact).drifts.empty());
  for (const char* const other : {"3.1", "3.12.1", "3", "3.12.11-1"}) {
    now.present("python.version", other, "test");
    EXPECT_EQ(verify(lock, now).drifts.size(), 1U) << other;
  }
}

TEST(Lock, AReleaseOfTheDriverIsNoBeginningOfAnother) {
  for (const char* const key : {"driver.version", "driver.kernel_module_version", "driver.libcuda_version",
                                "driver.libnvml_version", "driver.gsp", "fabric_manager.version"}) {
    Inventory node = locked_node();
    node.present(key, "575.64", "test");
    const Lock lock = make_lock(node, "now");
    EXPECT_TRUE(verify(lock, node).drifts.empty()) << key;
    node.present(key, "575.64.03", "test");
    EXPECT_EQ(verify(lock, node).drifts.size(), 1U) << key;
  }
}

TEST(Lock, RangesAndIgnoredFields) {
  Lock lock;
  lock.fields = {{"driver.version", "580.65.06", Match::range, ">=580.65 <581"},
                 {"gpu.0.name", "NVIDIA H100 80GB HBM3", Match::range, ">=1"},
                 {"driver.cuda_max", "12.8", Match::ignore, ""},
                 {"driver.kernel_module_version", "570.26", Match::range, "<580"}};
  const LockReport report = verify(lock, locked_node());
  ASSERT_EQ(report.drifts.size(), 2U);
  EXPECT_EQ(report.drifts[0].sentence,
            "gpu.0.name is locked to >=1 and is NVIDIA H100 80GB HBM3, which is no version");
  EXPECT_EQ(report.drifts[1].sentence, "driver.kernel_module_version is locked to <580 and is 580.95.05");
  EXPECT_EQ(report.ignored, 1U);
  EXPECT_EQ(report.compared, 3U);
}

TEST(Lock, SurvivesItsFile) {
  Lock lock;
  lock.created = "2026-11-21T10:00:00Z";
  lock.fields = {{"driver.version", "580.65.06", Match::range, ">=580.65 <581"},
                 {"gpu.0.name", "NVIDIA \"H100\"\n", Match::exact, ""},
                 {"kernel.version", "", Match::ignore, ""}};
  EXPECT_EQ(lock_from_json(to_json(lock), "lock.json"), lock);
  EXPECT_EQ(to_json(lock).substr(0, 33), "{\n  \"schema\": \"gpugauge.lock/1\",\n");
}

std::string lock_fault(const std::string& text) {
  try {
    lock_from_json(text, "l");
  } catch (const result::FormatError& error) {
    return error.what();
  }
  return "";
}

std::string with_field(const std::string& field) {
  return R"({"schema": "gpugauge.lock/1", "created": "", "fields": {"driver.version": )" + field + "}}";
}

TEST(Lock, EachBadFileHasItsSentence) {
  EXPECT_EQ(lock_fault(with_field(R"({"value": "1", "match": "exact"})")), "");
  EXPECT_THAT(lock_fault(""), HasSubstr("the file is empty"));
  EXPECT_THAT(lock_fault("[]"), HasSubstr("should be an object"));
  EXPECT_THAT(lock_fault(R"({"schema": "gpugauge.lock/2", "created": "", "fields": {}})"),
              HasSubstr("lock/"));
  EXPECT_THAT(lock_fault(R"({"schema": "gpugauge.lock/1", "created": "", "fields": {}})"),
              HasSubstr("such a lock would pass any node"));
  EXPECT_THAT(lock_fault(with_field("1")), HasSubstr("fields.driver.version: should be an object"));
  EXPECT_THAT(lock_fault(with_field(R"({"value": "1"})")), HasSubstr("the key 'match' is missing"));
  EXPECT_THAT(lock_fault(with_field(R"({"value": 1, "match": "exact"})")), HasSubstr("should be text"));
  EXPECT_THAT(lock_fault(with_field(R"({"value": "", "match": "exact"})")),
              HasSubstr("an exact field needs a value"));
  EXPECT_THAT(lock_fault(with_field(R"({"value": "1", "match": "about"})")),
              HasSubstr("should be exact, range or ignore"));
  EXPECT_THAT(lock_fault(with_field(R"({"value": "1", "match": "range"})")),
              HasSubstr("should be bounds on a version"));
  EXPECT_THAT(lock_fault(with_field(R"({"value": "1", "match": "range", "range": "580"})")),
              HasSubstr("bounds"));
  EXPECT_THAT(lock_fault(with_field(R"({"value": "1", "match": "exact", "range": ">=1"})")),
              HasSubstr("does not use it"));
  EXPECT_THAT(lock_fault(with_field(R"({"value": "1", "match": "exact", "x": 1})")), HasSubstr("x"));
}

}  // namespace
}  // namespace gpugauge::stack
