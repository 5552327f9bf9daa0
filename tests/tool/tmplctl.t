#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# The command line tool on pages: help, usage, and every mode of clean. The man page must agree with --help.
use strict;
use warnings;

use FindBin;
use Encode qw(encode decode);
use JSON::PP;
use POSIX ();
use Test::More;

use lib "$FindBin::Bin/../lib", "$FindBin::Bin/../../t/lib";
use Tmplctl;

# --- help and usage ---

subtest 'help, version, man page' => sub {
    my ($code, $out, $err) = run('--help');
    is($code, 0, '--help');
    like($out, qr/^  $_ /m, "--help lists $_") for qw(clean explain template stats forget export import train warm warc);
    ($code, $out) = run('--version');
    is($code, 0, '--version');
    like($out, qr/^tmplctl \d+\.\d+\.\d+\n\z/, '--version prints it');
    my $man = slurp("$root/docs/tmplctl.1") // '';
    $man =~ s/\\-/-/g;
    is_deeply([run('help')], [run('--help')], 'help');
    is_deeply([run('-V')], [run('--version')], '-V');
    my ($synopsis) = $man =~ /^\.SH SYNOPSIS\n(.*?)^\.SH/ms;
    for my $command ((run('help'))[1] =~ /^  ([a-z]+) /mg) {
        is_deeply([run('help', $command)], [run($command, '--help')], "help $command");
        like($synopsis, qr/\b$command\b/, "the synopsis of the man page has $command");
    }
    usage_is(['help', 'frob'], qr/^tmplctl: unknown command "frob" \("tmplctl help" lists the commands\)$/m, 'help of an unknown command');
    my ($exit) = $man =~ /^\.SH EXIT STATUS\n(.*?)^\.SH/ms;
    like($exit, qr/^\.B $_$/m, "the man page has exit code $_") for 0 .. 4;
    like((run('clean', '--help'))[1], qr/Exit code 3: /, 'clean --help has exit code 3');
    ($code, $out, $err) = run(qw(clean --mode none --site s --out none), 'x');
    my ($modes) = $err =~ /is not one of (.*)/;
    my ($help) = (run('clean', '--help'))[1];
    for my $mode (split /, /, $modes // 'no modes in the message') {
        like($help, qr/\b$mode\b/, "clean --help names $mode");
        like($man, qr/^\.B $mode$/m, "the man page explains $mode");
        like($man, qr/^\.BI "-m, --mode " MODE\n.*\b$mode\b/m, "the man page has $mode among the values of --mode");
    }
    for my $command (qw(clean explain template stats forget export import train warm warc)) {
        ($code, $out, $err) = run($command, '--help');
        is($code, 0, "$command --help");
        is($err, '', "$command --help prints nothing to standard error");
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
    usage_is(['frob'], qr/^tmplctl: unknown command "frob" \(/, 'unknown command');
    usage_is(['clean', '--frob'], qr/invalid option: --frob/, 'unknown option');
    usage_is(['stats', '--mode', 'x'], qr/invalid option: --mode/, 'option of another command');
    usage_is(['clean', '--mode'], qr/missing argument: --mode/, 'option without its value');
    usage_is(['warc', @pages], qr/--mode MODE is missing/, 'no mode');
    usage_is(['clean', @ok[0 .. 1, 4 .. 5], '--store', 'lmdb:never', @pages], qr/--site KEY is missing/, 'a store and no site');
    usage_is(['clean', @ok[0 .. 3], @pages], qr/standard output is for one page: 12 inputs need --out DIR$/m, 'no out');
    usage_is(['clean', @ok], qr/^tmplctl: clean: no FILE given: name files, or a list with --files-from LIST$/m, 'no file');
    usage_is(['clean', @ok, ''], qr/argument is empty/, 'an empty name');
    usage_is(['clean', '--mode', 'shred', @ok[2 .. 5], @pages],
        qr/^tmplctl: clean: --mode: "shred" is not one of annotate, strip, highlight, text, markdown, reader, json, blocks, fingerprint, keys$/m, 'unknown mode');
    usage_is(['clean', '--site', '', @pages], qr/--site: KEY must not be empty/, 'an empty site');
    usage_is(['clean', '--site', 'x' x 256, @pages], qr/--site: KEY must not be longer than 255 bytes/, 'a site key that is too long');
    my %bad = (
        detector => [[qw(wang), ''], qr/--detector: must be incremental, style, pagelevel or auto, not/],
        smoothing => [[qw(yes), ''], qr/--smoothing: must be off, max, min or on, not/],
        model => [["$root/tests/models/one.trees"], qr/one\.trees is one for --detector auto/],
        jobs => [['0', '257', '-1', 'x', ''], qr/must be a whole number from 1 to 256, not/],
        'min-df' => [[qw(1 65 x 5.5 -3), ''], qr/--min-df: must be a whole number from 2 to 64, not/],
        ratio => [[qw(-0.1 1.1 x nan 101% 1e-1), ''], qr/must be a number from 0 to 1, or from 0% to 100%, not/],
        parts => [['text', 'template', 'body,+qa', ''], qr/--parts: must be names of parts \(all, headline, .* not/],
        mark => [[qw(nosuch data- data-pagefind-body), '<!--a-->'], qr/--mark: must be up to 16 of data-tmpl, parts, pagefind,/],
        'min-confidence' => [[qw(2 -1 0.5x)], qr/must be a number from 0 to 1, or/],
        'min-keep' => [[qw(2 1e9 0.5x)], qr/must be a number from 0 to 1, or/],
        lifetime => [['5', '0,5', '5,0', 'a,b', '5,5,5', '-1,5', '1000001,1', '1,1001'], qr/Tb, a whole number from 1 to 1000000, and N/],
        separators => [['div frobnicate', '+p frobnicate', '+frobnicate'], qr/must be names of HTML elements.*frobnicate/],
        keep => [['div > > p'], qr/--keep: must be CSS selectors/],
        drop => [['#'], qr/--drop: /],
        secret => [[''], qr/must be a text of one character or more/],
        store => [['mysql:x', 'lmdb:'], qr/--store: ./],
    );
    for my $option (sort keys %bad) {
        my ($values, $like) = @{ $bad{$option} };
        usage_is(['clean', @ok, "--$option", $_, @pages], $like, "--$option '$_'") for @$values;
    }
    usage_is(['clean', @ok, '--separators', ' ', @pages], qr/must be names of HTML elements.*not ""/, 'no separator');
    ok(!-e 'never', 'nothing was written');
    usage_is(['template'], qr/FILE\|URL\|- is missing/, 'template without a file');
    usage_is(['stats'], qr/^tmplctl: stats: no store given: use --store URI or set TMPL_STORE$/m, 'stats without a store');
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
    is($err, '', 'no progress without a terminal');
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
    is_deeply([run('clean', $pages[0])], [run('clean', '--mode', 'strip', $pages[0])], 'the mode is strip unless --mode says another');
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
    my ($code) = clean('blocks', 'json', '-2', @pages);
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
        ok($found->{confidence} > 0 && $found->{confidence} <= 1, 'confidence');
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
    is($code, 1, 'exit code 1, because UTF-16 is declined') or diag $err;
    like($err, qr/\Atmplctl: utf16\.html: no text, declined: charset /, 'the message');
    like($out, qr/^10 pages: .* 1 failed;/, 'the summary counts it');
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
    is($got{broken}, "a\x{fffd}\x{fffd}b \x{fffd}\x{fffd}\n", 'bytes that are not UTF-8');
    is($got{nonsense}, "\x{e4}\n", 'an unknown charset');
    is($got{utf16}, '', 'a page that the parser declined has no text');
    clean('text', 'text2', '-2', @pages);
    is(slurp('text2/p03.txt'),
        "Title 3 Story number 3 tells of thing 3 and of what came of it, 3 times.\n",
        'template is left out');
    clean('blocks', 'text3', 'sjis.html');
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
        plain => '<div>text</div><plaintext>more',
    );
    spew("$_.html", $declined{$_}) for keys %declined;
    my @names = map { "$_.html" } sort keys %declined;
    my ($code, $out) = clean('strip', 'decl', @names);
    is($code, 0, 'exit code 0: a declined page is not a failure');
    like($out, qr/^3 pages: 0 edited, 3 declined \(\w.*\);/, 'the summary gives the reasons');
    is(slurp("decl/$_.html"), $declined{$_}, "$_ is untouched") for sort keys %declined;
    clean('blocks', 'decl', @names);
    is(decode_json(slurp('decl/frames.json'))->{decline}, 'frameset', 'the reason in JSON');
    ($code) = clean('text', 'decl', @names);
    is($code, 1, 'no text: exit code 1');
    is(slurp("decl/$_.txt"), '', "no text of $_") for sort keys %declined;
};

subtest 'names of the output' => sub {
    mkdir 'a';
    mkdir 'b';
    spew('a/x.html', page(1));
    spew('b/x.html', page(2));
    spew('b/x.htm', page(2));
    my @args = ('clean', '--mode', 'strip', '--site', 's', '--out', 'same');
    usage_is([@args, 'a/x.html', $pages[0], 'b/x.html'],
        qr{a/x\.html and b/x\.html have the same output same/x\.html: clean them into different directories}, 'two files of one name');
    usage_is([@args, 'a/x.html', 'b/x.htm'], qr{a/x\.html and b/x\.htm have the same output}, '.html and .htm');
    usage_is([@args, 'a/x.html', 'a/x.html'], qr{a/x\.html and a/x\.html have the same output}, 'one file twice');
    ok(!-e 'same', 'nothing was written');
    usage_is([clean_args('strip', 'a'), 'a/x.html'], qr{a/x\.html: its output a/x\.html would overwrite the input a/x\.html: choose another --out DIR}, 'over itself');
    usage_is([clean_args('strip', 'a/../a'), './a/x.html'], qr{would overwrite the input}, 'over itself by another path');
    is(slurp('a/x.html'), page(1), 'the input is as it was');
    my ($code) = run(qw(clean --mode text --site s --out a a/x.html));
    is($code, 0, 'text beside the page is allowed');
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
    like($err, qr/--out plain: cannot make the directory: Not a directory$/m, '--out names a file: the message');
};

subtest 'lists of files' => sub {
    my $list = join '', map { "$_\n" } @pages;
    spew('list', "\r\n" . $list);
    my @args = qw(clean --mode strip --site s --out);
    for my $how (['--files-from', 'list'], ['--files-from', '-'], ['--files-from=list']) {
        my ($code, $out) = feed($list, @args, 'listed', @$how);
        is($code, 0, "@$how");
        like($out, qr/^12 pages: 8 edited/, "@$how: all pages, in order");
    }
    my ($code, $out, $err) = feed('', @args, 'listed', '--files-from', 'nolist');
    is($code, 2, 'a missing list');
    like($err, qr/nolist: No such file/, 'its name and the reason');
    for my $zero ("pages/p01.html\0pages/p02.html\0", "\0") {
        ($code, $out, $err) = feed($zero, @args, 'listed', '--files-from', '-');
        is($code, 2, 'names with zero bytes between: exit code');
        is($err, "tmplctl: (standard input): line 1: zero byte: the list must have one name per line\n", 'and the message');
    }
    ($code, $out) = feed("pages/p01.html", @args, 'listed', '--files-from', '-');
    like($out, qr/^1 page: /, 'no newline at the end');
    ($code, $out) = feed('', @args, 'listed', '--', @pages[0, 1]);
    like($out, qr/^2 pages: /, 'files after --');
    ($code, $out) = feed('', 'clean', @pages[0, 1], @args[1 .. 4], '--out', 'listed', $pages[2]);
    like($out, qr/^3 pages: /, 'options between files');
};

subtest 'options reach the library' => sub {
    my @args = (qw(clean --mode strip --site s --out opt));
    my ($code, $out) = run(@args, '--min-df', 3, @pages);
    like($out, qr/^12 pages: 10 edited/, '--min-df');
    ($code, $out) = run(@args, '--ratio', 1, @pages);
    like($out, qr/^12 pages: 0 edited/, '--ratio');
    ($code, $out) = run(@args, '--ratio', '100%', @pages);
    like($out, qr/^12 pages: 0 edited/, '--ratio in percent');
    ($code, $out) = run(@args, '-2', '--keep', 'body > #nav, .foot', @pages);
    like($out, qr/^12 pages: 0 edited/, '--keep with a combinator and a list');
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
    ($code, $out) = run(@args, '-2', '--detector', 'auto', '--min-confidence', 1, @pages);
    like($out, qr/^12 pages: 0 edited, 12 declined \(min-confidence 12\)/, '--min-confidence');
    my @annotate = ('clean', '-2', qw(--mode annotate --site s --out opt), @pages);
    run(@annotate, '--mark', 'Pagefind', '--mark', '<!-- off --><!-- on -->');
    like(slurp('opt/p01.html'), qr/<!-- off --><\w+ [^>]*data-pagefind-ignore="">.*<!-- on -->/s, '--mark adds marks');
    unlike(slurp('opt/p01.html'), qr/tmpl/, 'in place of the default');
    run(@annotate);
    like(slurp('opt/p01.html'), qr/ data-tmpl="">/, 'which is data-tmpl');
    spew('text.html', '<div id=main><p>' . 'An article of some sentences. ' x 20 . '</p></div>');
    my @auto = qw(--detector auto --min-keep 0);
    run(@args, @auto, '--parts', $_, 'text.html'),
        is(slurp('opt/text.html') =~ /article/ ? 'stays' : 'goes', /-body$/ ? 'goes' : 'stays', "--parts $_") for 'body', 'all,-body', 'headline, body';
    run(@args, @auto, qw(--parts -body --parts +body text.html));
    like(slurp('opt/text.html'), qr/article/, 'a second --parts changes the first');
    usage_is([@args, qw(--detector style --parts body text.html)], qr/--parts: only --detector auto tells parts apart$/m, '--parts, another detector');
    my (undef, $explained) = run('explain', @auto, qw(--parts -body text.html));
    like($explained, qr/^0  template 0\.\d+, body, cut/m, 'explain names the part');
    like($explained, qr/^    by TmplParts, /m, 'and the rule');
    my ($block) = @{ decode_json((run('explain', '--json', @auto, qw(--parts -body text.html)))[1])->{blocks} };
    is("$block->{part} $block->{rule} $block->{cut}", 'body parts all', 'in JSON, too');
    ($code, $out) = run(@args, '--separators', 'table', @pages);
    like($out, qr/^12 pages: 0 edited/, '--separators: one block a page is content');
    ($code, $out) = run(@args, '--separators', '+p +li', @pages);
    like($out, qr/^12 pages: 8 edited/, '--separators in addition to the default');
    ($code, $out) = run(@args, '--lifetime', '1,1', @pages);
    like($out, qr/^12 pages: 8 edited/, '--lifetime 1,1 is enough for what is on every page');
};

subtest 'detectors' => sub {
    my @auto = ('--detector', 'auto', '--model', "$root/tests/models/one.trees");
    my ($code, $out, $err) = clean('strip', 'links', @auto, $pages[0]);
    is($code, 0, 'auto: exit code 0') or diag $err;
    is(slurp('links/p01.html'), page(1) =~ s/\Q$frame\E//r, 'auto: the verdicts of its model, on the first page');
    clean('blocks', 'links', @auto, '--ratio', 0.99, $pages[0]);
    my $found = decode_json(slurp('links/p01.json'));
    is($found->{detector}, 'auto', 'its name');
    is(scalar(grep { $_->{template} } @{ $found->{blocks} }), 0, '--ratio is the threshold');
    my %ratios;
    for my $smoothing (qw(off max min on)) {
        clean('blocks', "smooth-$smoothing", '--detector', 'pagelevel', '--smoothing', $smoothing, $pages[0]);
        $found = decode_json(slurp("smooth-$smoothing/p01.json"));
        is($found->{detector}, 'pagelevel', "pagelevel, --smoothing $smoothing");
        $ratios{$smoothing} = join ' ', map { $_->{ratio} } @{ $found->{blocks} };
    }
    isnt($ratios{off}, $ratios{$_}, "$_ is not off") for qw(max min);
    is($ratios{on}, $ratios{min}, 'on is min');
    for (['', qr/the end of the file/], ["tmpl-trees 2\nthreshold 2\n", qr/line 2: threshold is not a number of 0 to 1: 2/]) {
        spew('bad.model', $_->[0]);
        usage_is([clean_args('strip', 'never'), '--detector', 'auto', '--model', 'bad.model', $pages[0]],
            qr/clean: --model: bad\.model: .*$_->[1]/, 'a bad model');
    }
    ($code, $out, $err) = feed_as_is('', clean_args('blocks', 'default'), $pages[0]);
    is(decode_json(slurp('default/p01.json'))->{detector}, 'auto', 'the default');
};

done_testing();
