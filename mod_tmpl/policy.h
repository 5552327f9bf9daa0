/* SPDX-License-Identifier: Apache-2.0 */
/* What a page's Content-Security-Policy says of the style that mode highlight adds. */
#ifndef TMPL_POLICY_H
#define TMPL_POLICY_H

#include "mod_tmpl.h"

/*
 * Whether every policy in the response's fields lets a style element without nonce take effect
 * (Content Security Policy Level 3, 6.7.3.3). Policies in the page's own meta elements are not
 * read.
 */
int tmpl_policy_allows_style(request_rec *r);

#endif
