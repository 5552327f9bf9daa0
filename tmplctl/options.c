/* SPDX-License-Identifier: Apache-2.0 */
#include "options.h"

#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <apr_getopt.h>
#include <apr_strings.h>

#include "base/number.h"
#include "progress.h"
#include "stages.h"
#include "warm/subdigraph.h"

const char CTL_STDIN[] = "(standard input)";

typedef struct option_t option_t;

typedef apr_status_t option_set_f(ctl_t *ctl, const option_t *option, const char *value,
                                  tmpl_error_t *err);

struct option_t {
    const char *name;
    int letter;        /* 0: it has no short form */
    const char *arg;   /* what its value is called; NULL: it takes none */
    unsigned known;    /* the commands that know it, CTL_IN_* */
    unsigned required; /* the commands that cannot do without */
    option_set_f *set;
    apr_size_t offset;  /* of the field in ctl_options_t */
    double least, most; /* range of numbers */
    const char *help;   /* with \n between lines */
};

static option_set_f set_flag, set_string, set_file, set_site, set_store, set_uint, set_share,
    set_lifetime;
static option_set_f set_separators, set_selector, set_secret, set_ratio, set_detector,
    set_smoothing;
static option_set_f set_without;

#define CTL_PAGES     200 /* as many as the paper took of each site */
#define CTL_SIZE      3   /* the paper's choice, of its Table 1 */
#define CTL_MAX_LOADS 40  /* four times what the paper's sites took for that size */
#define CTL_DELAY     500

#define AT(field) offsetof(ctl_options_t, field)

#define IN_JUDGING (CTL_IN_CLEAN | CTL_IN_SEGMENTS | CTL_IN_WARM)
#define IN_POLICY  (IN_JUDGING | CTL_IN_STATS | CTL_IN_TRAIN)

