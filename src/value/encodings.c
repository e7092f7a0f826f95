/* SPDX-License-Identifier: BSD-3-Clause */
/* encodings.c - the encodings of a build with devices */
#include "codec.h"

const struct value_encoding *const value_encodings[] = {
    &value_encoding_ros,  &value_encoding_protobuf, &value_encoding_json,
    &value_encoding_text, &value_encoding_xdr,      NULL,
};
