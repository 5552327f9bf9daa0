#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# tmplctl explain and template, and pages that are named by a URL: the output for each block, for a declined page, and
# for bad arguments.
use strict;
use warnings;

use FindBin;
use JSON::PP;
use Test::More;

use lib "$FindBin::Bin/../lib", "$FindBin::Bin/../../t/lib";
use Test::Tmpl::Backend;
use Test::Tmpl::Process qw(free_port);
use Tmplctl;

delete @ENV{qw(http_proxy https_proxy HTTP_PROXY HTTPS_PROXY all_proxy ALL_PROXY)};
my @learnt = ('--store', 'lmdb:learnt', '--site', 's');
my ($code, $out, $err) = run(qw(clean --mode text --out out), @learnt, @pages);
is($code, 0, 'a site is learnt') or diag $err;

# The explanation of a page, decoded.
sub explained {
    my (@args) = @_;
    my ($exit, $json, $said) = run('explain', '--json', @args);
    is($exit, 0, "explain @args: exit code 0") or diag $said;
    return decode_json($json);
}
sub blocks { my ($page) = @_; return map { $_->{text} => $_ } @{ $page->{blocks} } }

subtest 'blocks by repeated text' => sub {
    my $table = sub { (run('export', @learnt[0, 1], 's'))[1] };
    my $before = $table->();
    my $page = explained('--detector', 'incremental', @learnt, $pages[6]);
    is("@$page{qw(file state pages decline threshold)}", "$pages[6] warm $n none 0.7", 'the page');
    is($page->{declined}, undef, 'is not declined');
    my %block = blocks($page);
    my $nav = $block{'Home About this site'};
    is_deeply($nav->{df}, [$n, $n], 'DF');
    is("@$nav{qw(ratio rule cut marked)}", '1 detector all all', 'template: verdict, rule, cut, marked');
    is(substr(slurp($pages[6]), $nav->{span}[0], 4), 'Home', 'bytes');
    like($nav->{path}, qr{^body/div}, 'path');
    my ($main) = grep { $_->{text} =~ /^Title 7/ } @{ $page->{blocks} };
    is_deeply($main->{df}, [1, 1], 'DF of content');
    is("@$main{qw(rule cut marked)}", 'detector none none', 'content stays');
    ok(!exists $main->{features}, 'no features: there are no trees');
    is($table->(), $before, 'nothing is learnt');

    ($code, $out, $err) = run('explain', '--detector', 'incremental', @learnt, $pages[6]);
    is($code, 0, 'as text');
    like($out, qr/^pages\/p07\.html: \d+ bytes, 3 blocks; 2 of them, [\d.]+% of the text, are template\n/, 'the page');
    like($out, qr/^detector incremental: template above 0\.700; confidence 1\.000\nsite s: 12 pages, warm\n/m, 'detector and site');
    like($out, qr/^0  template 1\.000, cut, marked; DF 12; bytes \d+-\d+  body\/div\n    Home About this site\n    by the detector: 1\.000 of its text in segments with DF >= MinDF\n/m,
        'a block');
    like($out, qr/^1  content 0\.000, stays; DF 1; /m, 'content');
};

# base + the contributions of all features are the log odds of the templateness, for every block.
subtest 'features: exact contributions of the trees' => sub {
    for my $args ([$pages[6]], [@learnt, $pages[6]], ["$root/README.md"]) {
        my $page = explained(@$args);
        my ($worst, $order) = (0, 1);
        for my $block (@{ $page->{blocks} }) {
            my ($sum, $last) = ($block->{base} + $block->{rest}, 1e9);
            is(scalar @{ $block->{features} }, 3, 'three features') if $block == $page->{blocks}[0];
            for my $feature (@{ $block->{features} }) {
                $sum += $feature->{by};
                $order &&= abs $feature->{by} <= $last;
                $last = abs $feature->{by};
            }
            my $difference = abs(1 / (1 + exp(-$sum)) - $block->{ratio});
            $worst = $difference if $difference > $worst;
        }
        cmp_ok($worst, '<', 1e-5, "@$args: the sums are exact");
        ok($order, "@$args: the largest first");
        my @first = grep { $_->{name} =~ /^first/ } map { @{ $_->{features} } } @{ $page->{blocks} };
        is(scalar(grep { $_->{name} ne 'first' } @first), 0, "@$args: the last trees add to one feature");
    }
    # one tree with one split: "linked" is all, and both its sides weigh the same
    my $page = explained('--model', "$root/tests/models/one.trees", $pages[0]);
    my %block = blocks($page);
    my ($first, @others) = @{ $block{'Home About this site'}{features} };
    is("@$first{qw(name value by)}", 'linked 1 3', 'a split\'s contribution');
    is(join(' ', map { $_->{by} } @others), '0 0', 'of features that no split tests');
    is($block{'Title 1'}{features}[0]{by}, '-3', 'on the other side');
    is("@{$block{'Title 1'}}{qw(base rest)}", '0 0', 'base and rest');
};

