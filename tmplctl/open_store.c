/* SPDX-License-Identifier: Apache-2.0 */
#include "ctl.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <apr_env.h>
#include <apr_file_info.h>
#include <apr_strings.h>

#include "files.h"

/* The store of a run that was given none. */
#define DEFAULT_URI "memory:"

/* Sites that a message names at most. */
#define SITES_NAMED 5

/* Commands that change nothing. */
#define READERS (CTL_IN_EXPLAIN | CTL_IN_TEMPLATE | CTL_IN_STATS | CTL_IN_EXPORT | CTL_IN_CHECK)

/* Commands that fill the store of a server. */
#define FILLERS (CTL_IN_WARM | CTL_IN_IMPORT | CTL_IN_MERGE)

/* LMDB creates a missing store. A command that only reads must report a mistyped name instead. */
static apr_status_t check_exists(const char *uri, const ctl_t *ctl)
{
    const char *dir = tmpl_store_directory(uri, ctl->pool);
    apr_finfo_t info;
    if (dir == NULL) {
        return APR_SUCCESS;
    }
    apr_status_t status =
        apr_stat(&info, apr_pstrcat(ctl->pool, dir, "/data.mdb", NULL), APR_FINFO_TYPE, ctl->pool);
    if (APR_STATUS_IS_EACCES(status)) {
        ctl_say("%s: %s: permission denied: only root and the user of httpd may read a server's "
                "store",
                ctl->command->name, uri);
    }
    else if (status != APR_SUCCESS) {
        ctl_say("%s: %s: no store found: %s", ctl->command->name, uri,
                ctl_error_text(status, ctl->pool));
    }
    return status;
}

/*
 * Becomes the user who owns the store's directory: a server that runs as this user could not use
 * files that root creates there. Sets *other if that was necessary: then call become_root()
 * afterwards.
 */
static apr_status_t become_owner(int *other, const char *uri, tmpl_error_t *err, apr_pool_t *pool)
{
    const char *dir = tmpl_store_directory(uri, pool);
    struct stat st;
    *other = dir != NULL && geteuid() == 0 && stat(dir, &st) == 0 && st.st_uid != 0;
    if (*other && (setegid(st.st_gid) != 0 || seteuid(st.st_uid) != 0)) {
        return tmpl_fail(err, APR_FROM_OS_ERROR(errno), "%s: cannot become its owner, user %u: %s",
                         uri, (unsigned)st.st_uid, strerror(errno));
    }
    return APR_SUCCESS;
}

static void become_root(int other)
{
    if (other && (seteuid(0) != 0 || setegid(0) != 0)) {
        abort();
    }
}

/* A command that only reads leaves a damaged store as it is. */
static apr_status_t open_as_owner(tmpl_store_t **store, const char *uri, int only_reads,
                                  tmpl_error_t *err, apr_pool_t *pool)
{
    tmpl_store_opts_t opts = tmpl_store_opts_default;
    opts.leaves_damaged = only_reads;
    int other;
    apr_status_t status = become_owner(&other, uri, err, pool);
    if (status == APR_SUCCESS) {
        status = tmpl_store_open(store, uri, &opts, err, pool);
        become_root(other);
    }
    return status;
}

/* Without --secret, the store's secret seeds the keys of pages. */
static apr_status_t find_secret_seed(ctl_t *ctl, tmpl_store_t *store, tmpl_error_t *err)
{
    uint64_t *seed = &ctl->options.clean.page.seed;
    char secret[TMPL_SECRET_SIZE];
    if ((ctl->command->bit & CTL_IN_JUDGING) == 0 || *seed != 0) {
        return APR_SUCCESS;
    }
    apr_status_t status = tmpl_store_secret(store, secret, CTL_STORE_TIMEOUT, err, ctl->pool);
    if (status == APR_SUCCESS) {
        *seed = tmpl_seed(secret);
    }
    return status;
}

/* Whether the store has a directory that is not there yet: perhaps its name is mistyped. */
static int is_missing(const char *uri, apr_pool_t *pool)
{
    const char *dir = tmpl_store_directory(uri, pool);
    struct stat st;
    return dir != NULL && stat(dir, &st) != 0;
}

