/* SPDX-License-Identifier: Apache-2.0 */
#include "table/redis/redis_conn.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <apr_strings.h>

#include "table/provider.h"
#include "table/redis/redis_reply.h"
#include "table/redis/resolve.h"

#define GREETING_MOST 4096 /* bytes of the answers to AUTH and SELECT */

typedef struct tmpl_redis_conn_t conn_t;

struct tmpl_redis_conn_t {
    int fd; /* -1: not connected */
    redisReader *reader;
    size_t unread; /* bytes that the replies awaited may still have */
    char tail[2];  /* the last bytes read */
    int is_new;    /* to whoever has taken it: nothing has been asked yet */
};

struct tmpl_redis_t {
    tmpl_redis_address_t address;
    tmpl_resolver_t *resolver;
    pthread_mutex_t lock;
    pthread_cond_t freed;
    unsigned n_idle; /* the last one used is the next one used, the others grow old */
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
    { "WRONGTYPE", APR_EGENERAL, "the site's key is in use by another program" },
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
    return tmpl_fail(err, APR_EGENERAL, "%s: an answer that Redis would not give",
                     redis->address.name);
}

static apr_status_t timed_out(const tmpl_redis_t *redis, const char *doing, tmpl_error_t *err)
{
    return tmpl_fail(err, APR_TIMEUP, "%s: no answer in time (%s)", redis->address.name, doing);
}

static apr_status_t broken(const tmpl_redis_t *redis, int error, const char *doing,
                           tmpl_error_t *err)
{
    char text[128];

    return tmpl_fail(err, APR_FROM_OS_ERROR(error), "%s: %s: %s", redis->address.name, doing,
                     apr_strerror(APR_FROM_OS_ERROR(error), text, sizeof(text)));
}

static void conn_close(conn_t *conn)
{
    if (conn->fd >= 0) {
        close(conn->fd);
        conn->fd = -1;
    }
    if (conn->reader != NULL) {
        redisReaderFree(conn->reader);
        conn->reader = NULL;
    }
}

static apr_status_t redis_free(void *data)
{
    tmpl_redis_t *redis = data;

    for (unsigned i = 0; i < redis->n; i++) {
        conn_close(&redis->conns[i]);
    }
    /*
     * The condition is left as it is: to destroy it waits for whoever waits, and prefork may have interrupted
     * that for good to end the process.
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
        redis->conns[i].fd = -1;
        redis->idle[redis->n - 1 - i] = &redis->conns[i];
    }
    apr_pool_cleanup_register(pool, redis, redis_free, apr_pool_cleanup_null);
    if (address->host != NULL) {
        redis->resolver = tmpl_resolver_create(address->host, address->port, pool);
    }
    return redis;
}

/* NULL if none is free by the deadline. */
static conn_t *conn_acquire(tmpl_redis_t *redis, apr_time_t deadline)
{
    struct timespec until = { (time_t)apr_time_sec(deadline),
                              (long)apr_time_usec(deadline) * 1000 };
    conn_t *conn = NULL;
    int rc = 0;

    pthread_mutex_lock(&redis->lock);
    while (redis->n_idle == 0 && rc == 0) {
        rc = pthread_cond_clockwait(&redis->freed, &redis->lock, CLOCK_MONOTONIC, &until);
    }
    if (redis->n_idle > 0) {
        conn = redis->idle[--redis->n_idle];
    }
    pthread_mutex_unlock(&redis->lock);
    return conn;
}

static void conn_release(tmpl_redis_t *redis, conn_t *conn)
{
    pthread_mutex_lock(&redis->lock);
    redis->idle[redis->n_idle++] = conn;
    pthread_cond_signal(&redis->freed);
    pthread_mutex_unlock(&redis->lock);
}

/* Waits until fd can be read or written: APR_SUCCESS, APR_TIMEUP. */
static apr_status_t conn_wait(const conn_t *conn, short events, apr_time_t deadline)
{
    for (;;) {
        struct pollfd pfd = { conn->fd, events, 0 };
        apr_time_t left = deadline - tmpl_clock();
        struct timespec wait = { (time_t)apr_time_sec(left), (long)apr_time_usec(left) * 1000 };
        int rc;

        if (left <= 0) {
            return APR_TIMEUP;
        }
        rc = ppoll(&pfd, 1, &wait, NULL);
        if (rc > 0) {
            return APR_SUCCESS; /* errors show when the socket is used */
        }
        if (rc < 0 && errno != EINTR) {
            return APR_FROM_OS_ERROR(errno);
        }
    }
}

static apr_status_t conn_send(tmpl_redis_t *redis, conn_t *conn, const char *bytes, size_t len,
                              apr_time_t deadline, tmpl_error_t *err)
{
    while (len > 0) {
        /* no SIGPIPE: the process is not ours */
        ssize_t sent = send(conn->fd, bytes, len, MSG_NOSIGNAL | MSG_DONTWAIT);

        if (sent >= 0) {
            bytes += sent;
            len -= (size_t)sent;
        }
        else if (errno == EAGAIN || errno == EWOULDBLOCK) {
            if (conn_wait(conn, POLLOUT, deadline) != APR_SUCCESS) {
                return timed_out(redis, "sending", err);
            }
        }
        else if (errno != EINTR) {
            return broken(redis, errno, "cannot send", err);
        }
    }
    return APR_SUCCESS;
}

/* Some bytes into the reader. */
static apr_status_t conn_fill(tmpl_redis_t *redis, conn_t *conn, apr_time_t deadline,
                              tmpl_error_t *err)
{
    char bytes[32768];
    ssize_t got = recv(conn->fd, bytes, sizeof(bytes), MSG_DONTWAIT);

    if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
        return conn_wait(conn, POLLIN, deadline) == APR_SUCCESS ? APR_SUCCESS
                                                                : timed_out(redis, "reading", err);
    }
    if (got == 0) {
        return tmpl_fail(err, APR_EOF, "%s: the server has closed the connection",
                         redis->address.name);
    }
    if (got < 0) {
        return errno == EINTR ? APR_SUCCESS : broken(redis, errno, "cannot read", err);
    }
    if ((size_t)got > conn->unread || redisReaderFeed(conn->reader, bytes, (size_t)got) != 0) {
        return tmpl_redis_garbage(redis, err);
    }
    conn->unread -= (size_t)got;
    if (got > 1) {
        memcpy(conn->tail, bytes + got - 2, 2);
    }
    else {
        conn->tail[0] = conn->tail[1];
        conn->tail[1] = bytes[0];
    }
    return APR_SUCCESS;
}

