/* SPDX-License-Identifier: Apache-2.0 */
/* What the codes of LMDB and of the system mean for a store. */
#include <errno.h>

#include "table/lmdb/lmdb_env.h"

static const struct {
    int rc;
    apr_status_t status;
    const char *text;
} meanings[] = {
    { MDB_MAP_FULL, APR_ENOSPC, "the map is full: allow it more bytes, or forget sites" },
    { MDB_TXN_FULL, APR_ENOSPC, "the change is too large for one transaction" },
    { ENOSPC, APR_ENOSPC, "the disk is full" },
    { EDQUOT, APR_ENOSPC, "the disk quota is used up" },
    { EFBIG, APR_ENOSPC, "the file may not grow further" },
    { EROFS, APR_ENOSPC, "the file system is read-only" },
    /* LMDB's code for a write of which only a part found room */
    { EIO, APR_ENOSPC, "a write broke off: the disk is full, or fails" },
    { MDB_READERS_FULL, APR_EAGAIN, "too many readers at once" },
    { ETIMEDOUT, APR_TIMEUP, "another writer did not finish in time" },
    { MDB_INVALID, APR_EGENERAL, "data.mdb is no LMDB file: move it away" },
    { MDB_CORRUPTED, APR_EGENERAL, "data.mdb is damaged: move it away" },
    { MDB_PAGE_NOTFOUND, APR_EGENERAL, "data.mdb is damaged: move it away" },
    { MDB_PANIC, APR_EGENERAL, "the disk failed an earlier write" },
    { MDB_VERSION_MISMATCH, APR_EGENERAL, "data.mdb is of another version of LMDB" },
    { MDB_INCOMPATIBLE, APR_EGENERAL, "data.mdb is not of this version of mod_tmpl: move it away" },
};

apr_status_t tmpl_lmdb_dir_fail(const char *dir, int rc, tmpl_error_t *err, const char *doing)
{
    for (size_t i = 0; i < sizeof(meanings) / sizeof(meanings[0]); i++) {
        if (meanings[i].rc == rc) {
            return tmpl_fail(err, meanings[i].status, "lmdb:%s: %s: %s", dir, doing,
                             meanings[i].text);
        }
    }
    return tmpl_fail(err, rc > 0 ? APR_FROM_OS_ERROR(rc) : APR_EGENERAL, "lmdb:%s: %s: %s", dir,
                     doing, mdb_strerror(rc));
}
