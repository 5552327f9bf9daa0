/* SPDX-License-Identifier: Apache-2.0 */
/* A Redis server, as seen from its connection: stopped, silent, slow, or with replies that no
 * server sends; and other servers beside it. */
#include "store_fixture.h"

static void stopped_server_costs_the_timeout(void **state)
{
    ctx_t *c = *state;
    const redis_server_t *server = &servers[c->backend];

    learn(c, "s", 1, 0, 5);
    kill(server->pid, SIGSTOP);
    for (unsigned i = 0; i < 3; i++) { /* on the connection there was, then on new ones */
        apr_time_t start = tmpl_clock();

        assert_int_equal(try_observe(c, "s", 4, 5, 0, 5, &usual, 1, SHORT), APR_TIMEUP);
        assert_true(tmpl_clock() - start < GROSSLY * SHORT);
        assert_non_null(strstr(c->err.text, c->backend == REDIS_TCP ? "127.0.0.1" : "redis.sock"));
    }
    kill(server->pid, SIGCONT);
    /* whatever arrived late is not taken for an answer to this */
    learn(c, "s", 50, 0, 9);
    assert_int_equal(c->counts.records[8].df, 1);
}

/* A call that begins too late says nothing about the server, and keeps the connection. */
static void call_without_time_keeps_the_connection(void **state)
{
    static const char taken[] = "total_connections_received:";
    ctx_t *c = *state;
    const redis_server_t *server = &servers[c->backend];

    learn(c, "s", 1, 0, 5);
    long long before = info_number(server, "INFO stats", taken);
    for (unsigned i = 0; i < 8; i++) {
        assert_int_equal(try_observe(c, "s", 4, 5, 0, 5, &usual, i % 2, 0), APR_EBUSY);
    }
    learn(c, "s", 2, 0, 5);
    assert_int_equal(info_number(server, "INFO stats", taken), before + 1); /* this question */
}

/* ---- a server that is none ---- */

typedef struct {
    int listener;
    pthread_t thread;
    char path[96];
    const char *answer; /* to whatever is asked; NULL: never any */
    size_t len;
    long nap; /* nanoseconds before each byte; 0: all at once */
} fake_t;

/* Answers one request; returns whether there was one. */
static int fake_serve(const fake_t *fake, int fd)
{
    char request[65536];
    struct timespec nap = { 0, fake->nap };

    if (recv(fd, request, sizeof(request), 0) <= 0) {
        return 0;
    }
    if (fake->nap == 0 && fake->len > 0) {
        send(fd, fake->answer, fake->len, MSG_NOSIGNAL);
    }
    for (size_t i = 0; fake->nap > 0 && i < fake->len; i++) {
        nanosleep(&nap, NULL);
        if (send(fd, fake->answer + i, 1, MSG_NOSIGNAL) != 1) {
            return 0;
        }
    }
    return 1;
}

static void *fake_run(void *data)
{
    fake_t *fake = data;
    int fd;

    while ((fd = accept(fake->listener, NULL, NULL)) >= 0) {
        (void)fake_serve(fake, fd);
        close(fd);
    }
    return NULL;
}

static void fake_start(ctx_t *c, fake_t *fake, const char *answer, size_t len, long nap)
{
    struct sockaddr_un at = { .sun_family = AF_UNIX };

    fake->answer = answer;
    fake->len = len;
    fake->nap = nap;
    snprintf(fake->path, sizeof(fake->path), "%s/fake%u", base, ++dirs);
    memcpy(at.sun_path, fake->path, strlen(fake->path));
    fake->listener = socket(AF_UNIX, SOCK_STREAM, 0);
    assert_int_equal(bind(fake->listener, (struct sockaddr *)&at, sizeof(at)), 0);
    assert_int_equal(listen(fake->listener, 8), 0);
    c->store = open_with(c, apr_psprintf(c->pool, "redis+unix://%s", fake->path), NULL);
    if (answer != NULL) {
        assert_int_equal(pthread_create(&fake->thread, NULL, fake_run, fake), 0);
    }
}

static void fake_stop(fake_t *fake)
{
    shutdown(fake->listener, SHUT_RDWR);
    if (fake->answer != NULL) {
        pthread_join(fake->thread, NULL);
    }
    close(fake->listener);
}

