/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Signals that end a run. The command finishes its current page and removes its temporary files;
 * then the process dies of the signal, as its parent expects.
 */
#ifndef CTL_INTERRUPT_H
#define CTL_INTERRUPT_H

/*
 * From now on SIGINT, SIGTERM and SIGHUP set ctl_interrupted; a second signal of the same kind
 * kills. Call this after input that may block is read, and before work that must not be cut off.
 */
void ctl_interrupt_catch(void);

/* The last signal caught, or 0. */
int ctl_interrupted(void);

/* Dies of the signal caught; returns if there was none. */
void ctl_interrupt_finish(void);

#endif
