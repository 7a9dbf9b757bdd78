#include "nccl/settings.hpp"

#include <cstdlib>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gpugauge::bench::nccl {
namespace {

using testing::ElementsAre;
using testing::Pair;
using testing::UnorderedElementsAre;

using Variables = std::map<std::string, std::string>;

Configuration configuration(const Variables& environment,
                            const std::vector<std::pair<std::string, std::string>>& files = {},
                            int nccl_version = 23007) {
  return {[environment](const char* name) -> std::optional<std::string> {
            const auto found = environment.find(name);
            return found == environment.end() ? std::nullopt : std::optional(found->second);
          },
          files, nccl_version};
}

result::Facts facts_of(const Configuration& from) {
  result::Facts facts;
  add_settings(from, facts);
  return facts;
}

TEST(ConfigurationFiles, are_those_of_the_version_in_its_order) {
  EXPECT_THAT(configuration_files(22809, "", "/root"), ElementsAre("/root/.nccl.conf", "/etc/nccl.conf"));
  EXPECT_THAT(configuration_files(22809, "/a.conf", "/root"), ElementsAre("/a.conf", "/etc/nccl.conf"));
  EXPECT_THAT(configuration_files(22304, "/a.conf", "/root"), ElementsAre("/a.conf", "/etc/nccl.conf"));
  EXPECT_THAT(configuration_files(22206, "/a.conf", "/root"),
              ElementsAre("/root/.nccl.conf", "/etc/nccl.conf"))
      << "an older one knows no NCCL_CONF_FILE";
  EXPECT_THAT(configuration_files(22809, "", ""), ElementsAre("/etc/nccl.conf"));
}

TEST(Configuration, the_environment_comes_before_the_files_and_the_first_line_before_the_next) {
  const Configuration found = configuration(
      {{"NCCL_ALGO", "Tree"}, {"NCCL_NTHREADS", ""}},
      {{"/user", "NCCL_ALGO=Ring\nNCCL_PROTO=LL\nNCCL_PROTO=Simple\nNCCL_NTHREADS=256\n"},
       {"/etc", "NCCL_PROTO=LL128\r\n#NCCL_NET=Socket\nno setting\nNCCL_BUFFSIZE=1024\r\nNCCL_NET==x"}});
  EXPECT_EQ(found.find("NCCL_ALGO")->value, "Tree");
  EXPECT_EQ(found.find("NCCL_ALGO")->file, "");
  EXPECT_EQ(found.find("NCCL_PROTO")->value, "LL");
  EXPECT_EQ(found.find("NCCL_PROTO")->file, "/user");
  EXPECT_EQ(found.find("NCCL_BUFFSIZE")->value, "1024");
  EXPECT_EQ(found.find("NCCL_NET")->value, "=x") << "the line without an end";
  EXPECT_FALSE(found.find("NCCL_NTHREADS")) << "set, but to nothing: the file does not come into it";
  EXPECT_FALSE(found.find("no setting"));
  EXPECT_FALSE(found.find("#NCCL_NET"));
}

TEST(Configuration, of_this_process_is_what_its_environment_said_at_first) {
  setenv("NCCL_ALGO", "Tree", 1);
  unsetenv("NCCL_OF_THIS_TEST");
  const Configuration found = configuration_here(22809);
  setenv("NCCL_ALGO", "Ring", 1);
  setenv("NCCL_OF_THIS_TEST", "LL", 1);
  EXPECT_EQ(found.find("NCCL_ALGO")->value, "Tree");
  EXPECT_FALSE(found.find("NCCL_OF_THIS_TEST"));
  unsetenv("NCCL_ALGO");
  unsetenv("NCCL_OF_THIS_TEST");
}

TEST(Settings, are_those_that_ranks_must_share) {
  const Configuration found = configuration({{"NCCL_ALGO", "Ring"}, {"NCCL_SHM_DISABLE", "1"}},
                                            {{"/etc/nccl.conf", "NCCL_PROTO=LL\n"}});
  EXPECT_THAT(facts_of(found),
              UnorderedElementsAre(Pair("setting.NCCL_ALGO", "ring"), Pair("setting.NCCL_PROTO", "ll"),
                                   Pair("from.NCCL_PROTO", "/etc/nccl.conf"),
                                   Pair("node_setting.NCCL_SHM_DISABLE", "1")));
  EXPECT_EQ(settings_text(found), "NCCL_ALGO=ring NCCL_PROTO=ll NCCL_SHM_DISABLE=1");
  EXPECT_EQ(settings_text(configuration({})), "none");
}

TEST(Settings, each_that_decides_what_a_collective_does_is_among_them) {
  for (const char* name :
       {"NCCL_ALGO", "NCCL_PROTO", "NCCL_MIN_NCHANNELS", "NCCL_MAX_NCHANNELS", "NCCL_MIN_CTAS",
        "NCCL_MAX_CTAS", "NCCL_BUFFSIZE", "NCCL_NTHREADS", "NCCL_NET_OVERHEAD", "NCCL_NVLS_CHUNKSIZE",
        "NCCL_NVLS_NCHANNELS", "NCCL_COLLNET_NODE_THRESHOLD", "NCCL_NET", "NCCL_IB_DISABLE",
        "NCCL_IB_QPS_PER_CONNECTION", "NCCL_NET_SHARED_COMMS", "NCCL_CUMEM_ENABLE"})
    EXPECT_THAT(facts_of(configuration({{name, "7"}})),
                UnorderedElementsAre(Pair(std::string("setting.") + name, "7")));
}

// The lowest of all ranks counts: nodes with and without NVSwitches can take part in one collective.
TEST(Settings, what_nccl_itself_agrees_on_is_told_and_not_compared) {
  const Configuration found = configuration({{"NCCL_NVLS_ENABLE", "0"}, {"NCCL_COLLNET_ENABLE", "1"}});
  EXPECT_THAT(facts_of(found), testing::IsEmpty());
  EXPECT_EQ(settings_text(found), "NCCL_COLLNET_ENABLE=1 NCCL_NVLS_ENABLE=0");
}

TEST(Settings, what_nccl_takes_anyway_is_as_good_as_not_set) {
  for (const auto& [name, value] : Variables{{"NCCL_IB_DISABLE", "0"},
                                             {"NCCL_SHM_DISABLE", "0"},
                                             {"NCCL_P2P_DISABLE", "0x0"},
                                             {"NCCL_NET_DISABLE_INTRA", "0"},
                                             {"NCCL_RUNTIME_CONNECT", "1"},
                                             {"NCCL_WIN_ENABLE", "1"},
                                             {"NCCL_IB_SPLIT_DATA_ON_QPS", "0"},
                                             {"NCCL_ALLOC_P2P_NET_LL_BUFFERS", "0"},
                                             {"NCCL_LL128_C2C", "1"},
                                             {"NCCL_IB_QPS_PER_CONNECTION", "1"},
                                             {"NCCL_PAT_ENABLE", "2"},
                                             {"NCCL_UNPACK_DOUBLE_NCHANNELS", "1"},
                                             {"NCCL_NET_SHARED_COMMS", "1"}})
    EXPECT_THAT(facts_of(configuration({{name, value}})), testing::IsEmpty()) << name;
  EXPECT_THAT(facts_of(configuration({{"NCCL_RUNTIME_CONNECT", "0"}})),
              UnorderedElementsAre(Pair("setting.NCCL_RUNTIME_CONNECT", "0")));
}

TEST(Settings, texts_that_mean_the_same_to_nccl_are_the_same) {
  const auto value_of = [](const std::string& name, const std::string& text) {
    return settings_text(configuration({{name, text}}));
  };
  for (const char* text : {"4194304", "0x400000", "020000000", "+4194304", " 4194304", "4194304 bytes"})
    EXPECT_EQ(value_of("NCCL_BUFFSIZE", text), "NCCL_BUFFSIZE=4194304") << text;
  EXPECT_EQ(value_of("NCCL_NTHREADS", "-1"), "NCCL_NTHREADS=-1");
  EXPECT_EQ(value_of("NCCL_NTHREADS", "many"), "NCCL_NTHREADS=0") << "as strtoll reads it";
  EXPECT_EQ(value_of("NCCL_NTHREADS", "99999999999999999999"), "none") << "NCCL takes its own then";
  for (const char* text : {"ring,tree", "Tree,Ring", "TREE,ring,", "tree,tree,ring"})
    EXPECT_EQ(value_of("NCCL_ALGO", text), "NCCL_ALGO=ring,tree") << text;
  EXPECT_EQ(value_of("NCCL_PROTO", "Simple,LL128,LL"), "NCCL_PROTO=ll,ll128,simple");
  for (const char* text : {"^tree,ring", "allreduce:tree,ring;broadcast:ring", ","})
    EXPECT_EQ(value_of("NCCL_ALGO", text), std::string("NCCL_ALGO=") + text);
  EXPECT_EQ(value_of("NCCL_THREAD_THRESHOLDS", "64 32"), "NCCL_THREAD_THRESHOLDS=64 32");
}

// Levels in NCCL's old numbers: 0 to 4 are LOC, PIX, PXB, PHB, SYS.
TEST(Settings, a_level_is_the_same_by_name_and_by_number) {
  const auto value_of = [](const std::string& text) {
    return settings_text(configuration({{"NCCL_P2P_LEVEL", text}}));
  };
  for (const char* text : {"PHB", "3", "0x3", "03", "3 hops"})
    EXPECT_EQ(value_of(text), "NCCL_P2P_LEVEL=PHB") << text;
  EXPECT_EQ(value_of("1"), value_of("PIX"));
  EXPECT_EQ(value_of("2"), value_of("PXB"));
  for (const char* text : {"4", "5", "99"}) EXPECT_EQ(value_of(text), value_of("SYS")) << text;
  EXPECT_EQ(value_of("NVL"), "NCCL_P2P_LEVEL=NVL");
  for (const char* text : {"phb", "-1", "far", " 3", "NET"})
    EXPECT_EQ(value_of(text), "none") << "NCCL passes over " << text;
}

TEST(Settings, a_level_of_nothing_is_the_same_as_peers_that_are_disabled) {
  for (const Variables& off : {Variables{{"NCCL_P2P_LEVEL", "LOC"}}, Variables{{"NCCL_P2P_LEVEL", "0"}},
                               Variables{{"NCCL_P2P_DISABLE", "1"}},
                               Variables{{"NCCL_P2P_DISABLE", "0x1"}, {"NCCL_P2P_LEVEL", "SYS"}}}) {
    EXPECT_EQ(settings_text(configuration(off)), "NCCL_P2P_DISABLE=1");
    EXPECT_THAT(facts_of(configuration(off)),
                UnorderedElementsAre(Pair("node_setting.NCCL_P2P_DISABLE", "1")));
  }
  EXPECT_EQ(settings_text(configuration({{"NCCL_P2P_DISABLE", "2"}, {"NCCL_P2P_LEVEL", "SYS"}})),
            "NCCL_P2P_LEVEL=SYS")
      << "NCCL takes 1 alone for disabled";
  EXPECT_THAT(facts_of(configuration({}, {{"/etc/nccl.conf", "NCCL_P2P_LEVEL=LOC\n"}})),
              UnorderedElementsAre(Pair("node_setting.NCCL_P2P_DISABLE", "1"),
                                   Pair("from.NCCL_P2P_DISABLE", "/etc/nccl.conf")));
}

TEST(Settings, a_policy_of_ctas_is_read_as_the_version_reads_it) {
  const auto value_of = [](const std::string& text, int version) {
    return settings_text(configuration({{"NCCL_CTA_POLICY", text}}, {}, version));
  };
  for (const char* text : {"EFFICIENCY", "efficiency", "1", "DEFAULT|EFFICIENCY", "efficiency|other", "10"})
    EXPECT_EQ(value_of(text, 22902), "NCCL_CTA_POLICY=efficiency") << text;
  for (const char* text : {"ZERO", "2", "zero|default", "EFFICIENCY|ZERO"})
    EXPECT_EQ(value_of(text, 22902), "NCCL_CTA_POLICY=zero") << text << ": zero excludes efficiency";
  for (const char* text : {"DEFAULT", "0", "7", "fast", "|"})
    EXPECT_EQ(value_of(text, 22902), "none") << text;
  EXPECT_EQ(value_of("1", 22809), "NCCL_CTA_POLICY=efficiency");
  EXPECT_EQ(value_of("0x2", 22809), "NCCL_CTA_POLICY=zero");
  for (const char* text : {"EFFICIENCY", "10", "3"}) EXPECT_EQ(value_of(text, 22809), "none") << text;
  EXPECT_EQ(value_of("2", 22707), "none") << "it had no such policy";
}

TEST(Settings, a_kernel_is_named_letter_by_letter) {
  EXPECT_EQ(settings_text(configuration({{"NCCL_SYM_KERNEL", "AllReduce_AGxLL_R"}})),
            "NCCL_SYM_KERNEL=AllReduce_AGxLL_R");
  EXPECT_EQ(settings_text(configuration({{"NCCL_SYM_KERNEL", "^"}})), "none");
}

TEST(Settings, a_kernel_without_a_name_is_none_of_them) {
  for (const char* text : {"", "none"})
    EXPECT_THAT(facts_of(configuration({{"NCCL_SYM_KERNEL", text}})),
                UnorderedElementsAre(Pair("setting.NCCL_SYM_KERNEL", "none")));
  EXPECT_THAT(facts_of(configuration({}, {{"/etc/nccl.conf", "NCCL_SYM_KERNEL=\n"}})),
              UnorderedElementsAre(Pair("setting.NCCL_SYM_KERNEL", "none"),
                                   Pair("from.NCCL_SYM_KERNEL", "/etc/nccl.conf")));
}

// What a node is built of, where the log goes, and what the plugins are asked by another way.
TEST(Settings, what_may_differ_from_rank_to_rank_is_left_out) {
  for (const char* name :
       {"NCCL_SOCKET_IFNAME", "NCCL_IB_HCA", "NCCL_IB_GID_INDEX", "NCCL_TOPO_FILE", "NCCL_DEBUG",
        "NCCL_DEBUG_FILE", "NCCL_DEBUG_SUBSYS", "NCCL_HOSTID", "NCCL_CONF_FILE", "NCCL_NET_PLUGIN",
        "NCCL_TUNER_PLUGIN", "NCCL_ENV_PLUGIN", "NCCL_NET_GDR_LEVEL", "NCCL_IGNORE_CPU_AFFINITY",
        "NCCL_IB_TIMEOUT", "NCCL_CGA_CLUSTER_SIZE"})
    EXPECT_THAT(facts_of(configuration({{name, "1"}})), testing::IsEmpty()) << name;
}

}  // namespace
}  // namespace gpugauge::bench::nccl
