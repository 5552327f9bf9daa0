#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# The status page in a browser, with data: as wide as a desktop and as a phone, light and dark, with
# and without JavaScript. axe-core finds no violation, the console stays empty, nothing scrolls but
# tables in their boxes, on a desktop only up and down, also with long names of sites and long paths, and
# markup that clients chose does nothing.
use strict;
use warnings;

use FindBin;
use lib $FindBin::Bin;
use Browser;
use Scene;
use Test::More;

needed();
my $httpd = Scene::start("<Location /tmpl-status>\n    TmplAdmin true\n</Location>\n");
Scene::visit($httpd);
Scene::visit_markup($httpd);
my $long = join('.', ('a-long-name-of-a-site-without-a-break') x 6) . '.example';
$httpd->get('/deep.html?' . 'a_path_that_does_not_break_' x 9, headers => { 'X-Site' => $long }) for 1 .. 60;
my $at = 'http://127.0.0.1:' . $httpd->port . '/tmpl-status';
my $markup = $Scene::MARKUP =~ s/(\W)/sprintf '%%%02x', ord $1/ger;

my $look = '({ title: document.title, images: document.images.length, scripts: document.scripts.length,'
    . ' sections: [...document.querySelectorAll("h2")].map((h) => h.textContent),'
    . ' back: getComputedStyle(document.body).backgroundColor,'
    . ' behind: [...document.querySelectorAll(".scroll")].filter((e) => e.scrollWidth > e.clientWidth).map((e) => `${e.ariaLabel}: ${e.scrollWidth} of ${e.clientWidth}`),'
    # a state is one word, and has one line
    . ' parted: [...document.querySelectorAll("td")].filter((e) => /^(?:cold|learning|warm)$/.test(e.textContent)).filter((e) =>'
    . ' { const r = document.createRange(); r.selectNodeContents(e); return r.getClientRects().length > 1; }).length,'
    # tiles in whole rows, or the last one as wide as a row of a phone
    . ' ragged: [...document.querySelectorAll("dl")].filter((l) => { const last = l.lastElementChild.getBoundingClientRect(), all = l.getBoundingClientRect();'
    . ' return l.childElementCount > 1 && last.left - all.left < 5 && last.width < all.width / 2; }).length,'
    . ' narrow: [...document.querySelectorAll(".said td:not(.number)")].filter((e) => e.clientWidth < 200).length,'
    . ' broken: [...document.querySelectorAll("#decisions th code")].filter((e) => e.textContent.length < 34 && e.getClientRects()[0].height > 24).map((e) => e.textContent),'
    . ' captions: [...document.querySelectorAll("caption")].length,'
    . ' pages: [...document.querySelectorAll("dt")].find((e) => /untouched/.test(e.textContent))?.nextElementSibling.textContent ?? "",'
    . ' rows: document.querySelectorAll("#decisions tbody tr").length,'
    . ' bar: document.querySelector(".bar rect")?.getBoundingClientRect().width ?? 0 })';
my %pages = ('' => 'status', "?site=$markup" => 'a site that is markup', '?site=manual.example' => 'site',
    '?declined=any' => 'declined ones');
my (@views, @names);
for my $path (sort keys %pages) {
    # the first page in every way, the others in two
    for my $case ([1280, 0, 1], [360, 1, 1], $path eq '' ? ([1280, 1, 1], [360, 0, 1], [360, 0, 0], [1280, 0, 0]) : ()) {
        my ($width, $dark, $script) = @$case;
        push @views, { url => $at . $path, width => $width, dark => $dark, script => $script, axe => $script, evaluate => $look };
        push @names, "$pages{$path}, $width px, " . ($dark ? 'dark' : 'light') . ($script ? '' : ', no JavaScript');
    }
}
my %seen;
my @results = look(@views);
for my $i (0 .. $#results) {
    my $value = $results[$i]{value};
    clean($results[$i], $names[$i]);
    $seen{ $names[$i] } = $value;
    is("$value->{images} $value->{scripts}", '0 0', "$names[$i]: no image, no script") or diag $value->{title};
    is(join(', ', @{ $value->{behind} }), '', "$names[$i]: no column is behind a scroll") if $names[$i] =~ /1280 px/;
    is($value->{parted}, 0, "$names[$i]: no state is parted");
    is("$value->{ragged} $value->{narrow} $value->{captions} @{ $value->{broken} }", '0 0 0 ',
        "$names[$i]: no tile alone, no narrow column of sentences, no caption that repeats a heading, no short path in two lines");
    unlike($value->{title}, qr/^hurt/, "$names[$i]: nothing has run");
}
my $wide = $seen{'status, 1280 px, light'};
is($wide->{rows}, 100, 'decisions are shown');
cmp_ok($wide->{bar}, '>', 1, 'bars are drawn');
is(scalar @{ $wide->{sections} }, 5, 'five sections');
isnt($wide->{back}, $seen{'status, 1280 px, dark'}{back}, 'dark is another colour than light');
is($wide->{back}, $seen{'status, 1280 px, light, no JavaScript'}{back}, 'the style holds without JavaScript');

# by keyboard alone: the skip link, then the pages, then each link and box
my ($first, $fifth) = look(
    { url => $at, press => ['Tab', 'Enter'], evaluate => 'location.hash' },
    { url => $at, press => [('Tab') x 5], evaluate => 'document.activeElement.getAttribute("role") + getComputedStyle(document.activeElement).outlineStyle' },
);
is($first->{value}, '#main', 'Tab and Enter skip to the content');
is($fifth->{value}, 'regionsolid', 'a box that scrolls has the focus, and shows it');

my ($frozen) = look({ url => "$at?site=shop.example", click => 'button[value=freeze]', script => 0 });
like($frozen->{after}{url}, qr/\?site=shop\.example$/, 'a form leads back to the page of the site');
like($frozen->{after}{text}, qr/frozen, nothing is learnt/, 'which is frozen');
is_deeply($frozen->{said}, [], 'the policy allows the form');

is(join("\n", $httpd->unexpected_lines), '', 'nothing unexpected in the error log');
$httpd->stop;
done_testing;
