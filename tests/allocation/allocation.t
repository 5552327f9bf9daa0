#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# Some allocations of tmplctl fail: make check-allocations has all of them.
use strict;
use warnings;

use FindBin;
use Test::More;

use lib "$FindBin::Bin/../lib", "$FindBin::Bin/../../t/lib";
use Tmplctl;

my $shim = Cwd::abs_path("$root/" . ($ENV{BUILD} // 'build')) . '/tests/allocation/fail.so';
plan skip_all => "there is no $shim: run make $shim" if !-e $shim;

my $said = qx{$FindBin::Bin/check $tool $shim 40 $root/t/pages/blog.html $root/t/pages/shop.html};
like($said, qr/^runs: [1-9]\d\d+, faults: 0$/m, 'each run ends in order') or diag $said;
done_testing;
