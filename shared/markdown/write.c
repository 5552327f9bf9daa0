/* SPDX-License-Identifier: Apache-2.0 */
#include "markdown/writer.h"

#include <string.h>

#include "base/ascii.h"
#include "base/bytes.h"

typedef struct {
    tmpl_flow_t *flow;
    const tmpl_inlines_t *inlines;
    tmpl_buf_t *out;
    const char *text; /* the inlines' text, with a NUL behind it */
    apr_size_t len;
    tmpl_write_e where;
    int in_link;
    apr_size_t line;        /* where the line began in text */
    apr_size_t behind_note; /* where the last reference to a footnote ended in text */
} inlines_writer_t;

/* Whether Markdown would read the sign at i as more than text, so that it needs a '\\'. */
typedef int escape_rule_t(const inlines_writer_t *w, apr_size_t i);

static int always(const inlines_writer_t *w, apr_size_t i)
{
    (void)w;
    (void)i;
    return 1;
}

/* A '\\' in front of a letter, a digit or a space is text, as in "C:\dir". */
static int is_before_sign(const inlines_writer_t *w, apr_size_t i)
{
    return (unsigned char)w->text[i + 1] < 0x80 && !tmpl_is_alnum(w->text[i + 1]) &&
           w->text[i + 1] != ' ';
}

/* Whether the text from i on, up to a space or the end of its line, is nothing but its sign. */
static int is_run(const inlines_writer_t *w, apr_size_t i)
{
    char sign = w->text[i];
    while (w->text[i] == sign) {
        i++;
    }
    return w->text[i] == ' ' || w->text[i] == '\0' || w->text[i] == TMPL_MARK_BREAK;
}

/* '-' at the start of a line: of an item, a rule, or a row of a table; "-x" is text. */
static int begins_line(const inlines_writer_t *w, apr_size_t i)
{
    return (unsigned char)w->text[i + 1] < ' ' || strchr(" -|:", w->text[i + 1]) != NULL;
}

/* '*' or '_' between two spaces: neither begins nor ends emphasis. */
static int is_between_spaces(const inlines_writer_t *w, apr_size_t i)
{
    return i > w->line && w->text[i - 1] == ' ' && (w->text[i + 1] == ' ' || i + 1 == w->len);
}

static int is_emphasis(const inlines_writer_t *w, apr_size_t i)
{
    return !is_between_spaces(w, i);
}

/* '_' within a word, as in "snake_case", begins no emphasis. */
static int is_beside_word(const inlines_writer_t *w, apr_size_t i)
{
    return !is_between_spaces(w, i) &&
           (i == 0 || !tmpl_is_alnum(w->text[i - 1]) || !tmpl_is_alnum(w->text[i + 1]));
}

/*
 * '[' is text if a ']' follows in the same text with neither '(' nor '[' behind it: there are no
 * definitions of links, but those of footnotes. At the start of a line it could be a task or an
 * alert, as "[x]" and "[!NOTE]".
 */
static int begins_link(const inlines_writer_t *w, apr_size_t i)
{
    apr_size_t end = i + 1;
    while ((unsigned char)w->text[end] >= ' ' && w->text[end] != '[' && w->text[end] != ']') {
        end++;
    }
    return w->in_link || i == w->line || w->text[i + 1] == '^' || w->text[end] != ']' ||
           ((unsigned char)w->text[end + 1] < ' ' && end + 1 < w->len) || w->text[end + 1] == '(' ||
           w->text[end + 1] == '[';
}

static int is_within_link(const inlines_writer_t *w, apr_size_t i)
{
    (void)i;
    return w->in_link;
}

/* '<' begins a tag, a comment or an address. */
static int begins_tag(const inlines_writer_t *w, apr_size_t i)
{
    return tmpl_is_alpha(w->text[i + 1]) || w->text[i + 1] == '/' || w->text[i + 1] == '!' ||
           w->text[i + 1] == '?';
}

/* Whether a character reference begins: "&amp;" or "&#38;", but not in "B&H" and "?a=1&b=2". */
static int begins_reference(const inlines_writer_t *w, apr_size_t i)
{
    enum { LONGEST = 32 }; /* of a name */
    const char *name = w->text + i + 1 + (w->text[i + 1] == '#');
    apr_size_t len = 0;
    while (len <= LONGEST && tmpl_is_alnum(name[len])) {
        len++;
    }
    return len > 0 && name[len] == ';';
}

