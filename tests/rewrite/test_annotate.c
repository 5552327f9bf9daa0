/* SPDX-License-Identifier: Apache-2.0 */
/* cuts -> marks, by their kind; foreign marks of the page; the share without a mark. */
#include "check.h"

#include "cut/closure.h"
#include "letters.h"
#include "rewrite/rewrite.h"

static tmpl_marks_t *marks_of(const char *words, apr_pool_t *pool)
{
    tmpl_marks_t *marks = NULL;
    tmpl_error_t err;
    char *rest;
    for (char *word = apr_strtok(apr_pstrdup(pool, words), "|", &rest); word != NULL;
         word = apr_strtok(NULL, "|", &rest)) {
        if (tmpl_marks_add(&marks, word, &err, pool) != APR_SUCCESS) {
            fail_msg("%s: %s", word, err.text);
        }
    }
    return marks;
}

/* The page with the marks around text with a t. */
static const char *annotated(double *unmarked, const char *html, const char *words,
                             apr_pool_t *pool)
{
    const tmpl_page_t *page = NULL;
    const tmpl_marks_t *marks = marks_of(words, pool);
    tmpl_page_opts_t opts = { .comments = tmpl_marks_need_comments(marks) };
    tmpl_guards_t guards = { 0 };
    tmpl_closure_t closure;
    tmpl_edits_t edits;
    apr_size_t len;
    assert_int_equal(tmpl_page_parse(&page, html, strlen(html), &opts, pool), TMPL_DECLINE_NONE);
    tmpl_closure(&closure, page, letters_verdicts(page, "t", pool), &guards, TMPL_NODE_MARK, NULL,
                 pool);
    *unmarked = tmpl_annotate(&edits, page, &closure, marks, pool);
    return tmpl_edits_apply(&len, &edits, html, strlen(html), pool);
}

typedef struct {
    const char *marks;
    const char *html;
    const char *annotated;
    double unmarked;
} case_t;

static void check(const case_t *cases, size_t n, apr_pool_t *pool)
{
    for (size_t i = 0; i < n; i++) {
        double unmarked;
        assert_string_equal(annotated(&unmarked, cases[i].html, cases[i].marks, pool),
                            cases[i].annotated);
        if (unmarked < cases[i].unmarked - 1e-9 || unmarked > cases[i].unmarked + 1e-9) {
            fail_msg("%s: unmarked %f, not %f", cases[i].annotated, unmarked, cases[i].unmarked);
        }
    }
}

#define CHECK_CASES(cases, pool) check(cases, sizeof(cases) / sizeof((cases)[0]), pool)

/* c is comment, n is notice: both go. t is template. */
static void a_preset_names_parts(void **state)
{
    static const struct {
        const char *html, *marks, *annotated;
    } cases[] = {
        { "<div>n</div><p>b</p><ul><li>cc<li>c<li>n</ul>", "parts",
          "<div data-tmpl=\"notice\">n</div><p>b</p><ul "
          "data-tmpl=\"comment\"><li>cc<li>c<li>n</ul>" },
        { "<p>b</p><ul><li>cc<li>t<li>n</ul>", "parts",
          "<p>b</p><ul data-tmpl=\"\"><li>cc<li>t<li>n</ul>" },
        { "<p>b</p><nav>t</nav><div>c</div>", "Parts|pagefind",
          "<p>b</p><nav data-tmpl=\"\" data-pagefind-ignore=\"\">t</nav>"
          "<div data-tmpl=\"comment\" data-pagefind-ignore=\"\">c</div>" },
        /* at one place, marks of parts stand in front */
        { "<p>b</p><nav>t</nav><div>c</div>", "pagefind|parts",
          "<p>b</p><nav data-pagefind-ignore=\"\" data-tmpl=\"\">t</nav>"
          "<div data-tmpl=\"comment\" data-pagefind-ignore=\"\">c</div>" },
        { "<p>b</p><div>c</div>", "data-tmpl", "<p>b</p><div data-tmpl=\"\">c</div>" },
    };
    tmpl_guards_t guards = { .without = TMPL_PART_BIT(TMPL_PART_COMMENT) |
                                        TMPL_PART_BIT(TMPL_PART_NOTICE) };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        tmpl_page_opts_t opts = { .separators = &tmpl_separators_leaf };
        const tmpl_page_t *page = NULL;
        const char *html = cases[i].html;
        tmpl_closure_t closure;
        tmpl_edits_t edits;
        apr_size_t len;
        assert_int_equal(tmpl_page_parse(&page, html, strlen(html), &opts, *state),
                         TMPL_DECLINE_NONE);
        tmpl_verdict_t *verdicts = letters_verdicts(page, "t", *state);
        letters_part(verdicts, page, "c", TMPL_PART_COMMENT, *state);
        letters_part(verdicts, page, "n", TMPL_PART_NOTICE, *state);
        tmpl_closure(&closure, page, verdicts, &guards, TMPL_NODE_MARK, NULL, *state);
        assert_true(
            tmpl_annotate(&edits, page, &closure, marks_of(cases[i].marks, *state), *state) == 0);
        assert_string_equal(tmpl_edits_apply(&len, &edits, html, strlen(html), *state),
                            cases[i].annotated);
    }
}

