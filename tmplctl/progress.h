/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Standard error: messages and, on a terminal, a progress bar. A message erases the bar and draws
 * it again below. For the main thread only.
 */
#ifndef CTL_PROGRESS_H
#define CTL_PROGRESS_H

/* Prints "tmplctl: " and one line to standard error; control characters as \x1b. */
void ctl_say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Starts a bar of total steps. Nothing is shown unless standard error is a terminal. */
void ctl_progress_start(const char *title, int total);

/* Moves the bar to done steps. */
void ctl_progress_step(int done);

/* Erases the bar. */
void ctl_progress_end(void);

#endif