/* '!' in front of "[" would make an image of a link. */
static int begins_image(const inlines_writer_t *w, apr_size_t i)
{
    return w->text[i + 1] == TMPL_MARK_LINK || w->text[i + 1] == TMPL_MARK_NOTE;
}

/*
 * '^' behind "[" would make a footnote of a link or an image. In front of "[" it begins an inline
 * footnote for some readers, as markdown-it-footnote.
 */
static int begins_note(const inlines_writer_t *w, apr_size_t i)
{
    return begins_image(w, i) ||
           (i > 0 && (w->text[i - 1] == TMPL_MARK_LINK || w->text[i - 1] == TMPL_MARK_IMAGE));
}

/* '(' behind "]" would make a link of a footnote. */
static int is_behind_note(const inlines_writer_t *w, apr_size_t i)
{
    return i > 0 && i == w->behind_note;
}

static int is_in_cell(const inlines_writer_t *w, apr_size_t i)
{
    (void)i;
    return w->where == TMPL_WRITE_CELL;
}

/* Markdown drops number signs behind a space at the end of a heading. */
static int ends_heading(const inlines_writer_t *w, apr_size_t i)
{
    if (w->where != TMPL_WRITE_HEADING || i + 1 != w->len) {
        return 0;
    }
    while (i > 0 && w->text[i] == '#') {
        i--;
    }
    return w->text[i] == ' ' || w->text[i] == '#' || (unsigned char)w->text[i] < ' ';
}

/* Whether the '.' or ')' at i ends a number at the start of a line, as in an item of a list. */
static int ends_number(const inlines_writer_t *w, apr_size_t i)
{
    apr_size_t digits = i - w->line;
    if (w->where != TMPL_WRITE_PARAGRAPH || digits == 0 || digits > 9 ||
        (unsigned char)w->text[i + 1] > ' ') {
        return 0;
    }
    while (digits > 0 && tmpl_is_digit(w->text[w->line + digits - 1])) {
        digits--;
    }
    return digits == 0;
}

/* GFM makes links of addresses in text: "https://". */
static int begins_address(const inlines_writer_t *w, apr_size_t i)
{
    return !w->in_link && i > 0 && tmpl_is_alpha(w->text[i - 1]) && w->text[i + 1] == '/' &&
           w->text[i + 2] == '/';
}

/* GFM makes links of addresses in text: "www.". */
static int ends_www(const inlines_writer_t *w, apr_size_t i)
{
    return !w->in_link && i - w->line >= 3 && tmpl_lower(w->text[i - 1]) == 'w' &&
           tmpl_lower(w->text[i - 2]) == 'w' && tmpl_lower(w->text[i - 3]) == 'w';
}

/* ':' behind a reference would begin the footnote itself: "[^1]: ". */
static int is_colon(const inlines_writer_t *w, apr_size_t i)
{
    return begins_address(w, i) || is_behind_note(w, i);
}

static int is_dot(const inlines_writer_t *w, apr_size_t i)
{
    return ends_number(w, i) || ends_www(w, i);
}

/* The rules of signs anywhere, and of signs at the start of a line. */
static escape_rule_t *const rules[256] = {
    ['\\'] = is_before_sign,  ['`'] = always,       ['*'] = is_emphasis, ['['] = begins_link,
    [']'] = is_within_link,   ['<'] = begins_tag,   ['~'] = always,      ['_'] = is_beside_word,
    ['&'] = begins_reference, ['!'] = begins_image, ['|'] = is_in_cell,  ['#'] = ends_heading,
    ['.'] = is_dot,           [')'] = ends_number,  [':'] = is_colon,    ['^'] = begins_note,
    ['('] = is_behind_note,
};
static escape_rule_t *const first_rules[256] = {
    ['#'] = is_run,      ['>'] = always,      ['='] = is_run,      ['|'] = always,
    ['-'] = begins_line, ['+'] = begins_line, [':'] = begins_line,
};

static int needs_escape(const inlines_writer_t *w, apr_size_t i)
{
    char c = w->text[i];
    escape_rule_t *rule = rules[(unsigned char)c];
    escape_rule_t *first =
        i == w->line && w->where == TMPL_WRITE_PARAGRAPH ? first_rules[(unsigned char)c] : NULL;
    return (rule != NULL && rule(w, i)) || (first != NULL && first(w, i));
}

