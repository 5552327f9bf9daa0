# SPDX-License-Identifier: Apache-2.0

# HTTP/2 in front: the same pages, many streams at a time on one connection.

use FindBin;
use lib "$FindBin::Bin/lib";
use Test::Tmpl;
use Test::Tmpl::Http2;

plan skip_all => 'no mod_http2' if !Test::Tmpl::Httpd::has_module('http2');
plan skip_all => 'mod_http2 does not work under prefork' if Test::Tmpl::Httpd::mpm() eq 'prefork';

my $site = site();
my $backend = backend { $site->answer(@_) };
my $httpd = proxy($backend, modules => ['http2'], conf => "TmplMode strip\nProtocols h2c http/1.1\n");
$httpd->visit(1 .. 6);

for my $round (1 .. 3) {
    my @n = map { $round * 40 + $_ } 0 .. 29;
    my @answers = Test::Tmpl::Http2::get_all($httpd->port, map { "/page/$_" } @n);
    is scalar(grep { $_->[0] } @answers), 30, "round $round: thirty whole answers";
    my @wrong = grep { $answers[$_][1] ne $site->stripped($n[$_]) } 0 .. $#n;
    is_deeply \@wrong, [], "round $round: all of them stripped";
}
same_bytes($httpd->get('/page/7')->body, $site->stripped(7), 'HTTP/1.1 beside it');

$httpd->finish;
done_testing;
