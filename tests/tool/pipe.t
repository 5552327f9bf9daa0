#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# tmplctl in a pipe: pages from standard input and the web, output to standard output; inputs that are
# no pages, gzip and zstd, memory, and signals in the middle of a page.
use strict;
use warnings;

use FindBin;
use Compress::Zlib qw(memGzip);
use Encode qw(encode);
use JSON::PP;
use POSIX ();
use Test::More;

use lib "$FindBin::Bin/../lib", "$FindBin::Bin/../../t/lib";
use Tmplctl;
use Warc qw(zstd);
use Test::Tmpl::Backend;
use Test::Tmpl::Process qw(spawn wait_for);

delete @ENV{qw(http_proxy https_proxy HTTP_PROXY HTTPS_PROXY all_proxy ALL_PROXY)};

my $page = page(1);
my $article = qr/Story number 1 tells of thing 1/;
my $png = "\x89PNG\r\n\x1a\n\0\0\0\rIHDR";
my %served = (
    '/' => page(2, '<p>Read <a href="more">more</a> about the thing.</p>'),
    '/dir/story.html' => $page,
    '/dir/other.html?id=7' => page(3),
    '/png' => $png,
    '/frames' => '<frameset><frame src=a></frameset>',
);
my $backend = Test::Tmpl::Backend->new(sub {
    my ($connection, $request) = @_;
    my $target = $request->{target};
    if ($target eq '/slow') {
        $connection->send("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 100\r\n\r\n<p>");
        $connection->wait_until('never');
    }
    my $body = $served{$target};
    my $status = defined $body ? '200 OK' : '404 Not Found';
    $body //= 'none';
    $connection->send("HTTP/1.1 $status\r\nContent-Type: text/html\r\nContent-Length: " . length($body) . "\r\n\r\n$body");
});
my $url = $backend->url;

