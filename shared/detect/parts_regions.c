/* SPDX-License-Identifier: Apache-2.0 */
/* Regions of a page that are one part: comments, reviews, questions, related pages. */
#include <string.h>

#include "detect/parts_page.h"

/* Comments stand behind an article: so many bytes, in blocks of at least so many. */
#define ARTICLE  400
#define SENTENCE 80

/* A heading of a region has so many words at most. */
#define HEAD_WORDS 10

/* More heads of comments are in a list of articles. */
#define HEADS_MOST 4

/* The fewest regions of related pages that are sections, with one of SHARE words of content. */
#define SECTIONS_LEAST 3
#define SECTIONS_SHARE 5

/* What heads a region, and what the region must be like. */
static const struct {
    unsigned phrase;
    unsigned char part;
    unsigned most;   /* largest share of the page's content in per cent */
    unsigned linked; /* smallest share of words in links in per cent */
    float least;     /* or else the mean templateness */
} heads[] = {
    { TMPL_PHRASE_RELATED, TMPL_PART_RELATED, 40, 40, 0.5F },
    { TMPL_PHRASE_COMMENTS, TMPL_PART_COMMENT, 70, 101, 0.3F },
    { TMPL_PHRASE_SECTION, TMPL_PART_COMMENT, 70, 101, 0.3F },
    { TMPL_PHRASE_ABOUT, TMPL_PART_RELATED, 30, 101, 0.1F },
    { TMPL_PHRASE_REVIEWS, TMPL_PART_REVIEW, 80, 101, 0.3F },
    { TMPL_PHRASE_QUESTIONS, TMPL_PART_QA, 60, 101, 0.3F },
};
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define HEADS        COUNT(heads)

/* Types of schema.org, as the source of a page says them. */
static const char *const thread_types[] = { "DiscussionForumPosting", "QAPage" };
static const char *const product_types[] = { "schema.org/Product", "\"Product\"",
                                             "\"ProductGroup\"" };

/* Whether the source has one of n types. */
static int has_type(const tmpl_parts_page_t *p, const char *const *types, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (memmem(p->page->src, p->page->len, types[i], strlen(types[i])) != NULL) {
            return 1;
        }
    }
    return 0;
}

/* Whether a block has the hint or the phrase: else the page's types do not matter. */
static int has_any(const tmpl_parts_page_t *p, unsigned hint, unsigned phrase)
{
    for (uint32_t b = 0; b < p->page->n_blocks; b++) {
        if ((p->some[b] & hint) || (p->phrases[b] & phrase)) {
            return 1;
        }
    }
    return 0;
}

/* Whether more than half of the content is in elements with names of forums. */
static int is_named_thread(const tmpl_parts_page_t *p)
{
    uint32_t named = 0;
    for (uint32_t b = 0; b < p->page->n_blocks; b++) {
        named += p->some[b] & TMPL_HINT_THREAD ? p->kept[b + 1] - p->kept[b] : 0;
    }
    return named * (uint64_t)2 > p->kept[p->page->n_blocks];
}

/* Whether the page is a thread, or a question with answers. */
static int is_thread_of(const tmpl_parts_page_t *p)
{
    return is_named_thread(p) || tmpl_has_thread_address(p->page) ||
           (has_any(p, TMPL_HINT_COMMENT, TMPL_PHRASE_COMMENTS) &&
            has_type(p, thread_types, COUNT(thread_types)));
}

/* Whether the page is of a product. */
static int is_product_of(const tmpl_parts_page_t *p)
{
    return has_any(p, TMPL_HINT_REVIEW | TMPL_HINT_QA,
                   TMPL_PHRASE_REVIEWS | TMPL_PHRASE_QUESTIONS) &&
           has_type(p, product_types, COUNT(product_types));
}

static unsigned level_of(const tmpl_page_t *page, uint32_t block)
{
    uint32_t node = page->blocks[block].node;
    unsigned tag = page->nodes[node].tag;
    return tag >= TMPL_TAG_H1 && tag <= TMPL_TAG_H6 ? tag - TMPL_TAG_H1 + 1 : 0;
}

/* Whether [first, after) is small enough. */
static int fits(const tmpl_parts_page_t *p, uint32_t first, uint32_t after, unsigned most)
{
    return (uint64_t)(p->kept[after] - p->kept[first]) * 100 <=
           (uint64_t)p->kept[p->page->n_blocks] * most;
}

/* The end of the region that block heads: of the largest element that begins with it. */
static uint32_t end_of_region(const tmpl_parts_page_t *p, uint32_t block, unsigned most)
{
    const tmpl_page_t *page = p->page;
    uint32_t node = page->blocks[block].node;
    uint32_t after = block + 1;
    unsigned level = level_of(page, block);
    while (node > 0 && tmpl_first_block(page, node) == block &&
           fits(p, block, tmpl_after_block(page, node), most) &&
           !(tmpl_tag_flags((tmpl_tag_e)page->nodes[node].tag) & TMPL_IS_NEVER_EDIT)) {
        after = tmpl_after_block(page, node);
        node = page->nodes[node].parent;
    }
    if (after > block + 1 || level == 0) {
        return after;
    }
    /* the rest of the element around it, up to the next heading of the section */
    uint32_t end = tmpl_after_block(page, node);
    while (after < end && (level_of(page, after) == 0 || level_of(page, after) > level)) {
        after++;
    }
    return fits(p, block, after, most) ? after : block + 1;
}

