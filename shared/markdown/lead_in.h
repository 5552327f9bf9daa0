/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks in front of the headline: some belong to the page, others are what menus left. */
#ifndef TMPL_LEAD_IN_H
#define TMPL_LEAD_IN_H

#include "markdown/leaf.h"

/*
 * Whether a block in front of the headline may be left out: it has less than eight words that are
 * no links, and neither a number of four digits, as a date has, a price, "by", nor a picture with a
 * text that is no link. A line with a copyright may be left out whatever it says.
 */
int tmpl_lead_in_is_tail(const tmpl_leaf_t *leaf);

#endif
