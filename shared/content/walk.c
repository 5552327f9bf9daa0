/* SPDX-License-Identifier: Apache-2.0 */
#include "content/walk.h"

#include <string.h>

#include <apr_strings.h>

#include "base/ascii.h"
#include "html/attr.h"

/* What elements are by their tags; blocks that are not listed are BLOCK. */
/* clang-format off */
#define E(tag, element) [TMPL_TAG_##tag] = TMPL_ELEMENT_##element
static const unsigned char kinds[TMPL_TAG_COUNT] = {
    E(H1, HEADING), E(H2, HEADING), E(H3, HEADING), E(H4, HEADING), E(H5, HEADING),
    E(H6, HEADING), E(BLOCKQUOTE, QUOTE), E(DETAILS, DETAILS), E(SUMMARY, SUMMARY),
    E(FIGURE, FIGURE), E(FIGCAPTION, FIGCAPTION), E(LEGEND, BLOCK), E(UL, LIST), E(OL, LIST),
    E(MENU, LIST), E(DIR, LIST), E(LI, ITEM), E(DL, TERMS), E(DT, TERM), E(DD, DESCRIPTION),
    E(PRE, CODE), E(LISTING, CODE), E(HR, RULE), E(TABLE, TABLE), E(CAPTION, CAPTION),
    E(THEAD, ROWS), E(TBODY, ROWS), E(TFOOT, ROWS), E(TR, ROW), E(TD, CELL), E(TH, CELL),
    E(A, LINK), E(IMG, IMAGE), E(IFRAME, MEDIA), E(VIDEO, MEDIA), E(AUDIO, MEDIA),
    E(SPAN, SPAN), E(BR, BREAK), E(WBR, WORD_BREAK), E(BUTTON, BUTTON), E(RP, RUBY_SIGN),
    E(ABBR, FORMAT), E(ACRONYM, FORMAT), E(B, FORMAT), E(BDI, FORMAT), E(BDO, FORMAT),
    E(CITE, FORMAT), E(CODE, FORMAT), E(DEL, FORMAT), E(DFN, FORMAT), E(EM, FORMAT),
    E(I, FORMAT), E(INS, FORMAT), E(KBD, FORMAT), E(MARK, FORMAT), E(Q, FORMAT), E(RT, FORMAT),
    E(RUBY, FORMAT), E(S, FORMAT), E(SAMP, FORMAT), E(SMALL, FORMAT), E(STRIKE, FORMAT),
    E(STRONG, FORMAT), E(SUB, FORMAT), E(SUP, FORMAT), E(TIME, FORMAT), E(TT, FORMAT),
    E(U, FORMAT), E(VAR, FORMAT)
};
#undef E
/* clang-format on */

/*
 * Whether an element's role says that it is a heading, and its aria-level of which level. What
 * begins with a paragraph is text, whatever the role says: forums mark all posts so.
 */
static int says_heading(const tmpl_page_t *page, const tmpl_node_t *node)
{
    tmpl_attr_t level;
    const tmpl_known_attr_t *role = tmpl_node_attr(page, node, TMPL_ATTR_ROLE);
    uint32_t inner = (uint32_t)(node - page->nodes) + 1;
    int is_text = inner < node->after && page->nodes[inner].tag == TMPL_TAG_P;
    return !is_text && role != NULL && tmpl_span_is(page->src, role->value, "heading") &&
           tmpl_attr_find(&level, page->src, node->open, "aria-level") &&
           tmpl_span_len(level.value) == 1 && page->src[level.value.start] >= '1' &&
           page->src[level.value.start] <= '6';
}

/* Whether an element has a name of its own that stands for img: AMP's. */
static int is_amp_image(const xmlNode *element)
{
    const char *name = (const char *)element->name;
    return strcmp(name, "amp-img") == 0 || strcmp(name, "amp-anim") == 0;
}

/* What an element is by its tag and its attributes. */
static tmpl_element_e element_by_tag(tmpl_walk_t *walk, const xmlNode *element,
                                     const tmpl_node_t *node)
{
    /* elements whose attributes may say that they are something else */
    static const unsigned char may_be_other[TMPL_TAG_COUNT] = {
        [TMPL_TAG_DIV] = 1,        [TMPL_TAG_ASIDE] = 1,   [TMPL_TAG_CODE] = 1,
        [TMPL_TAG_BLOCKQUOTE] = 1, [TMPL_TAG_SECTION] = 1, [TMPL_TAG_P] = 1,
        [TMPL_TAG_OTHER] = 1,
    };
    const tmpl_page_t *page = walk->content->page;
    tmpl_tag_e tag = (tmpl_tag_e)node->tag;
    if ((tag != TMPL_TAG_IMG || walk->walker->lines) &&
        tmpl_formula_is(&walk->formula, page, element)) {
        return TMPL_ELEMENT_FORMULA;
    }
    if (tmpl_node_is_listing(page, node)) {
        return TMPL_ELEMENT_CODE;
    }
    if (node->flags & TMPL_NODE_NAMED) {
        if (may_be_other[tag] && says_heading(page, node)) {
            return TMPL_ELEMENT_HEADING;
        }
        tag = tmpl_dom_table_tag(page, element);
        if (may_be_other[tag] && tmpl_callout_of(page, element) != NULL) {
            return TMPL_ELEMENT_CALLOUT;
        }
    }
    if (tag == TMPL_TAG_OTHER && is_amp_image(element)) {
        return TMPL_ELEMENT_IMAGE;
    }
    int is_block = (tmpl_tag_flags(tag) & (TMPL_IS_CLOSES_P | TMPL_IS_PART)) != 0;
    return kinds[tag] != TMPL_ELEMENT_NONE ? (tmpl_element_e)kinds[tag]
           : is_block                      ? TMPL_ELEMENT_BLOCK
                                           : TMPL_ELEMENT_NONE;
}

