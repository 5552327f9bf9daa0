/* SPDX-License-Identifier: Apache-2.0 */
#include "content/href.h"

#include <string.h>

#include <apr_cstr.h>
#include <apr_strings.h>

#include "base/ascii.h"
#include "base/bytes.h"
#include "base/chars.h"
#include "html/attr.h"
#include "text/text.h"

/* Browsers drop white space around an address. */
static const char *trimmed_href(const char *href)
{
    while (*href != '\0' && (unsigned char)*href <= ' ') {
        href++;
    }
    return href;
}

int tmpl_href_is_safe(const char *href)
{
    char scheme[8] = "";
    uint32_t len = 0;
    href = trimmed_href(href);
    if (*href == '#' && *trimmed_href(href + 1) == '\0') {
        return 0;
    }
    /* browsers drop line breaks and tabs in a scheme */
    for (; *href == '\t' || *href == '\n' || tmpl_is_alnum(*href) || *href == '+' || *href == '-' ||
           *href == '.';
         href++) {
        if (*href > ' ' && ++len < sizeof(scheme)) {
            scheme[len - 1] = *href;
        }
    }
    if (*href != ':') {
        return len > 0 || *href != '\0';
    }
    return len < sizeof(scheme) &&
           tmpl_span_is_any(scheme, (tmpl_span_t){ 0, len }, "http https mailto tel ftp sms");
}

void tmpl_hrefs_init(tmpl_hrefs_t *hrefs, const char *url, const char *base, apr_pool_t *pool)
{
    *hrefs = (tmpl_hrefs_t){ 0 };
    url = url != NULL && tmpl_scheme_len(url) > 0 ? url : NULL;
    base = base != NULL && tmpl_href_is_safe(base) ? trimmed_href(base) : NULL;
    if (url == NULL && (base == NULL || tmpl_scheme_len(base) == 0)) {
        return;
    }
    hrefs->url = url;
    hrefs->resolved = apr_palloc(pool, sizeof(*hrefs->resolved));
    tmpl_buf_init(hrefs->resolved, pool);
    tmpl_base_init(&hrefs->base, url != NULL ? url : base);
    if (url != NULL && base != NULL) {
        tmpl_reference_resolve(hrefs->resolved, &hrefs->base, base, strlen(base));
        tmpl_base_init(&hrefs->base, apr_pstrdup(pool, hrefs->resolved->at));
    }
}

/* The offset of the next byte from i on that may not stand in an address; len if there is none. */
static apr_size_t next_forbidden(const char *bytes, apr_size_t i, apr_size_t len)
{
    for (; i < len; i += TMPL_BYTES16) {
        tmpl_bytes16_t b = tmpl_bytes16(bytes + i, bytes + len);
        unsigned marks = tmpl_bytes16_bits(
            (tmpl_bytes16_t)((b <= ' ') | (b >= 0x7F) | (b == '"') | ((b & 0xFE) == '(') |
                             ((b & 0xFD) == '<') | (b == '\\') | (b == '^') | (b == '`') |
                             (b - '{' <= '}' - '{')));
        if (marks != 0) {
            i += (apr_size_t)__builtin_ctz(marks);
            return i < len ? i : len;
        }
    }
    return len;
}

/* Whether each bracket in an address has its twin: Markdown reads such an address as it is. */
static int is_balanced(const char *bytes, apr_size_t len)
{
    int open = 0;
    for (apr_size_t i = 0; i < len && open >= 0; i++) {
        open += (bytes[i] == '(') - (bytes[i] == ')');
    }
    return open == 0;
}

/* Adds bytes of an address, and escapes those that may not stand in it. */
static void add_bytes(tmpl_buf_t *buf, const char *bytes, apr_size_t len)
{
    static const char digits[] = "0123456789ABCDEF";
    int balanced = -1; /* not yet known: few addresses have brackets */
    apr_size_t from = 0;
    for (apr_size_t i = 0; (i = next_forbidden(bytes, i, len)) < len; i++) {
        unsigned char c = (unsigned char)bytes[i];
        if ((c & 0xFE) == '(') {
            balanced = balanced < 0 ? is_balanced(bytes, len) : balanced;
            if (balanced) {
                continue;
            }
        }
        tmpl_buf_add(buf, bytes + from, i - from);
        if (c >= ' ') {
            const char escaped[] = { '%', digits[c >> 4], digits[c & 15] };
            tmpl_buf_add(buf, escaped, sizeof(escaped));
        }
        from = i + 1;
    }
    tmpl_buf_add(buf, bytes + from, len - from);
}

