/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The search for the words of the lexicon takes one step for each character of a name, however many
 * words there are (Aho and Corasick, "Efficient String Matching", CACM 18(6), 1975).
 */
#include "feature/lexicon.h"

#include <pthread.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/bytes.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define KIND(id)     TMPL_NAMED(id)
#define AND_BAD(id)  (KIND(id) | KIND(BAD))
#define HINT(id)     TMPL_HINT_##id
#define CUE(id)      TMPL_CUE_##id

const tmpl_says_t tmpl_says_of_tag[TMPL_TAG_COUNT] = {
    [TMPL_TAG_DIALOG] = { KIND(DIALOG), HINT(MODAL) | HINT(DIALOG), 0 },
    [TMPL_TAG_BUTTON] = { KIND(BUTTON), HINT(BUTTON), 0 },
    [TMPL_TAG_LABEL] = { KIND(LABEL), HINT(BUTTON), 0 },
    [TMPL_TAG_LEGEND] = { KIND(LABEL), HINT(BUTTON), 0 },
    [TMPL_TAG_FIGCAPTION] = { KIND(CAPTION), HINT(CAPTION), 0 },
    [TMPL_TAG_CAPTION] = { KIND(CAPTION), 0, 0 },
    [TMPL_TAG_FIGURE] = { 0, HINT(FIGURE), 0 },
    [TMPL_TAG_TIME] = { KIND(DATE), HINT(DATE), CUE(DATE) },
    [TMPL_TAG_CITE] = { 0, HINT(AUTHOR), 0 },
    [TMPL_TAG_PRE] = { 0, HINT(CODE), 0 },
    [TMPL_TAG_CODE] = { 0, HINT(CODE), 0 },
    [TMPL_TAG_DETAILS] = { KIND(FOLD), 0, 0 },
    [TMPL_TAG_SUMMARY] = { KIND(FOLD), HINT(TOGGLE), 0 },
};

