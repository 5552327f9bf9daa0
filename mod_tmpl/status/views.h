/* SPDX-License-Identifier: Apache-2.0 */
/* What the status handler shows (data.h), for people and for a monitoring system. */
#ifndef TMPL_VIEWS_H
#define TMPL_VIEWS_H

#include "members.h"

/*
 * Sends data as a page, status.html, with the response's fields; adds members to data. title is
 * Status, Site or Sites, for what tmpl_data_server(), _site() or _sites() returned. The page loads
 * nothing else and has no script, and works under the Content-Security-Policy that it is sent with.
 * location is the path of the handler, without a slash at its end.
 */
void tmpl_view_page(request_rec *r, const char *title, json_t *data, const char *location);

/*
 * Sends data, of tmpl_data_server(), as metrics, status.metrics: as OpenMetrics 1.0.0 if the client
 * accepts that, else in the Prometheus text format 0.0.4. No label has a page's path. A label has a
 * site only if TmplMetricsSites names it.
 * https://prometheus.io/docs/specs/om/open_metrics_spec/
 */
void tmpl_view_metrics(request_rec *r, json_t *data);

#endif
