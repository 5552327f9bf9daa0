/* SPDX-License-Identifier: Apache-2.0 */
#include "content/walk.h"

#include <string.h>

#include "base/ascii.h"
#include "content/callout.h"
#include "html/attr.h"

/* What elements are by their tags; blocks that are not listed are BLOCK. */
static const unsigned char kinds[TMPL_TAG_COUNT] = {
    [TMPL_TAG_H1] = TMPL_ELEMENT_HEADING,
    [TMPL_TAG_H2] = TMPL_ELEMENT_HEADING,
    [TMPL_TAG_H3] = TMPL_ELEMENT_HEADING,
    [TMPL_TAG_H4] = TMPL_ELEMENT_HEADING,
    [TMPL_TAG_H5] = TMPL_ELEMENT_HEADING,
    [TMPL_TAG_H6] = TMPL_ELEMENT_HEADING,
    [TMPL_TAG_BLOCKQUOTE] = TMPL_ELEMENT_QUOTE,
    [TMPL_TAG_DETAILS] = TMPL_ELEMENT_DETAILS,
    [TMPL_TAG_SUMMARY] = TMPL_ELEMENT_SUMMARY,
    [TMPL_TAG_FIGURE] = TMPL_ELEMENT_FIGURE,
    [TMPL_TAG_FIGCAPTION] = TMPL_ELEMENT_FIGCAPTION,
    [TMPL_TAG_LEGEND] = TMPL_ELEMENT_BLOCK,
    [TMPL_TAG_UL] = TMPL_ELEMENT_LIST,
    [TMPL_TAG_OL] = TMPL_ELEMENT_LIST,
    [TMPL_TAG_MENU] = TMPL_ELEMENT_LIST,
    [TMPL_TAG_DIR] = TMPL_ELEMENT_LIST,
    [TMPL_TAG_LI] = TMPL_ELEMENT_ITEM,
    [TMPL_TAG_DL] = TMPL_ELEMENT_TERMS,
    [TMPL_TAG_DT] = TMPL_ELEMENT_TERM,
    [TMPL_TAG_DD] = TMPL_ELEMENT_DESCRIPTION,
    [TMPL_TAG_PRE] = TMPL_ELEMENT_CODE,
    [TMPL_TAG_LISTING] = TMPL_ELEMENT_CODE,
    [TMPL_TAG_HR] = TMPL_ELEMENT_RULE,
    [TMPL_TAG_TABLE] = TMPL_ELEMENT_TABLE,
    [TMPL_TAG_CAPTION] = TMPL_ELEMENT_CAPTION,
    [TMPL_TAG_THEAD] = TMPL_ELEMENT_ROWS,
    [TMPL_TAG_TBODY] = TMPL_ELEMENT_ROWS,
    [TMPL_TAG_TFOOT] = TMPL_ELEMENT_ROWS,
    [TMPL_TAG_TR] = TMPL_ELEMENT_ROW,
    [TMPL_TAG_TD] = TMPL_ELEMENT_CELL,
    [TMPL_TAG_TH] = TMPL_ELEMENT_CELL,
    [TMPL_TAG_A] = TMPL_ELEMENT_LINK,
    [TMPL_TAG_IMG] = TMPL_ELEMENT_IMAGE,
    [TMPL_TAG_IFRAME] = TMPL_ELEMENT_MEDIA,
    [TMPL_TAG_VIDEO] = TMPL_ELEMENT_MEDIA,
    [TMPL_TAG_AUDIO] = TMPL_ELEMENT_MEDIA,
    [TMPL_TAG_SPAN] = TMPL_ELEMENT_SPAN,
    [TMPL_TAG_BR] = TMPL_ELEMENT_BREAK,
    [TMPL_TAG_WBR] = TMPL_ELEMENT_WORD_BREAK,
    [TMPL_TAG_BUTTON] = TMPL_ELEMENT_BUTTON,
    [TMPL_TAG_RP] = TMPL_ELEMENT_RUBY_SIGN,
    [TMPL_TAG_ABBR] = TMPL_ELEMENT_FORMAT,
    [TMPL_TAG_ACRONYM] = TMPL_ELEMENT_FORMAT,
    [TMPL_TAG_B] = TMPL_ELEMENT_FORMAT,
    [TMPL_TAG_BDI] = TMPL_ELEMENT_FORMAT,
    [TMPL_TAG_BDO] = TMPL_ELEMENT_FORMAT,
    [TMPL_TAG_CITE] = TMPL_ELEMENT_FORMAT,
    [TMPL_TAG_CODE] = TMPL_ELEMENT_FORMAT,
    [TMPL_TAG_DEL] = TMPL_ELEMENT_FORMAT,
    [TMPL_TAG_DFN] = TMPL_ELEMENT_FORMAT,
    [TMPL_TAG_EM] = TMPL_ELEMENT_FORMAT,
    [TMPL_TAG_I] = TMPL_ELEMENT_FORMAT,
    [TMPL_TAG_INS] = TMPL_ELEMENT_FORMAT,
    [TMPL_TAG_KBD] = TMPL_ELEMENT_FORMAT,
    [TMPL_TAG_MARK] = TMPL_ELEMENT_FORMAT,
    [TMPL_TAG_Q] = TMPL_ELEMENT_FORMAT,
    [TMPL_TAG_RT] = TMPL_ELEMENT_FORMAT,
    [TMPL_TAG_RUBY] = TMPL_ELEMENT_FORMAT,
    [TMPL_TAG_S] = TMPL_ELEMENT_FORMAT,
    [TMPL_TAG_SAMP] = TMPL_ELEMENT_FORMAT,
    [TMPL_TAG_SMALL] = TMPL_ELEMENT_FORMAT,
    [TMPL_TAG_STRIKE] = TMPL_ELEMENT_FORMAT,
    [TMPL_TAG_STRONG] = TMPL_ELEMENT_FORMAT,
    [TMPL_TAG_SUB] = TMPL_ELEMENT_FORMAT,
    [TMPL_TAG_SUP] = TMPL_ELEMENT_FORMAT,
    [TMPL_TAG_TIME] = TMPL_ELEMENT_FORMAT,
    [TMPL_TAG_TT] = TMPL_ELEMENT_FORMAT,
    [TMPL_TAG_U] = TMPL_ELEMENT_FORMAT,
    [TMPL_TAG_VAR] = TMPL_ELEMENT_FORMAT,
};

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

