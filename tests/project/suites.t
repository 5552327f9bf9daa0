#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# tests/lib/Suite.pm: a suite fails if a difference is not listed in docs/lab/correctness.md, or if a
# listed difference does not occur. A difference counts only if it occurs again when tests are rerun.
use strict;
use warnings;

use FindBin;
use lib map { "$FindBin::Bin/../../$_" } qw(t/lib tests/lib);
use Suite;
use Test::More;

my $listed = Suite::listed('cache-tests');
my @tests = map { s/^strip //r } grep { /^strip / } keys %$listed;
ok(@tests > 0, 'tests are listed for strip');
is(join("\n", grep { !/^(?:mod_cache\+)?(?:strip|annotate|content) [\w-]+$/ || $listed->{$_} !~ /\w/ } keys %$listed), '',
    'each has a setup and a reason');

# The status and output of compare() if the tests in $failed fail with strip; @later: tests that fail in later rounds.
sub status {
    my ($failed, @later) = @_;
    my %all = map { $_ => '' } @tests, 'other';
    my $with = sub { return { %all, map { $_ => 'it failed' } @_ } };
    my %results = (plain => $with->(), strip => $with->(@$failed));
    my $rerun = sub { return $_[0] eq 'plain' ? $with->() : $with->(@{ shift @later // $failed }) };
    # the other setups differ as they should
    for my $key (keys %$listed) {
        my ($setup, $test) = split / /, $key;
        next if $setup eq 'strip';
        $results{$_} //= $with->() for $setup, $setup =~ s/\w+$/plain/r;
        $results{ $setup =~ s/\w+$/plain/r }{$test} = '';
        $results{$setup}{$test} = 'it failed';
    }
    for my $setup (keys %results) {
        $results{$setup}{$_} //= '' for keys %{ $results{ $setup =~ s/\w+$/plain/r } };
    }
    open my $said, '>', \my $text or die;
    my $stdout = select $said;
    my $status = Suite::compare('cache-tests', \%results, $rerun);
    select $stdout;
    return ($status ? 1 : 0, $text);
}

is((status(\@tests))[0], 0, 'all listed tests differ, and no other');
my ($status, $text) = status([@tests, 'other']);
is($status, 1, 'another test fails');
like($text, qr/^NEW: strip other: it failed$/m, 'it is named');
($status, $text) = status([]);
is($status, 1, 'a listed test passes');
like($text, qr/^GONE: strip \Q$tests[0]\E: /m, 'it is named');
is((status([@tests, 'other'], \@tests))[0], 0, 'another test fails once');

done_testing;
