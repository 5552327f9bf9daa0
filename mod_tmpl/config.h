/* SPDX-License-Identifier: Apache-2.0 */
/* The directives. */
#ifndef TMPL_CONFIG_H
#define TMPL_CONFIG_H

#include "mod_tmpl.h"

/* One for each setting, in their order. */
extern const command_rec tmpl_conf_directives[];

#endif
