/* SPDX-License-Identifier: Apache-2.0 */
/* The configuration in force, as it is written in the files that httpd has read. */
#ifndef TMPL_IN_FORCE_H
#define TMPL_IN_FORCE_H

#include "members.h"

/*
 * An array of the settings, each {"server", "section", "directive", "value", "file", "line"}. The
 * settings of the main server, whose "server" is "", come first, then those of each virtual host
 * that has its own. Within a server, settings outside of sections, whose "section" is "", come
 * first, then those of each section. A section inherits settings that it does not set from the
 * sections around it. Values do not show passwords, TmplSecret, or conditions of more than a word.
 * The caller owns the array.
 */
json_t *tmpl_in_force(apr_pool_t *pool);

#endif