/* The judges of tests/judge annotate what strip cuts: an element whose code stays says so, once. */
static void cuts_of_strip_are_marked(void **state)
{
    static const char html[] = "<body>c<div>t<script></script>t<style></style></div><nav>t</nav>";
    const tmpl_page_t *page = check_page(html, *state);
    tmpl_guards_t guards = { 0 };
    tmpl_closure_t closure;
    tmpl_edits_t edits;
    apr_size_t len;
    tmpl_closure(&closure, page, letters_verdicts(page, "t", *state), &guards, TMPL_NODE_CUT, NULL,
                 *state);
    assert_true(closure.n_cuts > 2);
    tmpl_annotate(&edits, page, &closure, NULL, *state);
    assert_string_equal(tmpl_edits_apply(&len, &edits, html, strlen(html), *state),
                        "<body>c<div data-tmpl=\"code\">t<script></script>t<style></style></div>"
                        "<nav data-tmpl=\"\">t</nav>");
}

static void attributes_are_on_elements(void **state)
{
    static const case_t cases[] = {
        { "data-tmpl", "<nav>t</nav><p>c</p>", "<nav data-tmpl=\"\">t</nav><p>c</p>", 0 },
        { "pagefind", "<nav>t</nav><p>c</p>", "<nav data-pagefind-ignore=\"\">t</nav><p>c</p>", 0 },
        { "swiftype", "<nav>t</nav><p>c</p>", "<nav data-swiftype-index=\"false\">t</nav><p>c</p>",
          0 },
        { "data-off=1", "<nav>t</nav><p>c</p>", "<nav data-off=\"1\">t</nav><p>c</p>", 0 },
        /* the elements of a run have the attribute, its text has none */
        { "elastic", "<div>tttt <b>ttt</b><div>c</div><i>tt</i> t</div>",
          "<div>tttt <b data-elastic-exclude=\"\">ttt</b><div>c</div>"
          "<i data-elastic-exclude=\"\">tt</i> t</div>",
          0.5 },
        /* on the topmost elements that readers obey it on */
        { "nosnippet", "<nav><div>t<span>t</span></div>tt<b><span>t</span></b></nav><p>c</p>",
          "<nav><div data-nosnippet=\"\">t<span>t</span></div>tt"
          "<b><span data-nosnippet=\"\">t</span></b></nav><p>c</p>",
          0.4 },
        { "nosnippet", "<nav>t</nav><p>c</p>", "<nav>t</nav><p>c</p>", 1 },

        /* not on a div without an end tag, as parsers differ about its end, but on what is in it */
        { "nosnippet", "<nav><table><tr><td><div>t<span>t</span></table></nav><p>c</p>",
          "<nav><table><tr><td><div>t<span data-nosnippet=\"\">t</span></table></nav><p>c</p>",
          0.5 },
        /* an element without text needs none */
        { "nosnippet", "<nav><div></div>t</nav><p>c</p>", "<nav><div></div>t</nav><p>c</p>", 1 },
    };
    CHECK_CASES(cases, *state);
}

static void a_page_decides_about_its_own_elements(void **state)
{
    static const case_t cases[] = {
        { "pagefind", "<nav data-pagefind-ignore=all>t</nav><p>c</p>",
          "<nav data-pagefind-ignore=all>t</nav><p>c</p>", 0 },
        { "swiftype", "<nav DATA-swiftype-index=true><b>t</b></nav><p>c</p>",
          "<nav DATA-swiftype-index=true><b>t</b></nav><p>c</p>", 1 },
        { "swiftype", "<nav data-swiftype-index=False>t</nav><p>c</p>",
          "<nav data-swiftype-index=False>t</nav><p>c</p>", 0 },
        { "elastic", "<nav data-elastic-include><b>t</b></nav><div>t</div><p>c</p>",
          "<nav data-elastic-include><b>t</b></nav><div data-elastic-exclude=\"\">t</div><p>c</p>",
          0.5 },
        /* only an attribute that is obeyed counts */
        { "nosnippet", "<nav data-nosnippet><div>t</div></nav><p>c</p>",
          "<nav data-nosnippet><div data-nosnippet=\"\">t</div></nav><p>c</p>", 0 },
        /* marks of others are not renamed; foreign ones only where data-tmpl is a mark */
        { "pagefind", "<p data-tmpl>c</p><!--tmpl--><nav>t</nav>",
          "<p data-tmpl>c</p><!--tmpl--><nav data-pagefind-ignore=\"\">t</nav>", 0 },
        { "pagefind|data-tmpl", "<p data-tmpl>c</p><!--tmpl--><nav>t</nav>",
          "<p data-x-tmpl>c</p><!--x-tmpl--><nav data-pagefind-ignore=\"\" data-tmpl=\"\">t</nav>",
          0 },
    };
    CHECK_CASES(cases, *state);
}

