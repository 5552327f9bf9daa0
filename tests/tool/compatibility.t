#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# docs/packages.md: each name of a former version is still there, and its stores and exports are read.
# tests/compatibility has a directory for each version; its configuration is read by t/config/60-recipes.t.
use strict;
use warnings;

use FindBin;
use Test::More;

use lib "$FindBin::Bin/../lib", "$FindBin::Bin/../../t/lib";
use Tmplctl;

my @versions = glob "$root/tests/compatibility/[0-9]*";
ok(@versions > 0, 'there are former versions');

my $now = qx("$root/tests/compatibility/names" "$tool");
is($?, 0, 'the names of this version');
my %now = map { $_ => 1 } split /\n/, $now;

for my $version (@versions) {
    my ($number) = $version =~ m{([^/]+)$};
    my @gone = grep { !$now{$_} } split /\n/, slurp("$version/names");
    is("@gone", '', "$number: each name is still there");

    # a site of twelve pages, and what is left of the next one
    my $expected = slurp("$version/expected.html");
    isnt($expected, slurp("$version/page.html"), "$number: the site is warm");
    my @judge = (qw(clean --mode strip --detector incremental --site a.example), "$version/page.html", '--store');
    mkdir "store-$number" or die $!;
    is(system("xz -dc $version/data.mdb.xz >store-$number/data.mdb"), 0, "$number: a store");
    my ($code, $out, $err) = run(@judge, "lmdb:store-$number");
    is($code, 0, "$number: the store is read") or diag $err;
    is($out, $expected, "$number: and judges as it did");

    ($code, $out, $err) = feed(slurp("$version/site.jsonl"), 'import', '--store', "lmdb:import-$number", 'a.example');
    is($code, 0, "$number: the export is imported") or diag $err;
    ($code, $out, $err) = run(@judge, "lmdb:import-$number");
    is($out, $expected, "$number: and judges as the site did") or diag $err;
}

done_testing();
