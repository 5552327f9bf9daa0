/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which calls fail in a preloaded library. TMPL_FAIL_AT has the number of the call and how it
 * fails; "+" behind the number: all later ones fail, too. At its end the process writes how many
 * calls there were to the file TMPL_FAIL_COUNT. With TMPL_FAIL_PLAN, the plan is in that file,
 * which a test changes between requests, and only children of the process that was started count.
 */
#ifndef TESTS_PLAN_H
#define TESTS_PLAN_H

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

typedef struct {
    unsigned long calls, first, last; /* calls 1, 2, ...; first 0: none fails */
    unsigned long how;                /* a letter */
} plan_t;

static plan_t own_plan;
static plan_t *plan = &own_plan;
static pid_t parent_of_plan; /* 0: all processes count */

__attribute__((constructor)) static void read_plan(void)
{
    char *end;
    const char *at = getenv("TMPL_FAIL_AT");
    const char *name = getenv("TMPL_FAIL_PLAN");
    int file = name != NULL ? (int)syscall(SYS_openat, AT_FDCWD, name, O_RDWR) : -1;
    if (file >= 0) {
        plan = (plan_t *)syscall(SYS_mmap, NULL, sizeof(*plan), PROT_READ | PROT_WRITE, MAP_SHARED,
                                 file, 0);
        parent_of_plan = getpid();
    }
    else if (at != NULL) {
        unsigned long n = strtoul(at, &end, 10);
        own_plan = (plan_t){ 0, n, *end == '+' ? (unsigned long)-1 : n, (unsigned char)*end };
    }
}

__attribute__((destructor)) static void write_count(void)
{
    const char *name = getenv("TMPL_FAIL_COUNT");
    unsigned long n = plan->calls;
    FILE *out = name != NULL ? fopen(name, "w") : NULL;
    if (out != NULL) {
        fprintf(out, "%lu\n", n);
        fclose(out);
    }
}

/* Counts a call; whether it is to fail. */
static int is_planned(void)
{
    if (parent_of_plan != 0 && getpid() == parent_of_plan) {
        return 0;
    }
    unsigned long call = __atomic_add_fetch(&plan->calls, 1, __ATOMIC_RELAXED);
    return plan->first != 0 && call >= plan->first && call <= plan->last;
}

#endif
