#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# make demo does what README.md shows, with the module as it is built: a page that differs from demo/expected.txt fails.
use strict;
use warnings;

use FindBin;
use Test::More;

chdir "$FindBin::Bin/../.." or die "$!\n";
plan skip_all => 'no manual of httpd: run demo/deps demo' if !-d '/usr/share/doc/apache2-doc/manual';
my $said = qx(BUILD="${\ ($ENV{BUILD} // 'build')}" DEMO_WAIT=no demo/run 2>&1);
is($?, 0, 'the page is as in demo/expected.txt') or diag $said;
like($said, qr/^navigation: \d+ before, 0 after; .*: ok$/m, 'without navigation, with its article');
done_testing;
