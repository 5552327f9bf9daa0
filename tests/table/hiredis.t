#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# shared/table/redis compiles with hiredis 0.14 and 1.x, whose readers make objects by different functions. Only
# one version is installed, so this test has the declarations of the other version.
use strict;
use warnings;

use Cwd qw(abs_path);
use File::Basename qw(dirname);
use File::Temp;
use Test::More;

my $root = abs_path(dirname(__FILE__) . '/../..');
chdir $root or die "$root: $!";
my $dir = File::Temp->newdir('tmpl-hiredis-XXXXXX', TMPDIR => 1, CLEANUP => 1);
my $cc = $ENV{CC} || 'gcc';
chomp(my $apr = qx(apr-1-config --cppflags --includes) . qx(apu-1-config --includes));
chomp(my $libs = qx(apr-1-config --link-ld --libs));
s/\n/ /g for $apr, $libs;

sub spit {
    my ($name, $text) = @_;
    open my $out, '>', "$dir/$name" or die "$dir/$name: $!";
    print {$out} $text;
    close $out or die "$dir/$name: $!";
    return;
}

# What hiredis 1.x declares of what the sources use.
mkdir "$dir/hiredis" or die "$dir: $!";
spit('hiredis/read.h', <<'END');
#pragma once
#include <stddef.h>
enum { REDIS_ERR = -1, REDIS_OK };
enum { REDIS_REPLY_STRING = 1, REDIS_REPLY_ARRAY, REDIS_REPLY_INTEGER, REDIS_REPLY_NIL, REDIS_REPLY_STATUS,
       REDIS_REPLY_ERROR, REDIS_REPLY_DOUBLE, REDIS_REPLY_BOOL };
typedef struct redisReadTask {
    int type;
    long long elements;
    int idx;
    void *obj;
    struct redisReadTask *parent;
    void *privdata;
} redisReadTask;
typedef struct {
    void *(*createString)(const redisReadTask *, char *, size_t);
    void *(*createArray)(const redisReadTask *, size_t);
    void *(*createInteger)(const redisReadTask *, long long);
    void *(*createDouble)(const redisReadTask *, double, char *, size_t);
    void *(*createNil)(const redisReadTask *);
    void *(*createBool)(const redisReadTask *, int);
    void (*freeObject)(void *);
} redisReplyObjectFunctions;
typedef struct {
    int err;
    char errstr[128];
    char *buf;
    size_t pos, len, maxbuf;
    long long maxelements;
    redisReadTask **task;
    int tasks, ridx;
    void *reply;
    redisReplyObjectFunctions *fn;
    void *privdata;
} redisReader;
redisReader *redisReaderCreateWithFunctions(redisReplyObjectFunctions *fn);
void redisReaderFree(redisReader *reader);
int redisReaderFeed(redisReader *reader, const char *bytes, size_t len);
int redisReaderGetReply(redisReader *reader, void **reply);
END
spit('hiredis/hiredis.h', <<'END');
#pragma once
#include "read.h"
#define HIREDIS_MAJOR 1
typedef struct redisReply {
    int type;
    long long integer;
    double dval;
    size_t len;
    char *str;
    char vtype[4];
    size_t elements;
    struct redisReply **element;
} redisReply;
END

# Has each of the functions make its object.
spit('main.c', <<'END');
#include "table/redis/redis_reply.h"
#include <apr_general.h>
#include <stdio.h>
static redisReader reader;
redisReader *redisReaderCreateWithFunctions(redisReplyObjectFunctions *fn)
{
    reader.fn = fn;
    return &reader;
}
int main(void)
{
    const redisReplyObjectFunctions *fn = tmpl_redis_reader_create()->fn;
    char text[] = "1.5";
    apr_pool_t *pool;
    apr_initialize();
    apr_pool_create(&pool, NULL);
    tmpl_redis_reader_use(&reader, pool);
#define TASK(t) (&(redisReadTask){ .type = REDIS_REPLY_##t, .idx = -1, .privdata = reader.privdata })
#define SAY(object) (reply = (object), printf("%d %lld %s %zu\n", reply->type, reply->integer, reply->str ? reply->str : "-", reply->elements))
    redisReply *reply;
    SAY(fn->createString(TASK(STRING), text, 3));
    SAY(fn->createArray(TASK(ARRAY), 4));
    SAY(fn->createInteger(TASK(INTEGER), 5));
    SAY(fn->createDouble(TASK(DOUBLE), 1.5, text, 3));
    SAY(fn->createNil(TASK(STRING)));
    SAY(fn->createBool(TASK(BOOL), 1));
    printf("%d\n", fn->createArray(TASK(ARRAY), (size_t)1 << 40) == NULL);
    fn->freeObject(reply);
    return 0;
}
END

sub compiled {
    my ($what) = @_;
    my $said = qx($cc -std=gnu11 -D_GNU_SOURCE -Wall -Wextra -Wconversion -Werror -Werror=incompatible-pointer-types -I$dir -Ishared $apr $what 2>&1);
    is($said, '', 'compiles without a warning');
    return;
}

compiled("-c -o $dir/$_->[1].o $_->[0]/$_->[1].c") for map { [dirname($_), m{([^/]*)\.c$}] } glob 'shared/table/redis/*.c';
compiled("-o $dir/main $dir/main.c $dir/redis_reply.o $libs");
is(qx($dir/main), "1 0 1.5 0\n2 0 - 4\n3 5 - 0\n7 0 1.5 0\n4 0 - 0\n8 1 - 0\n1\n", 'each function makes the object of its type');

done_testing();