/* clang-format off */
static const option_t options[] = {
    { "mode", 'm', "MODE", CTL_IN_CLEAN, CTL_IN_CLEAN, set_string, AT(mode), 0, 0,
      "annotate, strip, text, json or fingerprint" },
    { "site", 0, "KEY", IN_JUDGING, CTL_IN_CLEAN, set_site, AT(site), 0, 0,
      "the site that the pages are of: the key of its table" },
    { "out", 'o', "DIR", CTL_IN_CLEAN, CTL_IN_CLEAN, set_string, AT(out), 0, 0,
      "where to write; made if it is not there" },
    { "store", 's', "URI", CTL_IN_ALL, 0, set_store, AT(store), 0, 0,
      "lmdb:DIR, redis://[user:pass@]host[:port][/db] or\n"
      "redis+unix:///path[?db=n&user=u&pass=p]" },
    { "two-pass", '2', NULL, CTL_IN_CLEAN, 0, set_flag, AT(two_pass), 0, 0,
      "learn from all pages first, then judge each" },
    { "jobs", 'j', "N", CTL_IN_CLEAN, 0, set_uint, AT(jobs), 1, CTL_JOBS_MOST,
      "threads that read and judge pages" },
    { "files-from", 0, "LIST", CTL_IN_CLEAN, 0, set_file, AT(files_from), 0, 0,
      "take file names from LIST, one a line (-: standard input)" },
    { "detector", 'd', "NAME", IN_JUDGING, 0, set_detector, AT(clean.detector), 0, 0,
      "what judges:" TMPL_DETECTOR_NAMES },
    { "model", 0, "MODEL", IN_JUDGING, 0, set_string, AT(model), 0, 0,
      "a file that the detector judges by, not the model that is\n"
      "built in" },
    { "smoothing", 0, "HOW", IN_JUDGING, 0, set_smoothing, AT(clean.detect.smoothing), 0, 0,
      "how detector pagelevel makes the parts of a page agree:\n"
      "off max min on" },
    { "min-df", 0, "N", IN_POLICY, 0, set_uint, AT(clean.policy.min_df),
      TMPL_MIN_DF_LEAST, TMPL_MIN_DF_MOST,
      "a segment is template from N documents on" },
    { "ratio", 0, "R", IN_JUDGING, 0, set_ratio, AT(clean.detect.ratio), 0, 1,
      "a block is template above this template ratio; for detectors\n"
      "with a model above this templateness, not the model's own" },
    { "lifetime", 0, "Tb,N", IN_POLICY, 0, set_lifetime, 0, 1, UINT32_MAX,
      "pages a segment seen once is remembered for, and how\n"
      "many times longer it may become" },
    { "separators", 0, "TAGS", IN_JUDGING, 0, set_separators, 0, 0, 0,
      "the elements that part blocks, instead of the default ones" },
    { "keep", 0, "SEL", CTL_IN_CLEAN, 0, set_selector, AT(clean.guards.keep), 0, 0,
      "elements that match are content: tag, #id, .class,\n"
      "[attr=value]; may be given more than once" },
    { "drop", 0, "SEL", CTL_IN_CLEAN, 0, set_selector, AT(clean.guards.drop), 0, 0,
      "elements that match are template; likewise" },
    { "min-keep", 0, "R", CTL_IN_CLEAN, 0, set_share, AT(clean.guards.min_keep), 0, 1,
      "leave a page alone of which less than this share of its\n"
      "text would be left" },
    { "secret", 0, "S", IN_JUDGING, 0, set_secret, 0, 0, 0,
      "seed of all keys, as in TmplSecret" },
    { "out", 0, "MODEL", CTL_IN_TRAIN, CTL_IN_TRAIN, set_string, AT(out), 0, 0,
      "the file to write" },
    { "pages", 0, "N", CTL_IN_TRAIN, 0, set_uint, AT(pages), 2, 1000000,
      "pages of a site at most, evenly spread" },
    { "trust", 0, NULL, CTL_IN_TRAIN, 0, set_flag, AT(trust), 0, 0,
      "learn nothing as content that stands in nav, header, footer\n"
      "or aside, or in a list of links outside main and article" },
    { "without", 0, "GROUP", CTL_IN_TRAIN, 0, set_without, 0, 0, 0,
      "leave out a group of features: place, size, tree, tag, mark,\n"
      "word, link, text, near, repeat, attribute; may be given more\n"
      "than once" },
    { "date", 0, "TEXT", CTL_IN_TRAIN, 0, set_string, AT(date), 0, 0,
      "what the model says of when it was made" },
    { "size", 0, "N", CTL_IN_WARM, 0, set_uint, AT(size), 1, TMPL_SUBDIGRAPH_SIZE_MOST,
      "how many pages that link each other are looked for" },
    { "max-loads", 0, "N", CTL_IN_WARM, 0, set_uint, AT(max_loads),
      2, TMPL_SUBDIGRAPH_LINKS_MOST,
      "pages loaded at most" },
    { "via", 0, "PROXY", CTL_IN_WARM, 0, set_string, AT(via), 0, 0,
      "http://HOST:PORT of a server with mod_tmpl: sends it for each\n"
      "page, so that it learns, instead of writing to a store" },
    { "delay", 0, "MS", CTL_IN_WARM, 0, set_uint, AT(delay), 0, 3600000,
      "milliseconds between requests; a longer Crawl-delay of the\n"
      "site's is kept" },
    { "help", 'h', NULL, CTL_IN_ALL, 0, set_flag, AT(help), 0, 0,
      "print this" },
};
/* clang-format on */

#define N_OPTIONS (sizeof(options) / sizeof(options[0]))

/* apr_getopt's ids of options without a letter lie beyond every letter. */
#define ID_OF(i) (options[i].letter != 0 ? options[i].letter : 256 + (int)(i))

static void *field_of(ctl_t *ctl, const option_t *option)
{
    return (char *)&ctl->options + option->offset;
}

