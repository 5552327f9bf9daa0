/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A library to preload, in which a system call of LMDB, hiredis or the program's own code fails.
 * TMPL_FAIL_AT is the number of the call and how it fails: "7" with an error that its manual names,
 * "7+" with all later ones, "7i" with EINTR, "7s" with half of the bytes; a call that cannot fail
 * so works. At its end the process writes how many calls there were to the file TMPL_FAIL_COUNT.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

static unsigned long n_calls, failing, failing_last;
static char failing_how;

__attribute__((constructor)) static void read_plan(void)
{
    char *end;
    const char *at = getenv("TMPL_FAIL_AT");
    if (at != NULL) {
        failing = strtoul(at, &end, 10);
        failing_how = *end;
        failing_last = *end == '+' ? (unsigned long)-1 : failing;
    }
}

__attribute__((destructor)) static void write_count(void)
{
    const char *name = getenv("TMPL_FAIL_COUNT");
    unsigned long n = n_calls;
    FILE *out = name != NULL ? fopen(name, "w") : NULL;
    if (out != NULL) {
        fprintf(out, "%lu\n", n);
        fclose(out);
    }
}

typedef enum { WORKS, FAILS, IS_SHORT } call_e;

/* Whether the code at an address is of LMDB, hiredis, tmplctl or mod_tmpl. */
static int is_stores_code(void *caller)
{
    static const char *const names[] = { "liblmdb", "libhiredis", "tmplctl", "mod_tmpl" };
    Dl_info info;
    if (dladdr(caller, &info) == 0 || info.dli_fname == NULL) {
        return 0;
    }
    for (unsigned i = 0; i < sizeof(names) / sizeof(*names); i++) {
        if (strstr(info.dli_fname, names[i]) != NULL) {
            return 1;
        }
    }
    return 0;
}

/* Counts a call; sets errno if it fails. interrupted: it may fail with EINTR. */
static call_e plan_of_call(void *caller, int error, int interrupted)
{
    if (!is_stores_code(caller)) {
        return WORKS;
    }
    unsigned long call = __atomic_add_fetch(&n_calls, 1, __ATOMIC_RELAXED);
    if (call < failing || call > failing_last || (failing_how == 'i' && !interrupted)) {
        return WORKS;
    }
    errno = failing_how == 'i' ? EINTR : error;
    return failing_how == 's' ? IS_SHORT : FAILS;
}

#define CALLER __builtin_return_address(0)

/* A function that can neither be interrupted nor be short. */
#define PLAIN(type, name, parameters, error, number, ...)                                          \
    type name parameters                                                                           \
    {                                                                                              \
        return plan_of_call(CALLER, error, 0) == FAILS ? (type)-1                                  \
                                                       : (type)syscall(number, __VA_ARGS__);       \
    }
/* A function that can be interrupted. */
#define WAITING(type, name, parameters, error, number, ...)                                        \
    type name parameters                                                                           \
    {                                                                                              \
        return plan_of_call(CALLER, error, 1) == FAILS ? (type)-1                                  \
                                                       : (type)syscall(number, __VA_ARGS__);       \
    }
/* A function of n bytes. */
#define MOVING(name, parameters, error, number, ...)                                               \
    ssize_t name parameters                                                                        \
    {                                                                                              \
        call_e call = file <= 2 ? WORKS : plan_of_call(CALLER, error, 1);                          \
        n = call == IS_SHORT && n > 1 ? n / 2 : n;                                                 \
        return call == FAILS ? -1 : syscall(number, __VA_ARGS__);                                  \
    }

PLAIN(void *, mmap, (void *at, size_t n, int protection, int flags, int file, off_t offset), ENOMEM,
      SYS_mmap, at, n, protection, flags, file, offset)
PLAIN(int, socket, (int domain, int type, int protocol), EMFILE, SYS_socket, domain, type, protocol)
PLAIN(int, msync, (void *at, size_t n, int flags), EIO, SYS_msync, at, n, flags)
WAITING(int, fdatasync, (int file), EIO, SYS_fdatasync, file)
WAITING(int, fsync, (int file), EIO, SYS_fsync, file)
WAITING(int, ftruncate, (int file, off_t n), ENOSPC, SYS_ftruncate, file, n)
WAITING(int, connect, (int file, const struct sockaddr *to, socklen_t n), ECONNREFUSED, SYS_connect,
        file, to, n)
WAITING(int, poll, (struct pollfd * files, nfds_t n, int ms), ENOMEM, SYS_poll, files, n, ms)
MOVING(read, (int file, void *to, size_t n), ECONNRESET, SYS_read, file, to, n)
MOVING(write, (int file, const void *from, size_t n), ENOSPC, SYS_write, file, from, n)
MOVING(pread, (int file, void *to, size_t n, off_t at), EIO, SYS_pread64, file, to, n, at)
MOVING(pwrite, (int file, const void *from, size_t n, off_t at), ENOSPC, SYS_pwrite64, file, from,
       n, at)
MOVING(recv, (int file, void *to, size_t n, int flags), ECONNRESET, SYS_recvfrom, file, to, n,
       flags, NULL, NULL)
MOVING(send, (int file, const void *from, size_t n, int flags), EPIPE, SYS_sendto, file, from, n,
       flags, NULL, 0)

ssize_t writev(int file, const struct iovec *parts, int n)
{
    call_e call = plan_of_call(CALLER, ENOSPC, 1);
    return call == FAILS ? -1
                         : syscall(SYS_writev, file, parts, call == IS_SHORT && n > 1 ? n / 2 : n);
}

int open(const char *name, int flags, ...)
{
    va_list more;
    va_start(more, flags);
    int mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(more, int) : 0;
    va_end(more);
    return plan_of_call(CALLER, EMFILE, 1) == FAILS
               ? -1
               : (int)syscall(SYS_openat, AT_FDCWD, name, flags, mode);
}

int fcntl(int file, int command, ...)
{
    va_list more;
    va_start(more, command);
    void *argument = va_arg(more, void *);
    va_end(more);
    call_e call =
        file <= 2 ? WORKS : plan_of_call(CALLER, ENOLCK, 1); /* tmplctl asks if they are open */
    return call == FAILS ? -1 : (int)syscall(SYS_fcntl, file, command, argument);
}
