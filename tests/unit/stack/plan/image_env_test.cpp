#include "stack/plan/image_env.hpp"

#include <gmock/gmock.h>

#include "result/error.hpp"
#include "unit/stack/rules/cuda_world.hpp"

namespace gpugauge::stack {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using world::v;

std::string environment_fault(const std::string& text) {
  try {
    read_image_environment(text, "image.env");
  } catch (const result::FormatError& error) {
    return error.what();
  }
  return "";
}

TEST(ImageEnvironment, IsReadFromLines) {
  const ImageEnvironment image = read_image_environment(
      "# comment\nPATH=/usr/bin\n\nexport CUDA_VERSION=12.8.1\r\nENV NV_CUDNN_VERSION=\"9.7.1\"\n"
      "LABEL com.nvidia.nccl.version='2.25'\nNVIDIA_REQUIRE_CUDA=cuda>=12.8 "
      "brand=tesla,driver>=535,driver<536\n"
      "image=nvcr.io/x/y:latest\nEMPTY=\n",
      "image.env");
  EXPECT_EQ(image.variables.at("CUDA_VERSION"), "12.8.1");
  EXPECT_EQ(image.variables.at("NV_CUDNN_VERSION"), "9.7.1");
  EXPECT_EQ(image.variables.at("NVIDIA_REQUIRE_CUDA"), "cuda>=12.8 brand=tesla,driver>=535,driver<536");
  EXPECT_EQ(image.variables.at("EMPTY"), "");
  EXPECT_EQ(image.labels, (std::map<std::string, std::string>{{"com.nvidia.nccl.version", "2.25"}}));
  EXPECT_THAT(image.tags, ElementsAre("nvcr.io/x/y:latest"));
}

TEST(ImageEnvironment, IsReadFromDockerInspect) {
  const ImageEnvironment image = read_image_environment(
      R"([{"RepoTags": ["a:1.2"], "RepoDigests": ["a@sha256:00"],
           "Config": {"Env": ["CUDA_VERSION=12.8.1", "X=a=b"], "Labels": {"l": "1"}, "Cmd": null}}])",
      "x");
  EXPECT_EQ(image.variables, (std::map<std::string, std::string>{{"CUDA_VERSION", "12.8.1"}, {"X", "a=b"}}));
  EXPECT_EQ(image.labels, (std::map<std::string, std::string>{{"l", "1"}}));
  EXPECT_THAT(image.tags, ElementsAre("a:1.2"));
  EXPECT_THAT(image.digests, ElementsAre("a@sha256:00"));
  EXPECT_EQ(read_image_environment(R"({"config": {"Env": ["A=1"]}})", "x").variables.at("A"), "1");
  EXPECT_EQ(read_image_environment(R"({"com.nvidia.cudnn.version": "9"})", "x").labels.size(), 1U);
}

TEST(ImageEnvironment, EachBadTextHasItsSentence) {
  EXPECT_THAT(environment_fault(""), HasSubstr("the file is empty"));
  EXPECT_EQ(environment_fault("A=1\nrubbish\n"), "image.env: line 2: no NAME=value");
  EXPECT_EQ(environment_fault("1A=1"), "image.env: line 1: no NAME=value");
  EXPECT_EQ(environment_fault(std::string("A=1\0", 4)), "image.env: not a text file");
  EXPECT_EQ(environment_fault("# only this"), "image.env: holds no variable and no label");
  EXPECT_THAT(environment_fault("[{}, {}]"), HasSubstr("holds 2 images"));
  EXPECT_THAT(environment_fault("[1]"), HasSubstr("should be what docker inspect prints"));
  EXPECT_THAT(environment_fault(R"({"Config": {"Env": "A=1"}})"),
              HasSubstr("should be a list of NAME=value"));
  EXPECT_THAT(environment_fault(R"({"Config": {"Env": ["A"]}})"),
              HasSubstr("Config.Env[0]: is no NAME=value"));
  EXPECT_THAT(environment_fault(R"({"Config": {"Env": [1]}})"), HasSubstr("should be text"));
  EXPECT_THAT(environment_fault(R"({"Config": {"Env": ["A=1"])"), HasSubstr("truncated"));
  EXPECT_THAT(environment_fault(std::string(100000, '[')), HasSubstr("nested deeper"));
  EXPECT_THAT(environment_fault(std::string(max_image_text + 1, 'A')), HasSubstr("too many"));
}

TEST(Require, IsParsed) {
  const auto expression = parse_require("cuda>=12.6 brand=tesla,driver>=535,driver<536");
  ASSERT_TRUE(expression);
  EXPECT_EQ(*expression,
            (RequireExpression{{{"cuda", ">=", "12.6"}},
                               {{"brand", "=", "tesla"}, {"driver", ">=", "535"}, {"driver", "<", "536"}}}));
  for (const char* bad :
       {"", "   ", "cuda", "cuda>", ">=12", "cuda>=12,", "gpu>=1", "cuda>>12", "cuda=>12", ",,"})
    EXPECT_FALSE(parse_require(bad)) << bad;
  std::string many;
  for (int i = 0; i < 2000; ++i) many += "cuda>=1 ";
  EXPECT_FALSE(parse_require(many));
}

