#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# The judges (tests/judge): the output of build/tests/judge/edits for a page. With node and parse5:
# the judge accepts a correct output and finds each fault in a wrong one.
use strict;
use warnings;

use Cwd qw(abs_path);
use File::Basename qw(dirname);
use File::Temp qw(tempdir);
use JSON::PP qw(decode_json encode_json);
use Test::More;

my $root = abs_path(dirname(__FILE__) . '/../..');
my $edits = abs_path($ENV{JUDGE} || "$root/build/tests/judge/edits");
my $dir = tempdir(CLEANUP => 1);

my $page = '<body><div class=a>one<script>x</script></div>text<!--tmpl--><p>two';

sub spill {
    my ($name, $text) = @_;
    open my $out, '>', "$dir/$name" or die "$dir/$name: $!";
    print $out $text;
    close $out or die "$dir/$name: $!";
    return "$dir/$name";
}

sub lines_of {
    my ($command) = @_;
    my @lines = `$command`;
    return @lines;
}

my $path = spill('page.html', $page);
my $list = spill('list', "$path\n" . spill('frames.html', '<frameset><frame></frameset>') . "\n");
my ($elements, $said, $declined) = map { decode_json($_) } lines_of("'$edits' 100 0 <'$list'");

subtest 'elements' => sub {
    ok((grep { $_ eq 'script' } @{ $elements->{quiet} }), 'script is quiet');
    ok((grep { $_ eq 'template' } @{ $elements->{code} }), 'template is code');
    ok(!(grep { $_ eq 'div' } @{ $elements->{quiet} }, @{ $elements->{code} }), 'div is neither');
};

subtest 'a page' => sub {
    is($said->{path}, $path, 'path');
    is(join(' ', map { $_->[0] } @{ $said->{nodes} }), 'body div script p', 'nodes');
    my ($name, $open, $behind, $close, $end, $parent, $quiet) = @{ $said->{nodes}[1] };
    is(substr($page, $open, $behind - $open), '<div class=a>', 'a start tag');
    is(substr($page, $close, $end - $close), '</div>', 'an end tag');
    is("$parent $quiet", '0 0', 'its parent, and it is not quiet');
    is($said->{nodes}[0][5], -1, 'body has no parent');
    is($said->{nodes}[2][6], 1, 'script is quiet');
    is(join(' ', map { substr $page, $_->[0], 3 } @{ $said->{texts} }), 'one tex two', 'texts');
};

subtest 'draws' => sub {
    is(join(' ', map { $_->{percent} } @{ $said->{draws} }), '100 0', 'one for each percentage');
    my ($all, $none) = @{ $said->{draws} };
    ok((grep { $_->[2] eq '<!--tmpl-->' } @{ $all->{mark} }), 'a mark');
    ok((grep { $_->[2] eq '' && $_->[0] < $_->[1] } @{ $all->{strip} }), 'a cut');
    is(join(' ', map { $_->[2] } @{ $none->{mark} }), 'x-', 'a foreign mark is renamed');
    is(scalar @{ $none->{strip} }, 0, '0 percent: nothing is cut');
};

is($declined->{decline}, 'frameset', 'a page that is declined');
isnt(system("'$edits' 101 </dev/null 2>/dev/null"), 0, 'a percentage out of range is refused');

# A program that prints the same output with one change.
sub liar {
    my ($change) = @_;
    my $copy = decode_json(encode_json($said));
    $change->($copy);
    my $file = spill('liar', "#!/bin/sh\ncat <<'END'\n" . join("\n", map { encode_json($_) } $elements, $copy) . "\nEND\n");
    chmod 0755, $file;
    return $file;
}

sub judge {
    my ($program) = @_;
    my $one = spill('one', "$path\n");
    my @lines = lines_of("cd '$root' && OFFLINE=1 tests/judge/run parse5 tests/judge/corpus.mjs '$program' 1 100 0 <'$one' 2>&1");
    return ($? >> 8, join '', @lines);
}

