#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# Mode highlight in a browser, on pages of httpd's manual and of t/pages, in a modern layout, light and
# dark. Elements are where they are without highlight, to half a pixel; no line covers letters, and text
# keeps its contrast; the legend covers nothing at the page's end, and a click closes it; nothing of
# highlight is printed; axe finds no more violations than without it; and the keyboard reaches the reason
# for each block's verdict, without scripts in the page.
use strict;
use warnings;

use FindBin;
use lib $FindBin::Bin, "$FindBin::Bin/../../t/lib";
use Browser;
use File::Basename qw(basename);
use Test::More;
use Test::Tmpl::Httpd;
use Test::Tmpl::Process qw(slurp spit);

needed();
my $top = "$FindBin::Bin/../..";
my $manual = $ENV{TMPL_TEST_MANUAL} // '/usr/share/doc/apache2-doc/manual';

my $httpd = Test::Tmpl::Httpd->new(log_level => 'warn', conf => <<"END");
TmplMode headers
TmplHighlightAllow "%{QUERY_STRING} =~ /^look/"
AddDefaultCharset off
AddType text/css .css
Alias /manual "$manual"
<Directory "$manual">
    Require all granted
</Directory>
<Directory "\@ROOT\@/htdocs">
    Require all granted
</Directory>
END
my @pages;
for my $file (sort glob "$top/t/pages/*.html") {
    my $name = basename($file);
    my $style = '<link rel=stylesheet href=/modern.css>';
    my $html = slurp($file);
    $html =~ s{(?=</head>)}{$style}i or $html =~ s{(?=<title)}{$style}i or die "$file: no place for a style\n";
    # one that is missing or comes later has no certain size
    $html =~ s/\b(?:srcset|loading|data-src)=(?:"[^"]*"|'[^']*')//g;
    $html =~ s/<img\b[^>]*?\bsrc=["']\K[^"']*/data:image\/gif;base64,R0lGODlhAQABAIAAAAAAAP\/\/\/yH5BAEAAAAALAAAAAABAAEAAAIBRAA7/g;
    spit($httpd->root . "/htdocs/$name", $html);
    push @pages, "/$name";
}
spit($httpd->root . '/htdocs/modern.css', slurp("$FindBin::Bin/modern.css"));
push @pages, map { "/manual/en/$_.html" } qw(sections urlmapping logs bind howto/public_html) if -d $manual;
$httpd->start;
$httpd->get($_) for @pages, @pages;

# The boxes of all elements of the body, as "TAG x y width height".
my $boxes = <<'END';
    [...document.body.querySelectorAll('*'), document.body].map((e) => {
        const b = e.getBoundingClientRect();
        return [e.localName, b.x + scrollX, b.y + scrollY, b.width, b.height];
    })
END

# The first element that is elsewhere, or undef.
sub moved {
    my ($before, $after) = @_;
    return scalar(@$before) . ' elements became ' . @$after if @$before != @$after;
    for my $i (0 .. $#$before) {
        my ($name, @was) = @{ $before->[$i] };
        my ($same, @is) = @{ $after->[$i] };
        return "$name @was became $same @is" if $name ne $same || grep { abs($was[$_] - $is[$_]) > 0.5 } 0 .. 3;
    }
    return;
}

# Rules of axe by the number of elements that violate them: it names an element by its attributes.
sub faults {
    my ($result) = @_;
    return map { $_->{id} => scalar @{ $_->{where} } } @{ $result->{axe} };
}

# What is shaded, what stands in the panel, and elements whose reasons the focus does not show. The boxes
# come first, before the focus moves.
my $panel = <<"END";
(() => {
    const boxes = $boxes;
    const shown = () => [...document.head.children].filter((e) => getComputedStyle(e).display !== 'none');
    const unreached = [];
    for (const element of document.querySelectorAll('body [data-tmpl-is]')) {
        /* what nobody sees, what is nothing to screen readers, and controls, are no stop */
        if (!element.checkVisibility({ visibilityProperty: true }) ||
            element.closest('button, [role=button], [role=tab], [role=img], [role=separator], [aria-hidden]') ||
            element.matches('img, [role=none], [role=presentation]')) {
            continue;
        }
        element.focus();
        if (document.activeElement !== element || getComputedStyle(element, '::after').content === 'none') {
            unreached.push(element.outerHTML.slice(0, 200));
        }
    }
    document.activeElement.blur();
    const marked = [...document.querySelectorAll('body [data-tmpl-is]')];
    return {
        boxes,
        unreached,
        reasons: document.querySelectorAll('body [data-tmpl-is][title]').length,
        lines: shown().map((e) => getComputedStyle(e, '::after').content),
        position: getComputedStyle(document.head).position,
        unshaded: marked.filter((e) => getComputedStyle(e).boxShadow === 'none').length,
    };
})()
END

# Letters that a line in front of them covers, the least share of its contrast that a text keeps, whether the page is dark, and
# what the legend covers at the page's end.
my $letters = <<'END';
(() => {
    const texts = [];
    const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walk.nextNode()) {
        const e = walk.currentNode.parentElement;
        if (walk.currentNode.data.trim() && e.checkVisibility({ visibilityProperty: true })) {
            const range = document.createRange();
            range.selectNodeContents(walk.currentNode);
            texts.push(...[...range.getClientRects()].map((box) => ({ e, box, text: walk.currentNode.data.trim() })));
        }
    }
    const colour = (text) => text.match(/[\d.]+/g).map(Number);
    const light = (c) => c.slice(0, 3).map((v) => (v /= 255) <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4)
        .reduce((sum, v, i) => sum + v * [.2126, .7152, .0722][i], 0);
    const contrast = (a, b) => (Math.max(light(a), light(b)) + .05) / (Math.min(light(a), light(b)) + .05);
    const back = (e) => {
        for (; e; e = e.parentElement) {
            const c = colour(getComputedStyle(e).backgroundColor);
            if (c.length < 4 || c[3] === 1) {
                return c;
            }
        }
        return matchMedia('(prefers-color-scheme: dark)').matches ? [18, 18, 18] : [255, 255, 255];
    };
    const covered = [], lines = [];
    for (const other of document.querySelectorAll('body [data-tmpl-is]')) {
        const s = getComputedStyle(other);
        if (s.boxShadow.split('inset').length !== s.boxShadow.split('rgb').length) {
            covered.push(`a shadow is in front: ${s.boxShadow}`);
        }
        if (s.outlineStyle !== 'none') {
            const within = parseFloat(s.outlineOffset), out = parseFloat(s.outlineWidth) + within;
            lines.push(...[...other.getClientRects()].map((at) => ({ at, within, out })));
        }
    }
    let kept = 1;
    for (const { e, box, text } of texts) {
        const shade = e.closest('[data-tmpl-is]') && getComputedStyle(e.closest('[data-tmpl-is]')).boxShadow;
        const [, r, g, b, a] = shade?.match(/rgba\((\d+), (\d+), (\d+), ([\d.]+)\)/) ?? [];
        const own = back(e), of = colour(getComputedStyle(e).color);
        if (a) {
            const mixed = [r, g, b].map((v, i) => v * a + own[i] * (1 - a));
            kept = Math.min(kept, contrast(of, mixed) / contrast(of, own));
        }
        for (const { at, within, out } of lines) {
            const over = Math.min(box.right, at.right + out) - Math.max(box.left, at.left - out) > .5 &&
                Math.min(box.bottom, at.bottom + out) - Math.max(box.top, at.top - out) > .5;
            const inside = box.left >= at.left - within && box.right <= at.right + within &&
                box.top >= at.top - within && box.bottom <= at.bottom + within;
            if (over && !inside) {
                covered.push(text.slice(0, 40));
            }
        }
    }
    scrollTo(0, document.documentElement.scrollHeight);
    const legend = [...document.head.children].find((e) => getComputedStyle(e).display !== 'none').getBoundingClientRect();
    const last = Math.max(...texts.map(({ e }) => e.getBoundingClientRect().bottom));
    const lines_of_legend = Math.round(document.head.getBoundingClientRect().height / 19.5);
    const panel = light(colour(getComputedStyle(document.querySelector('[data-tmpl-close]')).backgroundColor)) < .1;
    return { panel: panel ? 'dark' : 'light', legend: lines_of_legend, covered, kept, page: light(back(document.body)) < 0.1 ? 'dark' : 'light', below: legend.top - last };
})()
END

