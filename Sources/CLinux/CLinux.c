// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

#include "CLinux.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <link.h>
#include <linux/fs.h>
#include <linux/netlink.h>
#include <malloc.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

const int clinux_o_path = O_PATH;
const int clinux_o_tmpfile = O_TMPFILE;
const int clinux_rename_noreplace = RENAME_NOREPLACE;
const int clinux_rename_exchange = RENAME_EXCHANGE;

int clinux_renameat2(int from_directory, const char *from, int to_directory, const char *to, unsigned flags) {
    return renameat2(from_directory, from, to_directory, to, flags);
}

int clinux_set_access_time(int directory, const char *path) {
    const struct timespec times[2] = {{.tv_nsec = UTIME_NOW}, {.tv_nsec = UTIME_OMIT}};
    return utimensat(directory, path, times, AT_SYMLINK_NOFOLLOW);
}

int clinux_syncfs(int descriptor) { return syncfs(descriptor); }

int clinux_take_lease(int descriptor) {
    // Said when somebody wants the file; the signal of old would end a process that does not expect it.
    if (fcntl(descriptor, F_SETSIG, SIGURG) < 0) return -1;
    return fcntl(descriptor, F_SETLEASE, F_WRLCK);
}

int clinux_lock_byte(int descriptor, int64_t offset, int kind, bool waiting) {
    static const short types[] = {F_UNLCK, F_RDLCK, F_WRLCK};
    if (kind < 0 || kind > 2) {
        errno = EINVAL;
        return -1;
    }
    struct flock lock = {.l_type = types[kind], .l_whence = SEEK_SET, .l_start = offset, .l_len = 1};
    return fcntl(descriptor, waiting ? F_OFD_SETLKW : F_OFD_SETLK, &lock);
}

int clinux_byte_is_locked(int descriptor, int64_t offset) {
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = offset, .l_len = 1};
    if (fcntl(descriptor, F_OFD_GETLK, &lock) < 0) return -1;
    return lock.l_type != F_UNLCK;
}

int clinux_pipe2(int descriptors[2], int flags) { return pipe2(descriptors, flags | O_CLOEXEC); }

int clinux_accept(int listener) { return accept4(listener, NULL, NULL, SOCK_CLOEXEC); }

int clinux_fallocate(int descriptor, int64_t offset, int64_t length) {
    return fallocate(descriptor, 0, offset, length);
}

int clinux_eventfd(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }

int clinux_kernel_events(void) {
    int descriptor = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_KOBJECT_UEVENT);
    if (descriptor < 0) return -1;
    // Group 1 is the kernel's own; what udev makes of it goes to another.
    struct sockaddr_nl address = {.nl_family = AF_NETLINK, .nl_groups = 1};
    if (bind(descriptor, (struct sockaddr *)&address, sizeof address) != 0) {
        int error = errno;
        close(descriptor);
        errno = error;
        return -1;
    }
    return descriptor;
}

int clinux_receive_timeout(int socket, int milliseconds) {
    struct timeval time = {.tv_sec = milliseconds / 1000, .tv_usec = milliseconds % 1000 * 1000};
    return setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &time, sizeof time);
}

int clinux_memfd(const char *name) { return memfd_create(name, MFD_CLOEXEC); }

int clinux_bounded_memfd(const char *name, int64_t size) {
    int descriptor = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (descriptor < 0) return -1;
    if (ftruncate(descriptor, size) != 0 ||
        fcntl(descriptor, F_ADD_SEALS, F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL) != 0) {
        int error = errno;
        close(descriptor);
        errno = error;
        return -1;
    }
    return descriptor;
}

int64_t clinux_copy_file_range(int from, int64_t *from_offset, int to, int64_t *to_offset, size_t length) {
    return copy_file_range(from, from_offset, to, to_offset, length, 0);
}

int clinux_share_range(int from, int64_t from_offset, int64_t length, int to, int64_t to_offset) {
    struct file_clone_range range = {
        .src_fd = from, .src_offset = (uint64_t)from_offset, .src_length = (uint64_t)length, .dest_offset = (uint64_t)to_offset};
    return ioctl(to, FICLONERANGE, &range);
}

int clinux_begin_writing(int descriptor, int64_t offset, int64_t length) {
    return sync_file_range(descriptor, offset, length, SYNC_FILE_RANGE_WRITE);
}

int clinux_peer(int socket, uint32_t *user, uint32_t *group, int32_t *process) {
    struct ucred credentials;
    socklen_t size = sizeof credentials;
    if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &credentials, &size) != 0) return -1;
    *user = credentials.uid;
    *group = credentials.gid;
    *process = credentials.pid;
    return 0;
}

int clinux_pidfd_open(int32_t process) { return (int)syscall(SYS_pidfd_open, process, 0); }

int clinux_pidfd_send_signal(int pidfd, int signal) {
    return (int)syscall(SYS_pidfd_send_signal, pidfd, signal, NULL, 0);
}

void clinux_name_thread(const char *name) {
    char cut[16];
    snprintf(cut, sizeof cut, "%s", name);
    pthread_setname_np(pthread_self(), cut);
}

int clinux_window_columns(int descriptor) {
    struct winsize size;
    if (ioctl(descriptor, TIOCGWINSZ, &size) != 0) return -1;
    return size.ws_col;
}

char *const *clinux_environment(void) { return environ; }

/// Drops the read-only pages of one loaded file from this process. Nobody writes them, so the kernel gives them back from
/// its cache when they are next touched.
static int drop_code(struct dl_phdr_info *info, size_t size, void *context) {
    (void)size;
    (void)context;
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    for (int index = 0; index < info->dlpi_phnum; index++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[index];
        if (segment->p_type != PT_LOAD || (segment->p_flags & PF_W)) continue;
        uintptr_t start = (info->dlpi_addr + segment->p_vaddr + page - 1) & ~(page - 1);
        uintptr_t end = (info->dlpi_addr + segment->p_vaddr + segment->p_memsz) & ~(page - 1);
        if (end > start) madvise((void *)start, end - start, MADV_DONTNEED);
    }
    return 0;
}

void clinux_keep_memory_small(size_t largest_kept) {
    // A set threshold no longer grows with what is freed: by default one freed 4 MiB block makes the allocator keep the
    // following ones in its heaps, where a block that is freed after the last trim stays.
    mallopt(M_MMAP_THRESHOLD, (int)largest_kept);
    // Each heap keeps some of what is freed to it, and threads get their own until there are eight for each core.
    mallopt(M_ARENA_MAX, 2);
}

void clinux_reuse_blocks(size_t largest_kept, size_t most_kept) {
    mallopt(M_MMAP_THRESHOLD, (int)largest_kept);
    mallopt(M_TRIM_THRESHOLD, (int)most_kept);
}

void clinux_trim_memory(void) {
    malloc_trim(0);
    dl_iterate_phdr(drop_code, NULL);
}
