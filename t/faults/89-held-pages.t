# SPDX-License-Identifier: Apache-2.0

# Public fault: RST_STREAM right after HEADERS (mod_http2, CVE-2026-57941). Streams that end while their pages are held:
# no child ends, and other requests get their pages. (That no file handle is left, CVE-2026-48913, is among the failing
# calls of tests/allocation/calls.c.)

use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::Tmpl;
use Test::Tmpl::Http2;

plan skip_all => 'no mod_http2' if !Test::Tmpl::Httpd::has_module('http2');
plan skip_all => 'mod_http2 does not work under prefork' if Test::Tmpl::Httpd::mpm() eq 'prefork';

my $site = site();
my $backend = backend {
    my ($connection, $request) = @_;
    my ($round, $n) = $request->{target} =~ m{^/held/(\d+)/(\d+)} or return $site->answer(@_);
    my $html = $site->page($n);
    $connection->head(200, { 'Content-Type' => 'text/html', 'Transfer-Encoding' => 'chunked' });
    $connection->chunk(substr $html, 0, length($html) / 2, '');
    $connection->wait_until("rest$round");
    $connection->chunk($html);
    return $connection->send("0\r\n\r\n");
};
my $httpd = proxy($backend, modules => ['http2'], conf => "TmplMode strip\nProtocols h2c http/1.1\n");
$httpd->expect_log(qr/\[(?:proxy|proxy_http|http2):(?:error|warn)\]/);
$httpd->visit(1 .. 6);
for my $round (1 .. 10) {
    my $connection = Test::Tmpl::Http2->new($httpd->port);
    # right after HEADERS, or when the backend has begun to send the page
    my @streams = $connection->request(map { "/held/$round/$_" } 1 .. 3);
    ok wait_for { grep { $_->{target} =~ m{^/held/$round/} } $backend->requests }, "round $round: a page is held" if $round % 2;
    $connection->cancel(@streams);
    $backend->allow("rest$round");
    is +($connection->ask("/page/$round"))[0][1], $site->stripped($round), "round $round: the connection goes on";
}
same_bytes(($httpd->visit(20))[0]->body, $site->stripped(20), 'other clients are served');
$httpd->finish;

done_testing;
