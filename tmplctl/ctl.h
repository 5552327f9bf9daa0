/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tmplctl: libtmpl from the command line. main.c calls one function for each subcommand; options.c
 * has the table of options; options that are settings come from shared/settings.h. The tool reads
 * files, calls the library and writes files: the library decides what is template and how a page is
 * edited, as for the module.
 */
#ifndef CTL_CTL_H
#define CTL_CTL_H

#include <apr_file_io.h>
#include <apr_tables.h>

#include "clean.h"

/* Exit codes, as the man page lists them. */
#define CTL_OK           0
#define CTL_FAILED       1 /* a file or the store failed: some output is missing */
#define CTL_USAGE        2 /* the command line is wrong: nothing was done */
#define CTL_STORE_FAILED 3 /* clean: all pages are written, but some are not learnt */
#define CTL_BINARY       4 /* an input is no text: nothing else failed */

/* How long one page may wait for the store. Unlike in a server, no client waits. */
#define CTL_STORE_TIMEOUT apr_time_from_sec(10)

/* The memory of a page that a pool keeps for the next one; most pages need far less. */
#define CTL_POOL_KEEPS (16 * 1024 * 1024)

/* warm: the largest --size and --max-loads. */
#define CTL_SIZE_MOST  16
#define CTL_LOADS_MOST 1000

/* The options of a command line; options.c fills it. */
typedef struct {
    const char *mode;
    const char *store; /* NULL: none was named */
    const char *site;
    const char *out;        /* NULL: standard output */
    const char *model;      /* file with the detector's model; NULL: the built-in model */
    const char *files_from; /* file of file names; CTL_STDIN for standard input */
    const char *mirror;     /* clean: directory of a mirrored site */
    const char *report;     /* warc: file of JSON; NULL: none */
    int two_pass;
    int json;      /* the output is JSON */
    int all;       /* export: all sites */
    uint32_t jobs; /* clean: threads */
    int help;
    uint32_t size;      /* warm: pages of the complete subdigraph */
    uint32_t max_loads; /* warm: the most pages to load */
    uint32_t delay;     /* warm: milliseconds between requests */
    uint32_t pages;     /* train: the most pages of a site */
    int trust;          /* train: content labels must pass a check */
    int responses;      /* warc: edit the response records */
    int json_lines;     /* warc: lines of JSON in place of records */
    int incremental;    /* warc: one pass */
    int frozen;         /* warc: learn nothing */
    int freeze;         /* merge: the sites are frozen */
    int lean;           /* merge: and have nothing that only learning needs */
    tmpl_clean_opts_t clean;
    tmpl_tag_set_t separators; /* clean.page points here if --separators was given */
    tmpl_parts_t parts;        /* what all --parts say; clean.guards.without follows */
} ctl_options_t;

typedef struct ctl_command_t ctl_command_t;

/* One run of the tool. */
typedef struct {
    const ctl_command_t *command;
    ctl_options_t options;
    apr_array_header_t *args; /* const char *: the arguments that are no options */
    apr_uint64_t given; /* a hash of the options on which outputs depend, as they were given */
    apr_pool_t *pool;
} ctl_t;

/* Bits that say in which commands an option is known. */
#define CTL_IN_CLEAN    0x01
#define CTL_IN_STATS    0x04
#define CTL_IN_FORGET   0x08
#define CTL_IN_EXPORT   0x10
#define CTL_IN_IMPORT   0x20
#define CTL_IN_TRAIN    0x40
#define CTL_IN_WARM     0x80
#define CTL_IN_CHECK    0x100
#define CTL_IN_EXPLAIN  0x200
#define CTL_IN_TEMPLATE 0x400
#define CTL_IN_WARC     0x1000
#define CTL_IN_MERGE    0x2000
#define CTL_IN_STORE    (CTL_IN_STATS | CTL_IN_FORGET | CTL_IN_EXPORT | CTL_IN_IMPORT | CTL_IN_CHECK)
#define CTL_IN_JUDGING  (CTL_IN_CLEAN | CTL_IN_WARM | CTL_IN_EXPLAIN | CTL_IN_TEMPLATE | CTL_IN_WARC)
/* Commands whose arguments are pages: "-" is standard input. */
#define CTL_IN_PAGES (CTL_IN_CLEAN | CTL_IN_EXPLAIN | CTL_IN_TEMPLATE)
#define CTL_IN_ALL   (CTL_IN_JUDGING | CTL_IN_STORE | CTL_IN_TRAIN)

struct ctl_command_t {
    const char *name;
    unsigned bit;
    int (*run)(ctl_t *ctl); /* an exit code */
    int least_args;
    int most_args; /* -1: any number */
    const char *args;
    const char *begins; /* the group of commands that begins with it; NULL: none */
    const char *summary;
    const char *help; /* a paragraph for --help */
};

