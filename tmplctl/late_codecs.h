/* SPDX-License-Identifier: Apache-2.0 */
/* What archives may be compressed by, as codecs: gzip and deflate, and those of late libraries. */
#ifndef CTL_LATE_CODECS_H
#define CTL_LATE_CODECS_H

#include "archive/codec.h"

/* gzip, deflate, zstd and br; begin() of the last two returns NULL without their library. */
extern const tmpl_codec_t *const ctl_codecs[];

#endif
