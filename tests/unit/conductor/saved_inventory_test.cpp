// An inventory in whichever file it was saved.
#include "conductor/saved_inventory.hpp"

#include <gmock/gmock.h>

#include "result/error.hpp"
#include "stack/inventory/from_run.hpp"
#include "unit/run/fake_family.hpp"

namespace gpugauge::conductor {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

class SavedInventory : public testing::Test {
 protected:
  std::string saved(const std::string& text) const {
    run::write_text(fakes_.path() / "saved.json", text);
    return (fakes_.path() / "saved.json").string();
  }

  run::Fakes fakes_;
};

TEST_F(SavedInventory, AloneOrInAReport) {
  stack::Inventory inventory;
  inventory.present("driver.version", "580.65.06", "made");
  EXPECT_EQ(read_inventory(saved(stack::to_json(inventory))).value("driver.version"), "580.65.06");
  EXPECT_EQ(
      read_inventory(saved("{\"inventory\": " + stack::to_json(inventory) + "}")).value("driver.version"),
      "580.65.06");
}

TEST_F(SavedInventory, OfARunIsMarkedAsSuch) {
  result::Run run;
  run.id = std::string(26, 'A');
  run.complete = true;
  run.started = "2026-01-01T00:00:00Z";
  run.profile = "quick";
  run.device = "host";
  run.boot_id = "boot";
  run.fingerprint.stack["driver.version"] = "580.65.06";
  const stack::Inventory read = read_inventory(saved(result::to_json(run)));
  EXPECT_EQ(read.value("driver.version"), "580.65.06");
  EXPECT_TRUE(stack::is_of_run(read));
}

TEST_F(SavedInventory, OfAnythingElseIsRefusedByName) {
  EXPECT_THAT([&] { read_inventory(saved("[]")); },
              ThrowsMessage<result::FormatError>(HasSubstr(
                  "saved.json holds neither an inventory of `gpugauge doctor --json` nor a run: ")));
  EXPECT_THAT([&] { read_inventory(saved(R"({"schema": "gpugauge.observation/1"})")); },
              ThrowsMessage<result::FormatError>(HasSubstr("is an observation, which `gpugauge diagnose` ")));
  EXPECT_THROW(read_inventory((fakes_.path() / "none.json").string()), result::FileError);
}

}  // namespace
}  // namespace gpugauge::conductor
