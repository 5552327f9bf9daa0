/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shared by the tests of LMDB: work in child processes, with a store or without; and access to the
 * file by LMDB alone.
 */
#ifndef TESTS_LMDB_FIXTURE_H
#define TESTS_LMDB_FIXTURE_H

#include "store_fixture.h"

#include <lmdb.h>

static inline const char *lmdb_dir(const ctx_t *c)
{
    return c->uri + strlen("lmdb:");
}

/* The URI of a new directory, with limits; sets c->uri to the URI without limits. */
static inline const char *backend_uri_limited(ctx_t *c, const char *limits)
{
    c->uri = backend_uri(LMDB, c->pool);
    return apr_pstrcat(c->pool, c->uri, "?", limits, NULL);
}

/* Runs child in a new process, without a store. */
static inline pid_t in_child_alone(ctx_t *c, unsigned number,
                                   int (*child)(ctx_t *c, unsigned number))
{
    pid_t pid = fork();

    assert_true(pid >= 0);
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        _exit(child(c, number));
    }
    return pid;
}

/* Runs child in a new process, with a store that this process opens. */
static inline pid_t in_child(ctx_t *c, unsigned number, int (*child)(ctx_t *c, unsigned number))
{
    pid_t pid = fork();

    assert_true(pid >= 0);
    if (pid == 0) {
        ctx_t *own = calloc(1, sizeof(*own));
        apr_status_t rv;

        prctl(PR_SET_PDEATHSIG, SIGKILL);
        apr_pool_create(&own->pool, NULL);
        own->uri = c->uri;
        rv = tmpl_store_open(&own->store, own->uri, NULL, &own->err, own->pool);
        if (rv == APR_SUCCESS) {
            rv = child(own, number);
            apr_pool_destroy(own->pool);
        }
        _exit(rv == APR_SUCCESS ? 0 : 1);
    }
    return pid;
}

static inline void assert_exits(pid_t pid)
{
    int status;

    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

#define PAGES_OF_PROCESS 50

static inline int child_learns(ctx_t *c, unsigned number)
{
    apr_status_t rv = APR_SUCCESS;

    for (unsigned i = 0; rv == APR_SUCCESS && i < PAGES_OF_PROCESS; i++) {
        unsigned page = number * PAGES_OF_PROCESS + i;

        rv = try_observe(c, "s", 2 * page, 2 * page + 1, 0, 20, &usual, 1, TIMEOUT);
    }
    return rv;
}

/* Opens the file by LMDB alone. Only in a child: this process must not have a store open on it. */
static inline int raw_begin(ctx_t *c, MDB_env **env, MDB_txn **txn, MDB_dbi *dbi, const char *name)
{
    return mdb_env_create(env) != 0 || mdb_env_set_maxdbs(*env, 4) != 0 ||
           mdb_env_open(*env, lmdb_dir(c), 0, 0600) != 0 ||
           mdb_txn_begin(*env, NULL, 0, txn) != 0 || mdb_dbi_open(*txn, name, 0, dbi) != 0;
}

/* Copies the record at a key, has patch change the copy and perhaps the key, puts it; 0: done. */
static inline int raw_patch(ctx_t *c, const char *table, const char *name,
                            void (*patch)(MDB_val *key, MDB_val *data, unsigned number),
                            unsigned number)
{
    unsigned char bytes[64];
    MDB_val key = { strlen(name), (void *)name }, data;
    MDB_env *env;
    MDB_txn *txn;
    MDB_dbi dbi;
    int wrong;

    if (raw_begin(c, &env, &txn, &dbi, table)) {
        return 1;
    }
    wrong = mdb_get(txn, dbi, &key, &data) != 0 || data.mv_size > sizeof(bytes);
    if (!wrong) {
        memcpy(bytes, data.mv_data, data.mv_size);
        data.mv_data = bytes;
        patch(&key, &data, number);
        wrong = mdb_put(txn, dbi, &key, &data, 0) != 0;
    }
    wrong |= mdb_txn_commit(txn) != 0;
    mdb_env_close(env);
    return wrong;
}

/* 0 if the file has number buckets, of all sites together; else 1. */
static inline int child_counts_buckets(ctx_t *c, unsigned number)
{
    MDB_stat stat;
    MDB_env *env;
    MDB_txn *txn;
    MDB_dbi dbi;
    int wrong;

    if (raw_begin(c, &env, &txn, &dbi, "entries")) {
        return 1;
    }
    wrong = mdb_stat(txn, dbi, &stat) != 0 || stat.ms_entries != number;
    mdb_txn_abort(txn);
    mdb_env_close(env);
    return wrong;
}

/* Opens a store in a new pool and returns the pool; to destroy the pool closes the store. */
static inline apr_pool_t *open_apart(ctx_t *c, uint32_t max_sites)
{
    tmpl_store_opts_t opts = tmpl_store_opts_default;
    apr_pool_t *pool;

    opts.max_sites = max_sites;
    apr_pool_create(&pool, NULL);
    assert_int_equal(tmpl_store_open(&c->store, c->uri, &opts, &c->err, pool), APR_SUCCESS);
    return pool;
}

/* uri must fail to open, with a message that names it. */
static inline apr_status_t cannot_open(ctx_t *c, const char *uri)
{
    tmpl_store_t *store = NULL;
    apr_status_t rv = tmpl_store_open(&store, uri, NULL, &c->err, c->pool);

    assert_int_not_equal(rv, APR_SUCCESS);
    assert_int_equal(rv, c->err.status);
    assert_non_null(strstr(c->err.text, uri));
    return rv;
}

#endif
