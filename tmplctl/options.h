/* SPDX-License-Identifier: Apache-2.0 */
/* The options of every subcommand: one table for parsing and --help. */
#ifndef CTL_OPTIONS_H
#define CTL_OPTIONS_H

#include "ctl.h"

/*
 * Parses argv (argv[0] is the subcommand) into ctl->options and ctl->args, by the rules of
 * ctl->command. APR_SUCCESS, also for --help, with which nothing else is checked; or APR_EINVAL,
 * after the error was written to standard error.
 */
apr_status_t ctl_options_parse(ctl_t *ctl, int argc, const char *const *argv);

/* Prints the options of a command, for --help. */
void ctl_options_print(const ctl_command_t *command, apr_pool_t *pool);

#endif
