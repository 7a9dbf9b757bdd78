#include "store/libpq.hpp"

#ifdef GPUGAUGE_OPEN_LIBPQ

#include <cstddef>
#include <string>

#include <dlfcn.h>
#include <fmt/format.h>
#include <libpq-fe.h>

#include "result/error.hpp"

namespace gpugauge::store {
namespace {

constexpr const char* library_name = "libpq.so.5";

/// A plain name: the loader searches its own places, never the working directory. It is never closed, because
/// SOCI's connections live as long as the command.
void* library() {
  static void* const opened = ::dlopen(library_name, RTLD_NOW | RTLD_LOCAL);
  return opened;
}

[[noreturn]] void refuse(const std::string& why) {
  throw result::FileError(fmt::format(
      "a store in PostgreSQL needs its client library: {}; install it (libpq5 on Debian and Ubuntu)", why));
}

template <typename Function>
Function* symbol(const char* name) {
  void* const found = library() == nullptr ? nullptr : ::dlsym(library(), name);
  if (found == nullptr) refuse(fmt::format("{} has no {}", library_name, name));
  return reinterpret_cast<Function*>(found);
}

}  // namespace

void require_libpq() {
  if (library() == nullptr) {
    const char* const why = ::dlerror();
    refuse(why == nullptr ? fmt::format("{} cannot be opened", library_name) : why);
  }
  symbol<decltype(PQconnectdb)>("PQconnectdb");
}

}  // namespace gpugauge::store

// The functions that SOCI's archive calls; the linker reports any missing here. Each is looked up once.
// NOLINTBEGIN(readability-inconsistent-declaration-parameter-name,readability-identifier-naming,bugprone-macro-parentheses)
#define FORWARD(result, name, parameters, arguments)                                        \
  extern "C" result name parameters {                                                       \
    static decltype(name)* const function = gpugauge::store::symbol<decltype(name)>(#name); \
    return function arguments;                                                              \
  }

FORWARD(void, PQclear, (PGresult * res), (res))
FORWARD(char*, PQcmdTuples, (PGresult * res), (res))
FORWARD(PGconn*, PQconnectdb, (const char* conninfo), (conninfo))
FORWARD(char*, PQerrorMessage, (const PGconn* conn), (conn))
FORWARD(PGresult*, PQexec, (PGconn * conn, const char* query), (conn, query))
FORWARD(PGresult*, PQexecParams,
        (PGconn * conn, const char* command, int count, const Oid* types, const char* const* values,
         const int* lengths, const int* formats, int format),
        (conn, command, count, types, values, lengths, formats, format))
FORWARD(PGresult*, PQexecPrepared,
        (PGconn * conn, const char* statement, int count, const char* const* values, const int* lengths,
         const int* formats, int format),
        (conn, statement, count, values, lengths, formats, format))
FORWARD(int, PQfformat, (const PGresult* res, int field), (res, field))
FORWARD(void, PQfinish, (PGconn * conn), (conn))
FORWARD(char*, PQfname, (const PGresult* res, int field), (res, field))
FORWARD(int, PQfsize, (const PGresult* res, int field), (res, field))
FORWARD(Oid, PQftype, (const PGresult* res, int field), (res, field))
FORWARD(PGresult*, PQgetResult, (PGconn * conn), (conn))
FORWARD(int, PQgetisnull, (const PGresult* res, int row, int field), (res, row, field))
FORWARD(char*, PQgetvalue, (const PGresult* res, int row, int field), (res, row, field))
FORWARD(int, PQnfields, (const PGresult* res), (res))
FORWARD(int, PQntuples, (const PGresult* res), (res))
FORWARD(PGresult*, PQprepare,
        (PGconn * conn, const char* statement, const char* query, int count, const Oid* types),
        (conn, statement, query, count, types))
FORWARD(char*, PQresultErrorField, (const PGresult* res, int field), (res, field))
FORWARD(char*, PQresultErrorMessage, (const PGresult* res), (res))
FORWARD(ExecStatusType, PQresultStatus, (const PGresult* res), (res))
FORWARD(int, PQsendPrepare,
        (PGconn * conn, const char* statement, const char* query, int count, const Oid* types),
        (conn, statement, query, count, types))
FORWARD(int, PQsendQuery, (PGconn * conn, const char* query), (conn, query))
FORWARD(int, PQsendQueryParams,
        (PGconn * conn, const char* command, int count, const Oid* types, const char* const* values,
         const int* lengths, const int* formats, int format),
        (conn, command, count, types, values, lengths, formats, format))
FORWARD(int, PQsendQueryPrepared,
        (PGconn * conn, const char* statement, int count, const char* const* values, const int* lengths,
         const int* formats, int format),
        (conn, statement, count, values, lengths, formats, format))
FORWARD(int, PQserverVersion, (const PGconn* conn), (conn))
FORWARD(int, PQsetSingleRowMode, (PGconn * conn), (conn))
FORWARD(ConnStatusType, PQstatus, (const PGconn* conn), (conn))
FORWARD(int, lo_close, (PGconn * conn, int fd), (conn, fd))
FORWARD(int, lo_lseek, (PGconn * conn, int fd, int offset, int whence), (conn, fd, offset, whence))
FORWARD(int, lo_open, (PGconn * conn, Oid object, int mode), (conn, object, mode))
FORWARD(int, lo_read, (PGconn * conn, int fd, char* buffer, std::size_t size), (conn, fd, buffer, size))
FORWARD(int, lo_write, (PGconn * conn, int fd, const char* buffer, std::size_t size),
        (conn, fd, buffer, size))
// NOLINTEND(readability-inconsistent-declaration-parameter-name,readability-identifier-naming,bugprone-macro-parentheses)

#else

namespace gpugauge::store {

void require_libpq() {}

}  // namespace gpugauge::store

#endif
