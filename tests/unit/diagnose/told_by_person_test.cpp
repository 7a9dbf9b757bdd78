// What a text tells beside its single lines: made-up sentences, commands and tables.
#include <gmock/gmock.h>

#include "diagnose/told/told.hpp"

namespace gpugauge::diagnose {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

TEST(ToldByPerson, SentencesAreWhatAPersonWrites) {
  EXPECT_THAT(
      sentences_of({"Training, two nodes", "It is slow on the new node. Nothing else was changed there.",
                    "step 100 loss 2.31 lr 0.001", "| 0  NVIDIA L4  Off | 00000000:61:00.0 Off |",
                    "2026-11-02 10:00:01 WARN the cache is slow on this node"}),
      ElementsAre("It is slow on the new node.", "Nothing else was changed there."));
  EXPECT_THAT(sentences_of({}), IsEmpty());
}

TEST(ToldByPerson, AComplaintIsAFigureOfTheApplication) {
  const auto of = [](const std::string& sentence) { return complaints_of({sentence}); };
  ASSERT_EQ(of("Since the upgrade the training is very slow.").size(), 1);
  EXPECT_EQ(of("Since the upgrade the training is very slow.").front().judged, "slower");
  ASSERT_EQ(of("With two GPUs the program hangs for ever.").size(), 1);
  EXPECT_TRUE(of("With two GPUs the program hangs for ever.").front().fails);
  EXPECT_EQ(of("The first call of the model takes long, two minutes.").front().scope.phase, "first_call");
  for (const char* const sentence :
       {"This may be slow on some of the machines.", "If it is slow, you can try another size.",
        "The training is not slow on the other node.", "The model is loaded on the GPU."})
    EXPECT_THAT(of(sentence), IsEmpty()) << sentence;
}

TEST(ToldByPerson, WhatIsOverOrExpectedIsNoComplaint) {
  for (const char* const sentence :
       {"The training takes 12 hours and the result is good.", "Since then the job is no longer slow.",
        "Everything is fast and nothing hangs.",
        "The deadlock in version 2.19 was fixed and it never hangs now.",
        "The first call is slow because of compilation and that is expected."})
    EXPECT_THAT(complaints_of({sentence}), IsEmpty()) << sentence;
  for (const char* const sentence : {"Setting NCCL_P2P_DISABLE=1 did not resolve the problem.",
                                     "We train with CUDA_LAUNCH_BLOCKING=0 and a fixed seed.",
                                     "A colleague said that --tensor-parallel-size=2 helps."})
    EXPECT_THAT(
        tried_of({sentence}),
        ::testing::Not(::testing::Contains(::testing::Field(&Probe::outcome, std::string("recovers")))))
        << sentence;
  EXPECT_THAT(variables_of({"# export CUDA_LAUNCH_BLOCKING=1"}), IsEmpty());
}

TEST(ToldByPerson, OneOfEachComplaintIsEnough) {
  EXPECT_EQ(complaints_of({"It is slow on the first node.", "It is slower on the second node.",
                           "In the end it hangs and must be killed.", "On the third node it hangs, too."})
                .size(),
            2);
}

TEST(ToldByPerson, WhatWasTriedHasAnOutcome) {
  const auto of = [](const std::string& sentence) {
    const std::vector<Probe> tried = tried_of({sentence});
    return tried.empty() ? std::string() : tried.front().outcome + " " + tried.front().detail;
  };
  EXPECT_EQ(of("Setting NCCL_P2P_DISABLE=1 NCCL_SHM_DISABLE=1 resolves the hang completely."),
            "recovers NCCL_P2P_DISABLE=1, NCCL_SHM_DISABLE=1");
  EXPECT_EQ(of("Setting TORCH_CUDA_ARCH=6.1 doesn't help."), "no_change TORCH_CUDA_ARCH=6.1");
  EXPECT_EQ(of("Without the --nv flag everything goes well."), "recovers --nv=off");
  EXPECT_EQ(of("After disabling IOMMU it works fine."), "recovers IOMMU=off");
  EXPECT_EQ(of("Launched with --privileged the same container works fine."), "recovers --privileged");
  for (const char* const sentence :
       {"You should try NCCL_P2P_DISABLE=1, which might help.", "Does NCCL_P2P_DISABLE=1 fix it?",
        "For debugging consider passing CUDA_LAUNCH_BLOCKING=1.", "We run it with NCCL_DEBUG=INFO."})
    EXPECT_EQ(of(sentence), "") << sentence;
}

TEST(ToldByPerson, VariablesThatALineSets) {
  EXPECT_THAT(
      variables_of({"export NCCL_DEBUG=info NCCL_IB_DISABLE=0", "ENV LD_LIBRARY_PATH=/usr/local/cuda/lib64",
                    "$ CUDA_VISIBLE_DEVICES=0 OMP_NUM_THREADS='4' python main.py -j 16",
                    "mpirun -np 64 -x TF_CUDNN_USE_AUTOTUNE=0 -x HOME=/x python train.py",
                    "node1:7:7 [0] NCCL INFO NCCL_ALGO set by environment to Ring."}),
      UnorderedElementsAre(Pair("NCCL_DEBUG", "info"), Pair("NCCL_IB_DISABLE", "0"),
                           Pair("LD_LIBRARY_PATH", "/usr/local/cuda/lib64"),
                           Pair("CUDA_VISIBLE_DEVICES", "0"), Pair("OMP_NUM_THREADS", "4"),
                           Pair("TF_CUDNN_USE_AUTOTUNE", "0"), Pair("NCCL_ALGO", "Ring")));
  EXPECT_THAT(variables_of({"For debugging consider passing CUDA_LAUNCH_BLOCKING=1", "loss=2.3",
                            "CUDA_HOME is not set", "if CUDA_VERSION==12:"}),
              IsEmpty());
}

TEST(ToldByPerson, MatricesOfTheTestOfPeers) {
  const TextLineList lines{"Unidirectional P2P=Disabled Bandwidth Matrix (GB/s)",
                           "   D\\D     0      1      2",
                           "     0 673.20  13.15  13.15",
                           "     1  12.99 673.20  22.20",
                           "     2  13.00  21.98 673.78",
                           "Unidirectional P2P=Enabled Bandwidth (P2P Writes) Matrix (GB/s)",
                           "   D\\D     0      1      2",
                           "     0 673.49   2.60   1.58",
                           "     1   2.12 672.33   1.70",
                           "     2   2.12   1.60 673.78"};
  const auto figure = peer_matrix_of(lines);
  ASSERT_TRUE(figure);
  EXPECT_EQ(figure->metric_class, "p2p");
  // The fourth of six values each: 13.15 and 2.12.
  EXPECT_DOUBLE_EQ(*figure->factor, 13.15 / 2.12);
  EXPECT_EQ(figure->note, "copies between GPUs: 2.12 GB/s with peer access, 13.2 GB/s without");
  // A text keeps a line that comes twice once: the second line of columns is missing.
  TextLineList once = lines;
  once.erase(once.begin() + 6);
  EXPECT_TRUE(peer_matrix_of(once));
  EXPECT_FALSE(peer_matrix_of({lines.begin(), lines.begin() + 5}));
  EXPECT_FALSE(peer_matrix_of({"Unidirectional P2P=Enabled Bandwidth Matrix (GB/s)", "no figures",
                               "Unidirectional P2P=Disabled Bandwidth Matrix (GB/s)"}));
}

TEST(ToldByPerson, AMatrixOfForeignTextIsReadOnce) {
  EXPECT_FALSE(peer_matrix_of({"P2P=Enabled Latency Matrix (us)", " GPU 0 1", " -5 2 3", " 1e300 2 3"}));
  const auto late = peer_matrix_of({"P2P=Enabled Latency (P2P Writes) Matrix (us)", "  GPU     0      1",
                                    "    0   4.95 49206.88", "    1 49206.62   2.08"});
  ASSERT_TRUE(late);
  EXPECT_TRUE(late->fails);
  TextLineList headings;
  for (int i = 0; i < 2000; ++i)
    headings.push_back("P2P=Enabled Latency Matrix GPU x y z " + std::to_string(i));
  EXPECT_FALSE(peer_matrix_of(headings));
}

TEST(ToldByPerson, TheOneModelThatIsNamed) {
  EXPECT_EQ(gpu_of({"It runs on a GTX 1650 of mine.", "| 0  NVIDIA GeForce GTX 1650  Off |"}),
            "GeForce GTX 1650");
  EXPECT_EQ(gpu_of({"Tesla T4 doesn't work since 0.9.3"}), "T4");
  EXPECT_EQ(gpu_of({"8x H100 in a node, and the A100 nodes are fine"}), "");
  EXPECT_EQ(gpu_of({"row T4 of the table, cell A2", "sm_90 and 9.0"}), "");
}

TEST(ToldByPerson, VersionsThatChanged) {
  const auto of = [](const std::string& sentence) {
    const auto changes = changes_of({sentence});
    if (changes.empty()) return std::string();
    const auto& [component, change] = *changes.begin();
    return component + " " + change.before.text() + " " + change.after.text();
  };
  EXPECT_EQ(of("The driver was upgraded from 535 to 550, and it is slow."), "driver 535 550");
  EXPECT_EQ(of("conv2d is 8 times slower in torch 2.5.1 compared to 2.3.1"), "framework 2.3.1 2.5.1");
  EXPECT_EQ(of("After moving from NCCL 2.18.3 to 2.21.5 all-reduce is slow."), "nccl 2.18.3 2.21.5");
  for (const char* const sentence :
       {"It went from 180 to 270 samples a second with CUDA.", "The driver is 550.54.14 and CUDA is 12.4.",
        "It is slower than on the other node.",
        "From NCCL 2.18.3 and driver 535 to NCCL 2.21.5 and driver 550"})
    EXPECT_EQ(of(sentence), "") << sentence;
}

TEST(ToldByPerson, WordsTellWhatWasTriedAndChanged) {
  Observation seen;
  read_words("All-reduce is slow since NCCL went from 2.18.3 to 2.21.5. Setting NCCL_ALGO=Ring fixes it.",
             seen);
  ASSERT_EQ(seen.probes.size(), 1);
  EXPECT_EQ(seen.probes.front().detail, "NCCL_ALGO=Ring");
  ASSERT_TRUE(seen.changed && seen.changed->contains("nccl"));
  EXPECT_TRUE(seen.metrics.empty());
}

TEST(ToldByPerson, BesideAnErrorAloneOnlyVariablesThatHideCount) {
  Observation seen;
  seen.log = {"CUDA_LAUNCH_BLOCKING=1 CUDA_VISIBLE_DEVICES=1 python train.py",
              "RuntimeError: CUDA error: device-side assert triggered"};
  read_log(seen);
  EXPECT_THAT(seen.environment, UnorderedElementsAre(Pair("CUDA_VISIBLE_DEVICES", "1")));
  seen.log.emplace_back("It is very slow on the new machine.");
  read_log(seen);
  EXPECT_TRUE(seen.environment.contains("CUDA_LAUNCH_BLOCKING"));
}

TEST(ToldByPerson, WhatTheObservationHasStays) {
  Observation seen;
  seen.about.gpu = "NVIDIA H100";
  seen.environment["NCCL_DEBUG"] = "WARN";
  seen.metrics.emplace_back();
  seen.log = {"The training is very slow on this A100 node.", "export NCCL_DEBUG=INFO"};
  read_log(seen);
  EXPECT_EQ(seen.about.gpu, "NVIDIA H100");
  EXPECT_EQ(seen.environment["NCCL_DEBUG"], "WARN");
  EXPECT_EQ(seen.metrics.size(), 1);
}

}  // namespace
}  // namespace gpugauge::diagnose
