// PostgreSQL's client library: linked, or in a portable build (GPUGAUGE_PORTABLE) opened at run time.
#pragma once

namespace gpugauge::store {

/// Nothing where libpq is linked. Otherwise opens libpq.so.5 from the loader's own places; throws
/// result::FileError with what to install when it is not there or lacks a function.
void require_libpq();

}  // namespace gpugauge::store
