/* SPDX-License-Identifier: Apache-2.0 */
#include "page_input.h"

#include <string.h>
#include <unistd.h>

#include <apr_strings.h>

#include <xxhash.h>

#include "base/buf.h"
#include "base/codec.h"
#include "base/tmpl.h"
#include "files.h"
#include "html/charset.h"
#include "settings.h"

const char *ctl_page_from_stdin(void)
{
    if (isatty(STDIN_FILENO)) {
        ctl_say("reads a page from standard input");
    }
    return CTL_STDIN;
}

int ctl_page_is_url(const char *arg)
{
    return strstr(arg, "://") != NULL;
}

int ctl_page_parse_url(tmpl_address_t *address, const ctl_t *ctl, const char *url)
{
    tmpl_error_t err;
    if (tmpl_address_parse(address, url, NULL, &err, ctl->pool) != APR_SUCCESS) {
        ctl_say("%s: %s", ctl->command->name, err.text);
        return 0;
    }
    return 1;
}

const char *ctl_page_site(ctl_t *ctl, const char *arg)
{
    tmpl_address_t address;
    if (ctl->options.site != NULL) {
        return ctl->options.site;
    }
    if (!ctl_page_is_url(arg)) {
        ctl_say("%s: --site KEY is missing: only a URL tells the site by its host",
                ctl->command->name);
        return NULL;
    }
    return ctl_page_parse_url(&address, ctl, arg) ? address.host : NULL;
}

/* --- what a page may be --- */

/* Whether the page begins with a byte order mark of UTF-16, which has zero bytes. */
static int is_utf16(const char *bytes, apr_size_t len)
{
    return len >= 2 && (memcmp(bytes, "\xfe\xff", 2) == 0 || memcmp(bytes, "\xff\xfe", 2) == 0);
}

/*
 * Looks for a zero byte where browsers do: in as many bytes as the MIME Sniffing standard names, in
 * section 5. PDF, of which people think first, may have none.
 */
static apr_status_t check_is_text(const tmpl_input_t *input, tmpl_error_t *err)
{
    enum { HEAD = 1445 };
    apr_size_t len = input->len < HEAD ? input->len : HEAD;
    if (len >= 5 && memcmp(input->body, "%PDF-", 5) == 0) {
        return tmpl_fail(err, CTL_EBINARY, "is a PDF document and no page");
    }
    const char *zero = memchr(input->body, '\0', len);
    if (zero != NULL && !is_utf16(input->body, len) && input->charset == NULL) {
        return tmpl_fail(err, CTL_EBINARY, "is binary and no page: byte %d is zero",
                         (int)(zero - input->body));
    }
    return APR_SUCCESS;
}

/* Inflates a page that is a gzip or zstd file, within the bounds that a module has by default. */
static apr_status_t inflate_page(tmpl_input_t *input, tmpl_error_t *err, apr_pool_t *pool)
{
    const tmpl_codec_t *const codecs[] = { &tmpl_codec_gzip, &tmpl_codec_zstd, NULL };
    const tmpl_codec_t *codec = tmpl_codec_of_bytes(codecs, input->body, input->len);
    tmpl_buf_t page;
    if (codec == NULL) {
        return APR_SUCCESS;
    }
    tmpl_buf_init(&page, pool);
    tmpl_codec_e got = tmpl_codec_undo(&page, codec, codec->begin(pool), input->body, input->len,
                                       TMPL_DEFAULT_MAX_BODY);
    if (page.len > TMPL_DEFAULT_MAX_BODY) {
        return tmpl_fail(err, APR_ENOSPC, "is %s of more than %" APR_SIZE_T_FMT " bytes",
                         codec->encoding, (apr_size_t)TMPL_DEFAULT_MAX_BODY);
    }
    if (got != TMPL_CODEC_END) {
        return tmpl_fail(err, APR_EGENERAL, "is %s that is damaged", codec->encoding);
    }
    input->body = page.at;
    input->len = page.len;
    return input->len > 0 ? APR_SUCCESS : tmpl_fail(err, APR_EINVAL, "is empty");
}

/* --- where a page comes from --- */