/* What an element is in a note or a record; kind: by its tag. */
static tmpl_element_e element_by_part(const tmpl_walk_t *walk, uint32_t node, tmpl_element_e kind)
{
    static const unsigned char of_notes[] = {
        [TMPL_NOTE_REFERENCE] = TMPL_ELEMENT_REFERENCE,
        [TMPL_NOTE_TEXT] = TMPL_ELEMENT_NOTE,
        [TMPL_NOTE_INLINE] = TMPL_ELEMENT_INLINE_NOTE,
        [TMPL_NOTE_LEFT_OUT] = TMPL_ELEMENT_LEFT_OUT,
    };
    static const unsigned char of_records[] = {
        [TMPL_RECORD_ELEMENT] = TMPL_ELEMENT_RECORD,
        [TMPL_RECORD_TITLED] = TMPL_ELEMENT_NONE, /* is not in the tree, nor is BESIDE */
        [TMPL_RECORD_HEADLINE] = TMPL_ELEMENT_HEADLINE,
        [TMPL_RECORD_TITLE_PART] = TMPL_ELEMENT_SUMMARY,
        [TMPL_RECORD_QUOTE] = TMPL_ELEMENT_QUOTE,
        [TMPL_RECORD_PLAIN] = TMPL_ELEMENT_BLOCK,
    };
    const tmpl_content_t *content = walk->content;
    unsigned of = content->groups.parts != NULL ? content->groups.parts[node] : 0;
    if (walk->notes != NULL && walk->notes[node].kind != TMPL_NOTE_NONE) {
        return (tmpl_element_e)of_notes[walk->notes[node].kind];
    }
    int is_title = of == TMPL_RECORD_TITLE_PART && content->headline != NULL &&
                   tmpl_dom_node(content->headline) == node; /* the page's, not that of a post */
    int stays = walk->walker->listed && content->page->nodes[node].tag == TMPL_TAG_A;
    if (of_records[of] == TMPL_ELEMENT_NONE || is_title || stays) {
        return kind;
    }
    return of == TMPL_RECORD_ELEMENT && walk->walker->listed ? TMPL_ELEMENT_BLOCK
                                                             : (tmpl_element_e)of_records[of];
}

static tmpl_element_e element_of(tmpl_walk_t *walk, const xmlNode *element)
{
    const tmpl_groups_t *groups = &walk->content->groups;
    uint32_t node = tmpl_dom_node(element);
    tmpl_element_e kind = element_by_tag(walk, element, &walk->content->page->nodes[node]);
    int may_be_part = walk->walker->lines && (walk->notes != NULL || groups->parts != NULL);
    return may_be_part && kind != TMPL_ELEMENT_FORMULA ? element_by_part(walk, node, kind) : kind;
}

void tmpl_walk_init(tmpl_walk_t *walk, const tmpl_walker_t *walker, void *writer, const int *over,
                    const tmpl_content_t *content, apr_pool_t *pool)
{
    *walk = (tmpl_walk_t){ .walker = walker, .writer = writer, .over = over, .content = content };
    if (walker->lines) {
        walk->notes = tmpl_notes_find(content->page, content->body, &content->hrefs, pool);
    }
    apr_pool_create(&walk->formula.pool, pool);
}

static void walk_text(tmpl_walk_t *walk, const xmlNode *text)
{
    if (walk->image.address != NULL && !tmpl_dom_is_blank(text)) {
        walk->image.address = NULL; /* the next image is not beside it */
    }
    walk->walker->text(walk->writer, text);
}

void tmpl_walk(tmpl_walk_t *walk, const xmlNode *top)
{
    const tmpl_walker_t *walker = walk->walker;
    xmlNode *node = top->children;
    while (node != NULL && !*walk->over) {
        if (node->type == XML_TEXT_NODE) {
            walk_text(walk, node);
        }
        else {
            tmpl_element_e kind = element_of(walk, node);
            node->psvi = (void *)(uintptr_t)kind;
            if (!walker->enter(walk->writer, node, kind) && node->children != NULL) {
                node = node->children;
                continue;
            }
            walker->leave(walk->writer, node, kind);
        }
        while (node->next == NULL && node->parent != top) {
            node = node->parent;
            walker->leave(walk->writer, node, (tmpl_element_e)(uintptr_t)node->psvi);
        }
        node = node->next;
    }
}