/* Whether an element of one letter has the name of an icon, which a font shows as a picture. */
static int is_icon_name(const xmlNode *element)
{
    const char *class = element->name[1] == '\0' ? tmpl_dom_attribute(element, "class") : NULL;
    return class != NULL && strstr(class, "material-") != NULL;
}

/* What an element is. */
static tmpl_element_e element_of(tmpl_walk_t *walk, const xmlNode *element)
{
    /* elements whose attributes may say that they are something else */
    static const unsigned char may_be_other[TMPL_TAG_COUNT] = {
        [TMPL_TAG_DIV] = 1,        [TMPL_TAG_ASIDE] = 1,   [TMPL_TAG_CODE] = 1,
        [TMPL_TAG_BLOCKQUOTE] = 1, [TMPL_TAG_SECTION] = 1, [TMPL_TAG_P] = 1,
        [TMPL_TAG_OTHER] = 1,
    };
    const tmpl_page_t *page = walk->content->page;
    const tmpl_node_t *node = &page->nodes[tmpl_dom_node(element)];
    tmpl_tag_e tag = (tmpl_tag_e)node->tag;
    if ((tag != TMPL_TAG_IMG || walk->walker->image_formulas) &&
        tmpl_formula_is(&walk->formula, &walk->formulas, page, element)) {
        return TMPL_ELEMENT_FORMULA;
    }
    if (node->flags & TMPL_NODE_NAMED) {
        if (may_be_other[tag] && says_heading(page, node)) {
            return TMPL_ELEMENT_HEADING;
        }
        if (may_be_other[tag] && tmpl_dom_is_listing(page, node)) {
            return TMPL_ELEMENT_CODE;
        }
        if (may_be_other[tag] && tmpl_callout_of(page, element) != NULL) {
            return TMPL_ELEMENT_CALLOUT;
        }
        if (kinds[tag] == TMPL_ELEMENT_FORMAT && is_icon_name(element)) {
            return TMPL_ELEMENT_LEFT_OUT;
        }
    }
    int is_block = (tmpl_tag_flags(tag) & (TMPL_IS_CLOSES_P | TMPL_IS_PART)) != 0;
    return kinds[tag] != TMPL_ELEMENT_NONE ? (tmpl_element_e)kinds[tag]
           : is_block                      ? TMPL_ELEMENT_BLOCK
                                           : TMPL_ELEMENT_NONE;
}

void tmpl_walk_init(tmpl_walk_t *walk, const tmpl_walker_t *walker, void *writer, const int *over,
                    const tmpl_content_t *content, apr_pool_t *pool)
{
    *walk = (tmpl_walk_t){ .walker = walker, .writer = writer, .over = over, .content = content };
    apr_pool_create(&walk->formulas.pool, pool);
}

static void walk_text(tmpl_walk_t *walk, const xmlNode *text)
{
    const char *content = (const char *)text->content;
    if (walk->image.address != NULL && content[strspn(content, " \t\n\r\f")] != '\0') {
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

int tmpl_walk_is_twin(const tmpl_walk_t *walk, const char *address, const char *text)
{
    enum { LEAST = 12 /* bytes of a text that is no accident */ };
    return walk->image.address != NULL &&
           (strcmp(walk->image.address, address) == 0 ||
            (text != NULL && walk->image.text != NULL && strlen(text) > LEAST &&
             strcmp(text, walk->image.text) == 0));
}
