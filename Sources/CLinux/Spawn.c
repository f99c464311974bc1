// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

#include "CLinux.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

// Between vfork and exec the child has its parent's memory: only async-signal-safe calls, no allocation, no locks, and nothing
// written but its own frames, `moved` and errno, of which the parent's thread reads none before it runs again.

static void reset_signals(void) {
    struct sigaction standard = {.sa_handler = SIG_DFL};
    for (int number = 1; number < 65; number++) sigaction(number, &standard, NULL);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

__attribute__((noreturn)) static void report_and_exit(int report) {
    int error = errno;
    ssize_t ignored = write(report, &error, sizeof error);
    (void)ignored;
    _exit(127);
}

/// Gives each descriptor its number. All are first moved above every target, so that none is overwritten before use.
static int place_descriptors(const struct clinux_spawn *options, int *moved, int *report) {
    int above = 3;
    for (size_t i = 0; i < options->descriptor_count; i++)
        if (options->descriptors[i].target >= above) above = options->descriptors[i].target + 1;
    int safe_report = fcntl(*report, F_DUPFD_CLOEXEC, above);
    if (safe_report < 0) return -1;
    *report = safe_report;
    for (size_t i = 0; i < options->descriptor_count; i++) {
        moved[i] = fcntl(options->descriptors[i].source, F_DUPFD_CLOEXEC, above);
        if (moved[i] < 0) return -1;
    }
    for (size_t i = 0; i < options->descriptor_count; i++)
        if (dup2(moved[i], options->descriptors[i].target) < 0) return -1;
    return 0;
}

static int is_target(const struct clinux_spawn *options, int number) {
    for (size_t i = 0; i < options->descriptor_count; i++)
        if (options->descriptors[i].target == number) return 1;
    return 0;
}

/// Marks every descriptor above 2 that is no target close-on-exec, so the report pipe still works until exec.
static void close_others(const struct clinux_spawn *options) {
    unsigned highest = 2;
    for (size_t i = 0; i < options->descriptor_count; i++)
        if (options->descriptors[i].target > (int)highest) highest = (unsigned)options->descriptors[i].target;
    for (unsigned number = 3; number <= highest; number++)
        if (!is_target(options, (int)number)) close((int)number);
    syscall(SYS_close_range, highest + 1, ~0U, 4 /* CLOSE_RANGE_CLOEXEC */);
}

__attribute__((noinline, noreturn)) static void run_child(
    const struct clinux_spawn *options, int *moved, int report, pid_t parent) {
    reset_signals();
    if (options->new_session) setsid();
    if (options->die_with_parent) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != parent) _exit(127);
    }
    if (place_descriptors(options, moved, &report) != 0) report_and_exit(report);
    if (options->working_directory && chdir(options->working_directory) != 0) report_and_exit(report);
    close_others(options);
    for (size_t i = 0; i < options->limit_count; i++) {
        struct rlimit limit = {options->limits[i].value, options->limits[i].value};
        if (setrlimit(options->limits[i].resource, &limit) != 0) report_and_exit(report);
    }
    if (options->search_path)
        execvpe(options->executable, options->arguments, options->environment);
    else
        execve(options->executable, options->arguments, options->environment);
    report_and_exit(report);
}

int32_t clinux_spawn(const struct clinux_spawn *options) {
    int report[2];
    if (clinux_pipe2(report, 0) != 0) return -1;
    int *moved = calloc(options->descriptor_count + 1, sizeof *moved);
    if (!moved) {
        close(report[0]);
        close(report[1]);
        errno = ENOMEM;
        return -1;
    }
    // No handler of ours may run in the child before its dispositions are reset.
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pid_t parent = getpid();
    // A copy of the memory would take milliseconds, and then a fault for each page that any thread writes.
    pid_t child = vfork();
    if (child == 0) run_child(options, moved, report[1], parent);
    int spawn_error = errno;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    free(moved);
    close(report[1]);
    if (child < 0) {
        close(report[0]);
        errno = spawn_error;
        return -1;
    }
    int error = 0;
    ssize_t count;
    do count = read(report[0], &error, sizeof error);
    while (count < 0 && errno == EINTR);
    close(report[0]);
    if (count == (ssize_t)sizeof error) {
        while (waitpid(child, NULL, 0) < 0 && errno == EINTR) {}
        errno = error;
        return -1;
    }
    return child;
}

int clinux_exit_code(int status) {
    if (WIFEXITED(status)) return WEXITSTATUS(status);
    if (WIFSIGNALED(status)) return 128 + WTERMSIG(status);
    return -1;
}

int clinux_exec(const char *executable, char *const *arguments, char *const *environment) {
    reset_signals();
    return execvpe(executable, arguments, environment);
}