static int is_like(const tmpl_parts_page_t *p, uint32_t first, uint32_t after, unsigned i)
{
    const tmpl_before_t *before = &p->judged->reading->before;
    uint64_t linked = before->linked[after] - before->linked[first];
    uint64_t words = p->words[after] - p->words[first];
    double sum = 0;
    int is_behind = p->kept[first] >= p->kept[p->page->n_blocks] / 4;
    for (uint32_t b = first; b < after; b++) {
        sum += (double)p->verdicts[b].ratio * (p->words[b + 1] - p->words[b]);
    }
    return (is_behind && (linked * 100 >= words * heads[i].linked ||
                          sum >= (double)heads[i].least * (double)words)) ||
           sum >= 0.7 * (double)words;
}

/* Words of a form for a comment; other forms are around much of a page. */
#define FORM_WORDS 100

static int is_in_small_form(const tmpl_parts_page_t *p, uint32_t b)
{
    const tmpl_node_t *nodes = p->page->nodes;
    uint32_t node = p->page->blocks[b].node;
    while (node > 0 && nodes[node].tag != TMPL_TAG_FORM) {
        node = nodes[node].parent;
    }
    return node > 0 && tmpl_part_words(p, tmpl_first_block(p->page, node),
                                       tmpl_after_block(p->page, node)) <= FORM_WORDS;
}

/* Whether a block is in an element named a sidebar that has less than half of the content. */
static int is_in_sidebar(const tmpl_parts_page_t *p, uint32_t b)
{
    unsigned steps = tmpl_part_context(p, b)->near.steps[TMPL_NAME_SIDE];
    uint32_t node = p->page->segments[p->page->blocks[b].first_segment].node;
    for (unsigned up = 1; up < steps; up++) {
        node = p->page->nodes[node].parent;
    }
    uint32_t kept =
        p->kept[tmpl_after_block(p->page, node)] - p->kept[tmpl_first_block(p->page, node)];
    return steps > 0 && 2 * kept < p->kept[p->page->n_blocks];
}

/*
 * Whether a block is what a site repeats around comments: their heading, the form for one, recent
 * ones in a sidebar, and what the counts say. Who wrote a comment, and when, is a part of it.
 */
static int is_around_comments(const tmpl_parts_page_t *p, uint32_t b)
{
    const tmpl_context_t *context = tmpl_part_context(p, b);
    return ((p->phrases[b] & TMPL_PHRASE_COMMENTS) && tmpl_part_words(p, b, b + 1) <= HEAD_WORDS) ||
           ((context->in & TMPL_IN_FORM) && is_in_small_form(p, b)) || is_in_sidebar(p, b) ||
           (!(p->some[b] & TMPL_HINTS_WHO_OR_WHEN) &&
            p->judged->counts->pages >= p->judged->min_df && tmpl_is_of_site(p->judged, b));
}

static void set_parts_of(const tmpl_parts_page_t *p, uint32_t first, uint32_t after,
                         unsigned char part)
{
    const unsigned controls =
        TMPL_HINT_BUTTON | TMPL_HINT_SHARE | TMPL_HINT_HIDDEN | TMPL_HINT_DIALOG;
    for (uint32_t b = first; b < after; b++) {
        int stays = part == TMPL_PART_COMMENT && p->verdicts[b].part == TMPL_PART_TEMPLATE &&
                    is_around_comments(p, b);
        if (stays) {
            p->verdicts[b].template = 1;
        }
        if (!stays && p->verdicts[b].part == TMPL_PART_TEMPLATE && !(p->all[b] & controls) &&
            !(p->phrases[b] & TMPL_PHRASE_CONTROL)) {
            p->verdicts[b].part = part;
        }
    }
}

/* On a list page, each item has a link to its comments. */
static int is_many(const tmpl_parts_page_t *p, unsigned phrase)
{
    unsigned n = 0;
    for (uint32_t b = 0; b < p->page->n_blocks; b++) {
        n += (p->phrases[b] & phrase) != 0;
    }
    return n > HEADS_MOST;
}

/* Whether blocks say who wrote them, or when; of those in comments, if only they count. */
static int have_authors(const tmpl_parts_page_t *p, uint32_t first, uint32_t after, unsigned in)
{
    for (uint32_t b = first; b < after; b++) {
        if ((p->all[b] & in) == in && (p->some[b] & TMPL_HINTS_WHO_OR_WHEN)) {
            return 1;
        }
    }
    return 0;
}

