#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# The harness of the browser tests finds the faults of a page.
use strict;
use warnings;

use FindBin;
use lib $FindBin::Bin;
use Browser;
use Test::More;

needed();

sub page {
    my $html = "<!doctype html><html lang=en><title>x</title><main>$_[0]</main>";
    return 'data:text/html,' . $html =~ s/(\W)/sprintf '%%%02X', ord $1/ger;
}

my $wide = '<h1>wide</h1><div style="width:1000px">x</div>';
my ($good, $wide_one, $axe, $loud, $silent, $keys, $dark, $print) = look(
    { url => page('<h1>x</h1>'), axe => 1 },
    { url => page($wide), width => 360 },
    { url => page('<h1>x</h1><img src="data:,">'), axe => 1 },
    { url => page('<script>console.error("oops")</script>') },
    { url => page('<script>console.error("oops")</script>'), script => 0 },
    { url => page('<a id=a href=#a>a</a><a id=b href=#b>b</a>'), press => ['Tab', 'Tab'], evaluate => 'document.activeElement.id' },
    { url => page('x'), dark => 1, evaluate => 'matchMedia("(prefers-color-scheme: dark)").matches' },
    { url => page('x'), print => 1, evaluate => 'matchMedia("print").matches' },
);
is_deeply($good->{axe}, [], 'no violations');
is($good->{overflow}, 0, 'as wide as the window');
cmp_ok($wide_one->{overflow}, '>', 600, 'wider than the window');
is_deeply([grep { $_ eq 'image-alt' } map { $_->{id} } @{ $axe->{axe} }], ['image-alt'], 'an image without alt');
is_deeply($loud->{said}, ['oops'], 'the console');
is_deeply($silent->{said}, [], 'without scripts');
is($keys->{value}, 'b', 'keys');
ok($dark->{value}, 'dark');
ok($print->{value}, 'print');
done_testing;
