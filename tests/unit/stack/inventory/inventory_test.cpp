#include "stack/inventory/inventory.hpp"

#include <gmock/gmock.h>

#include "result/error.hpp"

namespace gpugauge::stack {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Inventory three_answers() {
  Inventory inventory;
  inventory.present("driver.version", "580.65.06", "/usr/lib/libcuda.so.580.65.06", "file name");
  inventory.absent("driver.peermem", "/sys/module");
  inventory.unreadable("kernel_log.readable", "/dev/kmsg", "root");
  inventory.present("empty", "", "environment");
  return inventory;
}

std::string inventory_fault(const std::string& text) {
  try {
    inventory_from_json(text);
  } catch (const result::FormatError& error) {
    return error.what();
  }
  return "accepted";
}

std::string with_item(const std::string& item) {
  return R"({"schema":"gpugauge.inventory/1","items":[)" + item + "]}";
}

TEST(Inventory, KeepsThreeAnswersApart) {
  const Inventory inventory = three_answers();
  EXPECT_TRUE(inventory.has("driver.version"));
  EXPECT_EQ(inventory.value("driver.version"), "580.65.06");
  EXPECT_FALSE(inventory.unreadable("driver.version"));
  EXPECT_FALSE(inventory.has("driver.peermem"));
  EXPECT_EQ(inventory.value("driver.peermem"), "");
  EXPECT_EQ(inventory.find("driver.peermem")->presence, Presence::absent);
  EXPECT_TRUE(inventory.unreadable("kernel_log.readable"));
  EXPECT_EQ(inventory.find("kernel_log.readable")->needs, "root");
  EXPECT_EQ(inventory.find("nobody.looked"), nullptr);
  EXPECT_FALSE(inventory.has("nobody.looked"));
  EXPECT_TRUE(inventory.has("empty")) << "a variable that is set to nothing is set";
}

TEST(Inventory, ALaterItemReplacesTheEarlierInItsPlace) {
  Inventory inventory = three_answers();
  inventory.present("driver.version", "580.95.05", "nvml");
  ASSERT_EQ(inventory.items().size(), 4U);
  EXPECT_EQ(inventory.items()[0].value, "580.95.05");
  EXPECT_EQ(inventory.items()[0].how, "");
}

TEST(Inventory, TakesBlanksFromAroundAValue) {
  Inventory inventory;
  inventory.present("a", std::string(" \t x y\n\0", 8), "s");
  inventory.present("b", std::string("\0\n ", 3), "s");
  EXPECT_EQ(inventory.value("a"), "x y");
  EXPECT_EQ(inventory.value("b"), "");
}

TEST(Inventory, NamesWhatStandsBelowAPrefixOnceInOrder) {
  Inventory inventory;
  for (const char* const key :
       {"gpu.1.name", "gpu.0.name", "gpu.1.uuid", "gpus", "gpu", "gpu.", "gp.2", "gpu.x"})
    inventory.absent(key, "");
  EXPECT_THAT(inventory.children("gpu"), ElementsAre("1", "0", "x"));
  EXPECT_THAT(inventory.children("gpu.1"), ElementsAre("name", "uuid"));
  EXPECT_THAT(inventory.children("none"), IsEmpty());
}

TEST(InventoryJson, ComesBackAsItWent) {
  EXPECT_EQ(inventory_from_json(to_json(three_answers())), three_answers());
  EXPECT_EQ(inventory_from_json(to_json_line(three_answers())), three_answers());
  EXPECT_EQ(inventory_from_json(to_json(Inventory{})), Inventory{});
  EXPECT_EQ(to_json_line(three_answers()).find('\n'), std::string::npos);
}

TEST(InventoryJson, IsOneItemALine) {
  Inventory inventory;
  inventory.present("a", "1", "/b", "c");
  inventory.unreadable("d", "/e", "root");
  EXPECT_EQ(to_json(inventory),
            "{\n  \"schema\": \"gpugauge.inventory/1\",\n  \"items\": [\n"
            "    {\"key\":\"a\",\"answer\":\"present\",\"value\":\"1\",\"source\":\"/b\",\"how\":\"c\"},\n"
            "    {\"key\":\"d\",\"answer\":\"unreadable\",\"source\":\"/e\",\"needs\":\"root\"}\n  ]\n}\n");
}

TEST(InventoryJson, BytesThatAreNoTextDoNotBreakIt) {
  Inventory inventory;
  inventory.present("kernel.command_line", "a\xff\xfe\x01\"b", "/proc/cmdline\x80");
  const Inventory back = inventory_from_json(to_json(inventory));
  EXPECT_EQ(back.value("kernel.command_line"), "a\xef\xbf\xbd\xef\xbf\xbd\x01\"b");
  EXPECT_NO_THROW(inventory_from_json(to_json_line(inventory)));
}

TEST(InventoryJson, RefusesWhatIsNotOne) {
  EXPECT_THAT(inventory_fault(""), HasSubstr("empty"));
  EXPECT_THAT(inventory_fault("{\"schema\":\"gpugauge.run/1\",\"items\":[]}"),
              HasSubstr("gpugauge.inventory/1"));
  EXPECT_THAT(inventory_fault("{\"schema\":\"gpugauge.inventory/2\",\"items\":[]}"),
              HasSubstr("gpugauge.inventory/2"));
  EXPECT_THAT(inventory_fault("{\"schema\":\"gpugauge.inventory/1\"}"), HasSubstr("'items' is missing"));
  EXPECT_THAT(inventory_fault("{\"schema\":\"gpugauge.inventory/1\",\"items\":[],\"more\":1}"),
              HasSubstr("'more'"));
  const std::string good = R"({"key":"a","answer":"present","value":"1","source":"s"})";
  EXPECT_EQ(inventory_fault(with_item(good)), "accepted");
  EXPECT_THAT(inventory_fault(with_item(good + "," + good)), HasSubstr("items[1].key: \"a\" stands twice"));
  EXPECT_THAT(inventory_fault(with_item(R"({"key":"a","answer":"maybe","source":"s"})")),
              HasSubstr("items[0].answer"));
  EXPECT_THAT(inventory_fault(with_item(R"({"key":"a","answer":"present","source":"s"})")),
              HasSubstr("'value'"));
  EXPECT_THAT(inventory_fault(with_item(R"({"key":"a","answer":"absent","value":"1","source":"s"})")),
              HasSubstr("'value' is not part"));
  EXPECT_THAT(inventory_fault(with_item(R"({"key":"a","answer":"absent","needs":"root","source":"s"})")),
              HasSubstr("'needs' is not part"));
  EXPECT_THAT(inventory_fault(with_item(R"({"key":"","answer":"absent","source":"s"})")),
              HasSubstr("is empty"));
  EXPECT_THAT(inventory_fault(with_item(R"({"key":7,"answer":"absent","source":"s"})")),
              HasSubstr("should be text"));
  EXPECT_THAT(inventory_fault(with_item(R"({"key":"a","answer":"absent","source":"s","why":""})")),
              HasSubstr("'why'"));
  EXPECT_THAT(inventory_fault(with_item("[]")), HasSubstr("should be an object"));
}

}  // namespace
}  // namespace gpugauge::stack
