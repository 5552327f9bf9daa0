/* SPDX-License-Identifier: Apache-2.0 */
#include "markdown/inlines.h"

#include <string.h>

#include <apr_strings.h>

#include "base/ascii.h"
#include "base/bytes.h"
#include "base/chars.h"

void tmpl_inlines_init(tmpl_inlines_t *inlines, const tmpl_hrefs_t *hrefs, apr_pool_t *pool)
{
    memset(inlines, 0, sizeof(*inlines));
    tmpl_buf_init(&inlines->text, pool);
    tmpl_buf_init(&inlines->copy, pool);
    inlines->hrefs = hrefs;
}

/* The offset of the first mark in text from i on; len if there is none. */
static inline apr_size_t next_mark(const char *text, apr_size_t len, apr_size_t i)
{
    unsigned marks = 0;
    while (i < len && (marks = tmpl_bytes16_bits(
                           (tmpl_bytes16_t)(tmpl_bytes16(text + i, text + len) < ' '))) == 0) {
        i += TMPL_BYTES16;
    }
    i += marks != 0 ? (apr_size_t)__builtin_ctz(marks) : 0;
    return i < len ? i : len;
}

static char last_of(const tmpl_inlines_t *inlines)
{
    return inlines->text.len > 0 ? inlines->text.at[inlines->text.len - 1] : TMPL_MARK_BREAK;
}

/* Adds the mark that begins a format. If the same format just ended here, it goes on instead. */
static void begin_format(tmpl_inlines_t *inlines, tmpl_format_e format)
{
    if (inlines->plain && format == TMPL_FORMAT_STRONG) {
        return;
    }
    if (format != TMPL_FORMAT_LINK && inlines->text.len > 0 &&
        last_of(inlines) == TMPL_MARK_END(format)) {
        inlines->text.at[--inlines->text.len] = '\0';
        return;
    }
    tmpl_buf_add_byte(&inlines->text, TMPL_MARK(format));
    inlines->emphasis |= format <= TMPL_FORMAT_DEL;
}

static void end_format(tmpl_inlines_t *inlines, tmpl_format_e format)
{
    if (inlines->plain && format == TMPL_FORMAT_STRONG) {
        return;
    }
    /* a format does not end behind a break: its mark would not be read, or stand on a line alone */
    int is_broken =
        format != TMPL_FORMAT_CODE && inlines->text.len > 0 && last_of(inlines) == TMPL_MARK_BREAK;
    inlines->text.len -= (apr_size_t)is_broken;
    tmpl_buf_add_byte(&inlines->text, TMPL_MARK_END(format));
    if (format == TMPL_FORMAT_LINK) {
        tmpl_href_resolve(&inlines->text, inlines->hrefs, inlines->href);
        tmpl_buf_add_byte(&inlines->text, TMPL_MARK_STOP);
    }
    if (is_broken) {
        tmpl_buf_add_byte(&inlines->text, TMPL_MARK_BREAK);
    }
}

static void end_code(tmpl_inlines_t *inlines)
{
    if (inlines->code) {
        end_format(inlines, TMPL_FORMAT_CODE);
        inlines->code = 0;
    }
}

/* Adds a space if white space was seen. */
static void add_space(tmpl_inlines_t *inlines)
{
    if (inlines->space && last_of(inlines) != TMPL_MARK_BREAK) {
        tmpl_buf_add_byte(&inlines->text, ' ');
    }
    inlines->space = 0;
}

/*
 * Adds what stands in front of the next character or image: a space, and the marks of open formats;
 * the mark of CODE only if code is set.
 */
static void prepare(tmpl_inlines_t *inlines, int code)
{
    if (inlines->written < inlines->n || !code) {
        end_code(inlines);
    }
    add_space(inlines);
    while (inlines->written < inlines->n) {
        begin_format(inlines, inlines->formats[inlines->written++]);
    }
    if (code && !inlines->code) {
        begin_format(inlines, TMPL_FORMAT_CODE);
        inlines->code = 1;
    }
}

void tmpl_inlines_open(tmpl_inlines_t *inlines, tmpl_format_e format, const char *href)
{
    if (inlines->nested[format]++ > 0 || format == TMPL_FORMAT_CODE) {
        return;
    }
    if (format == TMPL_FORMAT_LINK) {
        inlines->href = href;
    }
    inlines->formats[inlines->n++] = format;
}

void tmpl_inlines_close(tmpl_inlines_t *inlines, tmpl_format_e format)
{
    if (--inlines->nested[format] > 0) {
        return;
    }
    end_code(inlines);
    if (format == TMPL_FORMAT_CODE) {
        return;
    }
    inlines->n--;
    if (inlines->written > inlines->n) {
        inlines->written--;
        end_format(inlines, format);
    }
}

