/* SPDX-License-Identifier: Apache-2.0 */
#include "table/redis/redis_conn.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/socket.h>

#include <apr_portable.h>
#include <apr_strings.h>
#include <apr_support.h>

#include "base/buf.h"
#include "table/provider.h"
#include "table/redis/redis_reply.h"

#define GREETING_MOST 4096 /* bytes of the replies to AUTH and SELECT */

typedef struct tmpl_redis_conn_t conn_t;

struct tmpl_redis_conn_t {
    apr_pool_t *pool; /* of the socket; not a child of another, as threads connect at once */
    apr_socket_t *socket;
    redisReader *reader; /* NULL: not connected */
    int ends_line;       /* the bytes read so far do; hiredis does not look at a string's end */
    int is_new;          /* no exchange since it was taken */
};

struct tmpl_redis_t {
    tmpl_redis_address_t address;
    pthread_mutex_t lock;
    pthread_cond_t freed;
    unsigned n_idle; /* the last one used is the next one used, so the others can grow old */
    conn_t **idle;
    unsigned n;
    conn_t *conns;
};

const char *tmpl_redis_name(const tmpl_redis_t *redis)
{
    return redis->address.name;
}

static const struct {
    const char *prefix;
    apr_status_t status;
    const char *text;
} refusals[] = {
    { "NOAUTH", APR_EACCES, "the server wants a password" },
    { "WRONGPASS", APR_EACCES, "the server does not accept user and password" },
    { "ERR invalid password", APR_EACCES, "the server does not accept the password" },
    { "NOPERM", APR_EACCES, "the user may not do this" },
    { "LOADING", APR_EAGAIN, "the server is still loading its data" },
    { "MASTERDOWN", APR_EAGAIN, "the replica has lost its master" },
    { "BUSY", APR_EAGAIN, "the server is busy with somebody's script" },
    { "MOVED", APR_ENOTIMPL, "the server is a node of a Redis Cluster" },
    { "ASK", APR_ENOTIMPL, "the server is a node of a Redis Cluster" },
    { "CLUSTERDOWN", APR_EAGAIN, "the Redis Cluster is down" },
    { "READONLY", APR_ENOSPC, "the server is a read-only replica" },
    { "OOM", APR_ENOSPC, "the server is out of memory (maxmemory)" },
    { "MISCONF", APR_ENOSPC, "the server cannot write its disk and takes no changes" },
    { "NOREPLICAS", APR_ENOSPC, "the server lacks replicas and takes no changes" },
    { "WRONGTYPE", TMPL_EDAMAGED, "the site's key is in use by another program" },
};

apr_status_t tmpl_redis_fail(const tmpl_redis_t *redis, const char *text, size_t len,
                             tmpl_error_t *err)
{
    const char *name = redis->address.name;

    for (size_t i = 0; i < sizeof(refusals) / sizeof(refusals[0]); i++) {
        size_t n = strlen(refusals[i].prefix);

        if (len >= n && memcmp(text, refusals[i].prefix, n) == 0) {
            return tmpl_fail(err, refusals[i].status, "%s: %s: %.*s", name, refusals[i].text,
                             (int)(len < 80 ? len : 80), text);
        }
    }
    return tmpl_fail(err, APR_EGENERAL, "%s: the server says: %.*s", name,
                     (int)(len < 160 ? len : 160), text);
}

apr_status_t tmpl_redis_garbage(const tmpl_redis_t *redis, tmpl_error_t *err)
{
    tmpl_fail(err, APR_EGENERAL, "%s: a reply that Redis would not give", redis->address.name);
    return APR_EGENERAL;
}

static void say_failed(const tmpl_redis_t *redis, apr_status_t status, const char *doing,
                       tmpl_error_t *err)
{
    char text[128];
    const char *why = apr_strerror(status, text, sizeof(text));

    if (APR_STATUS_IS_TIMEUP(status)) {
        why = "no answer in time";
    }
    else if (APR_STATUS_IS_EOF(status)) {
        why = "the server has closed the connection";
    }
    tmpl_fail(err, status, "%s: cannot %s: %s", redis->address.name, doing, why);
}

/* Closes a connection, whether or not it was opened in whole. */
static void conn_close(conn_t *conn)
{
    if (conn->pool != NULL) {
        apr_pool_destroy(conn->pool);
    }
    if (conn->reader != NULL) {
        redisReaderFree(conn->reader);
    }
    *conn = (conn_t){ .is_new = conn->is_new };
}

