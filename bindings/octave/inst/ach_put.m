function ach_put(handle, message)
% ACH_PUT  Put a message into a channel.
%   ach_put(HANDLE, MESSAGE)
%
%   MESSAGE is an array of real numbers or text, whose bytes are put; or a struct, if the channel
%   has a type with encoding 'cdr' and a schema in 'ros2msg'. Fields that the struct does not have
%   are 0. The struct is encoded directly into a reservation.
%
%   See also: ach_get, ach_reserve.

% SPDX-License-Identifier: BSD-3-Clause
    ach_mex('put', handle, message);
end
