/* SPDX-License-Identifier: Apache-2.0 */
/* White space is collapsed as by a loop over single bytes. */
#include "check.h"

#include <stdlib.h>

#include "html/attr.h"
#include "page/build.h"

/* Writes the text with white space collapsed; returns its length. */
static uint32_t one_by_one(char *to, const char *text, uint32_t len)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < len; i++) {
        int is_space = tmpl_is_space(text[i]);
        if (!is_space || !tmpl_is_space(text[i - 1])) {
            to[n++] = is_space ? ' ' : text[i];
        }
    }
    return n;
}

/* The memory ends where the bytes do, so that a sanitizer sees reads and writes beyond. */
static void compare(const char *text, uint32_t len, uint32_t behind)
{
    char *page = malloc(len + behind);
    char *room = malloc(len + TMPL_COLLAPSE_ROOM);
    char *expected = malloc(len);
    memcpy(page, text, len);
    memset(page + len, ' ', behind);
    tmpl_collapsed_t is = tmpl_collapse(room, page, page + len, page + len + behind);
    assert_int_equal(is.length, one_by_one(expected, text, len));
    assert_memory_equal(is.text, expected, is.length);
    assert_true(is.text == page || is.text == room);
    free(page);
    free(room);
    free(expected);
}

/* Letters, and the given percentage of other bytes. */
static void draw_text(char *text, uint32_t len, unsigned odd)
{
    static const char some[] = " \t\n\f\r  \v\x01\xc2\xa0\x7f\x1f";
    for (uint32_t i = 0; i < len; i++) {
        text[i] = (unsigned)(lrand48() % 100) < odd ? some[(size_t)lrand48() % (sizeof(some) - 1)]
                                                    : (char)('a' + lrand48() % 26);
    }
    text[0] = 'a';
    text[len - 1] = 'z';
}

static void white_space_is_collapsed(void **state)
{
    static const unsigned odd[] = { 0, 2, 20, 90 };
    char text[200];
    (void)state;
    srand48(3);
    for (uint32_t len = 1; len < sizeof(text); len++) {
        for (unsigned i = 0; i < 40; i++) {
            draw_text(text, len, odd[i % 4]);
            compare(text, len, i % 4 < 2 ? (uint32_t)(lrand48() % 80) : i);
        }
    }
}

/* A text that is collapsed already is not copied, if there are bytes behind it to read. */
static void what_is_collapsed_stays(void **state)
{
    static const char page[] = "one two \xc2\xa0 three. And so on, a little longer than 32 bytes."
                               "<p>And the text behind it, of which some bytes are read";
    const char *end = strchr(page, '<');
    char room[sizeof(page) + TMPL_COLLAPSE_ROOM];
    (void)state;
    assert_ptr_equal(tmpl_collapse(room, page, end, page + sizeof(page)).text, page);
    assert_ptr_equal(tmpl_collapse(room, page, end, end).text, room);
}

static const struct CMUnitTest tests[] = {
    CHECK(white_space_is_collapsed),
    CHECK(what_is_collapsed_stays),
};

TAP_MAIN(tests)
