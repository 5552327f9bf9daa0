#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# tmplctl and its stores: many jobs, LMDB and Redis, export and import, stores that are full, missing or down.
use strict;
use warnings;

use FindBin;
use IO::Socket::UNIX;
use JSON::PP;
use Test::More;

use lib "$FindBin::Bin/../lib", "$FindBin::Bin/../../t/lib";
use Tmplctl;
use Test::Tmpl::Process qw(spawn end_process wait_for free_port);

# Big pages between small ones: threads finish them in another order than they began.
subtest 'jobs, and stores that learn many pages at once' => sub {
    mkdir 'mixed' or die $!;
    my @many = map { sprintf 'mixed/p%02d.html', $_ } 1 .. 40;
    spew($many[$_ - 1], page($_, "<p>Story number $_ tells of this.</p>" x ($_ % 3 ? 1 : 1000))) for 1 .. 40;
    spew($many[20], '');
    my (%seen, $stores);
    for my $how (map { my $detector = $_; map { ["$detector annotate", @$_], ["$detector blocks", @$_] } [], ['-2'] }
        'incremental', 'auto') {
        my ($detector, $mode, @two) = map { split } @$how;
        for my $jobs (1, 2, 7) {
            for my $store ([], ['--store', 'lmdb:jobs-store' . ++$stores]) {
                my ($code, $out, $err) = clean($mode, 'jobs', '--detector', $detector, @two, '-j', $jobs, @$store,
                    @many[0 .. 9], 'missing.html', @many[10 .. 39]);
                my $is = join "\n", $code, $out =~ s/[\d.]+ s$//r, $err, map { "$_:" . slurp("jobs/$_") } split / /, names('jobs');
                $seen{"@$how"} //= $is;
                my ($same) = ($is ^ $seen{"@$how"}) =~ /^(\0*)/;
                ok($is eq $seen{"@$how"}, "@$how: the same with $jobs jobs" . (@$store ? ' and a store' : ''))
                    or diag map { substr($_, length $same, 200) . "\n--\n" } $is, $seen{"@$how"};
                unlink glob 'jobs/*';
            }
        }
    }
    like(substr($seen{'incremental annotate'}, 0, 300),
        qr/^1\n39 pages: 35 edited, 0 declined; 2 failed;.*\n\ntmplctl: missing.*\ntmplctl: .*p21\.html: is empty\n/,
        'counts and messages go by the order of files');
};

subtest 'a store that outlives the run' => sub {
    my @store = ('--store', 'lmdb:db');
    my @args = (qw(clean --mode strip --site s --out st), @store);
    my ($code, $out, $err) = run(@args, @pages[0 .. 5]);
    is($code, 0, 'exit code 0') or diag $err;
    ($code, $out) = run(@args, @pages[6 .. 11]);
    like($out, qr/^6 pages: 6 edited/, 'a second run uses what the first learnt');
    ($code, $out) = run(@args, @pages);
    like($out, qr/^12 pages: 12 edited/, 'pages learnt before are judged');
    ($code, $out) = run('stats', @store);
    is($code, 0, 'stats');
    my ($titles, @rows) = map { [split] } split /\n/, $out;
    is("@$titles", 'site pages entries live template bytes version listed', 'titles');
    is(scalar @rows, 1, 'one site');
    is("@{ $rows[0] }[0, 1]", "s $n", 'each document counted once');
    ok($rows[0][4] >= 3, 'template entries');
    ($code, undef) = run(@args, '--secret', 'other', $pages[0]);
    ($code, $out) = run('stats', @store, 's');
    is((split ' ', (split /\n/, $out)[1])[1], $n + 1, 'another secret, other keys');
    local $ENV{TMPL_STORE} = 'lmdb:db';
    ($code, $out) = run('stats');
    is($code, 0, 'TMPL_STORE');
    ($code, $out, $err) = run('stats', 'nosite');
    is($code, 1, 'a missing site: exit code 1');
    is($err, qq{tmplctl: stats: the store has no site "nosite"; it has s\n}, 'a missing site: the message');
    is($out, '', 'a missing site: no table');
    ($code, $out, $err) = run('forget', 'nosite');
    is($code, 1, 'forget of a missing site');
    is($err, qq{tmplctl: forget: the store has no site "nosite"; it has s\n}, 'forget of a missing site: the message');
    ($code) = run('forget', 's');
    is($code, 0, 'forget');
    ($code, $out) = run('stats');
    is(scalar(split /\n/, $out), 1, 'the site is removed');
    ($code, $out, $err) = run(@args[0 .. 6], '--store', 'lmdb:/proc/nowhere/db', $pages[0]);
    is($code, 1, 'a store that cannot be opened: exit code 1');
    like($err, qr/lmdb:\/proc\/nowhere/, 'a store that cannot be opened: the message');
};

