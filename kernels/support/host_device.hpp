// GPUGAUGE_HOST_DEVICE marks functions shared by host and device, in headers that a plain C++ compiler reads
// too.
#pragma once

#if defined(__CUDACC__)
#define GPUGAUGE_HOST_DEVICE __host__ __device__
#else
#define GPUGAUGE_HOST_DEVICE
#endif
