# SPDX-License-Identifier: Apache-2.0

# Pages arrive complete with every transfer: chunked with extensions and trailers, ended by the end
# of the connection, byte by byte, from and to HTTP/1.0, many on one connection and pipelined.

use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::Tmpl;

my $site = site();
my $backend = backend {
    my ($connection, $request) = @_;
    my ($way, $n) = $request->{target} =~ m{^/(\w+)/(\d+)};
    my $page = $site->page($n);
    my $type = 'Content-Type: text/html';
    if ($way eq 'close' || $way eq 'old') {
        my $version = $way eq 'old' ? '1.0' : '1.1';
        $connection->send("HTTP/$version 200 OK\r\n$type\r\nConnection: close\r\n\r\n$page");
        return $connection->close;
    }
    if ($way eq 'trailer') {
        return $connection->send("HTTP/1.1 200 OK\r\n$type\r\nTransfer-Encoding: chunked\r\nTrailer: X-After\r\n\r\n"
            . sprintf("%x;ext=1\r\n%s\r\n", length $page, $page) . "0\r\nX-After: 1\r\n\r\n");
    }
    if ($way eq 'dribble') {
        $connection->head(200, { 'Content-Type' => 'text/html', 'Content-Length' => length $page });
        for (split //, $page) {
            $connection->send($_);
            $connection->drain;
        }
        return;
    }
    return $connection->respond(200, { 'Content-Type' => 'text/html' }, '') if $way eq 'empty';
    return $connection->respond(200, { 'Content-Type' => 'text/html' }, $page);
};
my $httpd = proxy($backend, conf => 'TmplMode strip');
$httpd->visit(1 .. 6);
my $want = $site->stripped(7);

same_bytes($httpd->get("/$_/7")->body, $want, "backend: $_") for qw(page close old trailer dribble);
my $res = $httpd->get('/empty/7');
is $res->status, 200, 'an empty page: 200';
is $res->body, '', 'an empty page: no body';

$res = $httpd->get('/page/7', version => '1.0', headers => { Connection => undef });
same_bytes($res->body, $want, 'HTTP/1.0 client');
is $res->header('Transfer-Encoding'), undef, 'HTTP/1.0 client: no chunks';
$res = $httpd->get('/dribble/7', version => '1.0', headers => { Connection => 'keep-alive' });
same_bytes($res->body, $want, 'HTTP/1.0 keep-alive client');

my $client = $httpd->client;
my @wrong = grep { $client->get("/page/$_")->body ne $site->stripped($_) } 1 .. 30;
is_deeply \@wrong, [], 'thirty pages on one connection';
$client->send_request("/page/$_") for 10 .. 19;
@wrong = grep { $client->read_response('GET')->body ne $site->stripped($_) } 10 .. 19;
is_deeply \@wrong, [], 'ten requests pipelined';

$httpd->finish;
done_testing;
