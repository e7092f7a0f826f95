% SPDX-License-Identifier: BSD-3-Clause
% main.m - tests of the package beyond the script of operations
% octave-cli main.m PACKAGE DIRECTORY ROBOT EXAMPLE...
% PACKAGE is installed into DIRECTORY. ROBOT has the devices of bindings/conformance/robot.cfg.
1;

function install(package, directory)
    pkg('prefix', fullfile(directory, 'all'), fullfile(directory, 'this'));
    pkg('local_list', fullfile(directory, 'list'));
    pkg('global_list', fullfile(directory, 'global_list'));
    pkg('install', '-local', package);
    pkg('load', 'ach');
end

% Run f. It must fail with that identifier, and a message that contains the text.
function fails(id, text, f)
    try
        f();
    catch e
        if ~strcmp(e.identifier, id) || (~isempty(text) && isempty(strfind(e.message, text)))
            error('%s: expected %s with ''%s'', found %s: %s', func2str(f), id, text, e.identifier, ...
                  e.message);
        end
        return;
    end
    error('%s: expected %s, found no error', func2str(f), id);
end

function test_errors()
    fails('ach:enoent', 'octave-none', @() ach_open('octave-none'));
    fails('ach:invalid_name', '', @() ach_create('bad/name'));
    fails('ach:einval', 'there is no option ''redonly''; there are: readonly,', ...
          @() ach_open('octave', 'redonly', true));
    fails('ach:einval', '''readonly'' has no value', @() ach_open('octave', 'readonly'));
    fails('ach:einval', 'as text, found double', @() ach_open(7));
    fails('ach:einval', 'found a NUL', @() ach_open(['a' char(0) 'b']));
    fails('ach:einval', 'no clock ''sundial''', @() ach_create('octave', 'clock', 'sundial'));
    fails('ach:einval', 'octal digits', @() ach_create('octave', 'mode', '888'));
    fails('ach:einval', 'whole number', @() ach_create('octave', 'count', 1.5));
    fails('ach:einval', 'struct with name', @() ach_create('octave', 'type', 'Pose'));
    fails('ach:einval', 'above 0', @() ach_period_init(NaN));
    fails('ach:einval', 'no command', @() ach_mex('frobnicate'));
    fails('ach:einval', 'ach_*', @() ach_mex());
end

function test_handles()
    ach_create('octave');
    h = ach_open('octave');
    p = ach_period_init(0.001);
    fails('ach:einval', 'found double', @() ach_put(double(h), 1));
    fails('ach:einval', 'an array', @() ach_put([h h], 1));
    fails('ach:einval', 'channel, found that of a period', @() ach_put(p, 1));
    fails('ach:einval', 'number 2 is of another kind', @() ach_poll([h p], 'timeout', 0));
    for forged = [0 1 2^63 h + 1 h + 65536 h + 16 intmax('uint64')]
        fails('ach:closed', 'not open', @() ach_put(uint64(forged), 1));
    end
    clear ach_mex  % it is locked: the handles stay open
    ach_put(h, 1);
    ach_close(h);
    g = ach_open('octave');
    assert(g ~= h);
    fails('ach:closed', '', @() ach_put(h, 1));
    fails('ach:closed', '', @() ach_close(h));
    ach_close('all');
    fails('ach:closed', '', @() ach_put(g, 1));
    ach_unlink('octave');
end

