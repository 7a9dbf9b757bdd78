#include <gtest/gtest.h>

#include "result/error.hpp"
#include "stack/compat/tables.hpp"

namespace gpugauge::stack {
namespace {

Tables read(const std::string& table, const std::string& rows) {
  return read_tables({{table + ".json", R"({"table": ")" + table + R"(", "rows": [)" + rows + "]}"}});
}

std::string table_fault(const std::vector<DataFile>& files) {
  try {
    read_tables(files);
  } catch (const result::FormatError& error) {
    return error.what();
  }
  return "";
}

std::string table_fault(const std::string& table, const std::string& rows) {
  return table_fault({{table + ".json", R"({"table": ")" + table + R"(", "rows": [)" + rows + "]}"}});
}

constexpr auto minimum = R"({"cuda_major": 12, "driver": "525.60.13", "source": "page", "read": true})";

TEST(ReadTables, KeepsARowsValuesAndItsSource) {
  const Tables tables = read("minimum_drivers", minimum);
  ASSERT_EQ(tables.minimum_drivers.size(), 1U);
  EXPECT_EQ(tables.minimum_drivers[0].cuda_major, 12);
  EXPECT_EQ(tables.minimum_drivers[0].driver.text(), "525.60.13");
  EXPECT_EQ(tables.minimum_drivers[0].source.text, "page");
  EXPECT_TRUE(tables.minimum_drivers[0].source.read);
}

TEST(ReadTables, LeavesBoundsThatAreMissingOpen) {
  const Tables tables = read(
      "nccl",
      R"({"nccl": {"least": "2.27"}, "cuda_major_least": 12, "cuda_major_most": 13, "source": "s", "read": false},
         {"nccl": {}, "cuda_major_least": 9, "cuda_major_most": 9, "source": "s", "read": true})");
  EXPECT_EQ(tables.nccl[0].nccl.text(), "from 2.27");
  EXPECT_EQ(tables.nccl[1].nccl.text(), "any");
  EXPECT_FALSE(tables.nccl[0].source.read);
}

TEST(ReadTables, ReadsAFrameworksWheels) {
  const Tables tables =
      read("frameworks", R"({"framework": "torch", "version": "2.9", "cuda": ["12.8", "13.0"],
      "python": "3.10-3.14", "compute_capabilities": [], "note": "", "source": "s", "read": true,
      "wheels": [{"cuda": "12.8", "cudnn": "9.10.2.21", "compute_capabilities": ["7.0", "12.0"]}, {"cuda": "13.0"}]})");
  const FrameworkBuild& torch = tables.frameworks.at(0);
  EXPECT_FALSE(torch.cudnn.has_value());
  ASSERT_NE(torch.wheel(*Version::parse("12.8.1")), nullptr);
  EXPECT_EQ(torch.wheel(*Version::parse("12.8.1"))->cudnn->text(), "9.10.2.21");
  EXPECT_EQ(torch.wheel(*Version::parse("12.8"))->compute_capabilities.size(), 2U);
  EXPECT_TRUE(torch.wheel(*Version::parse("13.0"))->compute_capabilities.empty());
  EXPECT_EQ(torch.wheel(*Version::parse("12.6")), nullptr);
}

struct Refusal {
  const char* name;
  const char* table;
  const char* rows;
  const char* sentence;
};

class RefusedRow : public testing::TestWithParam<Refusal> {};

TEST_P(RefusedRow, IsNamedWithFileAndRow) {
  EXPECT_EQ(table_fault(GetParam().table, GetParam().rows), GetParam().sentence);
}

INSTANTIATE_TEST_SUITE_P(
    Rows, RefusedRow,
    testing::Values(
        Refusal{"unknown_key", "minimum_drivers",
                R"({"cuda_major": 12, "driver": "525", "source": "s", "read": true, "more": 1})",
                "minimum_drivers.json: rows[0]: the key 'more' is not part of this format"},
        Refusal{"wrong_type", "minimum_drivers",
                R"({"cuda_major": "12", "driver": "525", "source": "s", "read": true})",
                "minimum_drivers.json: rows[0].cuda_major: should be a number and is text"},
        Refusal{"no_source", "minimum_drivers", R"({"cuda_major": 12, "driver": "525", "read": true})",
                "minimum_drivers.json: rows[0]: the key 'source' is missing"},
        Refusal{"empty_source", "minimum_drivers",
                R"({"cuda_major": 12, "driver": "525", "source": " ", "read": true})",
                "minimum_drivers.json: rows[0].source: is empty"},
        Refusal{"no_word_on_reading", "minimum_drivers",
                R"({"cuda_major": 12, "driver": "525", "source": "s"})",
                "minimum_drivers.json: rows[0]: the key 'read' is missing"},
        Refusal{"prose_for_a_version", "minimum_drivers",
                R"({"cuda_major": 12, "driver": "525", "source": "s", "read": true},
                   {"cuda_major": 13, "driver": ">=580", "source": "s", "read": true})",
                "minimum_drivers.json: rows[1].driver: should be a version such as 12.8 and is '>=580'"},
        Refusal{"a_version_with_a_dot_too_many", "minimum_drivers",
                R"({"cuda_major": 12, "driver": "525.", "source": "s", "read": true})",
                "minimum_drivers.json: rows[0].driver: should be a version such as 12.8 and is '525.'"},
        Refusal{"a_huge_number", "minimum_drivers",
                R"({"cuda_major": 99999999999, "driver": "525", "source": "s", "read": true})",
                "minimum_drivers.json: rows[0].cuda_major: is out of range"},
        Refusal{"a_negative_number", "minimum_drivers",
                R"({"cuda_major": -1, "driver": "525", "source": "s", "read": true})",
                "minimum_drivers.json: rows[0].cuda_major: should be 0 or more"},
        Refusal{"no_object", "minimum_drivers", "12",
                "minimum_drivers.json: rows[0]: should be an object and is a number"},
        Refusal{"a_range_from_behind", "vgpu",
                R"({"guest": {"least": "16", "most": "15"}, "host": {}, "source": "s", "read": true})",
                "vgpu.json: rows[0].guest: ends at 15, before it begins"},
        Refusal{"a_word_in_a_range", "vgpu",
                R"({"guest": {"from": "16"}, "host": {}, "source": "s", "read": true})",
                "vgpu.json: rows[0].guest: the key 'from' is not part of this format"},
        Refusal{"an_architecture_that_ends_first", "architectures",
                R"({"name": "Volta", "compute_capability": "7.0", "first_cuda": "9.0", "last_cuda": "8.0",
                    "source": "s", "read": true})",
                "architectures.json: rows[0].last_cuda: comes before first_cuda"},
        Refusal{"an_issue_fixed_where_it_is", "known_issues",
                R"({"layer": "nccl", "versions": {"most": "2.22"}, "issue": "slow.", "fixed": "2.22.3",
                    "source": "s", "read": true})",
                "known_issues.json: rows[0].fixed: lies within versions"},
        Refusal{"a_word_for_its_cudnn", "frameworks",
                R"({"framework": "jax", "version": "1", "cuda": [], "cudnn": "9.8", "cudnn_is": "newer",
                    "python": "", "compute_capabilities": [], "note": "", "source": "s", "read": true})",
                "frameworks.json: rows[0].cudnn_is: should be least or optional and is 'newer'"},
        Refusal{"an_unknown_interface", "error_names",
                R"({"api": "cudnn", "code": 1, "name": "X", "source": "s", "read": true})",
                "error_names.json: rows[0].api: should be runtime, driver or nvml and is 'cudnn'"},
        Refusal{"an_explanation_of_nothing", "error_codes",
                R"({"apis": ["nvml"], "code": 77, "meaning": "m", "causes": [], "next": [], "source": "s",
                    "read": true})",
                "error_codes.json: rows[0]: the nvml API has no code 77 among the names"}),
    [](const auto& test) { return std::string(test.param.name); });

