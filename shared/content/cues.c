/* SPDX-License-Identifier: Apache-2.0 */
#include "content/cues.h"

#include <pthread.h>
#include <string.h>

#include "base/bytes.h"
#include "feature/automaton.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const tmpl_word_t words[] = {
#define CUE(cue, word) { word, TMPL_CUE_##cue },
#include "content/cue_words.def"
#undef CUE
};

static tmpl_automaton_t automaton;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void fill_cues(void)
{
    tmpl_automaton_fill(&automaton, words, COUNT(words));
}

/* Values of attributes, and the ends of schema.org's types, in lower case. */
static const struct {
    const char *value;
    tmpl_attr_name_e name;
    unsigned cues;
} statements[] = {
    { "author", TMPL_ATTR_ITEMPROP, TMPL_CUE_AUTHOR | TMPL_CUE_PROP },
    { "creator", TMPL_ATTR_ITEMPROP, TMPL_CUE_AUTHOR | TMPL_CUE_PROP },
    { "datepublished", TMPL_ATTR_ITEMPROP, TMPL_CUE_DATE | TMPL_CUE_PROP },
    { "datecreated", TMPL_ATTR_ITEMPROP, TMPL_CUE_DATE | TMPL_CUE_PROP },
    { "commenttime", TMPL_ATTR_ITEMPROP, TMPL_CUE_DATE | TMPL_CUE_PROP },
    { "price", TMPL_ATTR_ITEMPROP, TMPL_CUE_PRICE | TMPL_CUE_PROP },
    { "ratingvalue", TMPL_ATTR_ITEMPROP, TMPL_CUE_RATING | TMPL_CUE_PROP },
    { "upvotecount", TMPL_ATTR_ITEMPROP, TMPL_CUE_VOTES | TMPL_CUE_PROP },
    { "acceptedanswer", TMPL_ATTR_ITEMPROP, TMPL_CUE_ACCEPTED | TMPL_CUE_ANSWER },
    { "suggestedanswer", TMPL_ATTR_ITEMPROP, TMPL_CUE_ANSWER },
    { "text", TMPL_ATTR_ITEMPROP, TMPL_CUE_TEXT | TMPL_CUE_PROP },
    { "articlebody", TMPL_ATTR_ITEMPROP, TMPL_CUE_TEXT | TMPL_CUE_PROP },
    { "reviewbody", TMPL_ATTR_ITEMPROP, TMPL_CUE_TEXT | TMPL_CUE_PROP },
    { "commenttext", TMPL_ATTR_ITEMPROP, TMPL_CUE_TEXT | TMPL_CUE_PROP },
    { "comment", TMPL_ATTR_ITEMPROP, TMPL_CUE_COMMENT },
    { "review", TMPL_ATTR_ITEMPROP, TMPL_CUE_REVIEW },
    { "author", TMPL_ATTR_REL, TMPL_CUE_AUTHOR },
    { "bookmark", TMPL_ATTR_REL, TMPL_CUE_PERMALINK },
    { "comment", TMPL_ATTR_ITEMTYPE, TMPL_CUE_COMMENT | TMPL_CUE_TYPED },
    { "usercomments", TMPL_ATTR_ITEMTYPE, TMPL_CUE_COMMENT | TMPL_CUE_TYPED },
    { "review", TMPL_ATTR_ITEMTYPE, TMPL_CUE_REVIEW | TMPL_CUE_TYPED },
    { "answer", TMPL_ATTR_ITEMTYPE, TMPL_CUE_ANSWER | TMPL_CUE_TYPED },
    { "question", TMPL_ATTR_ITEMTYPE, TMPL_CUE_QUESTION | TMPL_CUE_TYPED },
    { "discussionforumposting", TMPL_ATTR_ITEMTYPE, TMPL_CUE_POST | TMPL_CUE_TYPED },
    { "socialmediaposting", TMPL_ATTR_ITEMTYPE, TMPL_CUE_POST | TMPL_CUE_TYPED },
};

static unsigned cues_of_statement(const char *src, const tmpl_known_attr_t *attr)
{
    tmpl_span_t value = attr->value;
    unsigned cues = 0;
    for (uint32_t at = value.start; attr->name == TMPL_ATTR_ITEMTYPE && at < attr->value.end;
         at++) {
        value.start = src[at] == '/' && at + 1 < value.end ? at + 1 : value.start;
    }
    for (unsigned i = 0; i < COUNT(statements); i++) {
        if (statements[i].name == attr->name &&
            tmpl_has_word(src, value, statements[i].value, tmpl_span_is)) {
            cues |= statements[i].cues;
        }
    }
    return cues;
}

static unsigned cues_of_words(const char *src, tmpl_span_t value)
{
    tmpl_search_t search = tmpl_search(&automaton);
    char before = ' ';
    for (uint32_t at = value.start; at < value.end; at++) {
        char c = src[at];
        if (c <= 'Z' && c >= 'A' && before >= 'a' && before <= 'z') { /* userName */
            tmpl_search_step(&search, TMPL_BETWEEN);
        }
        tmpl_search_step(&search, tmpl_symbols[(unsigned char)c]);
        before = c;
    }
    tmpl_search_step(&search, TMPL_BETWEEN);
    return (unsigned)search.says;
}

