/* SPDX-License-Identifier: Apache-2.0 */

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <apr_time.h>

#include "ctl.h"

/* --- standard error --- */

/* The shortest time between two lines of progress: they must not slow short pages down. */
#define REDRAW_AFTER apr_time_from_msec(100)

static int drawn; /* the terminal's last line is one of progress */

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
    ctl_progress_end();
    apr_pool_create(&pool, NULL);
    fprintf(stderr, "tmplctl: %s\n", len >= 0 ? ctl_printable(text, pool) : "out of memory");
    apr_pool_destroy(pool);
    if (len >= 0) {
        free(text);
    }
}

void ctl_progress(const char *fmt, ...)
{
    static apr_time_t last;
    apr_time_t now = apr_time_now();
    va_list args;
    if (now - last < REDRAW_AFTER || !isatty(STDERR_FILENO)) {
        return;
    }
    /* a narrow terminal cuts the line off: of one that wraps only the end could be erased */
    fputs("\r\033[K\033[?7l", stderr);
    va_start(args, fmt);
    vfprintf(stderr, fmt, args);
    va_end(args);
    fputs("\033[?7h", stderr);
    fflush(stderr);
    drawn = 1;
    last = now;
}

void ctl_progress_end(void)
{
    if (drawn) {
        fputs("\r\033[K", stderr);
        fflush(stderr);
        drawn = 0;
    }
}

/* --- signals --- */

static volatile sig_atomic_t caught;

static const int signals[] = { SIGINT, SIGTERM, SIGHUP };

static void on_signal(int sig)
{
    caught = sig;
}

void ctl_interrupt_catch(void)
{
    /* SA_RESETHAND: a second Ctrl-C kills at once */
    struct sigaction action = { .sa_handler = on_signal, .sa_flags = (int)SA_RESETHAND };
    struct sigaction old;
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++) {
        /* a signal that nohup or a shell ignores stays ignored */
        if (sigaction(signals[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN) {
            sigaction(signals[i], &action, NULL);
        }
    }
}

int ctl_interrupted(void)
{
    return caught;
}

void ctl_interrupt_finish(void)
{
    if (caught != 0) {
        signal(caught, SIG_DFL);
        raise(caught);
    }
}

/* --- memory --- */

int ctl_no_memory(int status)
{
    static const char text[] = "tmplctl: out of memory\n";
    (void)status;
    (void)!write(STDERR_FILENO, text, sizeof(text) - 1);
    _exit(CTL_FAILED);
}

static void *checked(void *memory)
{
    if (memory == NULL) {
        ctl_no_memory(ENOMEM);
    }
    return memory;
}

void *ctl_malloc(size_t size)
{
    return checked(malloc(size));
}

void *ctl_realloc(void *old, size_t size)
{
    return checked(realloc(old, size));
}

char *ctl_strdup(const char *text)
{
    return checked(strdup(text));
}