static apr_status_t open_at(ctl_store_t *store, const char *uri, ctl_t *ctl)
{
    tmpl_error_t err;
    int only_reads = (ctl->command->bit & READERS) != 0 || ctl->options.frozen;
    int must_exist = only_reads || ctl->command->bit == CTL_IN_FORGET;
    apr_status_t status = must_exist ? check_exists(uri, ctl) : APR_SUCCESS;
    if (status != APR_SUCCESS) {
        return status;
    }
    int is_new = (ctl->command->bit & FILLERS) != 0 && is_missing(uri, ctl->pool);
    if (strncmp(uri, "rediss", 6) == 0) {
        signal(SIGPIPE, SIG_IGN); /* OpenSSL writes to a server that may be gone */
    }
    apr_pool_create(&store->pool, ctl->pool);
    status = open_as_owner(&store->store, uri, only_reads, &err, store->pool);
    if (status != APR_SUCCESS) {
        ctl_say("%s: %s", ctl->command->name, err.text);
        apr_pool_destroy(store->pool);
        return status;
    }
    if (is_new) {
        ctl_say("%s: %s is a new store%s", ctl->command->name, uri,
                geteuid() == 0 ? ", of root: give its directory to the user of httpd (chown -R)"
                               : "");
    }
    if (tmpl_store_moved(store->store) != NULL) {
        ctl_say("%s: %s was damaged: its file is %s now, and it begins anew", ctl->command->name,
                uri, tmpl_store_moved(store->store));
    }
    status = find_secret_seed(ctl, store->store, &err);
    if (status != APR_SUCCESS && ctl->command->bit == CTL_IN_CLEAN) {
        store->failed = err;
        return APR_SUCCESS;
    }
    if (status != APR_SUCCESS) {
        ctl_say("%s: %s", ctl->command->name, err.text);
        apr_pool_destroy(store->pool);
        store->store = NULL;
    }
    return status;
}

apr_status_t ctl_store_open(ctl_store_t *store, ctl_t *ctl)
{
    return open_at(store, ctl->options.store != NULL ? ctl->options.store : DEFAULT_URI, ctl);
}

void ctl_store_close(ctl_store_t *store)
{
    apr_pool_destroy(store->pool);
}

int ctl_store_uri(const char **uri, const ctl_t *ctl)
{
    tmpl_error_t err;
    char *env = NULL;
    *uri = ctl->options.store;
    if (*uri != NULL) {
        return CTL_OK;
    }
    if (apr_env_get(&env, "TMPL_STORE", ctl->pool) != APR_SUCCESS || env[0] == '\0') {
        ctl_say("%s: no store given: use --store URI or set TMPL_STORE", ctl->command->name);
        return CTL_USAGE;
    }
    if (tmpl_store_check_uri(env, &err, ctl->pool) != APR_SUCCESS) {
        ctl_say("%s: TMPL_STORE: %s", ctl->command->name, err.text);
        return CTL_USAGE;
    }
    *uri = env;
    return CTL_OK;
}

int ctl_store_examine(const char *uri, const ctl_t *ctl)
{
    tmpl_error_t err;
    int other;
    if (check_exists(uri, ctl) != APR_SUCCESS) {
        return CTL_FAILED;
    }
    apr_status_t status = become_owner(&other, uri, &err, ctl->pool);
    if (status == APR_SUCCESS) {
        status = tmpl_store_examine(uri, &err, ctl->pool);
        become_root(other);
    }
    if (status != APR_SUCCESS) {
        ctl_say("%s: %s", ctl->command->name, err.text);
        return CTL_FAILED;
    }
    return CTL_OK;
}

int ctl_store_with(ctl_t *ctl, int (*work)(ctl_t *ctl, tmpl_store_t *store))
{
    ctl_store_t store = { 0 };
    const char *uri;
    int code = ctl_store_uri(&uri, ctl);
    if (code != CTL_OK) {
        return code;
    }
    if (open_at(&store, uri, ctl) != APR_SUCCESS) {
        return CTL_FAILED;
    }
    code = work(ctl, store.store);
    ctl_store_close(&store);
    return code;
}

/* The sites of a store, as far as a message names them. */
typedef struct {
    const char *names;
    int n;
    apr_pool_t *pool;
} sites_named_t;

static apr_status_t name_site(void *baton, const char *site)
{
    sites_named_t *named = baton;
    const char *shown = named->n < SITES_NAMED ? site : "others: tmplctl stats has all";
    named->names = apr_pstrcat(named->pool, named->names, named->n > 0 ? ", " : "", shown, NULL);
    return named->n++ < SITES_NAMED ? APR_SUCCESS : APR_EOF;
}

void ctl_store_has_no(const ctl_t *ctl, tmpl_store_t *store, const char *site)
{
    sites_named_t named = { "", 0, ctl->pool };
    (void)tmpl_store_sites(store, name_site, &named, NULL, ctl->pool);
    ctl_say("%s: the store has no site \"%s\"%s%s", ctl->command->name, site,
            named.n > 0 ? "; it has " : ", nor any other", named.names);
}

int ctl_store_failed(const ctl_t *ctl, tmpl_store_t *store, const char *site, apr_status_t status,
                     const tmpl_error_t *err)
{
    if (APR_STATUS_IS_NOTFOUND(status)) {
        ctl_store_has_no(ctl, store, site);
    }
    else {
        ctl_say("%s: %s: %s", ctl->command->name, site, err->text);
    }
    return CTL_FAILED;
}