/* The text of an author, and a picture of one, are no names. */
static unsigned cues_of_class(const char *src, tmpl_span_t value)
{
    const unsigned who = TMPL_CUE_AUTHOR | TMPL_CUE_USER;
    unsigned cues = cues_of_words(src, value);
    cues &= (cues & TMPL_CUE_NOT) ? ~who : ~0U;
    return (cues & TMPL_CUE_TEXT) ? cues & ~(who | TMPL_CUE_PANE | TMPL_CUE_DATE) : cues;
}

/* Whether a word at at, which something follows, names people's pages. */
static int is_user_word(const char *src, uint32_t at, uint32_t end)
{
    static const struct {
        const char *name;
        uint32_t len;
    } names[] = { { "author", 6 }, { "member", 6 }, { "members", 7 }, { "memberlist", 10 },
                  { "people", 6 }, { "person", 6 }, { "profile", 7 }, { "profiles", 8 },
                  { "u", 1 },      { "user", 4 },   { "users", 5 } };
    uint32_t behind = at;
    char first = at < end ? tmpl_lower(src[at]) : '\0';
    if (first != 'a' && first != 'm' && first != 'p' && first != 'u') {
        return 0;
    }
    while (behind < end && tmpl_is_alpha(src[behind])) {
        behind++;
    }
    for (unsigned i = 0; behind + 1 < end && src[behind] != '-' && i < COUNT(names); i++) {
        if (names[i].len == behind - at &&
            apr_cstr_casecmpn(src + at, names[i].name, names[i].len) == 0) {
            return 1;
        }
    }
    return 0;
}

int tmpl_cues_is_of_user(const char *src, tmpl_span_t href)
{
    int is = is_user_word(src, href.start, href.end);
    for (uint32_t at = href.start; at < href.end && !is; at += TMPL_BYTES16) {
        tmpl_bytes16_t bytes = tmpl_bytes16(src + at, src + href.end);
        unsigned signs =
            tmpl_bytes16_bits((tmpl_bytes16_t)((bytes == '/') | (bytes == '?') | (bytes == '=')));
        for (; signs != 0 && !is; signs &= signs - 1) {
            is = is_user_word(src, at + (uint32_t)__builtin_ctz(signs) + 1, href.end);
        }
    }
    return is;
}

void tmpl_cues_init(void)
{
    pthread_once(&once, fill_cues);
}

/* The cues of an attribute that may have any. */
static unsigned cues_of_attr(tmpl_known_cues_t *known, const char *src,
                             const tmpl_known_attr_t *attr)
{
    uint32_t len = tmpl_span_len(attr->value);
    if (len == 0) {
        return 0;
    }
    /* a tag with such an attribute has eight bytes */
    uint64_t last = tmpl_bytes8(src + attr->value.end - 8) ^ (len + ((uint64_t)attr->name << 32));
    unsigned slot = (unsigned)(last * 0x91D558B033E92BCDu >> 56);
    tmpl_known_attr_t *is = &known->slots[slot].attr;
    if (is->name != attr->name || tmpl_span_len(is->value) != len ||
        memcmp(src + is->value.start, src + attr->value.start, len) != 0) {
        *is = *attr;
        known->slots[slot].cues = attr->name == TMPL_ATTR_CLASS ? cues_of_class(src, attr->value)
                                                                : cues_of_statement(src, attr);
    }
    return known->slots[slot].cues;
}

unsigned tmpl_cues_of(tmpl_known_cues_t *known, const tmpl_page_t *page, uint32_t node)
{
    const tmpl_node_t *n = &page->nodes[node];
    unsigned cues = n->tag == TMPL_TAG_TIME ? TMPL_CUE_DATE : 0;
    for (const tmpl_known_attr_t *attr = page->attrs + n->attrs; attr->value.start < n->open.end;
         attr++) {
        if (attr->name == TMPL_ATTR_CLASS || attr->name == TMPL_ATTR_ITEMPROP ||
            attr->name == TMPL_ATTR_ITEMTYPE || attr->name == TMPL_ATTR_REL) {
            cues |= cues_of_attr(known, page->src, attr);
        }
    }
    tmpl_attr_t said;
    if (n->tag == TMPL_TAG_OTHER && tmpl_attr_find(&said, page->src, n->open, "author")) {
        cues |=
            TMPL_CUE_AUTHOR | TMPL_CUE_PROP; /* an element of the site's own: shreddit-comment */
    }
    else if ((cues & TMPL_CUES_OF_POSTS) &&
             tmpl_attr_find(&said, page->src, n->open, "data-author")) {
        cues |= TMPL_CUE_AUTHOR | TMPL_CUE_PROP;
    }
    return (cues & TMPL_CUE_NOT) ? cues & ~(unsigned)(TMPL_CUE_AUTHOR | TMPL_CUE_USER) : cues;
}