subtest 'export and import' => sub {
    run(qw(clean --mode strip --site s --out exp --store lmdb:from), @pages);
    my ($code, $table, $err) = run(qw(export --store lmdb:from s));
    is($code, 0, 'export') or diag $err;
    my @lines = split /^/, $table;
    my $head = decode_json($lines[0]);
    is("@$head{qw(format version site pages)}", "tmpl-table 1 s $n", 'the head');
    is($head->{entries}, @lines - 1, 'the head counts the entries');
    decode_json($_) for @lines;
    unlike($table, qr/Story|Home|p01/, 'no text of a page is in it');
    ($code, undef, $err) = feed($table, qw(import --store lmdb:to other));
    is($code, 0, 'import') or diag $err;
    ($code, my $again) = run(qw(export --store lmdb:to other));
    $again =~ s/"site": "other"/"site": "s"/;
    is($again, $table, 'export, import, export is the same');
    my ($want, $got) =
        map { join ' ', (split ' ', (run('stats', '--store', @$_))[1])[9 .. 12] }
        ['lmdb:from', 's'], ['lmdb:to', 'other'];
    is($got, $want, 'the same figures');
    my ($c1, $o1) = run(qw(clean --mode strip --site other --out imp --store lmdb:to), @pages);
    like($o1, qr/^12 pages: 12 edited/, 'imported counts are used');
    is(slurp('imp/p07.html'), slurp('exp/p07.html'), 'to the same effect');
    my $listed = join '', map {
        qq({"kind": "listed", "address": "/$_", "title": "A & \\u00fc", "day": 20000, "first": 5, "changed": $_, "text": 7, )
            . qq("layout": 3, "fingerprint": "0123456789abcde$_"}\n)
    } 1 .. 9;
    my ($first, @others) = @lines;
    $first =~ s/\}$/, "listed": 9, "since": 4, "edition": 6, "evicted": true}/;
    ($code) = feed(join('', $first, @others, $listed), qw(import --store lmdb:to listed));
    is($code, 0, 'a table with listed documents');
    is((run(qw(export --store lmdb:to listed)))[1], join('', $first =~ s/"site": "s"/"site": "listed"/r, @others, $listed =~ s/\\u00fc/\xc3\xbc/gr),
        'comes out as it went in');
    like((run(qw(stats --store lmdb:to listed)))[1], qr/^listed .* 9$/m, 'stats counts them');
    ($code) =
        feed($lines[0] =~ s/"entries": \d+/"entries": 0/r, qw(import --store lmdb:to other));
    is($code, 0, 'an empty table');
    ($code, $got) = run(qw(stats --store lmdb:to other));
    like($got, qr/^other +$n +0 /m, 'replaces what was there');

    my ($h, $e) = @lines;
    $h =~ s/"entries": \d+/"entries": 2/;
    my $second = $lines[2];
    my $one = '{"kind": "segment", "key": "0000000000000001", "df": 1, "last": 1';
    my %bad = (
        'no input' => ['', 1, qr/the input is empty/],
        'no JSON' => ["hello\n", 1, qr/./],
        'an array' => ["[]\n", 1, qr/not a JSON object/],
        'another format' => [qq({"format": "x"}\n), 1, qr/"format" is not "tmpl-table"/],
        'a newer version' =>
            [$h =~ s/"version": 1/"version": 2/r, 1, qr/"version" is not in 1\.\.1/],
        'no pages' => [$h =~ s/"pages"/"pagez"/r, 1, qr/"pages" is missing/],
        'cut short' => [$h . $e, 3, qr/end of input after 1 of 2 entries/],
        'no listed document' => [$first . join('', @others) . substr($listed, 0, index($listed, "\n") + 1), @others + 3,
            qr/end of input after \d+ of \d+ entries and 1 of 9 listed documents/],
        'a listed document without address' => [$first . join('', @others) . $listed =~ s/"address"/"adress"/r, @others + 2,
            qr/"address" is not a string of at most 512 bytes/],
        'a listed document in no list' => [$h . $e . $listed, 4, qr/more entries than the first line announces|listed documents/],
        'cut within a line' => [$h . $e . substr($second, 0, 30), 3, qr/./],
        'too long' => [$h . $e . $second . $lines[3], 4, qr/more entries than the first line announces/],
        'an unknown kind' => [$h . $e =~ s/"kind": "\w+"/"kind": "word"/r, 2, qr/"kind"/],
        'a short key' => [$h . $e =~ s/"key": "./"key": "/r, 2, qr/"key" is not 16/],
        'a key with another letter' => [$h . $e =~ s/"key": "./"key": "x/r, 2, qr/"key" is not 16/],
        'DF 0' => [$h . $e =~ s/"df": \d+/"df": 0/r, 2, qr/"df" is not in 1\.\./],
        'seen in the future' =>
            [$h . $e =~ s/"last": \d+/"last": 13/r, 2, qr/"last" is not in 0\.\.12/],
        'a large fingerprint' => [$h . "$one, \"seen\": [65536]}\n", 2, qr/"seen"/],
        'more fingerprints than DF' => [$h . "$one, \"seen\": [1, 2]}\n", 2, qr/"seen"/],
        'a member twice' => [$h . qq({"kind": "segment", "kind": "segment"}\n), 2, qr/./],
        'an endless line' => [$h . ' ' x 10000 . "\n", 2, qr/longer than 8191 bytes/],
        'a zero byte' => [$h . "\0\n", 2, qr/./],
    );
    for my $name (sort keys %bad) {
        my ($input, $line, $like) = @{ $bad{$name} };
        ($code, my $out, $err) = feed($input, qw(import --store lmdb:to s));
        is($code, 1, "$name: exit code 1");
        like($err, qr/^tmplctl: import: s: line $line: /, "$name: line $line");
        like($err, $like, "$name: the reason");
    }
    ($code) = run(qw(stats --store lmdb:to s));
    is($code, 1, 'none of them was imported');
    ($code, undef, $err) = run(qw(export --store lmdb:to s));
    is($code, 1, 'export of a missing site');
    is($err, qq{tmplctl: export: the store has no site "s"; it has listed, other\n}, 'export of a missing site: the message');
    my $path = qq({"kind": "path", "key": "00000000000000ff", "df": 3, "last": 4, )
        . qq("text": 4294967295, "repeated": 70});
    my $paths = '{"format": "tmpl-table", "version": 1, "site": "p", "pages": 4, '
        . qq("table_version": 0, "entries": 1, "secret": ""}\n$path\n);
    ($code, undef, $err) = feed($paths, qw(import --store lmdb:paths p));
    is($code, 0, 'import of a path') or diag $err;
    is((run(qw(export --store lmdb:paths p)))[1], $paths, 'and its export: the same line');
    ($code, undef, $err) =
        feed($paths =~ s/"text": \d+/"text": 69/r, qw(import --store lmdb:paths p));
    is($code, 1, 'more repeated than text');
    like($err, qr/line 2: "repeated" is not in 0\.\.69/, 'the reason');
};