function test_messages()
    ach_create('octave', 'count', 8, 'size', 64);
    w = ach_open('octave');
    r = ach_open('octave');
    assert(isequal(ach_get(r), []));
    [data, status, bytes] = ach_get(r);
    assert(isempty(data) && strcmp(status, 'eagain') && bytes == 0);
    for class = {'uint8', 'int8', 'uint16', 'int16', 'uint32', 'int32', 'uint64', 'int64', ...
                 'single', 'double'}
        m = cast([1; 2; 77], class{1});
        ach_put(w, m);
        got = ach_get(r, 'class', class{1});
        assert(isa(got, class{1}) && isequal(got, m));
    end
    ach_put(w, "grüße");
    assert(strcmp(ach_get(r, 'class', 'char'), "grüße"));
    ach_put(w, [true false]);
    assert(isequal(ach_get(r), uint8([1; 0])));
    ach_put(w, uint8(1:7));  % a message that does not fit the class is skipped
    ach_put(w, pi);
    fails('ach:einval', '7 bytes: not a whole number of double', @() ach_get(r, 'class', 'double'));
    assert(ach_get(r, 'class', 'double') == pi);
    for bad = {{1}, @sin, 1i, sparse(1)}
        fails('ach:einval', 'real numbers', @() ach_put(w, bad{1}));
    end
    fails('ach:einval', '', @() ach_put(w, []));
    fails('ach:overflow', '', @() ach_put(w, zeros(1, 1000)));
    fails('ach:timeout', 'time ran out', @() ach_get(r, 'wait', true, 'timeout', 0.25));
    fails('ach:einval', 'needs ''wait''', @() ach_get(r, 'timeout', 1));
    fails('ach:einval', 'seconds from 0', @() ach_get(r, 'wait', true, 'timeout', NaN));
    fails('ach:einval', 'found ''cell''', @() ach_get(r, 'class', 'cell'));
    fails('ach:timeout', '', @() ach_wait([r r], 'timeout', 0.01));
    assert(isequal(ach_poll([r w], 'timeout', 0), [false true]));
    ach_flush(w);
    ach_cancel(r);
    fails('ach:canceled', '', @() ach_get(r, 'wait', true));
    fails('ach:canceled', '', @() ach_wait([w r]));
    ach_resume(r);
    ach_close('all');
    ach_unlink('octave');
end

function test_in_place()
    ach_create('octave', 'count', 4, 'size', 64, 'single_writer', true);
    w = ach_open('octave', 'source', true);
    r = ach_open('octave');
    ach_reserve(w, 24);
    ach_write(w, [1 2]);
    ach_write(w, 3, 16);
    fails('ach:einval', '8 bytes at offset 17 do not fit into a reservation of 24', ...
          @() ach_write(w, 3, 17));
    fails('ach:einval', 'do not fit', @() ach_write(w, 3, intmax('uint64')));
    fails('ach:eagain', '', @() ach_put(w, 1));
    ach_commit(w);
    fails('ach:einval', 'no reservation', @() ach_write(w, 3));
    [part, status, bytes] = ach_view(r, 'range', [9 24], 'class', 'double');
    assert(isequal(part, [2; 3]) && strcmp(status, 'ok') && bytes == 24);
    ach_view_check(r);
    assert(isequal(size(ach_view(r, 'copy', true, 'range', [25 30])), [0 1]));
    assert(numel(ach_view(r, 'copy', true, 'range', [20 1000])) == 5);
    for bad = {[0 1], [2 1], [NaN 1], 1, 'ab', [1 Inf]}
        fails('ach:einval', 'range', @() ach_view(r, 'range', bad{1}));
    end
    whole = ach_view(r, 'copy', true, 'class', 'double');
    for i = 1:10
        ach_put(w, rand(1, 10));
    end
    fails('ach:eagain', '', @() ach_view_check(r));
    ach_reserve(w, 8);
    ach_close('all');  % drops the reservation; views are copies, and stay
    assert(isequal(whole, [1; 2; 3]));
    ach_unlink('octave');
end

