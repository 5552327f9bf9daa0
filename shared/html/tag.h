/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tags that the rest of libtmpl treats by name, in one table, and sets of tags.
 *
 * An element that is not in the table has the tag TMPL_TAG_OTHER; the page keeps its name only as
 * part of its path.
 */
#ifndef TMPL_TAG_H
#define TMPL_TAG_H

#include "html/name_index.h"

/* Properties of elements, by HTML5 (https://html.spec.whatwg.org/, 12.1 and 13.2) and our own. */
#define TMPL_IS_VOID       0x00001 /* no end tag, no content */
#define TMPL_IS_RAW        0x00002 /* content is text up to its end tag: raw text and RCDATA */
#define TMPL_IS_QUIET      0x00004 /* text inside is not displayed */
#define TMPL_IS_CODE       0x00008 /* the page may lose functions or its appearance without it */
#define TMPL_IS_FORMATTING 0x00010 /* on the list of active formatting elements */
#define TMPL_IS_CLOSES_P   0x00020 /* its start tag closes an open p */
#define TMPL_IS_SPECIAL    0x00040 /* HTML5's category "special" */
#define TMPL_IS_SCOPE      0x00080 /* ends the search for an element in scope */
#define TMPL_IS_IMPLIED    0x00100 /* its end tag may be left out */
#define TMPL_IS_HEADING    0x00200 /* h1..h6 */
#define TMPL_IS_TABLE      0x00400 /* table, its sections and rows: their text is moved out */
#define TMPL_IS_BREAKOUT   0x00800 /* leaves svg and math content */
#define TMPL_IS_NEVER_EDIT 0x01000 /* html, head, body, frames: never marked, never cut */
#define TMPL_IS_HEAD       0x02000 /* may stand in the head */
#define TMPL_IS_PART       0x04000 /* part of a table: may stand nowhere else */
#define TMPL_IS_CELL                                                                               \
    0x08000 /* td, th, caption: closing it in any way ends its protection of formatting elements */
#define TMPL_IS_MARKER                                                                             \
    0x10000 /* protects the active formatting elements around it from its content */
#define TMPL_IS_RUBY   0x20000 /* rb, rt, rtc, rp */
#define TMPL_IS_OPTION 0x40000 /* may stand in a select or a group of options */
#define TMPL_IS_FIXED_TEXT                                                                         \
    0x80000 /* the surroundings of a text directly in it change how the text is read */

/* Its start tag may do more than open it and close a p, or its position matters. */
#define TMPL_IS_PLACED  0x100000
#define TMPL_IS_CONTROL 0x200000 /* takes part in submitting a form */
#define TMPL_IS_LINE    0x400000 /* begins a new line in a browser */
/* Ends the search for an element in button scope, list item scope, table scope. */
#define TMPL_IS_BUTTON_SCOPE 0x0800000
#define TMPL_IS_ITEM_SCOPE   0x1000000
#define TMPL_IS_TABLE_SCOPE  0x2000000

