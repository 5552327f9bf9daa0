/* SPDX-License-Identifier: Apache-2.0 */
/*
 * page, edits -> records with their fields: posts of a thread, comments, reviews, questions and
 * answers; cards of a collection and rows of a listing. Markdown, JSON and the reader view write
 * records by this model.
 *
 * Elements say what they are by microdata, tags, classes and addresses (record_values.c). Records
 * of one kind have a name in common: a tag, a word of the class or the letters of the id. The name
 * that most elements have which say an author and a date, or a linked title, makes a group:
 *
 *   posts   two or more (one, if schema.org's types say so), of which most have an author, and a
 *           date or a type, and a text of their own
 *   cards   three or more, of which most have a linked title of their own, and a price, a date, a
 *           picture or a short text
 *
 * At least half of a group's records must have text that stays. A page that is no list of records
 * has none. A record's own part is its element without the records inside it. Fields are read from
 * the page, not from what edits leave: an author whose line is template is known.
 */
#ifndef TMPL_GROUPS_H
#define TMPL_GROUPS_H

#include "page/page.h"
#include "rewrite/rewrite.h"
#include "text/decode.h"

/* X(id, key, whether it is a post) */
#define TMPL_RECORD_KINDS(X)                                                                       \
    X(POST, "post", 1)                                                                             \
    X(COMMENT, "comment", 1)                                                                       \
    X(REVIEW, "review", 1)                                                                         \
    X(QUESTION, "question", 1)                                                                     \
    X(ANSWER, "answer", 1)                                                                         \
    X(CARD, "card", 0)

typedef enum {
#define TMPL_RECORD_KIND_ID(id, key, is_post) TMPL_RECORD_##id,
    TMPL_RECORD_KINDS(TMPL_RECORD_KIND_ID)
#undef TMPL_RECORD_KIND_ID
        TMPL_RECORD_KIND_COUNT
} tmpl_record_kind_e;

/*
 * X(id, key): the fields of a record. DATE is ISO 8601 (metadata/dates.h); WHEN is the date as the
 * page shows it, "3 hours ago". ADDRESS and IMAGE are as the page writes them. PRICE is a number,
 * CURRENCY as the page writes it. RATING is "4.5/5" or "4.5". ACCEPTED is "true" or not there.
 */
#define TMPL_RECORD_FIELDS(X)                                                                      \
    X(AUTHOR, "author")                                                                            \
    X(DATE, "date")                                                                                \
    X(WHEN, "when")                                                                                \
    X(ADDRESS, "address")                                                                          \
    X(TITLE, "title")                                                                              \
    X(RATING, "rating")                                                                            \
    X(VOTES, "votes")                                                                              \
    X(ACCEPTED, "accepted")                                                                        \
    X(PRICE, "price")                                                                              \
    X(CURRENCY, "currency")                                                                        \
    X(IMAGE, "image")

typedef enum {
#define TMPL_RECORD_FIELD_ID(id, key) TMPL_RECORD_##id,
    TMPL_RECORD_FIELDS(TMPL_RECORD_FIELD_ID)
#undef TMPL_RECORD_FIELD_ID
        TMPL_RECORD_FIELD_COUNT
} tmpl_record_field_e;

typedef struct {
    uint32_t node;     /* the page's node: its element */
    uint32_t text;     /* node of the element of its text; node itself if there is none inside */
    uint32_t headline; /* node of an h1 that stays in it: its fields go below; TMPL_NONE */
    uint32_t parent;   /* index of the record that it is in, or that it answers; TMPL_NONE */
    uint32_t behind;   /* index behind the last record that is in it */
    uint32_t group;    /* index of its group */
    int is_small;      /* a card without paragraphs, lists and tables: it can be a line */
    tmpl_record_kind_e kind;
    struct {
        const char *value; /* UTF-8; NULL: there is none */
        uint32_t node;     /* the element that says it; TMPL_NONE */
    } fields[TMPL_RECORD_FIELD_COUNT];
} tmpl_group_record_t;

/* What a node is to a record, for those who write it: they write the fields themselves. */
typedef enum {
    TMPL_RECORD_NO_PART,
    TMPL_RECORD_ELEMENT,    /* of a post or a small card */
    TMPL_RECORD_BESIDE,     /* not written: who and when, and what else stands beside a post's text:
                               its numbers, controls, signature */
    TMPL_RECORD_TITLED,     /* in a small card, its title, or what says the title again */
    TMPL_RECORD_HEADLINE,   /* the page's headline, in a post */
    TMPL_RECORD_TITLE_PART, /* the heading of a post */
    TMPL_RECORD_QUOTE,      /* what another one said, in an element that is no blockquote */
    TMPL_RECORD_PLAIN       /* an item, cell or quote that only holds records or a record's text; in
                               a card, a link to the card's page beside its title */
} tmpl_record_part_e;

/* All records of a page in document order. */
typedef struct {
    tmpl_group_record_t *records;
    uint32_t n;
    uint32_t n_groups;
    int is_listing;             /* cards have half of the text that stays */
    const unsigned char *parts; /* of each node, a tmpl_record_part_e; NULL: there are no records */
    const uint32_t *owners;     /* the element of the record whose own part it is in; 0: none */
} tmpl_groups_t;

/* Whether a kind is one of posts. */
int tmpl_record_is_post(tmpl_record_kind_e kind);

/* The record whose element a node is; NULL: it is none. */
const tmpl_group_record_t *tmpl_record_of(const tmpl_groups_t *groups, uint32_t node);

/* Finds the records of a page, from pool. Linear in the page. edits only delete. */
void tmpl_groups_find(tmpl_groups_t *groups, const tmpl_page_t *page, const tmpl_edits_t *edits,
                      const tmpl_decoder_t *decoder, apr_pool_t *pool);

#endif