static apr_status_t set_flag(ctl_t *ctl, const option_t *option, const char *value,
                             tmpl_error_t *err)
{
    (void)value;
    (void)err;
    *(int *)field_of(ctl, option) = 1;
    return APR_SUCCESS;
}

static apr_status_t set_string(ctl_t *ctl, const option_t *option, const char *value,
                               tmpl_error_t *err)
{
    if (value[0] == '\0') {
        return tmpl_fail(err, APR_EINVAL, "%s must not be empty", option->arg);
    }
    *(const char **)field_of(ctl, option) = value == CTL_STDIN ? "-" : value;
    return APR_SUCCESS;
}

static apr_status_t set_file(ctl_t *ctl, const option_t *option, const char *value,
                             tmpl_error_t *err)
{
    if (value != CTL_STDIN) {
        return set_string(ctl, option, value, err);
    }
    *(const char **)field_of(ctl, option) = value;
    return APR_SUCCESS;
}

static apr_status_t set_site(ctl_t *ctl, const option_t *option, const char *value,
                             tmpl_error_t *err)
{
    if (strlen(value) > TMPL_SITE_MAX) {
        return tmpl_fail(err, APR_EINVAL, "%s must not be longer than %d bytes", option->arg,
                         TMPL_SITE_MAX);
    }
    return set_string(ctl, option, value, err);
}

static apr_status_t set_store(ctl_t *ctl, const option_t *option, const char *value,
                              tmpl_error_t *err)
{
    if (tmpl_store_check_uri(value, err, ctl->pool) != APR_SUCCESS) {
        return APR_EINVAL;
    }
    return set_string(ctl, option, value, err);
}

static apr_status_t read_uint(uint32_t *number, const char *text, const option_t *option,
                              tmpl_error_t *err)
{
    char *end;
    errno = 0;
    unsigned long long n = strtoull(text, &end, 10);
    if (text[0] < '0' || text[0] > '9' || *end != '\0' || errno != 0 || n < option->least ||
        n > option->most) {
        return tmpl_fail(err, APR_EINVAL, "\"%s\" is not a whole number of %.0f to %.0f", text,
                         option->least, option->most);
    }
    *number = (uint32_t)n;
    return APR_SUCCESS;
}

static apr_status_t set_uint(ctl_t *ctl, const option_t *option, const char *value,
                             tmpl_error_t *err)
{
    return read_uint(field_of(ctl, option), value, option, err);
}

static apr_status_t set_share(ctl_t *ctl, const option_t *option, const char *value,
                              tmpl_error_t *err)
{
    char *end;
    double share = tmpl_number(value, &end);
    if (end == value || *end != '\0' || !isfinite(share) || share < option->least ||
        share > option->most) {
        return tmpl_fail(err, APR_EINVAL, "\"%s\" is not a number of %.0f to %.0f", value,
                         option->least, option->most);
    }
    *(double *)field_of(ctl, option) = share;
    return APR_SUCCESS;
}

static apr_status_t set_ratio(ctl_t *ctl, const option_t *option, const char *value,
                              tmpl_error_t *err)
{
    apr_status_t status = set_share(ctl, option, value, err);
    ctl->options.clean.detect.threshold = ctl->options.clean.detect.ratio;
    return status;
}

static apr_status_t set_detector(ctl_t *ctl, const option_t *option, const char *value,
                                 tmpl_error_t *err)
{
    return tmpl_detector_parse(field_of(ctl, option), value, err);
}

static apr_status_t set_smoothing(ctl_t *ctl, const option_t *option, const char *value,
                                  tmpl_error_t *err)
{
    return tmpl_smoothing_parse(field_of(ctl, option), value, err);
}

