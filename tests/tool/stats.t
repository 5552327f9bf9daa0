#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# tmplctl stats of all sites: its order, its filters, and JSON.
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
is(rows('pages', '--sort', 'site'), "a.example:6 b.example:12 c.other:2 d\xff:2", '--sort site');
is(rows('pages', '--sort', 'pages'), "b.example:12 a.example:6 c.other:2 d\xff:2", '--sort pages: the most first, equal ones by name');
for my $column (qw(entries live template bytes version)) {
    my @numbers = map { s/.*://r } split ' ', rows($column, '--sort', $column);
    is("@numbers", join(' ', sort { $b <=> $a } @numbers), "--sort $column");
}
is(rows('pages', '--match', '*.example'), 'a.example:6 b.example:12', '--match');
is(rows('pages', '--match', '[bc].*'), 'b.example:12 c.other:2', '--match with a set');
is(rows('pages', '--match', 'example'), '', '--match takes whole keys');
is(rows('pages', '--sort', 'pages', '--top', 1), 'b.example:12', '--top');
is(rows('pages', '--sort', 'pages', '--top', 9, '--match', 'c*'), 'c.other:2', 'all three');

my ($code, $out, $err) = run(qw(stats --store lmdb:db --json --sort pages));
is($code, 0, '--json') or diag $err;
my $sites = decode_json($out);
is(join(' ', map { "$_->{site}:$_->{pages}" } @$sites), "b.example:12 a.example:6 c.other:2 d\x{fffd}:2", 'its sites');
is(join(' ', sort keys %{ $sites->[0] }), 'bytes entries listed live pages site template version', 'their members');
($code, $out) = run(qw(stats --store lmdb:db --json a.example));
is(decode_json($out)->[0]{pages}, 6, '--json of one site');
($code, $out) = run(qw(stats --store lmdb:db --json --match none));
is_deeply(decode_json($out), [], '--json of no site');

usage_is([qw(stats --store lmdb:db --sort size)],
    qr/^tmplctl: stats: --sort: "size" is not one of site, pages, entries, live, template, bytes, version, listed$/m, 'a column that is none');
usage_is([qw(stats --store lmdb:db --top), $_], qr/^tmplctl: stats: --top: must be a whole number from 1 to 1000000, not "\Q$_\E"$/m, "--top $_")
    for 0, 1_000_001, 'x';
usage_is([qw(stats --store lmdb:db --match), ''], qr/--match: PATTERN must not be empty/, 'an empty pattern');
usage_is([qw(stats --store lmdb:db a.example), @$_], qr/^tmplctl: stats: --sort, --match and --top are for all sites: name no SITE beside them$/m, "a site and $_->[0]")
    for ['--sort', 'pages'], ['--match', '*'], ['--top', 3];
($code, $out, $err) = run(qw(stats --store lmdb:db --json none));
is("$code $out", '1 ', '--json of a missing site');
is($err, qq{tmplctl: stats: the store has no site "none"\n}, 'the message');

done_testing;
