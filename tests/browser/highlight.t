#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# Mode highlight in a browser, on pages of httpd's manual and of t/pages, in a modern layout. Elements
# are where they are without highlight, to half a pixel; nothing of highlight is printed; axe finds no
# more violations than without it; and the keyboard reaches the reason for each block's verdict, without
# scripts in the page.
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
TmplHighlightAllow "%{QUERY_STRING} == 'look'"
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

# What is shaded, what stands in the panel, and blocks whose note the focus does not show. The boxes
# come first, before the focus moves.
my $panel = <<"END";
(() => {
    const boxes = $boxes;
    const shown = () => [...document.head.children].filter((e) => getComputedStyle(e).display !== 'none');
    const unreached = [];
    for (const note of document.head.querySelectorAll('meta[data-tmpl-for]')) {
        const element = document.querySelector(`[data-tmpl-of~="\${note.dataset.tmplFor}"]`);
        /* what nobody sees, and what is nothing to screen readers, is no stop */
        if (!element.checkVisibility({ visibilityProperty: true }) ||
            element.matches('img[alt=""], [role=none], [role=presentation], [aria-hidden], [aria-hidden] *')) {
            continue;
        }
        element.focus();
        if (document.activeElement !== element) {
            (element.closest('button,a,[role=button]') ?? document.body).focus();
        }
        if (!shown().includes(note)) {
            unreached.push(element.outerHTML.slice(0, 200));
        }
    }
    document.activeElement.blur();
    const marked = [...document.querySelectorAll('body [data-tmpl-is]')];
    return {
        boxes,
        unreached,
        notes: document.head.querySelectorAll('meta[data-tmpl-for]').length,
        lines: shown().map((e) => getComputedStyle(e, '::after').content),
        position: getComputedStyle(document.head).position,
        unshaded: marked.filter((e) => getComputedStyle(e).outlineStyle === 'none').length,
    };
})()
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

# The block in which the focus is, and the notes that are shown.
my $focus = <<"END";
(() => {
    const at = document.activeElement.closest('[data-tmpl-of]');
    const notes = [...document.head.querySelectorAll('meta[data-tmpl-for]')].filter((e) => getComputedStyle(e).display !== 'none');
    return {
        boxes: $boxes,
        of: at?.dataset.tmplOf,
        notes: notes.map((e) => e.dataset.tmplFor).join(' '),
        text: notes.map((e) => getComputedStyle(e, '::after').content).join(),
    };
})()
END

my $base = 'http://127.0.0.1:' . $httpd->port;
for my $page (@pages) {
    Test::Tmpl::Process::set_limit();
    my %one = (url => "$base$page?plain");
    my %other = (url => "$base$page?look");
    my %tall = (height => 12_000, axe => 1);    # the panel covers nothing
    my ($plain, $look, $still, $tab, $print, $print_look) = look(
        { %one, %tall, evaluate => "({ boxes: $boxes })" }, { %other, %tall, evaluate => $panel },
        { %one, script => 0, evaluate => "({ boxes: $boxes })" },
        { %other, script => 0, press => [('Tab') x 3], evaluate => $focus },
        { %one, print => 1, evaluate => $paper }, { %other, print => 1, evaluate => $paper },
    );
    my ($had, $has) = map { { faults($_) } } $plain, $look;
    my ($at, $found, $silent, $focused, $paper, $printed) = map { $_->{value} } $plain, $look, $still, $tab, $print, $print_look;
    subtest $page => sub {
        is $look->{headers}{'cache-control'}, 'no-store, private', 'highlighted';
        is moved($at->{boxes}, $found->{boxes}), undef, 'every element is where it was';
        is moved($silent->{boxes}, $focused->{boxes}), undef, 'also while a note is shown';
        is moved($paper->{boxes}, $printed->{boxes}), undef, 'and in print';
        is $printed->{seen}, 0, 'of which nothing is printed';
        is_deeply [grep { $has->{$_} > ($had->{$_} // 0) } sort keys %$has], [], 'axe finds nothing new';
        is $found->{position}, 'fixed', 'the panel takes no room';
        cmp_ok $found->{notes}, '>', 5, 'notes';
        is $found->{unshaded}, 0, 'what is marked is shaded';
        is_deeply [map { /^"(Template, which|Kept|Content|Not shaded)/ ? $1 : $_ } @{ $found->{lines} }],
            ['Template, which', 'Kept', 'Content', 'Not shaded'], 'the legend';
        is_deeply $found->{unreached}, [], 'the focus shows each note';
        my $of = $focused->{of};
        ok defined $of && $focused->{notes} eq $of, 'with Tab, without scripts: the note of the block' or diag explain [$of, $focused->{notes}];
        like $focused->{text}, qr/Detector auto: [\d.]+, template above/, 'which says why';
    };
}
$httpd->finish;
done_testing;