static apr_status_t set_lifetime(ctl_t *ctl, const option_t *option, const char *value,
                                 tmpl_error_t *err)
{
    tmpl_policy_t *policy = &ctl->options.clean.policy;
    const char *comma = strchr(value, ',');
    if (comma == NULL) {
        return tmpl_fail(err, APR_EINVAL, "\"%s\" is not two whole numbers with a comma between",
                         value);
    }
    const char *tb = apr_pstrmemdup(ctl->pool, value, (apr_size_t)(comma - value));
    if (read_uint(&policy->lifetime_tb, tb, option, err) != APR_SUCCESS ||
        read_uint(&policy->lifetime_n, comma + 1, option, err) != APR_SUCCESS) {
        return APR_EINVAL;
    }
    if ((uint64_t)policy->lifetime_tb * policy->lifetime_n > UINT32_MAX) {
        return tmpl_fail(err, APR_EINVAL, "the longest life, %s, is more than %u pages", value,
                         UINT32_MAX);
    }
    return APR_SUCCESS;
}

static apr_status_t set_separators(ctl_t *ctl, const option_t *option, const char *value,
                                   tmpl_error_t *err)
{
    (void)option;
    tmpl_tag_set_t *set = &ctl->options.separators;
    memset(set, 0, sizeof(*set));
    if (value[strspn(value, " \t\r\n")] == '\0') {
        return tmpl_fail(err, APR_EINVAL, "one tag at least is needed");
    }
    ctl->options.clean.page.separators = set;
    return tmpl_tag_set_add(set, value, err);
}

static apr_status_t set_selector(ctl_t *ctl, const option_t *option, const char *value,
                                 tmpl_error_t *err)
{
    const tmpl_selector_t *selector;
    apr_status_t status = tmpl_selector_parse(&selector, value, err, ctl->pool);
    if (status != APR_SUCCESS) {
        return status;
    }
    apr_array_header_t **list = field_of(ctl, option);
    if (*list == NULL) {
        *list = apr_array_make(ctl->pool, 4, sizeof(selector));
    }
    APR_ARRAY_PUSH(*list, const tmpl_selector_t *) = selector;
    return APR_SUCCESS;
}

static apr_status_t set_without(ctl_t *ctl, const option_t *option, const char *value,
                                tmpl_error_t *err)
{
    (void)option;
    return tmpl_feature_group(ctl->options.without, value, err);
}

static apr_status_t set_secret(ctl_t *ctl, const option_t *option, const char *value,
                               tmpl_error_t *err)
{
    (void)option;
    if (value[0] == '\0') {
        return tmpl_fail(err, APR_EINVAL, "the secret must not be empty");
    }
    ctl->options.clean.page.seed = tmpl_seed(value);
    return APR_SUCCESS;
}