subtest 'parse5' => sub {
    my ($status, $text) = judge($edits);
    plan(skip_all => $text) if $status == 77;
    is($status, 0, 'accepts the correct output') or diag($text);
    for my $case (
        ['an element that ends elsewhere', sub { $_[0]{nodes}[1][3]-- }, qr/end tag is/],
        ['another parent', sub { $_[0]{nodes}[3][5] = 1 }, qr/in div at 6, not in body/],
        ['an element that is missing', sub { my ($of) = @_; pop @{ $of->{$_} } for qw(nodes texts) }, qr/no node for p/],
        ['a text that stands elsewhere', sub { $_[0]{texts}[1][1] = 1 }, qr/text in node 1/],
        ['a cut that is too long', sub { $_[0]{draws}[0]{strip}[0][1]++ }, qr/strip diverges/],
        ['a mark in another place', sub { $_[0]{draws}[0]{mark}[0][0]--; $_[0]{draws}[0]{mark}[0][1]-- }, qr/annotate/],
        ['a mark that is none', sub { $_[0]{draws}[0]{mark}[0][2] = ' data-tmpl-x=""' }, qr/annotate/],
    ) {
        my ($what, $change, $says) = @$case;
        ($status, $text) = judge(liar($change));
        is($status, 1, $what);
        like($text, $says, "$what: the report");
    }
};

# Pages with marks of their own; every set of template blocks.
subtest 'marks' => sub {
    my $one = spill('marked.html', '<body><div>one</div><!--noindex--><div>two</div><!--/noindex--><!-- googleoff: all -->'
        . '<nav data-pagefind-ignore>three<span data-nosnippet>x</span></nav><!--googleon: all--></body><p>five');
    my $marks = sub {
        my ($program) = @_;
        my $one_list = spill('one', "$one\n");
        my @lines = lines_of("cd '$root' && OFFLINE=1 tests/judge/run parse5 tests/judge/marks.mjs '$program' -a 100 <'$one_list' 2>&1");
        return ($? >> 8, join '', @lines);
    };
    my ($status, $text) = $marks->($edits);
    plan(skip_all => $text) if $status == 77;
    is($status, 0, 'accepts the correct output') or diag($text);
    my @true = lines_of("'$edits' -m -a 100 <'" . spill('one', "$one\n") . "'");
    for my $case (
        ['an end that is missing', sub { $_[0] =~ s{"<!--/htdig_noindex-->"}{""} }, qr/htdig: .*(?:begins in a|ends the) range/],
        ['a begin that is missing', sub { $_[0] =~ s{"<!--htdig_noindex-->"}{""} }, qr/htdig: .*ends none/],
        ['another attribute', sub { $_[0] =~ s{ data-elastic-exclude=}{ data-elastic-included=} }, qr/elastic: .*of template is read.*the tree differs/s],
        ['another share', sub { $_[0] =~ s{"unmarked":\[0\.}{"unmarked":[1.} }, qr/data-tmpl: 0 of template is read, not 1/],
        ['a mark that is too long', sub { $_[0] =~ s{\[\d+,\d+,"<!--x-tmpl /own-->"\]\],}{[@{[ -s $one ]},@{[ -s $one ]},"<!--x-tmpl /own-->"]],} }, qr/own-->: content is left out/],
        ['an edit that deletes', sub { $_[0] =~ s{"all":\[\[(\d+),\d+}{"all":[[$1,1000} }, qr/replaces bytes/],
    ) {
        my ($what, $change, $says) = @$case;
        my @lies = @true;
        $change->($lies[1]);
        my $file = spill('liar', "#!/bin/sh\ncat <<'END'\n" . join('', @lies) . "END\n");
        chmod 0755, $file;
        ($status, $text) = $marks->($file);
        is($status, 1, $what);
        like($text, $says, "$what: the report");
    }
};

done_testing;