subtest 'rules after the detector' => sub {
    my @args = ('--detector', 'incremental', @learnt);
    my %block = blocks(explained(@args, '--keep', '#nav', '--drop', '#main', '--min-keep', 0, $pages[6]));
    is("@{$block{'Home About this site'}}{qw(rule selector template cut)}", 'keep #nav 0 none', '--keep') or diag explain \%block;
    my ($main) = grep { $_->{text} =~ /^Title 7/ } values %block;
    is("@$main{qw(rule selector template cut)}", 'drop #main 1 all', '--drop');
    is($block{'Home About this site'}{rule}, 'keep', 'keep wins over drop');
    %block = blocks(explained(@args, '--keep', 'aside, #nav', '--keep', 'div', '--min-keep', 0, $pages[6]));
    is($block{'Home About this site'}{selector}, '#nav', 'of a list the one that matches; of several the first');
    ($main) = grep { $_->{text} =~ /^Title 7/ } values %block;
    is("@$main{qw(rule selector)}", 'detector div', 'one that says what the detector says');
    %block = blocks(explained(@args, $pages[6]));
    is($block{'Home About this site'}{selector}, undef, 'no selector matches');
    ($code, $out) = run('explain', @args, '--keep', '#nav', $pages[6]);
    like($out, qr/^0  content 1\.000, stays.*\n.*\n    by TmplKeep #nav, against the detector: 1\.000 of its text/m, 'as text');

    # a headline that the trees call template
    spew('headline.html', '<html><head><title>On the nature of things</title></head><body><div><a href=/a>On the nature of things</a></div>'
        . '<div class="byline"><a href=/x>Titus</a> 2021</div>'
        . join('', map { "<p>Long text number $_ of the article, which goes on and on, and does not end so soon.</p>" } 1 .. 9)
        . '<h1><a href=/b>On the nature of things</a></h1></body></html>');
    my $page = explained('--model', "$root/tests/models/one.trees", 'headline.html');
    my @rules = map { $_->{rule} } @{ $page->{blocks} };
    is($rules[-1], 'headline', 'the headline') or diag "@rules";
    ok(!$page->{blocks}[-1]{template}, 'it is content');
};

subtest 'template that is not cut' => sub {
    my @args = qw(--detector incremental --store lmdb:tabs --site t);
    spew("tab$_.html", '<html><body><div>Copyright Somebody of the whole wide world</div><div><a role=tab href="#p">All of this site</a></div>'
        . "<div id=p>Text $_ of page $_ is here</div></body></html>") for 1 .. 6;
    run(qw(clean --mode text --out out), @args, map { "tab$_.html" } 1 .. 6);
    my %block = blocks(explained(@args, 'tab3.html'));
    is("@{$block{'All of this site'}}{qw(template cut marked uncut)}", '1 none all control', 'the tab of a panel') or diag explain \%block;
    is($block{'Copyright Somebody of the whole wide world'}{uncut}, undef, 'what is cut has no reason');
    ($code, $out) = run('explain', @args, 'tab3.html');
    like($out, qr/^1  template 1\.000, stays, marked; .*\n.*\n.*\n    it stays: it opens a panel that stays$/m, 'as text');
    ($code, $out) = run(qw(clean --mode highlight --out -), @args, 'tab3.html');
    like($out, qr/Template that stays: it opens a panel that stays, by the detector/, 'in mode highlight');
    # a text of its own element is cut though it is more than half of the content; so this is not why it stays
    spew('joined.html', '<html><body>A &am<div id=x>A text that is longer than all other texts of this page are</div>p; B</body></html>');
    %block = blocks(explained(@learnt, '--detector', 'incremental', '--drop', '#x', 'joined.html'));
    is("@{$block{'A text that is longer than all other texts of this page are'}}{qw(rule template cut uncut)}", 'drop 1 none joined', 'the text around it')
        or diag explain \%block;
};

subtest 'declined pages' => sub {
    my %declined = (
        frames => ["<html>\n<head></head>\n<frameset rows=1><frame src=a></frameset></html>", 'frameset', 3, '<frameset rows=1>'],
        plain => ["<div>text</div>\n<plaintext>more", 'plaintext', 2, '<plaintext>'],
        deep => ["<p>a</p>\n" . "<b><i>\n" x 300, 'too-deep', undef, qr/^<[bi]>$/],
        deep_div => ["\n\n" . '<div>' x 600 . 'x', 'too-deep', 3, '<div>'],
        utf16 => ["<html><head>\n<meta charset=utf-7></head><p>x</p>", 'charset', 2, '<meta charset=utf-7>'],
        blank => ["<html>\n</html>\n", 'empty'],
    );
    for my $name (sort keys %declined) {
        my ($html, $reason, $line, $tag) = @{ $declined{$name} };
        spew("$name.html", $html);
        my $page = explained("$name.html");
        my $says = $page->{declined};
        is($page->{decline}, $reason, "$name: reason");
        is($says->{reason}, $reason, "$name: again");
        ($code, $out, $err) = run('explain', "$name.html");
        is($code, 0, "$name: as text");
        if (!defined $tag) {
            is_deeply([sort keys %$says], [qw(reason text)], "$name: no place");
            like($out, qr/^declined: $reason \([^)]*\): nothing is cut or marked$/m, "$name: the message");
            next;
        }
        my ($lines) = (substr($html, 0, $says->{byte}) =~ tr/\n//) + 1;
        is($says->{line}, $line // $lines, "$name: line");
        is($says->{line}, $lines, "$name: the byte is on that line");
        like($says->{tag}, ref $tag ? $tag : qr/^\Q$tag\E$/, "$name: tag");
        is(substr($html, $says->{byte}, length $says->{tag}), $says->{tag}, "$name: byte");
        like($out, qr/^declined: $reason \(.*\) at byte $says->{byte}, line $lines: \Q$says->{tag}\E: nothing is cut or marked$/m, "$name: the message");
    }
    spew('long.html', '<frameset a="' . 'x' x 200 . '">');
    is(length explained('long.html')->{declined}{tag}, 80, 'a long tag is shortened');
    my $page = explained('--detector', 'incremental', @learnt, '--min-keep', '99%', $pages[6]);
    is($page->{declined}{reason}, 'min-keep', 'min-keep');
    is(join(' ', map { $_->{cut} } @{ $page->{blocks} }), 'none none none', 'nothing is cut');
    ok(exists $page->{blocks}[0]{rule}, 'and blocks have their reasons');
};

subtest 'template' => sub {
    my @args = ('template', '--detector', 'incremental', @learnt);
    ($code, $out, $err) = run(@args, $pages[6]);
    is($code, 0, 'exit code') or diag $err;
    is($out, "Home About this site\nCopyright Somebody, all rights reserved\n", 'the text that the site repeats');
    spew('twice.html', page(7) =~ s/(<div class="foot">.*?<\/div>)/$1$1<div>Only here<\/div>/r);
    ($code, $out) = run(@args, 'twice.html');
    is($out, "Home About this site\nCopyright Somebody, all rights reserved\n", 'each text once');
    ($code, $out) = run(@args, '--keep', '#nav', $pages[6]);
    is($out, "Copyright Somebody, all rights reserved\n", '--keep');
    {
        local $ENV{TMPL_STORE} = 'lmdb:learnt';
        ($code, $out) = run(qw(template --site s), $pages[6]);
        is($code, 0, 'TMPL_STORE');
    }
    ($code, $out, $err) = run(qw(template --store lmdb:learnt --site unknown), $pages[6]);
    is($code, 1, 'an unknown site');
    is($err, qq{tmplctl: template: the store has no site "unknown"; it has s\n}, 'the message');
    is($out, '', 'and no text');
    ($code, $out, $err) = run(@args, 'frames.html');
    is($code, 1, 'a declined page');
    like($err, qr/^tmplctl: frames\.html: declined: frameset .* line 3/, 'the message');
    usage_is([@args[0 .. 4], $pages[6]], qr/^tmplctl: template: --site KEY is missing: only a URL tells the site by its host$/m, 'no site');
    usage_is([qw(template --site s), $pages[6]], qr/^tmplctl: template: no store given: use --store URI or set TMPL_STORE$/m, 'no store');
};

subtest 'pages on the web' => sub {
    my %pages = ('/a?b=1' => page(7), '/frames' => slurp('frames.html'));
    my $backend = Test::Tmpl::Backend->new(sub {
        my ($connection, $request) = @_;
        my $html = $pages{ $request->{target} };
        return $connection->respond(302, { Location => '/a?b=1' }, '') if $request->{target} eq '/moved';
        return $connection->respond(200, { 'Content-Type' => 'text/plain' }, 'x') if $request->{target} eq '/text';
        return $connection->respond($html ? 200 : 404, { 'Content-Type' => 'text/html; charset=iso-8859-1' }, $html // '');
    });
    my $at = $backend->url;
    my @store = ('--detector', 'incremental', '--store', 'lmdb:learnt');
    my $page = explained(@store, '--site', 's', "$at/a?b=1");
    is($page->{state}, 'warm', 'explain');
    is($page->{file}, "$at/a?b=1", 'the name');
    is(explained("$at/moved")->{bytes}, length page(7), 'a redirect');
    ($code, $out) = run('template', @store, '--site', 's', "$at/a?b=1");
    is($out, "Home About this site\nCopyright Somebody, all rights reserved\n", 'template');
    ($code, $out) = run(qw(clean --mode text --detector incremental --store lmdb:learnt --site 127.0.0.1 --out out), @pages);
    is(explained(@store, "$at/a?b=1")->{pages}, $n, 'the default of --site is the host');
    my $port = free_port();
    for my $command (['explain'], ['template', '--store', 'lmdb:learnt']) {
        for my $case (["$at/none", 1, 'HTTP 404'], ["$at/text", 1, 'its Content-Type is text/plain, not text/html'],
            ["http://127.0.0.1:$port/", 1, qr/.*connect.*/i], ['ftp://x/y', 2, qr/.*ftp.*/]) {
            my ($url, $exit, $why) = @$case;
            ($code, $out, $err) = run(@$command, $url);
            is("$code $out", "$exit ", "$command->[0] $url: exit code");
            like($err, qr/^tmplctl: (?:\Q$url\E|$command->[0]): (?:@{[ref $why ? $why : quotemeta $why]})$/m, 'the message');
        }
    }
    $backend->stop;
};

subtest 'bad arguments' => sub {
    usage_is(['explain', 'a', 'b'], qr/"b" is one argument too many/, 'two pages');
    usage_is(['explain', '--site', 's', $pages[0]], qr/^tmplctl: explain: --store and --site must be given together$/m, 'a site without a store');
    usage_is(['explain', '--store', 'lmdb:learnt', $pages[0]], qr/^tmplctl: explain: --store and --site must be given together$/m, 'a store without a site');
    usage_is(['explain', '--detector', 'incremental', $pages[0]],
        qr/^tmplctl: explain: --detector incremental judges by the counts of a site: give --store and --site$/m, 'a detector that needs counts');
    usage_is(['explain', '--keep', 'div > > p', $pages[0]], qr/--keep: must be CSS selectors/, 'a bad selector');
    usage_is(['explain', '--mode', 'strip', $pages[0]], qr/invalid option: --mode/, 'an option of another command');
    for my $case (['missing.html', qr/^tmplctl: missing\.html: No such file or directory$/], ['pages', qr/^tmplctl: pages: is a directory$/]) {
        my ($name, $like) = @$case;
        ($code, $out, $err) = run('explain', $name);
        is("$code $out", '1 ', "$name: exit code");
        like($err, $like, "$name: the message");
    }
    ($code, $out, $err) = run(qw(explain --store lmdb:nowhere --site s), $pages[0]);
    is($code, 1, 'no store');
    like($err, qr/^tmplctl: explain: lmdb:nowhere: no store found: /, 'the message');
};

done_testing();
