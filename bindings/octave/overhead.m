% SPDX-License-Identifier: BSD-3-Clause
% overhead.m - what bindings/overhead/overhead.c does, with the package ach
% octave-cli overhead.m CHANNEL BATCHES CALLS
1;

function measure(name, operation, batches, calls)
    printf('%s:', name);
    for batch = 1:batches
        begin = tic();
        operation(calls);
        printf(' %.1f', toc(begin) / calls * 1e9);
    end
    printf('\n');
end

% Each operation has its loop, because a call through a handle takes longer than some of them.
function put(h, message, calls)
    for i = 1:calls
        ach_put(h, message);
    end
end

function get(h, calls)
    for i = 1:calls
        message = ach_get(h, 'last', true, 'copy', true);
    end
end

function view(h, calls)
    for i = 1:calls
        message = ach_view(h, 'last', true, 'copy', true);
    end
end

arguments = argv();
counts = cellfun(@str2double, arguments(2:3));
h = ach_open(arguments{1});
message = zeros(64, 1, 'uint8');
measure('put', @(calls) put(h, message, calls), counts(1), counts(2));
measure('get', @(calls) get(h, calls), counts(1), counts(2));
measure('view', @(calls) view(h, calls), counts(1), counts(2));
ach_close(h);
