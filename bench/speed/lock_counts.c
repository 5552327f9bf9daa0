/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A library for LD_PRELOAD that counts the mutexes that a process takes. When a process ends, it
 * writes a line for each of them to $LOCK_COUNTS/PID, for bench/speed/locks:
 *
 *     shared|own LIBRARY OFFSET LOCKED WAITED NS_HELD PLACE
 *
 * shared: of several processes. LIBRARY and OFFSET: where it was taken first. WAITED: how often
 * another thread or process had it. PLACE: FILE+OFFSET, or "-" in memory without a file. Operations
 * on atomic counters of 64 bits are one line.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define MUTEXES    (1u << 15) /* those beyond are not counted */
#define PLACE_SIZE 256
#define IS_SHARED  128 /* in a mutex's kind: PTHREAD_MUTEX_PSHARED_BIT of glibc */

/* A mutex. Its holder writes all but is. */
typedef struct {
    _Atomic uintptr_t is; /* 0: free */
    void *caller;
    int is_shared;
    char place[PLACE_SIZE]; /* if it is shared */
    uint64_t since;         /* when its holder got it */
    uint64_t locked, waited, ns_held;
} count_t;

static count_t counts[MUTEXES];

/* The functions of glibc. */
static struct {
    int (*lock)(pthread_mutex_t *);
    int (*try)(pthread_mutex_t *);
    int (*timed)(pthread_mutex_t *, const struct timespec *);
    int (*by_clock)(pthread_mutex_t *, clockid_t, const struct timespec *);
    int (*unlock)(pthread_mutex_t *);
    int (*wait)(pthread_cond_t *, pthread_mutex_t *);
    int (*wait_timed)(pthread_cond_t *, pthread_mutex_t *, const struct timespec *);
    int (*wait_by_clock)(pthread_cond_t *, pthread_mutex_t *, clockid_t, const struct timespec *);
} real;

static void find(void *function, const char *name)
{
    *(void **)function = dlsym(RTLD_NEXT, name);
}

__attribute__((constructor)) static void begin(void)
{
    if (real.lock == NULL) {
        find(&real.unlock, "pthread_mutex_unlock");
        find(&real.try, "pthread_mutex_trylock");
        find(&real.timed, "pthread_mutex_timedlock");
        find(&real.by_clock, "pthread_mutex_clocklock");
        find(&real.wait, "pthread_cond_wait");
        find(&real.wait_timed, "pthread_cond_timedwait");
        find(&real.wait_by_clock, "pthread_cond_clockwait");
        find(&real.lock, "pthread_mutex_lock");
    }
}

static uint64_t now(void)
{
    struct timespec at;
    clock_gettime(CLOCK_MONOTONIC, &at);
    return (uint64_t)at.tv_sec * 1000000000u + (uint64_t)at.tv_nsec;
}

/* The count of a mutex; NULL: there is no room. */
static count_t *count_of(const pthread_mutex_t *mutex)
{
    uintptr_t is = (uintptr_t)mutex;
    for (uint32_t i = 0, at = (uint32_t)(is * 0x9E3779B97F4A7C15u >> 48); i < 64; i++, at++) {
        uintptr_t has = counts[at % MUTEXES].is;
        if (has == is ||
            (has == 0 && atomic_compare_exchange_strong(&counts[at % MUTEXES].is, &has, is)) ||
            has == is) {
            return &counts[at % MUTEXES];
        }
    }
    return NULL;
}

/*
 * APR's atomic operations on 64 bits, which only mod_tmpl uses, on memory of all processes.
 */
static _Atomic uint64_t n_atomic;

uint64_t apr_atomic_add64(volatile uint64_t *word, uint64_t by);
uint64_t apr_atomic_inc64(volatile uint64_t *word);
uint64_t apr_atomic_cas64(volatile uint64_t *word, uint64_t with, uint64_t is);

uint64_t apr_atomic_add64(volatile uint64_t *word, uint64_t by)
{
    atomic_fetch_add_explicit(&n_atomic, 1, memory_order_relaxed);
    return __atomic_fetch_add(word, by, __ATOMIC_SEQ_CST);
}

uint64_t apr_atomic_inc64(volatile uint64_t *word)
{
    return apr_atomic_add64(word, 1);
}

