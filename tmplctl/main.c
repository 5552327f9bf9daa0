/* SPDX-License-Identifier: Apache-2.0 */
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <apr_general.h>
#include <jansson.h>

#include "ctl.h"
#include "process.h"
#include "progress.h"

static const ctl_command_t commands[] = {
    { "clean", CTL_IN_CLEAN, ctl_clean, 0, -1, "[FILE|URL]...",
      "detects the template of pages, and marks or removes it",
      "One page goes to standard output, unless --out names a directory: without FILE it comes "
      "from\n"
      "standard input (-), and it is judged alone, as the first page of a site.\n"
      "Several pages need --out DIR, except in mode json. They are read in the given order. Each "
      "file\n"
      "is one document, identified by its path, and is judged by the counts of all files up to "
      "and\n"
      "including it.\n"
      "The output of each is DIR/NAME.html (annotate, strip, highlight, reader), .txt (text,\n"
      "fingerprint), .md (markdown) or .json (json, blocks).\n"
      "  annotate  the page, with its template marked by data-tmpl and <!--tmpl-->\n"
      "  strip     the page without its template\n"
      "  highlight the page with each block shaded by its verdict, and why\n"
      "  text      the text that is not template: UTF-8, one line per block\n"
      "  markdown  what strip leaves, as Markdown: CommonMark with GFM's tables and footnotes\n"
      "  reader    what strip leaves, as a page of its own for reading\n"
      "  json      what strip leaves, as data: metadata, parts, records, links, images, in one "
      "line\n"
      "  blocks    the blocks with their verdicts, and the spans that strip deletes, as JSON\n"
      "  fingerprint\n"
      "            one line with the fingerprint of the text that is not template\n"
      "  keys      one line with what a store would learn, for tmplctl merge; learns nothing\n"
      "Without --store, the counts are kept in memory and lost at the end; with it, name the "
      "site,\n"
      "unless the page is a URL. Pages may be compressed by gzip. A declined page is named on\n"
      "standard error. The number of --jobs changes neither outputs nor messages. With --mirror "
      "the\n"
      "files are all pages that wget -r saved: each is identified by its address below MIRROR, "
      "and\n"
      "outputs keep the tree.\n"
      "Exit code 3: all pages are written, but the store failed.\n" },
    { "warc", CTL_IN_WARC, ctl_warc, 1, -1, "WARC...",
      "cleans the pages of archives of the web, each by the table of its site",
      "Reads WARC/1.0 and 1.1, plain, gzip or zstd. Learns all pages first, by host, then judges "
      "each;\n"
      "with --incremental it reads once. Writes a conversion record for each page: its text, "
      "Markdown,\n"
      "JSON, reader view or HTML. With --responses it writes all records, with the pages in them "
      "edited.\n"
      "Damaged records are named and skipped. OUT.part has what is unfinished: after a kill the "
      "same\n"
      "command goes on from there. Without --store the tables are in OUT.part, too, and are "
      "removed.\n"
      "With -, or without --out, they are kept in memory. WARC may be -, standard input, if it is "
      "read\n"
      "once.\n"
      "Exit code 3: all is written, but the store failed.\n" },
    { "explain", CTL_IN_EXPLAIN, ctl_explain, 0, 1, "[FILE|URL]",
      "tells of each block why it is cut, or why it stays",
      "Prints of each block its bytes, element, DF and part, the verdict with what it rests on,\n"
      "what annotate and strip do with it, and why. With detector auto it rests on three features, "
      "each\n"
      "with its value and how much that raised (+) or lowered (-) the log odds to be template.\n"
      "For a declined page: the reason, and the byte, line and tag. It learns nothing. Without "
      "FILE\n"
      "it reads a page from standard input (-). The default of --site is the host of a URL.\n" },
    { "template", CTL_IN_TEMPLATE, ctl_template, 1, 1, "FILE|URL|-",
      "prints the text of a site's template, once",
      "The text is that of a page, because stores hold hashes only: of its template blocks, those "
      "of\n"
      "which more than half is on --min-df pages of the site or more, each text once. The default\n"
      "of --site is the host of a URL, that of --store is TMPL_STORE. It learns nothing.\n" },
    { "stats", CTL_IN_STATS, ctl_stats, 0, 1, "[SITE]",
      "prints the size of one site's table, or of all tables",
      "pages: documents learnt; entries: all entries; live: entries that have not expired;\n"
      "template: live entries whose DF is at least --min-df; bytes: estimated size; version:\n"
      "grows each time that an entry becomes template. Standard error has how many\n"
      "sites an LMDB store has forgotten for others, if there are any.\n" },
    { "forget", CTL_IN_FORGET, ctl_forget, 1, 1, "SITE", "removes a site from the store", "" },
    { "check", CTL_IN_CHECK, ctl_check, 0, 0, "", "looks for damage in an LMDB store",
      "Reads all pages of data.mdb that are in use. Servers may go on, but learn nothing\n"
      "meanwhile. Changes nothing: the server that opens a damaged file first moves it aside.\n" },
    { "export", CTL_IN_EXPORT, ctl_export, 1, 1, "SITE",
      "writes a site's table to standard output, as JSON lines", "" },
    { "import", CTL_IN_IMPORT, ctl_import, 1, 1, "SITE",
      "replaces a site's table by an exported one",
      "Reads standard input. If a line is invalid, prints its number and changes nothing.\n" },
    { "merge", CTL_IN_MERGE, ctl_merge, 1, 1, "KEYS",
      "writes the tables of a file of keys to a store",
      "KEYS is a file of keys (clean -m keys) that is sorted by LC_ALL=C sort; - is standard "
      "input.\n"
      "Each site of the files replaces that of --out. The keys of a page count once, however many\n"
      "files have them, and in one order: the result does not depend on how pages were divided.\n"
      "Nothing of a site that was merged is old: entries begin to age with the next page.\n" },
    { "train", CTL_IN_TRAIN, ctl_train, 1, -1, "SITE_DIR...",
      "trains a model for detector pagelevel",
      "Each SITE_DIR holds the pages of one site (.html, .htm, at any depth). Pages need no\n"
      "labels: a node is learnt as template if the counts over its site say so of all its\n"
      "blocks. Equal input gives an equal model.\n" },
    { "warm", CTL_IN_WARM, ctl_warm, 1, 1, "URL",
      "learns a site from a few of its pages on the web",
      "Loads the page at URL and follows its links, near ones first, until --size of the pages\n"
      "link each other and the text that they share is template by --min-df. Learns all pages\n"
      "that it loads, then prints how much of the page at URL is template. Obeys robots.txt.\n"
      "The default of --site is the host of URL, which must be the server's key of the site: name\n"
      "that otherwise. The default of --store is TMPL_STORE. The other options must be those of\n"
      "the server that will use the table.\n" },
};

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

