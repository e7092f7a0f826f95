function [message, status, header] = ach_device_get(device, name, varargin)
% ACH_DEVICE_GET  Get data of a device.
%   MESSAGE = ach_device_get(DEVICE, NAME, 'OPTION', VALUE, ...)
%   [MESSAGE, STATUS, HEADER] = ach_device_get(...)
%
%   NAME is that of a message, such as 'SCAN'; '' is any. MESSAGE is a struct; [] if there is none.
%   HEADER has its name, timestamp and sequence number.
%
%   'wait', true           wait for a message
%   'timeout', SECONDS     with 'wait': how long at most; default: for ever
%   'last', true           the newest message
%
%   Failures and STATUS as for ach_get. Ctrl-C ends the wait.

% SPDX-License-Identifier: BSD-3-Clause
    if nargin < 2
        name = '';
    end
    [done, message, status, header] = ach_mex('device_get', 0, nargout, device, name, varargin{:});
    if ~done
        [message, status, header] = ach_sliced(nargout, 'device_get', device, name, varargin{:});
    end
end
