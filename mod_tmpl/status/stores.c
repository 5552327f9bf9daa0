/* SPDX-License-Identifier: Apache-2.0 */
#include <signal.h>
#include <unistd.h>

#include <apr_atomic.h>

#include "ring.h"
#include "shm.h"
#include "stores.h"

typedef struct {
    char name[TMPL_STORE_NAME];
    volatile apr_uint64_t errors[TMPL_PURPOSES];
} store_t;

/* The figures of one child about a store. */
typedef struct {
    volatile apr_uint32_t open[TMPL_PURPOSES];
    volatile apr_uint32_t full;
    volatile apr_uint32_t waiting_pages;
    volatile apr_uint64_t waiting_bytes;
} use_t;

/* A child. Each child writes its own record only. */
typedef struct {
    volatile apr_uint32_t pid; /* 0: free */
    use_t uses[TMPL_STORES_MOST];
} child_t;

typedef struct {
    store_t stores[TMPL_STORES_MOST];
    child_t children[TMPL_STORES_CHILDREN];
} shared_t;

static const char *const purposes[TMPL_PURPOSES] = {
    [TMPL_PURPOSE_LOOKUP] = "look-up",
    [TMPL_PURPOSE_LEARN] = "learn",
};
static const char *const events[TMPL_STORE_EVENT_COUNT] = {
    [TMPL_STORE_EVENT_FAILS] = "fails",     [TMPL_STORE_EVENT_ANSWERS] = "answers",
    [TMPL_STORE_EVENT_FULL] = "full",       [TMPL_STORE_EVENT_HAS_ROOM] = "has-room",
    [TMPL_STORE_EVENT_DAMAGED] = "damaged", [TMPL_STORE_EVENT_LOST] = "lost",
};

static shared_t *shared; /* NULL: no memory */
static tmpl_ring_t *rings[TMPL_STORES_MOST];
static int configured[TMPL_STORES_MOST]; /* numbers of the stores of this configuration */
static int n_configured;
static child_t *child; /* the record of this child; NULL: there was no place for it */

const char *tmpl_purpose_name(tmpl_purpose_e purpose)
{
    return (unsigned)purpose < TMPL_PURPOSES ? purposes[purpose] : "unknown";
}

const char *tmpl_store_event_name(tmpl_store_event_e event)
{
    return (unsigned)event < TMPL_STORE_EVENT_COUNT ? events[event] : "unknown";
}

void tmpl_stores_create(server_rec *s)
{
    char name[] = "store-events-NN";
    int i;

    shared = tmpl_shm(s, "stores", sizeof(*shared));
    for (i = 0; i < TMPL_STORES_MOST; i++) {
        apr_snprintf(name, sizeof(name), "store-events-%d", i);
        rings[i] = tmpl_ring_create(s, name, TMPL_STORES_EVENTS, sizeof(tmpl_store_event_t));
    }
    n_configured = 0;
    child = NULL;
}

int tmpl_stores_add(const char *name)
{
    int i;

    if (shared == NULL || n_configured == TMPL_STORES_MOST) {
        return -1;
    }
    for (i = 0; i < TMPL_STORES_MOST; i++) {
        store_t *store = &shared->stores[i];

        if (store->name[0] == '\0') {
            apr_cpystrn(store->name, name, sizeof(store->name));
        }
        if (strncmp(store->name, name, sizeof(store->name) - 1) == 0) {
            configured[n_configured++] = i;
            return i;
        }
    }
    return -1;
}

static int is_alive(const child_t *of)
{
    apr_uint32_t pid = apr_atomic_read32((volatile apr_uint32_t *)&of->pid);

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
    int i;

    for (i = 0; shared != NULL && child == NULL && i < TMPL_STORES_CHILDREN; i++) {
        child_t *at = &shared->children[i];
        apr_uint32_t pid = apr_atomic_read32(&at->pid);

        if ((pid == me || !is_alive(at)) && apr_atomic_cas32(&at->pid, me, pid) == pid) {
            memset(at->uses, 0, sizeof(at->uses));
            child = at;
            apr_pool_cleanup_register(pchild, at, leave, apr_pool_cleanup_null);
        }
    }
}

void tmpl_stores_error(int store, tmpl_purpose_e purpose)
{
    if (store >= 0) {
        apr_atomic_inc64(&shared->stores[store].errors[purpose]);
    }
}

void tmpl_stores_event(int store, tmpl_purpose_e purpose, tmpl_store_event_e event,
                       const char *text)
{
    tmpl_store_event_t added = { .time = apr_time_now(), .what = event, .purpose = purpose };

    if (store < 0) {
        return;
    }
    apr_cpystrn(added.text, text, sizeof(added.text));
    tmpl_ring_add(rings[store], &added);
    if (child != NULL && (event == TMPL_STORE_EVENT_FAILS || event == TMPL_STORE_EVENT_ANSWERS)) {
        apr_atomic_set32(&child->uses[store].open[purpose], event == TMPL_STORE_EVENT_FAILS);
    }
    if (child != NULL && (event == TMPL_STORE_EVENT_FULL || event == TMPL_STORE_EVENT_HAS_ROOM)) {
        apr_atomic_set32(&child->uses[store].full, event == TMPL_STORE_EVENT_FULL);
    }
}

void tmpl_stores_waiting(int store, apr_uint32_t pages, apr_size_t bytes)
{
    if (store >= 0 && child != NULL) {
        apr_atomic_set32(&child->uses[store].waiting_pages, pages);
        apr_atomic_set64(&child->uses[store].waiting_bytes, bytes);
    }
}

static void add_child(tmpl_store_status_t *status, child_t *of, int store)
{
    use_t *use = &of->uses[store];
    int i;

    for (i = 0; i < TMPL_PURPOSES; i++) {
        status->open[i] += apr_atomic_read32(&use->open[i]);
    }
    status->full += apr_atomic_read32(&use->full);
    status->waiting_pages += apr_atomic_read32(&use->waiting_pages);
    status->waiting_bytes += apr_atomic_read64(&use->waiting_bytes);
}

static void read_store(tmpl_store_status_t *status, int store, apr_pool_t *pool)
{
    tmpl_store_event_t *list = apr_palloc(pool, TMPL_STORES_EVENTS * sizeof(*list));
    int i;

    memset(status, 0, sizeof(*status));
    status->name = apr_pstrdup(pool, shared->stores[store].name);
    for (i = 0; i < TMPL_PURPOSES; i++) {
        status->errors[i] = apr_atomic_read64(&shared->stores[store].errors[i]);
    }
    status->events = list;
    status->n_events = tmpl_ring_read(rings[store], list, TMPL_STORES_EVENTS);
}

apr_array_header_t *tmpl_stores_list(apr_pool_t *pool)
{
    apr_array_header_t *list = apr_array_make(pool, TMPL_STORES_MOST, sizeof(tmpl_store_status_t));
    int i, c;

    for (i = 0; i < n_configured; i++) {
        read_store(apr_array_push(list), configured[i], pool);
    }
    for (c = 0; shared != NULL && c < TMPL_STORES_CHILDREN; c++) {
        child_t *of = &shared->children[c];

        for (i = 0; is_alive(of) && i < n_configured; i++) {
            add_child(&APR_ARRAY_IDX(list, i, tmpl_store_status_t), of, configured[i]);
        }
    }
    return list;
}
