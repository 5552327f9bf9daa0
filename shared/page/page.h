/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bytes -> page: an HTML page as flat arrays of nodes, text segments and blocks, each with its span
 * of the source.
 *
 * Pages are segmented as by Wang et al., "Incremental Web Page Template Detection" (WWW 2008),
 * section 2.1: separator elements open and close blocks, and inside a block every text node is a
 * segment. Two segments are the same if they have the same text and the same DOM path; the key is a
 * hash of both.
 *
 * tmpl_page_parse writes a page once; afterwards it is only read.
 */
#ifndef TMPL_PAGE_H
#define TMPL_PAGE_H

#include "base/tmpl.h"
#include "html/attr.h"
#include "html/tag.h"

/* Flags of a node, beside those of html/tag.h. */
#define TMPL_NODE_CODE  0x04 /* it is, or holds, script, style, link, meta, base or template */
#define TMPL_NODE_QUIET 0x08 /* its text is not visible: no segments inside */
/*
 * The element holds, or is, a part of a form, but not the whole form: a form is cut whole, or keeps
 * everything that it submits.
 */
#define TMPL_NODE_CONTROL 0x20
/*
 * The element's start tag has a class, an id, a role, or another attribute that says what it is
 * (feature/context.c). Not set for the root.
 */
#define TMPL_NODE_NAMED 0x40
/*
 * A declarative shadow root: displayed in place of its host's content, and cut with its host only.
 */
#define TMPL_NODE_SHADOW 0x80

/* Bytes of memory that a page of len bytes may take: for a small page, many times its size. */
static inline uint64_t tmpl_page_memory(apr_size_t len)
{
    return (uint64_t)len * 10 + 2 * 1024 * 1024;
}

/* A uint64_t aligned to four bytes, which makes nodes smaller: pages have very many. */
typedef uint64_t tmpl_path_t __attribute__((aligned(4)));

/* An element. Nodes are in document order, so the descendants of a node are (index, after). */
typedef struct {
    tmpl_span_t open;  /* its start tag; empty if HTML5 implies the element: only body, the root */
    tmpl_span_t close; /* its end tag; empty if the source has none */
    uint32_t parent;   /* index of the enclosing node; TMPL_NONE for the root */
    uint32_t after;    /* index behind its last descendant */
    uint32_t first_segment;
    uint32_t after_segment; /* segments [first_segment, after_segment) are inside it */
    uint32_t attrs;         /* index of its first attribute in the page's list */
    tmpl_path_t path;       /* hash of the tag names from the root down to it */
    uint16_t depth;
    unsigned char tag;   /* a tmpl_tag_e */
    unsigned char flags; /* TMPL_NODE_* */
} tmpl_node_t;

/*
 * Whether the element is code itself: script, style, link, meta, base or a template that scripts
 * may use.
 */
static inline int tmpl_node_is_code(const tmpl_node_t *node)
{
    return (tmpl_tag_flags((tmpl_tag_e)node->tag) & TMPL_IS_CODE) &&
           !(node->flags & TMPL_NODE_SHADOW);
}

/* The span from start tag to end tag; the start tag alone if the source has no end tag. */
static inline tmpl_span_t tmpl_node_span(const tmpl_node_t *node)
{
    return (tmpl_span_t){ node->open.start,
                          tmpl_span_len(node->close) > 0 ? node->close.end : node->open.end };
}

/* A text node, or an image or a link without text. */
typedef struct {
    tmpl_span_t span; /* the text; for an image or a link without text, the start tag */
    uint32_t node;    /* the element that holds it (the img itself for an image) */
    uint32_t block;
    uint32_t key;        /* index into page->keys */
    uint32_t text;       /* hash of its collapsed text, or of the address, wherever it stands */
    uint32_t length;     /* bytes of its collapsed text; TMPL_IMAGE_LENGTH without text */
    uint16_t may;        /* TMPL_NODE_CUT: the text may be deleted, or put between comments */
    unsigned char apart; /* what is between it and the segment before it separates words */
    unsigned char boxed; /* nothing is, but the two are words of two boxes: boxes.c */
} tmpl_segment_t;

/* An image or an empty link counts as much as a text of so many bytes. */
#define TMPL_IMAGE_LENGTH 8

/* The segments between two separator tags. */
typedef struct {
    uint32_t first_segment;
    uint32_t after_segment;
    uint32_t node;   /* the innermost separator (or body) around it */
    uint32_t length; /* sum of its segments' lengths */
} tmpl_block_t;

/* A start tag in front of body: of html, meta, link, base, or of a script with its content. */
typedef struct {
    tmpl_span_t open;
    tmpl_span_t content;
    tmpl_tag_e tag;
} tmpl_head_tag_t;

typedef struct tmpl_volatile_t tmpl_volatile_t; /* places.h */

