/* SPDX-License-Identifier: Apache-2.0 */
#include "content/element_kinds.h"

#include <stdlib.h>
#include <string.h>

#include <apr_cstr.h>
#include <apr_strings.h>

#include "base/ascii.h"
#include "html/attr.h"

/* Whether the value of an attribute is an address. "false" and "/a_{width}.png" are not. */
static int is_address(const char *value)
{
    return strchr(value, '/') != NULL && strpbrk(value, " {}") == NULL;
}

/* The address of the largest image of a srcset: "a.png 1x, b.png 2x". */
static const char *largest_of(const char *set, apr_pool_t *pool)
{
    const char *largest = "";
    long most = -1;
    while (*(set += strspn(set, " \t\n\f\r,")) != '\0') {
        apr_size_t len = strcspn(set, " \t\n\f\r");
        const char *address = set, *behind = set + len;
        int is_ended = address[len - 1] == ','; /* without a size */
        while (len > 0 && address[len - 1] == ',') {
            len--;
        }
        long size = is_ended ? 0 : strtol(behind, NULL, 10);
        if (size > most && len > 0) {
            most = size;
            largest = apr_pstrmemdup(pool, address, len);
        }
        set = is_ended ? behind : behind + strcspn(behind, ",");
    }
    return largest;
}

/* Whether an image counts visits, shows that one loads, or is a small icon or portrait without a
 * text. */
static int is_tiny(const xmlNode *image)
{
    enum { ICON = 32, PORTRAIT = 100 };
    const char *alt = tmpl_dom_attribute(image, "alt");
    long most = alt == NULL ? PORTRAIT : *alt == '\0' ? ICON : 1;
    const char *width = tmpl_dom_attribute(image, "width");
    const char *height = tmpl_dom_attribute(image, "height");
    if (alt != NULL && apr_cstr_casecmpn(alt, "loading", 7) == 0 &&
        strchr(".\xE2", alt[7]) != NULL) {
        return 1;
    }
    return width != NULL && height != NULL && strtol(width, NULL, 10) <= most &&
           strtol(height, NULL, 10) <= most;
}

/* Whether the name of the file that an address names, up to its query, says a placeholder. */
static int is_placeholder(const char *address)
{
    static const char *const names[] = { "placeholder",  "spacer.", "dummy.", "blank.", "1x1.",
                                         "transparent.", "loading", "loader", "empty." };
    char name[64];
    const char *end = address + strcspn(address, "?#");
    const char *from = end;
    while (from > address && from[-1] != '/') {
        from--;
    }
    apr_cpystrn(name, from,
                (apr_size_t)(end - from) < sizeof(name) ? (apr_size_t)(end - from) + 1
                                                        : sizeof(name));
    for (char *c = name; *c != '\0'; c++) {
        *c = tmpl_lower(*c);
    }
    for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (strstr(name, names[i]) != NULL && strstr(name, ".jp") == NULL) {
            return 1;
        }
    }
    return 0;
}

/* The address of the first source in front of an image in a picture element; NULL: none. */
static const char *source_beside(const xmlNode *image, apr_pool_t *pool)
{
    const char *found = NULL;
    const xmlNode *node = image->prev;
    for (int i = 0; i < 16 && node != NULL; i++, node = node->prev) {
        const char *set =
            node->type == XML_ELEMENT_NODE && strcmp((const char *)node->name, "source") == 0
                ? tmpl_dom_attribute(node, "srcset")
                : NULL;
        const char *address = set != NULL ? largest_of(set, pool) : NULL;
        found = address != NULL && tmpl_href_is_safe(address) ? address : found;
    }
    return found;
}

const char *tmpl_image_address(const xmlNode *image, apr_pool_t *pool)
{
    /* in order of preference */
    static const struct {
        const char *name;
        int is_late;
        int is_set;
    } sources[] = {
        { "data-image-loader", 1, 0 }, { "data-src", 1, 0 },         { "data-lazy-src", 1, 0 },
        { "nitro-lazy-src", 1, 0 },    { "data-original", 1, 0 },    { "src", 0, 0 },
        { "data-src", 0, 0 },          { "data-srcset", 0, 1 },      { "srcset", 0, 1 },
        { "data-lazy-srcset", 0, 1 },  { "nitro-lazy-srcset", 0, 1 }
    };
    for (apr_size_t i = 0; i < sizeof(sources) / sizeof(sources[0]); i++) {
        const char *address = tmpl_dom_attribute(image, sources[i].name);
        if (address != NULL && sources[i].is_set) {
            address = largest_of(address, pool);
        }
        if (address != NULL && tmpl_href_is_safe(address) &&
            (!sources[i].is_late || is_address(address)) && !is_placeholder(address)) {
            return is_tiny(image) ? NULL : address;
        }
    }
    return source_beside(image, pool);
}

