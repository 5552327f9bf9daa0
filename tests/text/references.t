#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# shared/text/references.def has the names and characters that Python's html.entities has from the same standard.
use strict;
use warnings;

use File::Basename qw(dirname);
use Test::More;

my @python = qx(python3 -c 'from html.entities import html5
for name in html5: print(name, *("%04X" % ord(c) for c in html5[name]))' 2>/dev/null);
plan skip_all => 'no python3 with html.entities' if $?;

my @ours;
my $file = dirname(__FILE__) . '/../../shared/text/references.def';
open my $in, '<', $file or die "$file: $!";
while (<$in>) {
    my ($name, $is_bare, $first, $second) = /^REFERENCE\("(\w+)", ([01]), (0x\w+), (0x\w+)\)$/ or next;
    my $line = join(' ', map { sprintf '%04X', $_ } grep { $_ } map { hex } $first, $second) . "\n";
    push @ours, "$name; $line", $is_bare ? "$name $line" : ();
}
is(scalar @ours, 2231, 'names');
is(join('', sort @ours), join('', sort @python), 'each with its characters');

done_testing;
