#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# Pages of tests/visible in Chromium, after elements of class "t" are cut: all other text is visible,
# and no script throws. bench/accuracy/visible installs the npm package that it needs.
use strict;
use warnings;

use Cwd qw(abs_path);
use File::Basename qw(dirname);
use FindBin;
use lib $FindBin::Bin;
use Browser;
use Test::More;

my $root = abs_path(dirname(__FILE__) . '/../..');
chdir $root or die "$root: $!";
my $build = $ENV{BUILD} // 'build';
my $tmplctl = $ENV{TMPLCTL} // "$build/tmplctl";

needed();

# A style may depend on neighbours that are cut. The module does not prevent that, and this page
# shows that the test notices what is hidden.
my %hidden = (styled => 9);

$ENV{CTL_OPTIONS} = '--detector incremental --drop .t --min-keep 0';
delete $ENV{NAMES};
my @said = `bench/accuracy/visible tests/visible $tmplctl`;
my %row = map { my ($name, @figures) = split ' '; ($name => \@figures) } @said;

for my $page (map { s{.*/}{}r } glob 'tests/visible/own/*') {
    my (undef, $unchanged, $failed, $errors, undef, $seen, $lost) = @{ $row{$page} // [] };
    cmp_ok($seen // 0, '>', 0, "$page: content is seen");

    is_deeply([$unchanged, $failed, $errors, $lost], [0, 0, 0, $hidden{$page} // 0],
        "$page: unchanged, not shown, new errors, words lost");
}
done_testing;
