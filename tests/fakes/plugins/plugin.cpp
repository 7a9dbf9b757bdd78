// A plugin of NCCL with nothing but the names of its interfaces: PLUGIN_NETWORK, PLUGIN_TUNER and PLUGIN_ENVIRONMENT.
#include <cstdlib>

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

#ifdef PLUGIN_ENVIRONMENT
// Whole, because an NCCL that is no fake calls what it finds.
struct Environment {
  const char* name;
  int (*init)(unsigned char, unsigned char, unsigned char, const char*);
  int (*finalize)();
  const char* (*get)(const char*);
};
static int begin(unsigned char, unsigned char, unsigned char, const char*) {
  return 0;
}
static int end() {
  return 0;
}
static const char* get(const char* variable) {
  return std::getenv(variable);
}
extern const Environment ncclEnvPlugin_v1;
const Environment ncclEnvPlugin_v1{"tested", begin, end, get};
#endif

}  // extern "C"
