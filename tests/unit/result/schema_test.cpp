// The published JSON Schemas use the words of the code: the lists there and here are the same.
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "result/file.hpp"
#include "result/run_file.hpp"
#include "result/samples.hpp"

namespace gpugauge::result {
namespace {

nlohmann::json schema(const std::string& name) {
  return nlohmann::json::parse(read_file(std::string(GPUGAUGE_SOURCE_DIR) + "/docs/schema/" + name));
}

TEST(Schema, ListsTheClassesAndUnitsOfTheCode) {
  const auto metric = schema("samples.schema.json")["$defs"]["metric"]["properties"];
  std::vector<std::string> names;
  names.reserve(classes.size());
  for (const ClassInfo& info : classes) names.emplace_back(info.name);
  EXPECT_EQ(metric["class"]["enum"].get<std::vector<std::string>>(), names);
  EXPECT_EQ(metric["unit"]["enum"].get<std::vector<std::string>>(),
            std::vector<std::string>(units.begin(), units.end()));
}

TEST(Schema, NamesTheVersionsOfTheCode) {
  EXPECT_EQ(schema("samples.schema.json")["properties"]["schema"]["const"], samples_schema);
  EXPECT_EQ(schema("run.schema.json")["properties"]["schema"]["const"], run_schema);
}

}  // namespace
}  // namespace gpugauge::result