TEST(ReadTables, RefuseAFileThatHoldsNoTable) {
  EXPECT_EQ(table_fault({{"a.json", ""}}), "a.json: the file is empty; it should hold a JSON object");
  EXPECT_EQ(table_fault({{"a.json", R"({"table": "nccl", "rows": [)"}}),
            "a.json: the JSON ends too early, after 27 bytes: the file is truncated");
  EXPECT_EQ(table_fault({{"a.json", R"({"table": "prices", "rows": []})"}}),
            "a.json: table: there is no table 'prices'");
  EXPECT_EQ(table_fault({{"a.json", R"({"table": "nccl", "rows": [], "by": 1})"}}),
            "a.json: the key 'by' is not part of this format");
  EXPECT_EQ(table_fault({{"a.json", R"({"table": "nccl", "rows": []})"},
                         {"b.json", R"({"table": "nccl", "rows": []})"}}),
            "b.json: table: a.json holds this table already");
}

constexpr auto names =
    R"({"api": "runtime", "code": 35, "name": "cudaErrorInsufficientDriver", "source": "h", "read": true},
  {"api": "runtime", "code": 704, "name": "cudaErrorPeerAccessAlreadyEnabled", "source": "h", "read": true},
  {"api": "driver", "code": 704, "name": "CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED", "source": "h", "read": true},
  {"api": "nvml", "code": 4, "name": "NVML_ERROR_NO_PERMISSION", "source": "h", "read": true})";