/* clang-format off */
#define TMPL_TAGS(X) \
    X(A, "a", TMPL_IS_FORMATTING) \
    X(ABBR, "abbr", 0) \
    X(ACRONYM, "acronym", 0) \
    X(ADDRESS, "address", TMPL_IS_CLOSES_P | TMPL_IS_SPECIAL | TMPL_IS_LINE) \
    X(APPLET, "applet", TMPL_IS_SCOPE | TMPL_IS_SPECIAL | TMPL_IS_QUIET | TMPL_IS_MARKER) \
    X(AREA, "area", TMPL_IS_VOID | TMPL_IS_SPECIAL) \
    X(ARTICLE, "article", TMPL_IS_CLOSES_P | TMPL_IS_SPECIAL | TMPL_IS_LINE) \
    X(ASIDE, "aside", TMPL_IS_CLOSES_P | TMPL_IS_SPECIAL | TMPL_IS_LINE) \
    X(AUDIO, "audio", 0) \
    X(B, "b", TMPL_IS_FORMATTING | TMPL_IS_BREAKOUT) \
    X(BASE, "base", TMPL_IS_VOID | TMPL_IS_CODE | TMPL_IS_HEAD | TMPL_IS_SPECIAL) \
    X(BASEFONT, "basefont", TMPL_IS_VOID | TMPL_IS_CODE | TMPL_IS_HEAD | TMPL_IS_SPECIAL) \
    X(BDI, "bdi", 0) \
    X(BDO, "bdo", 0) \
    X(BGSOUND, "bgsound", TMPL_IS_VOID | TMPL_IS_CODE | TMPL_IS_HEAD | TMPL_IS_SPECIAL) \
    X(BIG, "big", TMPL_IS_FORMATTING | TMPL_IS_BREAKOUT) \
    X(BLOCKQUOTE, "blockquote", TMPL_IS_CLOSES_P | TMPL_IS_SPECIAL | TMPL_IS_BREAKOUT | TMPL_IS_LINE) \
    X(BODY, "body", TMPL_IS_NEVER_EDIT | TMPL_IS_SPECIAL | TMPL_IS_BREAKOUT | TMPL_IS_PLACED | TMPL_IS_LINE) \
    X(BR, "br", TMPL_IS_VOID | TMPL_IS_SPECIAL | TMPL_IS_BREAKOUT | TMPL_IS_LINE) \
    X(BUTTON, "button", TMPL_IS_SPECIAL | TMPL_IS_PLACED | TMPL_IS_CONTROL | TMPL_IS_BUTTON_SCOPE) \
    X(CANVAS, "canvas", 0) \
    X(CAPTION, "caption", TMPL_IS_SPECIAL | TMPL_IS_SCOPE | TMPL_IS_PART | TMPL_IS_CELL | TMPL_IS_MARKER | TMPL_IS_PLACED | TMPL_IS_LINE) \
    X(CENTER, "center", TMPL_IS_CLOSES_P | TMPL_IS_SPECIAL | TMPL_IS_BREAKOUT | TMPL_IS_LINE) \
    X(CITE, "cite", 0) \
    X(CODE, "code", TMPL_IS_FORMATTING | TMPL_IS_BREAKOUT) \
    X(COL, "col", TMPL_IS_VOID | TMPL_IS_SPECIAL | TMPL_IS_PART | TMPL_IS_PLACED) \
    X(COLGROUP, "colgroup", TMPL_IS_SPECIAL | TMPL_IS_IMPLIED | TMPL_IS_PART | TMPL_IS_FIXED_TEXT | TMPL_IS_PLACED) \
    X(DATA, "data", 0) \
    X(DATALIST, "datalist", TMPL_IS_QUIET) \
    X(DD, "dd", TMPL_IS_CLOSES_P | TMPL_IS_SPECIAL | TMPL_IS_IMPLIED | TMPL_IS_BREAKOUT | TMPL_IS_PLACED | TMPL_IS_LINE) \
    X(DEL, "del", 0) \
    X(DETAILS, "details", TMPL_IS_CLOSES_P | TMPL_IS_SPECIAL | TMPL_IS_LINE) \
    X(DFN, "dfn", 0) \
    X(DIALOG, "dialog", TMPL_IS_CLOSES_P | TMPL_IS_LINE) \
    X(DIR, "dir", TMPL_IS_CLOSES_P | TMPL_IS_SPECIAL | TMPL_IS_LINE) \
    X(DIV, "div", TMPL_IS_CLOSES_P | TMPL_IS_SPECIAL | TMPL_IS_BREAKOUT | TMPL_IS_LINE) \
    X(DL, "dl", TMPL_IS_CLOSES_P | TMPL_IS_SPECIAL | TMPL_IS_BREAKOUT | TMPL_IS_LINE) \
    X(DT, "dt", TMPL_IS_CLOSES_P | TMPL_IS_SPECIAL | TMPL_IS_IMPLIED | TMPL_IS_BREAKOUT | TMPL_IS_PLACED | TMPL_IS_LINE) \
    X(EM, "em", TMPL_IS_FORMATTING | TMPL_IS_BREAKOUT) \
    X(EMBED, "embed", TMPL_IS_VOID | TMPL_IS_SPECIAL | TMPL_IS_BREAKOUT) \
    X(FIELDSET, "fieldset", TMPL_IS_CLOSES_P | TMPL_IS_SPECIAL | TMPL_IS_LINE) \
    X(FIGCAPTION, "figcaption", TMPL_IS_CLOSES_P | TMPL_IS_SPECIAL | TMPL_IS_LINE) \
    X(FIGURE, "figure", TMPL_IS_CLOSES_P | TMPL_IS_SPECIAL | TMPL_IS_LINE) \
    X(FONT, "font", TMPL_IS_FORMATTING) \
    X(FOOTER, "footer", TMPL_IS_CLOSES_P | TMPL_IS_SPECIAL | TMPL_IS_LINE) \
    X(FORM, "form", TMPL_IS_CLOSES_P | TMPL_IS_SPECIAL | TMPL_IS_PLACED | TMPL_IS_LINE) \
    X(FRAME, "frame", TMPL_IS_NEVER_EDIT | TMPL_IS_SPECIAL | TMPL_IS_PLACED) \
    X(FRAMESET, "frameset", TMPL_IS_NEVER_EDIT | TMPL_IS_SPECIAL | TMPL_IS_PLACED) \
    X(H1, "h1", TMPL_IS_CLOSES_P | TMPL_IS_SPECIAL | TMPL_IS_HEADING | TMPL_IS_BREAKOUT | TMPL_IS_PLACED | TMPL_IS_LINE) \
    X(H2, "h2", TMPL_IS_CLOSES_P | TMPL_IS_SPECIAL | TMPL_IS_HEADING | TMPL_IS_BREAKOUT | TMPL_IS_PLACED | TMPL_IS_LINE) \
    X(H3, "h3", TMPL_IS_CLOSES_P | TMPL_IS_SPECIAL | TMPL_IS_HEADING | TMPL_IS_BREAKOUT | TMPL_IS_PLACED | TMPL_IS_LINE) \
    X(H4, "h4", TMPL_IS_CLOSES_P | TMPL_IS_SPECIAL | TMPL_IS_HEADING | TMPL_IS_BREAKOUT | TMPL_IS_PLACED | TMPL_IS_LINE) \
    X(H5, "h5", TMPL_IS_CLOSES_P | TMPL_IS_SPECIAL | TMPL_IS_HEADING | TMPL_IS_BREAKOUT | TMPL_IS_PLACED | TMPL_IS_LINE) \
    X(H6, "h6", TMPL_IS_CLOSES_P | TMPL_IS_SPECIAL | TMPL_IS_HEADING | TMPL_IS_BREAKOUT | TMPL_IS_PLACED | TMPL_IS_LINE) \
    X(HEAD, "head", TMPL_IS_NEVER_EDIT | TMPL_IS_SPECIAL | TMPL_IS_BREAKOUT | TMPL_IS_PLACED) \
    X(HEADER, "header", TMPL_IS_CLOSES_P | TMPL_IS_SPECIAL | TMPL_IS_LINE) \
    X(HGROUP, "hgroup", TMPL_IS_CLOSES_P | TMPL_IS_SPECIAL | TMPL_IS_LINE) \
    X(HR, "hr", TMPL_IS_CLOSES_P | TMPL_IS_VOID | TMPL_IS_SPECIAL | TMPL_IS_BREAKOUT | TMPL_IS_LINE) \
    X(HTML, "html", TMPL_IS_NEVER_EDIT | TMPL_IS_SPECIAL | TMPL_IS_SCOPE | TMPL_IS_PLACED) \
    X(I, "i", TMPL_IS_FORMATTING | TMPL_IS_BREAKOUT) \
    X(IFRAME, "iframe", TMPL_IS_RAW | TMPL_IS_QUIET | TMPL_IS_SPECIAL) \
    X(IMAGE, "image", TMPL_IS_VOID) \
    X(IMG, "img", TMPL_IS_VOID | TMPL_IS_SPECIAL | TMPL_IS_BREAKOUT) \
    X(INPUT, "input", TMPL_IS_VOID | TMPL_IS_SPECIAL | TMPL_IS_PLACED | TMPL_IS_CONTROL) \
    X(INS, "ins", 0) \
    X(KBD, "kbd", 0) \
    X(KEYGEN, "keygen", TMPL_IS_VOID | TMPL_IS_SPECIAL) \
    X(LABEL, "label", 0) \
    X(LEGEND, "legend", TMPL_IS_LINE) \
    X(LI, "li", TMPL_IS_CLOSES_P | TMPL_IS_SPECIAL | TMPL_IS_IMPLIED | TMPL_IS_BREAKOUT | TMPL_IS_PLACED | TMPL_IS_LINE) \
    X(LINK, "link", TMPL_IS_VOID | TMPL_IS_CODE | TMPL_IS_HEAD | TMPL_IS_SPECIAL) \
    X(LISTING, "listing", TMPL_IS_CLOSES_P | TMPL_IS_SPECIAL | TMPL_IS_BREAKOUT | TMPL_IS_FIXED_TEXT | TMPL_IS_LINE) \
    X(MAIN, "main", TMPL_IS_CLOSES_P | TMPL_IS_SPECIAL | TMPL_IS_LINE) \
    X(MAP, "map", 0) \
    X(MARK, "mark", 0) \
    X(MARQUEE, "marquee", TMPL_IS_SCOPE | TMPL_IS_SPECIAL | TMPL_IS_MARKER) \
    X(MATH, "math", TMPL_IS_QUIET | TMPL_IS_PLACED) \
    X(MENU, "menu", TMPL_IS_CLOSES_P | TMPL_IS_SPECIAL | TMPL_IS_BREAKOUT | TMPL_IS_LINE) \
    X(META, "meta", TMPL_IS_VOID | TMPL_IS_CODE | TMPL_IS_HEAD | TMPL_IS_SPECIAL | TMPL_IS_BREAKOUT) \
    X(METER, "meter", 0) \
    X(NAV, "nav", TMPL_IS_CLOSES_P | TMPL_IS_SPECIAL | TMPL_IS_LINE) \
    X(NOBR, "nobr", TMPL_IS_FORMATTING | TMPL_IS_BREAKOUT | TMPL_IS_PLACED) \
    X(NOEMBED, "noembed", TMPL_IS_RAW | TMPL_IS_QUIET | TMPL_IS_SPECIAL) \
    X(NOFRAMES, "noframes", TMPL_IS_RAW | TMPL_IS_QUIET | TMPL_IS_HEAD | TMPL_IS_SPECIAL) \
    X(NOSCRIPT, "noscript", TMPL_IS_QUIET | TMPL_IS_HEAD | TMPL_IS_SPECIAL) \
    X(OBJECT, "object", TMPL_IS_SCOPE | TMPL_IS_SPECIAL | TMPL_IS_QUIET | TMPL_IS_MARKER) \
    X(OL, "ol", TMPL_IS_CLOSES_P | TMPL_IS_SPECIAL | TMPL_IS_BREAKOUT | TMPL_IS_LINE | TMPL_IS_ITEM_SCOPE) \
    X(OPTGROUP, "optgroup", TMPL_IS_QUIET | TMPL_IS_IMPLIED | TMPL_IS_OPTION | TMPL_IS_PLACED) \
    X(OPTION, "option", TMPL_IS_QUIET | TMPL_IS_IMPLIED | TMPL_IS_OPTION | TMPL_IS_PLACED) \
    X(OUTPUT, "output", 0) \
    X(P, "p", TMPL_IS_CLOSES_P | TMPL_IS_SPECIAL | TMPL_IS_IMPLIED | TMPL_IS_BREAKOUT | TMPL_IS_LINE) \
    X(PARAM, "param", TMPL_IS_VOID | TMPL_IS_SPECIAL) \
    X(PICTURE, "picture", 0) \
    X(PLAINTEXT, "plaintext", TMPL_IS_CLOSES_P | TMPL_IS_SPECIAL | TMPL_IS_PLACED) \
    X(PRE, "pre", TMPL_IS_CLOSES_P | TMPL_IS_SPECIAL | TMPL_IS_BREAKOUT | TMPL_IS_FIXED_TEXT | TMPL_IS_LINE) \
    X(PROGRESS, "progress", 0) \
    X(Q, "q", 0) \
    X(RB, "rb", TMPL_IS_IMPLIED | TMPL_IS_RUBY | TMPL_IS_PLACED) \
    X(RP, "rp", TMPL_IS_IMPLIED | TMPL_IS_RUBY | TMPL_IS_PLACED) \
    X(RT, "rt", TMPL_IS_IMPLIED | TMPL_IS_RUBY | TMPL_IS_PLACED) \
    X(RTC, "rtc", TMPL_IS_IMPLIED | TMPL_IS_RUBY | TMPL_IS_PLACED) \
    X(RUBY, "ruby", TMPL_IS_BREAKOUT) \
    X(S, "s", TMPL_IS_FORMATTING | TMPL_IS_BREAKOUT) \
    X(SAMP, "samp", 0) \
    X(SCRIPT, "script", TMPL_IS_RAW | TMPL_IS_QUIET | TMPL_IS_CODE | TMPL_IS_HEAD | TMPL_IS_SPECIAL) \
    X(SEARCH, "search", TMPL_IS_CLOSES_P | TMPL_IS_SPECIAL | TMPL_IS_LINE) \
    X(SECTION, "section", TMPL_IS_CLOSES_P | TMPL_IS_SPECIAL | TMPL_IS_LINE) \
    X(SELECT, "select", TMPL_IS_SCOPE | TMPL_IS_QUIET | TMPL_IS_SPECIAL | TMPL_IS_FIXED_TEXT | TMPL_IS_PLACED | TMPL_IS_CONTROL) \
    X(SLOT, "slot", 0) \
    X(SMALL, "small", TMPL_IS_FORMATTING | TMPL_IS_BREAKOUT) \
    X(SOURCE, "source", TMPL_IS_VOID | TMPL_IS_SPECIAL) \
    X(SPAN, "span", TMPL_IS_BREAKOUT) \
    X(STRIKE, "strike", TMPL_IS_FORMATTING | TMPL_IS_BREAKOUT) \
    X(STRONG, "strong", TMPL_IS_FORMATTING | TMPL_IS_BREAKOUT) \
    X(STYLE, "style", TMPL_IS_RAW | TMPL_IS_QUIET | TMPL_IS_CODE | TMPL_IS_HEAD | TMPL_IS_SPECIAL) \
    X(SUB, "sub", TMPL_IS_BREAKOUT) \
    X(SUMMARY, "summary", TMPL_IS_CLOSES_P | TMPL_IS_SPECIAL | TMPL_IS_LINE) \
    X(SUP, "sup", TMPL_IS_BREAKOUT) \
    X(SVG, "svg", TMPL_IS_QUIET | TMPL_IS_PLACED) \
    X(TABLE, "table", TMPL_IS_CLOSES_P | TMPL_IS_SPECIAL | TMPL_IS_SCOPE | TMPL_IS_TABLE | TMPL_IS_BREAKOUT | TMPL_IS_FIXED_TEXT | TMPL_IS_PLACED | TMPL_IS_LINE | TMPL_IS_TABLE_SCOPE) \
    X(TBODY, "tbody", TMPL_IS_SPECIAL | TMPL_IS_TABLE | TMPL_IS_IMPLIED | TMPL_IS_PART | TMPL_IS_FIXED_TEXT | TMPL_IS_PLACED | TMPL_IS_LINE) \
    X(TD, "td", TMPL_IS_SPECIAL | TMPL_IS_SCOPE | TMPL_IS_IMPLIED | TMPL_IS_PART | TMPL_IS_CELL | TMPL_IS_MARKER | TMPL_IS_PLACED | TMPL_IS_LINE) \
    X(TEMPLATE, "template", TMPL_IS_QUIET | TMPL_IS_CODE | TMPL_IS_HEAD | TMPL_IS_SPECIAL | TMPL_IS_SCOPE | TMPL_IS_MARKER | TMPL_IS_PLACED | TMPL_IS_TABLE_SCOPE) \
    X(TEXTAREA, "textarea", TMPL_IS_RAW | TMPL_IS_QUIET | TMPL_IS_SPECIAL | TMPL_IS_CONTROL) \
    X(TFOOT, "tfoot", TMPL_IS_SPECIAL | TMPL_IS_TABLE | TMPL_IS_IMPLIED | TMPL_IS_PART | TMPL_IS_FIXED_TEXT | TMPL_IS_PLACED | TMPL_IS_LINE) \
    X(TH, "th", TMPL_IS_SPECIAL | TMPL_IS_SCOPE | TMPL_IS_IMPLIED | TMPL_IS_PART | TMPL_IS_CELL | TMPL_IS_MARKER | TMPL_IS_PLACED | TMPL_IS_LINE) \
    X(THEAD, "thead", TMPL_IS_SPECIAL | TMPL_IS_TABLE | TMPL_IS_IMPLIED | TMPL_IS_PART | TMPL_IS_FIXED_TEXT | TMPL_IS_PLACED | TMPL_IS_LINE) \
    X(TIME, "time", 0) \
    X(TITLE, "title", TMPL_IS_RAW | TMPL_IS_QUIET | TMPL_IS_HEAD | TMPL_IS_SPECIAL) \
    X(TR, "tr", TMPL_IS_SPECIAL | TMPL_IS_TABLE | TMPL_IS_IMPLIED | TMPL_IS_PART | TMPL_IS_FIXED_TEXT | TMPL_IS_PLACED | TMPL_IS_LINE) \
    X(TRACK, "track", TMPL_IS_VOID | TMPL_IS_SPECIAL) \
    X(TT, "tt", TMPL_IS_FORMATTING | TMPL_IS_BREAKOUT) \
    X(U, "u", TMPL_IS_FORMATTING | TMPL_IS_BREAKOUT) \
    X(UL, "ul", TMPL_IS_CLOSES_P | TMPL_IS_SPECIAL | TMPL_IS_BREAKOUT | TMPL_IS_LINE | TMPL_IS_ITEM_SCOPE) \
    X(VAR, "var", TMPL_IS_BREAKOUT) \
    X(VIDEO, "video", 0) \
    X(WBR, "wbr", TMPL_IS_VOID | TMPL_IS_SPECIAL) \
    X(XMP, "xmp", TMPL_IS_CLOSES_P | TMPL_IS_SPECIAL | TMPL_IS_RAW | TMPL_IS_QUIET)