static void black_hole_costs_the_timeout(void **state)
{
    ctx_t *c = *state;
    fake_t fake = { 0 };

    fake_start(c, &fake, NULL, 0, 0);
    for (unsigned i = 0; i < 5; i++) {
        apr_time_t start = tmpl_clock();

        assert_int_equal(try_observe(c, "s", 1, 2, 0, 5, &usual, 1, SHORT), APR_TIMEUP);
        assert_true(tmpl_clock() - start < GROSSLY * SHORT);
    }
    fake_stop(&fake);
}

/*
 * A server with a site that others write: to whoever asks it shows another site each time, so
 * often; then it refuses every transaction that is longer than fits before the next of theirs.
 */
typedef struct {
    int listener;
    pthread_t thread;
    char path[96];
    unsigned unsteady; /* times */
    size_t fits;       /* bytes */
    unsigned refused, accepted;
} rival_t;

static size_t rival_asked(rival_t *rival, const char *request, size_t len, char *answer)
{
    const char *hmget = memmem(request, len, "$5\r\nHMGET", 9);
    unsigned fields;
    char *at = answer;

    while (*hmget != '*') {
        hmget--;
    }
    fields = (unsigned)strtoul(hmget + 1, NULL, 10) - 2;
    at += sprintf(at, ":-2\r\n%s*%u\r\n",
                  memmem(request, len, "WATCH", 5) != NULL ? "+OK\r\n*0\r\n+OK\r\n" : "", fields);
    if (rival->unsteady > 0) {
        tmpl_head_t head = { .n = 1, .salt = rival->unsteady-- };

        at += sprintf(at, "$%d\r\n", TMPL_HEAD_SIZE);
        tmpl_head_pack((unsigned char *)at, &head);
        at += TMPL_HEAD_SIZE;
        at += sprintf(at, "\r\n");
        fields--;
    }
    for (; fields > 0; fields--) {
        at += sprintf(at, "$-1\r\n");
    }
    return (size_t)(at - answer);
}

/* MULTI, UNLINK, HSET, EXPIRE, EXEC. */
static size_t rival_told(rival_t *rival, size_t len, char *answer)
{
    int good = len <= rival->fits;

    *(good ? &rival->accepted : &rival->refused) += 1;
    return (size_t)sprintf(answer, "+OK\r\n+QUEUED\r\n+QUEUED\r\n+QUEUED\r\n%s",
                           good ? "*3\r\n:0\r\n:1\r\n:1\r\n" : "*-1\r\n");
}

static void rival_serve(rival_t *rival, int fd)
{
    static const char exec[] = "\r\nEXEC\r\n", multi[] = "*1\r\n$5\r\nMULTI";
    static char request[1 << 20];
    char answer[4096];
    size_t len = 0;
    ssize_t n;

    while ((n = recv(fd, request + len, sizeof(request) - len, 0)) > 0) {
        int telling;

        len += (size_t)n;
        telling = len > sizeof(multi) && memcmp(request, multi, sizeof(multi) - 1) == 0;
        if (!telling || memcmp(request + len - sizeof(exec) + 1, exec, sizeof(exec) - 1) == 0) {
            size_t is =
                telling ? rival_told(rival, len, answer) : rival_asked(rival, request, len, answer);

            send(fd, answer, is, MSG_NOSIGNAL);
            len = 0;
        }
    }
}

static void *rival_run(void *data)
{
    rival_t *rival = data;
    int fd;

    while ((fd = accept(rival->listener, NULL, NULL)) >= 0) {
        rival_serve(rival, fd);
        close(fd);
    }
    return NULL;
}

