/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "table/redis/redis_error.h"
#include "table/redis/redis_places.h"
#include "table/redis/redis_slot.h"

tmpl_redis_command_t tmpl_redis_sentinel_ask(const tmpl_redis_address_t *address, apr_pool_t *pool)
{
    const char **argv = apr_palloc(pool, 3 * sizeof(*argv));

    argv[0] = "SENTINEL";
    argv[1] = "get-master-addr-by-name";
    argv[2] = address->master;
    return (tmpl_redis_command_t){ 3, argv, NULL };
}

/*
 * The reply has two strings, the host and the port, or is nil if the sentinel does not know the
 * name.
 */
apr_status_t tmpl_redis_sentinel_read(const redisReply *reply, const tmpl_redis_server_t *asked,
                                      apr_array_header_t *ranges, tmpl_error_t *err)
{
    tmpl_redis_range_t all = { 0, TMPL_REDIS_SLOTS - 1, { "", 0 } };

    if (reply->type == REDIS_REPLY_NIL) {
        return tmpl_fail(err, APR_EGENERAL, "%s: the sentinel knows no master of that name",
                         asked->name);
    }
    if (reply->type != REDIS_REPLY_ARRAY || reply->elements != 2 ||
        reply->element[0]->type != REDIS_REPLY_STRING ||
        reply->element[1]->type != REDIS_REPLY_STRING ||
        !tmpl_redis_place_fill(&all.place, reply->element[0]->str, reply->element[0]->len,
                               strtol(reply->element[1]->str, NULL, 10), &asked->place)) {
        return tmpl_redis_garbage(asked->name, err);
    }
    APR_ARRAY_PUSH(ranges, tmpl_redis_range_t) = all;
    return APR_SUCCESS;
}