/* Values of attributes, and the ends of schema.org's types: words in lower case. */
static const struct {
    tmpl_attr_name_e name;
    const char *value;
    unsigned hints, cues;
} statements[] = {
    { TMPL_ATTR_ROLE, "dialog", HINT(MODAL) | HINT(DIALOG), 0 },
    { TMPL_ATTR_ROLE, "alertdialog", HINT(MODAL) | HINT(DIALOG), 0 },
    { TMPL_ATTR_ROLE, "tooltip", HINT(DIALOG), 0 },
    { TMPL_ATTR_ROLE, "alert", HINT(DIALOG), 0 },
    { TMPL_ATTR_ROLE, "button", HINT(BUTTON), 0 },
    { TMPL_ATTR_REL, "author", HINT(AUTHOR), CUE(AUTHOR) },
    { TMPL_ATTR_REL, "bookmark", 0, CUE(PERMALINK) },
    { TMPL_ATTR_REL, "tag", HINT(TAGS), 0 },
    { TMPL_ATTR_REL, "prev", HINT(RELATED), 0 },
    { TMPL_ATTR_REL, "next", HINT(RELATED), 0 },
    { TMPL_ATTR_ARIA_HIDDEN, "true", HINT(ARIA), 0 },
    { TMPL_ATTR_ARIA_MODAL, "true", HINT(MODAL) | HINT(DIALOG), 0 },
    { TMPL_ATTR_ARIA_EXPANDED, "true", HINT(TOGGLE), 0 },
    { TMPL_ATTR_ARIA_EXPANDED, "false", HINT(TOGGLE), 0 },
    { TMPL_ATTR_ITEMPROP, "author", HINT(AUTHOR), CUE(AUTHOR) | CUE(PROP) },
    { TMPL_ATTR_ITEMPROP, "creator", 0, CUE(AUTHOR) | CUE(PROP) },
    { TMPL_ATTR_ITEMPROP, "datepublished", HINT(DATE), CUE(DATE) | CUE(PROP) },
    { TMPL_ATTR_ITEMPROP, "datecreated", HINT(DATE), CUE(DATE) | CUE(PROP) },
    { TMPL_ATTR_ITEMPROP, "datemodified", HINT(DATE), 0 },
    { TMPL_ATTR_ITEMPROP, "commenttime", 0, CUE(DATE) | CUE(PROP) },
    { TMPL_ATTR_ITEMPROP, "price", HINT(PRICE), CUE(PRICE) | CUE(PROP) },
    { TMPL_ATTR_ITEMPROP, "ratingvalue", 0, CUE(RATING) | CUE(PROP) },
    { TMPL_ATTR_ITEMPROP, "upvotecount", 0, CUE(VOTES) | CUE(PROP) },
    { TMPL_ATTR_ITEMPROP, "acceptedanswer", 0, CUE(ACCEPTED) | CUE(ANSWER) },
    { TMPL_ATTR_ITEMPROP, "suggestedanswer", 0, CUE(ANSWER) },
    { TMPL_ATTR_ITEMPROP, "text", 0, CUE(TEXT) | CUE(PROP) },
    { TMPL_ATTR_ITEMPROP, "articlebody", 0, CUE(TEXT) | CUE(PROP) },
    { TMPL_ATTR_ITEMPROP, "reviewbody", 0, CUE(TEXT) | CUE(PROP) },
    { TMPL_ATTR_ITEMPROP, "commenttext", 0, CUE(TEXT) | CUE(PROP) },
    { TMPL_ATTR_ITEMPROP, "comment", HINT(COMMENT), CUE(COMMENT) },
    { TMPL_ATTR_ITEMPROP, "review", HINT(REVIEW), CUE(REVIEW) },
    { TMPL_ATTR_ITEMPROP, "reviews", HINT(REVIEW), 0 },
    { TMPL_ATTR_ITEMPROP, "keywords", HINT(TAGS), 0 },
    { TMPL_ATTR_ITEMPROP, "alternativeheadline", HINT(LEAD), 0 },
    { TMPL_ATTR_ITEMPROP, "caption", HINT(CAPTION), 0 },
    { TMPL_ATTR_ITEMTYPE, "comment", HINT(COMMENT), CUE(COMMENT) | CUE(TYPED) },
    { TMPL_ATTR_ITEMTYPE, "usercomments", HINT(COMMENT), CUE(COMMENT) | CUE(TYPED) },
    { TMPL_ATTR_ITEMTYPE, "review", HINT(REVIEW), CUE(REVIEW) | CUE(TYPED) },
    { TMPL_ATTR_ITEMTYPE, "answer", HINT(POST), CUE(ANSWER) | CUE(TYPED) },
    { TMPL_ATTR_ITEMTYPE, "question", HINT(POST), CUE(QUESTION) | CUE(TYPED) },
    { TMPL_ATTR_ITEMTYPE, "discussionforumposting", HINT(THREAD), CUE(POST) | CUE(TYPED) },
    { TMPL_ATTR_ITEMTYPE, "socialmediaposting", 0, CUE(POST) | CUE(TYPED) },
};

tmpl_says_t tmpl_says_of_attr(const char *src, const tmpl_known_attr_t *attr)
{
    tmpl_says_t says = { 0 };
    tmpl_span_t value = attr->value;
    if (attr->name == TMPL_ATTR_HREF) {
        return says; /* the most frequent one */
    }
    for (uint32_t at = value.start; attr->name == TMPL_ATTR_ITEMTYPE && at + 1 < value.end; at++) {
        value.start = src[at] == '/' ? at + 1 : value.start;
    }
    for (tmpl_span_t word = { value.start, value.start }; tmpl_word_next(&word, src, value);) {
        for (unsigned i = 0; i < COUNT(statements); i++) {
            if (statements[i].name == attr->name && tmpl_span_is(src, word, statements[i].value)) {
                says.hints |= statements[i].hints;
                says.cues |= statements[i].cues;
            }
        }
    }
    return says;
}

static const struct {
    const char *word;
    tmpl_says_t says;
} words[] = {
#define WORD(word, ...) { word, { __VA_ARGS__ } },
#include "feature/lexicon.def"
#undef WORD
};

/* What words and names consist of: small letters, which are 1 to 26, and these. */
enum { BETWEEN = 0, DIGIT = 27 /* in no word */, SYMBOLS = 32 };

