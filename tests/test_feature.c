/* SPDX-License-Identifier: Apache-2.0 */
/* page + counts -> features: what a row says of a block. */
#include "check.h"

#include <math.h>

#include <apr_lib.h>

#include "feature/feature.h"
#include "feature/piece.h"
#include "feature/tally.h"
#include "pieces.h"

typedef struct {
    const tmpl_page_t *page;
    tmpl_reading_t *reading;
    tmpl_layout_t layout;
    float *rows;
    apr_pool_t *pool;
} read_t;

static void set_rows(read_t *r, const tmpl_evidence_t *evidence)
{
    r->rows = apr_palloc(r->pool, r->page->n_blocks * TMPL_BLOCK_FEATURE_COUNT * sizeof(*r->rows));
    tmpl_block_feature_rows(r->rows, r->reading, &r->layout, evidence, r->pool);
}

/* Reads a page of a site that nothing is known of; 0 if the parser declines it. */
static int try_read(read_t *r, const char *html, apr_pool_t *pool)
{
    static const tmpl_evidence_t nothing = { 0 };
    tmpl_page_opts_t opts = { .separators = &tmpl_separators_leaf };
    r->pool = pool;
    if (tmpl_page_parse(&r->page, html, strlen(html), &opts, pool) != TMPL_DECLINE_NONE) {
        return 0;
    }
    r->reading = tmpl_read_blocks(r->page, pool);
    tmpl_layout_read(&r->layout, r->reading, pool);
    set_rows(r, &nothing);
    return 1;
}

static read_t read_html(const char *html, apr_pool_t *pool)
{
    read_t r;
    assert_true(try_read(&r, html, pool));
    return r;
}

static float of(const read_t *r, uint32_t block, tmpl_block_feature_e feature)
{
    assert_true(block < r->page->n_blocks);
    return r->rows[block * TMPL_BLOCK_FEATURE_COUNT + feature];
}

#define OF(block, id)            of(&r, block, TMPL_BLOCK_FEATURE_##id)
#define IS(block, id, value)     assert_float_equal(OF(block, id), value, 1e-5)
#define IS_LOG(block, id, value) IS(block, id, logf(1.0F + (float)(value)))

static void names_are_found(void **state)
{
    (void)state;
    for (unsigned i = 0; i < TMPL_BLOCK_FEATURE_COUNT; i++) {
        assert_int_equal(tmpl_block_feature_find(tmpl_block_feature_name((tmpl_block_feature_e)i)),
                         i);
    }
    assert_int_equal(tmpl_block_feature_find("no such"), TMPL_BLOCK_FEATURE_COUNT);
    assert_string_equal(tmpl_block_feature_group(TMPL_BLOCK_FEATURE_DF), "SITE");
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
        IS_LOG(0, WORDS, texts[i].words);
        IS(0, STOPS, texts[i].stops / texts[i].words);
        IS_LOG(0, COMMAS, texts[i].commas);
    }
}

static void text_says(void **state)
{
    read_t r = read_html("<p>one <a href=a>Two Three</a> <a href=b>four</a></p><p>Ends here.</p>"
                         "<p><img src=i></p><p>one <a href=c>x</a></p>",
                         *state);
    IS_LOG(0, WORDS, 4);
    IS_LOG(0, FREE, 1);
    IS(0, LINKED, 0.75);
    IS_LOG(0, LINKS, 2);
    IS(0, CAPITALS, 0.5);
    IS(0, LOWER, 1);
    IS(0, ENDS, 0);
    IS(1, ENDS, 1);
    IS(1, LOWER, 0);
    IS_LOG(2, IMAGES, 1);
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

/* What stands in front of all else is looked at without its end: eight bytes name no host. */
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

/* Where in a class or id a name must stand to count. */
/* Text is read in pieces: where they end changes nothing, wherever words, signs and references stand. */
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
    IS_LOG(0, WORDS, 14);
    IS(0, ENDS, 0);          /* words follow behind what stands by itself */
    IS(0, TITLE, 3.0F / 14); /* the, "sites" as "Site's", "dog's" as "dogs" */
}

