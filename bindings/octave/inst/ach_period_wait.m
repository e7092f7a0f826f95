function missed = ach_period_wait(period)
% ACH_PERIOD_WAIT  Sleep until the next period begins.
%   MISSED = ach_period_wait(PERIOD)
%
%   MISSED is how many periods began before, while the program was busy. Ctrl-C is noticed when
%   the next period begins.

% SPDX-License-Identifier: BSD-3-Clause
    missed = ach_mex('period_wait', period);
end
