/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A private redis-server for a test. Its only files are its configuration, socket and log, in a
 * directory of the caller's. It dies with the test, however the test ends.
 */
#ifndef TESTS_REDIS_SERVER_H
#define TESTS_REDIS_SERVER_H

#include <arpa/inet.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

typedef struct {
    pid_t pid; /* 0: not running */
    int port;  /* on 127.0.0.1; 0: none */
    char dir[64];
    char socket[96];
} redis_server_t;

static inline void redis_server_nap(void)
{
    struct timespec nap = { 0, 5 * 1000 * 1000 };

    nanosleep(&nap, NULL);
}

/* A port that was free a moment ago. */
static inline int redis_server_free_port(void)
{
    struct sockaddr_in at = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    socklen_t len = sizeof(at);
    int fd = socket(AF_INET, SOCK_STREAM, 0), port = 0;

    if (fd >= 0 && bind(fd, (struct sockaddr *)&at, len) == 0 &&
        getsockname(fd, (struct sockaddr *)&at, &len) == 0) {
        port = ntohs(at.sin_port);
    }
    if (fd >= 0) {
        close(fd);
    }
    return port;
}

/* Whether the server answers a PING; it may ask for a password. */
static inline int redis_server_answers(const redis_server_t *server)
{
    struct sockaddr_un at = { .sun_family = AF_UNIX };
    char answer[8] = "";
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    int ok;

    memcpy(at.sun_path, server->socket, strlen(server->socket));
    ok = fd >= 0 && connect(fd, (struct sockaddr *)&at, sizeof(at)) == 0 &&
         send(fd, "PING\r\n", 6, MSG_NOSIGNAL) == 6 && recv(fd, answer, 7, 0) == 7 &&
         (strcmp(answer, "+PONG\r\n") == 0 || strcmp(answer, "-NOAUTH") == 0);
    if (fd >= 0) {
        close(fd);
    }
    return ok;
}

/* Starts the server with the file conf, and waits until it answers; 0: it has ended. */
static inline int redis_server_run(redis_server_t *server, const char *conf)
{
    pid_t parent = getpid();

    server->pid = fork();
    if (server->pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() == parent) {
            const char *program = getenv("TMPL_TEST_REDIS"); /* valkey-server, for instance */

            program = program != NULL ? program : "redis-server";
            execlp(program, program, conf, (char *)NULL);
        }
        _exit(127);
    }
    while (server->pid > 0 && !redis_server_answers(server)) {
        if (waitpid(server->pid, NULL, WNOHANG) == server->pid) {
            server->pid = 0;
        }
        redis_server_nap();
    }
    return server->pid > 0;
}

/*
 * Starts the server in dir and waits until it answers. with_tcp: it also listens on a free port, or
 * on another port if somebody takes the first meanwhile. more: further lines of the configuration.
 * Returns 0 if the server did not come up.
 */
static inline int redis_server_start(redis_server_t *server, const char *dir, int with_tcp,
                                     const char *more)
{
    char path[96];
    int tries;

    memset(server, 0, sizeof(*server));
    snprintf(server->dir, sizeof(server->dir), "%s", dir);
    snprintf(server->socket, sizeof(server->socket), "%s/redis.sock", dir);
    snprintf(path, sizeof(path), "%s/redis.conf", dir);
    for (tries = 0; tries < 5; tries++) {
        FILE *conf = fopen(path, "w");

        if (conf == NULL) {
            return 0;
        }
        server->port = with_tcp ? redis_server_free_port() : 0;
        fprintf(conf,
                "port %d\nbind 127.0.0.1\nunixsocket %s\nsave \"\"\nappendonly no\ndir %s\n"
                "logfile %s/redis.log\n%s\n",
                server->port, server->socket, dir, dir, more);
        fclose(conf);
        if (redis_server_run(server, path)) {
            return 1;
        }
    }
    return 0;
}

static inline void redis_server_stop(redis_server_t *server)
{
    if (server->pid > 0) {
        kill(server->pid, SIGKILL);
        waitpid(server->pid, NULL, 0);
        server->pid = 0;
        unlink(server->socket);
    }
}

#endif
