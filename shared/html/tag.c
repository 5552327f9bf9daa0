/* SPDX-License-Identifier: Apache-2.0 */
#include "html/tag.h"

static const char tags[TMPL_TAG_COUNT][TMPL_TAG_NAME_MAX + 1] = { "",
#define TMPL_TAG_ROW(id, name, flags) name,
                                                                  TMPL_TAGS(TMPL_TAG_ROW)
#undef TMPL_TAG_ROW
};

const uint32_t tmpl_tag_flag_table[TMPL_TAG_COUNT] = { 0,
#define TMPL_TAG_ROW(id, name, flags) flags,
                                                       TMPL_TAGS(TMPL_TAG_ROW)
#undef TMPL_TAG_ROW
};

const char *tmpl_tag_name(tmpl_tag_e tag)
{
    return (unsigned)tag < TMPL_TAG_COUNT ? tags[tag] : "";
}