/* clang-format on */

typedef enum {
    TMPL_TAG_OTHER,
#define TMPL_TAG_ID(id, name, flags) TMPL_TAG_##id,
    TMPL_TAGS(TMPL_TAG_ID)
#undef TMPL_TAG_ID
        TMPL_TAG_COUNT
} tmpl_tag_e;

/* The lower-case name; "" for TMPL_TAG_OTHER. */
const char *tmpl_tag_name(tmpl_tag_e tag);

extern const uint32_t tmpl_tag_flag_table[TMPL_TAG_COUNT];

/* TMPL_IS_* flags; 0 for TMPL_TAG_OTHER. */
static inline unsigned tmpl_tag_flags(tmpl_tag_e tag)
{
    return tmpl_tag_flag_table[tag];
}

/* Whether white space in the element is displayed, except a line break behind its start tag. */
static inline int tmpl_tag_is_pre(tmpl_tag_e tag)
{
    return tag == TMPL_TAG_PRE || tag == TMPL_TAG_LISTING;
}

/* --- the tag of a name --- */

/* The index of the table's names; any thread may call. */
const tmpl_name_index_t *tmpl_tag_index(void);

/*
 * The tag of a name of len bytes, in any case; TMPL_TAG_OTHER for a name that is not in the table.
 */