#define LETTER(small, capital) [small] = (small)&31, [capital] = (small)&31
/* clang-format off */
static const unsigned char symbols[256] = { /* BETWEEN for all others */
    LETTER('a', 'A'), LETTER('b', 'B'), LETTER('c', 'C'), LETTER('d', 'D'), LETTER('e', 'E'),
    LETTER('f', 'F'), LETTER('g', 'G'), LETTER('h', 'H'), LETTER('i', 'I'), LETTER('j', 'J'),
    LETTER('k', 'K'), LETTER('l', 'L'), LETTER('m', 'M'), LETTER('n', 'N'), LETTER('o', 'O'),
    LETTER('p', 'P'), LETTER('q', 'Q'), LETTER('r', 'R'), LETTER('s', 'S'), LETTER('t', 'T'),
    LETTER('u', 'U'), LETTER('v', 'V'), LETTER('w', 'W'), LETTER('x', 'X'), LETTER('y', 'Y'),
    LETTER('z', 'Z'), ['0' ... '9'] = DIGIT,
};
/* clang-format on */

/* A state is the longest end of the text so far that a word begins with; 0: there is none. */
#define STATES_MOST 4096
static struct {
    uint16_t next[STATES_MOST][SYMBOLS]; /* the state behind a symbol */
    uint16_t shorter[STATES_MOST];       /* the state of the longest end of this one; for filling */
    tmpl_says_t says[STATES_MOST];       /* what the words say that end here */
} automaton;

static pthread_once_t once = PTHREAD_ONCE_INIT;

static void add_says(tmpl_says_t *to, const tmpl_says_t *says)
{
    to->kinds |= says->kinds;
    to->hints |= says->hints;
    to->cues |= says->cues;
}

/* A word, as far as it has been added. */
typedef struct {
    const char *rest;
    unsigned state;
} added_t;

/* Adds the next character of word i. The state behind it is the n-th one, unless it is known. */
static unsigned add_character(added_t *word, unsigned i, unsigned first, unsigned n)
{
    unsigned symbol = symbols[(unsigned char)*word->rest++];
    uint16_t *next = &automaton.next[word->state][symbol];
    unsigned is_new = *next < first && n < STATES_MOST;
    if (is_new) {
        unsigned shorter = automaton.shorter[word->state];
        automaton.shorter[n] = word->state == 0 ? 0 : automaton.next[shorter][symbol];
        *next = (uint16_t)n;
    }
    word->state = *next;
    if (*word->rest == '\0') {
        add_says(&automaton.says[word->state], &words[i].says);
    }
    return is_new;
}

/*
 * States are numbered by their lengths: those of one length, from first on, are added together, and
 * then continue as the next shorter state does, which is complete by then.
 */
static void fill_automaton(void)
{
    added_t added[COUNT(words)];
    unsigned first = 0;
    unsigned n = 1;
    for (unsigned i = 0; i < COUNT(words); i++) {
        added[i] = (added_t){ words[i].word, 0 };
    }
    while (first < n) {
        first = n;
        for (unsigned i = 0; i < COUNT(words); i++) {
            n += *added[i].rest != '\0' ? add_character(&added[i], i, first, n) : 0;
        }
        for (unsigned s = first; s < n; s++) {
            memcpy(automaton.next[s], automaton.next[automaton.shorter[s]],
                   sizeof(automaton.next[s]));
            add_says(&automaton.says[s], &automaton.says[automaton.shorter[s]]);
        }
    }
    /* two words are side by side whatever the number of characters between them */
    for (unsigned s = 0; s < n; s++) {
        uint16_t behind = automaton.next[s][BETWEEN];
        automaton.next[behind][BETWEEN] = behind;
    }
}

/*
 * Names that begin so are of other things: a post's tags and categories, "no-comments", "has-ads";
 * how a field of Drupal shows its label.
 */
static int is_foreign(const char *name, uint32_t len)
{
    static const char *const begins[] = { "tag-",         "category-", "product_cat-",
                                          "product_tag-", "has-",      "no-",
                                          "with-",        "hide-",     "without-",
                                          "field--label-" };
    char first = tmpl_lower(name[0]);
    for (unsigned i = 0; i < COUNT(begins); i++) {
        size_t n = begins[i][0] == first ? strlen(begins[i]) : 0;
        if (n > 0 && len >= n && apr_cstr_casecmpn(name, begins[i], n) == 0) {
            return 1;
        }
    }
    return 0;
}