static apr_status_t redis_free(void *data)
{
    tmpl_redis_t *redis = data;

    for (unsigned i = 0; i < redis->n; i++) {
        conn_close(&redis->conns[i]);
    }
    /*
     * The condition is not destroyed: that would wait for its waiters, and prefork may have
     * interrupted one for good to end the process.
     */
    pthread_mutex_destroy(&redis->lock);
    return APR_SUCCESS;
}

tmpl_redis_t *tmpl_redis_create(const tmpl_redis_address_t *address, unsigned max_connections,
                                apr_pool_t *pool)
{
    tmpl_redis_t *redis = apr_pcalloc(pool, sizeof(*redis));

    redis->address = *address;
    pthread_mutex_init(&redis->lock, NULL);
    pthread_cond_init(&redis->freed, NULL);
    redis->n = redis->n_idle = max_connections;
    redis->conns = apr_pcalloc(pool, redis->n * sizeof(*redis->conns));
    redis->idle = apr_pcalloc(pool, redis->n * sizeof(*redis->idle));
    for (unsigned i = 0; i < redis->n; i++) {
        redis->idle[i] = &redis->conns[i];
    }
    apr_pool_cleanup_register(pool, redis, redis_free, apr_pool_cleanup_null);
    return redis;
}

apr_status_t tmpl_redis_take(tmpl_redis_t *redis, apr_time_t deadline, tmpl_redis_conn_t **conn,
                             tmpl_error_t *err)
{
    struct timespec until = tmpl_clock_timespec(deadline);
    int rc = 0;

    *conn = NULL;
    pthread_mutex_lock(&redis->lock);
    while (redis->n_idle == 0 && rc == 0) {
        rc = pthread_cond_clockwait(&redis->freed, &redis->lock, CLOCK_MONOTONIC, &until);
    }
    if (redis->n_idle > 0) {
        *conn = redis->idle[--redis->n_idle];
        (*conn)->is_new = 1;
    }
    pthread_mutex_unlock(&redis->lock);
    if (*conn == NULL) {
        tmpl_fail(err, APR_TIMEUP, "%s: all %u connections are in use", redis->address.name,
                  redis->n);
        return APR_TIMEUP;
    }
    return APR_SUCCESS;
}

void tmpl_redis_give(tmpl_redis_t *redis, tmpl_redis_conn_t *conn)
{
    pthread_mutex_lock(&redis->lock);
    redis->idle[redis->n_idle++] = conn;
    pthread_cond_signal(&redis->freed);
    pthread_mutex_unlock(&redis->lock);
}

/* Has what follows on the socket wait until deadline and no longer. */
static apr_status_t conn_wait_until(conn_t *conn, apr_time_t deadline)
{
    apr_interval_time_t left = deadline - tmpl_clock();

    return left > 0 ? apr_socket_timeout_set(conn->socket, left) : APR_TIMEUP;
}

static apr_status_t socket_connect(conn_t *conn, apr_sockaddr_t *address, apr_time_t deadline)
{
    apr_status_t rv = apr_socket_create(&conn->socket, address->family, SOCK_STREAM, 0, conn->pool);

    if (rv == APR_SUCCESS && address->family != APR_UNIX) {
        (void)apr_socket_opt_set(conn->socket, APR_TCP_NODELAY, 1);
        (void)apr_socket_opt_set(conn->socket, APR_SO_KEEPALIVE, 1);
    }
    if (rv == APR_SUCCESS) {
        rv = conn_wait_until(conn, deadline);
    }
    if (rv == APR_SUCCESS) {
        rv = apr_socket_connect(conn->socket, address);
    }
    if (rv != APR_SUCCESS && conn->socket != NULL) {
        apr_socket_close(conn->socket);
        conn->socket = NULL;
    }
    return rv;
}

/* Tries the server's addresses one after the other, each for its share of the time that is left. */
static apr_status_t conn_connect(tmpl_redis_t *redis, conn_t *conn, apr_time_t deadline,
                                 tmpl_error_t *err)
{
    const tmpl_redis_address_t *a = &redis->address;
    apr_sockaddr_t *addresses;
    int n = 0;

    apr_pool_create_unmanaged(&conn->pool);
    apr_status_t rv =
        a->host != NULL
            ? apr_sockaddr_info_get(&addresses, a->host, APR_UNSPEC, a->port, 0, conn->pool)
            : apr_sockaddr_info_get(&addresses, a->path, APR_UNIX, 0, 0, conn->pool);
    if (rv != APR_SUCCESS) {
        say_failed(redis, rv, "look up the name", err);
        return rv;
    }
    for (const apr_sockaddr_t *at = addresses; at != NULL; at = at->next) {
        n++;
    }
    for (apr_sockaddr_t *at = addresses; n > 0 && conn->socket == NULL; at = at->next, n--) {
        apr_time_t now = tmpl_clock();

        rv = socket_connect(conn, at, now + (deadline - now) / n);
    }
    if (rv != APR_SUCCESS) {
        say_failed(redis, rv, "connect", err);
    }
    return rv;
}