/* Adds an address without the parameters and the id of a session that only track visitors. */
static void add_without_noise(tmpl_buf_t *buf, const char *href, apr_size_t len)
{
    static const char session[] = ";jsessionid=";
    const char *end = href + len;
    const char *hash = memchr(href, '#', len);
    const char *behind = hash != NULL ? hash : end; /* the query */
    const char *query = memchr(href, '?', (apr_size_t)(behind - href));
    const char *path = query != NULL ? query : behind;
    const char *id = memchr(href, ';', (apr_size_t)(path - href));
    if (id != NULL && apr_cstr_casecmpn(id, session, sizeof(session) - 1) == 0) {
        add_bytes(buf, href, (apr_size_t)(id - href));
    }
    else {
        add_bytes(buf, href, (apr_size_t)(path - href));
    }
    char sign = '?';
    for (const char *param = path; param < behind;) {
        const char *next = memchr(param + 1, '&', (apr_size_t)(behind - param - 1));
        next = next != NULL ? next : behind;
        if (!tmpl_param_is_noise(param + 1, (apr_size_t)(next - param - 1))) {
            tmpl_buf_add_byte(buf, sign);
            add_bytes(buf, param + 1, (apr_size_t)(next - param - 1));
            sign = '&';
        }
        param = next;
    }
    add_bytes(buf, behind, (apr_size_t)(end - behind));
}

void tmpl_href_resolve(tmpl_buf_t *buf, const tmpl_hrefs_t *hrefs, const char *href)
{
    href = trimmed_href(href);
    apr_size_t len = strlen(href);
    while (len > 0 && (unsigned char)href[len - 1] <= ' ') {
        len--;
    }
    if (hrefs->resolved != NULL && (hrefs->url != NULL || *href != '#') &&
        tmpl_scheme_len(href) == 0) {
        tmpl_reference_resolve(hrefs->resolved, &hrefs->base, href, len);
        href = hrefs->resolved->at;
        len = hrefs->resolved->len;
    }
    if (memchr(href, '?', len) != NULL || memchr(href, ';', len) != NULL) {
        add_without_noise(buf, href, len);
    }
    else {
        add_bytes(buf, href, len);
    }
}

const char *tmpl_href_absolute(const tmpl_hrefs_t *hrefs, const char *href, apr_pool_t *pool)
{
    if (href == NULL || !tmpl_href_is_safe(href)) {
        return NULL;
    }
    tmpl_buf_t address;
    tmpl_buf_init(&address, pool);
    tmpl_href_resolve(&address, hrefs, href);
    return address.at;
}

const char *tmpl_href_own(const tmpl_hrefs_t *hrefs, const char *address)
{
    apr_size_t len = hrefs->url != NULL ? strcspn(hrefs->url, "#") : 0;
    int is_own = strncmp(address, hrefs->url != NULL ? hrefs->url : "", len) == 0 &&
                 (address[len] == '#' || (len > 0 && address[len] == '\0'));
    return is_own ? address + len : NULL;
}

/* The mail address that Cloudflare hides; NULL: none. */
static const char *hidden_mail(const xmlNode *link, const char *href, apr_pool_t *pool)
{
    static const char page[] = "/cdn-cgi/l/email-protection";
    const char *hash = strchr(href, '#'), *from = hash != NULL ? hash : href + strlen(href);
    if ((apr_size_t)(from - href) < strlen(page) ||
        memcmp(from - strlen(page), page, strlen(page)) != 0) {
        return NULL;
    }
    from = *from == '#' && from[1] != '\0' ? from + 1 : tmpl_dom_attribute(link, "data-cfemail");
    apr_size_t n = from != NULL ? strlen(from) / 2 : 0;
    if (n < 2 || strspn(from, "0123456789abcdef") < 2 * n) {
        return NULL;
    }
    char *mail = apr_palloc(pool, n);
    int key = 16 * tmpl_hex_digit(from[0]) + tmpl_hex_digit(from[1]);
    for (apr_size_t i = 1; i < n; i++) {
        int byte = (16 * tmpl_hex_digit(from[2 * i]) + tmpl_hex_digit(from[2 * i + 1])) ^ key;
        if (byte <= ' ' || byte > '~') {
            return NULL;
        }
        mail[i - 1] = (char)byte;
    }
    mail[n - 1] = '\0';
    return strchr(mail, '@') != NULL ? mail : NULL;
}