function test_structs()
    type = struct('name', 'demo/msg/All', 'encoding', 'cdr', 'schema_encoding', 'ros2msg', ...
                  'schema', ["bool ok\nint8 small\nuint64 large\nint64[2] pair\nfloat32[] scan\n" ...
                             "string name\nstring[] words\nstring<=3 short\nPoint at\nPoint[<=2] path\n" ...
                             "===\nMSG: demo/Point\nfloat64 x\nfloat64 y\n"]);
    ach_create('octave', 'size', 512, 'type', type);
    fails('ach:bad_type', 'octave', @() ach_open('octave', 'type', setfield(type, 'schema', 'int8 x')));
    w = ach_open('octave', 'type', type);
    r = ach_open('octave');
    found = ach_channel_type(r);
    assert(isequal(rmfield(found, 'hash'), type) && isa(found.hash, 'uint64'));
    m.ok = true;
    m.small = int8(-5);
    m.large = intmax('uint64');
    m.pair = [intmin('int64'); intmax('int64')];
    m.scan = single([1; 2.5; Inf]);
    m.name = 'base';
    m.words = {'one'; ''; 'three'};
    m.short = 'abc';
    m.at = struct('x', 1, 'y', -2);
    m.path = struct('x', {1; 3}, 'y', {2; 4});
    ach_put(w, m);
    assert(isequal(ach_get(r, 'class', 'struct'), m));
    assert(isequal(ach_view(r, 'copy', true, 'class', 'struct'), m));
    ach_put(w, struct('small', 7, 'words', {{}}, 'scan', []));
    got = ach_get(r, 'class', 'struct');
    assert(got.small == 7 && isa(got.small, 'int8') && isempty(got.words) && isempty(got.scan));
    assert(isequal(got.pair, int64([0; 0])) && ischar(got.name) && isempty(got.path));
    for bad = {{'small', 128, 'small: expected int8, found 128'}, {'small', 1.5, 'expected int8'}, ...
               {'small', NaN, 'expected int8'}, {'large', -1, 'expected uint64'}, ...
               {'large', 2^64, 'expected uint64'}, {'ok', 2, 'expected logical'}, ...
               {'scan', [1 1e300], 'scan: expected single, found 1e+300'}, ...
               {'small', [1 2], 'expected 1 values, found 2'}, {'small', [], 'expected one value'}, ...
               {'small', 'x', 'real numbers, found char'}, {'small', 1i, 'complex'}, ...
               {'pair', 1, 'expected 2 values, found 1'}, {'name', 5, 'expected text'}, ...
               {'name', "a\0b", 'name: a string must not contain NUL'}, ...
               {'short', 'abcd', 'at most 3 characters, found 4'}, {'words', 'one', 'cell array of texts'}, ...
               {'words', {5}, 'expected text'}, {'at', 5, 'expected a struct'}, ...
               {'path', repmat(m.at, 3, 1), 'at most 2 values, found 3'}, ...
               {'at', struct('z', 1), 'no field ''z''; it has: x, y'}, {'tall', 1, 'no field ''tall'''}}
        s = struct();
        s.(bad{1}{1}) = bad{1}{2};
        fails('ach:einval', bad{1}{3}, @() ach_put(w, s));
    end
    fails('ach:einval', 'one struct, found 2', @() ach_put(w, [m m]));
    assert(isempty(ach_get(r)));
    ach_put(w, uint8(255 * ones(1, 20)));  % not such a message
    fails('ach:corrupt', '', @() ach_get(r, 'class', 'struct'));
    assert(isempty(ach_get(r)));
    ach_close('all');
    ach_create('octave', 'truncate', true);
    h = ach_open('octave');
    fails('ach:enotsup', '', @() ach_put(h, m));
    ach_close(h);
    ach_create('octave', 'truncate', true, 'type', struct('name', 'x', 'encoding', 'json'));
    h = ach_open('octave');
    fails('ach:enotsup', 'not json', @() ach_put(h, m));
    ach_close(h);
    ach_unlink('octave');
end

function test_heap()
    memory = ach_create('', 'map', 'anon');
    fails('ach:einval', 'what ach_create returned', @() ach_open('x', 'map', 'anon'));
    a = ach_open(memory);
    b = ach_open(memory);
    ach_close(memory);  % freed when a and b are closed
    fails('ach:closed', '', @() ach_open(memory));
    ach_put(a, 5);
    ach_close(a);
    assert(ach_get(b, 'class', 'double') == 5);
    ach_close(b);
end

function n = count_of(what)
    switch what
        case 'descriptors'
            n = numel(readdir('/proc/self/fd'));
        case 'mappings'
            n = numel(strfind(fileread('/proc/self/maps'), 'achshm-'));
    end
end

function test_leaks()
    ach_create('octave');
    before = [count_of('descriptors') count_of('mappings')];
    for i = 1:200
        h = ach_open('octave');
        ach_put(h, rand(1, 50));
        m{i} = ach_view(h, 'last', true);
        ach_poll(h, 'timeout', 0);
        try
            ach_get(h, 'last', true, 'copy', true, 'class', 'struct');
        catch
        end
        ach_close(h);
    end
    assert(isequal(before, [count_of('descriptors') count_of('mappings')]));
    assert(all(cellfun(@numel, m) == 400));
    handles = arrayfun(@(i) ach_open('octave'), 1:100);  % the table of handles grows
    assert(numel(unique(handles)) == 100);
    ach_close('all');
    assert(isequal(before, [count_of('descriptors') count_of('mappings')]));
    ach_unlink('octave');
end