#define WORD_HEAD 24 /* bytes of a type, a length and two line ends */

/* The type and the length of what follows, as "*3" or "$5", and the end of the line. */
static char *put_size(char *at, char type, size_t size)
{
    size_t unit = 1;

    while (size / unit >= 10) {
        unit *= 10;
    }
    *at++ = type;
    for (; unit > 0; unit /= 10) {
        *at++ = (char)('0' + size / unit % 10);
    }
    *at++ = '\r';
    *at++ = '\n';
    return at;
}

static size_t word_len(const tmpl_redis_command_t *command, int i)
{
    return command->lens != NULL ? command->lens[i] : strlen(command->argv[i]);
}

/* redisFormatCommandArgv() calls sprintf for each word, which took a quarter of a page's time. */
static void command_put(tmpl_buf_t *buf, const tmpl_redis_command_t *command)
{
    size_t room = WORD_HEAD;

    for (int i = 0; i < command->argc; i++) {
        room += WORD_HEAD + word_len(command, i);
    }
    char *start = tmpl_buf_room(buf, room);
    char *at = put_size(start, '*', (size_t)command->argc);
    for (int i = 0; i < command->argc; i++) {
        size_t len = word_len(command, i);

        at = put_size(at, '$', len);
        memcpy(at, command->argv[i], len);
        at += len;
        *at++ = '\r';
        *at++ = '\n';
    }
    buf->len += (apr_size_t)(at - start);
}

/* apr_socket_send() would raise SIGPIPE, and the process is not ours. */
static apr_status_t conn_send(conn_t *conn, const char *bytes, size_t len, apr_time_t deadline)
{
    apr_status_t rv = APR_SUCCESS;
    int fd;

    apr_os_sock_get(&fd, conn->socket);
    while (rv == APR_SUCCESS && len > 0) {
        ssize_t sent = send(fd, bytes, len, MSG_NOSIGNAL);

        if (sent >= 0) {
            bytes += sent;
            len -= (size_t)sent;
        }
        else if (errno == EAGAIN || errno == EWOULDBLOCK) {
            rv = conn_wait_until(conn, deadline);
            if (rv == APR_SUCCESS) {
                rv = apr_wait_for_io_or_timeout(NULL, conn->socket, 0);
            }
        }
        else if (errno != EINTR) {
            rv = APR_FROM_OS_ERROR(errno);
        }
    }
    return rv;
}

/* Reads one reply; *unread, the bytes that may still come, shrinks. */
static apr_status_t conn_reply(tmpl_redis_t *redis, conn_t *conn, size_t *unread,
                               apr_time_t deadline, redisReply **reply, tmpl_error_t *err)
{
    char bytes[32768];
    void *got = NULL;

    while (redisReaderGetReply(conn->reader, &got) == REDIS_OK) {
        apr_size_t len = sizeof(bytes);

        if (got != NULL) {
            *reply = got;
            return APR_SUCCESS;
        }
        apr_status_t rv = conn_wait_until(conn, deadline);
        if (rv == APR_SUCCESS) {
            rv = apr_socket_recv(conn->socket, bytes, &len);
        }
        if (rv != APR_SUCCESS) {
            say_failed(redis, rv, "read", err);
            return rv;
        }
        if (len > *unread || redisReaderFeed(conn->reader, bytes, len) != REDIS_OK) {
            break;
        }
        *unread -= len;
        size_t held = conn->reader->len;
        conn->ends_line = held >= 2 && memcmp(conn->reader->buf + held - 2, "\r\n", 2) == 0;
    }
    return tmpl_redis_garbage(redis, err);
}

