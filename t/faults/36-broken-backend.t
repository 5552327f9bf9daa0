# SPDX-License-Identifier: Apache-2.0

# If the backend breaks off, the client sees an error or an incomplete response, never a response that
# looks complete; and the page is not learnt. The next request is answered. (48-gzip-whole.t tests
# complete responses whose gzip is damaged.)

use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::Tmpl;
use Compress::Zlib ();

my $site = site(large => 10);
my $gzip = { 'Content-Type' => 'text/html', 'Content-Encoding' => 'gzip' };
my $html = { 'Content-Type' => 'text/html' };
my %BREAK = (
    before => sub { },
    headers => sub { $_[0]->send("HTTP/1.1 200 OK\r\nContent-Ty") },
    garbage => sub { $_[0]->send("\0\1\2 no HTTP at all\r\n\r\n") },
    length => sub { $_[0]->respond(200, { %$html, 'Content-Length' => length $_[1] }, substr $_[1], 0, 900) },
    nothing => sub { $_[0]->head(200, { %$html, 'Content-Length' => length $_[1] }) },
    chunk => sub { $_[0]->head(200, { %$html, 'Transfer-Encoding' => 'chunked' }); $_[0]->send("400\r\n" . substr $_[1], 0, 900) },
    chunks => sub { $_[0]->head(200, { %$html, 'Transfer-Encoding' => 'chunked' }); $_[0]->chunk(substr $_[1], 0, 900) },
    badchunk => sub { $_[0]->head(200, { %$html, 'Transfer-Encoding' => 'chunked' }); $_[0]->chunk(substr $_[1], 0, 900); $_[0]->send("zz\r\n") },
    gziplength => sub { my $z = Compress::Zlib::memGzip($_[1]); $_[0]->respond(200, { %$gzip, 'Content-Length' => length $z }, substr $z, 0, length($z) / 2) },
);
my $backend = backend {
    my ($connection, $request) = @_;
    my ($way, $n) = $request->{target} =~ m{^/break/(\w+)/(\d+)} or return $site->answer(@_);
    $BREAK{$way}->($connection, $site->page($n));
    return $connection->close;
};
my $httpd = proxy($backend, conf => 'TmplMode strip');
$httpd->visit(1 .. 6);
$httpd->expect_log(qr/\[(?:proxy|proxy_http|http|core|deflate):error\]|\[(?:proxy|proxy_http|deflate):warn\]|\[tmpl:warn\]/);

my $n = 21;
for my $way (sort keys %BREAK) {
    my $res = $httpd->get("/break/$way/$n");
    my $page = $site->page($n);
    ok !$res->complete || $res->status >= 500, "$way: the client sees an error or an incomplete response"
        or diag 'status ', $res->status, ', ', length $res->body, ' bytes, ', $res->header('Tmpl') // '';
    $n++;
}
my $res = $httpd->get('/page/7');
same_bytes($res->body, $site->stripped(7), 'the next request is answered');
is $res->says('pages'), 7, 'no incomplete page was learnt';

$httpd->finish;
done_testing;