static void comments_are_around_siblings(void **state)
{
    static const case_t cases[] = {
        { "htdig", "<body><nav>t</nav><p>c</p>",
          "<body><!--htdig_noindex--><nav>t</nav><!--/htdig_noindex--><p>c</p>", 0 },
        /* with white space only between them they have one pair */
        { "noindex",
          "<body><nav>t</nav>\n <div><i>t</i></div><main>c</main><p>x</p><footer>t</footer>",
          "<body><!--noindex--><nav>t</nav>\n "
          "<div><i>t</i></div><!--/noindex--><main>c</main><p>x</p>"
          "<!--noindex--><footer>t</footer><!--/noindex-->",
          0 },
        { "udm", "<body><nav>t</nav><hr><div>t</div><p>c</p>",
          "<body><!--UdmComment--><nav>t</nav><!--/UdmComment--><hr><!--UdmComment--><div>t</div>"
          "<!--/UdmComment--><p>c</p>",
          0 },
        { "stopindex", "<div>t <b>t</b><div>c</div></div>",
          "<div><!--stopindex-->t <b>t</b><!--startindex--><div>c</div></div>", 0 },
        { "<!-- off --><!-- on -->", "<body><nav>t</nav><p>c</p>",
          "<body><!-- off --><nav>t</nav><!-- on --><p>c</p>", 0 },
        /* inside, where the element's start tag does more than open it */
        { "noindex", "<body><p>c</p></body><nav>t</nav>",
          "<body><p>c</p></body><nav><!--noindex-->t<!--/noindex--></nav>", 0 },
        /* a line break in front of which a comment stood would be displayed */
        { "noindex", "<body><div>c</div></body><pre>\nt</pre>",
          "<body><div>c</div></body><pre>\nt</pre>", 1 },
        { "noindex", "<body><div>tttt</div><div>c</div></body><pre>\nt</pre>",
          "<body><!--noindex--><div>tttt</div><!--/noindex--><div>c</div></body><pre>\nt</pre>",
          0.2 },
        /* what cannot be marked marks nothing else, not even the page's first byte */
        { "noindex", "c</body><pre>\nt</pre>", "c</body><pre>\nt</pre>", 1 },
    };
    CHECK_CASES(cases, *state);
}