tmpl_tag_e tmpl_tag_find(const char *name, apr_size_t len);

/*
 * Reads a tag name of less than TMPL_NAME_KEY bytes, in any case, and sets *len. The caller checks
 * that the byte behind it ends names. TMPL_NAME_KEY bytes must be readable. Returns TMPL_TAG_OTHER
 * for longer names, and for those that are not in the first slot that is searched.
 */
static inline tmpl_tag_e tmpl_tag_read_short(const tmpl_name_index_t *index, const char *at,
                                             unsigned *len)
{
    uint64_t eight = tmpl_bytes8(at);
    /* marks bytes that may end a name, and a few others */
    uint64_t ends = tmpl_bytes8_below(eight, '0') | tmpl_bytes8_zero(eight ^ TMPL_EACH('>'));
    if (ends == 0) {
        return TMPL_TAG_OTHER;
    }
    unsigned n = tmpl_bytes8_first(ends);
    uint64_t key = tmpl_name_lowered(eight) & ~(UINT64_MAX << 8 * n);
    unsigned tag = index->slots[tmpl_name_slot(key)];
    *len = n;
    return index->keys[tag] == key ? (tmpl_tag_e)tag : TMPL_TAG_OTHER;
}

/*
 * Reads the tag name at *at, in any case, and sets *at to its end as tmpl_tag_name_end does.
 * Returns TMPL_TAG_OTHER for a name that is not in the table. src has len bytes.
 */