/* Sends the commands in one go, so that their replies come in one round trip. */
static apr_status_t round_trip(tmpl_redis_t *redis, conn_t *conn,
                               const tmpl_redis_command_t *commands, int n, size_t max_reply,
                               apr_time_t deadline, redisReply **replies, tmpl_error_t *err,
                               apr_pool_t *pool)
{
    tmpl_buf_t buf;
    int got = 0;

    tmpl_buf_init(&buf, pool);
    for (int i = 0; i < n; i++) {
        command_put(&buf, &commands[i]);
    }
    apr_status_t rv = conn_send(conn, buf.at, buf.len, deadline);
    if (rv != APR_SUCCESS) {
        say_failed(redis, rv, "send", err);
        return rv;
    }
    tmpl_redis_reader_use(conn->reader, pool);
    while (rv == APR_SUCCESS && got < n) {
        rv = conn_reply(redis, conn, &max_reply, deadline, &replies[got], err);
        got += rv == APR_SUCCESS;
    }
    if (rv == APR_SUCCESS && (conn->reader->pos != conn->reader->len || !conn->ends_line)) {
        /* the next call would take what is left over for its replies */
        rv = tmpl_redis_garbage(redis, err);
    }
    if (rv != APR_SUCCESS && got > 0 && replies[0]->type == REDIS_REPLY_ERROR) {
        /* a server that closes the connection says why first */
        rv = tmpl_redis_fail(redis, replies[0]->str, replies[0]->len, err);
    }
    return rv;
}

/* Connects, authenticates and selects the database. */
static apr_status_t conn_open(tmpl_redis_t *redis, conn_t *conn, apr_time_t deadline,
                              tmpl_error_t *err, apr_pool_t *pool)
{
    const tmpl_redis_address_t *a = &redis->address;
    const char *auth[] = { "AUTH", a->user != NULL ? a->user : a->password, a->password };
    const char *select[] = { "SELECT", apr_psprintf(pool, "%u", a->db) };
    tmpl_redis_command_t commands[2];
    redisReply *replies[2];
    int n = 0;

    apr_status_t rv = conn_connect(redis, conn, deadline, err);
    if (rv != APR_SUCCESS) {
        return rv;
    }
    conn->reader = tmpl_redis_reader_create();
    if (conn->reader == NULL) {
        say_failed(redis, APR_ENOMEM, "connect", err);
        return APR_ENOMEM;
    }
    if (a->password != NULL) {
        commands[n++] = (tmpl_redis_command_t){ a->user != NULL ? 3 : 2, auth, NULL };
    }
    if (a->db != 0) {
        commands[n++] = (tmpl_redis_command_t){ 2, select, NULL };
    }
    if (n > 0) {
        rv = round_trip(redis, conn, commands, n, GREETING_MOST, deadline, replies, err, pool);
    }
    for (int i = 0; rv == APR_SUCCESS && i < n; i++) {
        if (replies[i]->type == REDIS_REPLY_ERROR) {
            rv = tmpl_redis_fail(redis, replies[i]->str, replies[i]->len, err);
        }
        else if (replies[i]->type != REDIS_REPLY_STATUS || strcmp(replies[i]->str, "OK") != 0) {
            rv = tmpl_redis_garbage(redis, err);
        }
    }
    return rv;
}

/* The server has closed an idle connection: it restarted, or its timeout has passed. */
static int is_stale(apr_status_t rv)
{
    return APR_STATUS_IS_EOF(rv) || APR_STATUS_IS_EPIPE(rv) || APR_STATUS_IS_ECONNRESET(rv);
}

apr_status_t tmpl_redis_exchange(tmpl_redis_t *redis, tmpl_redis_conn_t *conn,
                                 const tmpl_redis_command_t *commands, int n, size_t max_reply,
                                 apr_time_t deadline, redisReply **replies, tmpl_error_t *err,
                                 apr_pool_t *pool)
{
    int may_be_stale = conn->is_new && conn->reader != NULL;
    apr_status_t rv;

    conn->is_new = 0;
    for (;;) {
        rv = conn->reader != NULL ? APR_SUCCESS : conn_open(redis, conn, deadline, err, pool);
        if (rv == APR_SUCCESS) {
            rv = round_trip(redis, conn, commands, n, max_reply, deadline, replies, err, pool);
        }
        if (rv != APR_SUCCESS) {
            conn_close(conn);
        }
        if (!may_be_stale || !is_stale(rv)) {
            return rv;
        }
        may_be_stale = 0;
    }
}

apr_status_t tmpl_redis_call(tmpl_redis_t *redis, const tmpl_redis_command_t *command,
                             size_t max_reply, apr_time_t deadline, redisReply **reply,
                             tmpl_error_t *err, apr_pool_t *pool)
{
    tmpl_redis_conn_t *conn;
    apr_status_t rv = tmpl_redis_take(redis, deadline, &conn, err);

    if (rv == APR_SUCCESS) {
        rv = tmpl_redis_exchange(redis, conn, command, 1, max_reply, deadline, reply, err, pool);
        tmpl_redis_give(redis, conn);
    }
    return rv;
}
