/* SPDX-License-Identifier: Apache-2.0 */
/*
 * proxy_backend FILE...: an HTTP server on a free port of 127.0.0.1, which it prints. It uses as
 * little CPU as possible and ends when its standard input ends.
 *     /seen/N    page N, modulo the number of files, always the same bytes; but a field X-Nonce: M
 *                puts M in a token of its head, and X-Edit: M at the end of the paragraph in
 *                its middle
 *     /new/N     the same page with N in front of each paragraph, list item and cell of its
 *                content: a new page with the site's template
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include "stamped.h"

#define TOKEN "<meta name=\"csrf-token\" content=\"" STAMP "\">"

static page_t *pages;
static unsigned n_pages;
static size_t *tokens, *edits; /* the offsets of the stamps of the two fields; 0: none */

static int send_all(int s, const char *bytes, size_t len)
{
    while (len > 0) {
        ssize_t sent = send(s, bytes, len, MSG_NOSIGNAL);

        if (sent <= 0) {
            return 0;
        }
        bytes += sent;
        len -= (size_t)sent;
    }
    return 1;
}

/*
 * Inserts a text in front of the first place from an offset on; returns the offset of the stamp in
 * it, 0 if there is no such place.
 */
static size_t insert(page_t *page, const char *text, const char *place, size_t from)
{
    size_t len = strlen(text), at;
    char *found;

    page->bytes[page->len] = '\0';
    found = strstr(page->bytes + from, place);
    if (found == NULL) {
        return 0;
    }
    at = (size_t)(found - page->bytes);
    page->bytes = need(realloc(page->bytes, page->len + len + 1));
    memmove(page->bytes + at + len, page->bytes + at, page->len - at);
    memcpy(page->bytes + at, text, len);
    page->len += len;
    for (size_t i = 0; i < page->n_stamps; i++) {
        page->stamps[i] += page->stamps[i] >= at ? len : 0;
    }
    return at + (size_t)(strstr(text, STAMP) - text);
}

/* Puts the number of a field into the page, if the request has it. */
static void stamp_field(char *bytes, size_t at, const char *request, const char *field)
{
    const char *value = strstr(request, field);
    char stamp[STAMP_SIZE + 1];

    if (value != NULL && at > 0) {
        snprintf(stamp, sizeof(stamp), "%08x ", (unsigned)strtoul(value + strlen(field), NULL, 10));
        memcpy(bytes + at, stamp, STAMP_SIZE);
    }
}

/* Answers a request. buffer has space for a head and the largest page. */
static int answer(int s, const char *request, char *buffer)
{
    unsigned n = 0;
    int is_new = sscanf(request, "GET /new/%u ", &n) == 1;
    const page_t *page;
    size_t head;

    if (!is_new && sscanf(request, "GET /seen/%u ", &n) != 1) {
        static const char none[] = "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n";

        return send_all(s, none, sizeof(none) - 1);
    }
    page = &pages[n % n_pages];
    head = (size_t)sprintf(buffer,
                           "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=UTF-8\r\n"
                           "Content-Length: %zu\r\n\r\n",
                           page->len);
    memcpy(buffer + head, page->bytes, page->len);
    if (is_new) {
        page_stamp(buffer + head, page, n);
    }
    stamp_field(buffer + head, tokens[n % n_pages], request, "\nX-Nonce: ");
    stamp_field(buffer + head, edits[n % n_pages], request, "\nX-Edit: ");
    return send_all(s, buffer, head + page->len);
}

/* Requests are served one after the other; they have no body and are not pipelined. */
static void *serve(void *data)
{
    int s = (int)(intptr_t)data;
    char request[16384];
    size_t largest = 0, held = 0;
    char *buffer;
    ssize_t n;

    for (unsigned i = 0; i < n_pages; i++) {
        largest = pages[i].len > largest ? pages[i].len : largest;
    }
    buffer = need(malloc(largest + 256));
    while ((n = recv(s, request + held, sizeof(request) - 1 - held, 0)) > 0) {
        held += (size_t)n;
        request[held] = '\0';
        if (strstr(request, "\r\n\r\n") != NULL) {
            held = 0;
            if (!answer(s, request, buffer)) {
                break;
            }
        }
    }
    free(buffer);
    close(s);
    return NULL;
}

static void *accept_all(void *data)
{
    int listening = (int)(intptr_t)data, one = 1, s;
    pthread_t thread;

    while ((s = accept(listening, NULL, NULL)) >= 0) {
        setsockopt(s, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
        if (pthread_create(&thread, NULL, serve, (void *)(intptr_t)s) != 0) {
            close(s);
            continue;
        }
        pthread_detach(thread);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    struct sockaddr_in address = { .sin_family = AF_INET, .sin_addr = { htonl(INADDR_LOOPBACK) } };
    socklen_t size = sizeof(address);
    int listening = socket(AF_INET, SOCK_STREAM, 0);
    size_t bytes = 0, stamps = 0;
    pthread_t thread;
    char end;

    n_pages = (unsigned)(argc - 1);
    pages = need(calloc(n_pages + (size_t)1, sizeof(*pages)));
    tokens = need(calloc(n_pages + (size_t)1, sizeof(*tokens)));
    edits = need(calloc(n_pages + (size_t)1, sizeof(*edits)));
    for (unsigned i = 0; i < n_pages; i++) {
        page_read(&pages[i], argv[i + 1]);
        edits[i] = insert(&pages[i], STAMP, "</p>", pages[i].len / 2);
        tokens[i] = insert(&pages[i], TOKEN, "</head>", 0);
        edits[i] += tokens[i] > 0 && tokens[i] < edits[i] ? strlen(TOKEN) : 0;
        bytes += pages[i].len;
        stamps += pages[i].n_stamps;
    }
    if (n_pages == 0 || listening < 0 ||
        bind(listening, (struct sockaddr *)&address, sizeof(address)) != 0 ||
        listen(listening, 128) != 0 ||
        getsockname(listening, (struct sockaddr *)&address, &size) != 0 ||
        pthread_create(&thread, NULL, accept_all, (void *)(intptr_t)listening) != 0) {
        perror("proxy_backend");
        return 2;
    }
    printf("%d %u %zu %zu\n", ntohs(address.sin_port), n_pages, bytes / n_pages, stamps / n_pages);
    fflush(stdout);
    while (read(STDIN_FILENO, &end, 1) > 0) {
    }
    return 0;
}