subtest 'all sites in one file' => sub {
    my @site = map { "site$_" } 1 .. 7;
    run(qw(clean --mode strip --out all --store lmdb:all --site), $_, @pages[0 .. 1 + substr $_, 4]) for @site;
    my $each = join '', map { (run(qw(export --store lmdb:all), $_))[1] } @site;
    my ($code, $all, $err) = run(qw(export --store lmdb:all --all));
    is("$code $err", '0 ', 'export --all');
    ok($all eq $each, 'is the exports of all, one after another');
    ($code, undef, $err) = feed($all, qw(import --store lmdb:all2));
    like("$code $err", qr/^0 tmplctl: import: lmdb:all2 is a new store(?:, of root: give its directory to .*)?\n\z/, 'import without SITE');
    (undef, undef, $err) = feed($all, qw(import --store lmdb:all2));
    is($err, '', 'which is new once');
    ok((run(qw(export --store lmdb:all2 --all)))[1] eq $all, 'brings them all back');
    ($code, undef, $err) = feed($all, qw(import --store lmdb:all3 one));
    like("$code $err", qr/^1 .*\ntmplctl: import: one: line \d+: .*another site: without SITE all are imported$/, 'not into one');
    is((run(qw(stats --store lmdb:all3)))[1] =~ tr/\n//, 1, 'of which nothing is changed then');
    my @lines = split /^/, $all;
    my ($at) = grep { $lines[$_] =~ /"site": "site3"/ } 0 .. $#lines;
    my $number = $at + 2;
    ($code, undef, $err) = feed(join('', @lines[0 .. $at], "{}\n", @lines[$at + 2 .. $#lines]), qw(import --store lmdb:all4));
    like("$code $err", qr/^1 .*\ntmplctl: import: site3: line $number: /, 'a line that is wrong');
    is(join(' ', map { /^(\S+)/ } split /\n/, (run(qw(stats --store lmdb:all4)))[1]), 'site site1 site2', 'sites before it are there');
    usage_is([qw(export --store lmdb:all)], qr/^tmplctl: export: name a SITE, or give --all$/, 'neither');
    usage_is([qw(export --store lmdb:all --all site1)], qr/^tmplctl: export: name a SITE, or give --all$/, 'both');
    ($code, undef, $err) = run(qw(stats --store lmdb:all site8));
    is($err, qq{tmplctl: stats: the store has no site "site8"; it has site1, site2, site3, site4, site5, others: tmplctl stats has all\n}, 'a few are named');
    (undef, my $out, $err) = run(qw(explain --store lmdb:all2 --site site), $pages[0]);
    like($out, qr/^site site: 0 pages, cold$/m, 'explain of a site that is not there');
    like($err, qr/^tmplctl: explain: the store has no site "site"; it has site1, /, 'says so');
};

SKIP: {
    my ($server) = grep { -x } map { "$_/redis-server" } split /:/, "$ENV{PATH}:/usr/bin";
    skip 'no redis-server', 1 unless defined $server;
    subtest 'redis' => sub {
        my $pid = spawn('redis-server', sub {
            open STDOUT, '>', 'redis.log';
            exec $server, qw(--port 0 --save), '', '--unixsocket', "$dir/redis.sock", '--dir', $dir;
        });
        # the socket exists before the server listens
        ok(wait_for { IO::Socket::UNIX->new(Peer => 'redis.sock') }, 'a server');
        my @redis = ('--store', "redis+unix://$dir/redis.sock?db=1");
        my ($code, $out, $err) = run(qw(clean --mode strip --site r --out redis), @redis, @pages);
        is($code, 0, 'clean') or diag $err;
        is(slurp("redis/p$_.html"), slurp("st/p$_.html") // '', "p$_: as with lmdb") for '06', '12';
        ($code, my $table) = run('export', @redis, 'r');
        is($code, 0, 'export');
        ($code, undef, $err) = feed($table, qw(import --store lmdb:fromredis r));
        is($code, 0, 'import into lmdb') or diag $err;
        is((run(qw(export --store lmdb:fromredis r)))[1], $table, 'the same table in lmdb');
        ($code) = feed($table, 'import', @redis, 'r2');
        is($code, 0, 'import into redis');
        ($code, $out) = run('stats', @redis);
        like($out, qr/^r +12 .*^r2 +12 /ms, 'stats lists both');
        ($code) = run('forget', @redis, 'r');
        is($code, 0, 'forget');
        end_process($pid);
        ($code, $out, $err) = run(qw(clean --mode strip --site r --out noredis), @redis, @pages);
        is($code, 3, 'no server: exit code 3');
        like($out, qr/^12 pages: 0 edited, 12 declined \(store 12\); 0 failed, 12 store failures; /, 'no server: all pages are written');
        is(scalar(() = $err =~ /store: /g), 1, 'no server: one message');
        is(slurp('noredis/p12.html'), page(12), 'no server: a page is unchanged');
    };
}

# Keys hold the secret of their store: without it they match nothing.
subtest 'the secret of a store' => sub {
    run(qw(clean --mode strip --site s --out sec --store), "lmdb:sec-$_", @pages) for 'a', 'b';
    my ($code, $table, $err) = run(qw(export --store lmdb:sec-a s));
    my ($a, $b) = map { decode_json((split /\n/, $_)[0])->{secret} } $table, (run(qw(export --store lmdb:sec-b s)))[1];
    like($_, qr/^[0-9a-f]{32}$/, 'an export holds a secret') for $a, $b;
    isnt($a, $b, 'each store has its own');
    ($code, undef, $err) = feed($table, qw(import --store lmdb:sec-b t));
    is($code, 1, 'an import is refused where sites have another one');
    like($err, qr/import: t: the table was learnt with another secret/, 'with the reason');
    unlike((run(qw(stats --store lmdb:sec-b)))[1], qr/^t /m, 'and changes nothing');
    ($code) = feed($table, qw(import --store lmdb:sec-b --secret word t));
    is($code, 0, 'unless the operator has chosen one');
    ($code) = feed($table, qw(import --store lmdb:sec-a t));
    is($code, 0, 'nor where it is the same');
    my $old = $table =~ s/, "secret": "[0-9a-f]+"//r;
    ($code) = feed($old, qw(import --store lmdb:sec-old s));
    is($code, 0, 'an export of a former version, into an empty store');
    is(decode_json((split /\n/, (run(qw(export --store lmdb:sec-old s)))[1])[0])->{secret}, '', 'which then has none');
    ($code, undef, $err) = feed($table =~ s/"secret": "[0-9a-f]+"/"secret": 7/r, qw(import --store lmdb:sec-a t));
    like($err, qr/line 1: "secret" is not a string/, 'a secret that is none');
};

subtest 'check' => sub {
    run(qw(clean --mode strip --site s --out checked --store lmdb:checked), @pages);
    my ($code, $out, $err) = run(qw(check --store lmdb:checked));
    is("$code $out", "0 lmdb:checked: no damage found\n", 'a good store') or diag $err;
    my $bytes = slurp('checked/data.mdb');
    # no page but the metas has its number in the first two bytes any more
    for (my $at = 2 * 4096; $at < length $bytes; $at += 4096) { substr($bytes, $at, 2) = 'xx' }
    spew('checked/data.mdb', $bytes);
    ($code, $out, $err) = run(qw(check --store lmdb:checked));
    is("$code $out", '1 ', 'a damaged one');
    like($err, qr/check: lmdb:checked: data\.mdb is damaged at page \d+/, 'with the place');
    is_deeply([glob 'checked/*damaged*'], [], 'nothing is moved');
    for my $command (['stats'], ['export', 's'], ['explain', '--site', 's', $pages[0]]) {
        ($code, undef, $err) = run($command->[0], '--store', 'lmdb:checked', @$command[1 .. $#$command]);
        is("$code $err", "1 tmplctl: $command->[0]: lmdb:checked: cannot open: data.mdb is damaged: move it away\n", "$command->[0] refuses it");
        ok(slurp('checked/data.mdb') eq $bytes && !(() = glob('checked/*damaged-*')), "$command->[0] changes nothing");
    }
    ($code, undef, $err) = run(qw(clean --mode strip --site s --out checked --store lmdb:checked), @pages);
    like($err, qr/clean: lmdb:checked was damaged: its file is (data\.mdb\.damaged-\d{8}T\d{6}Z) now/, 'who writes to it moves it aside');
    is($code, 0, 'and goes on');
    my @moved = glob 'checked/data.mdb.damaged-*';
    ok(@moved == 1 && slurp($moved[0]) eq $bytes, 'the damaged file is kept');
    ($code, undef, $err) = run(qw(check --store lmdb:nowhere));
    like("$code $err", qr/^1 .*no store found/, 'a missing store');
    ($code, undef, $err) = run(qw(check --store redis://localhost:1));
    like("$code $err", qr/^1 .*only a store of LMDB has a file/, 'a store without a file');
    ($code) = run('check');
    is($code, 2, 'no store');
};

subtest 'a missing store' => sub {
    for my $command (['stats'], ['stats', 's'], ['export', 's'], ['forget', 's'], ['explain', '--site', 's', $pages[0]]) {
        my ($code, $out, $err) = run(@$command, '--store', 'lmdb:nowhere');
        is("$code $out", '1 ', "@$command: exit code");
        is($err, "tmplctl: $command->[0]: lmdb:nowhere: no store found: No such file or directory\n", "@$command: the message");
    }
    ok(!-e 'nowhere', 'and none is made');
    my ($code, undef, $err) = run(qw(clean --mode text --site s --out text --store), "lmdb:$pages[0]", $pages[0]);
    is("$code $err", "1 tmplctl: clean: lmdb:$pages[0]: cannot open: Not a directory\n", 'a file in place of a store');
};

# A Redis whose secret cannot be read gets no keys that are made without it.
SKIP: {
    my ($server) = grep { -x } map { "$_/redis-server" } split /:/, "$ENV{PATH}:/usr/bin";
    skip 'no redis-server', 1 unless defined $server;
    subtest 'a secret that cannot be read' => sub {
        my $pid = spawn('redis-server', sub {
            open STDOUT, '>', 'foreign.log';
            exec $server, qw(--port 0 --save), '', '--unixsocket', "$dir/foreign.sock", '--dir', $dir;
        });
        my $redis;
        ok(wait_for { $redis = IO::Socket::UNIX->new(Peer => 'foreign.sock') }, 'a server');
        my $ask = sub { print {$redis} "@_\r\n"; return scalar <$redis> };
        like($ask->('SADD tmpl:6:secret x'), qr/^:1/, 'another program uses the key');
        my @store = ('--store', "redis+unix://$dir/foreign.sock");
        my ($code, $out, $err) = run(qw(clean --mode strip --detector auto --site s --out foreign), @store, @pages[0, 1]);
        is($code, 3, 'clean: exit code 3');
        like($err, qr/store: .*another program uses the key tmpl:6:secret/, 'clean: the message');
        like($out, qr/^2 pages: .*; 0 failed, 2 store failures; /, 'clean: pages are judged alone');
        for my $command (['explain', '--site', 's', $pages[0]]) {
            ($code, $out, $err) = run(@$command, @store);
            is("$code $out", '1 ', "$command->[0]: exit code 1");
            like($err, qr/^tmplctl: $command->[0]: .*another program uses the key/, "$command->[0]: the message");
        }
        like($ask->('DBSIZE'), qr/^:1\r/, 'nothing is written');
        end_process($pid);
    };
}

# A store that does not answer: pages that can be judged alone are judged, and the exit code is 3 unless a file failed, too.
# The page has pictures that the trees judge template, between texts of an article.
subtest 'a store that is down' => sub {
    my $text = join ' ', ('This is a sentence of an article, and it is not on another page.') x 5;
    my $items = join '', map { qq(<li><img src="$_.gif"> <a href="/$_">$_</a></li>) } qw(Home News Sport Weather Contact Search);
    spew('pictures.html', qq(<!DOCTYPE html><title>A title</title><h1>A title</h1><p>$text</p><nav><ul class="menu">$items</ul></nav><p>$text Last.</p>));
    my $down = 'redis://127.0.0.1:' . free_port();
    for my $detector (qw(pagelevel auto)) {
        my @how = ('--detector', $detector, 'pictures.html');
        my ($code, $out, $err) = clean('strip', 'down', '--store', $down, @how);
        is($code, 3, "$detector: exit code 3");
        is($err, "tmplctl: pictures.html: store: $down/0: cannot connect: Connection refused\n", "$detector: the message");
        like($out, qr/^1 page: 1 edited, 0 declined; 0 failed, 1 store failure; /, "$detector: the page is judged alone");
        is((clean('strip', 'alone', @how))[0], 0, "$detector: without a store");
        is(slurp('down/pictures.html'), slurp('alone/pictures.html'), "$detector: gives the same page");
    }
    my ($code, $out, $err) = clean('strip', 'down', '--store', $down, 'missing.html', 'pictures.html');
    is($code, 1, 'a missing page, too: exit code 1');
    like($out, qr/; 1 failed, 1 store failure; /, 'and the summary has both');
    ($code, $out) = clean('strip', 'down', '--two-pass', '--store', $down, 'pictures.html');
    is($code, 3, 'two passes: exit code 3');
    like($out, qr/; 0 failed, 2 store failures; /, 'and a failure in each');
};

# A store that root makes in a server's directory belongs to the server's user.
SKIP: {
    skip 'not root: no other user can own a directory', 1 if $> != 0;
    subtest "a directory of another user's" => sub {
        chmod 0755, $dir;
        mkdir 'others', 0700 or die $!;
        my (undef, undef, $uid, $gid) = getpwnam 'nobody' or die 'no user nobody';
        chown $uid, $gid, 'others' or die $!;
        my ($code, $out, $err) = run(qw(clean --mode text --site s --out text --store lmdb:others), @pages);
        is("$code $err", '0 ', 'a store is made');
        is(names('others'), 'data.mdb lock.mdb writer.lock', 'its files');
        is(join(' ', map { join ':', (stat)[4, 5] } glob 'others/*'), join(' ', ("$uid:$gid") x 3), 'belong to the owner');
        is(join(':', (stat 'text/p01.txt')[4, 5]), "$>:" . (split ' ', $))[0], 'pages belong to root');
        mkdir 'roots', 0700 or die $!;
        run(qw(clean --mode text --site s --out text --store lmdb:roots/store), @pages);
        is(scalar(qx(setpriv --reuid $uid --regid $gid --clear-groups "$tool" stats --store lmdb:roots/store 2>&1)), "tmplctl: stats: lmdb:roots/store: permission denied: only root and the user of httpd may read a server's store\n",
            'who may not read a store is told who may');
    };
}

# 270 KiB for LMDB's files: enough for a few hundred pages.
subtest 'limits of a store' => sub {
    my @store = ('--store', 'lmdb:limited?size=4M&sites=2');
    for my $site (qw(first second third)) {
        my ($code, undef, $err) = run(qw(clean --mode text --out limited-out --site), $site, @store, @pages[0 .. 5]);
        is($code, 0, "$site is learnt") or diag $err;
    }
    is(join(' ', map { (split)[0] } grep { !/^site/ } split /\n/, (run('stats', @store))[1]), 'second third', 'the first is forgotten for the third');
    is((run('check', @store))[0], 0, 'check takes the limits, too');
    is((run('stats', '--store', 'lmdb:limited'))[0], 0, 'without limits it is the same store');
    my ($code, undef, $err) = run('stats', '--store', 'lmdb:limited?size=4');
    is($code, 2, 'a wrong limit: usage');
    like($err, qr/neither size from 1M to 1024G nor/, 'and the range');
};

subtest 'a store that is full' => sub {
    many();
    # another site takes a part of the room
    run(clean_args('text', 'full-other'), qw(--detector incremental --store lmdb:full-store --site other --lifetime 10000,300),
        map { "many/$_.html" } 1 .. 1500);
    my $limited = q{trap '' XFSZ; ulimit -f 660; exec "$@" >full.out 2>full.err};
    system 'sh', '-c', $limited, 'sh', $tool, clean_args('strip', 'full'), '--detector', 'incremental',
        '--store', 'lmdb:full-store', '--lifetime', '10000,300', map { "many/$_.html" } 1 .. 3000;
    is($? >> 8, 3, 'exit code 3');
    like(slurp('full.out'), qr/^3000 pages: 2996 edited, 0 declined; 0 failed, \d+ store failures; /, 'every page is written, most are edited');
    like(slurp('full.err'), qr{^tmplctl: many/\d+\.html: store: lmdb:.*\n\z},
        'one message, for the first page that is not learnt');
    my ($code, $out) = run('stats', '--store', 'lmdb:full-store', 's');
    my ($learnt) = $out =~ /^s +(\d+) /m;
    my ($named) = slurp('full.err') =~ m{many/(\d+)};
    ok($learnt > 16 && $learnt < 3000, 'some are learnt') or diag $out;
    cmp_ok($learnt, '>=', $named - 1, 'the pages before it are learnt, though they share its batch of 16');
    unlike(slurp('full/3000.html'), qr/Copyright Somebody/, 'the last page is judged by the counts that were learnt');
};

# A disk without a free byte.
SKIP: {
    my $mount = q{mount -t tmpfs -o size=64k none disk && cat /dev/zero >disk/zero 2>mount.err; test -s disk/zero && exec "$@" >full.out 2>full.err};
    mkdir 'disk' or die $!;
    my @in = (qw(unshare --map-root-user --mount sh -c), $mount, 'sh');
    skip 'this user cannot mount a file system', 1 if system(@in, 'true') != 0;
    subtest 'a disk that is full' => sub {
        for my $command (['import', 's'], [clean_args('text', 'text'), @pages], [qw(warm http://127.0.0.1:9/)]) {
            my $status = system @in, $tool, @$command, '--store', 'lmdb:disk/store';
            is($status, 1 << 8, "$command->[0]: exit code");
            is(slurp('full.err'), "tmplctl: $command->[0]: lmdb:disk/store: cannot open: the disk is full\n", 'the message');
        }
        my $status = system @in, $tool, clean_args('text', 'disk/out'), $pages[0];
        is($status, 1 << 8, 'no room for a page: exit code');
        is(slurp('full.err'), "tmplctl: $pages[0]: cannot write disk/out/p01.txt: No space left on device\n", 'the message');
    };
}

done_testing();
