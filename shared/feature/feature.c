/* SPDX-License-Identifier: Apache-2.0 */
#include "feature/feature.h"

#include "base/names.h"

TMPL_ENUM_COLUMN(tmpl_block_feature_name, tmpl_block_feature_e, TMPL_BLOCK_FEATURES, TMPL_COLUMN_2)
TMPL_ENUM_FIND(tmpl_block_feature_find, TMPL_BLOCK_FEATURES)

#define GROUP(id, name, group) #group,
TMPL_ENUM_COLUMN(tmpl_block_feature_group, tmpl_block_feature_e, TMPL_BLOCK_FEATURES, GROUP)
