/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The insertions of highlight and their places: the panel in front of body, whatever tags of body
 * the source has; attributes at the outermost element of a block; a stop of the keyboard where it
 * breaks nothing; texts that end no attribute. t/judging/81-highlight.t has whole pages.
 */
#include <string.h>

#include <apr_strings.h>

#include "check.h"

#include "clean.h"
#include "letters.h"
#include "rewrite/rewrite.h"

static apr_pool_t *pool;
static tmpl_clean_opts_t opts;

static const char *highlighted(const char *html)
{
    tmpl_input_t input = { .body = html, .len = strlen(html), .site = "s", .uri = "/" };
    tmpl_outcome_t outcome;
    apr_size_t len;
    tmpl_clean(&outcome, &input, &opts, NULL, 0, pool);
    assert_int_equal(outcome.decline, TMPL_DECLINE_NONE);
    return tmpl_edits_apply(&len, &outcome.edits, html, input.len, pool);
}

/* The page with "@" in place of the panel, and " %" in place of attributes, "!" with a tabindex. */
static const char *outline(const char *html)
{
    static const char panel[] = "<style>@media screen{", meta[] = "<meta data-tmpl-";
    static const char attributes[] = " data-tmpl-is=\"", title[] = " title=\"";
    static const char stop[] = " tabindex=\"0\"";
    const char *from = highlighted(html);
    char *to = apr_palloc(pool, strlen(from) + 1);
    char *begin = to;
    while (*from != '\0') {
        if (strncmp(from, panel, strlen(panel)) == 0) {
            *to++ = '@';
            from = strstr(from, "</style>") + strlen("</style>");
            while (strncmp(from, meta, strlen(meta)) == 0 ||
                   strncmp(from, "<meta data-tmpl-is", 18) == 0) {
                from = strchr(from, '>') + 1;
            }
        }
        else if (strncmp(from, attributes, strlen(attributes)) == 0) {
            from = strchr(from + strlen(attributes), '"') + 1;
            if (strncmp(from, title, strlen(title)) == 0) {
                from = strchr(from + strlen(title), '"') + 1;
            }
            *to++ = ' ';
            *to++ = strncmp(from, stop, strlen(stop)) == 0 ? '!' : '%';
            from += to[-1] == '!' ? strlen(stop) : 0;
        }
        else {
            *to++ = *from++;
        }
    }
    *to = '\0';
    return begin;
}

static void what_is_inserted_where(void **state)
{
    static const char *const pages[] = {
        /* the panel */
        "<!doctype html><html><head><title>t</title></head>@<body><p !>one</p></body></html>",
        "<!doctype html><title>t</title>@<p !>one",
        "@just text",
        "<html><head><script>1</script></head>@\ntext",
        "<head><noscript><link rel=stylesheet href=x></noscript>@<h1 !>one</h1>",
        "<meta charset=utf-8><style>p{}</style><!-- x -->@<p !>one",
        "@<div></div><p !>one",
        "<template><p>no</p></template>@<p !>one",
        "<title>t</title></head>@<noscript><p>one</p></noscript><p !>two</p>",
        /* the outermost element of one block */
        "@<body><div !><p><a href=/>one <b>two</b></a></p></div><p !>three</p></body>",
        "@<body><ul><li !><a href=/>one</a></li><li !>two</li></ul></body>",
        /* text beside blocks: the element around it, and none without a tag */
        "@<body><div !>one<p !>two</p></div></body>",
        "@one<p !>two</p>",
        /* a formatting element whose copies would differ */
        "@<body><div !><b>one<p !>two</div></body>",
        "@<body><p !>one<p !><img src=x>two</body>",
        /* the keyboard */
        "@<body><p ! title=t>one</p><p % tabindex=1>two</p><p % role=none>three</p></body>",
        "@<body><div aria-hidden=true><p %>one</p><p %>two</p></div><p !>three</p></body>",
        "@<body><button><div %>one</div><div %>two</div></button><p !>three</p></body>",
        "@<body><div role=' Tab '><p %>one</p><p %>two</p></div><p !>three</p></body>",
        "@<body><div role=list><p !>one</p><p !>two</p></div><p !>three</p></body>",
        "@<body><p !>one</p><img % src=a alt=''><p !>two</p><p !>three</p></body>",
        "@<body><p !>one</p><img ! src=a alt=b><p !>two</p><p ! alt>three</p></body>",
        /* tags that end oddly */
        "@<body><p ! a=>one</p><p !/>two<br><p ! b>three</p></body>",
    };
    (void)state;
    for (size_t i = 0; i < sizeof(pages) / sizeof(pages[0]); i++) {
        char *html = apr_palloc(pool, strlen(pages[i]) + 1), *to = html;
        for (const char *from = pages[i]; *from != '\0'; from++) {
            if (strncmp(from, " !", 2) == 0 && strchr("> /", from[2]) != NULL) {
                from++;
            }
            else if (strncmp(from, " %", 2) == 0 && strchr("> /", from[2]) != NULL) {
                from++;
            }
            else if (*from != '@') {
                *to++ = *from;
            }
        }
        *to = '\0';
        assert_string_equal(outline(html), pages[i]);
    }
}

