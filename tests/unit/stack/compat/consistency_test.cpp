// The tables of this build against themselves: nothing without a source, nothing twice, no version that no
// table knows.
#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "result/cuda_error.hpp"
#include "stack/compat/tables.hpp"

namespace gpugauge::stack {
namespace {

/// Calls with each row's table and source.
template <typename Function>
void each_source(const Function& function) {
  const auto all = [&](const char* table, const auto& rows) {
    EXPECT_FALSE(rows.empty()) << table;
    for (const auto& row : rows) function(table, row.source);
  };
  const Tables& t = tables();
  all("toolkit_drivers", t.toolkit_drivers);
  all("minimum_drivers", t.minimum_drivers);
  all("architectures", t.architectures);
  all("cudnn", t.cudnn);
  all("nccl", t.nccl);
  all("known_issues", t.known_issues);
  all("driver_branches", t.driver_branches);
  all("host_compilers", t.host_compilers);
  all("frameworks", t.frameworks);
  all("systems", t.systems);
  all("kernels", t.kernels);
  all("vgpu_releases", t.vgpu_releases);
  all("vgpu", t.vgpu);
  all("error_codes", t.error_codes);
  all("rules", t.rules);
}

TEST(Consistency, EveryRowHasAPublicSource) {
  each_source([](const char* table, const Source& source) {
    EXPECT_GE(source.text.size(), 8U) << table;
    for (const char* const word : {"/home/", "/root/", "/usr/local", "find_string", "memory"})
      EXPECT_EQ(source.text.find(word), std::string::npos) << table << ": " << source.text;
  });
}

TEST(Consistency, NoKeyStandsTwice) {
  std::multiset<std::string> keys;
  const Tables& t = tables();
  for (const auto& row : t.toolkit_drivers)
    keys.insert(fmt::format("toolkit {} {}", row.cuda.text(), row.update));
  for (const auto& row : t.toolkit_drivers) keys.insert("release " + row.release);
  for (const auto& row : t.minimum_drivers) keys.insert(fmt::format("minimum {}", row.cuda_major));
  for (const auto& row : t.architectures) keys.insert("architecture " + row.compute_capability.text());
  for (const auto& row : t.cudnn)
    keys.insert(
        fmt::format("cudnn {} {}", row.cudnn.text(), row.cuda.empty() ? "" : row.cuda.front().text()));
  for (const auto& row : t.nccl) keys.insert("nccl " + row.nccl.text());
  for (const auto& row : t.known_issues) keys.insert("issue " + row.layer + row.versions.text() + row.issue);
  for (const auto& row : t.driver_branches) keys.insert(fmt::format("branch {}", row.branch));
  for (const auto& row : t.host_compilers) keys.insert("compiler " + row.compiler + row.cuda.text());
  for (const auto& row : t.frameworks) keys.insert("framework " + row.framework + " " + row.version.text());
  for (const auto& row : t.systems) keys.insert("system " + row.distribution);
  for (const auto& row : t.kernels) keys.insert(fmt::format("kernels of branch {}", row.driver.major()));
  for (const auto& row : t.vgpu_releases) keys.insert(fmt::format("vgpu release {}", row.release));
  for (const auto& row : t.vgpu_releases) keys.insert(fmt::format("vgpu branch {}", row.branch));
  for (const auto& row : t.vgpu) keys.insert("vgpu " + row.guest.text() + " on " + row.host.text());
  for (const auto& row : t.error_codes) keys.insert(fmt::format("error {} {}", row.api, row.code));
  for (const auto& row : t.rules) keys.insert("rule " + row.rule);
  for (const std::string& key : keys) EXPECT_EQ(keys.count(key), 1U) << key;
}

bool known_toolkit(const Version& cuda) {
  return std::any_of(tables().toolkit_drivers.begin(), tables().toolkit_drivers.end(),
                     [&](const ToolkitDriver& row) { return cuda.covers(row.cuda); });
}

TEST(Consistency, EveryToolkitThatARowNamesIsKnown) {
  const auto expect = [](const std::string& who, const Version& cuda) {
    EXPECT_TRUE(known_toolkit(cuda)) << who << " names CUDA " << cuda.text();
  };
  for (const FrameworkBuild& row : tables().frameworks) {
    const std::string who = row.framework + " " + row.version.text();
    for (const Version& cuda : row.cuda) expect(who, cuda);
    for (const FrameworkWheel& wheel : row.wheels) {
      expect(who, wheel.cuda);
      EXPECT_NE(std::find(row.cuda.begin(), row.cuda.end(), wheel.cuda), row.cuda.end()) << who;
    }
    if (!row.wheels.empty()) {
      EXPECT_EQ(row.wheels.size(), row.cuda.size()) << who;
    }
  }
  for (const CudnnSupport& row : tables().cudnn)
    for (const Version& cuda : row.cuda) {
      expect("cuDNN " + row.cudnn.text(), cuda);
      EXPECT_EQ(cuda.major(), row.cuda_major) << row.cudnn.text();
    }
  for (const HostCompiler& row : tables().host_compilers)
    for (const auto& bound : {row.cuda.least, row.cuda.most}) {
      ASSERT_TRUE(bound.has_value()) << row.compiler;
      expect(row.compiler, bound->first(2));
    }
  for (const Architecture& row : tables().architectures)
    if (row.last_cuda) expect(row.name, *row.last_cuda);
  for (const DriverBranch& row : tables().driver_branches)
    if (row.cuda_max) expect(fmt::format("R{}", row.branch), *row.cuda_max);
}

TEST(Consistency, NewerToolkitsComeWithNewerDrivers) {
  std::vector<ToolkitDriver> rows = tables().toolkit_drivers;
  std::sort(rows.begin(), rows.end(), [](const ToolkitDriver& a, const ToolkitDriver& b) {
    return std::pair(a.cuda, a.update) < std::pair(b.cuda, b.update);
  });
  for (std::size_t i = 1; i < rows.size(); ++i)
    EXPECT_LE(rows[i - 1].native_driver, rows[i].native_driver)
        << rows[i - 1].release << ", " << rows[i].release;
  for (const MinimumDriver& row : tables().minimum_drivers) {
    const ToolkitDriver* const first = tables().native_driver(Version({row.cuda_major, 1}));
    ASSERT_NE(first, nullptr) << row.cuda_major;
    EXPECT_LE(row.driver, first->native_driver) << row.cuda_major;
  }
}

TEST(Consistency, NoTableNamesADriverNewerThanTheNewestOfItsBranch) {
  const Tables& t = tables();
  const auto expect = [&](const std::string& table, const std::optional<Version>& driver) {
    if (!driver) return;
    const auto row = std::find_if(t.driver_branches.begin(), t.driver_branches.end(),
                                  [&](const DriverBranch& one) { return one.branch == driver->major(); });
    if (row == t.driver_branches.end() || !row->latest) return;
    EXPECT_LE(*driver, *row->latest) << table << ", R" << row->branch;
  };
  for (const ToolkitDriver& row : t.toolkit_drivers) expect("toolkit_drivers", row.native_driver);
  for (const MinimumDriver& row : t.minimum_drivers) expect("minimum_drivers", row.driver);
  for (const Architecture& row : t.architectures) expect("architectures", row.first_driver);
  for (const CudnnSupport& row : t.cudnn) expect("cudnn", row.driver);
  for (const KernelSupport& row : t.kernels) expect("kernels", row.driver);
  for (const auto& row : t.gpu_listings)
    for (const Version& driver : row.listed) expect("gpu_listings", driver);
  for (const KnownIssue& row : t.known_issues)
    if (row.layer == "driver") {
      expect("known_issues", row.versions.most);
      expect("known_issues", row.fixed);
    }
}

TEST(Consistency, ABranchsNewestCudaCameWithADriverOfIt) {
  for (const DriverBranch& row : tables().driver_branches) {
    if (row.latest) {
      EXPECT_EQ(row.latest->major(), row.branch);
    }
    EXPECT_TRUE(row.latest || row.latest_date.empty()) << row.branch;
    EXPECT_TRUE(row.ended || !row.end_of_life.empty()) << row.branch;
    if (row.cuda_max) {
      EXPECT_EQ(tables().native_driver(*row.cuda_max)->native_driver.major(), row.branch);
    }
  }
}

TEST(Consistency, DatesAreDates) {
  const auto is_date = [](const std::string& text) {
    if (text.size() != 7 && text.size() != 10) return false;
    for (std::size_t i = 0; i < text.size(); ++i)
      if (i == 4 || i == 7 ? text[i] != '-' : text[i] < '0' || text[i] > '9') return false;
    const int month = std::stoi(text.substr(5, 2));
    return text.starts_with("20") && month >= 1 && month <= 12;
  };
  const std::set<std::string> kinds{"", "long-term support", "production", "new feature", "legacy"};
  for (const DriverBranch& row : tables().driver_branches) {
    if (!row.end_of_life.empty()) {
      EXPECT_TRUE(is_date(row.end_of_life)) << row.branch;
    }
    if (!row.latest_date.empty()) {
      EXPECT_TRUE(is_date(row.latest_date)) << row.branch;
    }
    EXPECT_TRUE(kinds.contains(row.kind)) << row.kind;
  }
}

TEST(Consistency, EveryComputeCapabilityIsKnown) {
  for (const char* const text : {"5.0", "5.2", "5.3", "6.0", "6.1", "6.2", "7.0", "7.2", "7.5", "8.0", "8.6",
                                 "8.7", "8.9", "9.0", "10.0", "10.3", "11.0", "12.0", "12.1"})
    EXPECT_NE(tables().architecture(*Version::parse(text)), nullptr) << text;
  const auto expect = [](const std::string& who, const std::vector<Version>& capabilities) {
    EXPECT_TRUE(std::is_sorted(capabilities.begin(), capabilities.end())) << who;
    for (const Version& capability : capabilities)
      EXPECT_NE(tables().architecture(capability), nullptr) << who << ": " << capability.text();
  };
  for (const CudnnSupport& row : tables().cudnn) expect(row.cudnn.text(), row.compute_capabilities);
  for (const FrameworkBuild& row : tables().frameworks) {
    expect(row.framework, row.compute_capabilities);
    for (const FrameworkWheel& wheel : row.wheels) expect(row.framework, wheel.compute_capabilities);
  }
  for (const Architecture& row : tables().architectures)
    if (row.last_driver_branch) {
      EXPECT_NE(tables().branch(Version({*row.last_driver_branch})), nullptr) << row.name;
    }
}

TEST(Consistency, AWheelForAGpuIsBuiltByAToolkitThatKnowsIt) {
  for (const FrameworkBuild& row : tables().frameworks)
    for (const FrameworkWheel& wheel : row.wheels)
      for (const Version& capability : wheel.compute_capabilities) {
        const Architecture* const architecture = tables().architecture(capability);
        ASSERT_NE(architecture, nullptr);
        EXPECT_TRUE((VersionRange{architecture->first_cuda, architecture->last_cuda}).contains(wheel.cuda))
            << row.framework << " " << row.version.text() << " CUDA " << wheel.cuda.text() << " "
            << capability.text();
      }
}

TEST(Consistency, HostCompilersOfOneKindDoNotOverlap) {
  for (const HostCompiler& a : tables().host_compilers)
    for (const HostCompiler& b : tables().host_compilers)
      if (&a != &b && a.compiler == b.compiler) {
        EXPECT_FALSE(a.cuda.contains(*b.cuda.least)) << a.cuda.text() << ", " << b.cuda.text();
      }
}

TEST(Consistency, NamesAgreeWithTheGroundFloors) {
  for (int code = 0; code < 1000; ++code) {
    const auto known = result::explain_cuda_error(code);
    if (!known) continue;
    const ErrorCode* const row = tables().error("runtime", code);
    ASSERT_NE(row, nullptr) << code;
    EXPECT_EQ(row->name, known->name);
    EXPECT_FALSE(row->meaning.empty()) << code;
  }
}

TEST(Consistency, TheHeadersCodesAreAllNamed) {
  std::map<std::string, int> count;
  for (const ErrorCode& row : tables().error_codes) ++count[row.api];
  EXPECT_EQ(count, (std::map<std::string, int>{{"runtime", 134}, {"driver", 101}, {"nvml", 32}}));
  EXPECT_EQ(tables().error("runtime", 0)->name, "cudaSuccess");
  EXPECT_EQ(tables().error("driver", 916)->name, "CUDA_ERROR_KEY_ROTATION");
  EXPECT_EQ(tables().error("nvml", 30)->name, "NVML_ERROR_RESET_TYPE_NOT_SUPPORTED");
}

TEST(Consistency, WhatUsersMeetIsExplained) {
  const auto expect = [](const char* api, int code) {
    const ErrorCode* const row = tables().error(api, code);
    ASSERT_NE(row, nullptr) << api << " " << code;
    EXPECT_TRUE(row->meaning.ends_with('.')) << api << " " << code;
    EXPECT_FALSE(row->causes.empty()) << api << " " << code;
    EXPECT_FALSE(row->next.empty()) << api << " " << code;
  };
  for (const int code : {2,   3,   34,  35,  36,  46,  98,  100, 101, 103, 200, 201, 209, 214, 217, 220, 221,
                         222, 223, 225, 226, 304, 700, 702, 704, 711, 719, 800, 801, 802, 803, 804, 805, 999})
    expect("runtime", code);
  for (const int code : {2, 46, 100, 101, 209, 222, 304, 700, 702, 719, 802, 803, 804, 999})
    expect("driver", code);
  for (const int code : {4, 9, 12, 15, 18, 19}) expect("nvml", code);
}

TEST(Consistency, SentencesEndWithAStopAndCausesWithout) {
  for (const KnownIssue& row : tables().known_issues) EXPECT_TRUE(row.issue.ends_with('.')) << row.issue;
  for (const StatedRule& row : tables().rules) EXPECT_TRUE(row.rule.ends_with('.')) << row.rule;
  for (const FrameworkBuild& row : tables().frameworks)
    if (!row.note.empty()) {
      EXPECT_TRUE(row.note.ends_with('.')) << row.note;
    }
  for (const ErrorCode& row : tables().error_codes)
    for (const std::string& cause : row.causes) EXPECT_FALSE(cause.ends_with('.')) << cause;
}

}  // namespace
}  // namespace gpugauge::stack