/* The end of the region that a block heads by heads[i], or of the block; 0: it is no head. */
static uint32_t headed(const tmpl_parts_page_t *p, uint32_t b, unsigned i)
{
    if (!(p->phrases[b] & heads[i].phrase) || tmpl_part_is_chrome(p, b) ||
        tmpl_part_words(p, b, b + 1) > HEAD_WORDS) {
        return 0;
    }
    uint32_t after = end_of_region(p, b, heads[i].most);
    if (heads[i].phrase == TMPL_PHRASE_SECTION && !have_authors(p, b, after, 0)) {
        return 0;
    }
    return after > b + 1 && is_like(p, b, after, i) ? after : b + 1;
}

/* Whether headings of related pages are over the page's own content, as on a front page. */
static int has_sections(const tmpl_parts_page_t *p)
{
    unsigned sections = 0;
    uint32_t kept = 0;
    for (uint32_t b = 0; b < p->page->n_blocks; b++) {
        uint32_t after = level_of(p->page, b) > 0 ? headed(p, b, 0) : 0;
        if (after > b + 1) {
            sections++;
            kept += p->kept[after] - p->kept[b];
        }
    }
    return sections >= SECTIONS_LEAST &&
           (uint64_t)kept * SECTIONS_SHARE > p->kept[p->page->n_blocks];
}

static void drop_heads(const tmpl_parts_page_t *p)
{
    for (uint32_t b = 0; b < p->page->n_blocks; b++) {
        p->phrases[b] &= level_of(p->page, b) > 0 ? (unsigned short)~TMPL_PHRASE_RELATED : 0xFFFF;
    }
}

static void find_headed(const tmpl_parts_page_t *p, unsigned parts)
{
    parts &= is_many(p, TMPL_PHRASE_COMMENTS) ? ~TMPL_PART_BIT(TMPL_PART_COMMENT) : ~0U;
    if (has_sections(p)) {
        drop_heads(p);
    }
    for (uint32_t b = 0; b < p->page->n_blocks; b++) {
        for (unsigned i = 0; i < HEADS && p->phrases[b] != 0; i++) {
            uint32_t after = parts & TMPL_PART_BIT(heads[i].part) ? headed(p, b, i) : 0;
            if (after > b + 1) {
                set_parts_of(p, b, after, heads[i].part);
                memset(p->headed + b, 1, after - b);
            }
            else if (after > b && heads[i].part == TMPL_PART_COMMENT &&
                     p->verdicts[b].ratio > 0.1F && p->kept[b] * 2 > p->kept[p->page->n_blocks]) {
                set_parts_of(p, b, b + 1, TMPL_PART_COMMENT);
            }
        }
    }
}

static void set_comments(const tmpl_parts_page_t *p, int is_thread)
{
    const tmpl_page_t *page = p->page;
    uint32_t text = 0; /* bytes of content before, in long blocks */
    uint32_t n = have_authors(p, 0, page->n_blocks, TMPL_HINT_COMMENT) ? page->n_blocks : 0;
    for (uint32_t b = 0; b < n; b++) {
        const tmpl_block_t *block = &page->blocks[b];
        int is_long = !p->verdicts[b].template && block->length >= SENTENCE;
        if (!(p->all[b] & TMPL_HINT_COMMENT)) {
            text += is_long ? block->length : 0;
        }
        else if ((is_thread ? (p->some[b] & TMPL_HINT_POST) != 0 : text >= ARTICLE) &&
                 !tmpl_part_is_chrome(p, b)) {
            set_parts_of(p, b, b + 1, TMPL_PART_COMMENT);
        }
    }
}

static void find_reviews(const tmpl_parts_page_t *p)
{
    for (uint32_t b = 0; b < p->page->n_blocks; b++) {
        if ((p->all[b] & TMPL_HINT_REVIEW) && p->verdicts[b].ratio > 0.05F &&
            !tmpl_part_is_chrome(p, b)) {
            set_parts_of(p, b, b + 1, TMPL_PART_REVIEW);
        }
    }
}

/* What stands behind the last post of a thread is template, unless the trees are sure. */
static void cut_behind_posts(const tmpl_parts_page_t *p)
{
    enum { OF_POSTS = TMPL_HINT_THREAD | TMPL_HINT_POST };
    uint32_t n = p->page->n_blocks, last = n;
    while (last > 0 && (p->verdicts[last - 1].template || !(p->some[last - 1] & OF_POSTS))) {
        last--;
    }
    for (uint32_t b = last > 0 ? last : n; b < n; b++) {
        p->verdicts[b].template |= p->verdicts[b].ratio > 0.1F;
    }
}

void tmpl_parts_regions(tmpl_parts_page_t *p)
{
    int is_thread = is_thread_of(p);
    if (tmpl_has_thread_address(p->page)) {
        cut_behind_posts(p);
    }
    int is_product = is_product_of(p);
    unsigned not_here = is_thread ? TMPL_PART_BIT(TMPL_PART_COMMENT) : 0;
    not_here |= is_product ? 0 : TMPL_PART_BIT(TMPL_PART_REVIEW);
    if (is_product) {
        find_reviews(p); /* first: shops made of blogs call them comments, too */
    }
    set_comments(p, is_thread);
    find_headed(p, ~not_here);
}
