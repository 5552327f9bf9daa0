/* SPDX-License-Identifier: Apache-2.0 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <apr_general.h>
#include <jansson.h>

#include "ctl.h"

/* Help says what a command line needs; the man page has the rest. */
/* clang-format off */
static const ctl_command_t commands[] = {
    { "clean", CTL_IN_CLEAN, ctl_clean, 0, -1, "[FILE|URL]...", "Pages",
      "detects the template of pages, and marks or removes it",
      "Without FILE the page comes from standard input (-). One page goes to standard output; "
      "several need --out DIR, except in modes of one line. Pages are read in the given order: "
      "each is judged by the counts of those up to and including it. Without --store, counts are "
      "kept in memory, and one page is judged as the first of its site. A declined page is named "
      "on standard error. Exit code 3: all pages are written, but the store failed." },
    { "explain", CTL_IN_EXPLAIN, ctl_explain, 0, 1, "[FILE|URL]", NULL,
      "tells of each block why it is cut, or why it stays",
      "Prints of each block its verdict with what it rests on, what annotate and strip do with "
      "it, and why; of a declined page the reason and its place. Learns nothing. Without FILE it "
      "reads a page from standard input (-)." },
    { "template", CTL_IN_TEMPLATE, ctl_template, 1, 1, "FILE|URL|-", NULL,
      "prints the text of a site's template, once",
      "The text is that of a page, because stores hold hashes only: of its template blocks, those "
      "of which more than half is on --min-df pages of the site or more. Learns nothing." },
    { "warm", CTL_IN_WARM, ctl_warm, 1, 1, "URL", NULL,
      "learns a site from a few of its pages on the web",
      "Loads the page at URL and follows its links until --size of the pages link each other and "
      "the text that they share is template. Obeys robots.txt. --site must be the server's key of "
      "the site, and the other options those of the server that will use the table." },
    { "stats", CTL_IN_STATS, ctl_stats, 0, 1, "[SITE]", "Stores",
      "prints the size of one site's table, or of all tables",
      "pages: documents learnt; entries: all entries; live: those that have not expired; "
      "template: live ones whose DF is at least --min-df; bytes: estimated size; version: grows "
      "each time that an entry becomes template; listed: documents for sitemaps and feeds." },
    { "forget", CTL_IN_FORGET, ctl_forget, 1, 1, "SITE", NULL,
      "removes a site from the store",
      "" },
    { "export", CTL_IN_EXPORT, ctl_export, 0, 1, "SITE|--all", NULL,
      "writes a site's table, or all tables, to standard output",
      "" },
    { "import", CTL_IN_IMPORT, ctl_import, 0, 1, "[SITE]", NULL,
      "replaces a site's table, or several, by exported ones",
      "Reads standard input. Without SITE each table is that of the site that it was exported "
      "from. If a line is invalid, prints its number, and changes neither its site nor later ones." },
    { "check", CTL_IN_CHECK, ctl_check, 0, 0, "", NULL,
      "looks for damage in an LMDB store",
      "Changes nothing. Servers may go on, but learn nothing meanwhile." },
    { "warc", CTL_IN_WARC, ctl_warc, 1, -1, "WARC...", "Archives and research",
      "cleans the pages of archives of the web, each by the table of its site",
      "Reads WARC/1.0 and 1.1, plain, gzip or zstd: learns all pages first, by host, then judges "
      "each. Damaged records are named and skipped. FILE.part has what is unfinished: after a "
      "kill the same command goes on from there. WARC may be -, standard input, if it is read "
      "once. Exit code 3: all is written, but the store failed." },
    { "merge", CTL_IN_MERGE, ctl_merge, 1, 1, "KEYS", NULL,
      "writes the tables of a file of keys to a store",
      "KEYS is what clean -m keys has written, sorted by LC_ALL=C sort -u; - is standard input. "
      "Each site of it replaces that of the store." },
    { "train", CTL_IN_TRAIN, ctl_train, 1, -1, "SITE_DIR...", NULL,
      "trains a model for detector pagelevel",
      "Each SITE_DIR holds the pages of one site, which need no labels. Equal input gives an "
      "equal model." },
};
/* clang-format on */

#define N_COMMANDS (sizeof(commands) / sizeof(commands[0]))

