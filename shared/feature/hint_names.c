/* SPDX-License-Identifier: Apache-2.0 */
/* The table of names, and the search for them in classes and ids. */
#include <pthread.h>

#include "feature/hint_names.h"
#include "html/attr.h"

#define KIND(id)    TMPL_NAMED(id)
#define AND_BAD(id) (KIND(id) | KIND(BAD))

/* Where a name must be: anywhere, at the beginning of a word, or as a whole word. */
enum { ANYWHERE, BEGIN, WHOLE };

typedef struct {
    const char *name; /* without its first letter */
    tmpl_kinds_t kinds;
    int where;
} name_t;

#define END                                                                                        \
    {                                                                                              \
        0                                                                                          \
    }

/* The names, by first letter. */
static const name_t *const names[26] = {
    ['a' - 'a'] = (const name_t[]){ { "ccordion", KIND(FOLD), ANYWHERE },
                                    { "d", AND_BAD(OFFER) | KIND(ADVERT), WHOLE },
                                    { "ddthis", AND_BAD(SHARE), ANYWHERE },
                                    { "ddtocart", KIND(CART), ANYWHERE },
                                    { "ds", AND_BAD(OFFER) | KIND(ADVERT), WHOLE },
                                    { "dvert", AND_BAD(OFFER) | KIND(ADVERT), ANYWHERE },
                                    { "ffiliate", KIND(ADVERT), ANYWHERE },
                                    { "lert", KIND(STATUS), BEGIN },
                                    { "lso", KIND(MORE) | KIND(RELATED), BEGIN },
                                    { "nswer", KIND(GOOD) | KIND(QA), ANYWHERE },
                                    { "nzeige", KIND(ADVERT), BEGIN },
                                    { "rchive", AND_BAD(MORE), ANYWHERE },
                                    { "rticle", KIND(GOOD), ANYWHERE },
                                    { "ssistive", KIND(READER), ANYWHERE },
                                    { "ttribut", KIND(SPEC), BEGIN },
                                    { "uthor", KIND(ABOUT) | KIND(AUTHOR), ANYWHERE },
                                    { "utor", KIND(ABOUT) | KIND(AUTHOR), BEGIN },
                                    { "vatar", KIND(USER), ANYWHERE },
                                    END },
    ['b' - 'a'] = (const name_t[]){ { "adge", KIND(LABEL), BEGIN },
                                    { "anner", AND_BAD(OFFER), ANYWHERE },
                                    { "asket", KIND(CART), ANYWHERE },
                                    { "io", KIND(ABOUT) | KIND(AUTHOR), WHOLE },
                                    { "ody", KIND(GOOD), ANYWHERE },
                                    { "ookmark", KIND(SHARE), ANYWHERE },
                                    { "ottom", KIND(EDGE), BEGIN },
                                    { "readcrumb", AND_BAD(MENU), ANYWHERE },
                                    { "tn", KIND(BUTTON), BEGIN },
                                    { "utton", KIND(BUTTON), ANYWHERE },
                                    { "uy", KIND(CART), WHOLE },
                                    { "yline", AND_BAD(ABOUT) | KIND(AUTHOR), ANYWHERE },
                                    END },
    ['c' - 'a'] = (const name_t[]){ { "aption", KIND(CAPTION), ANYWHERE },
                                    { "ard", KIND(CARD), WHOLE },
                                    { "ards", KIND(CARD), WHOLE },
                                    { "arousel", KIND(SLIDE), ANYWHERE },
                                    { "art", KIND(CART), WHOLE },
                                    { "ategor", AND_BAD(ABOUT) | KIND(TAGS), ANYWHERE },
                                    { "hapter", KIND(GOOD), ANYWHERE },
                                    { "heckout", KIND(CART), ANYWHERE },
                                    { "ollaps", KIND(FOLD), ANYWHERE },
                                    { "olophon", AND_BAD(EDGE), ANYWHERE },
                                    { "omment", AND_BAD(COMMENT), ANYWHERE },
                                    { "onsent", KIND(COOKIE), ANYWHERE },
                                    { "ontent", KIND(GOOD), ANYWHERE },
                                    { "ontributor", KIND(AUTHOR), ANYWHERE },
                                    { "ookie", AND_BAD(OFFER) | KIND(COOKIE), ANYWHERE },
                                    { "opyright", AND_BAD(EDGE) | KIND(LEGAL), ANYWHERE },
                                    { "ount", KIND(VOTES), WHOLE },
                                    { "ounter", KIND(VOTES), BEGIN },
                                    { "ountry", KIND(LANG), BEGIN },
                                    { "redit", KIND(ABOUT) | KIND(CAPTION), ANYWHERE },
                                    { "ross", KIND(RELATED), WHOLE },
                                    { "rumb", AND_BAD(MENU), ANYWHERE },
                                    { "ta", KIND(HERO), WHOLE },
                                    { "urrency", KIND(LANG), ANYWHERE },
                                    END },
    ['d' - 'a'] = (const name_t[]){ { "ate", KIND(ABOUT) | KIND(DATE), BEGIN },
                                    { "atum", KIND(ABOUT) | KIND(DATE), BEGIN },
                                    { "eck", KIND(LEAD), WHOLE },
                                    { "ek", KIND(LEAD), WHOLE },
                                    { "escription", KIND(GOOD) | KIND(TEXT), ANYWHERE },
                                    { "esktop", KIND(MOBILE), ANYWHERE },
                                    { "etail", KIND(GOOD), ANYWHERE },
                                    { "ialog", KIND(DIALOG), ANYWHERE },
                                    { "iscl", KIND(LEGAL), BEGIN },
                                    { "iscuss", KIND(COMMENT), ANYWHERE },
                                    { "isqus", KIND(COMMENT), ANYWHERE },
                                    { "ocument", KIND(GOOD), ANYWHERE },
                                    { "onat", KIND(NEWS), BEGIN },
                                    { "rawer", KIND(DIALOG), ANYWHERE },
                                    { "ropdown", KIND(FOLD), ANYWHERE },
                                    END },
    ['e' - 'a'] = (const name_t[]){ { "mail", KIND(SHARE), BEGIN },
                                    { "ntry", KIND(GOOD), ANYWHERE },
                                    { "rror", KIND(STATUS), BEGIN },
                                    { "xcerpt", KIND(LEAD), ANYWHERE },
                                    { "xpand", KIND(FOLD), BEGIN },
                                    END },
    ['f' - 'a'] = (const name_t[]){ { "acebook", KIND(SHARE), ANYWHERE },
                                    { "acet", KIND(FILTER), BEGIN },
                                    { "acts", KIND(SPEC), WHOLE },
                                    { "aq", KIND(QA), BEGIN },
                                    { "eature", KIND(SPEC), BEGIN },
                                    { "eed", KIND(SHARE), WHOLE },
                                    { "eedback", KIND(REVIEW), ANYWHERE },
                                    { "ield", KIND(FORM), BEGIN },
                                    { "ilter", KIND(FILTER), ANYWHERE },
                                    { "ollow", KIND(SHARE), BEGIN },
                                    { "oot", AND_BAD(EDGE), ANYWHERE },
                                    { "orm", KIND(FORM), WHOLE },
                                    { "orum", KIND(POST), BEGIN },
                                    END },
    ['g' - 'a'] = (const name_t[]){ { "allery", KIND(SLIDE), ANYWHERE },
                                    { "dpr", KIND(COOKIE), ANYWHERE },
                                    { "rid", KIND(LIST), WHOLE },
                                    END },
    ['h' - 'a'] = (const name_t[]){ { "ashtag", KIND(TAGS), ANYWHERE },
                                    { "ead", KIND(BAD), ANYWHERE },
                                    { "eader", AND_BAD(EDGE), ANYWHERE },
                                    { "eading", KIND(TITLE), BEGIN },
                                    { "eadline", KIND(TITLE), BEGIN },
                                    { "eadlines", AND_BAD(MORE), ANYWHERE },
                                    { "ero", KIND(HERO), WHOLE },
                                    { "idden", KIND(HIDDEN), WHOLE },
                                    { "ide", KIND(HIDDEN), WHOLE },
                                    { "ljs", KIND(CODE), ANYWHERE },
                                    END },
    ['i' - 'a'] = (const name_t[]){ { "con", KIND(ICON), BEGIN },
                                    { "ndex", KIND(BAD), ANYWHERE },
                                    { "nfo", KIND(SPEC), WHOLE },
                                    { "ngredient", KIND(SPEC), ANYWHERE },
                                    { "nput", KIND(FORM), BEGIN },
                                    { "ntro", KIND(LEAD), BEGIN },
                                    { "nvisible", KIND(HIDDEN), ANYWHERE },
                                    { "tem", KIND(ITEM), BEGIN },
                                    END },
    ['k' - 'a'] = (const name_t[]){ { "eyword", KIND(TAGS), ANYWHERE },
                                    { "icker", KIND(LEAD), ANYWHERE },
                                    { "oment", KIND(COMMENT), ANYWHERE },
                                    { "omment", KIND(COMMENT), ANYWHERE },
                                    END },
    ['l' - 'a'] = (const name_t[]){ { "abel", KIND(LABEL), BEGIN },
                                    { "ang", KIND(LANG), BEGIN },
                                    { "atest", KIND(MORE), ANYWHERE },
                                    { "ead", KIND(LEAD), WHOLE },
                                    { "egal", AND_BAD(EDGE) | KIND(LEGAL), ANYWHERE },
                                    { "egend", KIND(CAPTION), BEGIN },
                                    { "ightbox", KIND(DIALOG), ANYWHERE },
                                    { "ike", KIND(SHARE), WHOLE },
                                    { "ikes", KIND(VOTES), WHOLE },
                                    { "ink", KIND(BAD), ANYWHERE },
                                    { "ist", KIND(LIST), BEGIN },
                                    { "oading", KIND(STATUS), BEGIN },
                                    { "ogin", AND_BAD(OFFER), ANYWHERE },
                                    { "ogo", AND_BAD(EDGE), ANYWHERE },
                                    END },
    ['m' - 'a'] = (const name_t[]){ { "ain", KIND(GOOD), ANYWHERE },
                                    { "arkdown", KIND(TEXT), ANYWHERE },
                                    { "asthead", AND_BAD(EDGE), ANYWHERE },
                                    { "ember", KIND(USER), BEGIN },
                                    { "enu", AND_BAD(MENU), ANYWHERE },
                                    { "essage", KIND(GOOD) | KIND(POST), ANYWHERE },
                                    { "eta", AND_BAD(ABOUT), ANYWHERE },
                                    { "obile", KIND(MOBILE), ANYWHERE },
                                    { "odal", KIND(DIALOG), ANYWHERE },
                                    { "ore", KIND(MORE), BEGIN },
                                    { "ost", KIND(MORE), BEGIN },
                                    END },
    ['n' - 'a'] = (const name_t[]){ { "av", AND_BAD(MENU), ANYWHERE },
                                    { "ewsletter", AND_BAD(OFFER) | KIND(NEWS), ANYWHERE },
                                    { "ext", AND_BAD(MENU), ANYWHERE },
                                    { "one", KIND(HIDDEN), WHOLE },
                                    { "otice", KIND(STATUS), ANYWHERE },
                                    { "otif", KIND(STATUS), BEGIN },
                                    END },
    ['o' - 'a'] = (const name_t[]){ { "ffcanvas", KIND(DIALOG), ANYWHERE },
                                    { "ptin", KIND(NEWS), ANYWHERE },
                                    { "verlay", KIND(DIALOG), ANYWHERE },
                                    END },
    ['p' - 'a'] = (const name_t[]){ { "ag", KIND(BAD), ANYWHERE },
                                    { "ager", KIND(MENU), ANYWHERE },
                                    { "aginat", KIND(MENU), ANYWHERE },
                                    { "anel", KIND(TAB), BEGIN },
                                    { "opover", KIND(TOOLTIP), ANYWHERE },
                                    { "opular", AND_BAD(MORE), ANYWHERE },
                                    { "opup", AND_BAD(OFFER) | KIND(DIALOG), ANYWHERE },
                                    { "ost", KIND(GOOD), ANYWHERE },
                                    { "ost", KIND(POST), BEGIN },
                                    { "osted", KIND(ABOUT) | KIND(DATE), ANYWHERE },
                                    { "rev", AND_BAD(MENU), ANYWHERE },
                                    { "rint", KIND(SHARE), BEGIN },
                                    { "rivacy", KIND(LEGAL), ANYWHERE },
                                    { "roduct", KIND(GOOD) | KIND(PRODUCT), ANYWHERE },
                                    { "rofile", KIND(USER), BEGIN },
                                    { "romo", AND_BAD(OFFER) | KIND(ADVERT), ANYWHERE },
                                    { "rose", KIND(TEXT), WHOLE },
                                    { "ublish", KIND(ABOUT) | KIND(DATE), ANYWHERE },
                                    { "urchase", KIND(CART), ANYWHERE },
                                    END },
    ['q' - 'a'] = (const name_t[]){ { "a", KIND(QA), WHOLE },
                                    { "uantity", KIND(CART), ANYWHERE },
                                    { "uestion", KIND(GOOD) | KIND(QA), ANYWHERE },
                                    { "uote", KIND(QUOTE), ANYWHERE },
                                    END },
    ['r' - 'a'] = (const name_t[]){ { "ail", KIND(SIDE), BEGIN },
                                    { "ating", KIND(REVIEW), BEGIN },
                                    { "ecent", KIND(MORE), ANYWHERE },
                                    { "ecommend", AND_BAD(MORE) | KIND(RELATED), ANYWHERE },
                                    { "efine", KIND(FILTER), BEGIN },
                                    { "egist", KIND(OFFER), BEGIN },
                                    { "elated", AND_BAD(MORE) | KIND(RELATED), ANYWHERE },
                                    { "epl", KIND(COMMENT) | KIND(POST), BEGIN },
                                    { "espon", KIND(COMMENT), BEGIN },
                                    { "esult", KIND(LIST), BEGIN },
                                    { "eview", KIND(REVIEW), BEGIN },
                                    { "ichtext", KIND(TEXT), ANYWHERE },
                                    { "ss", KIND(SHARE), WHOLE },
                                    { "te", KIND(TEXT), WHOLE },
                                    END },
    ['s' - 'a'] = (const name_t[]){ { "core", KIND(VOTES), BEGIN },
                                    { "creen", KIND(READER), WHOLE },
                                    { "creenreader", KIND(READER), ANYWHERE },
                                    { "earch", KIND(BAD), ANYWHERE },
                                    { "ection", KIND(GOOD), ANYWHERE },
                                    { "hare", AND_BAD(SHARE), ANYWHERE },
                                    { "haring", AND_BAD(SHARE), ANYWHERE },
                                    { "hipping", KIND(CART), ANYWHERE },
                                    { "ide", AND_BAD(SIDE), ANYWHERE },
                                    { "ignature", KIND(USER), ANYWHERE },
                                    { "ignup", KIND(OFFER) | KIND(NEWS), ANYWHERE },
                                    { "imilar", KIND(RELATED), ANYWHERE },
                                    { "kip", AND_BAD(MENU), ANYWHERE },
                                    { "ku", KIND(PRODUCT), WHOLE },
                                    { "lick", KIND(SLIDE), BEGIN },
                                    { "lide", KIND(SLIDE), BEGIN },
                                    { "ocial", AND_BAD(SHARE), ANYWHERE },
                                    { "ort", KIND(FILTER), BEGIN },
                                    { "ource", KIND(CAPTION), WHOLE },
                                    { "pec", KIND(SPEC), BEGIN },
                                    { "ponsor", AND_BAD(OFFER) | KIND(ADVERT), ANYWHERE },
                                    { "r", KIND(READER), WHOLE },
                                    { "ronly", KIND(READER), WHOLE },
                                    { "tandfirst", KIND(LEAD), ANYWHERE },
                                    { "tar", KIND(REVIEW), WHOLE },
                                    { "tars", KIND(REVIEW), WHOLE },
                                    { "tats", KIND(VOTES), WHOLE },
                                    { "tatus", KIND(STATUS), BEGIN },
                                    { "tock", KIND(PRODUCT), BEGIN },
                                    { "tory", KIND(GOOD), ANYWHERE },
                                    { "ubhead", KIND(LEAD), BEGIN },
                                    { "ubscri", AND_BAD(OFFER) | KIND(NEWS), ANYWHERE },
                                    { "ubtitle", KIND(LEAD), BEGIN },
                                    { "uggest", KIND(RELATED), ANYWHERE },
                                    { "ummary", KIND(LEAD), ANYWHERE },
                                    { "wiper", KIND(SLIDE), ANYWHERE },
                                    { "yntax", KIND(CODE), BEGIN },
                                    END },
    ['t' - 'a'] = (const name_t[]){ { "ab", KIND(MENU) | KIND(TAB), WHOLE },
                                    { "abpanel", KIND(TAB), ANYWHERE },
                                    { "abs", KIND(MENU) | KIND(TAB), WHOLE },
                                    { "ag", KIND(ABOUT) | KIND(TAGS), WHOLE },
                                    { "ags", AND_BAD(ABOUT) | KIND(TAGS), ANYWHERE },
                                    { "axonom", KIND(TAGS), ANYWHERE },
                                    { "easer", AND_BAD(MORE) | KIND(CARD), ANYWHERE },
                                    { "erms", KIND(LEGAL), WHOLE },
                                    { "estimonial", KIND(REVIEW), ANYWHERE },
                                    { "ext", KIND(GOOD), ANYWHERE },
                                    { "hread", KIND(POST), BEGIN },
                                    { "humb", KIND(ICON), BEGIN },
                                    { "ile", KIND(CARD), WHOLE },
                                    { "ime", KIND(ABOUT) | KIND(DATE), BEGIN },
                                    { "itle", KIND(TITLE), BEGIN },
                                    { "oc", AND_BAD(MENU), ANYWHERE },
                                    { "oggle", KIND(FOLD), ANYWHERE },
                                    { "oken", KIND(CODE), WHOLE },
                                    { "ool", AND_BAD(SHARE), ANYWHERE },
                                    { "ooltip", KIND(TOOLTIP), ANYWHERE },
                                    { "op", KIND(EDGE), WHOLE },
                                    { "opic", KIND(TAGS), BEGIN },
                                    { "rend", KIND(MORE), BEGIN },
                                    { "witter", KIND(SHARE), ANYWHERE },
                                    END },
    ['u' - 'a'] =
        (const name_t[]){ { "psell", KIND(RELATED), ANYWHERE }, { "ser", KIND(USER), BEGIN }, END },
    ['v' - 'a'] = (const name_t[]){ { "iews", KIND(VOTES), WHOLE },
                                    { "isually", KIND(READER), BEGIN },
                                    { "ote", KIND(VOTES), BEGIN },
                                    END },
    ['w' - 'a'] = (const name_t[]){ { "arning", KIND(STATUS), ANYWHERE },
                                    { "erbung", KIND(ADVERT), BEGIN },
                                    { "idget", AND_BAD(SIDE), ANYWHERE },
                                    { "ishlist", KIND(CART), ANYWHERE },
                                    { "riter", KIND(AUTHOR), BEGIN },
                                    { "ysiwyg", KIND(TEXT), ANYWHERE },
                                    END },
    ['y' - 'a'] = (const name_t[]){ { "oumay", KIND(RELATED), ANYWHERE }, END },
};

