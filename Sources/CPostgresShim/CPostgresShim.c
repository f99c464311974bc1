// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

#include "CPostgresShim.h"

#include <CLinux.h>
#if __has_include(<postgresql/libpq-fe.h>)
#include <postgresql/libpq-fe.h>
#else
#include <libpq-fe.h>
#endif
#include <stdlib.h>

// The part of libpq that is used: a table that the loader fills.
#define EACH_FUNCTION(X)                                                                                              \
    X(PQclear)                                                                                                        \
    X(PQcmdTuples)                                                                                                    \
    X(PQconnectPoll)                                                                                                  \
    X(PQconnectStartParams)                                                                                           \
    X(PQconsumeInput)                                                                                                 \
    X(PQerrorMessage)                                                                                                 \
    X(PQfinish)                                                                                                       \
    X(PQflush)                                                                                                        \
    X(PQgetResult)                                                                                                    \
    X(PQgetisnull)                                                                                                    \
    X(PQgetlength)                                                                                                    \
    X(PQgetvalue)                                                                                                     \
    X(PQisBusy)                                                                                                       \
    X(PQnfields)                                                                                                      \
    X(PQntuples)                                                                                                      \
    X(PQparameterStatus)                                                                                              \
    X(PQresultErrorField)                                                                                             \
    X(PQresultErrorMessage)                                                                                           \
    X(PQresultStatus)                                                                                                 \
    X(PQsendPrepare)                                                                                                  \
    X(PQsendQuery)                                                                                                    \
    X(PQsendQueryParams)                                                                                              \
    X(PQsendQueryPrepared)                                                                                            \
    X(PQserverVersion)                                                                                                \
    X(PQsetNoticeProcessor)                                                                                           \
    X(PQsetnonblocking)                                                                                               \
    X(PQsocket)                                                                                                       \
    X(PQstatus)                                                                                                       \
    X(PQtransactionStatus)

CLINUX_FUNCTIONS(EACH_FUNCTION);

static struct clinux_library library = {
    .file = "libpq.so.5",
    CLINUX_TABLE,
};

const char *larder_pq_load(void) { return clinux_load_library(&library); }

// Notices would go to standard error otherwise.
static void ignore_notice(void *context, const char *message) {
    (void)context;
    (void)message;
}

larder_pq_connection *larder_pq_connect(const char *const *keys, const char *const *values) {
    PGconn *connection = loaded.PQconnectStartParams(keys, values, 1);
    if (connection != NULL) loaded.PQsetNoticeProcessor(connection, ignore_notice, NULL);
    return connection;
}

enum larder_pq_wait larder_pq_connect_poll(larder_pq_connection *connection) {
    if (loaded.PQstatus(connection) == CONNECTION_BAD) return larder_pq_failed;
    switch (loaded.PQconnectPoll(connection)) {
    case PGRES_POLLING_OK: return larder_pq_ready;
    case PGRES_POLLING_READING: return larder_pq_wait_read;
    case PGRES_POLLING_WRITING: return larder_pq_wait_write;
    default: return larder_pq_failed;
    }
}

void larder_pq_finish(larder_pq_connection *connection) { loaded.PQfinish(connection); }

int larder_pq_socket(const larder_pq_connection *connection) { return loaded.PQsocket(connection); }

int larder_pq_is_open(const larder_pq_connection *connection) {
    return loaded.PQstatus(connection) == CONNECTION_OK;
}

int larder_pq_in_transaction(const larder_pq_connection *connection) {
    PGTransactionStatusType status = loaded.PQtransactionStatus(connection);
    return status == PQTRANS_INTRANS || status == PQTRANS_INERROR;
}

const char *larder_pq_message(const larder_pq_connection *connection) { return loaded.PQerrorMessage(connection); }

int larder_pq_server_version(const larder_pq_connection *connection) { return loaded.PQserverVersion(connection); }

const char *larder_pq_parameter(const larder_pq_connection *connection, const char *name) {
    return loaded.PQparameterStatus(connection, name);
}

int larder_pq_never_block(larder_pq_connection *connection) { return loaded.PQsetnonblocking(connection, 1) == 0; }

int larder_pq_send_text(larder_pq_connection *connection, const char *sql) {
    return loaded.PQsendQuery(connection, sql);
}

int larder_pq_send_prepare(larder_pq_connection *connection, const char *name, const char *sql, int places) {
    return loaded.PQsendPrepare(connection, name, sql, places, NULL);
}

int larder_pq_send_values(
    larder_pq_connection *connection, const char *name, const char *sql, int count, const char *const *values) {
    return name[0] == 0 ? loaded.PQsendQueryParams(connection, sql, count, NULL, values, NULL, NULL, 0)
                        : loaded.PQsendQueryPrepared(connection, name, count, values, NULL, NULL, 0);
}

enum larder_pq_wait larder_pq_flush(larder_pq_connection *connection) {
    switch (loaded.PQflush(connection)) {
    case 0: return larder_pq_ready;
    case 1: return larder_pq_wait_write;
    default: return larder_pq_failed;
    }
}

int larder_pq_consume(larder_pq_connection *connection) { return loaded.PQconsumeInput(connection); }

int larder_pq_is_busy(larder_pq_connection *connection) { return loaded.PQisBusy(connection); }

larder_pq_result *larder_pq_next_result(larder_pq_connection *connection) { return loaded.PQgetResult(connection); }

enum larder_pq_outcome larder_pq_outcome(const larder_pq_result *result) {
    switch (loaded.PQresultStatus(result)) {
    case PGRES_COMMAND_OK:
    case PGRES_EMPTY_QUERY: return larder_pq_done;
    case PGRES_TUPLES_OK: return larder_pq_rows;
    default: return larder_pq_error;
    }
}

const char *larder_pq_state(const larder_pq_result *result) {
    const char *state = loaded.PQresultErrorField(result, PG_DIAG_SQLSTATE);
    return state != NULL ? state : "";
}

const char *larder_pq_result_message(const larder_pq_result *result) {
    const char *message = loaded.PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
    return message != NULL ? message : loaded.PQresultErrorMessage(result);
}

long larder_pq_changes(larder_pq_result *result) { return strtol(loaded.PQcmdTuples(result), NULL, 10); }

int larder_pq_row_count(const larder_pq_result *result) { return loaded.PQntuples(result); }

int larder_pq_is_null(const larder_pq_result *result, int row, int column) {
    return loaded.PQgetisnull(result, row, column);
}

const char *larder_pq_value(const larder_pq_result *result, int row, int column, size_t *size) {
    *size = 0;
    if (column < 0 || column >= loaded.PQnfields(result)) return NULL;
    *size = (size_t)loaded.PQgetlength(result, row, column);
    return loaded.PQgetvalue(result, row, column);
}

void larder_pq_clear(larder_pq_result *result) { loaded.PQclear(result); }
