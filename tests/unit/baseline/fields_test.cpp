// Which differences make runs incomparable, and which are only noted.
#include "baseline/fields.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "folder.hpp"

namespace gpugauge::baseline {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

result::Fingerprint plain() {
  return make_run(0).fingerprint;
}

TEST(Mismatches, NoneBetweenTheSame) {
  EXPECT_THAT(mismatches(plain(), plain()), IsEmpty());
  EXPECT_THAT(noted_differences(plain(), plain()), IsEmpty());
  EXPECT_EQ(key(plain()), key(plain()));
}

TEST(Mismatches, NameTheFieldWithBothValuesAndSort) {
  result::Fingerprint now = plain();
  now.stack["driver.version"] = "570.1";
  now.device["host.cpu_model"] = "Y";
  EXPECT_THAT(mismatches(now, plain()), ElementsAre(Mismatch{"device.host.cpu_model", "Y", "X"},
                                                    Mismatch{"stack.driver.version", "570.1", "560.1"}));
  EXPECT_NE(key(now), key(plain()));
}

TEST(Mismatches, AFactThatOneSideLacksDiffers) {
  result::Fingerprint now = plain();
  now.stack.erase("driver.version");
  now.stack["kernel.version"] = "6.1";
  EXPECT_THAT(mismatches(now, plain()), ElementsAre(Mismatch{"stack.driver.version", "", "560.1"},
                                                    Mismatch{"stack.kernel.version", "6.1", ""}));
}

TEST(Mismatches, SettingsTopologyPathsAndVersionAreNotedOnly) {
  result::Fingerprint now = plain();
  now.settings["host.governor"] = "powersave";
  now.settings["host.cgroup_cpu_limit"] = "1";
  now.topology["host.numa_nodes"] = "2";
  now.stack["driver.libcuda_path"] = "/opt";
  now.suite["suite.version"] = "0.2.0";
  EXPECT_THAT(mismatches(now, plain()), IsEmpty());
  EXPECT_EQ(noted_differences(now, plain()).size(), 5U);
  EXPECT_EQ(key(now), key(plain()));
}

TEST(Mismatches, AClockThatWasSetOtherwiseIsNotedAndOneThatAnOlderRunLacksIsNot) {
  result::Fingerprint now = plain(), then = plain();
  now.settings["gpu.0.sm_clock_application_mhz"] = "1590";
  EXPECT_THAT(noted_differences(now, then), IsEmpty());
  EXPECT_THAT(noted_differences(then, now), IsEmpty());
  then.settings["gpu.0.sm_clock_application_mhz"] = "1980";
  EXPECT_THAT(noted_differences(now, then),
              ElementsAre(Mismatch{"settings.gpu.0.sm_clock_application_mhz", "1590", "1980"}));
  EXPECT_THAT(mismatches(now, then), IsEmpty());
}

TEST(Mismatches, ASettingThatAnyRunOfASideHasAndNoneHadBeforeIsNoted) {
  const auto limited = [](const char* watt) {
    result::Run run = make_run(0);
    run.fingerprint.settings["gpu.0.power_limit_watt"] = watt;
    return run;
  };
  const std::vector<result::Run> whole{limited("700"), limited("700")};
  const std::vector<result::Run> once{limited("700"), limited("400")};
  EXPECT_THAT(noted_differences(once, whole),
              ElementsAre(Mismatch{"settings.gpu.0.power_limit_watt", "400", "700"}));
  EXPECT_THAT(noted_differences(whole, once), IsEmpty()) << "a run had it so before";
  EXPECT_THAT(noted_differences(once, once), IsEmpty());
  EXPECT_THAT(mismatches(once, whole), IsEmpty());
}

TEST(Mismatches, ASliceOfACardIsAnotherDevice) {
  result::Fingerprint now = plain();
  now.settings["gpu.0.mig"] = "1g.10gb";
  EXPECT_EQ(mismatches(now, plain()).size(), 1U);
}

TEST(Mismatches, AnotherCardOfTheModelIsNotedAndAnotherModelIsNot) {
  result::Fingerprint now = plain();
  now.device["gpu.0.uuid"] = "GPU-2";
  EXPECT_THAT(mismatches(now, plain()), IsEmpty());
  EXPECT_EQ(role_of("device", "gpu.0.uuid"), Role::identity);
  now.device["gpu.0.name"] = "NVIDIA Y";
  EXPECT_EQ(mismatches(now, plain()).size(), 1U);
}

TEST(Mismatches, AHostsIdentityNeitherRefusesNorGroupsAndCountsWhereBothSidesHaveIt) {
  result::Fingerprint now = plain();
  now.device[std::string(host_identity_fact)] = "aa";
  EXPECT_EQ(key(now), key(plain()));
  EXPECT_THAT(differences(now, plain(), {Role::host_identity}), IsEmpty()) << "one side lacks it";
  result::Fingerprint then = plain();
  then.device[std::string(host_identity_fact)] = "bb";
  EXPECT_THAT(mismatches(now, then), IsEmpty());
  EXPECT_EQ(key(now), key(then));
  EXPECT_THAT(differences(now, then, {Role::host_identity}),
              ElementsAre(Mismatch{"device.host.identity", "aa", "bb"}));
}

TEST(Mismatches, SourcesAreComparedWhereBothSidesHaveThem) {
  result::Fingerprint now = plain();
  now.suite["suite.source_hash.gemm"] = "cd";
  EXPECT_THAT(mismatches(now, plain()), IsEmpty())
      << "a family that is new is a verdict, not another machine";
  now.suite["suite.source_hash.host"] = "ef";
  EXPECT_THAT(mismatches(now, plain()), ElementsAre(Mismatch{"suite.source_hash.host", "ef", "ab"}));
}

/// Runs as --before takes them: the first measured the family gemm alone.
std::vector<result::Run> gemm_first(const std::string& host_hash) {
  std::vector<result::Run> out{make_run(0), make_run(1)};
  out[0].fingerprint.suite.erase("suite.source_hash.host");
  out[0].fingerprint.suite["suite.source_hash.gemm"] = "cd";
  out[1].fingerprint.suite["suite.source_hash.host"] = host_hash;
  return out;
}

TEST(Mismatches, OfSidesHoldEveryRunAgainstEveryRun) {
  EXPECT_THAT(mismatches(gemm_first("ab"), {make_run(2)}), IsEmpty());
  EXPECT_THAT(mismatches(gemm_first("ef"), {make_run(2)}),
              ElementsAre(Mismatch{"suite.source_hash.host", "ef", "ab"}));
  EXPECT_THAT(mismatches({make_run(2)}, gemm_first("ef")),
              ElementsAre(Mismatch{"suite.source_hash.host", "ab", "ef"}));
}

TEST(Mismatches, OfASideWithItselfShowWhetherItIsOfOneKind) {
  std::vector<result::Run> side = gemm_first("ab");
  EXPECT_THAT(mismatches(side, side), IsEmpty());
  side.push_back(make_run(3));
  side.back().fingerprint.suite["suite.source_hash.host"] = "ef";
  EXPECT_EQ(mismatches(side, side).size(), 1U);
  side.back() = make_run(3);
  side.back().fingerprint.stack.erase("driver.version");
  EXPECT_THAT(mismatches(side, side), ElementsAre(Mismatch{"stack.driver.version", "560.1", ""}));
}

TEST(Mismatches, AnotherProfileIsAnotherMeasurement) {
  result::Fingerprint now = plain();
  now.suite["suite.profile"] = "smoke";
  EXPECT_EQ(mismatches(now, plain()).size(), 1U);
}

TEST(Key, CannotBeImitatedByAValueWithLineBreaks) {
  result::Fingerprint one = plain();
  result::Fingerprint other = plain();
  one.device = {{"a", "1"}, {"b", "2"}};
  other.device = {{"a", "1\ndevice.b=1:2"}};
  EXPECT_NE(key(one), key(other));
}

TEST(FieldName, BeginsWithItsSectionOnce) {
  EXPECT_EQ(field_name("device", "host.cpu_model"), "device.host.cpu_model");
  EXPECT_EQ(field_name("suite", "suite.profile"), "suite.profile");
  EXPECT_EQ(field_name("device", "devices.count"), "device.devices.count");
  EXPECT_EQ(field_name("suite", "suite"), "suite.suite");
  EXPECT_EQ(field_name("suite", "suite."), "suite.");
}

}  // namespace
}  // namespace gpugauge::baseline
