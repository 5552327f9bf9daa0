/* SPDX-License-Identifier: Apache-2.0 */
/*
 * New pages made of httpd's manual, with a number in front of each paragraph, list item and cell of
 * the content.
 */
#ifndef BENCH_STAMPED_H
#define BENCH_STAMPED_H

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STAMP      "00000000 "
#define STAMP_SIZE (sizeof(STAMP) - 1)
#define CONTENT    "id=\"page-content\""

typedef struct {
    char *bytes;
    size_t len;
    size_t *stamps; /* the offsets of the stamps */
    size_t n_stamps;
} page_t;

static inline void *need(void *memory)
{
    if (memory == NULL) {
        perror(program_invocation_short_name);
        exit(2);
    }
    return memory;
}

static inline char *read_whole(const char *name, size_t *len)
{
    FILE *file = need(fopen(name, "rb"));
    char *bytes = NULL;
    size_t room = 0;

    *len = 0;
    do {
        room += 1 << 16;
        bytes = need(realloc(bytes, room + 1));
        *len += fread(bytes + *len, 1, room - *len, file);
    } while (*len == room);
    fclose(file);
    bytes[*len] = '\0';
    return bytes;
}

/* The place of the next stamp, behind a start tag without attributes; NULL if there is none. */
static inline const char *next_place(const char *p)
{
    static const char *const tags[] = { "<p>", "<li>", "<dd>", "<td>" };
    const char *first = NULL;

    for (size_t i = 0; i < sizeof(tags) / sizeof(tags[0]); i++) {
        const char *found = strstr(p, tags[i]);

        if (found != NULL && (first == NULL || found + strlen(tags[i]) < first)) {
            first = found + strlen(tags[i]);
        }
    }
    return first;
}

/* Reads a file into page, which must be zeroed. */
static inline void page_read(page_t *page, const char *name)
{
    size_t len, copied = 0;
    char *source = read_whole(name, &len);
    const char *p = strstr(source, CONTENT);

    page->bytes = need(malloc(len * (1 + STAMP_SIZE) + 1));
    page->stamps = need(malloc(len * sizeof(*page->stamps)));
    while (p != NULL && (p = next_place(p)) != NULL) {
        size_t n = (size_t)(p - source) - copied;

        memcpy(page->bytes + page->len, source + copied, n);
        copied += n;
        page->len += n;
        page->stamps[page->n_stamps++] = page->len;
        memcpy(page->bytes + page->len, STAMP, STAMP_SIZE);
        page->len += STAMP_SIZE;
    }
    memcpy(page->bytes + page->len, source + copied, len - copied);
    page->len += len - copied;
    free(source);
}

/* Puts the number n at all stamps of bytes, a copy of the page's bytes. */
static inline void page_stamp(char *bytes, const page_t *page, unsigned n)
{
    char stamp[STAMP_SIZE + 1];

    snprintf(stamp, sizeof(stamp), "%08x ", n);
    for (size_t i = 0; i < page->n_stamps; i++) {
        memcpy(bytes + page->stamps[i], stamp, STAMP_SIZE);
    }
}

#endif