/* Classes of characters. White space ends a name, and so do bytes that are not ASCII. */
enum { SMALL = 1, CAPITAL, END };
static const unsigned char classes[256] = {
    [0 ... ' '] = END,
    ['a' ... 'z'] = SMALL,
    ['A' ... 'Z'] = CAPITAL,
    [0x80 ... 0xFF] = END,
};

/*
 * Two searches side by side: one for hints and cues, and one for kinds, in which digits divide
 * words and foreign names count.
 */
typedef struct {
    unsigned state, hints, cues;
    unsigned kinds_state;
    tmpl_kinds_t kinds;
} word_search_t;

static inline void search_step(word_search_t *search, unsigned symbol)
{
    search->state = automaton.next[search->state][symbol];
    search->hints |= automaton.says[search->state].hints;
    search->cues |= automaton.says[search->state].cues;
}

static inline void search_kinds(word_search_t *search, unsigned symbol)
{
    search->kinds_state = automaton.next[search->kinds_state][symbol == DIGIT ? BETWEEN : symbol];
    search->kinds |= automaton.says[search->kinds_state].kinds;
}

/* Searches from at up to the end of a name, which is one more character. Returns what is behind. */
static uint32_t search_name(word_search_t *search, const char *value, uint32_t len, uint32_t at)
{
    word_search_t now = *search;
    unsigned class = 0;
    while (at < len && class != END) {
        unsigned char c = (unsigned char)value[at++];
        if (classes[c] == CAPITAL && class == SMALL) { /* relatedPosts */
            search_step(&now, BETWEEN);
        }
        search_step(&now, symbols[c]);
        search_kinds(&now, symbols[c]);
        class = classes[c];
    }
    *search = now;
    return at;
}

tmpl_says_t tmpl_says_of_name(const char *value, uint32_t len)
{
    pthread_once(&once, fill_automaton);
    unsigned first = automaton.next[0][BETWEEN];
    word_search_t search = { .state = first, .kinds_state = first };
    for (uint32_t at = 0; at < len;) {
        if (is_foreign(value + at, len - at)) {
            while (at < len && classes[(unsigned char)value[at]] != END) {
                search_kinds(&search, symbols[(unsigned char)value[at++]]);
            }
        }
        at = search_name(&search, value, len, at);
    }
    search_step(&search, BETWEEN);
    search_kinds(&search, BETWEEN);
    /* comments have classes such as thread-even */
    search.hints &= search.hints & HINT(COMMENT) ? ~(unsigned)HINT(THREAD) : ~0U;
    /* "hljs-comment", "token comment": a comment in a program */
    search.kinds &= search.kinds & KIND(CODE) ? ~AND_BAD(COMMENT) : ~(tmpl_kinds_t)0;
    return (tmpl_says_t){
        .kinds = search.kinds,
        .hints = search.hints & HINT(CODE) ? HINT(CODE) : search.hints,
        .cues = search.cues,
    };
}

tmpl_says_t tmpl_says_of_span(const tmpl_page_t *page, tmpl_span_t name, uint64_t *hash)
{
    char zeros[TMPL_NAME_MOST + TMPL_BYTES16];
    const char *value = page->src + name.start;
    uint32_t len = tmpl_span_len(name);
    if (len > TMPL_NAME_MOST) {
        return tmpl_says_of_name(value, len);
    }
    for (uint32_t i = 0; i < len; i += TMPL_BYTES16) {
        tmpl_bytes16_t bytes = tmpl_bytes16(value + i, page->src + page->len);
        tmpl_bytes16_t digits = (tmpl_bytes16_t)(bytes - '0' <= '9' - '0');
        bytes = (bytes & ~digits) | (digits & '0');
        memcpy(zeros + i, &bytes, TMPL_BYTES16);
    }
    uint64_t of = XXH3_64bits(zeros, len);
    tmpl_known_name_t *known = &page->names[of % TMPL_KNOWN_NAMES];
    if (known->hash != of) {
        tmpl_says_t says = tmpl_says_of_name(value, len);
        *known = (tmpl_known_name_t){ of, says.kinds, says.hints, says.cues };
    }
    if (hash != NULL) {
        *hash = of;
    }
    return (tmpl_says_t){ known->kinds, known->hints, known->cues };
}
