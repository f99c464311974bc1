// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

#include "CLinux.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

// What a program in the sandbox may ask of the kernel. The namespaces keep it from what is outside; this keeps it to one
// process, and to memory that RLIMIT_DATA counts.

#if defined(__x86_64__)
#define NATIVE_ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define NATIVE_ARCHITECTURE AUDIT_ARCH_AARCH64
#else
#error "the system call filter does not know this processor"
#endif

#define LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
// The low half of an argument; both processors store it first.
#define LOAD_ARGUMENT(n) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args) + 8 * (n))
#define REFUSE(error) BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (error))
#define ALLOW BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
// Unless the loaded value is `value`, `count` instructions are passed over.
#define UNLESS(value, count) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (value), 0, (count))
#define REFUSE_CALL(call) UNLESS(__NR_##call, 1), REFUSE(EPERM)

static const struct sock_filter filter[] = {
    LOAD(arch),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, NATIVE_ARCHITECTURE, 1, 0),
    REFUSE(ENOSYS),
    LOAD(nr),
#if defined(__x86_64__)
    // Calls of the x32 interface have this bit; nothing here uses it.
    BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, 0x40000000, 0, 1),
    REFUSE(ENOSYS),
    REFUSE_CALL(fork),
    REFUSE_CALL(vfork),
#endif
    // Its flags are in memory, where no filter looks; the C library then takes clone.
    UNLESS(__NR_clone3, 1),
    REFUSE(ENOSYS),
    // Threads are made, processes are not.
    UNLESS(__NR_clone, 4),
    LOAD_ARGUMENT(0),
    BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, CLONE_THREAD, 0, 1),
    ALLOW,
    REFUSE(EPERM),
    // Families that a network namespace confines, and no other.
    UNLESS(__NR_socket, 6),
    LOAD_ARGUMENT(0),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AF_UNIX, 3, 0),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AF_INET, 2, 0),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AF_INET6, 1, 0),
    REFUSE(EAFNOSUPPORT),
    ALLOW,
    // Shared memory without a file behind it is counted by no limit.
    UNLESS(__NR_mmap, 5),
    LOAD_ARGUMENT(3),
    BPF_STMT(BPF_ALU | BPF_AND | BPF_K, MAP_SHARED | MAP_ANONYMOUS),
    UNLESS(MAP_SHARED | MAP_ANONYMOUS, 1),
    REFUSE(ENOMEM),
    ALLOW,
    REFUSE_CALL(memfd_create),
    REFUSE_CALL(shmget),
#ifdef __NR_memfd_secret
    REFUSE_CALL(memfd_secret),
#endif
    // Doors into the kernel that no answer about a download needs.
    REFUSE_CALL(ptrace),
    REFUSE_CALL(process_vm_readv),
    REFUSE_CALL(process_vm_writev),
    REFUSE_CALL(unshare),
    REFUSE_CALL(setns),
    REFUSE_CALL(mount),
    REFUSE_CALL(umount2),
    REFUSE_CALL(pivot_root),
    REFUSE_CALL(add_key),
    REFUSE_CALL(keyctl),
    REFUSE_CALL(request_key),
    REFUSE_CALL(bpf),
    REFUSE_CALL(perf_event_open),
    REFUSE_CALL(userfaultfd),
    REFUSE_CALL(io_uring_setup),
    ALLOW,
};

int clinux_sandbox_filter(void) {
    int descriptor = memfd_create("larder-filter", MFD_CLOEXEC);
    if (descriptor < 0) return -1;
    if (write(descriptor, filter, sizeof filter) != (ssize_t)sizeof filter || lseek(descriptor, 0, SEEK_SET) != 0) {
        int error = errno;
        close(descriptor);
        errno = error;
        return -1;
    }
    return descriptor;
}