unsigned tmpl_walk_level(const xmlNode *heading)
{
    const char *level = tmpl_dom_attribute(heading, "aria-level");
    return heading->name[0] == 'h' && tmpl_is_digit((char)heading->name[1])
               ? (unsigned)(heading->name[1] - '0')
               : (unsigned)(*level - '0');
}

char tmpl_walk_task(const tmpl_walk_t *walk, const xmlNode *item)
{
    enum { NEAR = 6 /* nodes up to the box */ };
    const xmlNode *box = item->children;
    for (int n = 0;
         n < NEAR && box != NULL && tmpl_dom_tag(walk->content->page, box) != TMPL_TAG_INPUT; n++) {
        if (box->type == XML_TEXT_NODE && !tmpl_dom_is_blank(box)) {
            return '\0';
        }
        box = tmpl_dom_next(box, item, 0);
    }
    const char *type =
        box != NULL && box->type == XML_ELEMENT_NODE ? tmpl_dom_attribute(box, "type") : NULL;
    if (type == NULL || strcmp(type, "checkbox") != 0) {
        return '\0';
    }
    /* a reader may check others: ingredients, say */
    const char *class = tmpl_dom_attribute(item, "class");
    int is_task = tmpl_dom_attribute(box, "disabled") != NULL ||
                  (class != NULL && strstr(class, "task-list") != NULL);
    return !is_task ? '\0' : tmpl_dom_attribute(box, "checked") != NULL ? 'x' : ' ';
}

tmpl_link_e tmpl_walk_link(const char **href, const char **text, const tmpl_walk_t *walk,
                           const xmlNode *link, const xmlNode *heading, apr_pool_t *pool)
{
    *href = tmpl_dom_listed(link, TMPL_ATTR_HREF);
    *text = NULL;
    if (*href == NULL) {
        return TMPL_LINK_TEXT;
    }
    *href = tmpl_href_mail(text, link, *href, pool);
    if (tmpl_permalink_is(walk->content->page, heading, link, *href)) {
        return TMPL_LINK_LEFT_OUT;
    }
    if (*text != NULL) {
        return TMPL_LINK_MAIL;
    }
    if (!tmpl_href_is_safe(*href)) {
        return TMPL_LINK_TEXT;
    }
    const tmpl_hrefs_t *hrefs = &walk->content->hrefs;
    int is_own =
        heading != NULL && tmpl_permalink_is_whole(heading, link) &&
        (**href == '#' || (hrefs->url != NULL &&
                           tmpl_href_own(hrefs, tmpl_href_absolute(hrefs, *href, pool)) != NULL));
    return is_own ? TMPL_LINK_TEXT : TMPL_LINK_WHOLE;
}

int tmpl_walk_is_parted(const tmpl_walk_t *walk, const xmlNode *link)
{
    if (link->prev == NULL || tmpl_dom_tag(walk->content->page, link->prev) != TMPL_TAG_A) {
        return 0;
    }
    const xmlNode *first = link->children;
    while (first != NULL && first->type == XML_ELEMENT_NODE) {
        first = first->children;
    }
    char c = first != NULL ? (char)*first->content : '\0';
    const char *href = tmpl_dom_listed(link, TMPL_ATTR_HREF);
    const char *before = tmpl_dom_listed(link->prev, TMPL_ATTR_HREF);
    return !tmpl_is_alpha(c) || c != tmpl_lower(c) || href == NULL || before == NULL ||
           strcmp(href, before) != 0 || !tmpl_href_is_safe(href);
}

const char *tmpl_walk_date(const tmpl_group_record_t *record, apr_pool_t *pool)
{
    enum { DAY = 10 };
    const char *when = record->fields[TMPL_RECORD_WHEN].value;
    const char *date = record->fields[TMPL_RECORD_DATE].value;
    if (when != NULL && strlen(when) > DAY && when[4] == '-' && when[DAY] == 'T') {
        return apr_pstrndup(pool, when, DAY); /* for programs */
    }
    return when != NULL ? when : date != NULL ? apr_pstrndup(pool, date, DAY) : NULL;
}

int tmpl_walk_is_repeated(const tmpl_walk_t *walk, const xmlNode *image, const char *address,
                          const char *text)
{
    enum { LEAST = 12 /* bytes of a text that is no accident */ };
    return walk->image.address != NULL &&
           (strcmp(walk->image.address, address) == 0 ||
            (text != NULL && walk->image.text != NULL && image->parent == walk->image.parent &&
             strlen(text) > LEAST && strcmp(text, walk->image.text) == 0));
}
