/* SPDX-License-Identifier: Apache-2.0 */
/* Drawings as SVG. Each has its figures as a text, and stands beside a table of them. */
#ifndef TMPL_PLOT_H
#define TMPL_PLOT_H

#include "markup.h"

/* The learning curve of a site: points as data.h has them, at least one. */
void tmpl_plot_curve(const tmpl_html_t *h, const json_t *points);

/* A column for each bucket of a stage (data.h), as high as its count. */
void tmpl_plot_stage(const tmpl_html_t *h, const json_t *stage);

#endif
