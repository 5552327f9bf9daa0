/* SPDX-License-Identifier: Apache-2.0 */
/* page + counts -> features: the rows of blocks. */
#include "feature_fixture.h"

static void names_are_found(void **state)
{
    (void)state;
    for (unsigned i = 0; i < TMPL_BLOCK_FEATURE_COUNT; i++) {
        assert_int_equal(tmpl_block_feature_find(tmpl_block_feature_name((tmpl_block_feature_e)i)),
                         i);
    }
    assert_int_equal(tmpl_block_feature_find("no such"), -1);
    assert_string_equal(tmpl_block_feature_group(TMPL_BLOCK_FEATURE_DF), "SITE");
}

/* explain says them: each is one of its own, and those that ask have 0, 1 or steps. */
static void each_is_said_in_words(void **state)
{
    (void)state;
    for (unsigned i = 0; i < TMPL_BLOCK_FEATURE_COUNT; i++) {
        const char *text = tmpl_block_feature_text((tmpl_block_feature_e)i);
        const char *group = tmpl_block_feature_group((tmpl_block_feature_e)i);
        assert_string_not_equal(text, "");
        assert_true(strcmp(group, "NAME") != 0 || text[strlen(text) - 1] == '?');
        for (unsigned k = 0; k < i; k++) {
            assert_string_not_equal(text, tmpl_block_feature_text((tmpl_block_feature_e)k));
        }
    }
}

static void words_of_every_script(void **state)
{
    static const struct {
        const char *text;
        double words, stops, commas;
    } texts[] = {
        { "It's one, two; three. Four!", 5, 2, 2 },
        { "a&amp;b &nbsp; c", 3, 0, 0 },
        { "\xE6\x97\xA5\xE6\x9C\xAC\xE3\x80\x82", 1, 1, 0 }, /* two ideographs, a stop */
        { "\xE0\xB8\x81\xE0\xB8\x81\xE0\xB8\x81\xE0\xB8\x81", 2, 0, 0 },    /* Thai */
        { "\xD0\xBC\xD0\xB8\xD1\x80, \xD0\xBC\xD0\xB8\xD1\x80?", 2, 1, 1 }, /* Cyrillic */
        { "\xE0\xA4\xA8 \xE0\xA4\xA8\xE0\xA5\xA4", 2, 1, 0 }, /* Devanagari, a danda */
        { "3.14 v1.2", 4, 0, 0 },                             /* no ends of sentences */
        { "caf\xE9 \xFF", 2, 0, 0 },                          /* not UTF-8 */
    };
    for (unsigned i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        read_t r = read_html(apr_pstrcat(*state, "<p>", texts[i].text, NULL), *state);
        IS(0, WORDS, texts[i].words);
        IS(0, STOPS, texts[i].stops / texts[i].words);
        IS(0, COMMAS, texts[i].commas);
    }
}

static void text_says(void **state)
{
    read_t r = read_html("<p>one <a href=a>Two Three</a> <a href=b>four</a></p><p>Ends here.</p>"
                         "<p><img src=i></p><p>one <a href=c>x</a></p>",
                         *state);
    IS(0, WORDS, 4);
    IS(0, FREE, 1);
    IS(0, LINKED, 0.75);
    IS(0, LINKS, 2);
    IS(0, CAPITALS, 0.5);
    IS(0, LOWER, 1);
    IS(0, ENDS, 0);
    IS(1, ENDS, 1);
    IS(1, LOWER, 0);
    IS(2, IMAGES, 1);
    IS(2, WORDS, 0);
    IS(3, AGAIN, 3.0F / 4); /* "one", and not "x" */
}

static void rights_and_links(void **state)
{
    read_t r =
        read_html("<p>&copy; 2011</p><p>\xC2\xA9 me</p><p>&#169; &copies;</p><p>&lt;c&gt;</p>"
                  "<p><a href=#x>a</a> <a href='http://h/'>b</a> <a href=//hostname>c</a> "
                  "<a href=httpd>d</a> <a>e</a></p>",
                  *state);
    IS(0, RIGHTS, 1);
    IS(1, RIGHTS, 1);
    IS(2, RIGHTS, 1);
    IS(3, RIGHTS, 0);
    IS(3, LINKS_HERE, 0);
    IS(4, LINKS_HERE, 0.2);
    IS(4, LINKS_WHOLE, 0.4);
    r = read_html("<p><a href=\"#there\">one</a>", *state);
    IS(0, LINKS_HERE, 1);
}