std::optional<bool> met(const char* text, const RequireHost& host) {
  return holds(*parse_require(text), host);
}

TEST(Require, IsComparedWithTheHost) {
  const RequireHost host{v("12.2"), v("535.104.05"), v("9.0"), "tesla"};
  EXPECT_EQ(met("cuda>=12.2", host), true);
  EXPECT_EQ(met("cuda>=12.6", host), false);
  EXPECT_EQ(met("cuda>=12.6 brand=tesla,driver>=535,driver<536", host), true);
  EXPECT_EQ(met("cuda>=12.6 brand=geforce,driver>=535,driver<536", host), false);
  EXPECT_EQ(met("driver=535.104.05", host), true);
  EXPECT_EQ(met("driver!=535.104.05", host), false);
  EXPECT_EQ(met("driver<=535.104.05,arch>9.0", host), false);
  EXPECT_EQ(met("arch>=8.0", host), true);
  EXPECT_EQ(met("brand!=geforce", host), true);
  EXPECT_EQ(met("cuda>=12.6", RequireHost{}), std::nullopt);
  EXPECT_EQ(met("cuda>=12.6 driver>=535", RequireHost{std::nullopt, v("535"), std::nullopt, ""}), true);
  EXPECT_EQ(met("brand=tesla,driver>=560", RequireHost{std::nullopt, v("535"), std::nullopt, ""}), false)
      << "one condition that fails decides";
  EXPECT_EQ(met("cuda>=x", host), std::nullopt);
}

std::vector<std::string> causes(const ImageReport& report) {
  std::vector<std::string> names;
  for (const Finding& finding : report.findings)
    names.push_back(std::string(to_string(finding.severity)) + " " + finding.cause);
  return names;
}

ImageReport judged(const std::string& lines, const Inventory& host) {
  return judge_image(read_image_environment(lines, "x"), host, world::tables());
}

Inventory branded(Inventory host, const char* brand) {
  host.present("gpu.0.brand", brand, "nvml");
  return host;
}

TEST(JudgeImage, AFittingImageHasNoFindings) {
  const ImageReport report = judged(
      "CUDA_VERSION=12.8.1\nNV_CUDNN_VERSION=9.17.0\nNVIDIA_REQUIRE_CUDA=cuda>=12.8\nNVIDIA_VISIBLE_DEVICES="
      "all\n"
      "NVIDIA_DRIVER_CAPABILITIES=compute,utility\nimage=nvidia/cuda:12.8.1-cudnn-runtime-ubuntu24.04\n",
      world::new_driver());
  EXPECT_THAT(causes(report), IsEmpty());
  EXPECT_EQ(report.outcome, Fit::works);
  EXPECT_EQ(report.sentence, "This image runs on this host, as far as its environment tells.");
  EXPECT_EQ(report.facts.at("cuda"), "12.8.1");
  EXPECT_EQ(report.facts.at("cudnn"), "9.17.0");
}

TEST(JudgeImage, AnImageNewerThanTheDriverDoesNotStart) {
  const ImageReport report =
      judged("CUDA_VERSION=13.0.0\nNVIDIA_REQUIRE_CUDA=cuda>=13.0\n", branded(world::old_driver(), "NVIDIA"));
  EXPECT_THAT(causes(report),
              ElementsAre("failure image_requirement_refused", "failure image_newer_than_driver"));
  EXPECT_EQ(report.outcome, Fit::fails);
  EXPECT_EQ(report.sentence, "This image does not run on this host.");
  EXPECT_THAT(report.findings[0].evidence,
              ElementsAre("NVIDIA_REQUIRE_CUDA=cuda>=13.0",
                          "this host: cuda=12.2 driver=535.104.05 arch=9.0 brand=nvidia"));
}

TEST(JudgeImage, ANewerMinorVersionRunsWithLimits) {
  const ImageReport report = judged("CUDA_VERSION=12.8.1\n", world::old_driver());
  EXPECT_THAT(causes(report), ElementsAre("warning image_newer_than_driver"));
  EXPECT_EQ(report.outcome, Fit::limited);
}

TEST(JudgeImage, ForwardCompatibilityIsForDataCentres) {
  const std::string image =
      "CUDA_VERSION=13.0.0\nNVIDIA_REQUIRE_CUDA=cuda>=13.0 brand=nvidia,driver>=535,driver<536 "
      "brand=geforce,driver>=535,driver<536\n";
  const ImageReport centre = judged(image, branded(world::old_driver(), "NVIDIA"));
  EXPECT_THAT(causes(centre), ElementsAre("warning image_needs_forward_compatibility"));
  EXPECT_EQ(centre.outcome, Fit::limited);
  Inventory geforce = branded(world::old_driver(), "GeForce");
  geforce.present("gpu.0.name", "NVIDIA GeForce RTX 4090", "nvml");
  geforce.present("gpu.0.compute_capability", "8.9", "nvml");
  const ImageReport desktop = judged(image, geforce);
  EXPECT_THAT(causes(desktop), ElementsAre("failure image_newer_than_driver"));
  EXPECT_THAT(desktop.findings[0].considered.at(0), HasSubstr("804"));
}

