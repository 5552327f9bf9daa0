/* SPDX-License-Identifier: Apache-2.0 */
#include "table/redis/redis_conn.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>
#include <sys/socket.h>

#include <apr_portable.h>
#include <apr_strings.h>
#include <apr_support.h>

#include "base/buf.h"
#include "base/clock.h"

/* Bytes of replies: of any; for each word, as a bucket has; of many words; then for each of them */
#define REPLIES_ANY   ((size_t)4 << 20)
#define REPLIES_WORD  ((size_t)66 << 10)
#define REPLIES_MOST  ((size_t)64 << 20)
#define REPLIES_USUAL 2048

typedef tmpl_redis_conn_t conn_t;
typedef tmpl_redis_server_t server_t;

/* Says that doing something has failed, unless err tells more already. */
static apr_status_t say_failed(const server_t *server, apr_status_t status, const char *doing,
                               const tmpl_error_t *more, tmpl_error_t *err)
{
    char text[128];
    const char *why = apr_strerror(status, text, sizeof(text));
    if (APR_STATUS_IS_TIMEUP(status)) {
        why = "no answer in time";
    }
    else if (APR_STATUS_IS_EOF(status)) {
        why = "the server has closed the connection";
    }
    if (more != NULL && more->text[0] != '\0') {
        why = more->text;
    }
    return tmpl_fail(err, status, "%s: cannot %s: %s", server->name, doing, why);
}

void tmpl_redis_conn_close(conn_t *conn)
{
    tmpl_redis_tls_end(conn->tls);
    if (conn->pool != NULL) {
        apr_pool_destroy(conn->pool);
    }
    if (conn->reader != NULL) {
        redisReaderFree(conn->reader);
    }
    *conn = (conn_t){ .next = conn->next };
}

/* Makes the socket's next calls wait until deadline and no longer. */
static apr_status_t wait_until(const conn_t *conn, apr_time_t deadline)
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
        rv = wait_until(conn, deadline);
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

static int conn_fd(const conn_t *conn)
{
    int fd;
    apr_os_sock_get(&fd, conn->socket);
    return fd;
}