static void texts_are_escaped(void **state)
{
    static const char text[] = "p[title=\"<a>&b\"], p.\xC3\xBC, p[x='\xFF']";
    apr_array_header_t *keep = apr_array_make(pool, 3, sizeof(const tmpl_selector_t *));
    (void)state;
    assert_int_equal(tmpl_selector_parse(keep, text, NULL), APR_SUCCESS);
    opts.guards.keep = keep;
    const char *page = highlighted("<body><p title='<a>&b'>one</p><p class=\xC3\xBC>two</p>"
                                   "<p x='\xFF'>three</p></body>");
    opts.guards.keep = NULL;
    assert_non_null(strstr(page, "TmplKeep p[title=&#34;&#60;a&#62;&#38;b&#34;]"));
    assert_non_null(strstr(page, "TmplKeep p.&#252;"));
    assert_non_null(strstr(page, "TmplKeep p[x=&#39;&#65533;&#39;]"));
}

static void notes_and_legend_name_parts(void **state)
{
    static const char html[] = "<body><main><p>One sentence, which is the text of this page, and "
                               "of no other.</p></main>";
    const char *page = highlighted(html);
    (void)state;
    assert_non_null(strstr(page, "&#10;Part: body&#10;"));
    assert_null(strstr(page, "\"Left out by TmplParts: "));
    opts.guards.without = TMPL_PART_BIT(TMPL_PART_BODY) | TMPL_PART_BIT(TMPL_PART_QA);
    opts.guards.min_keep = 0;
    page = highlighted(html);
    opts.guards = tmpl_clean_opts_default().guards;
    assert_non_null(strstr(page, "\"Left out by TmplParts: 1, of body\""));
    assert_non_null(strstr(page, " data-tmpl-is=\"part\" title="));
}

static void has_a_limit(void **state)
{
    static const char item[] =
        "<li>one text of many, which is long enough that the page does not "
        "take many times its size of memory: tags are far between in it, and "
        "all of its texts are the same, so that there is only one key";
    enum { ITEM = sizeof(item) - 1, MOST = TMPL_HIGHLIGHT_SEGMENTS };
    char *html = apr_palloc(pool, (MOST + 1) * ITEM);
    tmpl_input_t input = { .body = html, .site = "s", .uri = "/" };
    tmpl_clean_opts_t strip = opts;
    tmpl_outcome_t outcome;
    (void)state;
    for (size_t i = 0; i <= MOST; i++) {
        memcpy(html + i * ITEM, item, ITEM);
    }
    input.len = (apr_size_t)MOST * ITEM;
    tmpl_clean(&outcome, &input, &opts, NULL, 0, pool);
    assert_int_equal(outcome.decline, TMPL_DECLINE_NONE);
    input.len += ITEM;
    tmpl_clean(&outcome, &input, &opts, NULL, 0, pool);
    assert_int_equal(outcome.decline, TMPL_DECLINE_TOO_MANY);
    strip.mode = TMPL_MODE_STRIP;
    tmpl_clean(&outcome, &input, &strip, NULL, 0, pool);
    assert_int_equal(outcome.decline, TMPL_DECLINE_NONE);
}

/*
 * A page shaded by verdicts of the test's own: text with t is template, with m a comment, which
 * goes; the rest is content. What is behind the style.
 */
