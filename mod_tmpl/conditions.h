/* SPDX-License-Identifier: Apache-2.0 */
/* Conditions of a request, by the entity tag of what is sent (TmplValidate content). */
#ifndef TMPL_CONDITIONS_H
#define TMPL_CONDITIONS_H

#include "mod_tmpl.h"

/*
 * Answers the conditions of a GET or HEAD by the tag that tmpl_headers_judged() has set (RFC 9110,
 * 13.2.2): leaves what is held as it is; or makes the response a 304, without data, or a 412.
 */
void tmpl_conditions_answer(request_rec *r, tmpl_ctx_t *ctx);

#endif