const char *tmpl_href_mail(const char **text, const xmlNode *link, const char *href,
                           apr_pool_t *pool)
{
    const char *mail = hidden_mail(link, href, pool);
    const xmlNode *in = mail != NULL ? link->children : NULL;
    while (in != NULL && in->type != XML_TEXT_NODE) {
        in = in->children;
    }
    *text = in != NULL && strstr((const char *)in->content, "protected]") != NULL ? mail : NULL;
    return mail != NULL ? apr_pstrcat(pool, "mailto:", mail, NULL) : href;
}

/* --- Permalinks --- */

/* Whether text is symbols only: no letters, no digits, and no signs of footnotes. */
static int is_symbols(const char *text, apr_size_t len)
{
    static const struct {
        uint32_t first, last;
    } symbols[] = {
        { 0, ')' },         { '+', '/' },       { ':', '@' },         { '[', '`' },
        { '{', 0xB1 },      { 0xB4, 0xB8 },     { 0x2000, 0x200F },   /* spaces */
        { 0x2190, 0x2BFF }, { 0xE000, 0xF8FF }, { 0x1F000, 0x1FAFF }, /* arrows and more; icons */
        { 0xFE00, 0xFE0F },
    };
    apr_size_t used;
    int is = 1;
    for (; is && len > 0; text += used, len -= used) {
        uint32_t c = tmpl_utf8_next(text, len, &used);
        is = 0;
        for (apr_size_t i = 0; i < sizeof(symbols) / sizeof(symbols[0]) && !is; i++) {
            is = c >= symbols[i].first && c <= symbols[i].last;
        }
    }
    return is;
}

/* Reads the first nodes and bytes only, because very many links may be in one heading. */
int tmpl_permalink_is_whole(const xmlNode *leaf, const xmlNode *link)
{
    enum { FEW = 32, SHORT = 64 };
    const xmlNode *node = leaf->children;
    apr_size_t left = SHORT;
    int is = 1;
    for (int n = 0; is && n < FEW && node != NULL; n++) {
        if (node->type == XML_TEXT_NODE) {
            apr_size_t len = strnlen((const char *)node->content, left);
            is = is_symbols((const char *)node->content, len);
            left -= len;
        }
        node = tmpl_dom_next(node, leaf, node == link);
    }
    return is;
}

static int is_sign(const char *text)
{
    return tmpl_span_is_any(text, (tmpl_span_t){ 0, (uint32_t)strlen(text) }, tmpl_permalink_signs);
}

int tmpl_permalink_is(const tmpl_page_t *page, const xmlNode *leaf, const xmlNode *link,
                      const char *href)
{
    const xmlNode *only = link->children;
    int is = *href == '#';
    if (leaf == NULL) {
        return is && only != NULL && only->type == XML_TEXT_NODE && only->next == NULL &&
               is_sign((const char *)only->content);
    }
    for (const xmlNode *node = link->children; is && node != NULL;
         node = tmpl_dom_next(node, link, 0)) {
        const char *text = node->type == XML_TEXT_NODE ? (const char *)node->content : "";
        text += *text == ' '; /* between boxes that touch */
        is = node->type == XML_TEXT_NODE
                 ? is_symbols(text, strlen(text)) || strcmp(text, href) == 0 || is_sign(text)
                 : tmpl_dom_tag(page, node) != TMPL_TAG_IMG;
    }
    return is && !tmpl_permalink_is_whole(leaf, link);
}
