/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Requests that name nobody. Whoever sends such a request gets the same page, so the page is not
 * one person's own, whatever its response says of storing it: many programs send private, no-store
 * or Set-Cookie to everybody.
 */
#ifndef TMPL_NOBODY_H
#define TMPL_NOBODY_H

#include "mod_tmpl.h"

/*
 * Whether nothing in r says who asks: no client certificate, no field that the response's Vary
 * names or whose name says that it holds a secret or a user, and no secret in the address. Cookies,
 * Authorization and r->user are not looked at.
 */
int tmpl_names_nobody(request_rec *r);

#endif
