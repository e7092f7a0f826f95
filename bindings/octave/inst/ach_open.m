function handle = ach_open(name, varargin)
% ACH_OPEN  Open a channel.
%   HANDLE = ach_open(NAME, 'OPTION', VALUE, ...)
%
%   'readonly', true       only get
%   'source', true         be the only source of the channel
%   'spin', SECONDS        spin that long before sleeping
%   'lock_timeout', SECONDS  how long a put waits for another writer; default: 1
%   'map', KIND            'user' or 'kernel'; default: whichever exists
%   'type', TYPE           the type to expect: a struct as of ach_channel_type
%
%   The handle begins before the oldest message. It stays open, also after 'clear', until
%   ach_close or the end of Octave.
%
%   See also: ach_close, ach_get, ach_put, ach_create.

% SPDX-License-Identifier: BSD-3-Clause
    handle = ach_mex('open', name, varargin{:});
end
