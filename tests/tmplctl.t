#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# The command line tool, run for real over pages that this test writes. TMPLCTL or BUILD name the
# tool; its man page is held to its --help.
use strict;
use warnings;

use Cwd qw(abs_path);
use Encode qw(encode decode);
use File::Basename qw(dirname);
use File::Temp qw(tempdir);
use FindBin;
use IO::Socket::UNIX;
use IPC::Open3;
use JSON::PP;
use POSIX ();
use Symbol qw(gensym);
use Test::More;

use lib "$FindBin::Bin/../t/lib";
use Test::Tmpl::Process qw(spawn end_process wait_for);

binmode $_, ':encoding(UTF-8)' for Test::More->builder->output, Test::More->builder->failure_output;

my $root = abs_path(dirname(__FILE__) . '/..');
my $tool = abs_path($ENV{TMPLCTL} // "$root/" . ($ENV{BUILD} // 'build') . '/tmplctl');
plan skip_all => 'there is no tmplctl: run make first' unless defined $tool && -x $tool;

my $dir = tempdir(CLEANUP => 1);
chdir $dir or die $!;
delete $ENV{TMPL_STORE};

# --- helpers ---

sub spew {
    my ($name, $bytes) = @_;
    open my $f, '>:raw', $name or die "$name: $!";
    print $f $bytes;
    close $f or die "$name: $!";
}

sub slurp {
    my ($name) = @_;
    open my $f, '<:raw', $name or return undef;
    local $/;
    return scalar <$f>;
}

# Runs the tool with input on its standard input: (exit code or signal name, stdout, stderr). Where no
# detector is named it is the one whose verdicts a test can work out.
sub feed {
    my ($input, @args) = @_;
    splice @args, 1, 0, '--detector', 'incremental'
        if @args > 1 && $args[0] =~ /^(?:clean|segments)$/ && !grep { /^--(?:detector|help)$/ } @args;
    return feed_as_is($input, @args);
}

sub feed_as_is {
    my ($input, @args) = @_;
    Test::Tmpl::Process::set_limit();
    spew('.in', $input);
    open my $in, '<', '.in' or die $!;
    my $pid = open3('<&' . fileno($in), my $out, my $err = gensym, $tool, @args);
    # both are short enough for a pipe, except export's, which writes nothing to stderr
    my ($o, $e) = map { local $/; <$_> // '' } $out, $err;
    waitpid $pid, 0;
    return ($? & 127 ? 'signal ' . ($? & 127) : $? >> 8, $o, $e);
}
sub run { return feed('', @_) }

# The same with what a shell does to its streams, as '>&-': (exit code, stdout, stderr), each of these if it is not redirected.
sub redirected {
    my ($how, @args) = @_;
    system 'sh', '-c', qq{exec "\$@" >red.out 2>red.err $how}, 'sh', $tool, @args;
    return ($? & 127 ? 'signal ' . ($? & 127) : $? >> 8, slurp('red.out'), slurp('red.err'));
}
sub clean { my ($mode, $out, @rest) = @_; return run(clean_args($mode, $out), @rest) }
sub clean_args { return ('clean', '--mode', $_[0], '--site', 's', '--out', $_[1]) }

# A page of a site: the same frame around text of its own.
my $frame = '<div id="nav"><a href="/">Home</a> <a href="/about">About this site</a></div>';
my $foot = '<div class="foot">Copyright Somebody, all rights reserved</div>';
sub page {
    my ($i, $content) = @_;
    $content //= "<p>Story number $i tells of thing $i</p><p>and of what came of it, $i times.</p>";
    return "<!DOCTYPE html>\n<html><head><title>T$i</title></head><body>\n$frame\n"
        . "<div id=\"main\"><h1>Title $i</h1>$content</div>\n$foot\n</body></html>\n";
}
my $n = 12;
mkdir 'pages' or die $!;
my @pages = map { sprintf 'pages/p%02d.html', $_ } 1 .. $n;
spew($pages[$_ - 1], page($_)) for 1 .. $n;

sub unmarked { my ($html) = @_; return $html =~ s/ data-tmpl=""|<!--\/?tmpl-->//gr }

sub names {
    my ($d) = @_;
    opendir my $h, $d or return '';
    return join ' ', sort grep { !/^\.\.?$/ } readdir $h;
}

sub usage_is {
    my ($args, $like, $name) = @_;
    my ($code, $out, $err) = run(@$args);
    is($code, 2, "$name: exit code 2");
    like($err, $like, "$name: the message");
    is($out, '', "$name: nothing on standard output");
}

# --- help and usage ---

subtest 'help, version, man page' => sub {
    my ($code, $out, $err) = run('--help');
    is($code, 0, '--help');
    like($out, qr/^  $_ /m, "--help lists $_") for qw(clean segments stats forget export import train warm);
    ($code, $out) = run('--version');
    is($code, 0, '--version');
    like($out, qr/^tmplctl \d+\.\d+\.\d+\n\z/, '--version prints it');
    my $man = slurp("$root/docs/tmplctl.1") // '';
    $man =~ s/\\-/-/g;
    ($code, $out, $err) = run(qw(clean --mode none --site s --out none), 'x');
    my ($modes) = $err =~ /is none of (.*)/;
    my ($help) = (run('clean', '--help'))[1];
    for my $mode (split /, /, $modes // 'none is named') {
        like($help, qr/^  $mode\b/m, "clean --help explains $mode");
        like($man, qr/^\.B $mode$/m, "the man page explains $mode");
    }
    for my $command (qw(clean segments stats forget export import train warm)) {
        ($code, $out, $err) = run($command, '--help');
        is($code, 0, "$command --help");
        is($err, '', "$command --help says nothing on standard error");
        like($out, qr/^Usage: tmplctl $command .*^Exit codes: 0 .* 1 .* 2 /ms, "$command --help");
        like($man, qr/^\.SS "tmplctl $command/m, "the man page has $command");
        for my $option ($out =~ /(--[a-z-]+)/g) {
            like($man, qr/\Q$option\E/, "the man page has $command $option");
        }
        my ($long) = grep { length > 100 } split /\n/, $out;
        is($long, undef, "$command --help fits 100 columns");
    }
};

subtest 'usage errors' => sub {
    my @ok = ('--mode', 'strip', '--site', 's', '--out', 'never');
    usage_is([], qr/^Usage:/, 'no command');
    usage_is(['frob'], qr/no command "frob"/, 'unknown command');
    usage_is(['clean', '--frob'], qr/invalid option: --frob/, 'unknown option');
    usage_is(['stats', '--mode', 'x'], qr/invalid option: --mode/, 'option of another command');
    usage_is(['clean', '--mode'], qr/missing argument: --mode/, 'option without its value');
    usage_is(['clean', @pages], qr/--mode MODE is missing/, 'no mode');
    usage_is(['clean', @ok[0 .. 1, 4 .. 5], @pages], qr/--site KEY is missing/, 'no site');
    usage_is(['clean', @ok[0 .. 3], @pages], qr/--out DIR is missing/, 'no out');
    usage_is(['clean', @ok], qr/no FILE is named/, 'no file');
    usage_is(['clean', @ok, ''], qr/argument is empty/, 'an empty name');
    usage_is(['clean', '--mode', 'shred', @ok[2 .. 5], @pages],
        qr/"shred" is none of annotate, strip, text, json, fingerprint/, 'unknown mode');
    usage_is(['clean', '--site', '', @pages], qr/--site: KEY must not be empty/, 'an empty site');
    usage_is(['clean', '--site', 'x' x 256, @pages], qr/--site: KEY must not be longer than 255 bytes/, 'a site too long');
    my %bad = (
        detector => [[qw(wang), ''], qr/none of incremental style pagelevel auto/],
        smoothing => [[qw(yes), ''], qr/none of off max min on/],
        model => [["$root/tests/models/one.trees"], qr/one\.trees is one for --detector auto/],
        jobs => [['0', '257', '-1', 'x', ''], qr/not a whole number of 1 to 256/],
        'min-df' => [[qw(1 65 x 5.5 -3), ''], qr/not a whole number of 2 to 64/],
        ratio => [[qw(-0.1 1.1 x nan), ''], qr/not a number of 0 to 1/],
        'min-keep' => [[qw(2 1e9 0.5x)], qr/not a number of 0 to 1/],
        lifetime => [['5', '0,5', '5,0', 'a,b', '5,5,5', '-1,5'], qr/whole number/],
        separators => [['div frobnicate'], qr/frobnicate/],
        keep => [['div p'], qr/--keep: /],
        drop => [['#'], qr/--drop: /],
        secret => [[''], qr/must not be empty/],
        store => [['mysql:x', 'lmdb:'], qr/--store: ./],
    );
    for my $option (sort keys %bad) {
        my ($values, $like) = @{ $bad{$option} };
        usage_is(['clean', @ok, "--$option", $_, @pages], $like, "--$option '$_'") for @$values;
    }
    usage_is(['clean', @ok, '--lifetime', '4000000000,4000000000', @pages],
        qr/longest life.*more than 4294967295/, 'a lifetime too long');
    usage_is(['clean', @ok, '--separators', ' ', @pages], qr/one tag at least/, 'no separator');
    ok(!-e 'never', 'nothing was written');
    usage_is(['segments'], qr/FILE is missing/, 'segments without a file');
    usage_is(['segments', 'a', 'b'], qr/"b" is one argument too many/, 'segments of two files');
    usage_is(['segments', '--site', 's', $pages[0]], qr/needed together/, 'segments, half a store');
    usage_is(['stats'], qr/--store URI or in TMPL_STORE/, 'stats without a store');
    {
        local $ENV{TMPL_STORE} = 'lmdb';
        usage_is(['stats'], qr/TMPL_STORE: ./, 'stats with a bad TMPL_STORE');
    }
    usage_is(['forget', '--store', 'lmdb:x'], qr/SITE is missing/, 'forget without a site');
    usage_is(['export', '--store', 'lmdb:x', 'a', 'b'], qr/one argument too many/, 'export of two');
};

# --- clean ---

subtest 'annotate, one pass' => sub {
    my ($code, $out, $err) =
        clean('annotate', 'out/an/notate', @pages);
    is($code, 0, 'exit code 0');
    is($err, '', 'no progress bar without a terminal');
    like($out, qr/^12 pages: 8 edited, 0 declined; 0 failed; \d+ bytes in, \d+ out; \d+\.\d+ s\n\z/,
        'the summary line');
    for my $i (1 .. $n) {
        my $html = slurp(sprintf 'out/an/notate/p%02d.html', $i);
        is(unmarked($html), page($i), "p$i: the page plus marks");
        is($html =~ /<div id="nav" data-tmpl="">/ ? 1 : 0, $i >= 5 ? 1 : 0, "p$i: the navigation");
        unlike($html, qr/id="main" data-tmpl/, "p$i: the content is not marked");
    }
    is((stat 'out/an/notate/p01.html')[2] & 0777, 0666 & ~umask, 'permissions are the usual ones');
    is(names('out/an/notate') =~ tr/ //, $n - 1, 'nothing but the pages');
};

subtest 'strip, two passes' => sub {
    my ($code, $out) =
        clean('strip', 'strip', '--two-pass', @pages);
    is($code, 0, 'exit code 0');
    like($out, qr/^12 pages: 12 edited,/, 'every page is edited');
    for my $i (1 .. $n) {
        my $html = slurp(sprintf 'strip/p%02d.html', $i);
        unlike($html, qr/About this site|Copyright/, "p$i: the template is cut");
        like($html, qr/\A<!DOCTYPE html>.*<h1>Title $i<\/h1>.*<\/html>\n\z/s, "p$i: the rest");
    }
    clean('strip', 'strip2', '-2', reverse @pages);
    is(slurp("strip2/p$_.html"), slurp("strip/p$_.html"), "p$_: the order does not matter")
        for '01', '12';
};

subtest 'json' => sub {
    my ($code) = clean('json', 'json', '-2', @pages);
    is($code, 0, 'exit code 0');
    for my $i (1, $n) {
        my $name = sprintf 'p%02d', $i;
        my $found = decode_json(slurp("json/$name.json"));
        is($found->{file}, "pages/$name.html", 'file');
        is($found->{decline}, 'none', 'decline');
        is($found->{detector}, 'incremental', 'detector');
        is($found->{pages}, $n, 'pages');
        is($found->{state}, 'warm', 'state');
        ok($found->{ratio} > 0 && $found->{ratio} < 1, 'ratio');
        my ($nav, $main, $foot) = @{ $found->{blocks} };
        is(scalar @{ $found->{blocks} }, 3, 'three blocks');
        ok($nav->{template} && !$main->{template} && $foot->{template}, 'their verdicts');
        is($nav->{ratio}, 1, 'the ratio of the navigation');
        like($main->{path}, qr{body/div$}, 'node path');
        is($nav->{text}, 'Home About this site', 'text of the navigation');
        like($main->{text}, qr/^Title $i Story number $i tells/, 'text of the content');
        my $html = my $source = page($i);
        is(substr($source, $nav->{span}[0], 4), 'Home', 'span of a block');
        substr($html, $_->{span}[0], $_->{span}[1] - $_->{span}[0]) = ''
            for reverse @{ $found->{cuts} };
        is($html, slurp("strip/$name.html"), 'the page without its cuts is what strip writes');
    }
};

subtest 'text: entities, white space, charsets' => sub {
    my $list = join '',
        map { "<p>$_</p>" } 'a &amp; b &lt;c&gt; &quot;d&quot; &apos;e&#39;',
        '&euro;&nbsp;5 &#8364; &#x20AC; &#128; &Eacute;t&eacute;',
        'AT&T &copy 2020 &nosuch; & &#; &#x;',
        "spread   over\n\t two lines",
        'wo<b>rd</b>s <i>are</i><i> </i>words<br>not<img src=x>joined',
        '&#0;&#xD800;&#x110000;', '&#10;&#x2028;line&#10;&#10;s',
        '<!-- no > text --><script>var no;</script>end';
    spew('entities.html', page(1, $list));
    my $text = "stra\x{df}e \x{20ac}\x{201e}";
    spew('latin1.html', encode('cp1252', "<meta charset=iso-8859-1><div>$text</div>"));
    spew('utf8.html', encode('UTF-8', "<meta charset=iso-8859-1><div>$text</div>"));
    spew('mute.html', encode('cp1252', "<div>$text</div>"));
    my $jp = "\x{65e5}\x{672c}\x{8a9e}\x{30bd}";    # in Shift_JIS the last byte is a backslash
    my $meta = '<meta http-equiv="content-type" content="text/html; charset=Shift_JIS">';
    spew('sjis.html', encode('shiftjis', "$meta<div>$jp</div>"));
    spew('eucjp.html', encode('euc-jp', "<meta charset='EUC-JP'><div>$jp</div>"));
    spew('euckr.html', encode('euc-kr', "<meta charset=euc-kr><div>\x{d55c}\x{ad6d}</div>"));
    spew('broken.html', "<meta charset=utf-8><div>a\xff\xe4b \xe2\x82</div>");
    spew('bom.html', "\xef\xbb\xbf<div>" . encode('UTF-8', $text) . '</div>');
    spew('nonsense.html', "<meta charset=klingon><div>\xe4</div>");
    spew('utf16.html', encode('UTF-16',
        "<html><body><div>$text</div><p>two &amp; three</p><script>no</script></body></html>"));
    my @files = qw(entities latin1 utf8 mute sjis eucjp euckr broken bom nonsense utf16);
    my ($code, $out, $err) = clean('text', 'text', map { "$_.html" } @files);
    is($code, 0, 'exit code 0') or diag $err;
    like($out, qr/1 declined \(charset 1\)/, 'UTF-16 is declined');
    my %got = map { $_ => decode('UTF-8', slurp("text/$_.txt"), Encode::FB_CROAK) } @files;
    is($got{entities},
        "Home About this site\nTitle 1 a & b <c> \"d\" 'e' \x{20ac} 5 \x{20ac} \x{20ac} \x{20ac} "
            . "\x{c9}t\x{e9} AT&T \x{a9} 2020 &nosuch; & &#; &#x; spread over two lines "
            . "words are words not joined \x{fffd}\x{fffd}\x{fffd} line s end\n"
            . "Copyright Somebody, all rights reserved\n",
        'character references and white space');
    is($got{$_}, "$text\n", "$_") for qw(latin1 utf8 mute bom);
    is($got{$_}, "$jp\n", "$_") for qw(sjis eucjp);
    is($got{euckr}, "\x{d55c}\x{ad6d}\n", 'euckr');
    is($got{broken}, "a\x{fffd}\x{fffd}b \x{fffd}\x{fffd}\n", 'bytes that mean nothing');
    is($got{nonsense}, "\x{e4}\n", 'an unknown charset');
    is($got{utf16}, "$text\ntwo & three\n", 'the text of a declined page');
    clean('text', 'text2', '-2', @pages);
    is(slurp('text2/p03.txt'),
        "Title 3 Story number 3 tells of thing 3 and of what came of it, 3 times.\n",
        'what is template is left out');
    clean('json', 'text3', 'sjis.html');
    is(decode_json(slurp('text3/sjis.json'))->{blocks}[0]{text}, $jp, 'text in JSON');
};

subtest 'bad files do not stop the rest' => sub {
    spew('empty.html', '');
    mkdir 'dir.html';
    POSIX::mkfifo('fifo.html', 0600);
    my @bad = qw(missing.html empty.html dir.html fifo.html);
    my @files = ($pages[0], $bad[0], $pages[1], @bad[1 .. 3], $pages[2]);
    for my $two ([], ['-2']) {
        my ($code, $out, $err) = clean('strip', 'bad', @$two, @files);
        is($code, 1, "exit code 1 (@$two)");
        like($out, qr/^3 pages: 0 edited, 0 declined; 4 failed;/, 'the summary counts them');
        like($err, qr/^tmplctl: missing\.html: No such file/m, 'a missing file');
        like($err, qr/^tmplctl: empty\.html: is empty$/m, 'an empty file');
        like($err, qr/^tmplctl: dir\.html: is a directory$/m, 'a directory');
        like($err, qr/^tmplctl: fifo\.html: is not a regular file$/m, 'a FIFO');
        is(scalar(() = $err =~ /^tmplctl: /mg), 4, 'each is named once');
        is(names('bad'), 'p01.html p02.html p03.html', 'the others are written');
    }
    SKIP: {
        skip 'root reads everything', 2 if $> == 0;
        spew('secret.html', page(1));
        chmod 0, 'secret.html';
        my ($code, $out, $err) = clean('strip', 'bad', 'secret.html');
        is($code, 1, 'unreadable: exit code 1');
        like($err, qr/secret\.html: Permission denied/, 'unreadable: the message');
    }
};

subtest 'declined pages are written as they are' => sub {
    my %declined = (
        frames => '<html><frameset><frame src=a></frameset></html>',
        blank => "<html>\n</html>\n",
        cut => '<div>text</div><script>var x = "',
    );
    spew("$_.html", $declined{$_}) for keys %declined;
    my @names = map { "$_.html" } sort keys %declined;
    my ($code, $out) = clean('strip', 'decl', @names);
    is($code, 0, 'exit code 0: to decline is no failure');
    like($out, qr/^3 pages: 0 edited, 3 declined \(\w.*\);/, 'the summary gives the reasons');
    is(slurp("decl/$_.html"), $declined{$_}, "$_ is untouched") for sort keys %declined;
    clean('json', 'decl', @names);
    is(decode_json(slurp('decl/frames.json'))->{decline}, 'frameset', 'the reason in JSON');
    ($code) = clean('text', 'decl', @names);
    is(slurp('decl/cut.txt'), "text\n", 'its text');
    is(slurp('decl/blank.txt'), '', 'no text of a page that has none');
};

subtest 'text of what is nested deeply' => sub {
    my $lines = sub { join '', map { "w$_\n" } 1 .. $_[0] };
    spew("deep$_.html", join('', map { "<div>w$_\n" } 1 .. $_) . '<p>end') for 4000, 5000;
    my ($code, $out, $err) = clean('text', 'deep', 'deep4000.html');
    like($out, qr/1 declined \(too-deep 1\); 0 failed/, 'declined, which is no failure');
    is("$code$err", 0, 'all went well');
    is(slurp('deep/deep4000.txt'), $lines->(4000) . "end\n", 'all of its text');
    ($code, $out, $err) = clean('text', 'deep', 'deep5000.html', 'deep4000.html');
    is($code, 1, 'text that is lost is a failure');
    like($out, qr/^1 page: .* 1 failed;/, 'so says the summary');
    like($err, qr/deep5000\.html: not all of its text/, 'and the message');
    my $text = slurp('deep/deep5000.txt');
    is($text, substr($lines->(5000), 0, length $text), 'what there is of it is its beginning');
    cmp_ok($text =~ tr/\n//, '>', 4000, 'and much of it');
    is(slurp('deep/deep4000.txt'), $lines->(4000) . "end\n", 'the next page does not suffer');
};

subtest 'names of the output' => sub {
    mkdir 'a';
    mkdir 'b';
    spew('a/x.html', page(1));
    spew('b/x.html', page(2));
    spew('b/x.htm', page(2));
    my @args = ('clean', '--mode', 'strip', '--site', 's', '--out', 'same');
    usage_is([@args, 'a/x.html', $pages[0], 'b/x.html'],
        qr{a/x\.html and b/x\.html would both be written to same/x\.html}, 'two of one name');
    usage_is([@args, 'a/x.html', 'b/x.htm'], qr{a/x\.html and b/x\.htm would}, '.html and .htm');
    usage_is([@args, 'a/x.html', 'a/x.html'], qr{a/x\.html and a/x\.html would}, 'one file twice');
    ok(!-e 'same', 'nothing was written');
    usage_is([clean_args('strip', 'a'), 'a/x.html'], qr{over the input a/x\.html}, 'over itself');
    usage_is([clean_args('strip', 'a/../a'), './a/x.html'], qr{over the input}, 'by another path');
    is(slurp('a/x.html'), page(1), 'the input is as it was');
    my ($code) = run(qw(clean --mode text --site s --out a a/x.html));
    is($code, 0, 'text beside the page is fine');
    ok(-e 'a/x.txt', 'a/x.txt');
    spew('a/index.php', page(3));
    spew('a/V1.2', page(3));
    spew('a/UP.HTM', page(4));
    run(@args, 'a/index.php', 'a/V1.2', 'a/UP.HTM');
    is(names('same'), 'UP.html V1.2.html index.php.html', 'only suffixes of HTML are replaced');
    spew('plain', '');
    my $err;
    ($code, undef, $err) = run(qw(clean --mode strip --site s --out plain), @pages);
    is($code, 1, '--out names a file: exit code 1');
    like($err, qr/--out plain: /, '--out names a file: the message');
};

# Big pages between small ones, so that threads are done in another order than they began.
subtest 'jobs, and stores that learn many pages at once' => sub {
    mkdir 'mixed' or die $!;
    my @many = map { sprintf 'mixed/p%02d.html', $_ } 1 .. 40;
    spew($many[$_ - 1], page($_, "<p>Story number $_ tells of this.</p>" x ($_ % 3 ? 1 : 1000))) for 1 .. 40;
    spew($many[20], '');
    my (%seen, $stores);
    for my $how (map { my $detector = $_; map { ["$detector annotate", @$_], ["$detector json", @$_] } [], ['-2'] }
        'incremental', 'auto') {
        my ($detector, $mode, @two) = map { split } @$how;
        for my $jobs (1, 2, 7) {
            for my $store ([], ['--store', 'lmdb:jobs-store' . ++$stores]) {
                my ($code, $out, $err) = clean($mode, 'jobs', '--detector', $detector, @two, '-j', $jobs, @$store,
                    @many[0 .. 9], 'missing.html', @many[10 .. 39]);
                my $is = join "\n", $code, $out =~ s/[\d.]+ s$//r, $err, map { "$_:" . slurp("jobs/$_") } split / /, names('jobs');
                $seen{"@$how"} //= $is;
                ok($is eq $seen{"@$how"}, "@$how: the same with $jobs jobs" . (@$store ? ' and a store' : ''));
                unlink glob 'jobs/*';
            }
        }
    }
    like(substr($seen{'incremental annotate'}, 0, 300),
        qr/^1\n39 pages: 35 edited, 0 declined; 2 failed;.*\n\ntmplctl: missing.*\ntmplctl: .*p21\.html: is empty\n/,
        'counts and messages go by the order of files');
};

subtest 'lists of files' => sub {
    my $list = join '', map { "$_\n" } @pages;
    spew('list', "\r\n" . $list);
    my @args = qw(clean --mode strip --site s --out);
    for my $how (['--files-from', 'list'], ['--files-from', '-'], ['-'], ['--files-from=list']) {
        my ($code, $out) = feed($list, @args, 'listed', @$how);
        is($code, 0, "@$how");
        like($out, qr/^12 pages: 8 edited/, "@$how: all pages, in order");
    }
    my ($code, $out, $err) = feed('', @args, 'listed', '--files-from', 'nolist');
    is($code, 2, 'a list that is not there');
    like($err, qr/nolist: No such file/, 'its name and the reason');
    ($code, $out, $err) = feed("pages/p01.html\n" . 'x' x 9000 . "\n", @args, 'listed', '-');
    is($code, 2, 'a name too long');
    is($err, "tmplctl: (standard input): line 2: a name of more than 8192 bytes\n", 'a name too long: the message');
    for my $zero ("pages/p01.html\0pages/p02.html\0", "\0") {
        ($code, $out, $err) = feed($zero, @args, 'listed', '-');
        is($code, 2, 'names with zero bytes between: exit code');
        is($err, "tmplctl: (standard input): line 1: a zero byte: there must be one name a line\n", 'and the message');
    }
    ($code, $out) = feed("pages/p01.html", @args, 'listed', '-');
    like($out, qr/^1 page: /, 'no newline at the end');
    ($code, $out) = feed('', @args, 'listed', '--', @pages[0, 1]);
    like($out, qr/^2 pages: /, 'files behind --');
    ($code, $out) = feed('', 'clean', @pages[0, 1], @args[1 .. 4], '--out', 'listed', $pages[2]);
    like($out, qr/^3 pages: /, 'options between files');
};

subtest 'options reach the library' => sub {
    my @args = (qw(clean --mode strip --site s --out opt));
    my ($code, $out) = run(@args, '--min-df', 3, @pages);
    like($out, qr/^12 pages: 10 edited/, '--min-df');
    ($code, $out) = run(@args, '--ratio', 1, @pages);
    like($out, qr/^12 pages: 0 edited/, '--ratio');
    ($code, $out) = run(@args, '-2', '--keep', '#nav', '--keep', '.foot', @pages);
    like($out, qr/^12 pages: 0 edited/, '--keep');
    run(@args, '-2', '--keep', '#nav', @pages);
    like(slurp('opt/p05.html'), qr/About this site.*Story number 5/s, '--keep keeps one');
    unlike(slurp('opt/p05.html'), qr/Copyright/, 'and not the other');
    run(@args, '--drop', 'h1', @pages);
    ($code, $out) = run(@args, '--drop', '#main', @pages[0, 1]);
    unlike(slurp('opt/p01.html'), qr/Story/, '--drop');
    ($code, $out) = run(@args, '-2', '--min-keep', 0.9, @pages);
    like($out, qr/^12 pages: 0 edited, 12 declined \(min-keep 12\)/, '--min-keep');
    ($code, $out) = run(@args, '--separators', 'table', @pages);
    like($out, qr/^12 pages: 0 edited/, '--separators: one block a page is content');
    ($code, $out) = run(@args, '--lifetime', '1,1', @pages);
    like($out, qr/^12 pages: 8 edited/, '--lifetime 1,1 is enough for what is on every page');
};

subtest 'detectors' => sub {
    my @auto = ('--detector', 'auto', '--model', "$root/tests/models/one.trees");
    my ($code, $out, $err) = clean('strip', 'links', @auto, $pages[0]);
    is($code, 0, 'auto: exit code 0') or diag $err;
    is(slurp('links/p01.html'), page(1) =~ s/\Q$frame\E//r, 'auto: what its model says, on the first page');
    clean('json', 'links', @auto, '--ratio', 0.99, $pages[0]);
    my $found = decode_json(slurp('links/p01.json'));
    is($found->{detector}, 'auto', 'its name');
    is(scalar(grep { $_->{template} } @{ $found->{blocks} }), 0, '--ratio is the threshold');
    my %ratios;
    for my $smoothing (qw(off max min on)) {
        clean('json', "smooth-$smoothing", '--detector', 'pagelevel', '--smoothing', $smoothing, $pages[0]);
        $found = decode_json(slurp("smooth-$smoothing/p01.json"));
        is($found->{detector}, 'pagelevel', "pagelevel, --smoothing $smoothing");
        $ratios{$smoothing} = join ' ', map { $_->{ratio} } @{ $found->{blocks} };
    }
    isnt($ratios{off}, $ratios{$_}, "$_ is not off") for qw(max min);
    is($ratios{on}, $ratios{min}, 'on is min');
    for (['', qr/the end of the file/], ["tmpl-trees 1\nthreshold 2\n", qr/line 2: threshold is not a number of 0 to 1: 2/]) {
        spew('bad.model', $_->[0]);
        usage_is([clean_args('strip', 'never'), '--detector', 'auto', '--model', 'bad.model', $pages[0]],
            qr/clean: --model: bad\.model: .*$_->[1]/, 'a bad model');
    }
    ($code, $out) = run('segments', @auto, $pages[0]);
    is($code, 0, 'segments without a store');
    like($out, qr/^ *0 +\d+-\d+ +\d+ +0\.95  template /m, 'has the verdicts of the first page');
    ($code, $out, $err) = feed_as_is('', clean_args('json', 'default'), $pages[0]);
    is(decode_json(slurp('default/p01.json'))->{detector}, 'auto', 'the default');
};

subtest 'a store that stays' => sub {
    my @store = ('--store', 'lmdb:db');
    my @args = (qw(clean --mode strip --site s --out st), @store);
    my ($code, $out, $err) = run(@args, @pages[0 .. 5]);
    is($code, 0, 'exit code 0') or diag $err;
    ($code, $out) = run(@args, @pages[6 .. 11]);
    like($out, qr/^6 pages: 6 edited/, 'a second run knows what the first has learnt');
    ($code, $out) = run(@args, @pages);
    like($out, qr/^12 pages: 12 edited/, 'pages seen before are judged');
    ($code, $out) = run('stats', @store);
    is($code, 0, 'stats');
    my ($titles, @rows) = map { [split] } split /\n/, $out;
    is("@$titles", 'site pages entries live template bytes version', 'titles');
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
    is($code, 1, 'a site that is not there: exit code 1');
    like($err, qr/the store knows no site "nosite"/, 'a site that is not there: the message');
    is($out, '', 'a site that is not there: no table');
    ($code, $out, $err) = run('forget', 'nosite');
    is($code, 1, 'forget what is not there');
    like($err, qr/no site "nosite"/, 'forget what is not there: the message');
    ($code) = run('forget', 's');
    is($code, 0, 'forget');
    ($code, $out) = run('stats');
    is(scalar(split /\n/, $out), 1, 'and it is gone');
    ($code, $out, $err) = run(@args[0 .. 6], '--store', 'lmdb:/proc/nowhere/db', $pages[0]);
    is($code, 1, 'a store that cannot be opened: exit code 1');
    like($err, qr/lmdb:\/proc\/nowhere/, 'a store that cannot be opened: the message');
};

subtest 'segments' => sub {
    my ($code, $out, $err) = run('segments', $pages[0]);
    is($code, 0, 'exit code 0');
    like($out, qr/^\d+ nodes, 3 blocks, \d+ segments, \d+ keys, length \d+\n\n/, 'the head');
    my @lines = split /\n/, (split /\n\n/, $out)[1];
    like($lines[0],
        qr/^block +segment +bytes +length +DF +ratio +verdict +key +node path +text$/,
        'titles');
    my $source = page(1);
    my $key_at = index $lines[0], 'key';
    for (grep { /[0-9a-f]{16}/ } @lines) {
        is(index($_, (/([0-9a-f]{16})/)[0]), $key_at, 'columns are aligned') if /Home/;
        my ($from, $to, $length, $text) = /(\d+)-(\d+) +(\d+) .*? [0-9a-f]{16}  \S+ +(.*)/;
        my $bytes = substr $source, $from, $to - $from;
        $bytes =~ s/^\s+|\s+$//g;
        is($bytes, $text, "the span of \"$text\"");
    }
    run(qw(clean --mode strip --site s --out seg --store lmdb:segdb), @pages);
    ($code, $out) = run(qw(segments --store lmdb:segdb --site s), $pages[0]);
    like($out, qr/; 12 pages seen, warm$/m, 'what the store knows of the site');
    like($out, qr/^ *\d+ +\d+-\d+ +\d+ +1\.00  template  /m, 'verdict of a block');
    like($out, qr/^ *\d+ +\d+-\d+ +\d+ +$n  .*About this site$/m, 'DF of a segment');
    like($out, qr/^ *\d+ +\d+-\d+ +\d+ +1  .*Title 1$/m, 'DF of content');
    ($code, $out) = run('stats', '--store', 'lmdb:segdb', 's');
    like($out, qr/^s +12 /m, 'nothing was learnt');
    ($code, $out, $err) = run('segments', 'utf16.html');
    is($code, 1, 'declined: exit code 1');
    like($err, qr/utf16\.html: declined: charset \(/, 'declined: the reason');
    ($code, $out, $err) = run('segments', 'missing.html');
    is($code, 1, 'missing: exit code 1');
    like($err, qr/missing\.html: No such file/, 'missing: the message');
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
        map { join ' ', (split ' ', (run('stats', '--store', @$_))[1])[8 .. 11] }
        ['lmdb:from', 's'], ['lmdb:to', 'other'];
    is($got, $want, 'the same figures');
    my ($c1, $o1) = run(qw(clean --mode strip --site other --out imp --store lmdb:to), @pages);
    like($o1, qr/^12 pages: 12 edited/, 'what was imported is used');
    is(slurp('imp/p07.html'), slurp('exp/p07.html'), 'to the same effect');
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
        'no input' => ['', 1, qr/head is missing/],
        'no JSON' => ["hello\n", 1, qr/./],
        'an array' => ["[]\n", 1, qr/no JSON object/],
        'another format' => [qq({"format": "x"}\n), 1, qr/"format" is not "tmpl-table"/],
        'a newer version' =>
            [$h =~ s/"version": 1/"version": 2/r, 1, qr/"version" is not in 1\.\.1/],
        'no pages' => [$h =~ s/"pages"/"pagez"/r, 1, qr/"pages" is missing/],
        'cut short' => [$h . $e, 3, qr/the end, after 1 of 2 entries/],
        'cut within a line' => [$h . $e . substr($second, 0, 30), 3, qr/./],
        'too long' => [$h . $e . $second . $lines[3], 4, qr/more entries than the head says/],
        'a kind unknown' => [$h . $e =~ s/"kind": "\w+"/"kind": "word"/r, 2, qr/"kind"/],
        'a short key' => [$h . $e =~ s/"key": "./"key": "/r, 2, qr/"key" is not 16/],
        'a key that is none' => [$h . $e =~ s/"key": "./"key": "x/r, 2, qr/"key" is not 16/],
        'DF 0' => [$h . $e =~ s/"df": \d+/"df": 0/r, 2, qr/"df" is not in 1\.\./],
        'seen in the future' =>
            [$h . $e =~ s/"last": \d+/"last": 13/r, 2, qr/"last" is not in 0\.\.12/],
        'a large fingerprint' => [$h . "$one, \"seen\": [65536]}\n", 2, qr/"seen"/],
        'more fingerprints than DF' => [$h . "$one, \"seen\": [1, 2]}\n", 2, qr/"seen"/],
        'a key twice' => [$h . $e . $e, 3, qr/given before/],
        'a member twice' => [$h . qq({"kind": "segment", "kind": "segment"}\n), 2, qr/./],
        'an endless line' => [$h . ' ' x 10000 . "\n", 2, qr/too long/],
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
    is($code, 1, 'nothing was imported of them');
    ($code, undef, $err) = run(qw(export --store lmdb:to s));
    is($code, 1, 'export of what is not there');
    like($err, qr/no site "s"/, 'export of what is not there: the message');
    my $path = qq({"kind": "path", "key": "00000000000000ff", "df": 3, "last": 4, )
        . qq("text": 4294967295, "repeated": 70});
    my $paths = '{"format": "tmpl-table", "version": 1, "site": "p", "pages": 4, '
        . qq("table_version": 0, "entries": 1}\n$path\n);
    ($code, undef, $err) = feed($paths, qw(import --store lmdb:paths p));
    is($code, 0, 'import of a path') or diag $err;
    is((run(qw(export --store lmdb:paths p)))[1], $paths, 'and its export: the same line');
    ($code, undef, $err) =
        feed($paths =~ s/"text": \d+/"text": 69/r, qw(import --store lmdb:paths p));
    is($code, 1, 'more repeated than text');
    like($err, qr/line 2: "repeated" is not in 0\.\.69/, 'the reason');
};

SKIP: {
    my ($server) = grep { -x } map { "$_/redis-server" } split /:/, "$ENV{PATH}:/usr/bin";
    skip 'no redis-server', 1 unless defined $server;
    subtest 'redis' => sub {
        my $pid = spawn('redis-server', sub {
            open STDOUT, '>', 'redis.log';
            exec $server, qw(--port 0 --save), '', '--unixsocket', "$dir/redis.sock", '--dir', $dir;
        });
        # its socket is there before it listens
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
        is($code, 1, 'no server: exit code 1');
        like($out, qr/^12 pages: 0 edited, 12 declined \(store 12\)/, 'no server: all written');
        is(scalar(() = $err =~ /store: /g), 1, 'no server: said once');
        is(slurp('noredis/p12.html'), page(12), 'no server: a page is as it was');
    };
}

# --- what a name, a stream or a place may be ---

# Where standard output or error is closed, the next file that is opened gets its number.
subtest 'closed streams' => sub {
    my @args = (qw(clean --mode strip --detector incremental --site s --out closed --store));
    my ($code, $out, $err) = redirected('2>&-', @args, 'lmdb:closed1', 'missing.html', @pages);
    is($code, 1, 'standard error: exit code');
    like($out, qr/^12 pages: 8 edited, 0 declined; 1 failed;/, 'standard error: the summary');
    is_deeply([grep { slurp($_) =~ /missing/ } glob 'closed1/*'], [], 'standard error: no message in the store');
    redirected('', @args, 'lmdb:closed2', @pages);
    my ($table) = (run(qw(export --store lmdb:closed2 s)))[1];
    is((run(qw(export --store lmdb:closed1 s)))[1], $table, 'standard error: what has been learnt');
    for my $command (['export', 's'], ['stats']) {
        ($code, $out, $err) = redirected('>&-', @$command, '--store', 'lmdb:closed1');
        is($code, 1, "standard output, $command->[0]: exit code");
        like($err, qr/standard output: (?:Bad file descriptor|not written)$/, 'the message');
    }
    ($code, $out, $err) = redirected('<&-', qw(import --store lmdb:closed1 s));
    is($code, 1, 'standard input, import: exit code');
    is($err, "tmplctl: import: s: standard input: Bad file descriptor\n", 'the message');
    ($code, $out, $err) = redirected('<&-', @args, 'lmdb:closed1', '-');
    is($code, 2, 'standard input, a list of files: exit code');
    like($err, qr/^tmplctl: \(standard input\):.* Bad file descriptor$/, 'the message');
    is((run(qw(export --store lmdb:closed1 s)))[1], $table, 'and the store is as it was');
};

subtest 'standard output that takes nothing' => sub {
    plan skip_all => 'no /dev/full' if !-c '/dev/full';
    my @args = (qw(--detector incremental --site s --store lmdb:closed1));
    for my $command (['--help'], ['clean', '--help'], ['segments', @args, $pages[0]], ['stats', @args[4, 5]], ['export', @args[4, 5], 's'],
        ['clean', qw(--mode text --out full), @args, @pages]) {
        my ($code, undef, $err) = redirected('>/dev/full', @$command);
        is($code, 1, "$command->[0]: exit code");
        like($err, qr/^tmplctl: .*standard output: .+\n\z/, "$command->[0]: the message");
    }
    is(names('full') =~ tr/ //, $n - 1, 'pages are written, though nobody can be told');
};

subtest 'control characters in names' => sub {
    my $name = "new\nline\e[31m\\";
    spew("$name.html", page(1));
    my ($code, $out, $err) = clean('fingerprint', 'control', "$name.html", "none\n\x7f\xc2\x9b\xc3\xa9");
    is($code, 1, 'exit code');
    is($err, "tmplctl: none\\x0a\\x7f\\xc2\\x9b\xc3\xa9: No such file or directory\n", 'a message is one line, and harmless');
    like(slurp("control/$name.txt"), qr/^\\[0-9a-f]{16}  new\\nline\e\[31m\\\\\.html\n\z/, 'a fingerprint, too, as sha256sum writes it');
    clean('json', 'control', "$name.html");
    is(decode_json(slurp("control/$name.json"))->{file}, "$name.html", 'JSON');
    run(qw(clean --mode text --out control --store lmdb:control), '--site', $name, "$name.html");
    ($code, $out) = run(qw(stats --store lmdb:control));
    like($out, qr/\A.*\nnew\\x0aline\\x1b\[31m\\ +1 .*\n\z/, 'a row of stats');
    ($code) = run(qw(forget --store lmdb:control), $name);
    is($code, 0, 'the name itself is what other commands know');
};

subtest 'columns' => sub {
    my ($code, $out) = run('--help');
    my %at = map { /^(  \w+ +\S+ +)/ ? (length $1 => 1) : () } split /\n/, $out;
    is(scalar keys %at, 1, 'summaries of commands begin in one column') or diag $out;
    run(qw(clean --mode text --out columns --store lmdb:columns), '--site', $_, $pages[0])
        for "m\xc3\xbcnchen.example", "bytes\xff.example", 'plain.example';
    ($code, $out) = run(qw(stats --store lmdb:columns));
    %at = map { /^(\S+ +\S+)/ ? (length($1 =~ s/\xc3\xbc/u/r) => 1) : () } split /\n/, $out;
    is(scalar keys %at, 1, 'so do figures, whatever characters a name has') or diag $out;
};

subtest 'a store that is not there' => sub {
    for my $command (['stats'], ['stats', 's'], ['export', 's'], ['forget', 's'], ['segments', '--site', 's', $pages[0]]) {
        my ($code, $out, $err) = run(@$command, '--store', 'lmdb:nowhere');
        is("$code $out", '1 ', "@$command: exit code");
        is($err, "tmplctl: $command->[0]: lmdb:nowhere: there is no store: No such file or directory\n", "@$command: the message");
    }
    ok(!-e 'nowhere', 'nor is one made');
    my ($code, undef, $err) = run(qw(clean --mode text --site s --out text --store), "lmdb:$pages[0]", $pages[0]);
    is("$code $err", "1 tmplctl: clean: lmdb:$pages[0]: cannot open: Not a directory\n", 'a file for a store');
};

# What root makes for a server is of use to the server.
SKIP: {
    skip 'not root: nobody else to own a directory', 1 if $> != 0;
    subtest "a directory of another user's" => sub {
        chmod 0755, $dir;
        mkdir 'others', 0700 or die $!;
        my (undef, undef, $uid, $gid) = getpwnam 'nobody' or die 'no user nobody';
        chown $uid, $gid, 'others' or die $!;
        my ($code, $out, $err) = run(qw(clean --mode text --site s --out text --store lmdb:others), @pages);
        is("$code $err", '0 ', 'a store is made');
        is(names('others'), 'data.mdb lock.mdb writer.lock', 'of files');
        is(join(' ', map { join ':', (stat)[4, 5] } glob 'others/*'), join(' ', ("$uid:$gid") x 3), 'that are the owner\'s');
        is(join(':', (stat 'text/p01.txt')[4, 5]), "$>:" . (split ' ', $))[0], 'and pages are not');
    };
}

subtest 'what is no file is not replaced' => sub {
    mkdir 'special';
    POSIX::mkfifo('special/p01.html', 0600) or die $!;
    symlink 'p01.html', 'special/p02.html' or die $!;
    my ($code, $out, $err) = clean('strip', 'special', @pages[0 .. 2]);
    is($code, 1, 'exit code');
    like($out, qr/^1 page: .* 2 failed;/, 'the summary');
    is($err, join('', map { "tmplctl: $_: not written: " . s/pages/special/r . ": is there, and is no regular file\n" } @pages[0, 1]), 'the messages');
    ok(-p 'special/p01.html' && -l 'special/p02.html', 'they are what they were');
};

# --- signals and terminals ---

# What waits for its input has nothing to finish.
subtest 'signals while input is awaited' => sub {
    for my $args ([qw(import --store lmdb:closed1 s)], [clean_args('strip', 'never'), '-']) {
        pipe my $in, my $out or die $!;
        my $pid = spawn($args->[0], sub { open STDIN, '<&', $in; close $out; exec $tool, @$args });
        syswrite $out, '{';
        close $in;
        # FIONREAD: bytes that nobody has read
        ok(wait_for { my $left = pack 'i', 1; ioctl($out, 0x541B, $left) && unpack('i', $left) == 0 }, "$args->[0]: it reads");
        kill 'INT', $pid;
        ok(wait_for { waitpid($pid, POSIX::WNOHANG()) == $pid }, "$args->[0]: it ends");
        is($? & 127, POSIX::SIGINT(), "$args->[0]: of the signal");
    }
};

subtest 'signals' => sub {
    mkdir 'many';
    spew("many/$_.html", page($_, "<p>Page $_ says this.</p>" x 40)) for 1 .. 3000;
    for my $signal (qw(INT TERM)) {
        my ($out, $said, $tries);
        # a run may end before its signal comes: then it is another's turn
        do {
            $out = "many-$signal-" . ++$tries;
            my $pid = open3(my $in, my $o, my $e = gensym, $tool, clean_args('strip', $out), '-2', '-j',
                { INT => 1, TERM => 4 }->{$signal}, map { "many/$_.html" } 1 .. 3000);
            ok(wait_for { -d $out }, "$signal: it has begun");
            kill $signal, $pid;
            $said = do { local $/; <$e> };
            waitpid $pid, 0;
        } until $? & 127 || $tries == 30;
        is($? & 127, { INT => 2, TERM => 15 }->{$signal}, "$signal: it dies of the signal");
        like($said, qr/interrupted: \d+ of 3000/, "$signal: and says how far it came");
        opendir(my $d, $out) or die $!;
        is(scalar(grep { /^\.tmplctl/ } readdir $d), 0, "$signal: no half file is left");
    }
};

# 270 KiB for LMDB's files: enough for a few hundred pages.
subtest 'a store that is full' => sub {
    my $limited = q{trap '' XFSZ; ulimit -f 540; exec "$@" >full.out 2>full.err};
    system 'sh', '-c', $limited, 'sh', $tool, clean_args('strip', 'full'), '--detector', 'incremental',
        '--store', 'lmdb:full-store', '--lifetime', '10000,20', map { "many/$_.html" } 1 .. 3000;
    is($? >> 8, 1, 'exit code');
    like(slurp('full.out'), qr/^3000 pages: 2996 edited, 0 declined; 0 failed;/, 'every page is written, most are edited');
    like(slurp('full.err'), qr{^tmplctl: many/\d+\.html: store: lmdb:.*\n\z},
        'the first that is not learnt is named, and no other');
    my ($code, $out) = run('stats', '--store', 'lmdb:full-store', 's');
    my ($learnt) = $out =~ /^s +(\d+) /m;
    my ($named) = slurp('full.err') =~ m{many/(\d+)};
    ok($learnt > 16 && $learnt < 3000, 'some are learnt') or diag $out;
    cmp_ok($learnt, '>=', $named - 1, 'those before it are learnt, though it came among sixteen');
    unlike(slurp('full/3000.html'), qr/Copyright Somebody/, 'the last is judged by what was learnt');
};

# A disk that has no room for a byte.
SKIP: {
    my $mount = q{mount -t tmpfs -o size=64k none disk && cat /dev/zero >disk/zero 2>mount.err; test -s disk/zero && exec "$@" >full.out 2>full.err};
    mkdir 'disk' or die $!;
    my @in = (qw(unshare --map-root-user --mount sh -c), $mount, 'sh');
    skip 'no file system of its own can be mounted', 1 if system(@in, 'true') != 0;
    subtest 'a disk that is full' => sub {
        for my $command (['import', 's'], [clean_args('text', 'text'), @pages], [qw(warm http://127.0.0.1:9/)]) {
            my $status = system @in, $tool, @$command, '--store', 'lmdb:disk/store';
            is($status, 1 << 8, "$command->[0]: exit code");
            is(slurp('full.err'), "tmplctl: $command->[0]: lmdb:disk/store: cannot open: the disk is full\n", 'the message');
        }
        my $status = system @in, $tool, clean_args('text', 'disk/out'), $pages[0];
        is($status, 1 << 8, 'no room for a page: exit code');
        is(slurp('full.err'), "tmplctl: $pages[0]: not written: disk/out/p01.txt: No space left on device\n", 'the message');
    };
}

SKIP: {
    my ($script) = grep { -x } map { "$_/script" } split /:/, $ENV{PATH};
    skip 'no script(1) for a terminal', 1 unless defined $script;
    my $probe = `LC_ALL=C $script -qec true /dev/null </dev/null 2>&1`;
    skip "no terminal: $1", 1 if $probe =~ /(failed to create pseudo-terminal.*)/;
    subtest 'on a terminal' => sub {
        my $command = join ' ', $tool, clean_args('strip', 'tty'), qw(--detector incremental), @pages, 'missing.html';
        my $out = `$script -qec "$command" /dev/null </dev/null 2>&1`;
        like($out, qr/\r.?cleaning \[[#.]{40}\] \d+\/13/, 'a progress bar');
        like($out, qr/\e\[Ktmplctl: missing\.html/, 'makes room for messages');
        like($out, qr/\e\[K12 pages: 8 edited/, 'and goes before the summary');
        for my $case ([30, qr/cleaning \[[#.]{13}\] 0\/13/], [10, qr/0\/13/], [4, qr/0\/1/]) {
            my ($columns, $bar) = @$case;
            $out = `$script -qec "stty cols $columns; $command" /dev/null </dev/null 2>&1`;
            like($out, qr/\A\r$bar\r/, "a terminal of $columns columns: it stays in its line");
        }
    };
}

done_testing();