TEST(JudgeImage, ARequirementThatNamesNoBranchSaysNothingOfForwardCompatibility) {
  for (const char* const require :
       {"cuda>=9.0", "cuda>=12.0 brand=nvidia,driver>=550,driver<551", "driver>=535", "brand=nvidia", ""}) {
    const ImageReport report =
        judged("CUDA_VERSION=13.0.1\nNVIDIA_REQUIRE_CUDA=" + std::string(require) + "\n",
               branded(world::old_driver(), "NVIDIA"));
    EXPECT_THAT(causes(report), ElementsAre("failure image_newer_than_driver")) << require;
    EXPECT_EQ(report.outcome, Fit::fails);
    EXPECT_THAT(report.findings.at(0).considered,
                ElementsAre("a package cuda-compat-13-0 in the image, with which it would run on this "
                            "data-centre GPU: nothing in its environment says that it carries one"));
    EXPECT_THAT(report.findings.at(0).next,
                testing::Contains("see whether the image holds a folder cuda/compat"));
  }
  const ImageReport named =
      judged("CUDA_VERSION=13.0.1\nNVIDIA_REQUIRE_CUDA=cuda>=9.0 brand=nvidia,driver>=535,driver<536\n",
             branded(world::old_driver(), "NVIDIA"));
  EXPECT_THAT(causes(named), ElementsAre("warning image_needs_forward_compatibility"))
      << "one alternative that names it is enough";
}

TEST(JudgeImage, ASwitchedOffRequirementIsAWarning) {
  const ImageReport report = judged(
      "CUDA_VERSION=12.2.0\nNVIDIA_REQUIRE_CUDA=cuda>=12.9\nNVIDIA_DISABLE_REQUIRE=1\n", world::old_driver());
  EXPECT_THAT(causes(report), ElementsAre("warning image_requirement_refused"));
}

TEST(JudgeImage, WhatIsMissingIsNamed) {
  const ImageReport report = judged(
      "CUDA_VERSION=12.2.0\nNVIDIA_DRIVER_CAPABILITIES=utility,graphics\nNVIDIA_VISIBLE_DEVICES=void\n"
      "NVIDIA_REQUIRE_CUDA=nonsense\n",
      world::old_driver());
  EXPECT_THAT(causes(report), ElementsAre("note image_requirement_unread", "failure image_without_compute",
                                          "warning image_hides_gpus"));
  EXPECT_THAT(causes(judged("CUDA_VERSION=12.2.0\nNVIDIA_DRIVER_CAPABILITIES=all\n", world::old_driver())),
              IsEmpty());
}

TEST(JudgeImage, AMovingTagIsNamedAndChangesNothingToday) {
  for (const char* name : {"nvidia/cuda", "nvidia/cuda:latest", "registry:5000/cuda", "x/y:nightly"}) {
    const ImageReport report =
        judged("CUDA_VERSION=12.2.0\nimage=" + std::string(name) + "\n", world::old_driver());
    EXPECT_THAT(causes(report), ElementsAre("warning image_floating_tag")) << name;
    EXPECT_EQ(report.outcome, Fit::works);
  }
  EXPECT_THAT(causes(judged("CUDA_VERSION=12.2.0\nimage=x/y:latest@sha256:abc\n", world::old_driver())),
              IsEmpty());
}

TEST(JudgeImage, AnUnsupportedGpuIsNamed) {
  Inventory host = world::new_driver();
  host.present("gpu.0.name", "Tesla V100-SXM2-16GB", "nvml");
  host.present("gpu.0.compute_capability", "7.0", "nvml");
  const ImageReport report = judged("CUDA_VERSION=13.0.1\n", host);
  EXPECT_THAT(causes(report), ElementsAre("failure image_not_for_gpu"));
}

TEST(JudgeImage, CodeOfAnOlderGpuOfItsFamilyIsANote) {
  Inventory host = world::new_driver();
  host.present("gpu.0.name", "NVIDIA L40S", "nvml");
  host.present("gpu.0.compute_capability", "8.9", "nvml");
  const ImageReport report = judged("CUDA_VERSION=11.4.3\n", host);
  EXPECT_THAT(causes(report), ElementsAre("note image_not_for_gpu"));
  EXPECT_EQ(report.outcome, Fit::works);
}

TEST(JudgeImage, WithoutDriverOrCudaItIsUnknown) {
  EXPECT_EQ(judged("CUDA_VERSION=12.2.0\n", Inventory{}).outcome, Fit::unknown);
  EXPECT_EQ(judged("CUDA_VERSION=12.2.0\n", Inventory{}).sentence,
            "Whether this image runs is unknown: no driver was found on this host.");
  EXPECT_THAT(judged("PATH=/bin\n", world::new_driver()).sentence,
              HasSubstr("nothing in its environment says"));
}

}  // namespace
}  // namespace gpugauge::stack