/* Readers have one flag: the first end ends all ranges. */
static void the_pages_own_ranges_stay_right(void **state)
{
    static const case_t cases[] = {
        /* our text in the page's range needs no mark */
        { "noindex", "<body><!--noindex--><nav>t</nav><p>c</p><!--/noindex--><div>t</div>",
          "<body><!--noindex--><nav>t</nav><p>c</p><!--/noindex--><!--noindex--><div>t</div>"
          "<!--/noindex-->",
          0 },
        /* the page's range in ours */
        { "noindex", "<body><nav>t<!--noindex-->t<!--/noindex-->t</nav><p>c</p>",
          "<body><!--noindex--><nav>t<!--/noindex--><!--noindex-->t<!--/noindex--><!--noindex-->t</"
          "nav>"
          "<!--/noindex--><p>c</p>",
          0 },
        /* a range that overlaps ours, at either end */
        { "noindex",
          "<p>c<!--NOINDEX--></p><nav>t<!--/noindex-->t<!--noindex-->t</nav><!--/noindex-->",
          "<p>c<!--NOINDEX--></p><nav>t<!--/noindex--><!--noindex-->t<!--/noindex--><!--noindex-->t"
          "</nav><!--/noindex-->",
          0 },
        /* an end that ends nothing of the page's would end ours */
        { "noindex", "<body><nav>t<!--/noindex-->t</nav><p>c</p>",
          "<body><!--noindex--><nav>t<!--/noindex--><!--/noindex--><!--noindex-->t</nav><!--/"
          "noindex-->"
          "<p>c</p>",
          0 },
        /* a range without an end, and one in it */
        { "noindex", "<p>c</p><!--noindex--><!--noindex--><nav>t</nav>",
          "<p>c</p><!--noindex--><!--noindex--><nav>t</nav>", 0 },
        /* nothing to mark between two of the page's */
        { "noindex",
          "<body><nav><!--noindex-->t<!--/noindex--> <!--noindex-->t<!--/noindex--></nav><p>c</p>",
          "<body><nav><!--noindex-->t<!--/noindex--> <!--noindex-->t<!--/noindex--></nav><p>c</p>",
          0 },
        /* of googleoff all kinds count, with blanks in front */
        { "googleoff", "<body><!--googleoffal--><nav>t</nav><!--googleon: all--><p>c</p>",
          "<body><!--googleoffal--><!--googleoff: index--><nav>t</nav><!--googleon: index-->"
          "<!--googleon: all--><p>c</p>",
          0 },
        { "googleoff", "<body><!--googleoff:all--><nav>t</nav><!--googleon:all--><p>c</p>",
          "<body><!--googleoff:all--><nav>t</nav><!--googleon:all--><p>c</p>", 0 },
        { "googleoff", "<body><!-- googleoff: all --><nav>t</nav><!-- googleon: all --><p>c</p>",
          "<body><!-- googleoff: all --><nav>t</nav><!-- googleon: all --><p>c</p>", 0 },
        /* a comment of another kind ends no range; a range may begin with the page */
        { "noindex", "<!--noindex--><!--x--><nav>t</nav><!--/noindex--><p>c</p><div>t</div>",
          "<!--noindex--><!--x--><nav>t</nav><!--/noindex--><p>c</p><!--noindex--><div>t</div>"
          "<!--/noindex-->",
          0 },
        /* the operator's own have blanks in front, too */
        { "<!-- off --><!-- on -->", "<body><!-- off --><nav>t</nav><!-- on --><p>c</p>",
          "<body><!-- off --><nav>t</nav><!-- on --><p>c</p>", 0 },
        /* another mark's, and comments that only look like one, do not count */
        { "<!-- >off--><!--on-->", "<body><!-->off--><nav>t</nav>",
          "<body><!-->off--><!-- >off--><nav>t</nav><!--on-->", 0 },
        { "htdig",
          "<!--noindex--><!-- htdig_noindex --><i title='<!--htdig_noindex-->'>c</i><nav>t</nav>",
          "<!--noindex--><!-- htdig_noindex --><i title='<!--htdig_noindex-->'>c</i>"
          "<!--htdig_noindex--><nav>t</nav><!--/htdig_noindex-->",
          0 },
    };
    CHECK_CASES(cases, *state);
}

static void several_marks_are_written_at_once(void **state)
{
    static const case_t cases[] = {
        { "pagefind|htdig|udm|elastic", "<body><nav>t</nav><p>c</p>",
          "<body><!--htdig_noindex--><!--UdmComment--><nav data-pagefind-ignore=\"\" "
          "data-elastic-exclude=\"\">t</nav><!--/htdig_noindex--><!--/UdmComment--><p>c</p>",
          0 },
        /* the share is that of the mark which marks least */
        { "data-tmpl|nosnippet|googleoff", "<div>t<b>t</b><div>c</div></div>",
          "<div><!--tmpl--><!--googleoff: index-->t<b>t</b><!--/tmpl--><!--googleon: index-->"
          "<div>c</div></div>",
          1 },
    };
    CHECK_CASES(cases, *state);
}

static void nothing_is_template(void **state)
{
    static const case_t cases[] = {
        { "data-tmpl|pagefind|htdig", "<body><nav>c</nav>", "<body><nav>c</nav>", 0 },
    };
    CHECK_CASES(cases, *state);
}