int ctl_clean(ctl_t *ctl);
int ctl_explain(ctl_t *ctl);
int ctl_template(ctl_t *ctl);
int ctl_stats(ctl_t *ctl);
int ctl_forget(ctl_t *ctl);
int ctl_check(ctl_t *ctl);
int ctl_export(ctl_t *ctl);
int ctl_import(ctl_t *ctl);
int ctl_merge(ctl_t *ctl);
int ctl_train(ctl_t *ctl);
int ctl_warm(ctl_t *ctl);
int ctl_warc(ctl_t *ctl);

/*
 * Parses argv (argv[0] is the subcommand) into ctl->options and ctl->args, by the rules of
 * ctl->command. APR_SUCCESS, also for --help, with which nothing else is checked; or APR_EINVAL,
 * after the error was written to standard error.
 */
apr_status_t ctl_options_parse(ctl_t *ctl, int argc, const char *const *argv);

/* Prints the help of a command: what it does, and its options. */
void ctl_help_print(const ctl_command_t *command, apr_pool_t *pool);

/* "-" on the command line: standard input. Compared by address, so a file may have this name. */
extern const char CTL_STDIN[];

/* Opens the store of a command, and reports what fails. */

typedef struct {
    tmpl_store_t *store;
    apr_pool_t *pool;    /* the store's own */
    tmpl_error_t failed; /* clean: the store did not tell its secret, and must not be used */
} ctl_store_t;

/*
 * Opens --store or, without it, a store in memory. On failure prints the reason. A store that is
 * only read must be there, and not be damaged. A store that does not tell its secret must not get
 * keys made without it. So this is an error, except for clean, which then judges pages without a
 * store.
 */
apr_status_t ctl_store_open(ctl_store_t *store, ctl_t *ctl);

void ctl_store_close(ctl_store_t *store);

/*
 * Fills *uri with --store or, without it, the store that TMPL_STORE names. CTL_OK; or CTL_USAGE,
 * with the reason printed.
 */
int ctl_store_uri(const char **uri, const ctl_t *ctl);

/* Looks for damage in the store at uri, as the owner of its directory. An exit code. */
int ctl_store_examine(const char *uri, const ctl_t *ctl);

/*
 * Calls work with --store or, without it, the store that TMPL_STORE names. Returns work's exit
 * code; CTL_USAGE or CTL_FAILED, with the reason printed, if no store was opened.
 */
int ctl_store_with(ctl_t *ctl, int (*work)(ctl_t *ctl, tmpl_store_t *store));

/* Prints that the store does not know the site, and which sites it knows. */
void ctl_store_has_no(const ctl_t *ctl, tmpl_store_t *store, const char *site);

/* Prints why a call for a site failed; returns CTL_FAILED. */
int ctl_store_failed(const ctl_t *ctl, tmpl_store_t *store, const char *site, apr_status_t status,
                     const tmpl_error_t *err);

/*
 * --- process.c: standard error: messages and, on a terminal, a line of progress, which a message
 * erases; for the main thread only ---
 */

/*
 * Foreign text (names of files and sites, text of pages) for a terminal or a table, where control
 * characters could act on the terminal, and a newline would begin another row: the text with \x1b
 * in place of each byte of a control character (ASCII's, or ISO 6429's C1 in UTF-8). From pool;
 * text itself if it has none. The text need not be UTF-8.
 */
const char *ctl_printable(const char *text, apr_pool_t *pool);

/* Prints "tmplctl: " and one line to standard error; control characters as \x1b. */
void ctl_say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Shows how far the command is. Nothing, unless standard error is a terminal. */
void ctl_progress(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Erases the line of progress. */
void ctl_progress_end(void);

/*
 * --- signals: the command finishes its current page and removes its temporary files; then the
 * process dies of the signal, as its parent expects ---
 */

/*
 * From now on SIGINT, SIGTERM and SIGHUP set ctl_interrupted; a second signal of the same kind
 * kills. Call this after input that may block is read, and before work that must not be cut off.
 */
void ctl_interrupt_catch(void);

/* The last signal caught, or 0. */
int ctl_interrupted(void);

/* Dies of the signal caught; returns if there was none. */
void ctl_interrupt_finish(void);

/*
 * --- memory: without it the process ends with a message and CTL_FAILED. Libraries would return
 * NULL, which may look like a page that has less in it; libxml2 2.9 crashes ---
 */

/* An apr_abortfunc_t; does not return. */
int ctl_no_memory(int status);

/* malloc(), realloc() and strdup() that never return NULL; free() frees what they return. */
void *ctl_malloc(size_t size);
void *ctl_realloc(void *old, size_t size);
char *ctl_strdup(const char *text);

#endif
