/* SPDX-License-Identifier: Apache-2.0 */
/* How much memory a page may take. */
#ifndef TMPL_ROOM_H
#define TMPL_ROOM_H

#include "clean.h"

/*
 * Whether a page with so many keys takes too much memory for its size from here on. The page's
 * elements, texts and keys stay until the request ends. The store needs its memory first; then the
 * detector and the closure need theirs, while a copy of the observation may wait to be learnt.
 */
int tmpl_takes_too_much(const tmpl_page_t *page, const tmpl_clean_opts_t *opts, uint64_t n_keys);

#endif
