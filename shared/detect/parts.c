/* SPDX-License-Identifier: Apache-2.0 */
#include "detect/parts.h"

static const char *const names[] = {
#define TMPL_PART_NAME(id, name, explanation) name,
    TMPL_PARTS(TMPL_PART_NAME)
#undef TMPL_PART_NAME
};

const char *tmpl_part_name(tmpl_part_e part)
{
    return part < TMPL_PART_COUNT ? names[part] : "unknown";
}
