/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How a child ends.
 *
 * prefork ends a child from within a signal handler, wherever the child is. The code that was
 * interrupted never continues, and may hold any lock, malloc's among them. The watchdog's thread
 * may wait for such a lock, and httpd waits for the watchdog at the end. The parent would kill the
 * child after nine seconds, and a restart would take that long. So the child ends itself earlier.
 */
#include <unistd.h>

#include <apr_signal.h>

#include <ap_mpm.h>

#include "stopping.h"

/* Seconds that such a child may take to end; its parent checks for the first time after three. */
#define END_SECONDS 2

/* Set in the main thread, or in prefork's signal handler, while other threads may read it. */
static volatile sig_atomic_t graceful_end;
/* Set there, too. Whether the stores are about to be closed before all requests have ended. */
static volatile sig_atomic_t closing;

static int has_threads(void)
{
    int threads;
    return ap_mpm_query(AP_MPMQ_IS_THREADED, &threads) == APR_SUCCESS &&
           threads != AP_MPMQ_NOT_SUPPORTED;
}

static void end_now(int signal)
{
    (void)signal;
    _exit(0);
}

void tmpl_stopping_child_stopping(apr_pool_t *pchild, int graceful)
{
    (void)pchild;
    graceful_end = graceful;
    closing = !graceful;
    if (!has_threads()) {
        apr_signal(SIGALRM, end_now);
        alarm(END_SECONDS);
    }
}

int tmpl_stopping_is_graceful(void)
{
    return graceful_end;
}

int tmpl_stopping_is_closing(void)
{
    return closing;
}