/* Tries the server's addresses one after the other, each for its share of the time that is left. */
static apr_status_t addresses_connect(conn_t *conn, const server_t *server, apr_time_t deadline,
                                      tmpl_error_t *err)
{
    const tmpl_redis_place_t *place = &server->place;
    apr_sockaddr_t *addresses;
    int n = 0;
    apr_status_t rv = apr_pool_create_unmanaged(&conn->pool);
    if (rv != APR_SUCCESS) {
        conn->pool = NULL;
        return say_failed(server, rv, "allocate memory", NULL, err);
    }
    rv = apr_sockaddr_info_get(&addresses, place->host, place->port != 0 ? APR_UNSPEC : APR_UNIX,
                               place->port, 0, conn->pool);
    if (rv != APR_SUCCESS) {
        return say_failed(server, rv, "look up the name", NULL, err);
    }
    for (const apr_sockaddr_t *at = addresses; at != NULL; at = at->next) {
        n++;
    }
    for (apr_sockaddr_t *at = addresses; n > 0 && conn->socket == NULL; at = at->next, n--) {
        apr_time_t now = tmpl_clock();
        rv = socket_connect(conn, at, now + (deadline - now) / n);
    }
    return rv == APR_SUCCESS ? rv : say_failed(server, rv, "connect", NULL, err);
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

static size_t list_words(const apr_array_header_t *list)
{
    size_t n = 0;
    for (int i = 0; i < list->nelts; i++) {
        n += (size_t)APR_ARRAY_IDX(list, i, const apr_array_header_t *)->nelts;
    }
    return n;
}

apr_array_header_t *tmpl_redis_list(apr_pool_t *pool)
{
    return apr_array_make(pool, 8, sizeof(apr_array_header_t *));
}

apr_array_header_t *tmpl_redis_command(apr_array_header_t *list, ...)
{
    apr_array_header_t *command = apr_array_make(list->pool, 8, sizeof(tmpl_redis_word_t));
    va_list words;
    va_start(words, list);
    for (const char *word; (word = va_arg(words, const char *)) != NULL;) {
        tmpl_redis_word(command, word, strlen(word));
    }
    va_end(words);
    APR_ARRAY_PUSH(list, apr_array_header_t *) = command;
    return command;
}

/*
 * Not redisFormatCommandArgv(): it calls sprintf for each word, which took a quarter of a page's
 * time.
 */
static void command_put(tmpl_buf_t *buf, const apr_array_header_t *command)
{
    const tmpl_redis_word_t *words = (const tmpl_redis_word_t *)(const void *)command->elts;
    size_t room = WORD_HEAD;
    for (int i = 0; i < command->nelts; i++) {
        room += WORD_HEAD + words[i].len;
    }
    char *start = tmpl_buf_room(buf, room);
    char *at = put_size(start, '*', (size_t)command->nelts);
    for (int i = 0; i < command->nelts; i++) {
        at = put_size(at, '$', words[i].len);
        memcpy(at, words[i].bytes, words[i].len);
        at += words[i].len;
        *at++ = '\r';
        *at++ = '\n';
    }
    buf->len += (apr_size_t)(at - start);
}

/*
 * Makes one system call, or those of TLS. APR_EAGAIN: repeat it when the socket is ready.
 * apr_socket_send() would raise SIGPIPE, and the process is not ours.
 */
static apr_status_t try_transfer(const conn_t *conn, char *into, const char *from, size_t *len,
                                 int *for_read, tmpl_error_t *err)
{
    *for_read = into != NULL;
    if (conn->tls != NULL) {
        return tmpl_redis_tls_transfer(conn->tls, into, from, len, for_read, err);
    }
    ssize_t n = into != NULL ? recv(conn_fd(conn), into, *len, 0)
                             : send(conn_fd(conn), from, *len, MSG_NOSIGNAL);
    if (n < 0) {
        int is_for_now = errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
        return is_for_now ? APR_EAGAIN : APR_FROM_OS_ERROR(errno);
    }
    *len = (size_t)n;
    return n == 0 ? APR_EOF : APR_SUCCESS;
}

/*
 * Reads up to *len bytes into a buffer, or sends them from one; sets *len to the number of bytes.
 */
static apr_status_t transfer(const conn_t *conn, char *into, const char *from, size_t *len,
                             apr_time_t deadline, tmpl_error_t *err)
{
    for (;;) {
        size_t n = *len;
        int for_read;
        apr_status_t rv = tmpl_clock() < deadline
                              ? try_transfer(conn, into, from, &n, &for_read, err)
                              : APR_TIMEUP;
        if (rv != APR_EAGAIN) {
            *len = n;
            return rv;
        }
        rv = wait_until(conn, deadline);
        if (rv == APR_SUCCESS) {
            rv = apr_wait_for_io_or_timeout(NULL, conn->socket, for_read);
        }
        if (rv != APR_SUCCESS) {
            return rv;
        }
    }
}

static apr_status_t send_all(const conn_t *conn, const server_t *server, const char *bytes,
                             size_t len, apr_time_t deadline, tmpl_error_t *err)
{
    tmpl_error_t more = { 0 };
    while (len > 0) {
        size_t n = len;
        apr_status_t rv = transfer(conn, NULL, bytes, &n, deadline, &more);
        if (rv != APR_SUCCESS) {
            int is_new = conn->tls != NULL && tmpl_redis_tls_is_in_handshake(conn->tls);
            return say_failed(server, rv, is_new ? "finish the TLS handshake" : "send", &more, err);
        }
        bytes += n;
        len -= n;
    }
    return APR_SUCCESS;
}

/* Reads one reply; *unread, the bytes that may still come, shrinks. */
static apr_status_t read_reply(conn_t *conn, const server_t *server, size_t *unread,
                               apr_time_t deadline, redisReply **reply, tmpl_error_t *err)
{
    char bytes[32768];
    void *got = NULL;
    while (redisReaderGetReply(conn->reader, &got) == REDIS_OK) {
        size_t len = sizeof(bytes);
        tmpl_error_t more = { 0 };
        if (got != NULL) {
            *reply = got;
            return APR_SUCCESS;
        }
        apr_status_t rv = transfer(conn, bytes, NULL, &len, deadline, &more);
        if (rv != APR_SUCCESS) {
            (void)say_failed(server, rv, "read", &more, err);
            return rv;
        }
        if (len > *unread || redisReaderFeed(conn->reader, bytes, len) != REDIS_OK) {
            break;
        }
        *unread -= len;
        size_t held = conn->reader->len;
        conn->ends_line = held >= 2 && memcmp(conn->reader->buf + held - 2, "\r\n", 2) == 0;
    }
    (void)tmpl_redis_garbage(server->name, err);
    return APR_EGENERAL;
}

/* The most bytes of the replies to a list. */
static size_t replies_most(const apr_array_header_t *list)
{
    size_t n = list_words(list), all = n * REPLIES_WORD;
    return REPLIES_ANY + (all < REPLIES_MOST ? all : REPLIES_MOST + n * REPLIES_USUAL);
}

static apr_status_t reply_free(void *reply)
{
    freeReplyObject(reply);
    return APR_SUCCESS;
}

/* Sends the commands in one go, so that their replies come in one round trip. */
static apr_status_t round_trip(conn_t *conn, const server_t *server, const apr_array_header_t *list,
                               apr_time_t deadline, redisReply **replies, tmpl_error_t *err)
{
    size_t unread = replies_most(list);
    tmpl_buf_t buf;
    int got = 0;
    tmpl_buf_init(&buf, list->pool);
    for (int i = 0; i < list->nelts; i++) {
        command_put(&buf, APR_ARRAY_IDX(list, i, const apr_array_header_t *));
    }
    apr_status_t rv = send_all(conn, server, buf.at, buf.len, deadline, err);
    if (rv != APR_SUCCESS) {
        return rv;
    }
    while (rv == APR_SUCCESS && got < list->nelts) {
        rv = read_reply(conn, server, &unread, deadline, &replies[got], err);
        if (rv == APR_SUCCESS) {
            apr_pool_cleanup_register(list->pool, replies[got++], reply_free,
                                      apr_pool_cleanup_null);
        }
    }
    if (rv == APR_SUCCESS && (conn->reader->pos != conn->reader->len || !conn->ends_line)) {
        /* the next call would take the bytes left over for its own replies */
        rv = tmpl_redis_garbage(server->name, err);
    }
    if (rv != APR_SUCCESS && got > 0 && replies[0]->type == REDIS_REPLY_ERROR) {
        /* a server that closes the connection says why first */
        rv = tmpl_redis_check(server->name, replies[0], err);
    }
    return rv;
}

/* ---- greeting ---- */

/* Authenticates, and selects the database. */
static apr_status_t greet(conn_t *conn, const server_t *server, apr_time_t deadline,
                          tmpl_error_t *err, apr_pool_t *pool)
{
    const tmpl_redis_login_t *login = &server->login;
    apr_array_header_t *list = tmpl_redis_list(pool);
    redisReply *replies[2];
    if (login->password != NULL && login->user != NULL) {
        tmpl_redis_command(list, "AUTH", login->user, login->password, NULL);
    }
    else if (login->password != NULL) {
        tmpl_redis_command(list, "AUTH", login->password, NULL);
    }
    if (server->db != 0) {
        tmpl_redis_command(list, "SELECT", apr_psprintf(pool, "%u", server->db), NULL);
    }
    apr_status_t rv =
        list->nelts == 0 ? APR_SUCCESS : round_trip(conn, server, list, deadline, replies, err);
    for (int i = 0; rv == APR_SUCCESS && i < list->nelts; i++) {
        rv = tmpl_redis_check(server->name, replies[i], err);
        if (rv == APR_SUCCESS && replies[i]->type != REDIS_REPLY_STATUS) {
            rv = tmpl_redis_garbage(server->name, err);
        }
    }
    return rv;
}

static apr_status_t conn_open(conn_t *conn, const server_t *server, apr_time_t deadline,
                              tmpl_error_t *err, apr_pool_t *pool)
{
    apr_status_t rv = addresses_connect(conn, server, deadline, err);
    if (rv != APR_SUCCESS) {
        return rv;
    }
    if (server->tls != NULL) {
        conn->tls = tmpl_redis_tls_begin(server->tls, conn_fd(conn), server->place.host);
    }
    conn->reader = tmpl_redis_reader_create();
    if (conn->reader == NULL || (server->tls != NULL && conn->tls == NULL)) {
        return say_failed(server, APR_ENOMEM, "connect", NULL, err);
    }
    return greet(conn, server, deadline, err, pool);
}

/*
 * Whether the server refused EXEC. It may still be in the transaction; or it takes no writes, as a
 * former master does whose name leads to another server now: only a new connection looks it up.
 */
static int has_refused_exec(const apr_array_header_t *list, redisReply *const *replies)
{
    for (int i = 0; i < list->nelts; i++) {
        const apr_array_header_t *command = APR_ARRAY_IDX(list, i, const apr_array_header_t *);
        if (strcmp(APR_ARRAY_IDX(command, 0, tmpl_redis_word_t).bytes, "EXEC") == 0 &&
            replies[i]->type == REDIS_REPLY_ERROR) {
            return 1;
        }
    }
    return 0;
}

/* The server has closed an idle connection: it restarted, or its timeout has passed. */
static int is_closed(apr_status_t rv)
{
    return APR_STATUS_IS_EOF(rv) || APR_STATUS_IS_EPIPE(rv) || APR_STATUS_IS_ECONNRESET(rv);
}

apr_status_t tmpl_redis_conn_call(conn_t *conn, const server_t *server,
                                  const apr_array_header_t *list, apr_time_t deadline,
                                  redisReply ***replies, tmpl_error_t *err)
{
    int may_be_closed = conn->is_idle && conn->reader != NULL;
    apr_status_t rv = APR_SUCCESS;
    conn->is_idle = 0;
    *replies = apr_palloc(list->pool, ((apr_size_t)list->nelts + 1) * sizeof(**replies));
    if (conn->reader == NULL) {
        rv = conn_open(conn, server, deadline, err, list->pool);
    }
    if (rv == APR_SUCCESS) {
        rv = round_trip(conn, server, list, deadline, *replies, err);
    }
    if (rv != APR_SUCCESS || has_refused_exec(list, *replies)) {
        tmpl_redis_conn_close(conn);
    }
    return may_be_closed && is_closed(rv)
               ? tmpl_redis_conn_call(conn, server, list, deadline, replies, err)
               : rv;
}
