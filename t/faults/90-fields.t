# SPDX-License-Identifier: Apache-2.0

# Public faults: response splitting by a backend's status line (CVE-2026-33523), also where mod_tmpl
# sets another status: 304 for an unchanged page, 200 for a twin; a length of gzip's extra field
# with its sign bit set (mod_deflate 2.4.71); Vary: * by Header always (mod_cache 2.4.70); a Host
# above 8,192 bytes (CVE-2026-63292).

use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::Tmpl;
use Compress::Zlib ();

my $site = site();
# What follows the number of the status. (A field behind LF alone is one that the backend sends.)
my %STATUS = (
    cr => " OK\rX-Split: 1", escaped => ' OK%0d%0aX-Split: 1', nul => " OK\0X-Split: 1", long => ' ' . 'O' x 7000, empty => ' ', none => '',
    high => " \xe5\x98\x8d\xe5\x98\x8aX-Split: 1", lf => " OK\n X-Split: 1", crs => " OK\r\r\r\nX-Other: 1\rX-Split: 1",
);

# A gzip file with an extra field of that length, and a name and a comment.
sub zipped {
    my ($html, $length) = @_;
    my $zip = Compress::Zlib::memGzip(my $copy = $html);
    return pack('C4VCC v', 0x1f, 0x8b, 8, 4 | 8 | 16, 0, 0, 3, $length) . "\xff" x $length . "name\0comment\0" . substr $zip, 10;
}
# Who says Vary: *.
my @VARY = qw(always set own nobody);
my @LENGTHS = (0, 1, 0x7f, 0x80, 0xff, 0x100, 0x7fff, 0x8000, 0x8001, 0xffff);
my $backend = backend {
    my ($connection, $request) = @_;
    if ($request->{target} =~ m{^/(status|twin)/(\w+)/(\d+)(\.md)?}) {
        my ($status, $html) = $4 ? ("404$STATUS{$2}", 'Nothing.') : ($1 eq 'twin' ? '200 OK' : "200$STATUS{$2}", $site->page($3));
        return $connection->send("HTTP/1.1 $status\r\nContent-Type: text/html\r\nContent-Length: ${\ length $html}\r\n\r\n$html");
    }
    if ($request->{target} =~ m{^/vary/(\w+)/(\d+)}) {
        my %headers = ('Content-Type' => 'text/html', 'Cache-Control' => 'max-age=600', $1 eq 'own' ? (Vary => '*') : ());
        return $connection->respond(200, \%headers, $site->page($2));
    }
    if ($request->{target} =~ m{^/extra/(\d+)/(\w+)}) {
        my $zip = zipped($site->page(8), $1);
        $zip = substr $zip, 0, 12 + $1 / 2 if $2 eq 'cut';
        return $connection->respond(200, { 'Content-Type' => 'text/html', 'Content-Encoding' => 'gzip' }, $zip);
    }
    return $site->answer($connection, $request);
};
my @cache = Test::Tmpl::Httpd::has_module('cache_disk') ? qw(cache cache_disk) : ();
my $httpd = proxy($backend, modules => \@cache, conf => <<'END');
TmplMode strip
<IfModule mod_cache_disk.c>
    CacheRoot "@ROOT@/cache"
    CacheEnable disk /vary/
</IfModule>
LimitRequestFieldSize 65536
LimitRequestLine 65536
<LocationMatch "^/(twin|vary)/">
    TmplMarkdown on
</LocationMatch>
<Location /vary/always>
    Header always set Vary *
</Location>
<Location /vary/set>
    Header set Vary *
</Location>
<If "req('X-Mode') == 'markdown'">
    TmplMode markdown
</If>
<If "req('X-Mode') == 'content'">
    TmplValidate content
</If>
END
$httpd->expect_log(qr/T025|\[(?:proxy|proxy_http|core|http):\w+\]/);
$httpd->visit(1 .. 6);

for my $what (sort keys %STATUS) {
    for my $mode ('', 'markdown', 'content') {
        my $res = $httpd->get("/status/$what/7", headers => { 'X-Mode' => $mode });
        is $res->header('X-Split'), undef, "status line, $what $mode: no field of it";
        like $res->status, qr/^(?:200|50[02])$/, "status line, $what $mode: an answer";
        same_bytes($res->body, $site->stripped(7), "status line, $what: the page") if $res->status == 200 && $mode ne 'markdown';
        next if $mode ne 'content' || $res->status != 200;
        $res = $httpd->get("/status/$what/7", headers => { 'X-Mode' => $mode, 'If-None-Match' => $res->header('ETag') });
        is $res->status . " $res->{reason}" . ($res->header('X-Split') // ''), '304 Not Modified', "status line, $what: no part of it in a 304";
    }
    my $res = $httpd->get("/twin/$what/7.md");
    like $res->status . " $res->{reason}", qr/^(?:200 OK|500 Internal Server Error|502 Proxy Error)$/, "status line, $what: no part of it in a twin's";
    is $res->header('X-Split'), undef, "status line, $what: no field of it in a twin";
    like $res->body, qr/^# Story number 7 /m, "status line, $what: a twin" if $res->status == 200;
}
for my $length (@LENGTHS) {
    my $res = $httpd->get("/extra/$length/whole", headers => { 'Accept-Encoding' => 'gzip' });
    same_bytes($res->body, $site->stripped(8), "extra field of $length bytes: stripped");
    $res = $httpd->get("/extra/$length/cut", headers => { 'Accept-Encoding' => 'gzip' });
    same_bytes($res->body, substr(zipped($site->page(8), $length), 0, 12 + $length / 2), "extra field of $length bytes, cut there: unchanged");
}
for my $how (@VARY) {
    for my $round (1, 2) {
        my $res = $httpd->get("/vary/$how/7");
        is join(',', $res->header_values('Vary')) =~ tr/*//, $how eq 'nobody' ? 0 : 1, "Vary: *, $how, $round: it stays";
        same_bytes($res->body, $site->stripped(7), "Vary: *, $how, $round: the page is stripped");
        $res = $httpd->get("/vary/$how/7", headers => { Accept => 'text/markdown' });
        like $res->body, qr/^# Story number 7 /m, "Vary: *, $how, $round: Markdown for who wants it, whatever mod_cache has";
    }
    is scalar(grep { $_->{target} eq "/vary/$how/7" } $backend->requests), $how eq 'nobody' && @cache ? 2 : 4, "Vary: *, $how: what mod_cache keeps";
}

for my $length (255, 1000, 8191, 8192, 8193, 20_000) {
    my $res = $httpd->get('/page/7', host => 'h' x $length);
    like $res->status, qr/^(?:200|400)$/, "a host of $length bytes: an answer";
    ok $res->complete, "a host of $length bytes: it is complete";
}
same_bytes(($httpd->visit(9))[0]->body, $site->stripped(9), 'the site itself is served');
$httpd->finish;
done_testing;