static apr_status_t conn_receive(tmpl_redis_t *redis, conn_t *conn, apr_time_t deadline,
                                 redisReply **reply, tmpl_error_t *err)
{
    apr_status_t rv = APR_SUCCESS;
    void *got = NULL;

    while (rv == APR_SUCCESS) {
        if (redisReaderGetReply(conn->reader, &got) != REDIS_OK) {
            return tmpl_redis_garbage(redis, err);
        }
        if (got != NULL) {
            *reply = got;
            return APR_SUCCESS;
        }
        rv = conn_fill(redis, conn, deadline, err);
    }
    return rv;
}

/* Begins to connect; errno. */
static int socket_open(conn_t *conn, const struct sockaddr *address, socklen_t len)
{
    int on = 1;

    conn->fd = socket(address->sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (conn->fd < 0) {
        return errno;
    }
    if (address->sa_family != AF_UNIX) {
        setsockopt(conn->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
        setsockopt(conn->fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof(on));
    }
    if (connect(conn->fd, address, len) != 0 && errno != EINPROGRESS) {
        return errno;
    }
    return 0;
}

static apr_status_t conn_address(tmpl_redis_t *redis, apr_time_t deadline,
                                 struct sockaddr_storage *address, socklen_t *len,
                                 tmpl_error_t *err)
{
    struct sockaddr_un *local = (struct sockaddr_un *)address;
    const char *reason = NULL;
    apr_status_t rv;

    if (redis->resolver == NULL) {
        memset(local, 0, sizeof(*local));
        local->sun_family = AF_UNIX;
        memcpy(local->sun_path, redis->address.path, strlen(redis->address.path));
        *len = sizeof(*local);
        return APR_SUCCESS;
    }
    rv = tmpl_resolver_get(redis->resolver, deadline, address, len, &reason);
    if (rv == APR_TIMEUP) {
        return timed_out(redis, "looking up the name", err);
    }
    return rv == APR_SUCCESS
               ? rv
               : tmpl_fail(err, rv, "%s: cannot look up the name: %s", redis->address.name, reason);
}

static apr_status_t conn_connect(tmpl_redis_t *redis, conn_t *conn, apr_time_t deadline,
                                 tmpl_error_t *err)
{
    struct sockaddr_storage address;
    socklen_t len, size = sizeof(int);
    int error;
    apr_status_t rv = conn_address(redis, deadline, &address, &len, err);

    if (rv != APR_SUCCESS) {
        return rv;
    }
    error = socket_open(conn, (struct sockaddr *)&address, len);
    if (error == 0) {
        if (conn_wait(conn, POLLOUT, deadline) != APR_SUCCESS) {
            rv = timed_out(redis, "connecting", err);
        }
        else if (getsockopt(conn->fd, SOL_SOCKET, SO_ERROR, &error, &size) != 0) {
            error = errno;
        }
    }
    if (error != 0) {
        rv = broken(redis, error, "cannot connect", err);
    }
    if (rv != APR_SUCCESS && redis->resolver != NULL) {
        tmpl_resolver_next(redis->resolver);
    }
    return rv;
}

/* Awaits "+OK". */
static apr_status_t conn_expect_ok(tmpl_redis_t *redis, conn_t *conn, apr_time_t deadline,
                                   tmpl_error_t *err)
{
    redisReply *reply = NULL;
    apr_status_t rv = conn_receive(redis, conn, deadline, &reply, err);

    if (rv != APR_SUCCESS) {
        return rv;
    }
    if (reply->type == REDIS_REPLY_ERROR) {
        rv = tmpl_redis_fail(redis, reply->str, reply->len, err);
    }
    else if (reply->type != REDIS_REPLY_STATUS || strcmp(reply->str, "OK") != 0) {
        rv = tmpl_redis_garbage(redis, err);
    }
    return rv;
}

#define WORD_HEAD 24 /* bytes of "$", a length and line ends */

/* The size of what follows, as "$5" or "*3" and the end of the line. */
static char *put_size(char *at, char type, size_t size)
{
    char digits[WORD_HEAD];
    int n = 0;

    do {
        digits[n++] = (char)('0' + size % 10);
        size /= 10;
    } while (size > 0);
    *at++ = type;
    while (n > 0) {
        *at++ = digits[--n];
    }
    *at++ = '\r';
    *at++ = '\n';
    return at;
}

static size_t command_room(const tmpl_redis_command_t *command)
{
    size_t room = WORD_HEAD;

    for (int i = 0; i < command->argc; i++) {
        room += WORD_HEAD + (command->lens != NULL ? command->lens[i] : strlen(command->argv[i]));
    }
    return room;
}

/* As redisFormatCommandArgv does it, which goes through sprintf for each word: a quarter of all a page took. */
static char *command_put(char *at, const tmpl_redis_command_t *command)
{
    at = put_size(at, '*', (size_t)command->argc);
    for (int i = 0; i < command->argc; i++) {
        size_t len = command->lens != NULL ? command->lens[i] : strlen(command->argv[i]);

        at = put_size(at, '$', len);
        memcpy(at, command->argv[i], len);
        at += len;
        *at++ = '\r';
        *at++ = '\n';
    }
    return at;
}

/* Sends commands in one go: their answers come in one round trip. */
static apr_status_t conn_commands(tmpl_redis_t *redis, conn_t *conn,
                                  const tmpl_redis_command_t *commands, int n, apr_time_t deadline,
                                  tmpl_error_t *err)
{
    size_t room = 0;
    char *bytes, *at;
    apr_status_t rv;

    for (int i = 0; i < n; i++) {
        room += command_room(&commands[i]);
    }
    bytes = at = malloc(room);
    if (bytes == NULL) {
        return tmpl_fail(err, APR_ENOMEM, "%s: out of memory", redis->address.name);
    }
    for (int i = 0; i < n; i++) {
        at = command_put(at, &commands[i]);
    }
    rv = conn_send(redis, conn, bytes, (size_t)(at - bytes), deadline, err);
    free(bytes);
    return rv;
}

/* Who we are and which database: settled before anything else is said on the connection. */
static apr_status_t conn_greet(tmpl_redis_t *redis, conn_t *conn, apr_time_t deadline,
                               tmpl_error_t *err)
{
    const tmpl_redis_address_t *a = &redis->address;
    char db[16];
    const char *auth[3] = { "AUTH", a->user != NULL ? a->user : a->password, a->password };
    const char *select[2] = { "SELECT", db };
    tmpl_redis_command_t auth_command = { a->user != NULL ? 3 : 2, auth, NULL };
    tmpl_redis_command_t select_command = { 2, select, NULL };
    apr_status_t rv = APR_SUCCESS;

    conn->unread = GREETING_MOST;
    apr_snprintf(db, sizeof(db), "%u", a->db);
    if (a->password != NULL) {
        rv = conn_commands(redis, conn, &auth_command, 1, deadline, err);
    }
    if (rv == APR_SUCCESS && a->db != 0) {
        rv = conn_commands(redis, conn, &select_command, 1, deadline, err);
    }
    if (rv == APR_SUCCESS && a->password != NULL) {
        rv = conn_expect_ok(redis, conn, deadline, err);
    }
    if (rv == APR_SUCCESS && a->db != 0) {
        rv = conn_expect_ok(redis, conn, deadline, err);
    }
    return rv;
}

static apr_status_t conn_open(tmpl_redis_t *redis, conn_t *conn, apr_time_t deadline,
                              tmpl_error_t *err, apr_pool_t *pool)
{
    apr_status_t rv = conn_connect(redis, conn, deadline, err);

    if (rv != APR_SUCCESS) {
        return rv;
    }
    conn->reader = tmpl_redis_reader_create();
    if (conn->reader == NULL) {
        return tmpl_fail(err, APR_ENOMEM, "%s: out of memory", redis->address.name);
    }
    tmpl_redis_reader_use(conn->reader, pool);
    return conn_greet(redis, conn, deadline, err);
}

/* A reply to each command. */
static apr_status_t conn_replies(tmpl_redis_t *redis, conn_t *conn, int n, apr_time_t deadline,
                                 redisReply **replies, tmpl_error_t *err)
{
    apr_status_t rv = APR_SUCCESS;
    int got = 0;

    for (; rv == APR_SUCCESS && got < n; got += rv == APR_SUCCESS) {
        rv = conn_receive(redis, conn, deadline, &replies[got], err);
    }
    if (rv == APR_SUCCESS &&
        (conn->reader->pos != conn->reader->len || memcmp(conn->tail, "\r\n", 2) != 0)) {
        /*
         * More than was asked for: whatever comes next would be taken for another's answer. Or not
         * the end that hiredis takes for granted.
         */
        rv = tmpl_redis_garbage(redis, err);
    }
    if (rv != APR_SUCCESS && got > 0 && replies[0]->type == REDIS_REPLY_ERROR) {
        /* a server that closes says why first */
        rv = tmpl_redis_fail(redis, replies[0]->str, replies[0]->len, err);
    }
    return rv;
}

static apr_status_t conn_exchange(tmpl_redis_t *redis, conn_t *conn,
                                  const tmpl_redis_command_t *commands, int n, size_t max_reply,
                                  apr_time_t deadline, redisReply **replies, tmpl_error_t *err,
                                  apr_pool_t *pool)
{
    apr_status_t rv = APR_SUCCESS;

    if (conn->fd < 0) {
        rv = conn_open(redis, conn, deadline, err, pool);
    }
    else {
        tmpl_redis_reader_use(conn->reader, pool);
    }
    conn->unread = max_reply;
    if (rv == APR_SUCCESS) {
        rv = conn_commands(redis, conn, commands, n, deadline, err);
    }
    if (rv == APR_SUCCESS) {
        rv = conn_replies(redis, conn, n, deadline, replies, err);
    }
    if (rv != APR_SUCCESS) {
        conn_close(conn);
    }
    return rv;
}

/* The connection had been closed while nobody used it: a restarted server, its idle timeout. */
static int is_stale(apr_status_t rv)
{
    return rv == APR_EOF || rv == APR_FROM_OS_ERROR(EPIPE) || rv == APR_FROM_OS_ERROR(ECONNRESET);
}

apr_status_t tmpl_redis_take(tmpl_redis_t *redis, apr_time_t deadline, tmpl_redis_conn_t **conn,
                             tmpl_error_t *err)
{
    *conn = conn_acquire(redis, deadline);
    if (*conn == NULL) {
        return timed_out(redis, "all connections are in use", err);
    }
    (*conn)->is_new = 1;
    return APR_SUCCESS;
}

apr_status_t tmpl_redis_exchange(tmpl_redis_t *redis, tmpl_redis_conn_t *conn,
                                 const tmpl_redis_command_t *commands, int n, size_t max_reply,
                                 apr_time_t deadline, redisReply **replies, tmpl_error_t *err,
                                 apr_pool_t *pool)
{
    int may_be_stale = conn->is_new && conn->fd >= 0;
    apr_status_t rv =
        conn_exchange(redis, conn, commands, n, max_reply, deadline, replies, err, pool);

    if (may_be_stale && is_stale(rv)) {
        rv = conn_exchange(redis, conn, commands, n, max_reply, deadline, replies, err, pool);
    }
    conn->is_new = 0;
    return rv;
}

void tmpl_redis_give(tmpl_redis_t *redis, tmpl_redis_conn_t *conn)
{
    conn_release(redis, conn);
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
