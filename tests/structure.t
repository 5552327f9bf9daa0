#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# docs/design.md says that data flows one way: who may include what is a table here, and each row is used. Libraries of
# others are seen by the few files that are there for them, and nobody asks what the locale has to say of a letter.
use strict;
use warnings;

use Cwd qw(abs_path);
use File::Basename qw(dirname);
use Test::More;

my $root = abs_path(dirname(__FILE__) . '/..');
chdir $root or die "$root: $!";

# A part is a folder, or the files of it that stand lower or higher than the rest: its name is that of the folder but for these.
my %part_of = (
    map({ ("shared/$_.h" => 'ground', "shared/$_.c" => 'ground') } qw(tmpl number slot processor scratch)),
    'shared/clean.h' => 'clean',
    'shared/clean.c' => 'clean',
    map({ ("shared/text/$_.h" => 'bytes') } qw(ascii eight sixteen)),
    map({ ("shared/store/$_.h" => 'counts', "shared/store/$_.c" => 'store') } qw(store breaker)),
);
my %may = (
    ground      => [],
    bytes       => [],
    counts      => [qw(ground)],
    page        => [qw(ground bytes)],
    store       => [qw(ground counts)],
    text        => [qw(bytes page)],
    site        => [qw(ground bytes counts page text)],
    feature     => [qw(ground bytes counts page)],
    detect      => [qw(ground bytes counts page feature)],
    rewrite     => [qw(detect)],
    fingerprint => [qw(feature detect text)],
    clean       => [qw(counts page site detect rewrite fingerprint)],
    decision    => [qw(clean)],
    mod_tmpl    => [qw(ground bytes clean counts page decision)],
    tmplctl     => [qw(ground bytes clean counts page detect site text)],
);

sub part_of {
    my ($file) = @_;
    return $part_of{$file} // $file =~ s{^(?:shared/)?([^/]+)/.*}{$1}r;
}

# What a file includes: [line, name]; names of ours with their folder.
sub includes {
    my ($file) = @_;
    open my $in, '<', $file or die "$file: $!";
    my @found;
    while (my $line = <$in>) {
        my ($quote, $name) = $line =~ /^#\s*include ([<"])([^>"]+)/ or next;
        my $here = dirname($file) . "/$name";
        push @found, [$., $quote eq '<' ? $name : -e "shared/$name" ? "shared/$name" : $here];
    }
    return @found;
}

my @files = glob '{shared,shared/*,mod_tmpl,tmplctl}/*.[ch]';
cmp_ok(scalar @files, '>', 150, 'sources');

subtest 'data flows one way' => sub {
    my (%used, @wrong);
    for my $file (@files) {
        my $part = part_of($file);
        for (grep { $_->[1] =~ m{/.*\.h$} && -e $_->[1] } includes($file)) {
            my ($line, $name) = @$_;
            my $other = part_of($name);
            $used{$part}{$other} = 1;
            push @wrong, "$file:$line: $part may not include $name ($other)"
                if $other ne $part && !grep { $_ eq $other } @{ $may{$part} };
        }
    }
    is(join("\n", @wrong), '', 'no file includes what it may not');
    my @needless = map { my $part = $_; map { "$part: $_" } grep { !$used{$part}{$_} } @{ $may{$part} } } sort keys %may;
    is(join("\n", @needless), '', 'and nothing is allowed that nobody does');
    my %above;
    my @rest = sort keys %may;
    while (my @lowest = grep { !grep { !$above{$_} } @{ $may{$_} } } @rest) {
        $above{$_} = 1 for @lowest;
        @rest = grep { !$above{$_} } @rest;
    }
    is("@rest", '', 'and the table itself has no circle');
};

subtest 'libraries' => sub {
    for my $case (
        ['httpd', qr{^(?:httpd|(?:http|ap|util|mod|mpm)_\w+|scoreboard)\.h$}, qr{^mod_tmpl/}],
        ['zlib', qr{^zlib\.h$}, qr{^mod_tmpl/}],
        ['LMDB', qr{^lmdb\.h$}, qr{^shared/store/lmdb_}],
        ['hiredis', qr{^hiredis/}, qr{^shared/store/redis_}],
        ['libxml2', qr{^libxml/}, qr{^(?:shared/text|tmplctl)/}],
        ['curl and jansson', qr{^(?:curl/|jansson)}, qr{^tmplctl/}],
    ) {
        my ($library, $header, $for) = @$case;
        my @who = grep { my $file = $_; grep { $_->[1] =~ $header } includes($file) } @files;
        ok(@who > 0, "$library: somebody includes it");
        is(join("\n", grep { !/$for/ } @who), '', "$library: and nobody else");
    }
};

subtest 'no locale' => sub {
    my $asks = qr/strn?casecmp|(?:apr_|ap_)?(?:is(?:alnum|alpha|lower|upper|punct|print|space)|to(?:lower|upper))/;
    my @found;
    for my $file (@files) {
        open my $in, '<', $file or die "$file: $!";
        while (my $line = <$in>) {
            push @found, "$file:$.: $1" if $line =~ /(?<!\w)($asks)\((?!\))/;
        }
    }
    is(join("\n", @found), '', 'letters are told by text/ascii.h, names compared by apr_cstr_casecmpn()');
};

done_testing;
