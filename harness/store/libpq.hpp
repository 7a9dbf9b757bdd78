// PostgreSQL's client library: linked, or in a portable build (GPUGAUGE_PORTABLE) opened at run time.
#pragma once

namespace gpugauge::store {

/// Does nothing where libpq is linked. Otherwise opens libpq.so.5 from the loader's own search path. If it is
/// missing or lacks a function, throws result::FileError that says what to install.
void require_libpq();

}  // namespace gpugauge::store