/* The first bytes of an address are compared without reading on: eight bytes name no host. */
static void links_as_most_are_written(void **state)
{
    static const struct {
        const char *href;
        float here, whole;
    } links[] = {
        { "#", 1, 0 },        { "#http://h/", 1, 0 },  { "", 0, 0 },          { "//", 0, 0 },
        { "//234567", 0, 0 }, { "//2345678", 0, 1 },   { "http://a", 0, 0 },  { "http://ab", 0, 1 },
        { "x.html", 0, 0 },   { "https://h/a", 0, 1 }, { "/http://h", 0, 0 }, { "/#a", 0, 0 },
    };
    const char *html = "";
    for (size_t i = 0; i < sizeof(links) / sizeof(links[0]); i++) {
        html = apr_psprintf(*state,
                            "%s<p><a href=\"%s\" title=\"somewhere\">x</a></p>"
                            "<p><a title=here href=\"%s\">x</a></p>",
                            html, links[i].href, links[i].href);
    }
    read_t r = read_html(html, *state);
    for (uint32_t i = 0; i < 2 * sizeof(links) / sizeof(links[0]); i++) {
        IS(i, LINKS_HERE, links[i / 2].here);
        IS(i, LINKS_WHOLE, links[i / 2].whole);
    }
}

static void words_of_the_title(void **state)
{
    read_t r = read_html("<title>The Red Fox - a Site</title><p>red FOX jumps<p>red</p>"
                         "<p>redfox it's</p>",
                         *state);
    IS(0, TITLE, 2.0F / 3);
    IS(0, TITLE_SHARE, 2.0F / 5);
    IS(1, TITLE, 1);
    IS(1, TITLE_SHARE, 1.0F / 5);
    IS(2, TITLE, 0);
    r = read_html("<title>\xE6\x97\xA5\xE6\x9C\xAC</title><p>\xE6\x97\xA5\xE4\xBA\xBA</p>", *state);
    IS(0, TITLE, 0.5);
    r = read_html("<p>red fox</p>", *state);
    IS(0, TITLE, 0);
    IS(0, TITLE_SHARE, 0);
}

/* The position in a class or id at which a name counts. */
/*
 * Text is read in chunks: their boundaries change nothing, wherever words, signs and references
 * are.
 */
static void text_in_pieces(void **state)
{
    static const char *const texts[] = {
        "The Site's 12 dogs, 3 cats; and \xC3\xA9t\xC3\xA9 1a2b! Really? 'quoted' don't (x) site",
        "a&amp;b caf\xC3\xA9s &copy; 2026 R&D & co. \xE6\x97\xA5\xE6\x9C\xAC"
        "abc \xE2\x80\xA6",
        "dogsandcatsandmoreofthesewordsthatnobodyeverwritesbutsomepageshavesuchlongonesinthem",
    };
    const char *title =
        "<title>The dog's sites, caf\xC3\xA9s &amp; \xE6\x97\xA5 "
        "dogsandcatsandmoreofthesewordsthatnobodyeverwritesbutsomepageshavesuchlongonesinthem"
        "</title><p>";
    for (unsigned i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        read_t whole = read_html(apr_pstrcat(*state, title, texts[i], NULL), *state);
        for (unsigned blanks = 1; blanks <= 130; blanks++) {
            read_t r = read_html(apr_psprintf(*state, "%s%*s%s", title, (int)blanks, "", texts[i]),
                                 *state);
            for (uint32_t f = 0; f <= TMPL_BLOCK_FEATURE_LINKS_WHOLE; f++) {
                assert_float_equal(of(&r, 0, f), of(&whole, 0, f), 0);
            }
        }
    }
    read_t r = read_html(apr_pstrcat(*state, title, texts[0], NULL), *state);
    IS(0, WORDS, 14);
    IS(0, ENDS, 0);          /* words follow it */
    IS(0, TITLE, 3.0F / 14); /* the, "sites" as "Site's", "dog's" as "dogs" */
}

