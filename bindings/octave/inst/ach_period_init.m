function period = ach_period_init(seconds)
% ACH_PERIOD_INIT  Begin a loop with a steady rate.
%   PERIOD = ach_period_init(SECONDS)
%
%   Call ach_period_wait in the loop, and ach_close behind it. Under 'ach sim' the time is
%   simulated.

% SPDX-License-Identifier: BSD-3-Clause
    period = ach_mex('period', seconds);
end