/*
 * Marks the signs of the sixteen bytes at at that may need an escape where they stand: '.' behind
 * 'w', ':' in front of '/'. The rules of all other signs ask for the start or end of a text.
 */
static inline unsigned signs_at(const char *at)
{
    tmpl_bytes16_t bytes = tmpl_bytes16_load(at);
    tmpl_bytes16_t is = (tmpl_bytes16_t)((bytes - '[' <= '`' - '[') | ((bytes | 2) == '~') |
                                         (bytes == '*') | (bytes == '<') | (bytes == '&'));
    is |= (tmpl_bytes16_t)((bytes == '.') & ((tmpl_bytes16_load(at - 1) | 0x20) == 'w'));
    is |= (tmpl_bytes16_t)((bytes == ':') & (tmpl_bytes16_load(at + 1) == '/'));
    return tmpl_bytes16_bits(is);
}

/* The offset of the next byte from i on that may need an escape, as the last one always may. */
static apr_size_t next_sign(const char *text, apr_size_t i, apr_size_t end)
{
    apr_size_t last = i < end ? end - 1 : i;
    unsigned signs = 0;
    while (i < last && (signs = signs_at(text + i)) == 0) {
        i += TMPL_BYTES16;
    }
    i += signs != 0 ? (apr_size_t)__builtin_ctz(signs) : 0;
    return i < last ? i : last;
}

/* Writes a part of the text. */
static void write_inline_text(inlines_writer_t *w, const char *text, apr_size_t len)
{
    apr_size_t from = (apr_size_t)(text - w->text), end = from + len, i = from;
    while (i < end && tmpl_is_digit(w->text[i])) {
        i++; /* what is behind a number may be a sign, too */
    }
    for (; i < end; i = next_sign(w->text, i + 1, end)) {
        if (needs_escape(w, i)) {
            tmpl_buf_add(w->out, w->text + from, i - from);
            tmpl_buf_add_byte(w->out, '\\');
            from = i;
        }
    }
    tmpl_buf_add(w->out, w->text + from, end - from);
}

/* The longest run of '`'. */
static apr_size_t longest_run(const char *text, apr_size_t len)
{
    apr_size_t longest = 0;
    const char *end = text + len, *at;
    while (text < end && (at = memchr(text, '`', (apr_size_t)(end - text))) != NULL) {
        for (text = at; text < end && *text == '`'; text++) {
        }
        longest = (apr_size_t)(text - at) > longest ? (apr_size_t)(text - at) : longest;
    }
    return longest;
}

static void add_fence(tmpl_buf_t *out, apr_size_t n)
{
    memset(tmpl_buf_room(out, n), '`', n);
    out->len += n;
    out->at[out->len] = '\0';
}

static void write_code(inlines_writer_t *w, const char *code, apr_size_t len)
{
    apr_size_t fence = longest_run(code, len) + 1, done = 0;
    int pads = code[0] == '`' || code[len - 1] == '`';
    add_fence(w->out, fence);
    tmpl_buf_add(w->out, " ", (apr_size_t)pads);
    for (apr_size_t k = 0; w->where == TMPL_WRITE_CELL && k < len; k++) {
        if (code[k] == '|') {
            tmpl_buf_add(w->out, code + done, k - done);
            tmpl_buf_add_byte(w->out, '\\');
            done = k;
        }
    }
    tmpl_buf_add(w->out, code + done, len - done);
    tmpl_buf_add(w->out, " ", (apr_size_t)pads);
    add_fence(w->out, fence);
}

/* Writes the address of a link or an image behind its text: "](...)". */
static void write_address(inlines_writer_t *w, const tmpl_inline_part_t *part)
{
    const char *from = part->address, *end = part->address + part->address_len, *at = from;
    tmpl_buf_add(w->out, "](", 2);
    while ((at = memchr(at, '&', (apr_size_t)(end - at))) != NULL) {
        at++;
        if (begins_reference(w, (apr_size_t)(at - 1 - w->text))) {
            tmpl_buf_add(w->out, from, (apr_size_t)(at - from));
            tmpl_buf_add_text(w->out, "amp;"); /* references are read in addresses, too */
            from = at;
        }
    }
    tmpl_buf_add(w->out, from, (apr_size_t)(end - from));
    tmpl_buf_add_byte(w->out, ')');
}

