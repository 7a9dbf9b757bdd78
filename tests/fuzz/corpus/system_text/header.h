#define CUDA_VERSION 13000
#define CUDNN_MAJOR 9
#if __GNUC__ > 14
#error -- unsupported GNU version! gcc versions later than 14 are not supported!
#endif
#if (__clang_major__ >= 20) || (__clang_major__ < 7)
#error
