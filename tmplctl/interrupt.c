/* SPDX-License-Identifier: Apache-2.0 */
#include "interrupt.h"

#include <signal.h>
#include <stddef.h>

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
