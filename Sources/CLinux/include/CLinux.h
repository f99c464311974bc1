// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// What Swift's Glibc module lacks: calls behind _GNU_SOURCE, variadic calls and function-like macros.
// Every function keeps the C convention: -1 and errno, unless it says otherwise.

extern const int clinux_o_path;
extern const int clinux_o_tmpfile;
extern const int clinux_rename_noreplace;
extern const int clinux_rename_exchange;

int clinux_renameat2(int from_directory, const char *from, int to_directory, const char *to, unsigned flags);
int clinux_syncfs(int descriptor);
int clinux_set_access_time(int directory, const char *path);
/// A write lease: had only while nobody else has the file open, mapped files included. Fails with EAGAIN otherwise. Whoever
/// opens the file while it is held waits until the descriptor is closed; no signal ends this process.
int clinux_take_lease(int descriptor);

/// Sets the lock on one byte of an open file (F_OFD_SETLK): 0 gives it back, 1 shares it, 2 has it alone. It belongs to the
/// open file description, and the kernel frees it when the last process that has that one closes it or dies. Fails with
/// EAGAIN when others hold it and `waiting` is false.
int clinux_lock_byte(int descriptor, int64_t offset, int kind, bool waiting);
/// Whether another open file description holds a lock on the byte: 1 or 0.
int clinux_byte_is_locked(int descriptor, int64_t offset);
int clinux_pipe2(int descriptors[2], int flags);
int clinux_accept(int listener);
int clinux_fallocate(int descriptor, int64_t offset, int64_t length);
int clinux_eventfd(void);
int clinux_memfd(const char *name);
/// A netlink socket on which the kernel tells what happens to its devices; reading it never waits.
int clinux_kernel_events(void);
/// How long reading from a socket waits; then it fails with EAGAIN.
int clinux_receive_timeout(int socket, int milliseconds);

/// A file in memory that holds at most `size` bytes: it is that long from the start and cannot grow.
int clinux_bounded_memfd(const char *name, int64_t size);

/// A file with the system call filter of the sandbox, as seccomp takes it.
int clinux_sandbox_filter(void);

/// Copies up to `length` bytes inside the kernel, sharing blocks where the file system can. Returns the bytes copied.
int64_t clinux_copy_file_range(int from, int64_t *from_offset, int to, int64_t *to_offset, size_t length);

/// Has a range of a file be made of the blocks of a range of another (FICLONERANGE). Both begin where a block does; the range
/// ends where one does, or with the source. Fails where the file system cannot share blocks, or not these.
int clinux_share_range(int from, int64_t from_offset, int64_t length, int to, int64_t to_offset);
/// Begins to write what a range of the file holds to the disk, and does not wait for it (sync_file_range).
int clinux_begin_writing(int descriptor, int64_t offset, int64_t length);

/// The user, group and process at the other end of a Unix socket when it was connected.
int clinux_peer(int socket, uint32_t *user, uint32_t *group, int32_t *process);

/// A descriptor that becomes readable when the process ends.
int clinux_pidfd_open(int32_t process);
int clinux_pidfd_send_signal(int pidfd, int signal);

/// Gives the calling thread a name of at most 15 bytes; longer names are cut.
void clinux_name_thread(const char *name);

/// The width of the terminal behind the descriptor, in columns.
int clinux_window_columns(int descriptor);

/// One descriptor that the child gets under another number.
struct clinux_descriptor {
    int source;
    int target;
};

/// A limit on what the child and its children may use; soft and hard at once.
struct clinux_limit {
    int resource; // RLIMIT_…
    uint64_t value;
};

/// How a child is started. Descriptors 0, 1 and 2 are kept unless `descriptors` names them; all others are closed.
struct clinux_spawn {
    const char *executable;
    char *const *arguments;
    char *const *environment;
    const char *working_directory; // NULL: the parent's
    const struct clinux_descriptor *descriptors;
    size_t descriptor_count;
    int new_session;
    int search_path;
    int die_with_parent; // the kernel sends SIGKILL when the thread that spawned it ends
    const struct clinux_limit *limits;
    size_t limit_count;
};

/// Starts a child with default signal dispositions and an empty signal mask. Returns its process id, or -1 with errno
/// set to what failed in the child up to and including exec.
int32_t clinux_spawn(const struct clinux_spawn *options);

/// Decodes what waitpid gave: the exit code, or 128 + the signal's number.
int clinux_exit_code(int status);

/// Replaces this process, with default signal dispositions and an empty signal mask. Returns only when it fails.
int clinux_exec(const char *executable, char *const *arguments, char *const *environment);

/// The process's environment: strings `NAME=value`, ended by NULL. NULL when there is none.
char *const *clinux_environment(void);

/// Lets the allocator give every block of at least `largest_kept` bytes back to the system as soon as it is freed, and
/// share two heaps among all threads. For the start of a program.
void clinux_keep_memory_small(size_t largest_kept);

/// From now on blocks below `largest_kept` bytes come from the allocator's heaps, at whose end `most_kept` bytes may be free.
void clinux_reuse_blocks(size_t largest_kept, size_t most_kept);

/// Gives memory that was freed back to the system, and lets go of program code until it is needed again.
void clinux_trim_memory(void);

/// A shared library that is opened when it is first used.
struct clinux_library {
    /// What the loader looks for.
    const char *file;
    /// The functions that are used, and where their addresses go, in the same order.
    const char *const *names;
    void **functions;
    size_t count;
    /// Says what is wrong with the library when its functions are there; NULL when nothing is, or when nothing is checked.
    const char *(*check)(void);
    bool is_loaded;
};

#define CLINUX_POINTER(name) __typeof__(name) *name;
#define CLINUX_NAME(name) #name,

/// The part of a library that a file uses, as the loader fills it: `loaded` has a pointer for each function that
/// `EACH(X)` names, of its own type and name.
#define CLINUX_FUNCTIONS(EACH)                                                                                        \
    static struct {                                                                                                   \
        EACH(CLINUX_POINTER)                                                                                          \
    } loaded;                                                                                                         \
    static const char *const loaded_names[] = {EACH(CLINUX_NAME)};                                                    \
    _Static_assert(sizeof loaded == sizeof loaded_names, "one pointer for each name")

/// What a `clinux_library` says of the functions of `CLINUX_FUNCTIONS`.
#define CLINUX_TABLE                                                                                                  \
    .names = loaded_names, .functions = (void **)&loaded, .count = sizeof loaded_names / sizeof loaded_names[0]

/// Opens a library for good, for itself alone, unless it is open, and looks up every name in it. NULL when all are there,
/// otherwise what is wrong, until this thread uses the loader again; a later call tries again.
const char *clinux_load_library(struct clinux_library *library);