static void names_of_parts(void **state)
{
    static const struct {
        const char *name;
        tmpl_block_feature_e feature;
        int is;
    } names[] = {
        { "userComments", TMPL_BLOCK_FEATURE_NAMED_COMMENT, 1 },
        { "reply-4", TMPL_BLOCK_FEATURE_NAMED_COMMENT, 1 },
        { "noreply", TMPL_BLOCK_FEATURE_NAMED_COMMENT, 0 },
        { "mainNAV", TMPL_BLOCK_FEATURE_NAMED_MENU, 1 },
        { "tabs", TMPL_BLOCK_FEATURE_NAMED_MENU, 1 },
        { "stabs", TMPL_BLOCK_FEATURE_NAMED_MENU, 0 },
        { "sidebar", TMPL_BLOCK_FEATURE_NAMED_SIDE, 1 },
        { "trailer", TMPL_BLOCK_FEATURE_NAMED_SIDE, 0 },
        { "relatedPosts", TMPL_BLOCK_FEATURE_NAMED_MORE, 1 },
        { "anymore", TMPL_BLOCK_FEATURE_NAMED_MORE, 0 },
        { "footer", TMPL_BLOCK_FEATURE_NAMED_EDGE, 1 },
        { "stop", TMPL_BLOCK_FEATURE_NAMED_EDGE, 0 },
        { "social", TMPL_BLOCK_FEATURE_NAMED_SHARE, 1 },
        { "byline", TMPL_BLOCK_FEATURE_NAMED_ABOUT, 1 },
        { "update", TMPL_BLOCK_FEATURE_NAMED_ABOUT, 0 },
        { "ad", TMPL_BLOCK_FEATURE_NAMED_OFFER, 1 },
        { "ad-top", TMPL_BLOCK_FEATURE_NAMED_OFFER, 1 },
        { "add", TMPL_BLOCK_FEATURE_NAMED_OFFER, 0 },
    };
    for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        read_t r = read_html(
            apr_pstrcat(*state, "<div class='x ", names[i].name, "'><p>a</p></div>", NULL), *state);
        assert_float_equal(of(&r, 0, names[i].feature), names[i].is ? 0.5F : 0.0F, 1e-6);
    }
}

/*
 * Tags and other attributes than class and id say kinds, too, of elements with the same layout
 * path.
 */
static void kinds_of_elements(void **state)
{
    static const struct {
        const char *tag;
        tmpl_block_feature_e feature;
        int is;
    } tags[] = {
        { "div class=modal-dialog", TMPL_BLOCK_FEATURE_NAMED_DIALOG, 1 },
        { "div role=dialog", TMPL_BLOCK_FEATURE_NAMED_DIALOG, 1 },
        { "dialog", TMPL_BLOCK_FEATURE_NAMED_DIALOG, 1 },
        { "div itemprop=author", TMPL_BLOCK_FEATURE_NAMED_AUTHOR, 1 },
        { "div itemtype=http://schema.org/Question", TMPL_BLOCK_FEATURE_NAMED_QA, 1 },
        { "div itemtype=http://schema.org/Comment", TMPL_BLOCK_FEATURE_NAMED_COMMENT, 1 },
        { "div itemprop=articleBody", TMPL_BLOCK_FEATURE_GOOD_NEAR,
          0 }, /* a name of class and id */
        { "div aria-hidden=true", TMPL_BLOCK_FEATURE_NAMED_ARIA, 1 },
        { "div aria-hidden=false", TMPL_BLOCK_FEATURE_NAMED_ARIA, 0 },
        { "div hidden", TMPL_BLOCK_FEATURE_NAMED_HIDDEN, 1 },
        { "div style='display: none'", TMPL_BLOCK_FEATURE_NAMED_HIDDEN, 1 },
        { "div style='display:none;x'", TMPL_BLOCK_FEATURE_NAMED_HIDDEN, 1 },
        { "div style='display:block'", TMPL_BLOCK_FEATURE_NAMED_HIDDEN, 0 },
        { "div class=d-none", TMPL_BLOCK_FEATURE_NAMED_HIDDEN, 1 },
        { "div class=sr-only", TMPL_BLOCK_FEATURE_NAMED_READER, 1 },
        { "div class=hljs-comment", TMPL_BLOCK_FEATURE_NAMED_COMMENT, 0 },
        { "div class='token comment'", TMPL_BLOCK_FEATURE_NAMED_COMMENT, 0 },
        { "pre class=comment", TMPL_BLOCK_FEATURE_NAMED_COMMENT, 0 },
        { "div class=comment", TMPL_BLOCK_FEATURE_NAMED_COMMENT, 1 },
        { "div class=kommentare", TMPL_BLOCK_FEATURE_NAMED_COMMENT, 1 },
    };
    for (unsigned i = 0; i < sizeof(tags) / sizeof(tags[0]); i++) {
        read_t r =
            read_html(apr_psprintf(*state, "<div>plain</div><%s>x</div>", tags[i].tag), *state);
        assert_float_equal(of(&r, 0, tags[i].feature), 0, 0);
        assert_float_equal(of(&r, 1, tags[i].feature), tags[i].is, 0);
    }
}

