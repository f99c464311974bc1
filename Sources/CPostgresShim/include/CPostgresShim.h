// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

#pragma once

#include <stddef.h>

// libpq, loaded when a PostgreSQL database is opened rather than with the program. A connection belongs to one thread.

/// Loads libpq, once; any thread may. NULL when it is there, otherwise why it is not, in the loader's words, until this
/// thread asks again. A later call tries again. Everything else here is for afterwards.
const char *larder_pq_load(void);

typedef struct pg_conn larder_pq_connection;
typedef struct pg_result larder_pq_result;

/// What a connection waits for.
enum larder_pq_wait { larder_pq_failed, larder_pq_ready, larder_pq_wait_read, larder_pq_wait_write };

/// Begins to connect; `larder_pq_connect_poll` goes on. Later names win over earlier ones, and what an address says stands in
/// its place among them. NULL when there is no memory. Looks up names, which may take a while.
larder_pq_connection *larder_pq_connect(const char *const *names, const char *const *values);
enum larder_pq_wait larder_pq_connect_poll(larder_pq_connection *connection);
/// Ends the connection and frees it.
void larder_pq_finish(larder_pq_connection *connection);

int larder_pq_socket(const larder_pq_connection *connection);
int larder_pq_is_open(const larder_pq_connection *connection);
/// Whether a transaction is open on it, failed or not.
int larder_pq_in_transaction(const larder_pq_connection *connection);
const char *larder_pq_message(const larder_pq_connection *connection);
/// As 150004; 0 when it is not known.
int larder_pq_server_version(const larder_pq_connection *connection);
/// A parameter that the server reports; NULL when it does not.
const char *larder_pq_parameter(const larder_pq_connection *connection, const char *name);

/// Has sending never block. 1 for success, as all that follows.
int larder_pq_never_block(larder_pq_connection *connection);
/// Statements without values, one or several.
int larder_pq_send_text(larder_pq_connection *connection, const char *sql);
int larder_pq_send_prepare(larder_pq_connection *connection, const char *name, const char *sql, int places);
/// Runs a statement with values in text form; a NULL is SQL's. With an empty name the text is run, otherwise what was prepared.
int larder_pq_send_values(
    larder_pq_connection *connection, const char *name, const char *sql, int count, const char *const *values);

/// Sends what waits: ready when all is sent, otherwise what to wait for.
enum larder_pq_wait larder_pq_flush(larder_pq_connection *connection);
/// Takes what has come.
int larder_pq_consume(larder_pq_connection *connection);
/// Whether the next result would have to be waited for.
int larder_pq_is_busy(larder_pq_connection *connection);
/// NULL when the statement has no more.
larder_pq_result *larder_pq_next_result(larder_pq_connection *connection);

enum larder_pq_outcome { larder_pq_done, larder_pq_rows, larder_pq_error };

enum larder_pq_outcome larder_pq_outcome(const larder_pq_result *result);
/// Five characters; empty when the error is not the server's.
const char *larder_pq_state(const larder_pq_result *result);
const char *larder_pq_result_message(const larder_pq_result *result);
long larder_pq_changes(larder_pq_result *result);
int larder_pq_row_count(const larder_pq_result *result);
int larder_pq_is_null(const larder_pq_result *result, int row, int column);
/// The value in text form; NULL when there is no such column.
const char *larder_pq_value(const larder_pq_result *result, int row, int column, size_t *size);
void larder_pq_clear(larder_pq_result *result);
