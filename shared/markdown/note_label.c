/* SPDX-License-Identifier: Apache-2.0 */
#include "markdown/note_finder.h"

#include <string.h>

#include "base/ascii.h"

/* Nodes of an element that are read, and bytes of their text: many references may have one. */
#define FEW   32
#define SHORT 400

/* Whether a character is no part of a label: white space, brackets and stops, arrows. */
static int is_beside_label(uint32_t c)
{
    return c <= ' ' || (c < 0x80 && strchr("[](){}.,:;^", (int)c) != NULL) || c == 0xA0 ||
           (c >= 0x2190 && c <= 0x21FF) || c == 0xFE0E || c == 0xFE0F;
}

/* Adds text to a label. Returns 0 if the label is too long, or has a legal sign. */
static int add_to_label(tmpl_label_t *label, const char *text)
{
    apr_size_t used, len = strlen(label->text);
    apr_size_t left = strnlen(text, SHORT + 1);
    label->bytes += left;
    for (; left > 0 && label->bytes <= SHORT; left -= used, text += used) {
        uint32_t c = tmpl_utf8_next(text, left, &used);
        if (is_beside_label(c)) {
            continue;
        }
        /* signs that belong to what stands in front of them: (c), (r), SM, TM */
        int is_legal = c == 0xA9 || c == 0xAE || c == 0x2120 || c == 0x2122;
        if (++label->characters > 8 || len + used >= sizeof(label->text) || is_legal) {
            return 0;
        }
        label->digits += c >= '0' && c <= '9';
        int beyond = c >= 0xC0 && (c < 0x2000 || c > 0x2BFF);
        label->letters += (uint32_t)(c < 0x80 ? tmpl_is_alpha((char)c) : beyond);
        memcpy(label->text + len, text, used);
        label->text[len += used] = '\0';
    }
    return label->bytes <= SHORT;
}

int tmpl_label_read(const tmpl_note_finder_t *f, const xmlNode *element, tmpl_label_t *label)
{
    const xmlNode *node = element->children;
    *label = (tmpl_label_t){ 0 };
    for (int n = 0; node != NULL; n++) {
        tmpl_note_e kind = f->found != NULL && node->type == XML_ELEMENT_NODE
                               ? tmpl_note_at(f, node)->kind
                               : TMPL_NOTE_NONE;
        if (n == FEW || kind == TMPL_NOTE_REFERENCE ||
            tmpl_dom_tag(f->page, node) == TMPL_TAG_IMG ||
            (node->type == XML_TEXT_NODE && !add_to_label(label, (const char *)node->content))) {
            return 0;
        }
        label->without |= kind == TMPL_NOTE_LEFT_OUT;
        node = tmpl_dom_next(node, element, kind == TMPL_NOTE_LEFT_OUT);
    }
    return 1;
}

int tmpl_label_is_text(const xmlNode *node)
{
    tmpl_label_t label = { 0 };
    return node != NULL && node->type == XML_TEXT_NODE &&
           (!add_to_label(&label, (const char *)node->content) || label.characters > 0);
}
