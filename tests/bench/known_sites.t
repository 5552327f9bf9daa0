#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# bench/accuracy/known-sites: known pages keep what first pages show of records, and no menus. Three kinds of sites that
# fail without detect/first_look.h, and one whose menus first pages show.
use strict;
use warnings;

use Cwd qw(abs_path);
use File::Basename qw(dirname);
use Test::More;

my $root = abs_path(dirname(__FILE__) . '/../..');
my $tmplctl = abs_path($ENV{TMPLCTL} // 'build/tmplctl');
plan skip_all => 'there is no tmplctl: run make first' unless $tmplctl && -x $tmplctl;
$ENV{PYTHONDONTWRITEBYTECODE} = 1;
$ENV{SHOW} = 1;

for my $kind ('jobs', 'shop of 6, plain', 'library', 'teasers of a day') {
    open my $pipe, '-|', "$root/bench/accuracy/known-sites", $tmplctl, $kind or die "known-sites: $!";
    my $out = join '', <$pipe>;
    close $pipe;
    is($?, 0, $kind) or diag($out);
    like($out, qr/^3 sites +\d+ +[1-9]\d* +0 +[1-9]\d* +0$/m, "$kind: fields and menus");
}
done_testing();
