/* SPDX-License-Identifier: Apache-2.0 */
#include "ctl.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <apr_cstr.h>
#include <apr_getopt.h>
#include <apr_strings.h>
#include <xxhash.h>

#include "settings.h"
#include "stages.h"

const char CTL_STDIN[] = "(standard input)";

typedef struct option_t option_t;

/* Sets a field of ctl->options. Returns NULL, or what is wrong with value. */
typedef const char *option_set_f(ctl_t *ctl, const option_t *option, void *field,
                                 const char *value);

struct option_t {
    const char *name;
    int letter;        /* 0: it has no short form */
    const char *arg;   /* the name of its value; NULL: it takes none */
    unsigned known;    /* the commands that have it, CTL_IN_* */
    unsigned required; /* the commands that need it */
    option_set_f *set;
    apr_size_t offset;  /* offset of the field in ctl_options_t */
    double least, most; /* range of numbers */
    const char *help;
    const tmpl_setting_t
        *setting; /* the source of name, range and help; NULL: the option has its own */
};

static option_set_f set_flag, set_string, set_file, set_site, set_store, set_count;
static option_set_f set_setting, set_parts, set_ratio, set_separators;

#define CTL_PAGES     200 /* as many as the paper took of each site */
#define CTL_SIZE      3   /* the paper's choice, of its Table 1 */
#define CTL_MAX_LOADS 40  /* four times what the paper's sites took for that size */
#define CTL_DELAY     500

#define AT(field) offsetof(ctl_options_t, field)

#define TEXT(name, letter, arg, known, required, set, field, help)                                 \
    {                                                                                              \
        name, letter, arg, known, required, set, AT(field), 0, 0, help, NULL                       \
    }
#define FLAG(name, letter, known, field, help)                                                     \
    {                                                                                              \
        name, letter, NULL, known, 0, set_flag, AT(field), 0, 0, help, NULL                        \
    }
#define COUNT(name, letter, arg, known, field, least, most, help)                                  \
    {                                                                                              \
        name, letter, arg, known, 0, set_count, AT(field), least, most, help, NULL                 \
    }
