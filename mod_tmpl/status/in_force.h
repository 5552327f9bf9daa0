/* SPDX-License-Identifier: Apache-2.0 */
/* The configuration in force, as it is written in the files that httpd has read. */
#ifndef TMPL_IN_FORCE_H
#define TMPL_IN_FORCE_H

#include <jansson.h>

#include "mod_tmpl.h"

/*
 * An array of the settings, each {"server", "section", "directive", "value", "file", "line"}: for
 * the main server, "", and for each virtual host that has settings of its own, and within it for
 * the whole server, "", then for each section. A section has what is not set in it from those
 * around it. Passwords and TmplSecret are left out of the values. The caller owns it.
 */
json_t *tmpl_in_force(apr_pool_t *pool);

#endif
