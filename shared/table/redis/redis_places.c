/* SPDX-License-Identifier: Apache-2.0 */
#include "table/redis/redis_topology.h"

#include <stdlib.h>
#include <string.h>

#define POLYNOMIAL 0x1021u

unsigned tmpl_redis_slot(const char *key)
{
    const char *open = strchr(key, '{');
    const char *close = open != NULL ? strchr(open, '}') : NULL;
    size_t len = strlen(key);
    unsigned crc = 0;
    if (close != NULL && close > open + 1) {
        key = open + 1;
        len = (size_t)(close - key);
    }
    for (size_t i = 0; i < len; i++) {
        crc ^= (unsigned)(unsigned char)key[i] << 8;
        for (int bit = 0; bit < 8; bit++) {
            crc = (crc << 1) ^ ((crc & 0x8000u) != 0 ? POLYNOMIAL : 0);
        }
    }
    return (crc & 0xffffu) % TMPL_REDIS_SLOTS;
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

/* Reads a range: first slot, last slot, and the master (host, port, and more). Replicas follow. */
static int range_read(tmpl_redis_range_t *range, const redisReply *reply,
                      const tmpl_redis_place_t *asked)
{
    if (reply->type != REDIS_REPLY_ARRAY || reply->elements < 3 ||
        reply->element[0]->type != REDIS_REPLY_INTEGER ||
        reply->element[1]->type != REDIS_REPLY_INTEGER ||
        reply->element[2]->type != REDIS_REPLY_ARRAY || reply->element[2]->elements < 2) {
        return 0;
    }
    long long first = reply->element[0]->integer, last = reply->element[1]->integer;
    const redisReply *host = reply->element[2]->element[0], *port = reply->element[2]->element[1];
    range->first = (unsigned)first;
    range->last = (unsigned)last;
    /* no host: the node does not know by what name we call it */
    return first >= 0 && first <= last && last < TMPL_REDIS_SLOTS &&
           (host->type == REDIS_REPLY_STRING || host->type == REDIS_REPLY_NIL) &&
           port->type == REDIS_REPLY_INTEGER &&
           tmpl_redis_place_fill(&range->place, host->str, host->len, port->integer, asked);
}

apr_status_t tmpl_redis_cluster_read(const redisReply *reply, const tmpl_redis_server_t *asked,
                                     apr_array_header_t *ranges, tmpl_error_t *err)
{
    if (reply->type != REDIS_REPLY_ARRAY) {
        return tmpl_redis_garbage(asked->name, err);
    }
    for (size_t i = 0; i < reply->elements; i++) {
        tmpl_redis_range_t range;

        if (!range_read(&range, reply->element[i], &asked->place)) {
            return tmpl_redis_garbage(asked->name, err);
        }
        APR_ARRAY_PUSH(ranges, tmpl_redis_range_t) = range;
    }
    return ranges->nelts > 0
               ? APR_SUCCESS
               : tmpl_fail(err, APR_EAGAIN, "%s: no server of the Redis Cluster has a slot yet",
                           asked->name);
}

/* "MOVED 3999 127.0.0.1:6381", and the same with ASK. */
int tmpl_redis_referral_read(tmpl_redis_referral_t *referral, const redisReply *reply,
                             const tmpl_redis_place_t *asked)
{
    char *end;
    referral->is_ask = tmpl_redis_is_error(reply, "ASK ");
    if (!referral->is_ask && !tmpl_redis_is_error(reply, "MOVED ")) {
        return 0;
    }
    const char *digits = strchr(reply->str, ' ') + 1;
    unsigned long slot = strtoul(digits, &end, 10);
    referral->to.first = referral->to.last = (unsigned)slot;
    return end > digits && slot < TMPL_REDIS_SLOTS && *end == ' ' &&
           tmpl_redis_place_parse(&referral->to.place, end + 1, asked);
}
