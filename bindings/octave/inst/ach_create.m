function memory = ach_create(name, varargin)
% ACH_CREATE  Create a channel.
%   ach_create(NAME, 'OPTION', VALUE, ...)
%
%   'count', N             messages to keep; default: 16
%   'size', N              nominal bytes of a message; default: 512
%   'truncate', true       replace an existing channel
%   'replace_corrupt', true  replace a damaged channel
%   'timestamps', true     stamp each message
%   'readonly_wake', true  let read-only subscribers sleep
%   'single_writer', true  only the source may put
%   'relayed', true        messages have an origin: see ach_put_relayed
%   'anticipated', true    receivers that anticipate spare puts the system call
%   'clock', NAME          'monotonic' (default), 'realtime', 'boottime' or 'tai'
%   'mode', '644'          permissions, in octal digits
%   'type', TYPE           what the messages are: a struct as of ach_channel_type
%   'map', KIND            'user' (default: shared memory), 'kernel' or 'anon'
%
%   An 'anon' channel is in the memory of this process and has no name. Then the result
%   is what to pass to ach_open, and in the end to ach_close.
%
%   See also: ach_open, ach_unlink.

% SPDX-License-Identifier: BSD-3-Clause
    result = ach_mex('create', name, varargin{:});
    if nargout > 0 || ~isempty(result)
        memory = result;
    end
end
