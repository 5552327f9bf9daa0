#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# tmplctl stats of all sites: its order, its columns, and JSON.
use strict;
use warnings;

use FindBin;
use JSON::PP;
use Test::More;

use lib "$FindBin::Bin/../lib", "$FindBin::Bin/../../t/lib";
use Tmplctl;

my %pages = ('a.example' => 6, 'b.example' => 12, 'c.other' => 2, "d\xff" => 2);
for my $site (sort keys %pages) {
    my ($code, undef, $err) = run(qw(clean --mode text --out out --store lmdb:db --site), $site, @pages[0 .. $pages{$site} - 1]);
    is($code, 0, "$site is learnt") or diag $err;
}

# The sites of a table, in its order, with one column.
sub rows {
    my ($column, @args) = @_;
    my ($code, $out, $err) = run('stats', '--store', 'lmdb:db', @args);
    is($code, 0, "stats @args: exit code") or diag $err;
    my ($titles, @rows) = map { [split] } split /\n/, $out;
    my ($at) = grep { $titles->[$_] eq $column } 0 .. $#$titles;
    return join ' ', map { "$_->[0]:$_->[$at]" } @rows;
}
is(rows('pages'), "a.example:6 b.example:12 c.other:2 d\xff:2", 'by name');
# sort(1) gives another order: each number is a column of its own
my @table = map { [split] } split /\n/, (run(qw(stats --store lmdb:db)))[1];
is_deeply([map { scalar @$_ } @table], [(8) x 5], 'each row has all columns');
my ($title, @lines) = split /\n/, (run(qw(stats --store lmdb:db)))[1];
is(length $_ , length $title, 'columns are aligned') for grep { !/\xff/ } @lines;

my ($code, $out, $err) = run(qw(stats --store lmdb:db --json));
is($code, 0, '--json') or diag $err;
my $sites = decode_json($out);
is(join(' ', map { "$_->{site}:$_->{pages}" } @$sites), "a.example:6 b.example:12 c.other:2 d\x{fffd}:2", 'its sites');
is(join(' ', sort keys %{ $sites->[0] }), 'bytes entries listed live pages site template version', 'their members');
($code, $out) = run(qw(stats --store lmdb:db --json a.example));
is(decode_json($out)->[0]{pages}, 6, '--json of one site');

($code, $out, $err) = run(qw(stats --store lmdb:db --json none));
is("$code $out", '1 ', '--json of a missing site');
like($err, qr{^tmplctl: stats: the store has no site "none"; it has a\.example, b\.example, c\.other, d}, 'the message');

done_testing;