/* Many pages at once, of 50 keys each, to that server; all are learnt. */
static void learn_beside(rival_t *rival, unsigned n)
{
    struct sockaddr_un at = { .sun_family = AF_UNIX };
    ctx_t c = { 0 };
    const tmpl_observation_t **pages;
    tmpl_observation_t *page;
    tmpl_document_t *document;
    uint32_t counted;

    apr_pool_create(&c.pool, NULL);
    pages = apr_palloc(c.pool, n * sizeof(*pages));
    page = apr_palloc(c.pool, n * sizeof(*page));
    document = apr_palloc(c.pool, n * sizeof(*document));
    snprintf(rival->path, sizeof(rival->path), "%s/rival%u", base, ++dirs);
    memcpy(at.sun_path, rival->path, strlen(rival->path));
    rival->listener = socket(AF_UNIX, SOCK_STREAM, 0);
    assert_int_equal(bind(rival->listener, (struct sockaddr *)&at, sizeof(at)), 0);
    assert_int_equal(listen(rival->listener, 8), 0);
    assert_int_equal(pthread_create(&rival->thread, NULL, rival_run, rival), 0);
    c.store = open_with(&c, apr_psprintf(c.pool, "redis+unix://%s", rival->path), NULL);
    for (unsigned i = 0; i < n; i++) {
        page_init(&page[i], &document[i], &c, i, 50 * i, 50);
        pages[i] = &page[i];
    }
    if (tmpl_store_learn(c.store, pages, n, TIMEOUT / 3, &counted, &c.err, c.pool) != APR_SUCCESS) {
        fail_msg("%s", c.err.text);
    }
    assert_int_equal(counted, n);
    apr_pool_destroy(c.pool);
    shutdown(rival->listener, SHUT_RDWR);
    pthread_join(rival->thread, NULL);
    close(rival->listener);
}

/* Who is refused tries half as many: 32, 16, 8, and then 4 at a time. */
static void batches_shrink_where_others_write(void **state)
{
    rival_t refuses = { .fits = 3000 }, changes = { .unsteady = 7, .fits = SIZE_MAX };

    (void)state;
    learn_beside(&refuses, 32);
    assert_int_equal(refuses.refused, 3);
    assert_int_equal(refuses.accepted, 8);
    learn_beside(&changes, 32);
    assert_int_equal(changes.refused, 0);
    assert_int_equal(changes.accepted, 2);
    assert_int_equal(changes.unsteady, 0);
}

/*
 * What a look-up is told at first: how long the site has to live, and its head: clock 3, version 7,
 * one entry, so many buckets, and no salt.
 */
#define LIVES ":100000000\r\n"
#define HEAD_OF(n)                                                                                 \
    "$36\r\n\3\0\0\0\7\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0" n "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\r\n"
#define HEAD   HEAD_OF("\0")
#define NIL    "$-1\r\n"
#define ANSWER LIVES "*1\r\n" HEAD

static void answers_come_in_any_pieces(void **state)
{
    ctx_t *c = *state;
    fake_t fake = { 0 };

    fake_start(c, &fake, ANSWER, sizeof(ANSWER) - 1, 1000000);
    assert_int_equal(try_observe(c, "s", 1, 2, 0, 1, &usual, 0, TIMEOUT), APR_SUCCESS);
    assert_int_equal(c->counts.pages, 3);
    assert_int_equal(c->counts.version, 7);
    assert_int_equal(c->counts.records[0].df, 0);
    fake_stop(&fake);
}

static void dribbled_answer_costs_the_timeout(void **state)
{
    ctx_t *c = *state;
    apr_time_t start;
    fake_t fake = { 0 };

    fake_start(c, &fake, ANSWER, sizeof(ANSWER) - 1, 200 * 1000 * 1000); /* 58 bytes: 11 s */
    start = tmpl_clock();
    assert_int_equal(try_observe(c, "s", 1, 2, 0, 1, &usual, 0, SHORT), APR_TIMEUP);
    assert_true(tmpl_clock() - start < GROSSLY * SHORT);
    fake_stop(&fake);
}

