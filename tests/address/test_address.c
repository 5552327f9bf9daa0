/* SPDX-License-Identifier: Apache-2.0 */
/* Addresses: references resolved, hosts compared, and which document an address leads to. */
#include "check.h"

#include "address/address.h"

static tmpl_address_t address_of(const char *url, apr_pool_t *pool)
{
    tmpl_address_t address;
    assert_int_equal(tmpl_address_parse(&address, url, NULL, NULL, pool), APR_SUCCESS);
    return address;
}

/* RFC 3986, sections 5.4.1 and 5.4.2, without the cases of other schemes. */
static void references_resolve_as_the_rfc_says(void **state)
{
    static const char *const cases[][2] = {
        { "http:g", NULL },
        { "g", "http://a/b/c/g" },
        { "./g", "http://a/b/c/g" },
        { "g/", "http://a/b/c/g/" },
        { "/g", "http://a/g" },
        { "//g", "http://g/" },
        { "?y", "http://a/b/c/d;p?y" },
        { "?t=12:30", "http://a/b/c/d;p?t=12:30" },
        { "g?y", "http://a/b/c/g?y" },
        { "#s", "http://a/b/c/d;p?q" },
        { "g#s", "http://a/b/c/g" },
        { "g?y#s", "http://a/b/c/g?y" },
        { ";x", "http://a/b/c/;x" },
        { "g;x?y#s", "http://a/b/c/g;x?y" },
        { "", "http://a/b/c/d;p?q" },
        { ".", "http://a/b/c/" },
        { "./", "http://a/b/c/" },
        { "..", "http://a/b/" },
        { "../", "http://a/b/" },
        { "../g", "http://a/b/g" },
        { "../..", "http://a/" },
        { "../../g", "http://a/g" },
        { "../../../g", "http://a/g" },
        { "/./g", "http://a/g" },
        { "/../g", "http://a/g" },
        { "g.", "http://a/b/c/g." },
        { "..g", "http://a/b/c/..g" },
        { "./../g", "http://a/b/g" },
        { "./g/.", "http://a/b/c/g/" },
        { "g/./h", "http://a/b/c/g/h" },
        { "g/../h", "http://a/b/c/h" },
        { "g;x=1/../y", "http://a/b/c/y" },
        { "g?y/../x", "http://a/b/c/g?y/../x" },
        { "HTTPS://User@A.Example:443", "https://a.example/" },
        { "http://a:80?x", "http://a/?x" },
        { "http://a:81/x", "http://a:81/x" },
        /* section 6.2.2, and bytes that browsers escape or remove */
        { "%7Eg/%2e%2E/%c3%a4%2f", "http://a/b/c/%C3%A4%2F" },
        { " \n g h\t\n", "http://a/b/c/g%20h" },
        { "\xc3\xa4|100%", "http://a/b/c/%C3%A4%7C100%25" },
        { "mailto:a@b", NULL },
        { "javascript:x()", NULL },
        { "ftp://a/b", NULL },
        { "http:///b", NULL },
        { "http:/.//b", NULL },
        { "http://a:x/b", NULL },
        { "http://a:0/b", NULL },
        { "http://a:65536/b", NULL },
        { "http://a:80808080808080808080/b", NULL },
        { "http://a:/b", "http://a/b" },
        { "http://a:65535/b", "http://a:65535/b" },
        { "http://[2001:DB8::1]:81/b", "http://[2001:db8::1]:81/b" },
        { "//[::1]/b", "http://[::1]/b" },
    };
    tmpl_address_t base = address_of("http://a/b/c/d;p?q", *state);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        tmpl_address_t to;
        tmpl_error_t err;
        apr_status_t status = tmpl_address_parse(&to, cases[i][0], &base, &err, *state);
        if (cases[i][1] == NULL) {
            assert_int_equal(status, APR_EINVAL);
            assert_non_null(strstr(err.text, cases[i][0]));
            continue;
        }
        assert_int_equal(status, APR_SUCCESS);
        assert_string_equal(tmpl_address_url(&to, *state), cases[i][1]);
    }
    tmpl_address_t none;
    assert_int_equal(tmpl_address_parse(&none, "/g", NULL, NULL, *state), APR_EINVAL);
}

static void a_host_is_its_name_and_port(void **state)
{
    tmpl_address_t a = address_of("http://a.example/", *state);
    tmpl_address_t secure = address_of("https://A.example/x", *state);
    tmpl_address_t other_port = address_of("http://a.example:8080/", *state);
    tmpl_address_t odd_port = address_of("http://a.example:443/", *state);
    tmpl_address_t other = address_of("http://www.a.example/", *state);
    assert_true(tmpl_address_same_host(&a, &secure));
    assert_false(tmpl_address_same_host(&a, &other_port));
    assert_false(tmpl_address_same_host(&a, &odd_port));
    assert_true(tmpl_address_same_host(&odd_port, &secure));
    assert_true(tmpl_address_same_host(&other_port, &other_port));
    assert_false(tmpl_address_same_host(&a, &other));
}

static void tracking_is_no_part_of_an_address(void **state)
{
    static const struct {
        const char *uri;
        const char *identity;
    } cases[] = {
        { "/a", "/a" },
        { "/a#top", "/a" },
        { "/a?", "/a" },
        { "/a?utm_source=x&utm_medium=y", "/a" },
        { "/a?id=7&fbclid=z#q", "/a?id=7" },
        { "/a?b=2&a=1", "/a?a=1&b=2" },
        { "/a?PHPSESSID=1&page=2", "/a?page=2" },
        { "/a;jsessionid=12?x=1", "/a?x=1" },
        { "/a?gclidx=1&utm=2", "/a?gclidx=1&utm=2" },
        { "/a?&&x", "/a?x" },
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        assert_string_equal(tmpl_uri_identity(cases[i].uri, *state), cases[i].identity);
    }
}

static const struct CMUnitTest tests[] = {
    CHECK(references_resolve_as_the_rfc_says),
    CHECK(a_host_is_its_name_and_port),
    CHECK(tracking_is_no_part_of_an_address),
};

TAP_MAIN(tests)
