/* SPDX-License-Identifier: Apache-2.0 */
/* The slot of a key in a Redis Cluster. */
#ifndef TMPL_REDIS_SLOT_H
#define TMPL_REDIS_SLOT_H

#define TMPL_REDIS_SLOTS 16384

/*
 * CRC16 (XMODEM: polynomial 0x1021, from 0) modulo 16384 of the key's hash tag: the bytes between
 * the first { and the next }. Without a tag, or if it is empty, the whole key counts. Source: Redis
 * Cluster specification, "Key distribution model" and "Hash tags".
 */
unsigned tmpl_redis_slot(const char *key);

#endif