#define SETTING(field, letter, arg, known, set, offset)                                            \
    {                                                                                              \
        NULL, letter, arg, known, 0, set, offset, 0, 0, NULL, &tmpl_settings[TMPL_SETTING_##field] \
    }

#define IN_POLICY  (CTL_IN_JUDGING | CTL_IN_STATS | CTL_IN_TRAIN)
#define IN_EDITING (CTL_IN_CLEAN | CTL_IN_EXPLAIN | CTL_IN_TEMPLATE | CTL_IN_WARC)

/* clang-format off */
static const option_t options[] = {
    TEXT("mode", 'm', "MODE", CTL_IN_CLEAN, 0, set_string, mode,
      "annotate, strip, highlight, text, markdown, reader, json, blocks, fingerprint or keys "
      "(default: strip)"),
    TEXT("mode", 'm', "MODE", CTL_IN_WARC, CTL_IN_WARC, set_string, mode,
      "text, markdown, json, reader, strip or annotate; learn, to fill --store only; or keys, "
      "for tmplctl merge"),
    TEXT("site", 0, "KEY", CTL_IN_JUDGING, 0, set_site, site,
      "the site that the pages are of: the key of its table (default: the host of a URL)"),
    TEXT("out", 'o', "DIR", CTL_IN_CLEAN, 0, set_file, out,
      "where to write; made if it is not there (-: standard output, the default for one page)"),
    TEXT("out", 'o', "FILE", CTL_IN_WARC, 0, set_file, out,
      "the file to write; compressed if its name ends in .gz, lines of JSON if in .jsonl (-: "
      "standard output, the default)"),
    FLAG("responses", 0, CTL_IN_WARC, responses,
      "write all records of the input, the pages in them edited (modes strip and annotate)"),
    FLAG("json-lines", 0, CTL_IN_WARC, json_lines,
      "write a line of JSON for each page in place of a record"),
    FLAG("incremental", 0, CTL_IN_WARC, incremental,
      "read once: judge each page by those before it"),
    FLAG("frozen", 0, CTL_IN_WARC, frozen, "learn nothing: judge by the tables of --store"),
    TEXT("report", 0, "FILE", CTL_IN_WARC, 0, set_string, report,
      "write what was done to FILE, as JSON (-: standard output)"),
    SETTING(store, 's', "URI", CTL_IN_ALL | CTL_IN_MERGE, set_store, AT(store)),
    TEXT("mirror", 'r', "MIRROR", CTL_IN_CLEAN, 0, set_string, mirror,
      "take all pages below MIRROR, the directory that wget -r made for the site's host, and "
      "keep its tree"),
    FLAG("two-pass", '2', CTL_IN_CLEAN, two_pass, "learn from all pages first, then judge each"),
    COUNT("jobs", 'j', "N", CTL_IN_CLEAN | CTL_IN_WARC, jobs, 1, CTL_JOBS_MOST,
      "threads that read and judge pages"),
    TEXT("files-from", 0, "LIST", CTL_IN_CLEAN, 0, set_file, files_from,
      "take file names from LIST, one a line (-: standard input)"),
    SETTING(detector, 'd', "NAME", CTL_IN_JUDGING, set_setting, AT(clean.detector)),
    SETTING(models, 0, "MODEL", CTL_IN_JUDGING, set_string, AT(model)),
    SETTING(smoothing, 0, "HOW", CTL_IN_JUDGING, set_setting, AT(clean.detect.smoothing)),
    SETTING(min_df, 0, "N", IN_POLICY | CTL_IN_MERGE, set_setting, AT(clean.policy.min_df)),
    SETTING(ratio, 0, "R", CTL_IN_JUDGING, set_ratio, AT(clean.detect.ratio)),
    SETTING(lifetime, 0, "Tb,N", IN_POLICY, set_setting, AT(clean.policy.lifetime_tb)),
    SETTING(separators, 0, "TAGS", CTL_IN_JUDGING, set_separators, AT(separators)),
    SETTING(keep, 0, "SEL", IN_EDITING, set_setting, AT(clean.guards.keep)),
    SETTING(drop, 0, "SEL", IN_EDITING, set_setting, AT(clean.guards.drop)),
    SETTING(parts, 0, "PARTS", IN_EDITING, set_parts, AT(parts)),
    SETTING(marks, 0, "MARK", CTL_IN_CLEAN | CTL_IN_WARC, set_setting, AT(clean.marks)),
    SETTING(min_keep, 0, "R", IN_EDITING, set_setting, AT(clean.guards.min_keep)),
    SETTING(min_confidence, 0, "R", IN_EDITING, set_setting, AT(clean.guards.min_confidence)),
    SETTING(seed, 0, "S", CTL_IN_JUDGING | CTL_IN_IMPORT | CTL_IN_MERGE, set_setting, AT(clean.page.seed)),
    FLAG("json", 0, CTL_IN_EXPLAIN | CTL_IN_STATS, json, "print JSON"),
    FLAG("all", 'a', CTL_IN_EXPORT, all, "export all sites of the store, one after another"),
    TEXT("out", 'o', "URI", CTL_IN_MERGE, 0, set_store, store, "--store, by its former name"),
    FLAG("freeze", 0, CTL_IN_MERGE, freeze,
      "freeze the sites: whoever uses the store judges by it, and learns nothing"),
    FLAG("lean", 0, CTL_IN_MERGE, lean, "freeze the sites, and leave out what only learning needs"),
    TEXT("out", 'o', "MODEL", CTL_IN_TRAIN, CTL_IN_TRAIN, set_string, out, "the file to write"),
    COUNT("pages", 0, "N", CTL_IN_TRAIN, pages, 2, 1000000,
      "pages of a site at most, evenly spread"),
    FLAG("trust", 0, CTL_IN_TRAIN, trust,
      "learn nothing as content that stands in nav, header, footer or aside, or in a list of "
      "links outside main and article"),
    COUNT("size", 0, "N", CTL_IN_WARM, size, 1, CTL_SIZE_MOST,
      "stop when so many pages link each other"),
    COUNT("max-loads", 0, "N", CTL_IN_WARM, max_loads, 2, CTL_LOADS_MOST,
      "pages loaded at most"),
    COUNT("delay", 0, "MS", CTL_IN_WARM, delay, 0, 3600000,
      "milliseconds between requests, unless the site's Crawl-delay is longer"),
    FLAG("help", 'h', CTL_IN_ALL | CTL_IN_MERGE, help, "print this"),
};
/* clang-format on */

/* Columns of a paragraph, and of the help of an option, behind its name. */
#define LINE_WIDTH 99
#define HELP_WIDTH 74

#define N_OPTIONS (sizeof(options) / sizeof(options[0]))

/* apr_getopt's id of an option without a letter is above all letters. */
#define ID_OF(i) (options[i].letter != 0 ? options[i].letter : 256 + (int)(i))

static const char *set_flag(ctl_t *ctl, const option_t *option, void *field, const char *value)
{
    (void)ctl, (void)option, (void)value;
    *(int *)field = 1;
    return NULL;
}

static const char *set_string(ctl_t *ctl, const option_t *option, void *field, const char *value)
{
    if (value[0] == '\0') {
        return apr_psprintf(ctl->pool, "%s must not be empty", option->arg);
    }
    *(const char **)field = value == CTL_STDIN ? "-" : value;
    return NULL;
}

/* A file or a directory; "-" is CTL_STDIN. */
static const char *set_file(ctl_t *ctl, const option_t *option, void *field, const char *value)
{
    const char *wrong = set_string(ctl, option, field, value);
    *(const char **)field = wrong == NULL ? value : NULL;
    return wrong;
}

static const char *set_site(ctl_t *ctl, const option_t *option, void *field, const char *value)
{
    return strlen(value) > TMPL_SITE_MAX
               ? apr_psprintf(ctl->pool, "%s must not be longer than %d bytes", option->arg,
                              TMPL_SITE_MAX)
               : set_string(ctl, option, field, value);
}

static const char *set_store(ctl_t *ctl, const option_t *option, void *field, const char *value)
{
    tmpl_error_t err;
    return tmpl_store_check_uri(value, &err, ctl->pool) != APR_SUCCESS
               ? apr_pstrdup(ctl->pool, err.text)
               : set_string(ctl, option, field, value);
}

static const char *set_count(ctl_t *ctl, const option_t *option, void *field, const char *value)
{
    char *end;
    errno = 0;
    unsigned long long n = strtoull(value, &end, 10);
    if (value[0] < '0' || value[0] > '9' || *end != '\0' || errno != 0 || n < option->least ||
        n > option->most) {
        return apr_psprintf(ctl->pool, "must be a whole number from %.0f to %.0f, not \"%s\"",
                            option->least, option->most, value);
    }
    *(uint32_t *)field = (uint32_t)n;
    return NULL;
}

static const char *set_setting(ctl_t *ctl, const option_t *option, void *field, const char *value)
{
    return tmpl_setting_read_opt(field, option->setting, value, ctl->pool);
}

static const char *set_parts(ctl_t *ctl, const option_t *option, void *field, const char *value)
{
    const char *wrong = set_setting(ctl, option, field, value);
    ctl->options.clean.guards.without = tmpl_parts_without(ctl->options.parts);
    return wrong;
}

static const char *set_ratio(ctl_t *ctl, const option_t *option, void *field, const char *value)
{
    const char *wrong = set_setting(ctl, option, field, value);
    ctl->options.clean.detect.threshold = ctl->options.clean.detect.ratio;
    return wrong;
}

static const char *set_separators(ctl_t *ctl, const option_t *option, void *field,
                                  const char *value)
{
    tmpl_separators_t named;
    const apr_array_header_t *words = apr_cstr_split(value, " \t\r\n", 1, ctl->pool);
    const char *wrong = tmpl_setting_separators(&named, option->setting, words->nelts,
                                                (char *const *)(void *)words->elts, ctl->pool);
    if (wrong == NULL) {
        *(tmpl_tag_set_t *)field = named.all;
        ctl->options.clean.page.separators = field;
    }
    return wrong;
}

static const char *name_of_option(const option_t *option)
{
    return option->setting != NULL ? option->setting->option : option->name;
}

/*
 * The arguments for apr_getopt, which takes a bare "-" for an error, so CTL_STDIN replaces it.
 * apr_getopt begins its messages with the first argument, so that is "tmplctl: COMMAND".
 */
static const char **disguise(int argc, const char *const *argv, apr_pool_t *pool)
{
    const char **copy = apr_palloc(pool, ((apr_size_t)argc + 1) * sizeof(*copy));
    copy[0] = apr_pstrcat(pool, "tmplctl: ", argv[0], NULL);
    for (int i = 1; i < argc; i++) {
        copy[i] = strcmp(argv[i], "-") == 0 ? CTL_STDIN : argv[i];
    }
    copy[argc] = NULL;
    return copy;
}

static const apr_getopt_option_t *known_to(const ctl_command_t *command, apr_pool_t *pool)
{
    apr_getopt_option_t *known = apr_pcalloc(pool, (N_OPTIONS + 1) * sizeof(*known));
    apr_size_t n = 0;
    for (apr_size_t i = 0; i < N_OPTIONS; i++) {
        if ((options[i].known & command->bit) != 0) {
            known[n].name = name_of_option(&options[i]);
            known[n].optch = ID_OF(i);
            known[n].has_arg = options[i].arg != NULL;
            n++;
        }
    }
    return known;
}

/* Commands may have options of one letter and different meanings. */
static apr_size_t index_of_option(const ctl_command_t *command, int id)
{
    apr_size_t i = 0;
    while (ID_OF(i) != id || (options[i].known & command->bit) == 0) {
        i++;
    }
    return i;
}

static apr_status_t refuse(const ctl_t *ctl)
{
    ctl_say("(\"tmplctl %s --help\" lists the options)", ctl->command->name);
    return APR_EINVAL;
}

/* Checks the command line as a whole: options that are missing, the number of arguments. */
static apr_status_t check_whole(ctl_t *ctl, const unsigned char *seen)
{
    const ctl_command_t *command = ctl->command;
    for (apr_size_t i = 0; i < N_OPTIONS; i++) {
        if ((options[i].required & command->bit) != 0 && !seen[i]) {
            ctl_say("%s: --%s %s is missing", command->name, name_of_option(&options[i]),
                    options[i].arg);
            return refuse(ctl);
        }
    }
    int n = ctl->args->nelts;
    if (n < command->least_args) {
        ctl_say("%s: %s is missing", command->name, command->args);
        return refuse(ctl);
    }
    if (command->most_args >= 0 && n > command->most_args) {
        ctl_say("%s: \"%s\" is one argument too many", command->name,
                APR_ARRAY_IDX(ctl->args, command->most_args, const char *));
        return refuse(ctl);
    }
    for (int i = 0; i < n; i++) {
        if (APR_ARRAY_IDX(ctl->args, i, const char *)[0] == '\0') {
            ctl_say("%s: an argument is empty", command->name);
            return refuse(ctl);
        }
    }
    return APR_SUCCESS;
}

/* Loads the built-in models, if the detector needs one, and the model that --model names. */
static apr_status_t load_models(ctl_t *ctl)
{
    tmpl_error_t err;
    const char *whose;
    tmpl_models_t *models = &ctl->options.clean.detect.models;
    const char *named = ctl->options.model;
    int needless =
        named == NULL && tmpl_detector(ctl->options.clean.detector)->need == TMPL_NEED_COUNTS;
    if ((ctl->command->bit & CTL_IN_JUDGING) == 0 || needless) {
        return APR_SUCCESS;
    }
    tmpl_models_builtin(models, ctl->pool);
    if (named == NULL) {
        return APR_SUCCESS;
    }
    if (tmpl_models_load(models, &whose, named, &err, ctl->pool) != APR_SUCCESS) {
        ctl_say("%s: --model: %s", ctl->command->name, err.text);
        return refuse(ctl);
    }
    if (strcmp(whose, tmpl_detector(ctl->options.clean.detector)->name) != 0) {
        ctl_say("%s: --model: %s is one for --detector %s", ctl->command->name, named, whose);
        return refuse(ctl);
    }
    return APR_SUCCESS;
}

static ctl_options_t defaults(void)
{
    return (ctl_options_t){ .mode = "strip",
                            .clean = tmpl_clean_opts_default(),
                            .jobs = 1,
                            .pages = CTL_PAGES,
                            .size = CTL_SIZE,
                            .max_loads = CTL_MAX_LOADS,
                            .delay = CTL_DELAY };
}

/* Adds an option to ctl->given, unless outputs are the same without it. */
static void note_option(ctl_t *ctl, const option_t *option, const char *value)
{
    static const apr_size_t others[] = { AT(jobs), AT(report) };
    for (apr_size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        if (option->offset == others[i]) {
            return;
        }
    }
    const char *name = name_of_option(option);
    value = value != NULL ? value : "";
    ctl->given = XXH3_64bits_withSeed(name, strlen(name), ctl->given);
    ctl->given = XXH3_64bits_withSeed(value, strlen(value), ctl->given);
}

/* Returns 0 if it is standard input, and another is, too. */
static int take_argument(ctl_t *ctl, const char *arg)
{
    if (arg == CTL_STDIN &&
        (ctl->command->bit & (CTL_IN_PAGES | CTL_IN_WARC | CTL_IN_MERGE)) == 0) {
        arg = "-"; /* it is a site, which may be called so */
    }
    for (int i = 0; i < ctl->args->nelts && arg == CTL_STDIN; i++) {
        if (APR_ARRAY_IDX(ctl->args, i, const char *) == arg) {
            return 0;
        }
    }
    APR_ARRAY_PUSH(ctl->args, const char *) = arg;
    return 1;
}

apr_status_t ctl_options_parse(ctl_t *ctl, int argc, const char *const *argv)
{
    apr_getopt_t *getopt_state;
    unsigned char seen[N_OPTIONS] = { 0 };
    const apr_getopt_option_t *known = known_to(ctl->command, ctl->pool);
    ctl->options = defaults();
    ctl->args = apr_array_make(ctl->pool, argc, sizeof(const char *));
    apr_status_t status =
        apr_getopt_init(&getopt_state, ctl->pool, argc, disguise(argc, argv, ctl->pool));
    if (status != APR_SUCCESS) {
        return status;
    }
    getopt_state->interleave = 1;
    for (;;) {
        int id;
        const char *value = NULL;
        status = apr_getopt_long(getopt_state, known, &id, &value);
        if (status == APR_EOF) {
            break;
        }
        if (status != APR_SUCCESS) {
            return refuse(ctl);
        }
        apr_size_t i = index_of_option(ctl->command, id);
        seen[i] = 1;
        note_option(ctl, &options[i], value);
        void *field = (char *)&ctl->options + options[i].offset;
        const char *wrong = options[i].set(ctl, &options[i], field, value);
        if (wrong != NULL) {
            ctl_say("%s: --%s: %s", ctl->command->name, name_of_option(&options[i]), wrong);
            return refuse(ctl);
        }
    }
    for (int i = getopt_state->ind; i < argc; i++) {
        if (!take_argument(ctl, getopt_state->argv[i])) {
            ctl_say("%s: standard input can be read once only", ctl->command->name);
            return refuse(ctl);
        }
    }
    if (ctl->options.help) {
        return APR_SUCCESS;
    }
    if (ctl->options.out == CTL_STDIN) {
        ctl->options.out = NULL; /* "-" is standard output, as if none was named */
    }
    status = check_whole(ctl, seen);
    if (status == APR_SUCCESS && (ctl->options.parts.off | ctl->options.parts.on) != 0 &&
        ctl->options.clean.detector != TMPL_DETECTOR_AUTO) {
        ctl_say("%s: --parts: only --detector auto tells parts apart", ctl->command->name);
        return refuse(ctl);
    }
    return status == APR_SUCCESS ? load_models(ctl) : status;
}

/* What an option is for, with its range and default. */
static const char *help_of(const option_t *option, apr_pool_t *pool)
{
    const tmpl_setting_t *setting = option->setting;
    ctl_options_t unset = defaults();
    if (setting != NULL) {
        /* the default store is the module's */
        int has_default = setting->form != TMPL_FORM_STORE;
        return apr_pstrcat(pool, setting->about, ": ", setting->values,
                           has_default ? " (default: " : "", has_default ? setting->preset : "",
                           has_default ? ")" : "", NULL);
    }
    if (option->set == set_count) {
        const void *field = (const char *)&unset + option->offset;
        return apr_psprintf(pool, "%s (%.0f to %.0f; default: %u)", option->help, option->least,
                            option->most, *(const uint32_t *)field);
    }
    return option->help;
}

/* Prints text in lines of width, behind left and then behind as many blanks. */
static void print_lines(const char *left, const char *text, int width)
{
    int indent = (int)strlen(left);
    while (*text != '\0') {
        int len = (int)strlen(text);
        if (len > width) {
            const char *blank = memrchr(text, ' ', (size_t)width + 1);
            len = blank != NULL ? (int)(blank - text) : (int)strcspn(text, " ");
        }
        printf("%*s%.*s\n", indent, left, len, text);
        left = "";
        text += len + (text[len] != '\0');
    }
}

static void print_option(const option_t *option, unsigned required, apr_pool_t *pool)
{
    const char *letter = option->letter != 0 ? apr_psprintf(pool, "-%c, ", option->letter) : "    ";
    const char *left = apr_psprintf(pool, "  %-22s ",
                                    apr_pstrcat(pool, letter, "--", name_of_option(option),
                                                option->arg != NULL ? " " : "", option->arg, NULL));
    print_lines(left, apr_pstrcat(pool, help_of(option, pool), required ? " (required)" : "", NULL),
                HELP_WIDTH);
}

void ctl_help_print(const ctl_command_t *command, apr_pool_t *pool)
{
    printf("Usage: tmplctl %s [OPTION]... %s\n\n%s %s.\n", command->name, command->args,
           command->name, command->summary);
    print_lines("", command->help, LINE_WIDTH);
    if ((command->bit & (CTL_IN_STORE | CTL_IN_TEMPLATE | CTL_IN_WARM | CTL_IN_MERGE)) != 0) {
        printf("The default of --store is the environment variable TMPL_STORE.\n");
    }
    printf("\nOptions, with their ranges and defaults:\n");
    for (apr_size_t i = 0; i < N_OPTIONS; i++) {
        if ((options[i].known & command->bit) != 0) {
            print_option(&options[i], options[i].required & command->bit, pool);
        }
    }
    printf("\nExit codes: %d success, %d a file or the store failed, %d wrong usage%s.\n", CTL_OK,
           CTL_FAILED, CTL_USAGE,
           (command->bit & CTL_IN_PAGES) != 0 ? ", 4 an input is no text" : "");
}