/* The length of the white space at text: of ASCII, a no-break space, or a separator of lines. */
static apr_size_t space_at(const char *text)
{
    const unsigned char *s = (const unsigned char *)text;
    if (s[0] <= ' ') {
        return 1;
    }
    if (s[0] == 0xC2) {
        return s[1] == 0xA0 || s[1] == 0x85 ? 2 : 0;
    }
    return s[0] == 0xE2 && s[1] == 0x80 && (s[2] == 0xA8 || s[2] == 0xA9) ? 3 : 0;
}

/* The length of a character at text that only says where a word may break or a file begins. */
static apr_size_t break_at(const char *text)
{
    const unsigned char *s = (const unsigned char *)text;
    int is_soft_hyphen = s[0] == 0xC2 && s[1] == 0xAD;
    int is_break = (s[0] == 0xE2 && s[1] == 0x80 && s[2] == 0x8B) ||
                   (s[0] == 0xEF && s[1] == 0xBB && s[2] == 0xBF);
    return is_soft_hyphen ? 2 : is_break ? 3 : 0;
}

/*
 * Marks bytes that white space, or what break_at() finds, may begin with, in sixteen bytes; but one
 * space between two words only if it is the last.
 */
static inline unsigned spaces_at(const char *at)
{
    tmpl_bytes16_t bytes = tmpl_bytes16_load(at);
    unsigned spaces = tmpl_bytes16_bits(
        (tmpl_bytes16_t)((bytes <= ' ') | (bytes == 0xC2) | (bytes == 0xE2) | (bytes == 0xEF)));
    unsigned lone = tmpl_bytes16_bits((tmpl_bytes16_t)(bytes == ' ')) & ~(spaces >> 1) & 0x7FFF;
    return spaces & ~lone;
}

/*
 * The first white space from at on but one space between two words, which stays; or break_at(). A
 * NUL is at end.
 */
static const char *words_end(const char *at, const char *end)
{
    for (;; at++) {
        unsigned marks;
        while ((marks = spaces_at(at)) == 0) {
            at += TMPL_BYTES16;
        }
        at += __builtin_ctz(marks);
        if (at == end || break_at(at) > 0 ||
            (space_at(at) > 0 && (*at != ' ' || at + 1 == end || space_at(at + 1) > 0))) {
            return at;
        }
    }
}

void tmpl_inlines_add(tmpl_inlines_t *inlines, const char *text, apr_size_t len)
{
    const char *end = text + len;
    while (text < end) {
        apr_size_t used = space_at(text);
        if (used > 0) {
            inlines->space = 1;
            text += used;
            continue;
        }
        used = break_at(text);
        if (used > 0) {
            text += used;
            continue;
        }
        const char *from = text;
        text = words_end(text + 1, end);
        prepare(inlines, inlines->nested[TMPL_FORMAT_CODE] > 0);
        tmpl_buf_add(&inlines->text, from, (apr_size_t)(text - from));
    }
}

void tmpl_inlines_text(tmpl_inlines_t *inlines, const char *text)
{
    tmpl_buf_clear(&inlines->copy);
    tmpl_buf_add_text(&inlines->copy, text);
    tmpl_inlines_add(inlines, inlines->copy.at, inlines->copy.len);
}

void tmpl_inlines_divide(tmpl_inlines_t *inlines, const char *sign)
{
    uint32_t n = inlines->n, code = inlines->nested[TMPL_FORMAT_CODE];
    inlines->n = inlines->written;
    inlines->nested[TMPL_FORMAT_CODE] = 0;
    inlines->space = 1;
    tmpl_inlines_text(inlines, sign);
    inlines->space = 1;
    inlines->n = n;
    inlines->nested[TMPL_FORMAT_CODE] = code;
}

void tmpl_inlines_break(tmpl_inlines_t *inlines)
{
    end_code(inlines);
    if (inlines->text.len > 0 && last_of(inlines) != TMPL_MARK_BREAK) {
        tmpl_buf_add_byte(&inlines->text, TMPL_MARK_BREAK);
    }
    inlines->space = 0;
}

