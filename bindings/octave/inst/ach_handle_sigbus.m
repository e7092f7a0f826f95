function ach_handle_sigbus()
% ACH_HANDLE_SIGBUS  Survive the truncation of a channel's file.
%   ach_handle_sigbus()
%
%   Call it once, before channels are used that other users may write to: see 'man
%   ach_handle_sigbus'.

% SPDX-License-Identifier: BSD-3-Clause
    ach_mex('sigbus');
end
