function varargout = ach_sliced(outputs, command, varargin)
% Continue a wait after its first slice. Octave notices Ctrl-C between two slices, but not in ach_mex.
% Callers run the first slice themselves, because this function costs more than a get.

% SPDX-License-Identifier: BSD-3-Clause
    varargout = cell(1, max(nargout, 1));
    slices = 1;
    done = false;
    while ~done
        [done, varargout{:}] = ach_mex(command, slices, outputs, varargin{:});
        slices = slices + 1;
    end
end