void tmpl_inlines_image(tmpl_inlines_t *inlines, const char *alt, const char *src)
{
    prepare(inlines, 0);
    tmpl_buf_add_byte(&inlines->text, TMPL_MARK_IMAGE);
    for (; *alt != '\0'; alt++) {
        apr_size_t used = break_at(alt);
        if (used > 0) {
            alt += used - 1;
        }
        else {
            tmpl_buf_add_byte(&inlines->text, (unsigned char)*alt < ' ' ? ' ' : *alt);
        }
    }
    tmpl_buf_add_byte(&inlines->text, TMPL_MARK_TO);
    tmpl_href_resolve(&inlines->text, inlines->hrefs, src);
    tmpl_buf_add_byte(&inlines->text, TMPL_MARK_STOP);
}

void tmpl_inlines_formula(tmpl_inlines_t *inlines, const char *tex)
{
    prepare(inlines, 0);
    tmpl_buf_add_byte(&inlines->text, TMPL_MARK_FORMULA);
    tmpl_buf_add_text(&inlines->text, tex);
    tmpl_buf_add_byte(&inlines->text, TMPL_MARK_STOP);
}

void tmpl_inlines_note(tmpl_inlines_t *inlines, unsigned number)
{
    char digits[12];
    end_code(inlines);
    add_space(inlines); /* formats not yet begun begin behind the reference: it needs no sup */
    tmpl_buf_add_byte(&inlines->text, TMPL_MARK_NOTE);
    tmpl_buf_add(&inlines->text, digits,
                 (apr_size_t)apr_snprintf(digits, sizeof(digits), "%u", number));
    tmpl_buf_add_byte(&inlines->text, TMPL_MARK_STOP);
}

/*
 * The class of a character in CommonMark's rules for emphasis (6.2). Symbols (S in Unicode) are
 * punctuation only since CommonMark 0.31.
 */
typedef enum { SPACE, PUNCTUATION, SYMBOL, WORD } class_e;

static class_e class_of(uint32_t code)
{
    if (code < 0x80) {
        return tmpl_is_alnum((char)code) ? WORD : code == ' ' ? SPACE : PUNCTUATION;
    }
    if ((code >= 0x2000 && code <= 0x200A) || code == 0x202F || code == 0x205F || code == 0x3000 ||
        code == 0x1680) {
        return SPACE;
    }
    if ((code >= 0x200B && code <= 0x200F) || (code >= 0x202A && code <= 0x202E) ||
        (code >= 0x2060 && code <= 0x206F)) {
        return WORD; /* of no width */
    }
    /* these ranges have some letters, too: the rules for SYMBOL are safe for every class */
    if (code < 0xC0 || (code >= 0x20A0 && code <= 0x2BFF) || code >= 0xFE00) {
        return SYMBOL;
    }
    /* General Punctuation, and the punctuation of East Asian scripts */
    return !tmpl_is_word(code) || (code >= 0x2010 && code <= 0x209F) ||
                   (code >= 0x3001 && code <= 0x303F)
               ? PUNCTUATION
               : WORD;
}

/* The class of a mark: punctuation is written for it, or the end of a line. */
static class_e class_of_mark(char mark)
{
    return mark == TMPL_MARK_BREAK ? SPACE : PUNCTUATION;
}

static class_e class_before(const tmpl_buf_t *text, apr_size_t at)
{
    const char *s = text->at;
    while (at > 0 && s[at - 1] == TMPL_MARK_NONE) {
        at--;
    }
    if (at == 0) {
        return SPACE;
    }
    apr_size_t used, from = at - 1;
    while (from > 0 && at - from < TMPL_UTF8_MOST && ((unsigned char)s[from] & 0xC0) == 0x80) {
        from--;
    }
    return (unsigned char)s[from] < ' ' ? class_of_mark(s[from])
                                        : class_of(tmpl_utf8_next(s + from, at - from, &used));
}

static class_e class_behind(const tmpl_buf_t *text, apr_size_t at)
{
    apr_size_t used;
    while (at < text->len && text->at[at] == TMPL_MARK_NONE) {
        at++;
    }
    if (at == text->len) {
        return SPACE;
    }
    return (unsigned char)text->at[at] < ' '
               ? class_of_mark(text->at[at])
               : class_of(tmpl_utf8_next(text->at + at, text->len - at, &used));
}

/* Whether Markdown reads the marks at open and close as a pair. May change marks of EM to STAR. */
static int is_readable(tmpl_buf_t *text, apr_size_t open, apr_size_t close)
{
    class_e before = class_before(text, open), first = class_behind(text, open + 1);
    class_e last = class_before(text, close), behind = class_behind(text, close + 1);
    char mark = text->at[open];
    if (mark == TMPL_MARK(TMPL_FORMAT_EM) && (before >= SYMBOL || behind >= SYMBOL)) {
        /* '*' would be read together with a mark of STRONG beside it */
        if (before == PUNCTUATION || behind == PUNCTUATION) {
            return 0;
        }
        text->at[open] = TMPL_MARK(TMPL_FORMAT_STAR);
        text->at[close] = TMPL_MARK_END(TMPL_FORMAT_STAR);
    }
    return first != SPACE && last != SPACE && (first == WORD || before < SYMBOL) &&
           (last == WORD || behind < SYMBOL);
}

