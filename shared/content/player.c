/* SPDX-License-Identifier: Apache-2.0 */
#include "content/player.h"

#include <string.h>

#include "content/href.h"
#include "dom/dom.h"

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