# How much of the legend is seen after a click on its first line.
my $closed = <<'END';
[...document.head.children].filter((e) => getComputedStyle(e).display !== 'none' && getComputedStyle(e).visibility === 'visible').length
END

# In print: the boxes, and how much of us is seen.
my $paper = <<"END";
(() => ({
    boxes: $boxes,
    seen: [...document.querySelectorAll('head, body *')].filter((e) => {
        const s = getComputedStyle(e);
        return e === document.head ? s.display !== 'none' : e.dataset.tmplIs && (s.outlineStyle !== 'none' || s.boxShadow.includes('inset'));
    }).length,
}))()
END

# The reasons of the element in which the focus is.
my $focus = <<"END";
(() => {
    const text = getComputedStyle(document.activeElement.closest('[data-tmpl-is]'), '::after').content;
    return { text };
})()
END

my $base = 'http://127.0.0.1:' . $httpd->port;
for my $page (@pages) {
    Test::Tmpl::Process::set_limit();
    my %one = (url => "$base$page?plain");
    my %other = (url => "$base$page?look");
    my %tall = (height => 12_000, axe => 1);    # the panel covers nothing
    my %dark = (url => "$base$page?look&dark", dark => 1);
    my ($plain, $look, $tab, $print, $print_look, $shut, @read) = look(
        { %one, %tall, evaluate => "({ boxes: $boxes })" }, { %other, %tall, evaluate => $panel },
        { %other, script => 0, press => [('Tab') x 3], evaluate => $focus },
        { %one, print => 1, evaluate => $paper }, { %other, print => 1, evaluate => $paper },
        { %other, press_on => '[data-tmpl-close]', evaluate => $closed },
        # enough pages to see the style
        (map { { %$_, evaluate => $letters }, { %$_, width => 400, evaluate => $letters } } $page =~ m{^/(?:blog|shop)} ? (\%other, \%dark) : $page =~ /sections/ ? \%other : ()),
    );
    my ($had, $has) = map { { faults($_) } } $plain, $look;
    my ($at, $found, $focused, $paper, $printed) = map { $_->{value} } $plain, $look, $tab, $print, $print_look;
    subtest $page => sub {
        is $look->{headers}{'cache-control'}, 'no-store, private', 'highlighted';
        is moved($at->{boxes}, $found->{boxes}), undef, 'every element is where it was';
        is moved($paper->{boxes}, $printed->{boxes}), undef, 'and in print';
        is $printed->{seen}, 0, 'of which nothing is printed';
        is_deeply [grep { $has->{$_} > ($had->{$_} // 0) } sort keys %$has], [], 'axe finds nothing new';
        is $found->{position}, 'fixed', 'the panel takes no room';
        cmp_ok $found->{reasons}, '>', 5, 'reasons';
        is $found->{unshaded}, 0, 'what is marked is shaded';
        like join(' ', map { /^"(Close|Template, which|Left out|Kept|Content|Not shaded)/ ? $1 : $_ } @{ $found->{lines} }),
            qr/^Close( Template, which)?( Left out)?( Kept)?( Content)? Not shaded$/, 'the legend';
        unlike "@{ $found->{lines} }", qr/: 0\b/, 'has no kind that is not there';
        is $shut->{value}, 0, 'a click closes it';
        for my $value (map { $_->{value} } @read) {
            is_deeply $value->{covered}, [], 'no line is in front of letters';
            cmp_ok $value->{kept}, '>=', 0.88, 'text keeps its contrast';
            cmp_ok $value->{below}, '>=', 0, 'the legend covers nothing at the end';
            cmp_ok $value->{legend}, '<=', 6, 'and has a few lines, also on a phone';
        }
        is_deeply [map { $_->{value}{panel} } @read], [(qw(light light dark dark))[0 .. $#read]], 'which are as light or dark as the browser';
        is_deeply [map { $_->{value}{page} } @read], [(qw(light light dark dark))[0 .. $#read]], 'on light pages and dark ones';
        is_deeply $found->{unreached}, [], 'the focus shows each reason';
        like $focused->{text}, qr/Detector auto: [\d.]+, template above/, 'which says why';
    };
}
$httpd->expect_log(qr/T026/);    # pages that have nothing in common with the site
$httpd->finish;
done_testing;
