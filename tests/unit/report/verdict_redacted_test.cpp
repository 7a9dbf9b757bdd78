// A redaction takes names away, and no verdict: over made machines and the inventories of the real reports.
#include <filesystem>
#include <set>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "report/doctor.hpp"
#include "result/file.hpp"
#include "stack/compat/tables.hpp"
#include "stack/inventory/overview.hpp"
#include "stack/plan/lock.hpp"
#include "stack/plan/redact.hpp"
#include "unit/stack/rules/inventories.hpp"

namespace gpugauge::report {
namespace {

using stack::Inventory;
using stack::RedactNames;
using stack::Redactor;

// Assembled, so that no file of the project holds a path of one machine.
const std::string home = std::string("/ho") + "me";
const std::string uuid = "12345678-9abc-def0-1234-56789abcdef";

/// What a machine of today holds that a redaction could take for something else.
Inventory with_versions_of_four_numbers(Inventory inventory) {
  inventory.present("container.image_cuda", "13.0.0.044", "environment");
  inventory.present("container.toolkit_version", "1.17.8.1", "test");
  inventory.present("container.require", "cuda>=12.8.0.1 brand=tesla,driver>=570.0.0.1", "environment");
  inventory.present("wheel.nvidia-cublas-cu12.version", "12.8.4.1", "test");
  inventory.present("library.cublas.0.version", "12.8.4.1", "test");
  inventory.present("library.cudnn.0.version", "9.10.2.21", "test");
  inventory.present("framework.torch.version", "2.8.0.1", "test");
  inventory.present("framework.torch.cudnn", "9.10.2.21", "test", "Requires-Dist of nvidia-cudnn-cu12");
  inventory.present("wheel.nvidia-cudnn-cu12.version", "9.7.1.26", "test");
  inventory.present("driver.history.0", "2026-08-03 10:22:01 upgrade nvidia-driver 1.2.3.4 -> 2.0", "test");
  inventory.present("env.CUDA_VISIBLE_DEVICES", "0,GPU-123456", "environment");
  inventory.present("env.LD_LIBRARY_PATH", "/data/users/ada/lib:/opt/driver/lib64", "environment");
  inventory.present("env.NCCL_P2P_LEVEL", "LOC", "environment");
  inventory.present("env.NCCL_NET", "Socket", "environment");
  inventory.present("file.nccl_conf", "NCCL_DEBUG=TRACE NCCL_IB_DISABLE=1", "/etc/nccl.conf");
  inventory.present("kernel_log.xid.0", "2026-11-20T10:11:12 0000:01:00.0 79 GPU has fallen off the bus",
                    "test");
  inventory.present("kernel_log.xid_count", "1", "test");
  return inventory;
}

std::vector<Inventory> made() {
  Inventory ada = stack::linux_with_driver();
  stack::add_gpus(ada, 2, "NVIDIA RTX 6000 Ada Generation", "8.9", "300");
  std::vector<Inventory> out{stack::linux_with_driver(), stack::h100_server(),         stack::h200_machine(),
                             stack::geforce_desktop(),   stack::a100_container(),      stack::wsl_machine(),
                             stack::empty_machine(),     stack::silent_gpu("nouveau"), ada};
  const std::size_t plain = out.size();
  for (std::size_t i = 0; i < plain; ++i) {
    Inventory known = with_versions_of_four_numbers(out[i]);
    for (const std::string& gpu : known.children("gpu"))
      known.present("gpu." + gpu + ".uuid", std::string("GPU-").append(uuid).append(gpu), "nvml");
    out.push_back(known);
    known.present("container.kind", "docker", "environment");
    for (const char* const key : {"driver.version", "driver.kernel_module_version", "driver.libcuda_version"})
      known.present(key, "570.172.08", "test");
    known.present("driver.cuda_max", "12.8", "test");
    out.push_back(known);
  }
  return out;
}

std::vector<Inventory> of_reports() {
  std::vector<Inventory> out;
  const auto folder =
      std::filesystem::path(GPUGAUGE_SOURCE_DIR) / "harness" / "diagnose" / "reports" / "observations";
  for (const auto& file : std::filesystem::directory_iterator(folder)) {
    const nlohmann::json report = nlohmann::json::parse(result::read_file(file.path()));
    if (!report.contains("inventory")) continue;
    Inventory inventory;
    for (const auto& [key, value] : report["inventory"].items())
      if (value.is_string()) inventory.present(key, value, "report");
    out.push_back(std::move(inventory));
  }
  return out;
}

std::vector<Inventory> corpus() {
  std::vector<Inventory> out = made();
  for (Inventory& one : of_reports()) out.push_back(std::move(one));
  return out;
}

/// What is concluded: every cause with its weight, and the exit code.
std::vector<std::string> concluded(const Inventory& inventory) {
  Doctor doctor;
  doctor.findings =
      stack::diagnose_stack({inventory, stack::tables(), stack::Policy::production, "2026-11-21"});
  doctor.layers = stack::overview(inventory);
  doctor.inventory = inventory;
  std::vector<std::string> out{std::to_string(outcome(doctor).exit_code)};
  for (const stack::Finding& finding : doctor.findings)
    out.push_back(finding.cause + " " + std::to_string(static_cast<int>(finding.severity)));
  std::sort(out.begin() + 1, out.end());
  return out;
}

void expect_same_verdicts(const RedactNames& names) {
  for (const Inventory& inventory : corpus()) {
    const Inventory copy = Redactor(names).inventory(inventory);
    EXPECT_EQ(concluded(copy), concluded(inventory)) << to_json(inventory);
    EXPECT_EQ(Redactor(names).inventory(copy), copy) << "what is redacted stays as it is";
    const stack::Lock lock = stack::make_lock(inventory, "2026-11-21T00:00:00Z");
    EXPECT_TRUE(stack::verify(lock, copy).drifts.empty()) << to_json(inventory);
  }
}

TEST(RedactedVerdict, IsThatOfTheOriginal) {
  EXPECT_GT(corpus().size(), 40U);
  expect_same_verdicts({});
}

TEST(RedactedVerdict, OfAnImageOfFourNumbersIsNotPassed) {
  const Inventory node = made().back();
  const std::vector<std::string> found = concluded(Redactor().inventory(node));
  EXPECT_THAT(found, testing::Contains(testing::StartsWith("container_newer_than_host")));
}

TEST(RedactedVerdict, StaysWhereNamesAreProductsAndWordsOfTheInventory) {
  expect_same_verdicts({{"h100", "grace", "dgx", "l40s", "gh200", "tesla"},
                        {"ada", "open", "driver", "intel", "yes", "off", "debian", "production"},
                        {"/data/people/carol"}});
}

TEST(RedactedVerdict, StaysWhereEveryWordOfEveryProductIsAName) {
  std::set<std::string> words;
  for (const Inventory& inventory : corpus())
    for (const stack::Item& item : inventory.items()) {
      if (item.key.starts_with("env.") || item.key.starts_with("file.")) continue;
      std::string word;
      for (const char letter : item.value + " ") {
        if (std::isalnum(static_cast<unsigned char>(letter)) != 0) {
          word += letter;
          continue;
        }
        words.insert(word);
        word.clear();
      }
    }
  EXPECT_GT(words.size(), 100U);
  expect_same_verdicts({{}, {words.begin(), words.end()}, {}});
}

TEST(RedactedVerdict, OfALockIsJudgedBeforeNamesGo) {
  const Inventory node = stack::h100_server();
  stack::Lock lock = stack::make_lock(node, "2026-11-21T00:00:00Z");
  lock.fields.push_back({"python.prefix", home + "/ada/x", stack::Match::exact, ""});
  Inventory other = node;
  other.present("python.prefix", home + "/ada/y", "test");
  other.present("gpu.0.name", "NVIDIA RTX 6000 Ada Generation", "nvml");
  Redactor redactor({{}, {"ada"}, {}});
  const stack::LockReport report = stack::redacted(stack::verify(lock, other), redactor);
  ASSERT_EQ(report.drifts.size(), 2U);
  EXPECT_EQ(report.drifts[0].found, "NVIDIA RTX 6000 Ada Generation");
  EXPECT_EQ(report.drifts[1].sentence, "python.prefix is locked to home-folder-0 and is home-folder-1");
}

}  // namespace
}  // namespace gpugauge::report