static void marks_are_named(void **state)
{
    static const struct {
        const char *words, *why;
    } refused[] = {
        { "pagefnd", "no such mark" },
        { "", "no such mark" },
        { "class", "no such mark" },
        { "data-", "letters" },
        { "data-a\"b", "letters" },
        { "data-a=b c", "letters" },
        { "data-pagefind-body", "every page" },
        { "data-Pagefind-Body=x", "every page" },
        { "<!--a-->", "two comments" },
        { "<!--a--><!--b-->x", "two comments" },
        { "<!--a--><!--b--c-->", "two comments" },
        { "<!--[if IE]--><!--b-->", "two comments" },
        { "<!--->--><!--b-->", "two comments" },
        { "<!----><!--b-->", "two comments" },
        { "<!--\xC3\xA4--><!--b-->", "two comments" },
        { "<!--a\x1F--><!--b-->", "two comments" },
        { "<!--a\x7F--><!--b-->", "two comments" },
        { "<!-->a--><!--b-->", "two comments" },
        { "<!--a-->", "two comments" },
        { "<!--a", "two comments" },
        { "<!--a--><!--A-->", "the same" },
        { "pagefind|data-Pagefind-ignore=all", "twice" },
        { "noindex|NOINDEX", "twice" },
        { "data-a|data-b|data-c|data-d|data-e|data-f|data-g|data-h|data-i|data-j|data-k|data-l|"
          "data-"
          "m|data-n|data-o|data-p|data-q",
          "more than 16" },
    };
    apr_pool_t *pool = *state;
    for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
        tmpl_marks_t *marks = NULL;
        tmpl_error_t err = { .text = "" };
        const char *rest = refused[i].words;
        apr_status_t status = APR_SUCCESS;
        do {
            size_t len = strcspn(rest, "|");
            status = tmpl_marks_add(&marks, apr_pstrmemdup(pool, rest, len), &err, pool);
            rest += len + (rest[len] == '|');
        } while (status == APR_SUCCESS && *rest != '\0');
        if (status != APR_EINVAL || strstr(err.text, refused[i].why) == NULL) {
            fail_msg("%s: %d, %s", refused[i].words, status, err.text);
        }
    }
}

/* The longest name has 100 bytes. */
static void marks_of_the_operators_own(void **state)
{
    static const char fifty[] = "data-678901234567890123456789012345678901234567890";
    static const struct {
        const char *word, *attribute, *end, *begin;
    } cases[] = {
        { "data-a", " data-a=\"\"", "", "" },
        { "DATA-a-b_c.9=x:y-z_1.2", " DATA-a-b_c.9=\"x:y-z_1.2\"", "", "" },
        { "<!--a-b ~c:--><!--!-->", " =\"\"", "<!--!-->", "<!--a-b ~c:-->" },
    };
    tmpl_marks_t *marks = NULL;
    tmpl_error_t err;
    for (uint32_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        if (tmpl_marks_add(&marks, cases[i].word, &err, *state) != APR_SUCCESS) {
            fail_msg("%s: %s", cases[i].word, err.text);
        }
        assert_int_equal(marks->n, i + 1);
        assert_string_equal(marks->texts[3 * i], cases[i].attribute);
        assert_string_equal(marks->texts[3 * i + 1], cases[i].end);
        assert_string_equal(marks->texts[3 * i + 2], cases[i].begin);
    }
    const char *longest = apr_pstrcat(*state, fifty, fifty, NULL);
    assert_int_equal(tmpl_marks_add(&marks, longest, &err, *state), APR_SUCCESS);
    assert_int_equal(tmpl_marks_add(&marks, apr_pstrcat(*state, longest, "x", NULL), &err, *state),
                     APR_EINVAL);
    assert_string_equal(err.text, "longer than 100 bytes");
    /* 16 of them */
    while (marks->n < TMPL_MARKS_MOST) {
        const char *word = apr_psprintf(*state, "data-%u", marks->n);
        assert_int_equal(tmpl_marks_add(&marks, word, &err, *state), APR_SUCCESS);
    }
    assert_int_equal(tmpl_marks_add(&marks, "data-last", &err, *state), APR_EINVAL);
}

static void lists_have_different_ids(void **state)
{
    static const char *const lists[] = { "data-tmpl", "pagefind",           "data-tmpl|pagefind",
                                         "udm",       "pagefind|data-tmpl", "data-x=y",
                                         "data-x" };
    enum { N = sizeof(lists) / sizeof(lists[0]) };
    const char *ids[N];
    for (size_t i = 0; i < N; i++) {
        ids[i] = marks_of(lists[i], *state)->id;
        for (size_t k = 0; k < i; k++) {
            assert_string_not_equal(ids[i], ids[k]);
        }
    }
    assert_string_equal(ids[0], "");
    assert_string_equal(marks_of("Data-TMPL", *state)->id, tmpl_marks_default.id);
}

static const struct CMUnitTest tests[] = {
    CHECK(attributes_are_on_elements),
    CHECK(a_preset_names_parts),
    CHECK(cuts_of_strip_are_marked),
    CHECK(a_page_decides_about_its_own_elements),
    CHECK(comments_are_around_siblings),
    CHECK(the_pages_own_ranges_stay_right),
    CHECK(several_marks_are_written_at_once),
    CHECK(nothing_is_template),
    CHECK(marks_are_named),
    CHECK(marks_of_the_operators_own),
    CHECK(lists_have_different_ids),
};

TAP_MAIN(tests)
