function type = ach_channel_type(handle)
% ACH_CHANNEL_TYPE  What the messages of a channel are.
%   TYPE = ach_channel_type(HANDLE)
%
%   A struct with name, encoding, schema_encoding, schema and hash. Fails with 'ach:enotsup' if the
%   channel has no type. ach_create and ach_open take such a struct; they ignore the hash.

% SPDX-License-Identifier: BSD-3-Clause
    type = ach_mex('type', handle);
end
