/* SPDX-License-Identifier: Apache-2.0 */
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <apr_general.h>

#include <libxml/parser.h>

#include "ctl.h"
#include "interrupt.h"
#include "options.h"
#include "progress.h"

static const ctl_command_t commands[] = {
    { "clean", CTL_IN_CLEAN, ctl_clean, 0, -1, "FILE...",
      "finds the template of pages, and marks it or takes it out",
      "Feeds the files in the order given. Each file is a document, known by its path, and\n"
      "is judged with what was seen up to and including it. DIR/NAME is written for each:\n"
      "NAME.html (annotate, strip), NAME.txt (text, fingerprint) or NAME.json (json).\n"
      "  annotate  the page, template marked by data-tmpl and <!--tmpl-->\n"
      "  strip     the page without its template\n"
      "  text      the text that is not template, UTF-8, one line a block\n"
      "  json      what was found, block by block, and the spans that strip cuts\n"
      "  fingerprint\n"
      "            a line by which copies of an article are found\n"
      "Without --store, what is learnt is forgotten at the end. FILE may be -: names of\n"
      "files are then read from standard input, one a line. What is written and printed is\n"
      "the same for every number of --jobs.\n" },
    { "segments", CTL_IN_SEGMENTS, ctl_segments, 1, 1, "FILE",
      "prints the blocks and segments of a page",
      "With --store and --site also what is known of them. Nothing is learnt.\n" },
    { "stats", CTL_IN_STATS, ctl_stats, 0, 1, "[SITE]", "prints the figures of a site, or of all",
      "pages: documents seen; entries: held; live: not yet expired; template: live ones with\n"
      "at least --min-df documents; bytes: estimate of their size; version: grows when an\n"
      "entry becomes template.\n" },
    { "forget", CTL_IN_FORGET, ctl_forget, 1, 1, "SITE", "removes all that is known of a site",
      "" },
    { "export", CTL_IN_EXPORT, ctl_export, 1, 1, "SITE",
      "writes a site's table to standard output as JSON lines", "" },
    { "import", CTL_IN_IMPORT, ctl_import, 1, 1, "SITE",
      "replaces a site's table by what export has written",
      "Reads standard input. If any line is bad, it is named and nothing is changed.\n" },
    { "train", CTL_IN_TRAIN, ctl_train, 1, -1, "SITE_DIR...",
      "makes a model for page-level detection from sites",
      "Each SITE_DIR holds the pages of a site (.html, .htm, at any depth). A node is\n"
      "learnt as template if all its blocks are, by counts over all pages of its site;\n"
      "nobody has to label anything. Equal input gives an equal model.\n" },
    { "warm", CTL_IN_WARM, ctl_warm, 1, 1, "URL",
      "teaches a site's table from a few pages of the web",
      "Loads the page, follows its links, those near by first, until --size pages link each\n"
      "other and what they share is template by --min-df, and learns all that it loads. Says\n"
      "what is then template of the page. robots.txt is honoured. The site is the URL's host\n"
      "unless --site says another; the store is the one that TMPL_STORE names unless --store\n"
      "does. Other options must be those of the server that is to use the table.\n" },
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
        fprintf(out, "  %-8s %-11s  %s\n", commands[i].name, commands[i].args, commands[i].summary);
    }
    fprintf(out, "\n\"tmplctl COMMAND --help\" explains one; \"tmplctl --version\" prints the "
                 "version.\n");
}

static void print_help(const ctl_command_t *command, apr_pool_t *pool)
{
    printf("Usage: tmplctl %s [OPTION]... %s\n\n%s %s.\n%s", command->name, command->args,
           command->name, command->summary, command->help);
    if ((command->bit & CTL_IN_STORE) != 0) {
        printf("Without --store, the store is the one that TMPL_STORE names.\n");
    }
    ctl_options_print(command, pool);
    printf("\nExit codes: %d all went well, %d a file or the store failed, %d wrong usage.\n",
           CTL_OK, CTL_FAILED, CTL_USAGE);
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

static int dispatch(int argc, const char *const *argv, apr_pool_t *pool)
{
    if (argc < 2) {
        print_usage(stderr);
        return CTL_USAGE;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        print_usage(stdout);
        return CTL_OK;
    }
    if (strcmp(argv[1], "--version") == 0) {
        printf("tmplctl %s\n", TMPL_VERSION);
        return CTL_OK;
    }
    const ctl_command_t *command = find_command(argv[1]);
    if (command == NULL) {
        ctl_say("there is no command \"%s\"", argv[1]);
        print_usage(stderr);
        return CTL_USAGE;
    }
    return run_command(command, argc - 1, argv + 1, pool);
}

/* Whether standard output is a pipe that nobody reads any more ("| head"). */
static int reader_has_left(void)
{
    struct pollfd out = { STDOUT_FILENO, POLLOUT, 0 };
    return poll(&out, 1, 0) == 1 && (out.revents & POLLERR) != 0;
}

/* Output that was lost is a failure, be it only the summary line. */
static int flush_stdout(int code)
{
    if (fflush(stdout) != 0 || ferror(stdout)) {
        if (code == CTL_OK && !reader_has_left()) {
            ctl_say("standard output: not written");
        }
        return code == CTL_OK ? CTL_FAILED : code;
    }
    return code;
}

/*
 * What is opened next takes the place of a standard stream that is closed: messages would go into a store, or into
 * somebody's page. Opened the wrong way round, the stream fails as one that is closed.
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
    signal(SIGPIPE, SIG_IGN); /* an error of the write is what is wanted */
    if (apr_app_initialize(&argc, &argv, &env) != APR_SUCCESS ||
        apr_allocator_create(&allocator) != APR_SUCCESS) {
        fputs("tmplctl: APR does not start\n", stderr);
        return CTL_FAILED;
    }
    xmlInitParser(); /* before threads would do it at once */
    apr_allocator_max_free_set(allocator, CTL_POOL_KEEPS);
    apr_pool_create_ex(&pool, NULL, NULL, allocator);
    apr_allocator_owner_set(allocator, pool);
    int code = flush_stdout(dispatch(argc, argv, pool));
    apr_pool_destroy(pool);
    apr_terminate();
    ctl_interrupt_finish();
    return code;
}
