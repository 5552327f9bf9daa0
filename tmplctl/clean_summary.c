/* SPDX-License-Identifier: Apache-2.0 */
#include "clean_summary.h"

#include <stdio.h>

#include "ctl.h"

static void print_declined(const int *declined)
{
    int total = 0;
    const char *before = " (";
    for (int i = 0; i < TMPL_DECLINE_COUNT; i++) {
        total += i != TMPL_DECLINE_NONE ? declined[i] : 0;
    }
    printf(", %d declined", total);
    for (int i = 0; i < TMPL_DECLINE_COUNT; i++) {
        if (i != TMPL_DECLINE_NONE && declined[i] > 0) {
            printf("%s%s %d", before, tmpl_decline_name((tmpl_decline_e)i), declined[i]);
            before = ", ";
        }
    }
    printf("%s", total > 0 ? ")" : "");
}

void ctl_clean_summary_print(const ctl_clean_summary_t *summary)
{
    double seconds = (double)(apr_time_now() - summary->start) / APR_USEC_PER_SEC;
    printf("%d page%s: %d edited", summary->pages, summary->pages == 1 ? "" : "s", summary->edited);
    print_declined(summary->declined);
    printf("; %d failed", summary->failed);
    if (summary->store_failures > 0) {
        printf(", %d store failure%s", summary->store_failures,
               summary->store_failures == 1 ? "" : "s");
    }
    printf("; %" APR_UINT64_T_FMT " bytes in, %" APR_UINT64_T_FMT " out; %.2f s\n",
           summary->bytes_in, summary->bytes_out, seconds);
}

int ctl_clean_summary_code(const ctl_clean_summary_t *summary)
{
    if (summary->failed > 0) {
        return summary->failed == summary->binary ? CTL_BINARY : CTL_FAILED;
    }
    return summary->store_failures > 0 ? CTL_STORE_FAILED : CTL_OK;
}