static void print_usage(FILE *out)
{
    fprintf(out, "Usage: tmplctl COMMAND [OPTION]... [ARGUMENT]...\n\nCommands:\n");
    for (apr_size_t i = 0; i < N_COMMANDS; i++) {
        fprintf(out, "  %-8s %-13s  %s\n", commands[i].name, commands[i].args, commands[i].summary);
    }
    fprintf(out, "\n\"tmplctl help COMMAND\" explains a command; \"tmplctl --version\" prints the "
                 "version.\n");
}

static void print_help(const ctl_command_t *command, apr_pool_t *pool)
{
    printf("Usage: tmplctl %s [OPTION]... %s\n\n%s %s.\n%s", command->name, command->args,
           command->name, command->summary, command->help);
    if ((command->bit & CTL_IN_STORE) != 0) {
        printf("The default of --store is the environment variable TMPL_STORE.\n");
    }
    ctl_options_print(command, pool);
    printf("\nExit codes: %d success, %d a file or the store failed, %d wrong usage%s.\n", CTL_OK,
           CTL_FAILED, CTL_USAGE,
           (command->bit & CTL_IN_PAGES) != 0 ? ", 4 an input is no text" : "");
}

static int run_command(const ctl_command_t *command, int argc, const char *const *argv,
                       apr_pool_t *pool)
{
    ctl_t ctl = { .command = command, .pool = pool };
    if (ctl_options_parse(&ctl, argc, argv) != APR_SUCCESS) {
        return CTL_USAGE;
    }
    if (ctl.options.help) {
        print_help(command, pool);
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
        ctl_say("unknown command \"%s\"", argv[1 + explains]);
        print_usage(stderr);
        return CTL_USAGE;
    }
    if (explains) {
        print_help(command, pool);
        return CTL_OK;
    }
    return run_command(command, argc - 1, argv + 1, pool);
}

/* Whether standard output is a pipe without a reader ("| head"): that needs no message. */
static int reader_has_closed(void)
{
    struct pollfd out = { STDOUT_FILENO, POLLOUT, 0 };
    return poll(&out, 1, 0) == 1 && (out.revents & POLLERR) != 0;
}

/*
 * Lost output is a failure, even if it is only the summary line. Without a reader the process will
 * die of SIGPIPE, as other tools do: sets *broken.
 */
static int flush_stdout(int code, int *broken)
{
    if (fflush(stdout) != 0 || ferror(stdout)) {
        *broken = reader_has_closed();
        if (code == CTL_OK && !*broken) {
            ctl_say("standard output: cannot write");
        }
        return code == CTL_OK ? CTL_FAILED : code;
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
    signal(SIGPIPE, SIG_IGN); /* the write then fails instead */
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
    int broken = 0;
    int code = flush_stdout(dispatch(argc, argv, pool), &broken);
    apr_pool_destroy(pool);
    apr_terminate();
    ctl_interrupt_finish();
    if (broken) {
        signal(SIGPIPE, SIG_DFL);
        raise(SIGPIPE);
    }
    return code;
}
