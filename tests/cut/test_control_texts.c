/* SPDX-License-Identifier: Apache-2.0 */
/* The texts of forms and controls that stay, and of those that go. */
#include "check.h"

#include <apr_strings.h>

#include "cut/closure.h"
#include "letters.h"
#include "rewrite/rewrite.h"

/* A page whose texts with a t are template, cut by guards. */
static const char *without_template(const char *html, const tmpl_guards_t *guards, unsigned need,
                                    apr_pool_t *pool)
{
    const tmpl_page_t *page;
    tmpl_page_opts_t opts = { .separators = &tmpl_separators_leaf };
    tmpl_closure_t closure;
    tmpl_edits_t edits;
    apr_size_t len;
    assert_int_equal(tmpl_page_parse(&page, html, strlen(html), &opts, pool), TMPL_DECLINE_NONE);
    tmpl_closure(&closure, page, letters_verdicts(page, "t", pool), guards, need, NULL, pool);
    if (need == TMPL_NODE_CUT) {
        tmpl_strip(&edits, &closure, pool);
    }
    else {
        tmpl_annotate(&edits, page, &closure, NULL, pool);
    }
    return tmpl_edits_apply(&len, &edits, html, strlen(html), pool);
}

typedef struct {
    const char *html;
    const char *kept; /* what strip leaves; NULL: all */
} kept_case_t;

/* Each page loses more without the rule. */
static void strip_leaves(const kept_case_t *cases, size_t n, apr_pool_t *pool)
{
    const tmpl_guards_t without = { 0 }, with = { .control_texts = 1 };
    for (size_t i = 0; i < n; i++) {
        const char *html = apr_pstrcat(pool, "<body><p>c</p>", cases[i].html, NULL);
        const char *kept = cases[i].kept != NULL ? cases[i].kept : cases[i].html;
        assert_string_equal(without_template(html, &with, TMPL_NODE_CUT, pool),
                            apr_pstrcat(pool, "<body><p>c</p>", kept, NULL));
        assert_string_not_equal(without_template(html, &without, TMPL_NODE_CUT, pool),
                                without_template(html, &with, TMPL_NODE_CUT, pool));
    }
}
#define STRIP_LEAVES(cases, pool) strip_leaves(cases, sizeof(cases) / sizeof((cases)[0]), pool)

/* A form stays because of content in it; then all its texts do. */
static void a_form_that_stays_keeps_its_texts(void **state)
{
    static const kept_case_t cases[] = {
        { "<form><p>c</p><input placeholder=t><span class=label>t</span><button>t</button></form>",
          NULL },
        { "<form><p>c</p><table><tr><td><th>t<tr><th>t<td><input type=radio></table></form>",
          NULL },
        { "<form><p>c</p><fieldset><legend>t</legend><p>t</p><fieldset><legend>t</legend><input>"
          "<input></fieldset></fieldset><p>t</p></form>",
          NULL },
        { "<form><p>c</p><dl><dt>t<dd><select><option>t</select></dl></form>", NULL },
        /* the parser closes a form in a table at once */
        { "<table><tr><td><p>c<p>c<form><tr><td><p>t<td><input></form></table>", NULL },
        /* a form that goes, goes whole */
        { "<form><label>t "
          "<input></label><button>t</button></form><form><p>c</p><input><i>t</i></form>",
          "<form><p>c</p><input><i>t</i></form>" },
    };
    STRIP_LEAVES(cases, *state);
}

