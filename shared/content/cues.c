/* SPDX-License-Identifier: Apache-2.0 */
#include "content/record_page.h"

#include <string.h>

#include "base/bytes.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* The text of an author, and a picture of one, are no names. */
static unsigned cues_of_class(const tmpl_page_t *page, tmpl_span_t value)
{
    const unsigned who = TMPL_CUE_AUTHOR | TMPL_CUE_USER;
    unsigned cues = tmpl_says_of_span(page, value, NULL).cues;
    cues &= (cues & TMPL_CUE_NOT) ? ~who : ~0U;
    return (cues & TMPL_CUE_TEXT) ? cues & ~(who | TMPL_CUE_PANE | TMPL_CUE_DATE) : cues;
}

/* Whether a word at at, which something follows, names people's pages. */
static int is_user_word(const char *src, uint32_t at, uint32_t end)
{
    static const char names[] = "author member members memberlist people person profile profiles "
                                "u user users";
    uint32_t behind = at;
    while (behind < end && tmpl_is_alpha(src[behind])) {
        behind++;
    }
    return behind > at && behind + 1 < end && src[behind] != '-' &&
           strchr("ampuAMPU", src[at]) != NULL &&
           tmpl_span_is_any(src, (tmpl_span_t){ at, behind }, names);
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

const char *tmpl_cues_said_author(const tmpl_page_t *page, uint32_t node)
{
    static const char *const names[] = { "data-author", "data-author-username", "author" };
    /* the last one is of an element of the site's own: shreddit-comment */
    unsigned n = page->nodes[node].tag == TMPL_TAG_OTHER ? COUNT(names) : COUNT(names) - 1;
    tmpl_span_t open = page->nodes[node].open;
    tmpl_attr_t attr;
    /* few tags have one */
    int may = memmem(page->src + open.start, tmpl_span_len(open), "author", 6) != NULL;
    for (unsigned i = 0; i < n && may; i++) {
        if (tmpl_attr_find(&attr, page->src, open, names[i])) {
            return names[i];
        }
    }
    return NULL;
}

unsigned tmpl_cues_of(const tmpl_page_t *page, uint32_t node)
{
    const tmpl_node_t *n = &page->nodes[node];
    unsigned cues = tmpl_says_of_tag[n->tag].cues, said = 0;
    for (const tmpl_known_attr_t *attr = page->attrs + n->attrs; attr->value.start < n->open.end;
         attr++) {
        if (attr->name == TMPL_ATTR_CLASS) {
            cues |= cues_of_class(page, attr->value);
        }
        else if (attr->name == TMPL_ATTR_ITEMPROP || attr->name == TMPL_ATTR_ITEMTYPE ||
                 attr->name == TMPL_ATTR_REL) {
            said |= tmpl_says_of_attr(page->src, attr).cues;
        }
    }
    /* what microdata call an author is no text, whatever its class: "justify-content-between" */
    int names_author = (said & TMPL_CUE_AUTHOR) && (said & TMPL_CUE_PROP);
    cues = said | (names_author ? cues & ~(unsigned)TMPL_CUE_TEXT : cues);
    if (((cues & TMPL_CUES_OF_POSTS) || n->tag == TMPL_TAG_OTHER) &&
        tmpl_cues_said_author(page, node) != NULL) {
        cues |= TMPL_CUE_AUTHOR | TMPL_CUE_PROP;
    }
    return (cues & TMPL_CUE_NOT) ? cues & ~(unsigned)(TMPL_CUE_AUTHOR | TMPL_CUE_USER) : cues;
}
