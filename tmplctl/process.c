/* SPDX-License-Identifier: Apache-2.0 */
#include "process.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include "ctl.h"

/* --- signals --- */

static volatile sig_atomic_t caught;

/* Calls of ctl_interrupt_hold() without their release. */
static atomic_int holds;

static const int signals[] = { SIGINT, SIGTERM, SIGHUP };

static void ask_for_alarm(long microseconds)
{
    struct itimerval in = { .it_value = { .tv_usec = microseconds } };
    setitimer(ITIMER_REAL, &in, NULL);
}

static void on_signal(int sig)
{
    caught = sig;
    ask_for_alarm(CTL_INTERRUPT_WAIT);
}

/* The command has not ended in time. */
static void on_alarm(int sig)
{
    static const char text[] = "tmplctl: interrupted in the middle of a page\n";
    (void)sig;
    if (atomic_load(&holds) > 0) {
        ask_for_alarm(CTL_INTERRUPT_WAIT / 20);
        return;
    }
    ssize_t written = write(STDERR_FILENO, text, sizeof(text) - 1);
    (void)written;
    ctl_interrupt_finish();
}

void ctl_interrupt_catch(void)
{
    /* SA_RESETHAND: a second Ctrl-C kills at once */
    struct sigaction action = { .sa_handler = on_signal, .sa_flags = (int)SA_RESETHAND };
    struct sigaction alarm = { .sa_handler = on_alarm, .sa_flags = SA_RESTART };
    struct sigaction old;
    sigemptyset(&action.sa_mask);
    sigemptyset(&alarm.sa_mask);
    sigaction(SIGALRM, &alarm, NULL);
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

void ctl_interrupt_hold(void)
{
    atomic_fetch_add(&holds, 1);
}

void ctl_interrupt_release(void)
{
    atomic_fetch_sub(&holds, 1);
}

void ctl_interrupt_finish(void)
{
    if (caught != 0) {
        signal(caught, SIG_DFL);
        raise(caught);
    }
}

/* --- without memory --- */

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