static void write_tex(inlines_writer_t *w, const char *tex, apr_size_t len)
{
    tmpl_buf_add_byte(w->out, '$');
    for (apr_size_t i = 0; i < len; i++) {
        int norm = tex[i] == '\\' && tex[i + 1] == '|';
        if (w->where == TMPL_WRITE_CELL && (norm || tex[i] == '|')) {
            tmpl_buf_add_text(w->out, norm ? "\\Vert " : "\\vert "); /* '|' would end the cell */
            i += (apr_size_t)norm;
            continue;
        }
        tmpl_buf_add_byte(w->out, tex[i]);
        if (tex[i] == '!' && tex[i + 1] == '[') {
            tmpl_buf_add_text(w->out, "{}"); /* "![" would begin an image */
        }
    }
    tmpl_buf_add_byte(w->out, '$');
}

static void write_break(inlines_writer_t *w, apr_size_t behind)
{
    if (w->where == TMPL_WRITE_PARAGRAPH) {
        tmpl_buf_add_byte(w->out, '\\');
        tmpl_flow_break(w->flow);
    }
    else {
        tmpl_buf_add_text(w->out, w->where == TMPL_WRITE_CELL ? "<br>" : " ");
    }
    w->line = behind;
}

/* Writes a part that ends at an offset. */
static void write_part(inlines_writer_t *w, tmpl_inline_part_t *part, apr_size_t end)
{
    /* clang-format off */
    static const char *const marks[' '] = {
#define MARK(id, begin, end, element)                                                              \
        [TMPL_MARK(TMPL_FORMAT_##id)] = (begin), [TMPL_MARK_END(TMPL_FORMAT_##id)] = (end),
        TMPL_FORMATS(MARK)
#undef MARK
    };
    /* clang-format on */
    int in_link = w->in_link;
    switch (part->mark) {
    case TMPL_MARK_NONE:
        write_inline_text(w, part->text, part->len);
        return;
    case TMPL_MARK_CODE:
        write_code(w, part->text, part->len);
        return;
    case TMPL_MARK_LINK_END:
        write_address(w, part);
        w->in_link = 0;
        return;
    case TMPL_MARK_IMAGE:
        tmpl_buf_add_text(w->out, "![");
        w->in_link = 1;
        write_inline_text(w, part->text, part->len);
        w->in_link = in_link;
        write_address(w, part);
        return;
    case TMPL_MARK_FORMULA:
        write_tex(w, part->text, part->len);
        return;
    case TMPL_MARK_NOTE:
        tmpl_buf_add_text(w->out, "[^");
        tmpl_buf_add(w->out, part->text, part->len);
        tmpl_buf_add_text(w->out, "]");
        w->behind_note = end;
        return;
    case TMPL_MARK_BREAK:
        write_break(w, end);
        return;
    default:
        w->in_link |= part->mark == TMPL_MARK_LINK;
        if (marks[(unsigned)part->mark] != NULL) {
            tmpl_buf_add_text(w->out, marks[(unsigned)part->mark]);
        }
    }
}

/* Calls write for each part of inlines, and adds it to the fragments; empties them. */
static void write_parts(inlines_writer_t *w, tmpl_inlines_t *inlines,
                        void (*write)(inlines_writer_t *w, tmpl_inline_part_t *part,
                                      apr_size_t end))
{
    tmpl_flow_t *flow = w->flow;
    tmpl_inline_part_t part;
    if (flow->fragments != NULL) {
        tmpl_fragments_begin(flow->fragments);
    }
    for (apr_size_t i = 0; i < w->len && !flow->over;) {
        i = tmpl_inlines_read(&part, inlines, i);
        if (part.mark == TMPL_MARK_BREAK && i == w->len) {
            break; /* at the end it divides nothing */
        }
        write(w, &part, i);
        if (flow->fragments != NULL) {
            tmpl_fragments_part(flow->fragments, &part);
        }
        flow->over |= flow->out.len > flow->limit;
    }
    if (flow->fragments != NULL) {
        tmpl_fragments_end(flow->fragments, w->where == TMPL_WRITE_CELL ? '\t' : '\n');
    }
    tmpl_buf_clear(&inlines->text);
}

void tmpl_write_markdown(tmpl_flow_t *flow, tmpl_inlines_t *inlines, tmpl_write_e where)
{
    inlines_writer_t w = { flow, inlines, &flow->out, inlines->text.at, inlines->text.len, where,
                           0,    0,       0 };
    write_parts(&w, inlines, write_part);
}

/*
 * Parts in HTML: what stands in front of the text, between it and the address, and behind that.
 * NULL: it ends there.
 */
static const char *const html_parts[' '][3] = {
#define PART(id, begin, end, element)                                                              \
    [TMPL_MARK(TMPL_FORMAT_##id)] = { "<" element ">" },                                           \
    [TMPL_MARK_END(TMPL_FORMAT_##id)] = { "</" element ">" },
    TMPL_INLINE_FORMATS(PART)
#undef PART
        [TMPL_MARK_NONE] = { "", NULL, NULL },
    [TMPL_MARK_CODE] = { "<code>", "</code>", "" },
    [TMPL_MARK_LINK] = { "<a href=\"", "", "\">" },
    [TMPL_MARK_LINK_END] = { "</a>", NULL, NULL },
    [TMPL_MARK_IMAGE] = { "<img alt=\"", "\" src=\"", "\">" },
    [TMPL_MARK_FORMULA] = { "$", "$", "" },
    [TMPL_MARK_BREAK] = { "<br>", NULL, NULL },
};

static void write_html_part(inlines_writer_t *w, tmpl_inline_part_t *part, apr_size_t end)
{
    const char *const *html = html_parts[(unsigned)part->mark];
    if (part->mark == TMPL_MARK_LINK) {
        tmpl_inlines_read_link(part, w->inlines, end);
    }
    if (html[0] != NULL) {
        tmpl_buf_add_text(w->out, html[0]);
        tmpl_buf_add_html(w->out, part->text, part->len);
    }
    if (html[1] != NULL) {
        tmpl_buf_add_text(w->out, html[1]);
        tmpl_buf_add_html(w->out, part->address, part->address_len);
        tmpl_buf_add_text(w->out, html[2]);
    }
}

void tmpl_write_html(tmpl_flow_t *flow, tmpl_inlines_t *inlines)
{
    inlines_writer_t w = {
        flow, inlines, &flow->out, inlines->text.at, inlines->text.len, TMPL_WRITE_CELL, 0, 0, 0
    };
    write_parts(&w, inlines, write_html_part);
}

/* Adds text without formats to the fragments. */
static void add_lines(tmpl_flow_t *flow, const char *text, apr_size_t len)
{
    if (flow->fragments != NULL) {
        tmpl_fragments_lines(flow->fragments, text, len);
    }
}

void tmpl_write_code(tmpl_flow_t *flow, const char *text, apr_size_t len, const char *language)
{
    apr_size_t longest = longest_run(text, len);
    apr_size_t fence = longest < 3 ? 3 : longest + 1;
    tmpl_flow_begin(flow, TMPL_FLOW_OTHER);
    add_lines(flow, text, len);
    add_fence(&flow->out, fence);
    tmpl_buf_add_text(&flow->out, language != NULL ? language : "");
    for (apr_size_t i = 0, end; i <= len && !flow->over; i = end + 1) {
        const char *newline = memchr(text + i, '\n', len - i);
        end = newline != NULL ? (apr_size_t)(newline - text) : len;
        tmpl_flow_break(flow);
        tmpl_buf_add(&flow->out, text + i, end - i);
    }
    tmpl_flow_break(flow);
    add_fence(&flow->out, fence);
    tmpl_flow_end(flow);
}

void tmpl_write_formula(tmpl_flow_t *flow, const char *tex)
{
    tmpl_flow_begin(flow, TMPL_FLOW_OTHER);
    add_lines(flow, tex, strlen(tex));
    tmpl_buf_add_text(&flow->out, "$$");
    tmpl_flow_break(flow);
    /* a sign or a number could begin a block for readers that do not know formulas */
    int may_begin = tmpl_is_digit(*tex) || strchr("+-*=#|:~", *tex) != NULL;
    tmpl_buf_add_text(&flow->out, may_begin ? "{}" : "");
    tmpl_buf_add_text(&flow->out, tex);
    tmpl_flow_break(flow);
    tmpl_buf_add_text(&flow->out, "$$");
    tmpl_flow_end(flow);
}