/* Removes the marks that were dropped. Code behind them goes on: "``" would be read as one mark. */
static void compact_marks(tmpl_buf_t *text)
{
    apr_size_t to = 0;
    for (apr_size_t i = 0; i < text->len; i++) {
        char c = text->at[i];
        if (c == TMPL_MARK_CODE && to > 0 && text->at[to - 1] == TMPL_MARK_END(TMPL_FORMAT_CODE)) {
            to--;
        }
        else if (c != TMPL_MARK_NONE) {
            text->at[to++] = c;
        }
    }
    text->len = to;
    text->at[to] = '\0';
}

/* Drops pairs that would not be read. Returns whether there were any: other pairs may need them. */
static int drop_unreadable(tmpl_buf_t *text)
{
    apr_size_t opened[TMPL_FORMAT_COUNT] = { 0 };
    int dropped = 0;
    for (apr_size_t i = next_mark(text->at, text->len, 0); i < text->len;
         i = next_mark(text->at, text->len, i + 1)) {
        unsigned mark = (unsigned char)text->at[i];
        tmpl_format_e format = (tmpl_format_e)((mark - 1) / 2);
        if (mark == 0 || mark > 2 * TMPL_FORMAT_SUP) {
            continue; /* HTML's elements need no such rules; links and code have their own rules */
        }
        if (mark % 2 == 1) {
            opened[format] = i;
        }
        else if (!is_readable(text, opened[format], i)) {
            text->at[i] = text->at[opened[format]] = TMPL_MARK_NONE;
            dropped = 1;
        }
    }
    return dropped;
}

/* Reads the bytes from i up to a mark. Returns the offset behind that. */
static apr_size_t read_to(const char **at, apr_size_t *len, const tmpl_inlines_t *inlines,
                          apr_size_t i, char mark)
{
    const char *stop = memchr(inlines->text.at + i, mark, inlines->text.len - i);
    apr_size_t end = stop != NULL ? (apr_size_t)(stop - inlines->text.at) : inlines->text.len;
    *at = inlines->text.at + i;
    *len = end - i;
    return end + (stop != NULL);
}

apr_size_t tmpl_inlines_read(tmpl_inline_part_t *part, const tmpl_inlines_t *inlines, apr_size_t i)
{
    const char *text = inlines->text.at;
    part->text = text + i;
    part->len = part->address_len = 0;
    if ((unsigned char)text[i] >= ' ') {
        part->mark = TMPL_MARK_NONE;
        part->len = next_mark(text, inlines->text.len, i) - i;
        return i + part->len;
    }
    part->mark = text[i++];
    switch (part->mark) {
    case TMPL_MARK_LINK_END:
        return read_to(&part->address, &part->address_len, inlines, i, TMPL_MARK_STOP);
    case TMPL_MARK_IMAGE:
        i = read_to(&part->text, &part->len, inlines, i, TMPL_MARK_TO);
        return read_to(&part->address, &part->address_len, inlines, i, TMPL_MARK_STOP);
    case TMPL_MARK_CODE:
        return read_to(&part->text, &part->len, inlines, i, TMPL_MARK_END(TMPL_FORMAT_CODE));
    case TMPL_MARK_FORMULA:
    case TMPL_MARK_NOTE:
        return read_to(&part->text, &part->len, inlines, i, TMPL_MARK_STOP);
    default:
        return i;
    }
}

void tmpl_inlines_read_link(tmpl_inline_part_t *part, const tmpl_inlines_t *inlines, apr_size_t i)
{
    const char *text;
    apr_size_t len;
    i = read_to(&text, &len, inlines, i, TMPL_MARK_LINK_END);
    read_to(&part->address, &part->address_len, inlines, i, TMPL_MARK_STOP);
}

void tmpl_inlines_finish(tmpl_inlines_t *inlines)
{
    end_code(inlines);
    while (inlines->written > 0) {
        end_format(inlines, inlines->formats[--inlines->written]);
    }
    inlines->space = 0;
    /* three formats have marks that may be dropped: each round drops one of the three at least */
    for (int i = 0; i <= TMPL_FORMAT_DEL && inlines->emphasis && drop_unreadable(&inlines->text);
         i++) {
        compact_marks(&inlines->text);
    }
    inlines->emphasis = 0;
}
