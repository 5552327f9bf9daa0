# SPDX-License-Identifier: Apache-2.0

# Public faults: response splitting by a backend's status line (CVE-2026-33523), a length of gzip's extra field with its
# sign bit set (mod_deflate 2.4.71), Vary: * by Header always (mod_cache 2.4.70), a Host above 8,192 bytes
# (CVE-2026-63292).

use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::Tmpl;
use Compress::Zlib ();

my $site = site();
my %STATUS = (
    cr => "HTTP/1.1 200 OK\rX-Split: 1", escaped => 'HTTP/1.1 200 OK%0d%0aX-Split: 1', nul => "HTTP/1.1 200 OK\0X-Split: 1",
    long => 'HTTP/1.1 200 ' . 'O' x 7000, empty => 'HTTP/1.1 200 ', none => 'HTTP/1.1 200', high => "HTTP/1.1 200 \xe5\x98\x8d\xe5\x98\x8aX-Split: 1",
);

# A gzip file with an extra field of that length, and a name and a comment.
sub zipped {
    my ($html, $length) = @_;
    my $zip = Compress::Zlib::memGzip(my $copy = $html);
    return pack('C4VCC v', 0x1f, 0x8b, 8, 4 | 8 | 16, 0, 0, 3, $length) . "\xff" x $length . "name\0comment\0" . substr $zip, 10;
}
my @LENGTHS = (0, 1, 0x7f, 0x80, 0xff, 0x100, 0x7fff, 0x8000, 0x8001, 0xffff);
my $backend = backend {
    my ($connection, $request) = @_;
    if ($request->{target} =~ m{^/status/(\w+)/(\d+)}) {
        my $html = $site->page($2);
        return $connection->send("$STATUS{$1}\r\nContent-Type: text/html\r\nContent-Length: ${\ length $html}\r\n\r\n$html");
    }
    if ($request->{target} =~ m{^/extra/(\d+)/(\w+)}) {
        my $zip = zipped($site->page(8), $1);
        $zip = substr $zip, 0, 12 + $1 / 2 if $2 eq 'cut';
        return $connection->respond(200, { 'Content-Type' => 'text/html', 'Content-Encoding' => 'gzip' }, $zip);
    }
    return $site->answer($connection, $request);
};
my $httpd = proxy($backend, conf => <<'END');
TmplMode strip
LimitRequestFieldSize 65536
LimitRequestLine 65536
<If "req('X-Mode') == 'markdown'">
    TmplMode markdown
</If>
<If "%{QUERY_STRING} == 'vary'">
    Header always set Vary *
    TmplMarkdown on
</If>
END
$httpd->expect_log(qr/T025|\[(?:proxy|proxy_http|core|http):\w+\]/);
$httpd->visit(1 .. 6);

for my $what (sort keys %STATUS) {
    for my $mode ('', 'markdown') {
        my $res = $httpd->get("/status/$what/7", headers => { 'X-Mode' => $mode });
        is $res->header('X-Split'), undef, "status line, $what $mode: no field of it";
        like $res->status, qr/^(?:200|502)$/, "status line, $what $mode: an answer";
        same_bytes($res->body, $site->stripped(7), "status line, $what: the page") if $res->status == 200 && !$mode;
    }
}
for my $length (@LENGTHS) {
    my $res = $httpd->get("/extra/$length/whole", headers => { 'Accept-Encoding' => 'gzip' });
    same_bytes($res->body, $site->stripped(8), "extra field of $length bytes: stripped");
    $res = $httpd->get("/extra/$length/cut", headers => { 'Accept-Encoding' => 'gzip' });
    same_bytes($res->body, substr(zipped($site->page(8), $length), 0, 12 + $length / 2), "extra field of $length bytes, cut there: unchanged");
}
my $vary = $httpd->get('/page/7?vary');
is join(',', $vary->header_values('Vary')) =~ tr/*//, 1, 'Vary: * of httpd stays';
same_bytes($vary->body, $site->stripped(7), 'and the page is stripped');

for my $length (255, 1000, 8191, 8192, 8193, 20_000) {
    my $res = $httpd->get('/page/7', host => 'h' x $length);
    like $res->status, qr/^(?:200|400)$/, "a host of $length bytes: an answer";
    ok $res->complete, "a host of $length bytes: it is complete";
}
same_bytes(($httpd->visit(9))[0]->body, $site->stripped(9), 'the site itself is served');
$httpd->finish;
done_testing;
