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

# Names that say menu around all of a page, and pages without headings.
my %kinds = (
    'tagged named bare' => ['jobs', 'shop of 6, plain', 'library', 'mails of one', 'teasers of a day'],
    'framed cells' => ['archive table', 'events', 'library', 'recipes', 'short law', 'short teasers'],
);
for my $menus (sort keys %kinds) {
    $ENV{MENUS} = $menus;
    my $n = split ' ', $menus;
    for my $kind (@{ $kinds{$menus} }) {
        open my $pipe, '-|', "$root/bench/accuracy/known-sites", $tmplctl, $kind or die "known-sites: $!";
        my $out = join '', <$pipe>;
        close $pipe;
        is($?, 0, "$kind, $menus") or diag($out);
        like($out, qr/^$n sites +\d+ +[1-9]\d* +0 +[1-9]\d* +0$/m, "$kind, $menus: fields and menus");
    }
}
done_testing();
