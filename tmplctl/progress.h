/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What goes to standard error: messages, and a bar if it is a terminal. They keep out of each
 * other's way.
 */
#ifndef CTL_PROGRESS_H
#define CTL_PROGRESS_H

#include "ctl.h"

/* Prints "tmplctl: " and a line to standard error. */
void ctl_say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Starts a bar of total steps under a title; nothing shows unless standard error is a terminal. */
void ctl_progress_start(const char *title, int total);

/* So many steps are done. */
void ctl_progress_step(int done);

/* Takes the bar away. */
void ctl_progress_end(void);

#endif
