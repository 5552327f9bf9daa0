/* SPDX-License-Identifier: Apache-2.0 */
#include "interrupt.h"

#include <signal.h>
#include <stddef.h>

static volatile sig_atomic_t noted;

static const int signals[] = { SIGINT, SIGTERM, SIGHUP };

static void note(int sig)
{
    noted = sig;
}

void ctl_interrupt_catch(void)
{
    /* SA_RESETHAND: who presses Ctrl-C twice does not want to wait for us. */
    struct sigaction action = { .sa_handler = note, .sa_flags = (int)SA_RESETHAND };
    struct sigaction old;
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++) {
        /* nohup and shells ignore some for us: that is to stay so */
        if (sigaction(signals[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN) {
            sigaction(signals[i], &action, NULL);
        }
    }
}

int ctl_interrupted(void)
{
    return noted;
}

void ctl_interrupt_finish(void)
{
    if (noted != 0) {
        signal(noted, SIG_DFL);
        raise(noted);
    }
}
