/* SPDX-License-Identifier: Apache-2.0 */
/* What archives may be compressed by, as codecs: gzip and deflate, and those of late libraries. */
#ifndef CTL_LATE_CODECS_H
#define CTL_LATE_CODECS_H

#include "archive/codec.h"
#include "base/buf.h"

/* gzip, deflate, zstd and br; begin() of the last two returns NULL without their library. */
extern const tmpl_codec_t *const ctl_codecs[];

/* Adds bytes to to, as a member of gzip. */
void ctl_gzip(tmpl_buf_t *to, const char *bytes, apr_size_t len);

#endif
