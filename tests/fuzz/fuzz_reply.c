/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A server that is not Redis: it sends the bytes, in two parts, as a reply to any command, and
 * closes. The store must return within its timeout, and must be usable after that.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <apr_general.h>
#include <apr_strings.h>

#include "table/store.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int listener;
static char uri[128];
static uint8_t answer[65536];
static size_t answer_len;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* A copy of the reply: that to an observation that has timed out may still be in transit. */
static size_t take_answer(uint8_t *copy)
{
    pthread_mutex_lock(&lock);
    size_t len = answer_len;
    memcpy(copy, answer, len);
    pthread_mutex_unlock(&lock);
    return len;
}

static void set_answer(const uint8_t *data, size_t size)
{
    pthread_mutex_lock(&lock);
    answer_len = size < sizeof(answer) ? size : sizeof(answer);
    memcpy(answer, data, answer_len);
    pthread_mutex_unlock(&lock);
}

/* Answers one connection at a time. */
static void *serve(void *unused)
{
    static char request[65536];
    static uint8_t copy[sizeof(answer)];
    (void)unused;
    for (;;) {
        int fd = accept(listener, NULL, NULL);
        if (fd < 0) {
            return NULL;
        }
        while (read(fd, request, sizeof(request)) > 0) {
            size_t len = take_answer(copy);
            size_t half = len / 2;
            if (send(fd, copy, half, MSG_NOSIGNAL) < 0 ||
                send(fd, copy + half, len - half, MSG_NOSIGNAL) < 0 || len % 2 == 1) {
                break;
            }
        }
        close(fd);
    }
}

static void remove_socket(void)
{
    unlink(strchr(uri, '/') + 2);
}

static void start_server(void)
{
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    pthread_t thread;
    snprintf(address.sun_path, sizeof(address.sun_path), "/tmp/tmpl-fuzz-%d.sock", (int)getpid());
    unlink(address.sun_path);
    listener = socket(AF_UNIX, SOCK_STREAM, 0);
    if (bind(listener, (struct sockaddr *)&address, sizeof(address)) != 0 ||
        listen(listener, 8) != 0 || pthread_create(&thread, NULL, serve, NULL) != 0) {
        abort();
    }
    snprintf(uri, sizeof(uri), "redis+unix://%s", address.sun_path);
    atexit(remove_socket);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const tmpl_key_t keys[2] = { { 1, TMPL_KIND_SEGMENT }, { 2, TMPL_KIND_PATH } };
    static const tmpl_share_t share = { .length = 9 };
    static const tmpl_block_paths_t block = { { 1, TMPL_NONE, TMPL_NONE }, 0, 1 };
    static const tmpl_policy_t policy = { 5, 100, 10, 1000 };
    static const tmpl_document_t document = { 1, 2 };
    static const tmpl_observation_t page = { .site = "s",
                                             .document = &document,
                                             .keys = keys,
                                             .n = 2,
                                             .shares = &share,
                                             .n_shares = 1,
                                             .blocks = &block,
                                             .n_blocks = 1,
                                             .policy = &policy,
                                             .age = apr_time_from_sec(1) };
    tmpl_store_t *store;
    tmpl_counts_t counts = { 0 };
    tmpl_error_t err = { 0 };
    apr_pool_t *pool;
    apr_initialize();
    if (uri[0] == '\0') {
        start_server();
    }
    set_answer(data, size);
    apr_pool_create(&pool, NULL);
    if (tmpl_store_open(&store, uri, NULL, &err, pool) != APR_SUCCESS) {
        abort();
    }
    /* with the server's replies, with counts kept from them, and with learning */
    for (int i = 0; i < 3; i++) {
        static const tmpl_learning_e learn[] = { TMPL_LEARNING_OFF, TMPL_LEARNING_LATER,
                                                 TMPL_LEARNING_NOW };
        tmpl_observation_t asked = page;

        asked.learn = learn[i];
        apr_status_t rv =
            tmpl_store_observe(store, &asked, apr_time_from_msec(20), &counts, &err, pool);
        if (rv != APR_SUCCESS && err.text[0] == '\0') {
            abort();
        }
        if (rv == APR_SUCCESS && counts.records[1].repeated > counts.records[1].text) {
            abort();
        }
    }
    apr_pool_destroy(pool);
    return 0;
}
