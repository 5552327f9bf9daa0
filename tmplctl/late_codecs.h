/* SPDX-License-Identifier: Apache-2.0 */
/* What archives may be compressed by, as codecs: gzip and deflate, and those of late libraries. */
#ifndef CTL_LATE_CODECS_H
#define CTL_LATE_CODECS_H

#include "archive/codec.h"

/* gzip, deflate, zstd and br; the last two say that they are not available without their library. */
extern const tmpl_codec_t *const ctl_codecs[];

#endif
