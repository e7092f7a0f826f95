/* SPDX-License-Identifier: BSD-3-Clause */
/* encodings_plain.c - the encodings of a build without devices */
#include "codec.h"

const struct value_encoding *const value_encodings[] = {
    &value_encoding_protobuf,
    &value_encoding_json,
    &value_encoding_text,
    NULL,
};
