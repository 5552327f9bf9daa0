#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# Some allocations of tmplctl fail, and some system calls of its stores: make check-allocations and
# make check-syscalls have all of them.
use strict;
use warnings;

use FindBin;
use Test::More;

use lib "$FindBin::Bin/../lib", "$FindBin::Bin/../../t/lib";
use Tmplctl;

for my $shim (['fail', 40, 100], ['calls', 13, 40]) {
    my ($name, $every, $least) = @$shim;
    my $library = Cwd::abs_path("$root/" . ($ENV{BUILD} // 'build')) . "/tests/allocation/$name.so";
    plan skip_all => "there is no $library: run make $library" if !-e $library;
    my $said = qx{$FindBin::Bin/check $tool $library $every $root/t/pages/blog.html $root/t/pages/shop.html};
    my ($runs) = $said =~ /^runs: (\d+), faults: 0$/m;
    cmp_ok($runs // 0, '>=', $least, "$name.so: each run ends in order") or diag $said;
}
done_testing;
