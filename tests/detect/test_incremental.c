/* SPDX-License-Identifier: Apache-2.0 */
/* The template ratio of incremental detection. */
#include "check.h"

#include "detect/detector.h"

/* Wang et al., section 2.3: DF >= 5, and more than 0.7 of the block's length. */
static void the_ratio_counts_length_of_template_segments(void **state)
{
    const tmpl_page_t *page =
        check_page("<div>1234567<b>890</b></div><p>12345678<b>90</b></p>", *state);
    tmpl_record_t records[4] = { { .df = 5 }, { .df = 4 }, { .df = 9 }, { .df = 0 } };
    tmpl_verdict_t v[2];
    assert_int_equal(page->n_keys, 4);
    tmpl_detect_incremental(v, page, records, 5, 0.7);
    assert_float_equal(v[0].ratio, 0.7, 1e-6);
    assert_float_equal(v[1].ratio, 0.8, 1e-6);
    assert_false(v[0].template); /* 0.7 is not more than 0.7 */
    assert_true(v[1].template);
    tmpl_detect_incremental(v, page, records, 4, 0.7);
    assert_true(v[0].template);
    tmpl_detect_incremental(v, page, records, 10, 0.7);
    assert_false(v[1].template);
}

static const struct CMUnitTest tests[] = {
    CHECK(the_ratio_counts_length_of_template_segments),
};

TAP_MAIN(tests)