static inline tmpl_tag_e tmpl_tag_read(const tmpl_name_index_t *index, const char *src,
                                       uint32_t len, uint32_t *at)
{
    uint32_t p = *at;
    unsigned n = 0;
    if (len - p > TMPL_NAME_KEY) {
        tmpl_tag_e tag = tmpl_tag_read_short(index, src + p, &n);
        if (tag != TMPL_TAG_OTHER && tmpl_name_ends[(unsigned char)src[p + n]] == TMPL_NAME_ENDS) {
            *at = p + n;
            return tag;
        }
    }
    *at = tmpl_tag_name_end(src, len, p);
    return tmpl_tag_find(src + p, *at - p);
}

/* --- sets of tags, such as the separators of blocks --- */

/* One byte for each tag. */
typedef struct {
    unsigned char has[TMPL_TAG_COUNT];
} tmpl_tag_set_t;

/* table div section article nav header footer aside main form ul ol dl */
extern const tmpl_tag_set_t tmpl_separators_default;

/* Every tag that begins a new line in a browser: leaf blocks are the text between such tags. */
extern const tmpl_tag_set_t tmpl_separators_leaf;

/*
 * Adds the tags named in words, divided by white space. Returns APR_EINVAL, with the name in err,
 * for a name that is not in the table.
 */
apr_status_t tmpl_tag_set_add(tmpl_tag_set_t *set, const char *words, tmpl_error_t *err);

/* --- edits of an element that do not change how the rest of the page is parsed --- */

#define TMPL_NODE_MARK 0x01 /* an attribute may be added to its start tag */
#define TMPL_NODE_CUT  0x02 /* its bytes, from start tag to end tag, may be deleted */
#define TMPL_NODE_RUN  0x10 /* two texts directly in it may be deleted with all between them */

#endif
