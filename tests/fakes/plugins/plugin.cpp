// A plugin of NCCL with nothing but the names of its interfaces: PLUGIN_NETWORK and PLUGIN_TUNER.
extern "C" {

#ifdef PLUGIN_NETWORK
extern const int ncclNetPlugin_v6;
extern const int ncclNetPlugin_v8;
const int ncclNetPlugin_v6 = 6;
const int ncclNetPlugin_v8 = 8;
#endif

#ifdef PLUGIN_TUNER
extern const int ncclTunerPlugin_v2;
extern const int PLUGIN_TUNER;
const int ncclTunerPlugin_v2 = 2;
const int PLUGIN_TUNER = 1;
#endif

}  // extern "C"
