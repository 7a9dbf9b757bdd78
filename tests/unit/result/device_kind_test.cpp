// The kinds of devices and their words.
#include "result/device_kind.hpp"

#include <gtest/gtest.h>

namespace gpugauge::result {
namespace {

TEST(DeviceKind, EachHasItsRow) {
  for (std::size_t i = 0; i < device_words.size(); ++i)
    EXPECT_EQ(static_cast<std::size_t>(device_words[i].kind), i) << device_words[i].word;
  EXPECT_EQ(to_string(DeviceKind::host), "host");
  EXPECT_EQ(to_string(DeviceKind::gpu), "gpu");
  EXPECT_EQ(to_string(DeviceKind::links), "links");
  EXPECT_EQ(in_words(DeviceKind::host), "the host");
  EXPECT_EQ(in_words(DeviceKind::gpu), "a GPU");
  EXPECT_EQ(in_words(DeviceKind::links), "the links between GPUs");
}

TEST(DeviceKind, WhatIsNeitherHostNorLinksIsAGpu) {
  EXPECT_EQ(device_kind("host"), DeviceKind::host);
  EXPECT_EQ(device_kind("links"), DeviceKind::links);
  for (const char* const device :
       {"GPU-11111111-2222-3333-4444-555555555555", "MIG-11111111-2222-3333-4444-555555555555", "Host", ""})
    EXPECT_EQ(device_kind(device), DeviceKind::gpu) << device;
  EXPECT_TRUE(is_host("host"));
  EXPECT_FALSE(is_host("links"));
  EXPECT_TRUE(is_links("links"));
  EXPECT_FALSE(is_links("gpu"));
}

}  // namespace
}  // namespace gpugauge::result