/* The offset behind name if it is at `at`; 0 otherwise. */
static uint32_t behind(const char *name, const char *value, uint32_t len, uint32_t at)
{
    while (*name != '\0' && at < len && tmpl_lower(value[at]) == *name) {
        name++;
        at++;
    }
    return *name == '\0' ? at : 0;
}

static int stands(const name_t *name, const char *value, uint32_t len, uint32_t at)
{
    uint32_t after = behind(name->name, value, len, at + 1);
    if (after == 0) {
        return 0; /* most names are not there */
    }
    int begins = at == 0 || !tmpl_is_alpha(value[at - 1]);
    int ends = after >= len || !tmpl_is_alpha(value[after]);
    return (name->where == ANYWHERE || begins) && (name->where != WHOLE || ends);
}

/*
 * By the first two letters: 1 + index of their first name; 0: no name begins so, as for most pairs.
 */
static unsigned char firsts[26][26];
static pthread_once_t firsts_once = PTHREAD_ONCE_INIT;

/* Names of a letter are in the order of their second letters. */
static void firsts_fill(void)
{
    for (unsigned letter = 0; letter < 26; letter++) {
        for (unsigned i = 0; names[letter] != NULL && names[letter][i].name != NULL; i++) {
            unsigned char *first = &firsts[letter][names[letter][i].name[0] - 'a'];
            *first = *first != 0 ? *first : (unsigned char)(i + 1);
        }
    }
}

tmpl_kinds_t tmpl_names_in(const char *value, uint32_t len)
{
    tmpl_kinds_t kinds = 0;
    unsigned second = len > 0 ? (unsigned)(tmpl_lower(value[0]) - 'a') : 0;
    pthread_once(&firsts_once, firsts_fill);
    for (uint32_t at = 0; at + 1 < len; at++) {
        unsigned letter = second;
        second = (unsigned)(tmpl_lower(value[at + 1]) - 'a');
        if (letter >= 26 || second >= 26 || firsts[letter][second] == 0) {
            continue;
        }
        const name_t *name = &names[letter][firsts[letter][second] - 1];
        for (; name->name != NULL && name->name[0] - 'a' == (int)second; name++) {
            kinds |= stands(name, value, len, at) ? name->kinds : 0;
        }
    }
    /* "hljs-comment", "token comment": a comment in a program */
    return kinds & KIND(CODE) ? kinds & ~AND_BAD(COMMENT) : kinds;
}
