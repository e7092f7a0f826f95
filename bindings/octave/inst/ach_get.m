function [message, status, bytes] = ach_get(handle, varargin)
% ACH_GET  Get a message of a channel.
%   MESSAGE = ach_get(HANDLE, 'OPTION', VALUE, ...)
%   [MESSAGE, STATUS, BYTES] = ach_get(...)
%
%   Without options: the oldest message that the handle has not seen, as a column of uint8; []
%   if there is none.
%
%   'wait', true           wait for a message
%   'timeout', SECONDS     with 'wait': how long at most; default: for ever
%   'last', true           the newest message
%   'copy', true           the last message again, if there is no new one
%   'linked', true         fail if there is nothing new and the channel lost its name
%   'class', CLASS         a class of numbers, such as 'double': the bytes as numbers; 'char';
%                          'struct': the fields of a message of a typed channel
%   'size', BYTES          fail with 'ach:overflow' if the message is larger
%
%   With one output, failures are errors, such as 'ach:timeout'. With two, STATUS is 'ok',
%   'missed_frame' (there is a message, others before it were missed), 'eagain' (there is none),
%   'timeout', 'canceled', ... BYTES is the size of the message.
%
%   Ctrl-C ends the wait.
%
%   See also: ach_view, ach_wait, ach_poll, ach_channel_missed.

% SPDX-License-Identifier: BSD-3-Clause
    [done, message, status, bytes] = ach_mex('get', 0, nargout, handle, varargin{:});
    if ~done
        [message, status, bytes] = ach_sliced(nargout, 'get', handle, varargin{:});
    end
end
