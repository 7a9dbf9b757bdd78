// Places for baselines in a folder of their own, for one test.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>

#include <gtest/gtest.h>

#include "baseline/baseline.hpp"
#include "folder.hpp"
#include "result/file.hpp"

namespace gpugauge::baseline {

/// Sets or clears a variable for one test.
class Variable {
 public:
  Variable(const char* name, const std::optional<std::string>& value) : name_(name) {
    if (const char* before = std::getenv(name)) before_ = before;
    set(value);
  }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;
  ~Variable() { set(before_); }

 private:
  void set(const std::optional<std::string>& value) const {
    value ? ::setenv(name_, value->c_str(), 1) : ::unsetenv(name_);
  }
  const char* name_;
  std::optional<std::string> before_;
};

class Select : public testing::Test {
 protected:
  TemporaryFolder temporary;
  Variable state{"GPUGAUGE_STATE", (temporary.path() / "state").string()};
  Variable shipped{"GPUGAUGE_BASELINES", (temporary.path() / "shipped").string()};

  /// Pins one run, changed by `apply`, and returns its folder.
  template <typename Function>
  std::filesystem::path pin(const std::filesystem::path& place, const Function& apply,
                            const std::string& created = "") {
    result::Run run = make_run(0);
    apply(run);
    std::filesystem::path folder = temporary.path() / place;
    Manifest manifest = create(folder, place.filename().string(), {run}).manifest;
    if (!created.empty()) {
      manifest.created = created;
      result::write_file(folder / "baseline.json", to_json(manifest));
    }
    return folder;
  }
  std::filesystem::path pin(const std::filesystem::path& place) {
    return pin(place, [](result::Run&) {});
  }
  static result::Fingerprint now() { return make_run(5).fingerprint; }
};

}  // namespace gpugauge::baseline
