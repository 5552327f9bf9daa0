/* SPDX-License-Identifier: Apache-2.0 */
#include "progress.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <apr_strings.h>
#include <apr_time.h>

/* Cells of the bar at most. */
#define BAR_WIDTH 40

/* Columns of a terminal that does not report them. */
#define COLUMNS 80

/* The shortest time between two lines of progress where there is no terminal. */
#define LINE_AFTER apr_time_from_sec(10)

/* The shortest time between two drawings: drawing must not slow short pages down. */
#define REDRAW_AFTER apr_time_from_msec(100)

static struct {
    const char *title;
    int total;
    int done;
    char note[100]; /* shown in place of done and total, if it is not empty */
    int live;       /* between start and end, on a terminal */
    int drawn;      /* the bar is on the terminal's last line now */
    apr_time_t last;
} bar;

static void erase(void)
{
    if (bar.drawn) {
        fputs("\r\033[K", stderr);
        bar.drawn = 0;
    }
}

static int columns(void)
{
    struct winsize size;
    return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : COLUMNS;
}

/*
 * Draws the bar in one line: erase() clears only the last line of a bar that wraps. The last column
 * stays empty, because some terminals wrap as soon as it is full.
 */
static void draw(void)
{
    char counts[sizeof(bar.note) + 2 * sizeof("-2147483648")];
    char cells[BAR_WIDTH];
    int room = columns() - 1;
    int taken = bar.note[0] != '\0'
                    ? snprintf(counts, sizeof(counts), "%s", bar.note)
                    : snprintf(counts, sizeof(counts), "%d/%d", bar.done, bar.total);
    int width = room - taken - (int)strlen(bar.title) - (int)strlen(" [] ");
    if (width > 0) {
        width = width < BAR_WIDTH ? width : BAR_WIDTH;
        int full = bar.total > 0 ? (int)((long long)bar.done * width / bar.total) : 0;
        memset(cells, '.', sizeof(cells));
        memset(cells, '#', (size_t)full);
        fprintf(stderr, "\r%s [%.*s] %s", bar.title, width, cells, counts);
    }
    else {
        fprintf(stderr, "\r%.*s", room, counts);
    }
    fflush(stderr);
    bar.drawn = 1;
    bar.last = apr_time_now();
}

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

void ctl_say(const char *fmt, ...)
{
    va_list args;
    char *text;
    apr_pool_t *pool;
    va_start(args, fmt);
    int len = vasprintf(&text, fmt, args);
    va_end(args);
    erase();
    apr_pool_create(&pool, NULL);
    fprintf(stderr, "tmplctl: %s\n", len >= 0 ? ctl_printable(text, pool) : "out of memory");
    apr_pool_destroy(pool);
    if (len >= 0) {
        free(text);
    }
    if (bar.live) {
        draw();
    }
}

void ctl_progress_start(const char *title, int total)
{
    bar.title = title;
    bar.total = total;
    bar.done = 0;
    bar.note[0] = '\0';
    bar.last = apr_time_now();
    bar.live = isatty(STDERR_FILENO);
    if (bar.live) {
        draw();
    }
}

void ctl_progress_step(int done)
{
    bar.done = done;
    if (bar.live && apr_time_now() - bar.last >= REDRAW_AFTER) {
        draw();
    }
}

void ctl_progress_note(const char *text, int also_lines)
{
    apr_cpystrn(bar.note, text, sizeof(bar.note));
    if (!bar.live && also_lines && apr_time_now() - bar.last >= LINE_AFTER) {
        ctl_say("%s: %s", bar.title, text);
        bar.last = apr_time_now();
    }
}

void ctl_progress_end(void)
{
    erase();
    fflush(stderr);
    bar.live = 0;
}