/* Whether a text ends like one of a list, which NULL ends, in any case. */
static int ends_like(const char *text, apr_size_t len, const char *const *ends)
{
    for (; *ends != NULL; ends++) {
        apr_size_t end = strlen(*ends);
        if (len >= end && apr_cstr_casecmpn(text + len - end, *ends, end) == 0) {
            return 1;
        }
    }
    return 0;
}

const char *tmpl_image_text(const xmlNode *image)
{
    static const char *const files[] = { ".jpg",  ".jpeg", ".png",  ".gif",
                                         ".webp", ".svg",  ".avif", NULL };
    static const char *const icons[] = {
        "icon", "placeholder", "loading", "spinner", "avatar", NULL
    };
    enum { SHORT = 32 /* bytes of the name of an icon */ };
    const char *alt = tmpl_dom_attribute(image, "alt");
    apr_size_t len = alt != NULL ? strlen(alt) : 0;
    while (len > 0 && (unsigned char)alt[len - 1] <= ' ') {
        len--;
    }
    if (alt == NULL || ends_like(alt, len, files) ||
        tmpl_span_is_any(alt, (tmpl_span_t){ 0, (uint32_t)len },
                         "image img picture photo thumbnail")) {
        return NULL;
    }
    int is_sign = len == 1 && !tmpl_is_alnum(*alt);
    return len == 0 || is_sign || (len < SHORT && ends_like(alt, len, icons)) ? "" : alt;
}

int tmpl_image_is_smiley(const xmlNode *image, const char *text)
{
    static const char *const classes[] = { "smilie", "smiley", "emoji", "emoticon" };
    apr_size_t len = strlen(text);
    const char *class = len > 0 ? tmpl_dom_listed(image, TMPL_ATTR_CLASS) : NULL;
    if (len > 2 && text[0] == ':' && text[len - 1] == ':' && strchr(text, ' ') == NULL) {
        return 1;
    }
    for (apr_size_t i = 0; class != NULL && i < sizeof(classes) / sizeof(classes[0]); i++) {
        if (strstr(class, classes[i]) != NULL) {
            return 1;
        }
    }
    return 0;
}

/* --- Films and sounds --- */

/* Beginnings of addresses of players, behind "//" and "www.", and the kind of what they play. */
static const struct {
    const char *begin, *kind;
} players[] = {
    { "youtube.com/embed/", "Video" },
    { "youtube-nocookie.com/embed/", "Video" },
    { "player.vimeo.com/video/", "Video" },
    { "videopress.com/", "Video" },
    { "loom.com/embed/", "Video" },
    { "fast.wistia.net/embed/", "Video" },
    { "fast.wistia.com/embed/", "Video" },
    { "dailymotion.com/embed/", "Video" },
    { "embed.ted.com/", "Video" },
    { "play.vidyard.com/", "Video" },
    { "open.spotify.com/embed/", "Audio" },
    { "w.soundcloud.com/player/", "Audio" },
    { "embed.podcasts.apple.com/", "Audio" },
    { "player.captivate.fm/", "Audio" },
    { "bandcamp.com/EmbeddedPlayer/", "Audio" },
    { "google.com/maps/embed", "Map" },
    { "codepen.io/", "Example" },
    { "codesandbox.io/embed/", "Example" },
};

static const char *first_attribute(const xmlNode *node, const char *const *names)
{
    const char *value = NULL;
    for (; *names != NULL && (value == NULL || *value == '\0'); names++) {
        value = tmpl_dom_attribute(node, *names);
    }
    return value != NULL && *value != '\0' ? value : NULL;
}

/* What an iframe with that address plays; NULL: it is no player. */
static const char *kind_of_frame(const char *address)
{
    const char *host = strstr(address, "//");
    if (host == NULL || host > address + strlen("https:")) {
        return NULL;
    }
    host += 2;
    host += strncmp(host, "www.", 4) == 0 ? 4 : 0;
    for (unsigned i = 0; i < sizeof(players) / sizeof(players[0]); i++) {
        if (strncmp(host, players[i].begin, strlen(players[i].begin)) == 0) {
            return players[i].kind;
        }
    }
    return NULL;
}

const char *tmpl_player_address(const char **title, const xmlNode *player)
{
    static const char *const titles[] = { "title", "aria-label", NULL };
    static const char *const sources[] = { "data-src", "data-lazy-src", "src", NULL };
    int is_frame = player->name[0] == 'i';
    const char *address = first_attribute(player, sources);
    for (const xmlNode *in = player->children; in != NULL && address == NULL; in = in->next) {
        address = in->type == XML_ELEMENT_NODE ? first_attribute(in, sources) : NULL;
    }
    int is_played = is_frame || tmpl_dom_attribute(player, "controls") != NULL;
    if (address == NULL || !is_played || !tmpl_href_is_safe(address)) {
        return NULL;
    }
    const char *kind = is_frame                 ? kind_of_frame(address)
                       : player->name[0] == 'v' ? "Video"
                                                : "Audio";
    const char *name = first_attribute(player, titles);
    *title = name != NULL ? name : kind;
    return kind != NULL ? address : NULL;
}
