/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How many pages may wait to be learnt, and that a page waits only once.
 */
#include "child_store_fixture.h"

static void fill(tmpl_child_store_t *ours)
{
    requests(ours, "s", PAGES_MOST - ours->learner->queue->n);
    assert_int_equal(ours->learner->queue->n, PAGES_MOST);
}

/* Takes n pages, as if to learn them. */
static void take(tmpl_child_store_t *ours, unsigned n)
{
    tmpl_queued_t taken[TMPL_BATCH_MOST];

    assert_int_equal(tmpl_queue_take(ours->learner->queue, taken, n), n);
    tmpl_queue_free(ours->learner->queue, taken, n);
}

/* No request waits for room: without it a page is lost and counted, and may come again. */
static void who_finds_no_room_does_not_wait(void **state)
{
    tmpl_child_store_t *ours = start_waiting(1000);

    (void)state;
    fill(ours);
    assert_int_equal(store_said, APR_SUCCESS);
    assert_string_equal(request(ours, "s"), "");
    assert_int_equal(store_said, APR_ENOSPC); /* must not be reported or kept as learnt */
    assert_int_equal(counters[TMPL_COUNTER_LATER_NO_ROOM], 1);
    assert_int_equal(ours->learner->queue->n, PAGES_MOST);
    take(ours, 1);
    request(ours, "s");
    assert_int_equal(counters[TMPL_COUNTER_LATER_NO_ROOM], 1);
    assert_int_equal(ours->learner->queue->n, PAGES_MOST);
}

/* A page that is requested again before it is learnt waits once. */
static void the_same_page_waits_once(void **state)
{
    tmpl_child_store_t *ours = start_waiting(1000);

    (void)state;
    request(ours, "s");
    pages_come_again = 1;
    request(ours, "s");
    assert_int_equal(ours->learner->queue->n, 1);
    request(ours, "t"); /* of another site */
    assert_int_equal(ours->learner->queue->n, 2);
    document.text++; /* or with another text; the other fields then repeat */
    assert_int_equal(tmpl_queue_add(ours->learner->queue, &a_page, 0), TMPL_QUEUE_ADDED);
    assert_int_equal(ours->learner->queue->n, 3);
    assert_int_equal(counters[TMPL_COUNTER_LATER], 2);
    assert_int_equal(handed, 0);
}

/* Also when other pages have been taken meanwhile. */
static void pages_are_known_that_stay(void **state)
{
    tmpl_child_store_t *ours = start_waiting(1000);
    tmpl_queued_t taken[LEARN_AT_ONCE];

    (void)state;
    requests(ours, "s", LEARN_AT_ONCE + 1);
    assert_int_equal(tmpl_queue_take(ours->learner->queue, taken, LEARN_AT_ONCE), LEARN_AT_ONCE);
    pages_come_again = 1;
    request(ours, "s");
    assert_int_equal(ours->learner->queue->n, 1);
    document = taken[0].document;
    request(ours, "s");
    assert_int_equal(ours->learner->queue->n, 2);
    tmpl_queue_free(ours->learner->queue, taken, LEARN_AT_ONCE);
}

/* The bytes of waiting pages are limited, too, whatever else a page has than keys. */
static void the_bytes_that_wait_are_limited(void **state)
{
    tmpl_child_store_t *ours = start_waiting(1000);

    (void)state;
    a_page.n = (uint32_t)(BYTES_MOST / sizeof(tmpl_key_t));
    a_page.keys = apr_pcalloc(pool, a_page.n * sizeof(tmpl_key_t));
    request(ours, "s"); /* too large by its document and its site's name */
    assert_int_equal(ours->learner->queue->n, 0);
    assert_int_equal(counters[TMPL_COUNTER_LATER_NO_ROOM], 1);
    a_page.n = a_page.n * 2 / 5;
    requests(ours, "s", 2); /* no room for three of these */
    assert_int_equal(ours->learner->queue->n, 2);
    request(ours, "s");
    assert_int_equal(ours->learner->queue->n, 2);
    assert_int_equal(counters[TMPL_COUNTER_LATER_NO_ROOM], 2);
    tick(); /* they are learnt early */
    assert_int_equal(ours->learner->queue->size, 0);
    assert_int_equal(ours->learner->queue->n, 0);
    assert_int_equal(ours->learner->queue->out_size, 0);
}

/* Pages that are being learnt take memory until they are freed, or wait again. */
static void pages_that_were_taken_count_until_they_are_freed(void **state)
{
    tmpl_child_store_t *ours = start_waiting(1000);
    tmpl_queue_t *queue = ours->learner->queue;
    tmpl_queued_t taken[2];

    (void)state;
    a_page.n = (uint32_t)(BYTES_MOST / sizeof(tmpl_key_t)) * 2 / 5;
    a_page.keys = apr_pcalloc(pool, a_page.n * sizeof(tmpl_key_t));
    requests(ours, "s", 2);
    assert_int_equal(tmpl_queue_take(queue, taken, 2), 2);
    request(ours, "s");
    assert_int_equal(queue->n, 0);
    assert_int_equal(counters[TMPL_COUNTER_LATER_NO_ROOM], 1);
    assert_int_equal(tmpl_queue_put_back(queue, taken, 1, 1), 0);
    tmpl_queue_free(queue, taken + 1, 1);
    assert_int_equal(queue->n, 1);
    request(ours, "s");
    assert_int_equal(queue->n, 2);
    assert_int_equal(queue->out, 0);
    assert_int_equal(queue->out_size, 0);
}

static const struct CMUnitTest tests[] = {
    TEST(who_finds_no_room_does_not_wait),
    TEST(the_same_page_waits_once),
    TEST(pages_are_known_that_stay),
    TEST(the_bytes_that_wait_are_limited),
    TEST(pages_that_were_taken_count_until_they_are_freed),
};

TAP_MAIN(tests)