static apr_status_t read_url(tmpl_input_t *input, const char **at, ctl_fetch_t *fetch,
                             const char *url, tmpl_error_t *err, apr_pool_t *pool)
{
    tmpl_address_t address;
    ctl_response_t response;
    apr_status_t status = tmpl_address_parse(&address, url, NULL, err, pool);
    if (status == APR_SUCCESS) {
        status = ctl_fetch_page(fetch, &address, &response, err, pool);
    }
    if (status == APR_SUCCESS && response.len == 0) {
        status = tmpl_fail(err, APR_EINVAL, "is empty");
    }
    if (status == APR_SUCCESS) {
        input->body = response.body;
        input->len = response.len;
        input->uri = response.at.uri;
        *at = tmpl_address_url(&response.at, pool);
        input->charset = tmpl_charset_of_type(response.type, pool);
    }
    return status;
}

static apr_status_t read_stdin(tmpl_input_t *input, tmpl_error_t *err, apr_pool_t *pool)
{
    apr_status_t status = ctl_stdin_read(&input->body, &input->len, err, pool);
    if (status == APR_SUCCESS) {
        input->uri = apr_psprintf(pool, "/%016" APR_UINT64_T_HEX_FMT,
                                  (apr_uint64_t)XXH3_64bits(input->body, input->len));
    }
    return status;
}

apr_status_t ctl_page_read(tmpl_input_t *input, const char **url, ctl_fetch_t *fetch,
                           const char *arg, const char *site, tmpl_error_t *err, apr_pool_t *pool)
{
    apr_status_t status;
    const char *ignored;
    url = url != NULL ? url : &ignored;
    *url = NULL;
    *input = (tmpl_input_t){ .site = site };
    if (arg == CTL_STDIN) {
        status = read_stdin(input, err, pool);
    }
    else if (ctl_page_is_url(arg)) {
        status = read_url(input, url, fetch, arg, err, pool);
    }
    else {
        input->uri = apr_pstrcat(pool, "/", arg, NULL);
        input->page_key = arg;
        status = ctl_file_read(&input->body, &input->len, arg, err, pool);
    }
    if (status == APR_SUCCESS) {
        status = inflate_page(input, err, pool);
    }
    return status == APR_SUCCESS ? check_is_text(input, err) : status;
}

int ctl_page_load(tmpl_input_t *input, ctl_t *ctl, const char *arg, const char *site)
{
    tmpl_address_t address;
    ctl_fetch_t *fetch = NULL;
    tmpl_error_t err;
    apr_status_t status = APR_SUCCESS;
    if (ctl_page_is_url(arg)) {
        if (!ctl_page_parse_url(&address, ctl, arg)) {
            return CTL_USAGE;
        }
        ctl_interrupt_catch();
        status = ctl_fetch_open(&fetch, &err, ctl->pool);
    }
    if (status == APR_SUCCESS) {
        status = ctl_page_read(input, NULL, fetch, arg, site, &err, ctl->pool);
    }
    if (status != APR_SUCCESS) {
        ctl_say("%s: %s", arg, err.text);
        return status == CTL_EBINARY ? CTL_BINARY : CTL_FAILED;
    }
    return CTL_OK;
}

const char *ctl_page_place(const tmpl_outcome_t *outcome, const tmpl_input_t *input,
                           apr_pool_t *pool)
{
    if (outcome->declined_at == TMPL_NONE) {
        return NULL;
    }
    tmpl_place_t place = tmpl_place(input->body, (uint32_t)input->len, outcome->declined_at);
    return apr_psprintf(pool, "byte %u, line %u: %.*s", outcome->declined_at, place.line,
                        (int)tmpl_span_len(place.tag), input->body + place.tag.start);
}

const char *ctl_page_why_declined(const tmpl_outcome_t *outcome, const tmpl_input_t *input,
                                  apr_pool_t *pool)
{
    const char *place = ctl_page_place(outcome, input, pool);
    return apr_pstrcat(pool, "declined: ", tmpl_decline_name(outcome->decline), " (",
                       tmpl_decline_text(outcome->decline), ")", place != NULL ? " at " : "", place,
                       NULL);
}

int ctl_page_declined(const tmpl_outcome_t *outcome, const tmpl_input_t *input, const char *name,
                      apr_pool_t *pool)
{
    ctl_say("%s: %s", name, ctl_page_why_declined(outcome, input, pool));
    return CTL_FAILED;
}
