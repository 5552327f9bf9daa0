# SPDX-License-Identifier: Apache-2.0

# Clients that close the connection before, within or after a page do no harm: no process dies, the
# log has no line, and the next client is answered.

use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::Tmpl;
use Socket qw(SOL_SOCKET SO_LINGER SO_RCVBUF);

my $site = Test::Tmpl::Site->new(extra => sub { '<p>' . Test::Tmpl::Site::words($_[0], 60_000) . '</p>' });
my $backend = backend {
    my ($connection, $request) = @_;
    return $site->answer(@_) if $request->{target} !~ m{^/slow/(\d+)};
    $connection->respond_chunked(200, { 'Content-Type' => 'text/html' }, $site->page($1) =~ /(.{1,40000})/gs);
};
my $httpd = proxy($backend, conf => "TmplMode strip\nTmplMaxBody 4194304");
$httpd->expect_log(qr/\[(?:proxy|proxy_http):(?:error|warn)\]/);
$httpd->visit(1 .. 6);

sub leave {
    my ($client, $how) = @_;
    setsockopt $client->{socket}, SOL_SOCKET, SO_LINGER, pack 'ii', 1, 0 if $how eq 'reset';
    $client->close;
    return;
}
for my $how ('close', 'reset') {
    for my $url ('/page/7', '/slow/8') {
        for (1 .. 5) {
            my $client = $httpd->client;
            $client->send_request($url);
            leave($client, $how);
            $client = $httpd->client;
            setsockopt $client->{socket}, SOL_SOCKET, SO_RCVBUF, pack 'i', 2048;
            $client->send_request($url);
            $client->take(100);
            leave($client, $how);
        }
        pass "$how: $url";
    }
}
same_bytes($httpd->get("/page/$_")->body, $site->stripped($_), "page $_ is served") for 7, 9 .. 14;

$httpd->finish;
done_testing;
