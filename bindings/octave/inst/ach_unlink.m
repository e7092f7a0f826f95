function ach_unlink(name)
% ACH_UNLINK  Remove the name of a channel.
%   ach_unlink(NAME)
%
%   Open handles keep working.

% SPDX-License-Identifier: BSD-3-Clause
    ach_mex('unlink', name);
end