std::vector<DataFile> codes(const std::string& explanations) {
  return {{"error_codes.json", R"({"table": "error_codes", "rows": [)" + explanations + "]}"},
          {"error_names.json", std::string(R"({"table": "error_names", "rows": [)") + names + "]}"}};
}

TEST(ReadTables, GiveTheNamesTheirMeaningsWhateverFileComesFirst) {
  const Tables tables = read_tables(codes(
      R"({"apis": ["runtime", "driver"], "code": 704, "meaning": "Already on.", "causes": ["twice"], "next": ["once"],
          "source": "c", "read": false})"));
  const ErrorCode* const driver = tables.error("driver", 704);
  ASSERT_NE(driver, nullptr);
  EXPECT_EQ(driver->name, "CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED");
  EXPECT_EQ(driver->meaning, "Already on.");
  EXPECT_EQ(driver->causes, std::vector<std::string>{"twice"});
  EXPECT_EQ(driver->source.text, "c");
  EXPECT_EQ(tables.error("runtime", 704)->meaning, "Already on.");
  EXPECT_EQ(tables.error("nvml", 4)->meaning, "");
  EXPECT_EQ(tables.error("nvml", 4)->source.text, "h");
  EXPECT_EQ(tables.error("nvml", 704), nullptr);
}

TEST(ReadTables, TakeAMeaningThatTheGroundFloorHas) {
  const Tables tables = read_tables(codes(
      R"({"apis": ["runtime"], "code": 35, "causes": ["none found"], "next": [], "source": "c", "read": true})"));
  const ErrorCode* const code = tables.error("runtime", 35);
  EXPECT_NE(code->meaning.find("The driver supports less CUDA"), std::string::npos) << code->meaning;
  EXPECT_EQ(code->causes, std::vector<std::string>{"none found"});
  ASSERT_EQ(code->next.size(), 1U);
}

TEST(ReadTables, RefuseAnExplanationWithoutMeaning) {
  EXPECT_EQ(table_fault(codes(
                R"({"apis": ["nvml"], "code": 4, "causes": [], "next": [], "source": "c", "read": true})")),
            "error_codes.json: rows[0]: the key 'meaning' is missing, and nothing else explains this code");
}

}  // namespace
}  // namespace gpugauge::stack
