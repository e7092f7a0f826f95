/* SPDX-License-Identifier: BSD-3-Clause */
/* library.c - the only symbol that libachtls exports */
#include "tls.h"

extern const struct tls_library achi_tls_library;

__attribute__((visibility("default"))) const struct tls_library achi_tls_library = {
    .context_create = tls_context_create,
    .context_reload = tls_context_reload,
    .context_info = tls_context_info,
    .context_destroy = tls_context_destroy,
    .session_create = tls_session_create,
    .session_destroy = tls_session_destroy,
    .session_handshake = tls_session_handshake,
    .session_read = tls_session_read,
    .session_write = tls_session_write,
    .session_wants = tls_session_wants,
    .session_pending = tls_session_pending,
    .session_read_ahead = tls_session_read_ahead,
    .session_shutdown = tls_session_shutdown,
    .session_peer = tls_session_peer,
    .session_check = tls_session_check,
    .keys_init = tls_keys_init,
    .keys_issue = tls_keys_issue,
    .keys_revoke = tls_keys_revoke,
    .keys_list = tls_keys_list,
    .aead_create = tls_aead_create,
    .aead_destroy = tls_aead_destroy,
    .aead_seal = tls_aead_seal,
    .aead_open = tls_aead_open,
};