static void what_is_said_again(void **state)
{
    read_t r = read_html("<h1>four</h1><p>four</p><p>new <b>four</b></p><p>other</p>", *state);
    float templateness[] = { 0.25F, 0.5F, 0.75F, 0 };
    IS(0, SAID_BEFORE, 0);
    IS(0, SAID_BEHIND, 1);
    IS(0, SAID_TIMES, 2);
    IS(0, SAID_RANK, 0);
    IS(1, SAID_BEFORE, 1);
    IS(1, SAID_BEHIND, 1);
    IS(1, SAID_RANK, 1);
    IS(2, SAID_BEFORE, 4.0F / 7); /* "four", and not "new" */
    IS(2, SAID_BEHIND, 0);
    IS(2, SAID_TIMES, 2 * 4.0F / 7);
    IS(3, SAID_TIMES, 0);
    const tmpl_said_t *said = &r.reading->said;
    tmpl_said_best_t *best = tmpl_said_judged(said, r.page, templateness, *state);
    assert_float_equal(tmpl_said_best(said, best, r.page, 0), 0.5, 1e-6);
    assert_float_equal(tmpl_said_best(said, best, r.page, 1), 0.25, 1e-6);
    assert_float_equal(tmpl_said_best(said, best, r.page, 2), (3 + 4 * 0.25) / 7, 1e-6);
    assert_float_equal(tmpl_said_best(said, best, r.page, 3), 1, 1e-6);
}

static void the_table_says(void **state)
{
    read_t r = read_html("<p>1234<b>56</b></p><p>new</p>", *state);
    tmpl_record_t segments[] = { { .df = 5 }, { .df = 2 }, { .df = 1 } };
    tmpl_record_t *paths = apr_pcalloc(*state, r.layout.n_keys * sizeof(*paths));
    tmpl_evidence_t evidence = { segments, paths, 9, 5 };
    IS(0, PAGES, 0);
    IS(0, REPEATED, 0);
    paths[r.layout.blocks[0].paths[0] - r.page->n_keys] =
        (tmpl_record_t){ .df = 6, .text = 100, .repeated = 75 };
    set_rows(&r, &evidence);
    IS(0, PAGES, log2f(9));
    IS(0, DF, (4 * 0.5F + 2 * 0.125F) / 6);
    IS(0, DF_LOG, (4 * logf(5) + 2 * logf(2)) / 6);
    IS(0, REPEATED, 1);
    IS(0, RATIO, 4.0F / 6);
    IS(1, REPEATED, 0);
    IS(1, REPEATED_1, 6.0F / 9);
    IS(1, REPEATED_PAGE, 6.0F / 9);
    IS(0, PATH0_REPEATED, 0.75); /* the same for the other p: the same path */
    IS(1, PATH0_REPEATED, 0.75);
    IS(0, PATH0_DF, 6.0F / 9);
    IS(0, PATH0_TEXT, 100);
    IS(0, PATH1_REPEATED, 0);
    IS(0, DF_PATH0, (4 * 4.0F + 2) / 6 / 5); /* of the 5 other pages with its path */
    IS(0, DF_PATH1, 0);
    IS(1, DF_PATH0, 0);
    evidence.pages = 1; /* this page: its own text says nothing about its site */
    set_rows(&r, &evidence);
    IS(0, PATH0_REPEATED, 0);
    IS(0, PATH0_DF, 0);
    IS(0, REPEATED_PAGE, 0);
    IS(1, REPEATED_1, 0);
}

static const struct CMUnitTest tests[] = {
    CHECK(names_are_found),    CHECK(each_is_said_in_words), CHECK(words_of_every_script),
    CHECK(text_says),          CHECK(rights_and_links),      CHECK(links_as_most_are_written),
    CHECK(words_of_the_title), CHECK(names_of_parts),        CHECK(kinds_of_elements),
    CHECK(what_is_said_again), CHECK(text_in_pieces),        CHECK(the_table_says),
};

TAP_MAIN(tests)