static uint32_t random_below(uint64_t *seed, uint32_t n)
{
    *seed = *seed * 6364136223846793005 + 1442695040888963407;
    return (uint32_t)(*seed >> 33) % n;
}

static void same_below(const tmpl_piece_t *a, const tmpl_piece_t *b, uint32_t n)
{
    uint64_t all = ~(uint64_t)0 >> (TMPL_PIECE - n);
    assert_int_equal((a->wide ^ b->wide) & all, 0);
    assert_int_equal((a->marks ^ b->marks) & all, 0);
    assert_int_equal((a->words ^ b->words) & all, 0);
    assert_int_equal((a->digits ^ b->digits) & all, 0);
    assert_int_equal((a->capitals ^ b->capitals) & all, 0);
    assert_int_equal((a->spaces ^ b->spaces) & all, 0);
}

/* However bytes are looked at, they are the same. */
static void pieces_are_seen_alike(void **state)
{
    static const char first[] = "aZ7";
    tmpl_title_t title = { 0 };
    unsigned char bytes[TMPL_PIECE];
    for (unsigned i = 0; i < sizeof(first) - 1; i++) {
        tmpl_title_add(&title, (const unsigned char *)first, i, i + 1, sizeof(first) - 1);
    }
    for (unsigned start = 0; start < 256; start++) { /* each byte in each place */
        for (unsigned i = 0; i < TMPL_PIECE; i++) {
            bytes[i] = (unsigned char)(start + i * (1 + start % 3));
        }
        for (uint32_t n = 1; n <= TMPL_PIECE; n += start % 3 + 1) {
            tmpl_piece_t piece = tmpl_look_one_by_one(bytes, n, title.first);
            tmpl_piece_t other = tmpl_look_anywhere(bytes, n, title.first);
            same_below(&piece, &other, n);
#ifdef TMPL_FOR_AVX2
            if (tmpl_has_avx2()) {
                other = tmpl_look_avx2(bytes, n, title.first);
                same_below(&piece, &other, n);
                for (uint32_t i = 0; i < n; i++) {
                    int is_first = bytes[i] < 0x80 && strchr("aAzZ7", bytes[i]) != NULL;
                    assert_int_equal(other.titled >> i & 1, bytes[i] != '\0' && is_first);
                }
            }
#endif
        }
    }
    (void)state;
}

/* However blocks are read, they have the same in them. */
static void blocks_are_read_alike(void **state)
{
    static const char *const parts[] = { "red",
                                         "Fox",
                                         "fo'x",
                                         "don't",
                                         "''",
                                         "'",
                                         " ",
                                         "  ",
                                         ", ",
                                         ". ",
                                         "! ",
                                         ".5",
                                         "&amp;",
                                         "&copy;",
                                         "&",
                                         "&#38;",
                                         "12",
                                         "\xC3\xA9",
                                         "\xE9",
                                         "caf\xC3\xA9",
                                         "\xE6\x97\xA5",
                                         "\xC2\xA0",
                                         "<b>",
                                         "</b>",
                                         "<a href=\"#x\">",
                                         "</a>",
                                         "<img>",
                                         "-",
                                         "abcdefghijklmnopqrstuvwxyz",
                                         "abcdefgh",
                                         "abcdefghi" };
    uint64_t seed = 1;
    for (unsigned round = 0; round < 500; round++) {
        tmpl_title_t title;
        tmpl_scan_t scan;
        tmpl_tally_t tallies[2] = { 0 };
        const char *html = "<title>The Fox don't caf\xC3\xA9, \xE6\x97\xA5 abcdefghi's</title><p>x";
        for (unsigned n = random_below(&seed, 60); n > 0; n--) {
            html = apr_pstrcat(*state, html,
                               parts[random_below(&seed, sizeof(parts) / sizeof(parts[0]))], NULL);
        }
        read_t r = read_html(html, *state);
        tmpl_tally_begin(&scan, &title, r.reading);
        tmpl_tally_block_anywhere(&tallies[0], &scan, 0);
        tmpl_tally_block_here()(&tallies[1], &scan, 0);
        assert_memory_equal(&tallies[0], &tallies[1], sizeof(tallies[0]));
    }
}