/* A form may be the whole page: then what names its controls stays, and what is beside them. */
static void a_form_around_a_page_keeps_what_names_its_controls(void **state)
{
    static const kept_case_t cases[] = {
#define AROUND(html) "<form>" html "<p>c</p></form>"
        { AROUND("<nav>t</nav><div><p>t</p><p>t</p><p>t</p><p>t</p><button>t</button></div>"),
          AROUND("<div><button>t</button></div>") },
        { AROUND("<main></main><p>t</p><label>t <input></label>"),
          AROUND("<main></main><label>t <input></label>") },
        { AROUND("<main></main><p>t</p><div><input></div><div><label>t</label></div>"),
          AROUND("<main></main><div><input></div><div><label>t</label></div>") },
        /* the innermost element with text */
        { AROUND("<main></main><p>t</p><div>t <i><input></i></div>"),
          AROUND("<main></main><div>t <i><input></i></div>") },
        { AROUND("<nav></nav><p>t</p><table><tr><th>t<td><input><td><input></table>"),
          AROUND("<nav></nav><table><tr><th>t<td><input><td><input></table>") },
        /* fieldset, details, output, meter */
        { AROUND("<nav></nav><p>t</p><fieldset><p>t</p><legend>t</legend><p><input></fieldset>"),
          AROUND("<nav></nav><fieldset><p>t</p><legend>t</legend><p><input></fieldset>") },
        { AROUND("<nav></nav><p>t</p><details><summary>t</summary><div>t</div><div>t</div>"
                 "<div>t</div>t<input></details>"),
          AROUND("<nav></nav><details><summary>t</summary><input></details>") },
        { AROUND("<nav></nav><p>t</p><input><p>t</p><output>t</output><p>t</p><meter>t</meter>"),
          AROUND("<nav></nav><input><output>t</output><meter>t</meter>") },
        /* four blocks for each control of the form, not of those in front of it */
        { "<form><p>c</p><input><input></form>"
          "<form><p>c</p><input><input><p>t</p><p>t</p><p>t</p><p>t</p><p>t</p><p>t</p></form>",
          NULL },
        { "<form><p>c</p><input><input></form>" AROUND(
              "<input><input><p>t</p><p>t</p><p>t</p><p>t</p><p>t</p><p>t</p><p>t</p>"
              "<label>t</label>"),
          "<form><p>c</p><input><input></form>" AROUND("<input><input><label>t</label>") },
        /* not what is behind it */
        { AROUND("<main></main><label>t <input></label>") "<label>t</label><hr>",
          AROUND("<main></main><label>t <input></label>") "<hr>" },
        /* many blocks for one control */
        { AROUND(
              "<div>t</div><div>t</div><div>t</div><div>t</div><div><input></div><label>t</label>"),
          AROUND("<div><input></div><label>t</label>") },
    };
    STRIP_LEAVES(cases, *state);
}

static void ids_name_the_texts_of_controls(void **state)
{
    static const kept_case_t cases[] = {
        { "<form><p>c</p><input id=a></form><p>t</p><label for=a>t</label><hr>",
          "<form><p>c</p><input id=a></form><label for=a>t</label><hr>" },
        { "<p>t</p><p id=b>t</p><p id=d>t</p><form><p>c</p><input aria-labelledby=' x  b '"
          " aria-describedby=d></form>",
          "<p id=b>t</p><p id=d>t</p><form><p>c</p><input aria-labelledby=' x  b '"
          " aria-describedby=d></form>" },
        { "<p>t</p><p id=b>t</p><form><p>c</p><div role=group "
          "aria-labelledby=b><input></div></form>",
          "<p id=b>t</p><form><p>c</p><div role=group aria-labelledby=b><input></div></form>" },
        /* not of controls that go */
        { "<form><input id=a aria-labelledby=b>t</form><p id=b>t</p><label for=a>t</label>"
          "<form><p>c</p><input><i>t</i></form>",
          "<form><p>c</p><input><i>t</i></form>" },
        /* a text that stays may keep its form */
        { "<form>t<label for=a>t</label><input></form><hr><form id=f><p>c</p><input id=a></form>",
          NULL },
#define FORM(its, of) "<form><p>t</p><label for=" of ">t</label><input id=" its "></form>"
        /* and that another one's, which is asked for three times */
        { "<form><p>c</p><input id=a></form>" FORM("b", "a") FORM("d", "b") FORM("e", "d")
              FORM("f", "e"),
          "<form><p>c</p><input id=a></form>" FORM("b", "a")
              FORM("d", "b") "<form><label for=d>t</label><input id=e></form>" },
    };
    STRIP_LEAVES(cases, *state);
}

