/* SPDX-License-Identifier: Apache-2.0 */
#include "content/cues.h"

#include <pthread.h>

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

static unsigned cues_of_name(const char *src, tmpl_span_t value)
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

/* Whether an address is that of a person's page: "/users/7/ann", "member.php?u=7". */
static int is_of_user(const char *src, tmpl_span_t href)
{
    static const char *const names[] = { "author", "member", "members", "memberlist",
                                         "people", "person", "profile", "profiles",
                                         "u",      "user",   "users" };
    for (uint32_t at = href.start; at < href.end; at++) {
        if (src[at] != '/' && src[at] != '?' && src[at] != '=') {
            continue;
        }
        tmpl_span_t word = { at + 1, at + 1 };
        while (word.end < href.end && tmpl_is_alpha(src[word.end])) {
            word.end++;
        }
        at = word.end - 1;
        for (unsigned i = 0; word.end + 1 < href.end && i < COUNT(names); i++) {
            if (tmpl_span_is(src, word, names[i]) && src[word.end] != '-') {
                return 1;
            }
        }
    }
    return 0;
}

unsigned tmpl_cues_of(const tmpl_page_t *page, uint32_t node)
{
    pthread_once(&once, fill_cues);
    const tmpl_node_t *n = &page->nodes[node];
    unsigned cues = n->tag == TMPL_TAG_TIME ? TMPL_CUE_DATE : 0;
    for (const tmpl_known_attr_t *attr = page->attrs + n->attrs; attr->value.start < n->open.end;
         attr++) {
        if (attr->name == TMPL_ATTR_CLASS) {
            cues |= cues_of_name(page->src, attr->value);
        }
        else if (attr->name == TMPL_ATTR_ID) {
            cues |= cues_of_name(page->src, attr->value) & TMPL_CUES_OF_POSTS;
        }
        else if (attr->name == TMPL_ATTR_HREF) {
            cues |= n->tag == TMPL_TAG_A && is_of_user(page->src, attr->value) ? TMPL_CUE_USER : 0;
        }
        else if (attr->name == TMPL_ATTR_ITEMPROP || attr->name == TMPL_ATTR_ITEMTYPE ||
                 attr->name == TMPL_ATTR_REL) {
            cues |= cues_of_statement(page->src, attr);
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
