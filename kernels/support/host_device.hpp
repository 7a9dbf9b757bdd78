// GPUGAUGE_HOST_DEVICE: functions that host and device share, in headers that a plain C++ compiler reads too.
#pragma once

#if defined(__CUDACC__)
#define GPUGAUGE_HOST_DEVICE __host__ __device__
#else
#define GPUGAUGE_HOST_DEVICE
#endif
