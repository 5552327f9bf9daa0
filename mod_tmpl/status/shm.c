/* SPDX-License-Identifier: Apache-2.0 */
#include <apr_shm.h>

#include "shm.h"
#include "messages.h"

typedef struct {
    apr_shm_t *shm; /* NULL: there is none */
    apr_size_t size;
} piece_t;

void *tmpl_shm(server_rec *s, const char *name, apr_size_t size)
{
    const char *key = apr_pstrcat(s->process->pool, "mod_tmpl-" TMPL_VERSION "-", name, NULL);
    piece_t *piece = ap_retained_data_get(key); /* outlives restarts */
    apr_status_t rv;

    if (piece == NULL) {
        piece = ap_retained_data_create(key, sizeof(*piece));
    }
    if (piece->shm != NULL && piece->size != size) {
        /* children from before the restart still use their own mapping */
        apr_shm_destroy(piece->shm);
        piece->shm = NULL;
    }
    if (piece->shm == NULL) {
        rv = apr_shm_create(&piece->shm, size, NULL, s->process->pool);
        if (rv != APR_SUCCESS) {
            piece->shm = NULL;
            ap_log_error(APLOG_MARK, APLOG_WARNING, rv, s, TMPL_LOG_COUNTERS);
            return NULL;
        }
        piece->size = size;
        memset(apr_shm_baseaddr_get(piece->shm), 0, size);
    }
    return apr_shm_baseaddr_get(piece->shm);
}