uint64_t apr_atomic_cas64(volatile uint64_t *word, uint64_t with, uint64_t is)
{
    atomic_fetch_add_explicit(&n_atomic, 1, memory_order_relaxed);
    __atomic_compare_exchange_n(word, &is, with, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    return is;
}

/* Fills place with "FILE+OFFSET" if a mutex is in a file that is mapped, else with "-". */
static void place_find(char place[PLACE_SIZE], uintptr_t is)
{
    FILE *maps = fopen("/proc/self/maps", "r");
    char line[5000], file[4096];
    unsigned long long from, to, offset;
    snprintf(place, PLACE_SIZE, "-");
    while (maps != NULL && fgets(line, sizeof(line), maps) != NULL) {
        if (sscanf(line, "%llx-%llx %*s %llx %*s %*s %4095s", &from, &to, &offset, file) == 4 &&
            is >= from && is < to && file[0] == '/') {
            snprintf(place, PLACE_SIZE, "%.200s+%llx", file, is - from + offset);
            break;
        }
    }
    if (maps != NULL) {
        fclose(maps);
    }
}

static int taken(pthread_mutex_t *mutex, int rc, unsigned waited, void *caller)
{
    count_t *count = rc == 0 || rc == EOWNERDEAD ? count_of(mutex) : NULL;
    if (count != NULL) {
        if (count->caller == NULL) {
            count->caller = caller;
            count->is_shared = (mutex->__data.__kind & IS_SHARED) != 0;
            if (count->is_shared) {
                place_find(count->place, count->is);
            }
        }
        count->locked++;
        count->waited += waited;
        count->since = now();
    }
    return rc;
}

static void given(pthread_mutex_t *mutex)
{
    count_t *count = count_of(mutex);
    if (count != NULL && count->since != 0) {
        count->ns_held += now() - count->since;
        count->since = 0;
    }
}

#define CALLER __builtin_return_address(0)

/* Takes a mutex by call, which waits, if a try does not get it. */
#define TAKE(mutex, call)                                                                          \
    begin();                                                                                       \
    int rc = real.try(mutex);                                                                      \
    return rc != EBUSY ? taken(mutex, rc, 0, CALLER) : taken(mutex, call, 1, CALLER)

int pthread_mutex_lock(pthread_mutex_t *mutex)
{
    TAKE(mutex, real.lock(mutex));
}

int pthread_mutex_timedlock(pthread_mutex_t *mutex, const struct timespec *until)
{
    TAKE(mutex, real.timed(mutex, until));
}

int pthread_mutex_clocklock(pthread_mutex_t *mutex, clockid_t clock, const struct timespec *until)
{
    TAKE(mutex, real.by_clock(mutex, clock, until));
}

int pthread_mutex_trylock(pthread_mutex_t *mutex)
{
    begin();
    return taken(mutex, real.try(mutex), 0, CALLER);
}

int pthread_mutex_unlock(pthread_mutex_t *mutex)
{
    begin();
    given(mutex);
    return real.unlock(mutex);
}

/* Waiting for a condition gives the mutex back, and takes it. */
int pthread_cond_wait(pthread_cond_t *cond, pthread_mutex_t *mutex)
{
    begin();
    given(mutex);
    return taken(mutex, real.wait(cond, mutex), 0, CALLER);
}

int pthread_cond_timedwait(pthread_cond_t *cond, pthread_mutex_t *mutex,
                           const struct timespec *until)
{
    begin();
    given(mutex);
    int rc = real.wait_timed(cond, mutex, until);
    (void)taken(mutex, 0, 0, CALLER);
    return rc;
}

int pthread_cond_clockwait(pthread_cond_t *cond, pthread_mutex_t *mutex, clockid_t clock,
                           const struct timespec *until)
{
    begin();
    given(mutex);
    int rc = real.wait_by_clock(cond, mutex, clock, until);
    (void)taken(mutex, 0, 0, CALLER);
    return rc;
}

static void print_count(FILE *out, const count_t *count)
{
    Dl_info info = { 0 };
    if (count->locked == 0 || dladdr(count->caller, &info) == 0) {
        return;
    }
    fprintf(out, "%s %s %llx %llu %llu %llu %s\n", count->is_shared ? "shared" : "own",
            info.dli_fname, (unsigned long long)((char *)count->caller - (char *)info.dli_fbase),
            (unsigned long long)count->locked, (unsigned long long)count->waited,
            (unsigned long long)count->ns_held, count->is_shared ? count->place : "-");
}

__attribute__((destructor)) static void end(void)
{
    const char *dir = getenv("LOCK_COUNTS");
    char name[4096];
    snprintf(name, sizeof(name), "%s/%d", dir != NULL ? dir : ".", (int)getpid());
    FILE *out = dir != NULL ? fopen(name, "w") : NULL;
    if (out != NULL) {
        for (uint32_t i = 0; i < MUTEXES; i++) {
            print_count(out, &counts[i]);
        }
        fprintf(out, "shared atomic-operations 0 %llu 0 0 -\n", (unsigned long long)n_atomic);
        fclose(out);
    }
}
