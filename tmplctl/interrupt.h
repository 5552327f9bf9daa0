/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Signals that end a run: what is at work stops after the page it is at, takes its temporary files
 * away, and only then does the process die of the signal, as its parent expects to see.
 */
#ifndef CTL_INTERRUPT_H
#define CTL_INTERRUPT_H

/*
 * From now on SIGINT, SIGTERM and SIGHUP are only noted. To be called where something could be left half done, and not
 * before what may wait for somebody's input.
 */
void ctl_interrupt_catch(void);

/* The signal that was noted, or 0. */
int ctl_interrupted(void);

/* Dies of the noted signal; returns if there is none. */
void ctl_interrupt_finish(void);

#endif