static const char *shaded(const char *html, apr_pool_t *p)
{
    const tmpl_page_t *page = check_page(html, p);
    tmpl_counts_t counts = { 0 };
    tmpl_explain_t explain = {
        .pool = p, .detector = "ours", .counts = &counts, .rests_on = "of <it>"
    };
    tmpl_guards_t guards = { .without = TMPL_PART_BIT(TMPL_PART_COMMENT) };
    tmpl_verdict_t *verdicts = letters_verdicts(page, "t", p);
    tmpl_closure_t closure;
    tmpl_edits_t edits;
    apr_size_t len;
    letters_part(verdicts, page, "m", TMPL_PART_COMMENT, p);
    tmpl_closure(&closure, page, verdicts, &guards, TMPL_NODE_CUT, &explain, p);
    tmpl_highlight(&edits, &closure, &explain, p);
    const char *text = tmpl_edits_apply(&len, &edits, html, strlen(html), p);
    return strstr(text, "</style>") + strlen("</style>");
}

/* clang-format off */
#define META "<meta data-tmpl-"
#define COUNT(kind, text) META "is=\"" kind "\" data-tmpl-note=\"" text "\">"
/* of the kinds that the page has */
#define LEGEND(counts)                                                                             \
    META "close tabindex=\"-1\" data-tmpl-note=\"Close this legend\">" counts                      \
    META "how data-tmpl-note=\"Not shaded: not judged. Only a line: only the text directly in the element. " \
    "Why: point at a block, or press Tab.\">"
#define N_TEMPLATE(n) COUNT("template", "Template, which strip removes: " n)
#define N_PART(n)     COUNT("part", "Left out by TmplParts: " n)
#define N_KEPT(n)     COUNT("kept", "Kept by a rule, though the detector says template: " n)
#define N_CONTENT(n)  COUNT("content", "Content: " n)
/* clang-format on */
#define WHY(verdict, ratio)                                                                        \
    verdict "&#10;Detector ours: " ratio ", template above 0.000&#10;DF: no counts of the site"    \
            "&#10;" ratio " of &#60;it&#62;"
#define CONTENT  WHY("Content, by the detector", "0.000")
#define TEMPLATE WHY("Template, by the detector", "1.000")
#define COMMENT                                                                                    \
    WHY("Template, by TmplParts, as it is of a part that goes, against the detector", "0.000")
#define STAYS                                                                                      \
    WHY("Template that stays: the text around it would become one, by the detector", "1.000")
#define IS(kind, why) " data-tmpl-is=\"" kind "\" title=\"" why "\" tabindex=\"0\""

static void blocks_are_shaded_and_explained(void **state)
{
    /* clang-format off */
    static const struct {
        const char *html, *shaded;
    } cases[] = {
        /* of each kind one */
        { "<body><nav>t</nav><div>c</div><div>m</div>c &e<div>t</div>e; c",
          LEGEND(N_TEMPLATE("1") N_PART("1, of comment") N_KEPT("1") N_CONTENT("3"))
          "<body" IS("own-content", CONTENT "&#10;" CONTENT) ">"
          "<nav" IS("template", TEMPLATE) ">t</nav>"
          "<div" IS("content", CONTENT) ">c</div>"
          "<div" IS("part", COMMENT) ">m</div>c &e"
          "<div" IS("kept", STAYS) ">t</div>e; c" },
        /* an element with text of several kinds */
        { "<body><div>t<p>t</div>t<section>c<div>t</div>t</section>",
          LEGEND(N_TEMPLATE("4") N_CONTENT("1"))
          "<body" IS("own-template", TEMPLATE) ">"
          "<div" IS("template", TEMPLATE) ">t<p>t</div>t"
          "<section" IS("several", CONTENT "&#10;" TEMPLATE) ">c"
          "<div" IS("template", TEMPLATE) ">t</div>t</section>" },
        /* in front of the page's own title */
        { "<body><nav title=x>t</nav>",
          LEGEND(N_TEMPLATE("1")) "<body><nav" IS("template", TEMPLATE) " title=x>t</nav>" },
    };
    /* clang-format on */
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        assert_string_equal(shaded(cases[i].html, *state), cases[i].shaded);
    }
}

static int prepare(void **state)
{
    (void)state;
    apr_pool_create(&pool, NULL);
    opts = tmpl_clean_opts_default();
    opts.mode = TMPL_MODE_HIGHLIGHT;
    opts.guards.min_keep = 0;
    tmpl_models_builtin(&opts.detect.models, pool);
    return 0;
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(what_is_inserted_where),      cmocka_unit_test(texts_are_escaped),
    cmocka_unit_test(notes_and_legend_name_parts), cmocka_unit_test(has_a_limit),
    CHECK(blocks_are_shaded_and_explained),
};

TAP_MAIN_WITH(tests, prepare)