static void a_button_is_never_left_empty(void **state)
{
    static const kept_case_t cases[] = {
        { "<form><p>c</p><button><svg></svg> t</button></form>", NULL },
        { "<form id=f>c</form><p>t</p><button form=f>t</button>",
          "<form id=f>c</form><button form=f>t</button>" },
        /* it may not be cut: what is behind it would be in another place */
        { "<table><button>t</button><tr><td><p>c</p></table>", NULL },
    };
    STRIP_LEAVES(cases, *state);
}

/* Without rules for its controls, a form of hidden inputs is no form that anybody fills in. */
static void what_is_no_control_that_stays_keeps_nothing(void **state)
{
    static const char *const cases[][2] = {
        { "<body><form><input type=Hidden><p>t</p><label>t</label><p>c</p></form>",
          "<body><form><input type=Hidden><p>c</p></form>" },
        { "<body><p>c</p><details><summary>t</summary>t</details><label>t</label><hr>",
          "<body><p>c</p><hr>" },
        { "<body><p>c</p><div><p>t</p><button>t</button></div>", "<body><p>c</p>" },
        /* a control's name is no id of a text */
        { "<body><form><p>c</p><input name=a></form><p id=a>t</p><hr>",
          "<body><form><p>c</p><input name=a></form><hr>" },
    };
    const tmpl_guards_t with = { .control_texts = 1 };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        assert_string_equal(without_template(cases[i][0], &with, TMPL_NODE_CUT, *state),
                            cases[i][1]);
    }
}

/* A piece of a page, for a script: its buttons act on the page that it goes to. */
static void a_fragment_keeps_its_controls(void **state)
{
    static const char *const cases[][2] = {
        { "<div><p>c</p></div><div>t<p>t</p><button>t</button></div><hr>",
          "<div><p>c</p></div><div><button>t</button></div><hr>" },
        { "<title>x</title><div><p>c</p></div><div><p>t</p><button>t</button></div><hr>",
          "<title>x</title><div><p>c</p></div><hr>" },
        { "<body><div><p>c</p></div><div><p>t</p><button>t</button></div><hr>",
          "<body><div><p>c</p></div><hr>" },
    };
    const tmpl_guards_t with = { .control_texts = 1 };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        assert_string_equal(without_template(cases[i][0], &with, TMPL_NODE_CUT, *state),
                            cases[i][1]);
    }
}

/* annotate marks what strip cuts, and leaves alone what it keeps; TmplDrop wins. */
static void marks_and_guards_agree_with_the_rule(void **state)
{
    static const char html[] =
        "<body><form><p>c</p><b>t</b><input></form><nav>t<button>t</button></nav>";
    tmpl_guards_t guards = { .control_texts = 1 };
    assert_string_equal(
        without_template(html, &guards, TMPL_NODE_MARK, *state),
        "<body><form><p>c</p><b>t</b><input></form><nav data-tmpl=\"\">t<button>t</button></nav>");
    /* but for code, of which marks need not take care */
    assert_string_equal(without_template("<body><p>c</p><nav>t<script></script></nav>", &guards,
                                         TMPL_NODE_MARK, *state),
                        "<body><p>c</p><nav data-tmpl=\"\">t<script></script></nav>");
    apr_array_header_t *drop = apr_array_make(*state, 1, sizeof(const tmpl_selector_t *));
    assert_int_equal(tmpl_selector_parse(drop, "b", NULL), APR_SUCCESS);
    guards.drop = drop;
    assert_string_equal(without_template("<body><form><p>c</p><div><b>t</b></div><input></form>",
                                         &guards, TMPL_NODE_CUT, *state),
                        "<body><form><p>c</p><input></form>");
}

static const struct CMUnitTest tests[] = {
    CHECK(a_form_that_stays_keeps_its_texts),
    CHECK(a_form_around_a_page_keeps_what_names_its_controls),
    CHECK(ids_name_the_texts_of_controls),
    CHECK(a_button_is_never_left_empty),
    CHECK(what_is_no_control_that_stays_keeps_nothing),
    CHECK(a_fragment_keeps_its_controls),
    CHECK(marks_and_guards_agree_with_the_rule),
};

TAP_MAIN(tests)
