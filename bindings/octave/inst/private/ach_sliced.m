function varargout = ach_sliced(outputs, command, varargin)
% A wait is cut into slices. Octave notices Ctrl-C between two of them, but not in ach_mex.

% SPDX-License-Identifier: BSD-3-Clause
    varargout = cell(1, max(nargout, 1));
    slices = 0;
    done = false;
    while ~done
        [done, varargout{:}] = ach_mex(command, slices, outputs, varargin{:});
        slices = slices + 1;
    end
end
