/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The part of a site's hash in Redis that some pages need: which fields to ask for, what the answers say,
 * and which fields to write once the pages have been counted (rules.h). No server is asked here.
 *
 * Fields of the hash:
 *     "h"                      the head: clock 4, version 8, entries 4; of documents and of segments how
 *                              many drawers (4) and how many entries in them (4); the cursor of the
 *                              sweeper as text. Integers are little-endian
 *     key (9)                  an entry that stands alone: its value (entry.h)
 *     128 + kind, number (3)   a drawer (drawer.h)
 */
#ifndef TMPL_STORE_REDIS_TABLE_H
#define TMPL_STORE_REDIS_TABLE_H

#include <hiredis/hiredis.h>

#include "store/drawer.h"
#include "store/rules.h"

#define TMPL_REDIS_HEAD         "h"
#define TMPL_REDIS_HEAD_MOST    64 /* bytes of its value */
#define TMPL_REDIS_DRAWER_FIELD 4  /* bytes of a drawer's field */
#define TMPL_REDIS_DRAWERS_MOST (1 << 24)

typedef struct {
    tmpl_rules_site_t site;
    tmpl_drawers_t drawers[TMPL_DRAWER_KINDS];
    char cursor[24];
} tmpl_redis_head_t;

/* To bytes: returns their number. From bytes: 0 if they are no head. */
size_t tmpl_redis_head_pack(unsigned char bytes[TMPL_REDIS_HEAD_MOST],
                            const tmpl_redis_head_t *head);
int tmpl_redis_head_unpack(tmpl_redis_head_t *head, const void *bytes, size_t len);

void tmpl_redis_drawer_field(unsigned char field[TMPL_REDIS_DRAWER_FIELD], tmpl_kind_e kind,
                             uint32_t n);
/* The kind and the number of the drawer of a field; 0 if it is none of a drawer. */
int tmpl_redis_drawer_unpack(const void *field, size_t len, tmpl_kind_e *kind, uint32_t *n);

/* How many drawers a site has that has so many entries for them. */
uint32_t tmpl_redis_drawers_for(uint32_t entries);

typedef struct tmpl_redis_table_t tmpl_redis_table_t;

/* An empty one, in pool. */
tmpl_redis_table_t *tmpl_redis_table_make(apr_pool_t *pool);

/* The slot of a key, the same one for the same key; it lives as long as the table. */
tmpl_slot_t *tmpl_redis_table_slot(tmpl_redis_table_t *table, tmpl_key_t key);

/* What is known of a site before it is asked for. */
typedef struct {
    const tmpl_drawers_t *drawers; /* of each kind */
    /* Whether a key stands alone for all that is known, so that its drawer need not be asked for. */
    int (*stands_alone)(void *baton, tmpl_key_t key);
    void *baton;
} tmpl_redis_guess_t;

/*
 * Begins to ask: afterwards fields counts the fields to ask for, and field fills the i-th; max_reply is
 * how many bytes the answers may have.
 */
void tmpl_redis_table_ask(tmpl_redis_table_t *table, const tmpl_redis_guess_t *guess);
uint32_t tmpl_redis_table_fields(const tmpl_redis_table_t *table);
size_t tmpl_redis_table_field(const tmpl_redis_table_t *table, uint32_t i,
                              unsigned char field[TMPL_KEY_SIZE]);
size_t tmpl_redis_table_max_reply(const tmpl_redis_table_t *table);

/* Takes the answer for the i-th field, which must live on; 0 if it is none that Redis gives. */
int tmpl_redis_table_take(tmpl_redis_table_t *table, uint32_t i, const redisReply *answer);

/*
 * All answers are in: fills the slots. Returns 0 if the guess was wrong, and the table must be asked for
 * again with head's drawers and nothing said of who stands alone.
 */
int tmpl_redis_table_settle(tmpl_redis_table_t *table);

/* The head; it may be written to. has_head: the server has one. */
tmpl_redis_head_t *tmpl_redis_table_head(tmpl_redis_table_t *table);
int tmpl_redis_table_has_head(const tmpl_redis_table_t *table);

/*
 * Pages have been counted. Returns how many drawers more must be asked for before the table can be
 * written, as they are to be parted: as above, fields are counted from from on, up to fields.
 */
uint32_t tmpl_redis_table_grow(tmpl_redis_table_t *table, uint32_t *from);

/* What was counted goes to its place, in drawers or alone; what is dead leaves the drawers that change. */
void tmpl_redis_table_put_away(tmpl_redis_table_t *table, const tmpl_lifetimes_t *lifetimes);

/* After that: a field that the sweeper has come upon: removes what is dead of it. The value must live on. */
void tmpl_redis_table_sweep(tmpl_redis_table_t *table, const redisReply *field,
                            const redisReply *value, const tmpl_lifetimes_t *lifetimes);

/* Where changes go; what is pointed to lives as long as the table. */
typedef struct {
    void (*put)(void *baton, const void *field, size_t field_len, const void *value, size_t len);
    void (*del)(void *baton, const void *field, size_t field_len);
    void *baton;
} tmpl_redis_changes_t;

/* All that has changed, the head last. Returns how many fields are new. */
uint32_t tmpl_redis_table_write(tmpl_redis_table_t *table, const tmpl_redis_changes_t *changes);

/* Calls each with every key whose entry stands alone. */
void tmpl_redis_table_alone(const tmpl_redis_table_t *table,
                            void (*each)(void *baton, tmpl_key_t key), void *baton);

#endif