/* What a name was found to say (feature/lexicon.h): the same names come again and again. */
typedef struct {
    uint64_t hash; /* of the name; 0: none, which says nothing */
    uint64_t kinds;
    unsigned hints, cues;
} tmpl_known_name_t;

#define TMPL_KNOWN_NAMES 512

typedef struct {
    const char *src;
    uint32_t len;

    tmpl_node_t *nodes;
    uint32_t n_nodes;
    const tmpl_known_attr_t *attrs; /* of all start tags, and TMPL_ATTRS_END */
    tmpl_segment_t *segments;
    uint32_t n_segments;
    tmpl_block_t *blocks;
    uint32_t n_blocks;

    uint64_t *keys; /* keys of the segments, each once, in order of first appearance */
    uint32_t n_keys;

    uint64_t text;         /* hash of all segments in order: equal displayed text, equal hash */
    uint32_t length;       /* sum of the blocks' lengths */
    tmpl_span_t canonical; /* the href of link rel=canonical; empty if there is none */
    tmpl_span_t base;      /* the href of base; empty if there is none */
    tmpl_span_t title;     /* the text of the first title; empty if there is none */
    const tmpl_head_tag_t *head; /* in order, without those in noscript and template */
    uint32_t n_head;
    int forbids_index;             /* a meta robots says noindex or none */
    const uint32_t *foreign_marks; /* offsets of "tmpl" in foreign marks, in order */
    uint32_t n_foreign_marks;
    uint32_t n_comments;
    const tmpl_span_t *comments;   /* in order, if opts.comments was set; from "<!--" to "-->" */
    const tmpl_volatile_t *places; /* if opts.read was set: places.h */
    uint32_t n_places;
    tmpl_known_name_t *names; /* TMPL_KNOWN_NAMES: a cache, by hash; for one thread */
} tmpl_page_t;

/* The first attribute of that name of a node; NULL if it has none. */
static inline const tmpl_known_attr_t *
tmpl_node_attr(const tmpl_page_t *page, const tmpl_node_t *node, tmpl_attr_name_e name)
{
    return tmpl_attrs_find(page->attrs + node->attrs, node->open.end, name);
}

/* Whether the value of a node's attribute has the text in it, as it is spelt. */
int tmpl_node_says(const tmpl_page_t *page, const tmpl_node_t *node, tmpl_attr_name_e name,
                   const char *text);

/* The next one, for code and a div. */
int tmpl_node_may_be_listing(const tmpl_page_t *page, const tmpl_node_t *node);

/*
 * Whether an element is a listing: pre; code whose class says that it is a block; or a div with
 * lines that has white-space: pre in its style.
 */
static inline int tmpl_node_is_listing(const tmpl_page_t *page, const tmpl_node_t *node)
{
    if (node->tag != TMPL_TAG_CODE && node->tag != TMPL_TAG_DIV) {
        return tmpl_tag_is_pre((tmpl_tag_e)node->tag);
    }
    return page->attrs[node->attrs].value.start < node->open.end &&
           tmpl_node_may_be_listing(page, node);
}

/*
 * Whether a span in a pre is displayed as a line of its own: by the class of a highlighter, or
 * because the next line's span touches it.
 */
int tmpl_node_is_line(const tmpl_page_t *page, const tmpl_node_t *node);

/* Whether an image says that it has at most 2 x 2 pixels: it counts visits, and is no segment. */
int tmpl_image_is_tiny(const char *src, tmpl_span_t tag);

typedef struct {
    const tmpl_tag_set_t *separators; /* NULL: tmpl_separators_default */
    uint64_t seed;                    /* seed of every key, from the operator's secret */
    uint32_t max_tokens;              /* tags and comments; 0: TMPL_MAX_TOKENS */
    uint32_t max_depth;               /* 0: TMPL_MAX_DEPTH */
    int comments;                     /* the page is to have a list of its comments */
    const apr_array_header_t *read;   /* the page is to have a list of its places: places.h */
    const char *charset;              /* as the Content-Type header names it, or NULL */
    uint32_t *declined_at;            /* gets the offset of the decline's cause; NULL: not wanted */
} tmpl_page_opts_t;

/* Whether len bytes of a rule for robots, of a meta element or a field, have noindex or none. */
int tmpl_forbids_index(const char *rule, apr_size_t len);

#define TMPL_MAX_TOKENS 600000
#define TMPL_MAX_DEPTH  512

/*
 * Parses len bytes at src, which must not change while the page is used; everything else is from
 * pool. Returns TMPL_DECLINE_NONE and the page, or the reason why the page cannot be used. Then
 * *declined_at is the offset of the cause, or TMPL_NONE if the cause has no single place.
 */
tmpl_decline_e tmpl_page_parse(const tmpl_page_t **page, const char *src, apr_size_t len,
                               const tmpl_page_opts_t *opts, apr_pool_t *pool);

#endif