static void garbage_is_an_error(void **state)
{
    ctx_t *c = *state;
#define BYTES(text)                                                                                \
    {                                                                                              \
        text, sizeof(text) - 1                                                                     \
    }
    static const struct {
        const char *bytes;
        size_t len;
    } garbage[] = {
        BYTES("HTTP/1.1 400 Bad Request\r\n\r\n"),
        BYTES("\0\0\0\0\0\0\0\0"),
        BYTES("\r\n\r\n\r\n"),
        BYTES(":1\r\n"),
        BYTES("+OK\r\n"),
        BYTES("$-1\r\n"),
        BYTES("$-2\r\n"),
        BYTES("$0\r\n\r\n"),
        BYTES("*0\r\n"),
        BYTES("*-1\r\n"),
        BYTES("*2147483647\r\n"),
        BYTES("*1000000000000000000\r\n"),
        BYTES("*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n:1\r\n"),
        BYTES(LIVES),
        BYTES(LIVES NIL),
        BYTES(LIVES HEAD),
        BYTES(LIVES "+OK\r\n"),
        BYTES(LIVES "*-1\r\n"),
        BYTES(LIVES "*0\r\n"),
        BYTES(LIVES "*2\r\n" HEAD NIL),
        BYTES(LIVES "*1\r\n:1\r\n"),
        BYTES(LIVES "*1\r\n*0\r\n"),
        BYTES(LIVES "*1\r\n-ERR x\r\n"),
        BYTES(LIVES "*1\r\n$1\r\nxxx"),
        BYTES(LIVES "*1\r\n" HEAD_OF("\1")), /* and never the bucket */
        BYTES(ANSWER "+OK\r\n"),
        BYTES(ANSWER ANSWER),
        BYTES("$999999999999\r\nxxxxxxxxxxxx"),
        BYTES("-\r\n"),
        BYTES("-ERR \xff\xfe\r\n"),
        BYTES("-MOVED 3999 127.0.0.1:6381\r\n"),
        BYTES("-LOADING Redis is loading the dataset in memory\r\n"),
        BYTES("-BUSY Redis is busy running a script.\r\n"),
        BYTES(LIVES "*1\r\n$36\r\n\3\0\0"), /* and closes */
    };

    for (unsigned i = 0; i < DIM(garbage); i++) {
        apr_status_t rv;
        fake_t fake = { 0 };

        fake_start(c, &fake, garbage[i].bytes, garbage[i].len, 0);
        for (unsigned again = 0; again < 3; again++) { /* a look, then learning */
            rv = try_observe(c, "s", 1, 2, 0, 1, &usual, again != 0, TIMEOUT);
            if (rv == APR_SUCCESS) {
                fail_msg("number %u is taken for an answer", i);
            }
            assert_int_not_equal(rv, APR_TIMEUP);
            assert_int_not_equal(rv, APR_ENOSPC);
            assert_int_equal(rv, c->err.status);
            assert_non_null(strstr(c->err.text, fake.path));
        }
        fake_stop(&fake);
    }
}

/* A server that does not know a command repeats its arguments: the store's secret may be one. */
static void arguments_are_not_told(void **state)
{
    static const char answer[] =
        "-ERR unknown command 'SET', with args beginning with: 'k' 's3cret'\r\n"
        "$-1\r\n";
    ctx_t *c = *state;
    char secret[TMPL_SECRET_SIZE];
    fake_t fake = { 0 };

    fake_start(c, &fake, answer, sizeof(answer) - 1, 0);
    assert_int_equal(tmpl_store_secret(c->store, secret, TIMEOUT, &c->err, c->pool), APR_EGENERAL);
    assert_non_null(strstr(c->err.text, "unknown command 'SET'"));
    assert_null(strstr(c->err.text, "s3cret"));
    fake_stop(&fake);
}

/* SCAN may show a key twice, and keys of others. */
static void sites_are_listed_once(void **state)
{
    static const char answer[] = "*2\r\n$1\r\n0\r\n*6\r\n$10\r\ntmpl:6:{a}\r\n$10\r\ntmpl:6:{a}\r\n"
                                 "$9\r\ntmpl:6:{}\r\n$10\r\ntmpl:6:{bc\r\n$10\r\nxmpl:2:{a}\r\n"
                                 "$8\r\ntmpl:{d}\r\n";
    ctx_t *c = *state;
    fake_t fake = { 0 };

    fake_start(c, &fake, answer, sizeof(answer) - 1, 0);
    assert_int_equal(sites_of(c)->nelts, 1);
    fake_stop(&fake);
}

/* More bytes than any answer has: refused before they pile up. */
static void endless_answer_is_an_error(void **state)
{
    ctx_t *c = *state;
    size_t len = 8 << 20;
    char *bytes = malloc(len);
    fake_t fake = { 0 };

    memset(bytes, 'x', len);
    memcpy(bytes, "+", 1);
    fake_start(c, &fake, bytes, len, 0);
    assert_int_equal(try_observe(c, "s", 1, 2, 0, 1, &usual, 0, TIMEOUT), APR_EGENERAL);
    fake_stop(&fake);
    free(bytes);
}

/* ---- a cluster of which little answers ---- */

