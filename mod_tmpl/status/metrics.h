/* SPDX-License-Identifier: Apache-2.0 */
/* What is counted, as text for a monitoring system. */
#ifndef TMPL_METRICS_H
#define TMPL_METRICS_H

#include "mod_tmpl.h"

/*
 * Sends the metrics: as OpenMetrics 1.0.0 if the client accepts that, else in the Prometheus text
 * format 0.0.4. No label has a page's path. A label has a site only if TmplMetricsSites names it.
 * https://prometheus.io/docs/specs/om/open_metrics_spec/
 */
int tmpl_metrics_write(request_rec *r);

#endif
