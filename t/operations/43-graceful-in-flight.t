# SPDX-License-Identifier: Apache-2.0

# The backend sends half of a page before a graceful restart and the other half when the next
# generation already serves: the client gets the complete stripped page.

use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::Tmpl;

my $site = site();
my $dir = temp_dir();
my $backend = backend {
    my ($connection, $request) = @_;
    my ($n) = $request->{target} =~ m{^/slow/(\d+)} or return $site->answer(@_);
    my $page = $site->page($n);
    my $half = int(length($page) / 2);
    $connection->respond(200, { 'Content-Type' => 'text/html', 'Content-Length' => length $page }, substr $page, 0, $half);
    $connection->drain;
    spit("$dir/half.$n", '');
    wait_for { -e "$dir/go" };
    return $connection->send(substr $page, $half);
};
my $httpd = proxy($backend, conf => 'TmplMode strip');
$httpd->visit(1 .. 6);

my @slow = 11 .. 14;
my %client = map { $_ => $httpd->client } @slow;
$client{$_}->send_raw("GET /slow/$_ HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n") for @slow;
ok wait_for { !grep { !-e "$dir/half.$_" } @slow }, 'pages are on their way';

$httpd->graceful(busy => 1);
same_bytes($httpd->get('/page/20')->body, $site->stripped(20), 'the next generation serves pages');
spit("$dir/go", '');
for my $n (@slow) {
    my $res = $client{$n}->read_response('GET');
    ok $res->status == 200 && $res->complete, "page $n is complete";
    same_bytes($res->body, $site->stripped($n), "page $n is stripped");
}

$httpd->finish;
done_testing;
