function names = ach_list()
% ACH_LIST  List the channels.
%   NAMES = ach_list()
%
%   A cell array of the names of all channels.

% SPDX-License-Identifier: BSD-3-Clause
    names = ach_mex('list');
end