/* A server of a cluster: it answers its first question and ends, or it never answers. */
typedef struct {
    int listener;
    int port;
    pthread_t thread;
    const char *answer; /* NULL: never any */
    unsigned asked;     /* times; atomic */
} guide_t;

/* Takes a port of 127.0.0.1. Connections are refused until the server runs. */
static void guide_bind(guide_t *guide)
{
    struct sockaddr_in at = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    socklen_t len = sizeof(at);

    guide->listener = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(bind(guide->listener, (struct sockaddr *)&at, len), 0);
    assert_int_equal(getsockname(guide->listener, (struct sockaddr *)&at, &len), 0);
    guide->port = ntohs(at.sin_port);
}

static void *guide_run(void *data)
{
    guide_t *guide = data;
    char request[4096];
    int fd;

    while ((fd = accept(guide->listener, NULL, NULL)) >= 0) {
        recv(fd, request, sizeof(request), 0);
        __atomic_add_fetch(&guide->asked, 1, __ATOMIC_SEQ_CST);
        if (guide->answer != NULL) {
            shutdown(guide->listener, SHUT_RDWR);
            send(fd, guide->answer, strlen(guide->answer), MSG_NOSIGNAL);
        }
        recv(fd, request, sizeof(request), 0); /* until the client closes */
        close(fd);
    }
    return NULL;
}

static void guide_start(guide_t *guide)
{
    guide_bind(guide);
    assert_int_equal(listen(guide->listener, 8), 0);
    assert_int_equal(pthread_create(&guide->thread, NULL, guide_run, guide), 0);
}

static void guide_stop(guide_t *guide)
{
    shutdown(guide->listener, SHUT_RDWR);
    pthread_join(guide->thread, NULL);
    close(guide->listener);
}

/*
 * Two servers refuse calls, and the third is late: it may serve other sites, so the store must not
 * seem to fail as a whole.
 */
static void late_server_may_serve_others(void **state)
{
    char answer[96];
    ctx_t c = { 0 };
    guide_t ends = { .answer = answer }, late = { 0 }, refuses = { 0 };

    (void)state;
    apr_pool_create(&c.pool, NULL);
    guide_bind(&refuses);
    snprintf(answer, sizeof(answer), "*1\r\n*3\r\n:0\r\n:16383\r\n*2\r\n$9\r\n127.0.0.1\r\n:%d\r\n",
             refuses.port);
    guide_start(&ends);
    guide_start(&late);
    c.store = open_with(
        &c, apr_psprintf(c.pool, "redis+cluster://127.0.0.1:%d,127.0.0.1:%d", ends.port, late.port),
        NULL);
    assert_int_equal(try_observe(&c, "s", 1, 2, 0, 1, &usual, 0, TIMEOUT), TMPL_EPART);
    while (__atomic_load_n(&late.asked, __ATOMIC_SEQ_CST) < 2) {
        apr_status_t rv = try_observe(&c, "s", 1, 2, 0, 1, &usual, 0, SHORT);

        /* a busy machine may leave no time for the call */
        assert_true(rv == TMPL_EPART || rv == APR_TIMEUP || rv == APR_EBUSY);
        redis_server_nap();
    }
    apr_pool_destroy(c.pool);
    guide_stop(&ends);
    guide_stop(&late);
    close(refuses.listener);
}

static const store_test_t table[] = {
    TEST(NO_STORE, batches_shrink_where_others_write),
    TEST(REDIS_UNIX, stopped_server_costs_the_timeout),
    TEST(REDIS_TCP, stopped_server_costs_the_timeout),
    TEST(REDIS_UNIX, call_without_time_keeps_the_connection),
    TEST(REDIS_CLUSTER, call_without_time_keeps_the_connection),
    TEST(REDIS_UNIX, black_hole_costs_the_timeout),
    TEST(REDIS_UNIX, answers_come_in_any_pieces),
    TEST(REDIS_UNIX, dribbled_answer_costs_the_timeout),
    TEST(REDIS_UNIX, garbage_is_an_error),
    TEST(REDIS_UNIX, arguments_are_not_told),
    TEST(REDIS_UNIX, sites_are_listed_once),
    TEST(REDIS_UNIX, endless_answer_is_an_error),
    TEST(NO_STORE, late_server_may_serve_others),
};

int main(int argc, char **argv)
{
    return run(table, DIM(table), argc, argv);
}
