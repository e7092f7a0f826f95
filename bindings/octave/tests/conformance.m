% SPDX-License-Identifier: BSD-3-Clause
% conformance.m - run a script of operations with the Octave package and print a trace: see
% bindings/conformance/README.md. Usage: octave-cli conformance.m PREFIX SCRIPT
1;

function [status, text] = run(w)
    global simple
    operation = strrep(w{1}, '-', '_');
    text = '';
    status = 'ok';
    results = {};
    try
        if isfield(simple, operation)
            simple.(operation)(w(2:end));
        else
            results = feval(['run_' operation], w(2:end));
        end
        if isstruct(results)  % the status is not that of an error
            status = results.status;
            results = results.results;
        end
        if ~isempty(results)
            text = sprintf(' %s', results{:});
        end
    catch e
        if ~strncmp(e.identifier, 'ach:', 4)
            rethrow(e);
        end
        status = e.identifier(5:end);
    end
end

% Words

function found = flag(w, name)
    found = any(strcmp(w, name));
end

function text = value(w, key)
    at = find(strncmp(w, [key '='], numel(key) + 1), 1);
    text = '';
    if ~isempty(at)
        text = w{at}(numel(key) + 2:end);
    end
end

function name = channel_name(word)
    global prefix
    name = regexprep(word, '^\$', prefix);
end

