/* SPDX-License-Identifier: Apache-2.0 */
/* The module record and the hooks. */
#include <mod_proxy.h>
#include <mpm_common.h>

#include "mod_tmpl.h"
#include "cache.h"
#include "child_store.h"
#include "control.h"
#include "stopping.h"
#include "filters.h"
#include "headers.h"
#include "lists/lists.h"
#include "listed_page.h"
#include "page_pool.h"
#include "request.h"
#include "status/counters.h"
#include "status/handler.h"
#include "status/sites.h"
#include "status/stores.h"
#include "twin.h"

static int pre_config(apr_pool_t *pconf, apr_pool_t *plog, apr_pool_t *ptemp)
{
    (void)plog;
    (void)ptemp;
    tmpl_config_check_reset(pconf);
    tmpl_child_stores_reset(pconf);
    tmpl_cache_reset(pconf);
    tmpl_conf_begin(pconf);
    return OK;
}

static int post_config(apr_pool_t *pconf, apr_pool_t *plog, apr_pool_t *ptemp, server_rec *s)
{
    (void)plog;
    tmpl_counters_create(s);
    tmpl_sites_create(s, tmpl_conf_recent(s));
    tmpl_stores_create(s);
    /* httpd reads the configuration twice when it starts */
    tmpl_config_check(s, ap_state_query(AP_SQ_MAIN_STATE) != AP_SQ_MS_CREATE_PRE_CONFIG);
    tmpl_child_stores_prepare(s, pconf, ptemp);
    tmpl_cache_prepare(s, pconf);
    return OK;
}

/* httpd -t runs this in place of post_config; so do -S and the like, which only show something. */
static void test_config(apr_pool_t *pconf, server_rec *s)
{
    (void)pconf;
    if (ap_state_query(AP_SQ_RUN_MODE) == AP_SQ_RM_CONFIG_TEST) {
        tmpl_config_check(s, 1);
    }
}

static void child_init(apr_pool_t *pchild, server_rec *s)
{
    tmpl_page_pools_open(pchild);
    tmpl_stores_join(pchild);
    tmpl_child_stores_open(s, pchild);
    tmpl_cache_open(s, pchild);
}

static void register_hooks(apr_pool_t *pool)
{
    /* the watchdog's threads need the stores */
    static const char *const before_watchdog[] = { "mod_watchdog.c", NULL };
    static const char *const before_proxy[] = { "mod_proxy.c", NULL };
    static const char *const before_cache[] = { "mod_cache.c", NULL };
    static const char *const before_negotiation[] = { "mod_negotiation.c", NULL };
    /* mod_dir chooses an index, which has a section of its own; RequestHeader may set Accept */
    static const char *const after_request[] = { "mod_dir.c", "mod_headers.c", NULL };
    (void)pool;
    ap_hook_pre_config(pre_config, NULL, NULL, APR_HOOK_MIDDLE);
    ap_hook_post_config(post_config, NULL, NULL, APR_HOOK_MIDDLE);
    ap_hook_test_config(test_config, NULL, NULL, APR_HOOK_MIDDLE);
    ap_hook_child_init(child_init, NULL, before_watchdog, APR_HOOK_MIDDLE);
    ap_hook_child_stopping(tmpl_stopping_child_stopping, NULL, NULL, APR_HOOK_FIRST);
    ap_hook_type_checker(tmpl_request_type_checker, NULL, before_negotiation, APR_HOOK_FIRST);
    ap_hook_fixups(tmpl_request_fixups, after_request, NULL, APR_HOOK_LAST);
    ap_hook_post_read_request(tmpl_twin_begin, NULL, NULL, APR_HOOK_REALLY_FIRST);
    ap_hook_handler(tmpl_twin_handler, NULL, before_cache, APR_HOOK_REALLY_FIRST);
    ap_hook_handler(tmpl_request_handler, NULL, before_proxy, APR_HOOK_FIRST);
    ap_hook_handler(tmpl_lists_handler, NULL, NULL, APR_HOOK_MIDDLE);
    ap_hook_handler(tmpl_status_handler, NULL, NULL, APR_HOOK_MIDDLE);
    ap_hook_insert_filter(tmpl_gate_insert, NULL, NULL, APR_HOOK_MIDDLE);
    ap_hook_insert_filter(tmpl_twin_insert, NULL, NULL, APR_HOOK_MIDDLE);
    ap_hook_insert_error_filter(tmpl_request_restore, NULL, NULL, APR_HOOK_MIDDLE);
    ap_hook_insert_error_filter(tmpl_control_error, NULL, NULL, APR_HOOK_MIDDLE);
    ap_hook_insert_error_filter(tmpl_headers_error, NULL, NULL, APR_HOOK_MIDDLE);
    ap_hook_insert_error_filter(tmpl_gate_error, NULL, NULL, APR_HOOK_MIDDLE);
    /* before mod_log_config writes the note */
    ap_hook_log_transaction(tmpl_tee_served, NULL, NULL, APR_HOOK_REALLY_FIRST);
    ap_hook_log_transaction(tmpl_listed_page_served, NULL, NULL, APR_HOOK_LAST);
    APR_OPTIONAL_HOOK(proxy, create_req, tmpl_wait_create_req, NULL, NULL, APR_HOOK_MIDDLE);

    /*
     * in front of INFLATE, which is AP_FTYPE_RESOURCE - 1, and of all filters that generate content
     */
    ap_register_output_filter("TMPL_GATE", tmpl_gate, NULL, AP_FTYPE_RESOURCE - 2);
    ap_register_output_filter("TMPL", tmpl_filter, NULL, AP_FTYPE_RESOURCE);
    ap_register_output_filter("TMPL_TEE", tmpl_tee, NULL, AP_FTYPE_RESOURCE);
    /* mod_cache's filters are AP_FTYPE_CONTENT_SET + 1 */
    ap_register_output_filter("TMPL_TWIN", tmpl_twin_filter, NULL, AP_FTYPE_CONTENT_SET + 2);
}

module AP_MODULE_DECLARE_DATA tmpl_module = {
    STANDARD20_MODULE_STUFF,
    tmpl_conf_create,
    tmpl_conf_merge,
    NULL, /* all settings are per directory */
    NULL,
    tmpl_conf_directives,
    register_hooks,
    AP_MODULE_FLAG_NONE,
};
