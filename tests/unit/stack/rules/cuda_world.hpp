// A small world for the tests of CUDA's rules and of plans: tables of a few rows, and inventories that hold
// what a test names and nothing else.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "stack/compat/tables.hpp"
#include "stack/inventory/inventory.hpp"

namespace gpugauge::stack::world {

inline Version v(const char* text) {
  return Version::parse(text).value();
}

inline std::vector<Version> all(std::initializer_list<const char*> texts) {
  std::vector<Version> versions;
  for (const char* text : texts) versions.push_back(v(text));
  return versions;
}

inline VersionRange between(const char* least, const char* most) {
  VersionRange range;
  if (*least != '\0') range.least = v(least);
  if (*most != '\0') range.most = v(most);
  return range;
}

inline Tables tables() {
  const Source read{"vendor's page", true};
  const Source unsure{"hearsay", false};
  Tables t;
  t.toolkit_drivers = {
      {v("10.2"), 0, "10.2", v("440.33"), read},    {v("11.0"), 0, "11.0", v("450.51.06"), read},
      {v("11.8"), 0, "11.8", v("520.61.05"), read}, {v("12.0"), 0, "12.0", v("525.60.13"), read},
      {v("12.2"), 0, "12.2", v("535.54.03"), read}, {v("12.4"), 0, "12.4", v("550.54.14"), read},
      {v("12.8"), 0, "12.8", v("570.26"), read},    {v("12.8"), 1, "12.8 Update 1", v("570.124.06"), read},
      {v("13.0"), 0, "13.0", v("580.65.06"), read}, {v("13.3"), 0, "13.3", v("610.43.02"), read},
  };
  t.minimum_drivers = {{11, v("450.80.02"), read}, {12, v("525.60.13"), read}, {13, v("580"), read}};
  t.architectures = {
      {"Volta", v("7.0"), v("9.0"), v("12"), 580, std::nullopt, read},
      {"Turing", v("7.5"), v("10.0"), std::nullopt, std::nullopt, std::nullopt, read},
      {"Ampere", v("8.0"), v("11.0"), std::nullopt, std::nullopt, std::nullopt, read},
      {"Ada", v("8.9"), v("11.8"), std::nullopt, std::nullopt, std::nullopt, read},
      {"Hopper", v("9.0"), v("11.8"), std::nullopt, std::nullopt, std::nullopt, read},
      {"Blackwell", v("10.0"), v("12.8"), std::nullopt, std::nullopt, v("570.26"), read},
      {"Blackwell", v("12.0"), v("12.8"), std::nullopt, std::nullopt, v("570.26"), unsure},
  };
  t.gpu_listings = {
      {{"V100"}, v("7.0"), {v("390.48")}, std::nullopt, read},
      {{"T4"}, v("7.5"), {v("410.78")}, std::nullopt, read},
      {{"A100"}, v("8.0"), {v("450.51.05")}, std::nullopt, read},
      {{"L4", "GeForce RTX 4090"}, v("8.9"), {v("525.105.17"), v("530.41.03")}, std::nullopt, read},
      {{"H100"}, v("9.0"), {v("520.61.05")}, std::nullopt, read},
      {{"B200"}, v("10.0"), {v("570.26")}, std::nullopt, read},
      {{"GeForce RTX 5090"}, v("12.0"), {v("570.86.16")}, std::nullopt, read}};
  const auto old_gpus = all({"5.0", "6.0", "7.0", "7.5", "8.0", "8.6", "8.9", "9.0"});
  const auto new_gpus = all({"7.5", "8.0", "8.6", "8.9", "9.0", "10.0", "12.0"});
  t.cudnn = {
      {v("9.17.0"), 13, all({"13.0", "13.1"}), v("580.65.06"), new_gpus, read},
      {v("9.17.0"), 12, all({"12.0", "12.8", "12.9"}), v("525.60.13"), new_gpus, read},
      {v("9.5.1"), 12, all({"12.0", "12.4", "12.6"}), v("525.60.13"), old_gpus, read},
      {v("8.9.6"), 12, all({"12.0", "12.2"}), v("525.60.13"), old_gpus, unsure},
  };
  t.nccl = {{between("2.27", ""), 12, 13, read},
            {between("2.22", "2.26"), 12, 12, read},
            {between("2.16", "2.21"), 11, 12, read}};
  t.known_issues = {
      {"nccl", between("", "2.22.3"), "GPUDirect stays off on newer kernels", v("2.23.4"), read},
      {"torch", between("2.12.1", "2.12.1"), "one part of cuDNN is missing", std::nullopt, read}};
  t.host_compilers = {{"gcc", between("12.0", "12.3"), v("12"), read, v("6")},
                      {"gcc", between("12.4", "12.6"), v("13"), read, v("6")},
                      {"gcc", between("12.8", "12.9"), v("14"), read, v("6")},
                      {"gcc", between("13.0", "13.3"), v("15"), read, v("6")}};
  FrameworkBuild torch{"torch",
                       v("2.8"),
                       all({"12.6", "12.8", "12.9"}),
                       v("9.10.2.21"),
                       std::nullopt,
                       "3.9-3.13",
                       all({"5.0", "6.0", "7.0", "7.5", "8.0", "8.6", "9.0", "10.0", "12.0"}),
                       "",
                       read};
  torch.wheels = {
      {v("12.6"), v("9.10.2.21"), std::nullopt, old_gpus},
      {v("12.8"), v("9.10.2.21"), v("2.27.3"), all({"7.0", "7.5", "8.0", "8.6", "9.0", "10.0", "12.0"})}};
  FrameworkBuild tensorflow{"tensorflow", v("2.20.0"), all({"12.5"}), v("9.3"), std::nullopt, "3.9-3.13",
                            {},           "",          read};
  FrameworkBuild hearsay{"jax", v("0.9"), all({"12"}), v("9.8"), std::nullopt, "", {}, "", unsure};
  t.frameworks = {torch, tensorflow, hearsay};
  t.systems = {{"debian 11", between("", "12.9"), "Not listed for CUDA 13.0.", read},
               {"ubuntu 24.04", between("", ""), "", read},
               {"arch 1", between("", "11.0"), "", unsure}};
  return t;
}

using Facts = std::initializer_list<std::pair<const char*, const char*>>;

inline void put(Inventory& inventory, Facts facts) {
  for (const auto& [key, value] : facts) inventory.present(key, value, "test");
}

inline Inventory holding(Facts facts) {
  Inventory inventory;
  put(inventory, facts);
  return inventory;
}

/// A working driver 535 (CUDA up to 12.2) with one H100.
inline Inventory old_driver() {
  return holding({{"driver.version", "535.104.05"},
                  {"driver.kernel_module_version", "535.104.05"},
                  {"driver.cuda_max", "12.2"},
                  {"cuda.init.code", "0"},
                  {"cuda.devices", "1"},
                  {"gpu.0.name", "NVIDIA H100 80GB HBM3"},
                  {"gpu.0.compute_capability", "9.0"}});
}

/// A working driver 580 (CUDA up to 13.0) with one H100.
inline Inventory new_driver() {
  return holding({{"driver.version", "580.95.05"},
                  {"driver.kernel_module_version", "580.95.05"},
                  {"driver.cuda_max", "13.0"},
                  {"cuda.init.code", "0"},
                  {"cuda.devices", "1"},
                  {"gpu.0.name", "NVIDIA H100 80GB HBM3"},
                  {"gpu.0.compute_capability", "9.0"}});
}

/// A toolkit under that path, selected.
inline void put_toolkit(Inventory& inventory, const std::string& version, int index = 0) {
  const std::string key = "toolkit." + std::to_string(index);
  const std::string path = "/usr/local/cuda-" + version;
  inventory.present(key + ".path", path, path);
  inventory.present(key + ".version", version, path + "/version.json");
  inventory.present(key + ".nvcc", version, path + "/include/cuda.h");
  inventory.present("toolkit.selected", path, "environment");
  inventory.present("toolkit.selected_by", "CUDA_HOME", "environment");
}

inline void put_library(Inventory& inventory, const std::string& name, int index, const std::string& path,
                        const std::string& version, const std::string& soname, const std::string& origin) {
  const std::string key = "library." + name + "." + std::to_string(index);
  inventory.present(key + ".path", path, path);
  if (!version.empty()) inventory.present(key + ".version", version, path, "file name");
  inventory.present(key + ".soname", soname, path);
  inventory.present(key + ".origin", origin, path);
}

}  // namespace gpugauge::stack::world