/* The same word: apostrophes and capitals do not count. */
static int is_same_word(const char *a, const char *b)
{
    for (;; a++, b++) {
        while (*a == '\'') {
            a++;
        }
        while (*b == '\'') {
            b++;
        }
        if (*a == '\0' || *b == '\0' || apr_tolower(*a) != apr_tolower(*b)) {
            return *a == *b;
        }
    }
}

/* A word is looked up if it begins as one of the title's, which may be written in another way. */
static void any_word_of_the_title(void **state)
{
    static const char *const letters[] = { "a", "B", "b", "3", "'", "\xC3\xA9", "A" };
    uint64_t seed = 1;
    unsigned found = 0;
    for (unsigned round = 0; round < 3000; round++) {
        const char *words[11];
        const char *title = "<title>";
        int is_of_title = 0;
        for (unsigned w = 0; w < 11; w++) {
            words[w] = letters[random_below(&seed, 2)];
            for (unsigned n = random_below(&seed, 12); n > 0; n--) {
                words[w] = apr_pstrcat(*state, words[w], letters[random_below(&seed, 7)], NULL);
            }
            title = apr_pstrcat(*state, title, words[w], " ", NULL);
        }
        const char *word = apr_pstrcat(*state, words[round % 11],
                                       round % 3 ? "" : letters[random_below(&seed, 7)], NULL);
        char *other = apr_pstrdup(*state, word + random_below(&seed, 2));
        for (char *at = other; *at != '\0'; at++) {
            *at = (char)(random_below(&seed, 2) ? apr_toupper(*at) : *at);
        }
        word = apr_isalpha(*other) ? other : word;
        for (unsigned w = 0; w < 11; w++) {
            is_of_title |= is_same_word(words[w], word);
        }
        read_t r = read_html(
            apr_pstrcat(*state, title, "</title><p>", word, round % 2 ? "</p>" : " -", NULL),
            *state);
        IS(0, TITLE, is_of_title);
        found += (unsigned)is_of_title;
    }
    assert_in_range(found, 300, 2700);
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

static void elements_around(void **state)
{
    read_t r = read_html("<main class=content><article><h2>a</h2><ul><li>b<p>c</p></ul>"
                         "<div role=navigation><p>d</div></article></main><pre>e</pre>",
                         *state);
    IS(0, IN_MAIN, 1);
    IS(0, IN_ARTICLE, 1);
    IS(0, HEADING, 1);
    IS(0, GOOD_NEAR, 1.0F / 3); /* h2, article, main */
    IS(0, NEARER, 1);
    IS(1, ITEM, 1);
    IS(1, IN_LIST, 1);
    IS(2, ITEM, 0); /* the p is nearer */
    IS(2, PARAGRAPH, 1);
    IS(3, IN_NAV, 1);
    IS(4, VERBATIM, 1);
    IS(4, IN_MAIN, 0);
    r = read_html("<figure><figcaption>a</figcaption></figure><blockquote><p>b</p></blockquote>",
                  *state);
    IS(0, IN_FIGURE, 1);
    IS(0, IN_QUOTE, 0);
    IS(1, IN_FIGURE, 0);
    IS(1, IN_QUOTE, 1);
}

/* A box holds more blocks than the one below; wrappers are passed over, and the root stays the last. */
static void boxes_skip_wrappers(void **state)
{
    read_t r = read_html("<div><div><div><p>a <a href=x>b</a></p></div><p>c d</p></div>"
                         "<p>e <a href=x>f g h</a></p></div><p>i j</p>",
                         *state);
    IS(0, BOX1_LINKED, 1.0F / 4);
    IS(0, BOX2_LINKED, 4.0F / 8);
    IS(0, BOX3_LINKED, 4.0F / 10);
    IS(0, BOX4_LINKED, 4.0F / 10);
    IS(2, BOX1_LINKED, 4.0F / 8);
    IS(3, BOX1_LINKED, 4.0F / 10);
}

static void place_and_neighbours(void **state)
{
    read_t r =
        read_html("<h1>a</h1><p>b <a href=x>c</a><p>1 2 3 4 5 6 7 8 9 10 11 12<p>d<p>e", *state);
    IS(0, TITLED, 0);
    IS(1, TITLED, 1);
    IS(1, BEFORE, 1.0F / 17);
    IS_LOG(1, REST, 14);
    IS(1, LONG_NEAR, 0.5);
    IS(2, LONG_NEAR, 1);
    IS(4, LONG_NEAR, 1.0F / 3);
    IS(1, LONG_NEXT, 0.5);
    IS(1, LONG_LAST, 1.0F / 6); /* there is none */
    IS(4, LONG_LAST, 1.0F / 3);
    IS(4, LONG_NEXT, 1.0F / 6);
    IS_LOG(0, FREE_NEXT_3, 14.0 / 3);
    IS_LOG(0, FREE_LAST_3, 0);
    IS(3, LINKED_LAST_3, 1.0F / 15);
    IS(3, LINKED_NEXT_3, 0);
    IS_LOG(4, FREE_NEXT_3, 0);
    IS_LOG(0, FREE_8, 16.0 / 5);
    IS(0, LINKED_8, 1.0F / 17);
    IS(1, LONG_BEFORE, 0);
    IS(3, LONG_BEFORE, 1);
    IS_LOG(0, FREE_NEXT, 1);
    IS(0, LINKED_NEXT, 0.5);
    IS(0, FREE_LAST, 0);
    IS(0, LINKED_1, 1.0F / 3);
    IS_LOG(4, FREE_1, 1);
    for (int times = 0; times < 2; times++) { /* as many words, in two blocks and in three */
        r = read_html("<p>1 2<p>3 4<p>5<p>6<p>7 8<p>9 10", *state);
        IS_LOG(0, FREE_1, 2);
        IS_LOG(2, FREE_1, 4.0 / 3);
        IS_LOG(5, FREE_1, 2);
    }
}

static void the_best_container(void **state)
{
    const char *text =
        "A long sentence, with a comma or two, and many words in it that say something.";
    read_t r = read_html(
        apr_psprintf(*state,
                     "<div><p>a<p>b</div><div><p>%s<p>%s<p>%s</div><ul><li><a href=x>%s</a></ul>",
                     text, text, text, text),
        *state);
    IS(0, BEST, 0);
    IS(2, BEST, 1);
    IS(4, BEST, 1);
    IS(5, BEST, 0);
    IS(2, SCORE, 1);
    IS(0, BEST_BEFORE, 0);
    IS(2, BEST_BEFORE, 0);
    IS(3, BEST_BEFORE, 1.0F / 3);
    IS(5, BEST_BEFORE, 1);
    assert_true(OF(0, SCORE) < OF(0, SCORE_2) + 1 && OF(2, SCORE_2) < 1);
    assert_true(OF(0, BEST_SHARE) > 0.7 && OF(0, BEST_SHARE) < 0.8);
}

static uint64_t path_key(const read_t *r, uint32_t block, uint32_t level)
{
    return r->layout.keys[r->layout.parts[block].paths[level] - r->page->n_keys];
}

/* Classes and ids make a layout path, digits and the body's class do not. */
static void layout_paths(void **state)
{
    read_t r =
        read_html("<body class=z><div class=a id=n1><p>1</p></div><div class=a id=n2><p>2</p></div>"
                  "<div class=b id=n1><p>3</p></div><div class=a id=n1><ul><li>4<li>5</ul></div>",
                  *state);
    assert_int_equal(r.layout.parts[0].paths[0], r.layout.parts[1].paths[0]);
    assert_int_not_equal(r.layout.parts[0].paths[0], r.layout.parts[2].paths[0]);
    assert_int_not_equal(r.layout.parts[0].paths[0], r.layout.parts[3].paths[0]);
    assert_int_equal(r.layout.parts[3].paths[1], r.layout.parts[4].paths[1]); /* the list */
    assert_int_not_equal(r.layout.parts[0].paths[0], r.layout.parts[0].paths[1]);
    read_t other = read_html("<body class=y><div class=a id=n9><p>6</p></div>", *state);
    assert_int_equal(path_key(&other, 0, 0), path_key(&r, 0, 0));
    for (uint32_t i = 0; i < r.layout.n_keys; i++) {
        for (uint32_t k = 0; k < i; k++) {
            assert_int_not_equal(r.layout.keys[i], r.layout.keys[k]);
        }
    }
}

/* The same tag in other places, and tags that differ in one attribute, however it is written. */
static void paths_of_tags_alike(void **state)
{
    read_t r =
        read_html("<div class=a><p id=x>1</p></div><div class=b><p id=x>2</p></div><p id=x>3</p>"
                  "<p>4</p><p ID=y>5</p><p title=t CLASS=z>6</p><p title=t>7</p><p id=x>8</p>"
                  "<div class=b><p id=x>9</p></div>",
                  *state);
    static const unsigned like[] = { 0, 1, 2, 3, 4, 5, 3, 2, 1 };
    for (unsigned i = 0; i < sizeof(like) / sizeof(like[0]); i++) {
        for (unsigned k = 0; k < i; k++) {
            assert_int_equal(path_key(&r, i, 0) == path_key(&r, k, 0), like[i] == like[k]);
        }
    }
}

/* A role is no part of a path, but says what stands in it. */
static void a_path_with_two_roles(void **state)
{
    read_t r =
        read_html("<div class=menu role=navigation><p>1</p></div><div class=menu><p>2</p></div>"
                  "<div class=menu role=navigation><p>3</p></div>",
                  *state);
    for (uint32_t b = 1; b < 3; b++) {
        for (uint32_t level = 0; level < TMPL_PATH_LEVELS; level++) {
            assert_int_equal(r.layout.parts[b].paths[level], r.layout.parts[0].paths[level]);
        }
        IS(b, NAMED_MENU, 0.5);
    }
    IS(0, IN_NAV, 1);
    IS(1, IN_NAV, 0);
    IS(2, IN_NAV, 1);
}

/* More places than the table of them begins with. */
static void a_page_of_many_places(void **state)
{
    enum { PLACES = 700 };
    const char *html = "";
    for (int i = 0; i < PLACES; i++) {
        html = apr_psprintf(*state, "%s<div class=%c%c%c><p>x</p></div>", html, 'h' + i % 10,
                            'h' + i / 10 % 10, 'h' + i / 100);
    }
    read_t r = read_html(apr_pstrcat(*state, html, html, NULL), *state);
    assert_int_equal(r.page->n_blocks, 2 * PLACES);
    for (uint32_t b = 0; b < PLACES; b++) {
        assert_int_equal(path_key(&r, b, 0), path_key(&r, PLACES + b, 0));
        assert_true(b == 0 || path_key(&r, b, 0) != path_key(&r, b - 1, 0));
    }
    assert_int_equal(r.layout.n_keys, PLACES + 2);
}

/* Counts up to 255 are kept in a byte, larger ones elsewhere: here characters first, then commas. */
static void counts_of_large_blocks(void **state)
{
    for (uint32_t n = 80; n < 260; n++) {
        const char *html = "<p>";
        for (uint32_t i = 0; i < n; i++) {
            html = apr_pstrcat(*state, html, "A1, ", NULL);
        }
        read_t r = read_html(apr_pstrcat(*state, html, "&copy;.<p>b! c.", html, NULL), *state);
        IS_LOG(0, COMMAS, n);
        IS_LOG(0, WORDS, n);
        IS(0, CAPITALS, 1);
        IS(0, DIGITS, (float)n / (float)(3 * n + 2));
        IS(0, RIGHTS, 1);
        IS(0, ENDS, 1);
        IS(0, STOPS_3, 3.0F / (float)(2 * n + 2));
        IS(1, STOPS_3, 3.0F / (float)(2 * n + 2));
        IS_LOG(1, WORDS, 2);
        IS(1, COMMAS, 0);
        IS(1, LOWER, 1);
        IS(2, DIGITS, 1.0F / 3);
        IS(2, RIGHTS, 0);
    }
    read_t r = read_html(apr_psprintf(*state, "<p>a%0255d<p>%0256d", 0, 0), *state);
    IS(0, DIGITS, 255.0F / 256);
    IS(1, DIGITS, 1);
}

/* Rows do not depend on those that were filled before, and there are none behind them. */
static void rows_in_any_order(void **state)
{
    enum { BLOCKS = 150, STEP = 37 };
    static const tmpl_evidence_t nothing = { 0 };
    static tmpl_columns_t columns;
    const char *html = "<title>t</title>";
    for (int i = 0; i < BLOCKS; i++) {
        html = apr_pstrcat(*state, html, i % 9 == 0 ? "<div><ul>" : "", "<li>",
                           i % 40 == 20 ? "a b c d e f g h i j k l m n" : "x y", NULL);
    }
    read_t r = read_html(html, *state);
    assert_int_equal(r.page->n_blocks, BLOCKS);
    tmpl_rows_t *rows = tmpl_rows_of(r.reading, &r.layout, &nothing, *state);
    for (uint32_t i = 0; i < BLOCKS; i++) {
        uint32_t first = i * STEP % BLOCKS;
        uint32_t after = first + 5 < BLOCKS ? first + 5 : BLOCKS;
        tmpl_rows_fill(&columns, rows, first, after);
        for (uint32_t k = 0; k < TMPL_BLOCKS_AT_ONCE; k++) {
            for (uint32_t f = 0; f < TMPL_BLOCK_FEATURE_COUNT; f++) {
                float is = first + k < after ? of(&r, first + k, f) : 0;
                assert_float_equal(columns.of[f][k], is, 0);
            }
        }
    }
}

/* However rows are filled, they are the same; so are those for which logarithms are known from before. */
static void rows_are_filled_alike(void **state)
{
    static tmpl_columns_t columns[3];
    uint64_t seed = 1;
    for (unsigned round = 0; round < 40; round++) {
        const char *html = "<title>the title of a page</title>";
        unsigned blocks = 1 + random_below(&seed, 200);
        for (unsigned b = 0; b < blocks; b++) {
            html = apr_pstrcat(*state, html,
                               random_below(&seed, 8) == 0 ? "</div><div class=menu>" : "", "<p>",
                               NULL);
            unsigned words = random_below(&seed, 40) == 0 ? 2000 : random_below(&seed, 30);
            for (unsigned w = 0; w < words; w += 10) {
                html = apr_pstrcat(*state, html, "a, <a href=#x>title</a> of 1.2, the ",
                                   words > 99 ? "page, b, c, d, e" : "page. ", NULL);
            }
        }
        read_t r = read_html(html, *state);
        tmpl_record_t *segments = apr_pcalloc(*state, r.page->n_keys * sizeof(*segments));
        tmpl_record_t *paths = apr_pcalloc(*state, r.layout.n_keys * sizeof(*paths));
        for (uint32_t i = 0; i < r.page->n_keys; i++) {
            segments[i].df = 1 + random_below(&seed, 9);
        }
        for (uint32_t i = 0; i < r.layout.n_keys; i++) {
            paths[i] = (tmpl_record_t){ .df = 1 + random_below(&seed, 9),
                                        .text = 1000,
                                        .repeated = random_below(&seed, 1000) };
        }
        tmpl_evidence_t evidence = { segments, paths, round % 4 > 0 ? 9 : 0, 5 };
        tmpl_rows_t *rows = tmpl_rows_of(r.reading, &r.layout, &evidence, *state);
        for (uint32_t first = 0, after; first < r.page->n_blocks; first = after) {
            after = first + 1 + random_below(&seed, TMPL_BLOCKS_AT_ONCE);
            after = after < r.page->n_blocks ? after : r.page->n_blocks;
            tmpl_rows_fill(&columns[0], rows, first, after);
            tmpl_rows_fill_anywhere(&columns[1], rows, first, after);
            tmpl_rows_fill(&columns[2], rows, first, after);
            assert_memory_equal(&columns[0], &columns[1], sizeof(columns[0]));
            assert_memory_equal(&columns[0], &columns[2], sizeof(columns[0]));
        }
    }
}

static void the_table_says(void **state)
{
    read_t r = read_html("<p>1234<b>56</b></p><p>new</p>", *state);
    tmpl_record_t segments[] = { { .df = 5 }, { .df = 2 }, { .df = 1 } };
    tmpl_record_t *paths = apr_pcalloc(*state, r.layout.n_keys * sizeof(*paths));
    tmpl_evidence_t evidence = { segments, paths, 9, 5 };
    IS(0, PAGES, 0);
    IS(0, REPEATED, 0);
    paths[r.layout.parts[0].paths[0] - r.page->n_keys] =
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
    IS(0, PATH0_REPEATED, 0.75); /* and so for the other p: the same path */
    IS(1, PATH0_REPEATED, 0.75);
    IS(0, PATH0_DF, 6.0F / 9);
    IS_LOG(0, PATH0_TEXT, 100);
    IS(0, PATH1_REPEATED, 0);
    evidence.pages = 1; /* this page: what it has says nothing of its site */
    set_rows(&r, &evidence);
    IS(0, PATH0_REPEATED, 0);
    IS(0, PATH0_DF, 0);
    IS(0, REPEATED_PAGE, 0);
    IS(1, REPEATED_1, 0);
}

/* What a store is told: the same keys, all text once, every block with its paths. */
static void the_store_is_told(void **state)
{
    read_t r = read_html("<p>a <b>b</b></p><ul><li>c<li>c</ul>", *state);
    tmpl_observation_t o = { 0 };
    tmpl_layout_observation(&o, r.page, &r.layout, *state);
    assert_int_equal(o.n, r.page->n_keys + r.layout.n_keys);
    assert_int_equal(o.keys[0].kind, TMPL_KIND_SEGMENT);
    assert_int_equal(o.keys[r.page->n_keys].kind, TMPL_KIND_PATH);
    assert_int_equal(o.keys[r.page->n_keys].hash, r.layout.keys[0]);
    assert_int_equal(o.n_shares, 4);
    assert_int_equal(o.n_parts, 3);
    assert_int_equal(o.shares[2].key, o.shares[3].key);
    assert_int_equal(o.parts[0].after, 2);
    assert_int_equal(o.parts[1].paths[0], o.parts[2].paths[0]);
    assert_int_equal(o.keys[o.parts[0].paths[0]].hash, r.layout.keys[0]);
    assert_int_equal(o.parts[0].paths[1], r.page->n_keys + 1);
}

/* Whatever the page, no row holds what is no number, or a share outside 0..1. */
static void mixtures_give_numbers(void **state)
{
    uint32_t seed = 1;
    unsigned read = 0;
    for (unsigned i = 0; i < 3000; i++) {
        apr_pool_t *pool;
        read_t r;
        apr_pool_create(&pool, *state);
        const char *html = "<p>Text, ";
        for (unsigned k = 0; k < 12; k++) {
            seed = seed * 1664525U + 1013904223U;
            html = apr_pstrcat(pool, html, oracle_pieces[(seed >> 8) % ORACLE_PIECES], NULL);
        }
        if (try_read(&r, html, pool)) {
            read++;
            for (uint32_t f = 0; f < r.page->n_blocks * TMPL_BLOCK_FEATURE_COUNT; f++) {
                assert_true(isfinite(r.rows[f]) && r.rows[f] >= -1 && r.rows[f] <= 20);
            }
        }
        apr_pool_destroy(pool);
    }
    assert_true(read > 1000);
}

static const struct CMUnitTest tests[] = {
    CHECK(names_are_found),
    CHECK(words_of_every_script),
    CHECK(text_says),
    CHECK(rights_and_links),
    CHECK(links_as_most_are_written),
    CHECK(words_of_the_title),
    CHECK(pieces_are_seen_alike),
    CHECK(blocks_are_read_alike),
    CHECK(any_word_of_the_title),
    CHECK(names_of_parts),
    CHECK(text_in_pieces),
    CHECK(elements_around),
    CHECK(boxes_skip_wrappers),
    CHECK(place_and_neighbours),
    CHECK(the_best_container),
    CHECK(layout_paths),
    CHECK(paths_of_tags_alike),
    CHECK(a_path_with_two_roles),
    CHECK(a_page_of_many_places),
    CHECK(counts_of_large_blocks),
    CHECK(rows_in_any_order),
    CHECK(rows_are_filled_alike),
    CHECK(the_table_says),
    CHECK(the_store_is_told),
    CHECK(mixtures_give_numbers),
};

TAP_MAIN(tests)