function bytes = bytes_of(word)
    [digits, times] = strtok(strrep(word, '-', ''), '*');
    bytes = uint8(sscanf(digits, '%2x')');
    if ~isempty(times)
        bytes = repmat(bytes, 1, str2double(times(2:end)));
    end
end

function text = hex(bytes)
    text = sprintf('%02x', bytes);
    if isempty(text)
        text = '-';
    end
end

function text = decimal(n)
    text = sprintf('%d', n);
end

% The options of an ach function: flags, and words KEY=VALUE as numbers of a unit.
function options = options_of(w, flags, keys, units)
    options = {};
    for i = 1:numel(flags)
        if flag(w, flags{i})
            options = [options, flags(i), {true}];
        end
    end
    for i = 1:numel(keys)
        if ~isempty(value(w, keys{i}))
            options = [options, keys(i), {str2double(value(w, keys{i})) * units(i)}];
        end
    end
end

function options = type_of(w)
    options = {};
    if any(strncmp(w, 'type=', 5))
        t.name = value(w, 'type');
        t.encoding = value(w, 'encoding');
        t.schema_encoding = value(w, 'schema_encoding');
        t.schema = bytes_of(value(w, 'schema'));
        options = {'type', t};
    end
end

% Handles by name. 0 is the handle of nothing, so it is closed.

function h = handle(name)
    global handles
    h = uint64(0);
    if isKey(handles, name)
        h = handles(name);
    end
end

function opened(name, h)
    global handles
    handles(name) = h;
end

% Channels

function r = run_create(w)
    global heaps
    options = [{'count', str2double(w{2}), 'size', str2double(w{3})}, type_of(w), ...
        options_of(w, {'truncate', 'timestamps', 'readonly_wake', 'single_writer', 'relayed', ...
                       'anticipated'}, {}, [])];
    for key = {'clock', 'mode'}
        if ~isempty(value(w, key{1}))
            options = [options, key, {value(w, key{1})}];
        end
    end
    if flag(w, 'kernel')
        options = [options, {'map', 'kernel'}];
    end
    if flag(w, 'heap')
        heaps(channel_name(w{1})) = ach_create('', 'map', 'anon', options{:});
    else
        ach_create(channel_name(w{1}), options{:});
    end
    r = {};
end

function r = run_open(w)
    global heaps
    name = channel_name(w{2});
    if isKey(heaps, name)
        name = heaps(name);
    end
    options = [type_of(w), options_of(w, {'readonly', 'source'}, {'spin', 'lock_timeout'}, [1e-9 1e-9])];
    opened(w{1}, ach_open(name, options{:}));
    r = {};
end

function text = yes_no(condition)
    if condition
        text = 'yes';
    else
        text = 'no';
    end
end

function r = run_exists(w)
    r = {yes_no(any(strcmp(ach_list(), channel_name(w{1}))))};
end

function r = run_relay(w)
    origin = struct('epoch', str2double(w{3}), 'seq', str2double(w{4}), 'stamp', str2double(w{5}));
    ach_put_relayed(handle(w{1}), bytes_of(w{2}), origin);
    r = {};
end

function r = run_reserve(w)
    ach_reserve(handle(w{1}), str2double(w{2}));
    ach_write(handle(w{1}), bytes_of(w{3}));
    r = {};
end

function options = get_options(w)
    options = options_of(w, {'wait', 'last', 'copy', 'linked'}, {'timeout'}, 1e-3);
end

function r = message(data, status, bytes)
    r.status = status;
    r.results = {};
    if any(strcmp(status, {'ok', 'missed_frame'}))
        r.results = {decimal(bytes), hex(data)};
    elseif strcmp(status, 'overflow')
        r.results = {decimal(bytes)};
    end
end

function r = run_get(w)
    [data, status, bytes] = ach_get(handle(w{1}), 'size', str2double(w{2}), get_options(w){:});
    r = message(data, status, bytes);
end

function r = run_view(w)
    [data, status, bytes] = ach_view(handle(w{1}), get_options(w){:});
    r = message(data, status, bytes);
end

function r = run_seq(w)
    r = {decimal(ach_channel_seq(handle(w{1})))};
end

function r = run_missed(w)
    [last, total] = ach_channel_missed(handle(w{1}));
    r = {decimal(last), decimal(total)};
end

function r = run_stamped(w)
    ach_channel_timestamp(handle(w{1}));
    r = {};
end

function r = run_origin(w)
    o = ach_channel_origin(handle(w{1}));
    r = {decimal(o.epoch), decimal(o.seq), decimal(o.stamp)};
end

function r = run_type(w)
    t = ach_channel_type(handle(w{1}));
    if isempty(t.schema_encoding)
        t.schema_encoding = '-';
    end
    r = {t.name, t.encoding, t.schema_encoding, hex(t.schema), ...
         hex(fliplr(typecast(t.hash, 'uint8')))};
end

function r = run_info(w)
    i = ach_channel_info(handle(w{1}));
    names = {'frame_cnt', 'frame_size', 'newest', 'oldest', 'seen', 'received', 'missed', ...
             'timestamps', 'single_writer', 'relayed', 'typed', 'anticipated', 'readonly', 'source'};
    r = cellfun(@(name) decimal(i.(name)), names, 'UniformOutput', false);
end

function r = run_map(w)
    r = {ach_channel_info(handle(w{1})).map};
end

function r = run_clock(w)
    r = {ach_channel_info(handle(w{1})).clock};
end

function r = run_path(w)
    ach_channel_path(channel_name(w{1}));
    r = {};
end

function r = run_poll(w)
    r = {yes_no(ach_poll(handle(w{1}), 'timeout', str2double(w{2}) / 1000))};
end

% The handles of a wait, in front of its options.
function [list, options] = waiting(w)
    options = options_of(w, {}, {'timeout'}, 1e-3);
    names = w(~strncmp(w, 'timeout=', 8));
    list = cellfun(@handle, names);
end

function r = wait_results(statuses, status)
    r.status = status;
    r.results = {};
    if strcmp(status, 'ok')
        r.results = upper(statuses);
    end
end

function r = run_wait(w)
    [list, options] = waiting(w);
    [statuses, status] = ach_wait(list, options{:});
    r = wait_results(statuses, status);
end

function r = run_period(w)
    period = ach_period_init(str2double(w{1}) * 1e-6);
    for i = 1:str2double(w{2})
        ach_period_wait(period);
    end
    ach_close(period);
    r = {};
end

% async.c has the threads: Octave has none. They run the same C code as ach_get, ach_wait and
% ach_poll.
function r = run_async(w)
    global runnings
    [name, job] = w{1:2};
    w = w(3:end);
    runnings(name) = job;
    switch job
        case 'get'
            ach_mex('async', name, job, handle(w{1}), 'size', str2double(w{2}), get_options(w){:});
        case 'wait'
            [list, options] = waiting(w);
            ach_mex('async', name, job, list, options{:});
        case 'poll'
            ach_mex('async', name, job, handle(w{1}), 'timeout', str2double(w{2}) / 1000);
        otherwise
            error('async %s is not supported', job);
    end
    r = {};
end

function r = run_join(w)
    global runnings
    switch runnings(w{1})
        case 'get'
            [data, status, bytes] = ach_mex('join', w{1});
            r = message(data, status, bytes);
        case 'wait'
            [statuses, status] = ach_mex('join', w{1});
            r = wait_results(statuses, status);
        case 'poll'
            r = {yes_no(ach_mex('join', w{1}))};
    end
end

% Devices

function address = address_of(word)
    address = strrep(word, '$where', getenv('ACH_CONFORMANCE_WHERE'));
end

% Words PATH=VALUE as a struct. Numbers are separated by commas.
function s = fields_of(w)
    s = struct();
    for i = 1:numel(w)
        [path, text] = strtok(w{i}, '=');
        text = text(2:end);
        [numbers, ~, complaint] = sscanf(text, '%f,');
        if isempty(text) || ~isempty(complaint)
            numbers = text;
        end
        s = subsasgn(s, substruct([repmat({'.'}, 1, numel(strsplit(path, '.'))); ...
                                   strsplit(path, '.')]{:}), numbers);
    end
end

% All fields of a value, with their paths. An array of one element looks like one value.
function r = fields_print(path, v)
    r = {};
    if ischar(v)
        r = {[path '=' hex(v)]};
    elseif isempty(path) || (isstruct(v) && numel(v) == 1)
        for name = fieldnames(v)'
            r = [r, fields_print(regexprep([path '.' name{1}], '^\.', ''), v.(name{1}))];
        end
    elseif numel(v) ~= 1
        for i = 1:numel(v)
            r = [r, fields_print(sprintf('%s[%d]', path, i - 1), v(i))];
        end
    elseif isfloat(v)
        r = {[path '=' num2hex(double(v))]};
    else
        r = {[path '=' decimal(v)]};
    end
end

function r = run_data(w)
    [data, r.status] = ach_device_get(handle(w{1}), w{2}, 'wait', true, 'timeout', 10);
    r.results = {};
    if strcmp(r.status, 'ok')
        r.results = fields_print('', data);
    end
end

function r = run_request(w)
    r = fields_print('', ach_device_request(handle(w{1}), w{2}, fields_of(w(3:end)), 'timeout', 10));
end

function r = run_devices(w)
    r = {decimal(numel(ach_device_list(address_of(w{1}))))};
end

global prefix handles heaps runnings simple
% The operations that have no results.
simple = struct( ...
    'close', @(w) ach_close(handle(w{1})), ...
    'unlink', @(w) ach_unlink(channel_name(w{1})), ...
    'chmod', @(w) ach_chmod(handle(w{1}), w{2}), ...
    'put', @(w) ach_put(handle(w{1}), bytes_of(w{2})), ...
    'commit', @(w) ach_commit(handle(w{1}), str2double(w{2})), ...
    'abort', @(w) ach_abort(handle(w{1})), ...
    'check', @(w) ach_view_check(handle(w{1})), ...
    'flush', @(w) ach_flush(handle(w{1})), ...
    'cancel', @(w) ach_cancel(handle(w{1})), ...
    'resume', @(w) ach_resume(handle(w{1})), ...
    'device', @(w) opened(w{1}, ach_device_open(address_of(w{2}), 'timeout', 10)), ...
    'command', @(w) ach_device_command(handle(w{1}), w{2}, fields_of(w(3:end))), ...
    'device_flush', @(w) ach_device_flush(handle(w{1}), 'timeout', 10), ...
    'device_close', @(w) ach_close(handle(w{1})));
handles = containers.Map();
heaps = containers.Map();
runnings = containers.Map();
prefix = argv(){1};
lines = strsplit(fileread(argv(){2}), "\n", 'CollapseDelimiters', false);
for number = 1:numel(lines)
    if isempty(lines{number}) || lines{number}(1) == '#'
        continue;
    end
    words = strsplit(lines{number}, ' ');
    [status, results] = run(words);
    printf("%d %s %s%s\n", number, words{1}, upper(status), results);
    fflush(stdout);
end
