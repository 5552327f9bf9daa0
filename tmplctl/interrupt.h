/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Signals that end a run. The command finishes its current page and removes its temporary files;
 * then the process dies of the signal, as its parent expects. If the page takes longer than
 * CTL_INTERRUPT_WAIT, the process dies in the middle of it.
 */
#ifndef CTL_INTERRUPT_H
#define CTL_INTERRUPT_H

/* Microseconds from a signal to the end of the process, if the command has not ended before. */
#define CTL_INTERRUPT_WAIT 500000

/*
 * From now on SIGINT, SIGTERM and SIGHUP set ctl_interrupted; a second signal of the same kind
 * kills. Call this after input that may block is read, and before work that must not be cut off.
 */
void ctl_interrupt_catch(void);

/* The last signal caught, or 0. */
int ctl_interrupted(void);

/*
 * Between these calls the process does not die in the middle of a page: it has a temporary file.
 * Any thread may call them, for as short as it takes to write a file.
 */
void ctl_interrupt_hold(void);
void ctl_interrupt_release(void);

/* Dies of the signal caught; returns if there was none. */
void ctl_interrupt_finish(void);

#endif
