#include "conductor/host_identity.hpp"

#include <filesystem>
#include <string>

#include <gtest/gtest.h>

#include "baseline/fields.hpp"
#include "result/facts.hpp"
#include "result/file.hpp"
#include "result/temporary_directory.hpp"

namespace gpugauge::conductor {
namespace {

const std::string some_id(32, 'a');

/// The identity of a machine with that id, name and container; "" where it has none.
std::string identity(const std::string& id, const std::string& name, const std::string& container = "none") {
  const result::TemporaryDirectory root;
  std::filesystem::create_directories(root.path() / "etc");
  std::filesystem::create_directories(root.path() / "proc/sys/kernel");
  if (!id.empty()) result::write_file(root.path() / "etc/machine-id", id + "\n");
  if (!name.empty()) result::write_file(root.path() / "proc/sys/kernel/hostname", name + "\n");
  result::Fingerprint fingerprint;
  fingerprint.settings["host.container"] = container;
  add_host_identity(stack::Tree(root.path()), fingerprint);
  return result::fact(fingerprint.device, std::string(baseline::host_identity_fact));
}

TEST(HostIdentity, TellsHostsApartByIdAndNameAndNamesNeither) {
  const std::string one = identity(some_id, "node7");
  EXPECT_EQ(one.size(), 16U);
  EXPECT_EQ(one.find_first_not_of("0123456789abcdef"), std::string::npos);
  EXPECT_EQ(identity(some_id, "node7"), one);
  EXPECT_NE(identity(some_id, "node8"), one) << "cloned images share an id";
  EXPECT_NE(identity(std::string(32, 'b'), "node7"), one);
}

TEST(HostIdentity, IsNotThereWhereItWouldBeNoneOfTheMachines) {
  EXPECT_EQ(identity("", "node7"), "");
  EXPECT_EQ(identity("uninitialized", "node7"), "");
  EXPECT_EQ(identity(some_id, ""), "");
  EXPECT_EQ(identity(some_id, "4f1c2b3a9d8e", "docker"), "");
}

}  // namespace
}  // namespace gpugauge::conductor
