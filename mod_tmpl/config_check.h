/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Settings without effect. A directive that nothing makes use of is an operator's mistake that
 * httpd accepts, so a warning names its file and line (T040) when the server starts. It is
 * given only if no request can make use of the directive, whatever sections are merged for it.
 */
#ifndef TMPL_CONFIG_CHECK_H
#define TMPL_CONFIG_CHECK_H

#include "mod_tmpl.h"

/* pre_config hook: forgets all directives. */
void tmpl_config_check_reset(apr_pool_t *pconf);

/*
 * Notes, while the configuration is read, that section has a directive. value is the
 * tmpl_child_store_t of a store, the name of the detector that a model is for, and NULL for other
 * settings.
 */
void tmpl_config_check_note(cmd_parms *cmd, tmpl_conf_t *section, const void *value);

/*
 * Drops the stores that no request can use. With warn, logs the directives that have no
 * effect. After the configuration was read, before stores are prepared.
 */
void tmpl_config_check(server_rec *main_server, int warn);

#endif
