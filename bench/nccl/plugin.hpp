// Which plugins NCCL would load. No NCCL, no CUDA: the plugin's library is opened as NCCL opens it.
#pragma once

#include <string>
#include <vector>

#include "nccl/settings.hpp"

namespace gpugauge::bench::nccl {

/// Names that NCCL gives the loader for a plugin, in its order, the first that opens counts. `kind`: "net", "tuner" or
/// "env". `asked`: what NCCL_NET_PLUGIN, NCCL_TUNER_PLUGIN or NCCL_ENV_PLUGIN says; "" = not set. Empty for "none". Source:
/// openPluginLib in NCCL's src/plugin/plugin_open.cc.
std::vector<std::string> plugin_names(const std::string& kind, const std::string& asked);

/// The network plugins that NCCL would load, of a list with commas each: file name, size and newest interface
/// ("libnccl-net.so, 123456 bytes, interface v8"). "none" where none opens.
std::string network_plugin(const Configuration& configuration);

/// The tuner plugin that NCCL would load, in the same form. NCCL looks for it in the network plugin's library
/// where it has no library of its own.
std::string tuner_plugin(const Configuration& configuration);

/// The environment plugin that NCCL would load, in the same form; "none" for an NCCL before 2.28.7, which knows none.
/// With one, NCCL reads all its other variables as the plugin says, so that Configuration may hold others.
std::string environment_plugin(const Configuration& configuration);

}  // namespace gpugauge::bench::nccl
