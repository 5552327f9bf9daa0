/* SPDX-License-Identifier: Apache-2.0 */
#include "feature/feature.h"

#include <string.h>

static const struct {
    const char *name;
    const char *group;
} features[] = {
#define TMPL_BLOCK_FEATURE_ROW(id, name, group) { name, #group },
    TMPL_BLOCK_FEATURES(TMPL_BLOCK_FEATURE_ROW)
#undef TMPL_BLOCK_FEATURE_ROW
};

const char *tmpl_block_feature_name(tmpl_block_feature_e feature)
{
    return features[feature].name;
}

const char *tmpl_block_feature_group(tmpl_block_feature_e feature)
{
    return features[feature].group;
}

tmpl_block_feature_e tmpl_block_feature_find(const char *name)
{
    unsigned feature = 0;
    while (feature < TMPL_BLOCK_FEATURE_COUNT && strcmp(features[feature].name, name) != 0) {
        feature++;
    }
    return (tmpl_block_feature_e)feature;
}
