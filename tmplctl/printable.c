/* SPDX-License-Identifier: Apache-2.0 */
#include "printable.h"

#include <stdio.h>
#include <string.h>

/* Bytes of the control character at text; 0 if another character is there. */
static apr_size_t control_len(const char *text)
{
    const unsigned char *c = (const unsigned char *)text;
    if (*c < 0x20 || *c == 0x7F) {
        return 1;
    }
    return *c == 0xC2 && c[1] >= 0x80 && c[1] < 0xA0 ? 2 : 0;
}

const char *ctl_printable(const char *text, apr_pool_t *pool)
{
    apr_size_t controls = 0;
    for (const char *c = text; *c != '\0'; c++) {
        controls += control_len(c);
    }
    if (controls == 0) {
        return text;
    }
    /* each byte grows to four */
    char *printable = apr_palloc(pool, strlen(text) + 3 * controls + 1);
    char *to = printable;
    while (*text != '\0') {
        apr_size_t n = control_len(text);
        if (n == 0) {
            *to++ = *text++;
        }
        for (; n > 0; n--) {
            to += sprintf(to, "\\x%02x", (unsigned char)*text++);
        }
    }
    *to = '\0';
    return printable;
}
