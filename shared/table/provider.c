/* SPDX-License-Identifier: Apache-2.0 */
#include "table/provider.h"

#include <apr_escape.h>
#include <apr_general.h>

#define FROZEN (1u << 31) /* the highest bit of n */

void tmpl_head_pack(unsigned char bytes[TMPL_HEAD_SIZE], const tmpl_head_t *head)
{
    tmpl_put_le(bytes, head->site.pages, 4);
    tmpl_put_le(bytes + 4, head->site.version, 8);
    tmpl_put_le(bytes + 12, head->site.entries, 8);
    tmpl_put_le(bytes + 20, head->n | (head->site.frozen ? FROZEN : 0), 4);
    tmpl_put_le(bytes + 24, head->salt, 8);
    tmpl_put_le(bytes + 32, head->swept, 4);
}

int tmpl_head_unpack(tmpl_head_t *head, const void *bytes, size_t len)
{
    const unsigned char *at = bytes;
    if (len != TMPL_HEAD_SIZE) {
        return 0;
    }
    uint32_t n = (uint32_t)tmpl_get_le(at + 20, 4);
    *head = (tmpl_head_t){ { (uint32_t)tmpl_get_le(at, 4), tmpl_get_le(at + 4, 8),
                             tmpl_get_le(at + 12, 8), (n & FROZEN) != 0 },
                           n & ~FROZEN,
                           tmpl_get_le(at + 24, 8),
                           (uint32_t)tmpl_get_le(at + 32, 4) };
    return head->n <= TMPL_BUCKETS_MOST;
}

void tmpl_secret_draw(char secret[TMPL_SECRET_SIZE])
{
    unsigned char bytes[16];
    (void)apr_generate_random_bytes(bytes, sizeof(bytes));
    (void)apr_escape_hex(secret, bytes, sizeof(bytes), 0, NULL);
}

const tmpl_store_opts_t tmpl_store_opts_default = {
    .max_sites = 10000,
    .idle = 30 * 24 * apr_time_from_sec((apr_time_t)3600),
    .map_size = sizeof(void *) > 4 ? (apr_size_t)1 << 30 : (apr_size_t)256 << 20,
    .max_connections = 16,
    .patience = apr_time_from_sec(30),
};