/*
 * What apr_getopt is to see: it takes a bare "-" for an error, so it never sees one, and begins its
 * own messages with the first argument.
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
            known[n].name = options[i].name;
            known[n].optch = ID_OF(i);
            known[n].has_arg = options[i].arg != NULL;
            n++;
        }
    }
    return known;
}

static apr_size_t index_of(int id)
{
    apr_size_t i = 0;
    while (ID_OF(i) != id) {
        i++;
    }
    return i;
}

static apr_status_t refuse(const ctl_t *ctl)
{
    ctl_say("(\"tmplctl %s --help\" lists the options)", ctl->command->name);
    return APR_EINVAL;
}

/* What cannot be seen from one option alone. */
static apr_status_t check_whole(ctl_t *ctl, const unsigned char *seen)
{
    const ctl_command_t *command = ctl->command;
    for (apr_size_t i = 0; i < N_OPTIONS; i++) {
        if ((options[i].required & command->bit) != 0 && !seen[i]) {
            ctl_say("%s: --%s %s is missing", command->name, options[i].name, options[i].arg);
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

/* The models that are built in, if the detector has use for one, and the one that was named. */
static apr_status_t load_models(ctl_t *ctl)
{
    tmpl_error_t err;
    const char *whose;
    tmpl_models_t *models = &ctl->options.clean.detect.models;
    const char *named = ctl->options.model;
    int needless =
        named == NULL && tmpl_detector(ctl->options.clean.detector)->need == TMPL_NEED_COUNTS;
    if ((ctl->command->bit & IN_JUDGING) == 0 || needless) {
        return APR_SUCCESS;
    }
    if (tmpl_models_builtin(models, &err, ctl->pool) != APR_SUCCESS) {
        ctl_say("%s: %s", ctl->command->name, err.text);
        return APR_EINVAL;
    }
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
    return (ctl_options_t){ .clean = tmpl_clean_opts_default,
                            .jobs = 1,
                            .pages = CTL_PAGES,
                            .size = CTL_SIZE,
                            .max_loads = CTL_MAX_LOADS,
                            .delay = CTL_DELAY };
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
        tmpl_error_t err;
        status = apr_getopt_long(getopt_state, known, &id, &value);
        if (status == APR_EOF) {
            break;
        }
        if (status != APR_SUCCESS) {
            return refuse(ctl);
        }
        apr_size_t i = index_of(id);
        seen[i] = 1;
        if (options[i].set(ctl, &options[i], value, &err) != APR_SUCCESS) {
            ctl_say("%s: --%s: %s", ctl->command->name, options[i].name, err.text);
            return refuse(ctl);
        }
    }
    for (int i = getopt_state->ind; i < argc; i++) {
        const char *arg = getopt_state->argv[i];
        /* a list of files for clean only; a site may well be called "-" */
        int hidden = arg == CTL_STDIN && ctl->command->bit != CTL_IN_CLEAN;
        APR_ARRAY_PUSH(ctl->args, const char *) = hidden ? "-" : arg;
    }
    if (ctl->options.help) {
        return APR_SUCCESS;
    }
    status = check_whole(ctl, seen);
    return status == APR_SUCCESS ? load_models(ctl) : status;
}

/* Range and default of a number; nothing for other options. */
static const char *range_of(const option_t *option, apr_pool_t *pool)
{
    ctl_options_t unset = defaults();
    const void *field = (const char *)&unset + option->offset;
    if (option->set == set_uint) {
        return apr_psprintf(pool, " (%.0f to %.0f, %u)", option->least, option->most,
                            *(const uint32_t *)field);
    }
    if (option->set == set_share || option->set == set_ratio) {
        char range[80]; /* APR's %g leaves the 0 of 0.5 out */
        snprintf(range, sizeof(range), " (%g to %g, %g)", option->least, option->most,
                 *(const double *)field);
        return apr_pstrdup(pool, range);
    }
    if (option->set == set_lifetime) {
        return apr_psprintf(pool, " (%u,%u)", unset.clean.policy.lifetime_tb,
                            unset.clean.policy.lifetime_n);
    }
    return "";
}

static void print_option(const option_t *option, unsigned required, apr_pool_t *pool)
{
    const char *letter = option->letter != 0 ? apr_psprintf(pool, "-%c, ", option->letter) : "    ";
    const char *left = apr_pstrcat(pool, letter, "--", option->name, option->arg != NULL ? " " : "",
                                   option->arg, NULL);
    const char *help = apr_pstrcat(pool, option->help, range_of(option, pool),
                                   required ? " (required)" : "", NULL);
    for (const char *line = help; line != NULL; left = "") {
        apr_size_t len = strcspn(line, "\n");
        printf("  %-22s %.*s\n", left, (int)len, line);
        line = line[len] != '\0' ? line + len + 1 : NULL;
    }
}

void ctl_options_print(const ctl_command_t *command, apr_pool_t *pool)
{
    printf("\nOptions, with their ranges and defaults:\n");
    for (apr_size_t i = 0; i < N_OPTIONS; i++) {
        if ((options[i].known & command->bit) != 0) {
            print_option(&options[i], options[i].required & command->bit, pool);
        }
    }
}
