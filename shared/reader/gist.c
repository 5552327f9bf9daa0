/* SPDX-License-Identifier: Apache-2.0 */
#include "reader/gist.h"

#include "base/ascii.h"
#include "dom/dom.h"

void tmpl_gist_add(tmpl_buf_t *to, const char *text)
{
    while (*text != '\0' && to->len < TMPL_GIST_TEXT) {
        apr_size_t spaces = strspn(text, " \t\n\r\f");
        if (spaces > 0 && to->len > 0 && to->at[to->len - 1] != ' ') {
            tmpl_buf_add_byte(to, ' ');
        }
        text += spaces;
        apr_size_t word = strcspn(text, " \t\n\r\f");
        apr_size_t room = TMPL_GIST_TEXT - (to->len < TMPL_GIST_TEXT ? to->len : TMPL_GIST_TEXT);
        tmpl_buf_add(to, text, word < room ? word : room);
        text += word;
    }
}

void tmpl_gist_read(tmpl_gist_t *gist, const tmpl_page_t *page, const xmlNode *element)
{
    tmpl_buf_t text = gist->text;
    *gist = (tmpl_gist_t){ .text = text };
    tmpl_buf_clear(&gist->text);
    for (const xmlNode *node = tmpl_dom_next(element, element, 0); node != NULL;
         node = tmpl_dom_next(node, element, 0)) {
        if (node->type == XML_TEXT_NODE) {
            tmpl_gist_add(&gist->text, (const char *)node->content);
            continue;
        }
        tmpl_tag_e tag = tmpl_dom_tag(page, node);
        unsigned flags = tmpl_tag_flags(tag);
        gist->heading |= (flags & TMPL_IS_HEADING) != 0;
        if (flags & TMPL_IS_CLOSES_P) {
            gist->blocks = 1;
            tmpl_gist_add(&gist->text, " ");
        }
        if (tag == TMPL_TAG_IMG) {
            const char *alt = tmpl_dom_attribute(node, "alt");
            gist->images = 1;
            gist->named |= alt != NULL && alt[strspn(alt, " \t\n\r\f")] != '\0';
        }
    }
    while (gist->text.len > 0 && gist->text.at[gist->text.len - 1] == ' ') {
        gist->text.at[--gist->text.len] = '\0';
    }
}