% No argument makes ach_mex crash: it fails with an identifier, or does something harmless.
function test_hostile(device)
    commands = {'open', 'chmod', 'put', 'put_relayed', 'reserve', 'write', 'commit', 'abort', 'check', ...
                'flush', 'cancel', 'resume', 'seq', 'missed', 'timestamp', 'origin', 'type', 'info', 'fd', ...
                'path', 'period_wait', 'device_command', 'device_request', 'device_info', ...
                'close', 'create', 'unlink', 'period', 'device_flush'};
    values = {[], {}, '', 'x', ['a'; 'b'], 1i, NaN, -1, Inf, 2^70, uint64(5), int8([1 2 3]), single(1), true, ...
              sparse(1), @sin, struct(), struct('epoch', {{}}), struct('a', {1 2}), {1, 'x'}, zeros(0, 3), ...
              containers.Map(), 1:3};
    ach_create('octave');
    for v = values
        for n = 0:3
            h = ach_open('octave');
            hostile('get', [{0, 1, h}, repmat(v, 1, n)]);
            hostile('view', [{0, 1, h, 'range'}, repmat(v, 1, n)]);
            hostile('wait', [{1e9, 1}, repmat(v, 1, n)]);
            hostile('poll', [{1e9, 1, h, 'timeout'}, repmat(v, 1, n)]);
            hostile('device_get', [{0, 1, device}, repmat(v, 1, n)]);
            ach_close(h);
            for c = commands
                h = ach_open('octave');
                hostile(c{1}, repmat(v, 1, n));
                hostile(c{1}, [{device}, repmat(v, 1, n)], {'close'});
                hostile(c{1}, [{h}, repmat(v, 1, n)]);
                if ~strcmp(c{1}, 'close')
                    ach_close(h);
                end
            end
        end
    end
    ach_unlink('octave');
end

function hostile(command, arguments, except)
    if nargin > 2 && any(strcmp(command, except))
        return;
    end
    jobs = {'get', 'view', 'wait', 'poll', 'device_get'};
    try
        if any(strcmp(command, jobs))
            [~, ~, ~, ~] = ach_mex(command, arguments{:});
        else
            ach_mex(command, arguments{:});
        end
    catch e
        if ~strncmp(e.identifier, 'ach:', 4)
            error('%s: %s (%s)', command, e.message, e.identifier);
        end
    end
end

function test_device(address)
    d = ach_device_open([address ':laser:0']);
    fails('ach:einval', 'laser has no message ''SCAM''', @() ach_device_get(d, 'SCAM'));
    fails('ach:einval', 'channel, found that of a device', @() ach_put(d, 1));
    assert(ach_poll(d, 'timeout', 60));
    [scan, status, header] = ach_device_get(d, '', 'wait', true, 'timeout', 60);
    assert(strcmp(status, 'ok') && strcmp(header.message, 'SCAN'));
    assert(isequal(scan.ranges, single([1; 2.5; 3; 4])) && scan.id == 7);
    info = ach_device_info(d);
    assert(strcmp(info.transport, 'channel') && info.rights.data && info.lost == 0);
    fails('ach:enotsup', 'refuses', @() ach_device_request(d, 'GET_CONFIG'));
    fails('ach:einval', 'no field ''speed''', ...
          @() ach_device_request(d, 'SET_CONFIG', struct('speed', 1)));
    test_hostile(d);
    ach_close(d);
    fails('ach:closed', '', @() ach_device_get(d, 'SCAN'));
    list = ach_device_list(address);
    assert(numel(list) == 4 && ischar(list(1).address));
end

function test_all(address)
    test_errors();
    test_handles();
    test_messages();
    test_in_place();
    test_structs();
    test_heap();
    test_leaks();
    test_device(address);
end

% Ctrl-C ends a wait. Octave then ends, too, because it is not interactive.
function test_interrupt()
    ach_create('octave');
    left_open = ach_open('octave');
    system(sprintf('(sleep 0.5; kill -INT %d) >/dev/null 2>&1 &', getpid()));
    ended = false;
    unwind_protect
        try  % this does not catch an interrupt
            ach_get(left_open, 'wait', true, 'timeout', 60);
        catch
        end
        ended = true;
    unwind_protect_cleanup
        if ~ended
            disp('interrupted');
        end
    end_unwind_protect
end

function test_examples(files, robot)
    setenv('LASER', [robot ':laser:0']);
    text = '';
    for file = files
        text = [text evalc(sprintf('source(''%s'')', file{1}))];
    end
    expected = {'22.0 degrees above the oven; 4 older messages', '1.00 m at -0.50 rad'};
    if ~isequal(strsplit(strtrim(text), "\n"), expected)
        error('the examples printed: %s', text);
    end
end

install(argv(){1:2});
unwind_protect
    test_all(argv(){3});
    test_examples(argv()(4:end)', argv(){3});
    disp('all passed');
    test_interrupt();
unwind_protect_cleanup
    cellfun(@ach_unlink, intersect(ach_list(), {'octave', 'x', 'kitchen'}));
end_unwind_protect
