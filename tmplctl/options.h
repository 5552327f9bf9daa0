/* SPDX-License-Identifier: Apache-2.0 */
/* The options of every subcommand, in one table that parsing and --help read. */
#ifndef CTL_OPTIONS_H
#define CTL_OPTIONS_H

#include "ctl.h"

/*
 * Parses argv (argv[0] is the subcommand) into ctl->options and ctl->args, by the rules of
 * ctl->command. APR_SUCCESS, also for --help, which asks for nothing else; or APR_EINVAL, and what
 * is wrong has been said on standard error.
 */
apr_status_t ctl_options_parse(ctl_t *ctl, int argc, const char *const *argv);

/* Prints the options that command knows, for --help. */
void ctl_options_print(const ctl_command_t *command, apr_pool_t *pool);

#endif
