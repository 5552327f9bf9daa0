# SPDX-License-Identifier: Apache-2.0
package Test::Tmpl::Site;

# A small web site, the same in every run: header with navigation, sidebar, an article that differs
# from page to page, footer with a copyright line. Every part has a name, so that a test knows which
# bytes of a page have to remain.

use strict;
use warnings;

use Test::Tmpl::Pages;

# The bytes that the article of a large page has at least, by the page's number modulo large.
my %LARGE = (4 => 70_000, 7 => 300_000, 9 => 1_100_000);

my @WORDS = qw(amber basil cedar delta ember fjord grove harbour island juniper kelp lagoon meadow
    nectar orchid pepper quartz river saffron timber umber valley willow yarrow zephyr anchor
    beacon candle dagger easel falcon garnet);

# name => distinguishes the sites of one test; extra => HTML at the end of every article, or code
# that makes it from the page's number; large => 10: of ten pages three are as large as users' pages
# may be, 64 KB, 256 KB and 1 MB (numbers that end in 4, 7 and 9)
sub new {
    my ($class, %args) = @_;
    my $extra = ref $args{extra} ? $args{extra} : sub { $args{extra} // '' };
    # made once, before a backend has a process for each connection
    Test::Tmpl::Pages::long(0, $_) for $args{large} ? values %LARGE : ();
    my $all = $args{large} ? sub { long_article($_[0] % $args{large}, $_[0]) . $extra->($_[0]) } : $extra;
    return bless { name => $args{name} // 'Harbour News', extra => $all }, $class;
}

sub long_article {
    my ($place, $n) = @_;
    return $LARGE{$place} ? Test::Tmpl::Pages::long($n, $LARGE{$place}) : '';
}

# Words that differ for every seed, without rand(): the same in every run and every Perl.
sub words {
    my ($seed, $n) = @_;
    my @words;
    for my $i (1 .. $n) {
        $seed = ($seed * 1_103_515_245 + 12_345 + $i) % 2_147_483_648;
        push @words, $WORDS[($seed >> 8) % @WORDS];
    }
    return join ' ', @words;
}

# The parts of page n in order: [name, HTML].
sub pieces {
    my ($self, $n) = @_;
    my $name = $self->{name};
    my $article = join "\n", map {
        "<p>Item $n.$_ tells of " . words($n * 97 + $_, 25) . ' and <em>more</em> in ' . "$n &amp; $_.</p>"
    } 1 .. 4;
    return (
        [head => "<!DOCTYPE html>\n<html lang=\"en\">\n<head><meta charset=\"utf-8\">"
            . "<title>Page $n of $name</title></head>\n<body>\n"],
        [header => "<header id=\"top\"><a href=\"/\"><img src=\"/logo.png\" alt=\"Logo\"></a>\n<nav><ul>"
            . join('', map { "<li><a href=\"/$_\">The $_ pages of $name</a></li>" } qw(news sport arts travel))
            . "</ul></nav></header>"],
        [gap1 => "\n<main>\n"],
        [article => "<article id=\"article\"><h1>Story number $n about " . words($n, 4)
            . "</h1>\n$article\n" . $self->{extra}->($n) . '</article>'],
        [gap2 => "\n</main>\n"],
        [aside => "<aside class=\"side\"><h2>Most read in $name</h2><ul><li><a href=\"/a1\">Ferries again on time</a></li>"
            . "<li><a href=\"/a2\">Old lighthouse for sale</a></li></ul></aside>"],
        [gap3 => "\n"],
        [footer => "<footer><p>Copyright 2020 by the makers of $name. All rights reserved.</p></footer>"],
        [tail => "\n</body>\n</html>\n"],
    );
}

# Page n without the named parts.
sub page {
    my ($self, $n, @without) = @_;
    my %without = map { $_ => 1 } @without;
    return join '', map { $without{ $_->[0] } ? '' : $_->[1] } $self->pieces($n);
}

# Page n without its template.
sub stripped {
    my ($self, $n) = @_;
    return $self->page($n, qw(header aside footer));
}

sub piece {
    my ($self, $n, $name) = @_;
    return (map { $_->[1] } grep { $_->[0] eq $name } $self->pieces($n))[0];
}

# For a backend: answers /page/N and /page/N?anything.
sub answer {
    my ($self, $connection, $request) = @_;
    my ($n) = $request->{target} =~ m{^/page/(\d+)(?:[?]|$)}
        or return $connection->respond(404, { 'Content-Type' => 'text/html' }, '<p>No such page</p>');
    return $connection->respond(200, { 'Content-Type' => 'text/html' }, $self->page($n));
}

1;