subtest 'standard input to standard output' => sub {
    for my $args ([], ['-'], ['--out', '-'], ['--out', '-', '-'], ['--site', 's']) {
        my ($code, $out, $err) = feed($page, qw(clean -m strip), @$args);
        is("$code$err", 0, "clean @$args: exit code, and no message") or diag $err;
        is($out, $page, "clean @$args: the page, and no summary");
    }
    my ($code, $out, $err) = feed($page, qw(clean -m text));
    like($out, qr/^Title 1 $article/m, 'text');
    my $twins = join '', map { "<div class='$_-only'><p>Said once to all screens</div>" } qw(mobile desktop);
    ($code, $out) = feed("<p>a$twins<p>b", qw(clean -m text));
    is($out, "a\nSaid once to all screens\nb\n", 'a block for screens of another size');
    my $long = join '', map { "<div class='$_-only'>" . '<p>Said' x 1001 . '</div>' } qw(mobile desktop);
    ($code, $out) = feed($long, qw(clean -m text));
    is(scalar(() = $out =~ /Said/g), 2002, 'long elements are not compared: a page of them would take seconds');
    ($code, $out) = feed($page, qw(clean -m markdown));
    like($out, qr/^# Title 1\n/m, 'Markdown');
    ($code, $out) = run(qw(clean -m text), $pages[0]);
    like($out, $article, 'a file');
    ($code, $out) = run(qw(clean -m blocks), $pages[0]);
    is(decode_json($out)->{file}, $pages[0], 'JSON');
    ($code, $out) = run(qw(clean -m json -j 3), @pages);
    is_deeply([$code, map { decode_json($_)->{title} } split /\n/, $out], [0, map { "T$_" } 1 .. $n], 'data: a line for each page, in order');
    for my $command (['explain'], ['explain', '-']) {
        ($code, $out, $err) = feed_as_is($page, @$command);
        is("$code$err", 0, "@$command");
        like($out, $article, "@$command: the text");
    }
    ($code, $out, $err) = feed('', qw(clean -m text));
    is("$code$out", 1, 'an empty page');
    is($err, "tmplctl: (standard input): is empty\n", 'the message');
    ok(!-e 'stdin.txt' && !-e '-', 'no file is made');
};

subtest 'several inputs' => sub {
    for my $args ([@pages[0, 1]], [$pages[0], '-'], ["$url/", $pages[0]], ['--out', '-', @pages[0, 1]]) {
        usage_is([qw(clean -m text), @$args], qr/^tmplctl: clean: standard output is for one page: 2 inputs need --out DIR$/m, "@$args");
    }
    usage_is([qw(clean -m text --mirror pages)], qr{^tmplctl: clean: standard output is for one page: \d+ inputs need --out DIR$}m, 'a mirror');
    usage_is([qw(clean -m text -2), $_], qr/--two-pass reads each page twice, and .* is read once only$/m, "two passes over $_") for '-', "$url/";
    usage_is([qw(clean -m text --out d - -)], qr/standard input can be read once only$/m, 'standard input twice');
    usage_is([qw(clean -m text --out d --files-from - -)], qr/standard input can be read once only$/m, 'a list and a page');
    my ($code, $out, $err) = feed($page, qw(clean -m text --out many.out), $pages[4], '-', "$url/", "$url/dir/other.html?id=7");
    is("$code$err", 0, 'a file, standard input and two URLs');
    like($out, qr/^4 pages: /, 'the summary');
    my ($host) = $url =~ m{//(.*)};
    is(names('many.out'), "$host.txt other.txt p05.txt stdin.txt", 'the names of the outputs');
};

subtest 'a URL' => sub {
    my ($code, $out, $err) = run(qw(clean -m markdown), "$url/");
    is("$code$err", 0, 'exit code');
    like($out, qr{\[more\]\(\Q$url\E/more\)}, 'links are absolute');
    for my $bad (['/none', 'HTTP 404'], ['/nowhere at all', 'HTTP 404']) {
        ($code, $out, $err) = run(qw(clean -m text), "$url$bad->[0]");
        is("$code$out", 1, "$bad->[0]: exit code");
        is($err, "tmplctl: $url$bad->[0]: $bad->[1]\n", "$bad->[0]: the message");
    }
    ($code, $out, $err) = run(qw(clean -m text), 'http://');
    is("$code$out", 2, 'no URL: exit code');
    (my $named = $url) =~ s{//}{//user:secret\@};
    run(qw(clean -m text --out named), "$named/");
    is(names('named'), ($url =~ m{//(.*)})[0] . '.txt', 'a password is no part of a name');
    # with a store the host is the site, and the address the document
    for my $round (1, 2) {
        ($code, undef, $err) = run(qw(clean -m strip --store lmdb:web), "$url/dir/story.html");
        is("$code$err", 0, 'learnt');
    }
    ($code, $out) = run(qw(stats --store lmdb:web --json));
    is_deeply([map { "$_->{site} $_->{pages}" } @{ decode_json($out) }], ['127.0.0.1 1'], 'the table');
    usage_is([qw(clean -m strip --store lmdb:web), $pages[0]], qr/--site KEY is missing: only a URL tells the site by its host$/m, 'a file');
    feed($_, qw(clean -m strip --store lmdb:web --site in)) for $page, $page, page(2);
    ($code, $out) = run(qw(stats --store lmdb:web --json in));
    is(decode_json($out)->[0]{pages}, 2, 'pages of standard input: a document is its bytes');
};

subtest 'no pages' => sub {
    my %binary = (
        'a.png' => [$png, 'is binary and no page: byte 8 is zero'],
        'a.elf' => ["\x7fELF\2\1\1\0", 'is binary and no page: byte 7 is zero'],
        'a.zero' => ["<p>text\0</p>", 'is binary and no page: byte 7 is zero'],
        'a.png.gz' => [memGzip($png), 'is binary and no page: byte 8 is zero'],
        'a.pdf' => ["%PDF-1.4\n% no zero byte", 'is a PDF document and no page'],
    );
    for my $name (sort keys %binary) {
        my ($bytes, $why) = @{ $binary{$name} };
        spew($name, $bytes);
        for my $command (['clean', '-m', 'text'], ['clean', '-m', 'strip'], ['explain']) {
            my ($code, $out, $err) = run(@$command, $name);
            is("$code$out", 4, "@$command: exit code");
            is($err, "tmplctl: $name: $why\n", "@$command: the message");
        }
    }
    my ($code, $out, $err) = feed($png, qw(clean -m markdown));
    is("$code$err", "4tmplctl: (standard input): is binary and no page: byte 8 is zero\n", 'standard input');
    ($code, undef, $err) = run(qw(clean -m text), "$url/png");
    is("$code$err", "4tmplctl: $url/png: is binary and no page: byte 8 is zero\n", 'a URL');
    ($code, $out, $err) = run(qw(clean -m strip --out mixed), 'a.png', $pages[0]);
    is($code, 4, 'beside a page: exit code');
    is(names('mixed'), 'p01.html', 'the page is written');
    ($code) = run(qw(clean -m strip --out mixed), 'a.png', $pages[0], 'missing.html');
    is($code, 1, 'another failure counts more');
    spew('utf16.html', encode('UTF-16', '<p>in two bytes</p>'));
    ($code, $out, $err) = run(qw(clean -m text utf16.html));
    is($out, '', 'UTF-16 with a byte order mark is declined');
    like($err, qr/\Atmplctl: utf16\.html: no text, declined: charset \(.*\n\z/, 'the message');
    spew('late.html', page(1, '<p>Story number 1 tells of thing 1</p>' x 99) . "\0");
    ($code, $out) = run(qw(clean -m text late.html));
    like("$code$out", qr/^0.*$article/s, 'a zero byte at the end of a page');
};

subtest 'gzip and zstd' => sub {
    spew('p.html.gz', memGzip($page));
    spew('p.html.zst', zstd($page));
    for my $how (['p.html.gz'], ['p.html.zst'], []) {
        my ($code, $out, $err) = feed(memGzip($page), qw(clean -m strip), @$how);
        is("$code$err", 0, "compressed (@$how)");
        is($out, $page, 'is inflated');
    }
    my $most = 8 << 20;
    my %bad = (
        bomb => [memGzip('x' x ($most + 1)), "is gzip of more than $most bytes"],
        cut => [substr(memGzip($page), 0, 100), 'is gzip that is damaged'],
        none => [memGzip(''), 'is empty'],
        zstd => [substr(zstd($page), 0, 100), 'is zstd that is damaged'],
    );
    for my $name (sort keys %bad) {
        my ($code, $out, $err) = feed($bad{$name}[0], qw(clean -m text));
        is("$code$out", 1, "$name: exit code");
        is($err, "tmplctl: (standard input): $bad{$name}[1]\n", "$name: the message");
    }
    my ($code, $out) = feed(memGzip('<p>' . 'x' x ($most - 3)), qw(clean -m strip));
    is(length $out, $most, 'as much as is allowed');
};

subtest 'declined pages are named' => sub {
    spew('frames.html', $served{'/frames'});
    spew('deep.html', '<div>' x 600 . 'text');
    my $why = qr/\Atmplctl: frames\.html: declined: frameset \(.*\) at byte 0, line 1: <frameset>\n\z/;
    for my $mode (qw(annotate strip highlight blocks fingerprint)) {
        my ($code, $out, $err) = run(qw(clean -m), $mode, 'frames.html');
        is($code, 0, "$mode: exit code");
        like($err, $why, "$mode: the message");
        is($out, $served{'/frames'}, "$mode: the page as it is") if $mode =~ /^(?:annotate|strip|highlight)$/;
    }
    my ($code, $out, $err) = run(qw(clean -m markdown frames.html));
    is("$code$out", 1, 'markdown: nothing, and exit code 1');
    like($err, qr/\Atmplctl: frames\.html: no Markdown, declined: frameset \(.*\) at byte 0, line 1: <frameset>\n\z/, 'the message');
    ($code, $out, $err) = feed('<p>' . '<' x 200_000, qw(clean -m reader));
    is("$code$out", 1, 'a reader view that would be too long: nothing, and exit code 1');
    like($err, qr/no reader view: it would be more than three times as long as the page/, 'and why');
    ($code, $out, $err) = run(qw(clean -m json frames.html));
    is("$code$out", 1, 'json: nothing, and exit code 1');
    like($err, qr/\Atmplctl: frames\.html: no JSON, declined: frameset /, 'the message');
    ($code, $out, $err) = run(qw(clean -m strip --out declined -2 frames.html deep.html), $pages[0]);
    is(scalar(() = $err =~ /: declined: /g), 2, 'with --out: each one once');
    like($out, qr/^3 pages: 0 edited, 2 declined/, 'the summary');
};

subtest 'a URL that is none' => sub {
    usage_is([qw(warm --store lmdb:nowhere ftp://127.0.0.1/)], qr/is no http or https URL$/m, 'warm');
    ok(!-e 'nowhere', 'no store is made');
};

subtest 'a broken pipe' => sub {
    spew('long.html', page(1, "<p>A line of some length, once more.</p>" x 20_000));
    for my $command ("clean -m strip long.html", 'export --store lmdb:web 127.0.0.1', 'explain long.html') {
        # the reader ends before a byte is written
        pipe my $in, my $out or die $!;
        close $in;
        my $pid = spawn('writer', sub {
            open STDOUT, '>&', $out or die $!;
            open STDERR, '>', 'pipe.err' or die $!;
            local $SIG{PIPE} = 'DEFAULT';
            exec $tool, split / /, $command;
        });
        close $out;
        ok(wait_for { waitpid($pid, POSIX::WNOHANG()) == $pid }, "$command: it ends");
        is($? & 127, POSIX::SIGPIPE(), "$command: of SIGPIPE");
        is(slurp('pipe.err'), '', "$command: without a message");
    }
};

# Large pages: soup is declined, because it has more elements than the limit; real markup is judged.
sub huge {
    my ($name, $unit) = @_;
    spew($name, '<!DOCTYPE html><title>t</title><body>' . $unit x ((22 << 20) / length $unit));
}
huge('real.html', "<div class=\"post\"><h2><a href=\"/a/1\">A heading</a></h2>\n<p>" . 'Some words of a story, and more of them. ' x 9 . "</p></div>\n");

# The peak of the tool's resident memory, in bytes. While the pipe is full the tool cannot end, so the peak
# is read before the last bytes of the output.
sub peak {
    my (@args) = @_;
    pipe my $in, my $out or die $!;
    my $pid = spawn('tool', sub { close $in; open STDOUT, '>&', $out or die $!; open STDERR, '>', 'peak.err'; exec $tool, @args });
    close $out;
    my $most = 0;
    while (1) {
        my $status = slurp("/proc/$pid/status") // '';
        my ($kb) = $status =~ /^Name:\s+tmplctl\n.*^VmHWM:\s+(\d+)/ms;
        $most = $kb << 10 if defined $kb && $kb << 10 > $most;
        last if !sysread $in, my $bytes, 1 << 16;
    }
    waitpid $pid, 0;
    return $most;
}

subtest 'memory' => sub {
    for my $case (['text', 'real.html'], ['markdown', 'real.html']) {
        my ($mode, $name) = @$case;
        my $most = peak(qw(clean -m), $mode, $name);
        cmp_ok($most, '>', 2 * -s $name, "$name, $mode: the page and its output are in memory");
        cmp_ok($most, '<', 15 * -s $name, "$name, $mode: at most 15 times the page");
    }
    spew('formulas.html', '<!DOCTYPE html><title>t</title><body><p>Some words of a text.' . '<math>x</math>' x 260_000);
    cmp_ok(peak('clean', '-m', $_, 'formulas.html'), '<', 25 * -s 'formulas.html', "$_: formulas share memory") for 'reader', 'markdown';
};

# Runs the tool until the condition is true, sends it the signal, and does what is to be done then; the name of the signal
# that ended it.
sub ended_by {
    my ($signal, $condition, $then, @args) = @_;
    my $pid = spawn('tool', sub { open STDOUT, '>', 'signal.out'; open STDERR, '>', 'signal.err'; exec $tool, @args });
    ok(wait_for { $condition->($pid) }, "$args[0], $signal: it works");
    kill $signal, $pid;
    $then->($pid) if $then;
    ok(wait_for { waitpid($pid, POSIX::WNOHANG()) == $pid }, "$args[0], $signal: it ends");
    return { POSIX::SIGTERM() => 'TERM', POSIX::SIGINT() => 'INT' }->{ $? & 127 } // "code $?";
}

subtest 'a signal in the middle of a page' => sub {
    my $reads = sub { (slurp("/proc/$_[0]/status") // '') =~ /^Name:\s+tmplctl\n.*^VmHWM:\s+(\d+)/ms && $1 << 10 > 2 * -s 'real.html' };
    for my $signal (qw(TERM INT)) {
        is(ended_by($signal, $reads, undef, qw(clean -m markdown --out signal real.html)), $signal, "$signal: the signal ends it");
        is(names('signal'), 'real.md', "$signal: the page is finished");
        unlink 'signal/real.md';
    }
};

subtest 'a signal while a page is awaited' => sub {
    my $before = 0;
    my $asked = sub { scalar(grep { $_->{target} eq '/slow' } $backend->requests) > $before };
    for my $args ([qw(clean -m text)], ['explain'], ['warm', '--store', 'lmdb:slow']) {
        is(ended_by('TERM', $asked, undef, @$args, "$url/slow"), 'TERM', "$args->[0]: the signal ends it");
        $before++;
    }
    $before = $backend->requests;
    $asked = sub { $backend->requests > $before };    # for robots.txt
    is(ended_by('TERM', $asked, undef, qw(warm --delay 1000000 --store lmdb:slow), "$url/"), 'TERM', 'warm: between two requests');
};

$backend->stop;
done_testing;