static const ctl_command_t *find_command(const char *name)
{
    for (apr_size_t i = 0; i < N_COMMANDS; i++) {
        if (strcmp(name, commands[i].name) == 0) {
            return &commands[i];
        }
    }
    return NULL;
}

static int refuse_command(const char *name)
{
    ctl_say("unknown command \"%s\" (\"tmplctl help\" lists the commands)", name);
    return CTL_USAGE;
}

static void print_usage(FILE *out)
{
    fprintf(out, "Usage: tmplctl COMMAND [OPTION]... [ARGUMENT]...\n");
    for (apr_size_t i = 0; i < N_COMMANDS; i++) {
        if (commands[i].begins != NULL) {
            fprintf(out, "\n%s:\n", commands[i].begins);
        }
        fprintf(out, "  %-8s %-13s  %s\n", commands[i].name, commands[i].args, commands[i].summary);
    }
    fprintf(out, "\n\"tmplctl help COMMAND\" explains a command; \"tmplctl --version\" prints the "
                 "version.\n");
}

static int run_command(const ctl_command_t *command, int argc, const char *const *argv,
                       apr_pool_t *pool)
{
    ctl_t ctl = { .command = command, .pool = pool };
    if (ctl_options_parse(&ctl, argc, argv) != APR_SUCCESS) {
        return CTL_USAGE;
    }
    if (ctl.options.help) {
        ctl_help_print(command, pool);
        return CTL_OK;
    }
    return command->run(&ctl);
}

static int is_one_of(const char *arg, const char *name, const char *letter)
{
    return strcmp(arg, name) == 0 || strcmp(arg, letter) == 0;
}

static int dispatch(int argc, const char *const *argv, apr_pool_t *pool)
{
    if (argc < 2) {
        print_usage(stderr);
        return CTL_USAGE;
    }
    if (is_one_of(argv[1], "--help", "-h") || (strcmp(argv[1], "help") == 0 && argc == 2)) {
        print_usage(stdout);
        return CTL_OK;
    }
    if (is_one_of(argv[1], "--version", "-V")) {
        printf("tmplctl %s\n", TMPL_VERSION);
        return CTL_OK;
    }
    int explains = strcmp(argv[1], "help") == 0;
    const ctl_command_t *command = find_command(argv[1 + explains]);
    if (command == NULL) {
        return refuse_command(argv[1 + explains]);
    }
    if (explains) {
        ctl_help_print(command, pool);
        return CTL_OK;
    }
    return run_command(command, argc - 1, argv + 1, pool);
}

/* Lost output is a failure, even if it is only the summary line. */
static int flush_stdout(int code)
{
    if ((fflush(stdout) != 0 || ferror(stdout)) && code == CTL_OK) {
        ctl_say("standard output: cannot write");
        return CTL_FAILED;
    }
    return code;
}

/*
 * Opens /dev/null in place of closed standard streams: else the next file opened would get the
 * stream's number, and messages would go into a store or a page. The mode is the wrong one on
 * purpose, so that using the stream still fails.
 */
static int fill_closed_streams(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
        if (fcntl(fd, F_GETFD) == -1 &&
            open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) != fd) {
            return 0;
        }
    }
    return 1;
}

int main(int argc, const char *const *argv, const char *const *env)
{
    apr_allocator_t *allocator;
    apr_pool_t *pool;
    if (!fill_closed_streams()) {
        return CTL_FAILED;
    }
    if (apr_app_initialize(&argc, &argv, &env) != APR_SUCCESS ||
        apr_allocator_create(&allocator) != APR_SUCCESS) {
        fputs("tmplctl: cannot initialise APR\n", stderr);
        return CTL_FAILED;
    }
    apr_allocator_max_free_set(allocator, CTL_POOL_KEEPS);
    apr_pool_create_ex(&pool, NULL, ctl_no_memory, allocator);
    apr_pool_abort_set(ctl_no_memory, apr_pool_parent_get(pool));
    json_set_alloc_funcs(ctl_malloc, free);
    apr_allocator_owner_set(allocator, pool);
    int code = flush_stdout(dispatch(argc, argv, pool));
    apr_pool_destroy(pool);
    apr_terminate();
    ctl_interrupt_finish();
    return code;
}
