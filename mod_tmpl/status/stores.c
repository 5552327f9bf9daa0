/* SPDX-License-Identifier: Apache-2.0 */
#include <signal.h>
#include <unistd.h>

#include <apr_atomic.h>

#include "counters.h"
#include "stores.h"

#define CHILDREN  1024
#define NAME_SIZE 256

/* The figures of one child about a store. */
enum {
    PAUSED,                        /* whether the child does not use it, for each purpose */
    FULL = PAUSED + TMPL_PURPOSES, /* whether its last write found no room */
    WAITING_PAGES,
    WAITING_BYTES,
    FIGURES
};

/* A child. Each child writes its own record only. */
typedef struct {
    volatile apr_uint32_t pid; /* 0: free */
    volatile apr_uint64_t figures[TMPL_STORES_MOST][FIGURES];
} child_t;

typedef struct {
    struct {
        char name[NAME_SIZE]; /* the URI without a password; "": free */
        volatile apr_uint64_t errors[TMPL_PURPOSES];
    } stores[TMPL_STORES_MOST];
    child_t children[CHILDREN];
} shared_t;

static const char *const purposes[TMPL_PURPOSES] = {
    [TMPL_PURPOSE_LOOKUP] = "look-up",
    [TMPL_PURPOSE_LEARN] = "learn",
};

static shared_t *shared;                 /* NULL: no memory */
static int configured[TMPL_STORES_MOST]; /* numbers of the stores of this configuration */
static int n_configured;
static child_t *child; /* the record of this child; NULL: there was no place for it */

void tmpl_stores_create(server_rec *s)
{
    shared = tmpl_shm(s, "stores", sizeof(*shared));
    n_configured = 0;
    child = NULL;
}

int tmpl_stores_add(const char *name)
{
    for (int i = 0; shared != NULL && n_configured < TMPL_STORES_MOST && i < TMPL_STORES_MOST;
         i++) {
        char *known = shared->stores[i].name;
        if (*known == '\0') {
            apr_cpystrn(known, name, NAME_SIZE);
        }
        if (strncmp(known, name, NAME_SIZE - 1) == 0) {
            configured[n_configured++] = i;
            return i;
        }
    }
    return -1;
}

static int is_alive(child_t *of)
{
    apr_uint32_t pid = apr_atomic_read32(&of->pid);
    return pid != 0 && (kill((pid_t)pid, 0) == 0 || errno != ESRCH);
}

static apr_status_t leave(void *data)
{
    child_t *mine = data;
    child = NULL;
    apr_atomic_set32(&mine->pid, 0);
    return APR_SUCCESS;
}

void tmpl_stores_join(apr_pool_t *pchild)
{
    apr_uint32_t me = (apr_uint32_t)getpid();
    for (int i = 0; shared != NULL && child == NULL && i < CHILDREN; i++) {
        child_t *at = &shared->children[i];
        apr_uint32_t pid = apr_atomic_read32(&at->pid);
        if ((pid == me || !is_alive(at)) && apr_atomic_cas32(&at->pid, me, pid) == pid) {
            memset((void *)at->figures, 0, sizeof(at->figures));
            child = at;
            apr_pool_cleanup_register(pchild, at, leave, apr_pool_cleanup_null);
        }
    }
}

/* Sets a figure of this child. */
static void set(int store, int figure, apr_uint64_t value)
{
    if (store >= 0 && child != NULL) {
        apr_atomic_set64(&child->figures[store][figure], value);
    }
}

void tmpl_stores_error(int store, tmpl_purpose_e purpose)
{
    if (store >= 0) {
        apr_atomic_inc64(&shared->stores[store].errors[purpose]);
    }
}

void tmpl_stores_paused(int store, tmpl_purpose_e purpose, int is_paused)
{
    set(store, PAUSED + (int)purpose, is_paused != 0);
}

void tmpl_stores_full(int store, int is_full)
{
    set(store, FULL, is_full != 0);
}

void tmpl_stores_waiting(int store, apr_uint32_t pages, apr_size_t bytes)
{
    set(store, WAITING_PAGES, pages);
    set(store, WAITING_BYTES, bytes);
}

const char *tmpl_stores_name(int i)
{
    return i < n_configured ? shared->stores[configured[i]].name : NULL;
}

json_t *tmpl_stores(apr_pool_t *pool)
{
    json_t *list = json_array();
    for (int i = 0; i < n_configured; i++) {
        int store = configured[i];
        json_int_t sums[FIGURES] = { 0 };
        volatile apr_uint64_t *errors = shared->stores[store].errors;
        for (int c = 0; c < CHILDREN; c++) {
            int n = is_alive(&shared->children[c]) ? FIGURES : 0;
            for (int k = 0; k < n; k++) {
                sums[k] += (json_int_t)apr_atomic_read64(&shared->children[c].figures[store][k]);
            }
        }
        json_array_append_new(list,
                              json_pack("{s:o, s:{s:I, s:I}, s:{s:I, s:I}, s:I, s:I, s:I}", "store",
                                        tmpl_json_text(shared->stores[store].name, pool), "errors",
                                        purposes[0], (json_int_t)apr_atomic_read64(&errors[0]),
                                        purposes[1], (json_int_t)apr_atomic_read64(&errors[1]),
                                        "breakers_open", purposes[0], sums[PAUSED], purposes[1],
                                        sums[PAUSED + 1], "waiting_pages", sums[WAITING_PAGES],
                                        "waiting_bytes", sums[WAITING_BYTES], "full", sums[FULL]));
    }
    return list;
}
