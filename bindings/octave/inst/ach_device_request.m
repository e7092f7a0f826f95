function answer = ach_device_request(device, name, varargin)
% ACH_DEVICE_REQUEST  Send a request to a device, and wait for the answer.
%   ANSWER = ach_device_request(DEVICE, NAME)
%   ANSWER = ach_device_request(DEVICE, NAME, FIELDS, 'timeout', SECONDS)
%
%   FIELDS and ANSWER are structs; [] is a request without fields. The default timeout is 5 seconds.
%   Fails with 'ach:enotsup' if the device refuses. Ctrl-C is noticed when the answer has come.

% SPDX-License-Identifier: BSD-3-Clause
    answer = ach_mex('device_request', device, name, varargin{:});
end
