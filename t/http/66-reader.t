# SPDX-License-Identifier: Apache-2.0

# Mode reader sends the content of a page as a page of its own: with its own Content-Security-Policy in place of the
# page's, a tag of its own, and the fields of the answer to HEAD. A page that is declined passes untouched.

use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::Tmpl;
use Compress::Zlib ();

my $site = site();
my $big = '<div>' x 100 . ('<p>' . 'A sentence of some <i>text</i> that stands on a page of a site that is large. ' x 3 . '<a href="/x">a link</a></p>') x 3_500;
my $backend = backend {
    my ($connection, $request) = @_;
    my ($kind, $n) = $request->{target} =~ m{^/(\w+)/(\d+)};
    my %fields = ('Content-Type' => 'text/html', ETag => '"v1"', 'Content-Security-Policy' => "style-src 'none'",
        'Content-Security-Policy-Report-Only' => "default-src 'none'");
    return $connection->head(304, { ETag => '"v1"', 'Content-Security-Policy' => "style-src 'none'" }) if ($request->{headers}{'if-none-match'} // '') =~ /"v1"/;
    my $page = $kind eq 'big' ? "<title>Big</title>$big" : $kind eq 'frames' ? '<frameset>' : $site->page($n);
    $page =~ s/utf-8/iso-8859-1/, $page =~ s/Story/St\xF6ry/g if $kind eq 'latin';
    $page =~ s{(?=<article)}{<script>hurt()</script>} if $kind eq 'page';
    $fields{'Content-Type'} .= '; charset=iso-8859-1' if $kind eq 'latin';
    $fields{'Set-Cookie'} = 'a=b' if $kind eq 'cookie';
    my $zip = $kind eq 'gzip';
    return $connection->respond(200, { %fields, $zip ? ('Content-Encoding' => 'gzip') : () }, $zip ? Compress::Zlib::memGzip($page) : $page);
};
my $httpd = proxy($backend, conf => "TmplMode reader\n<Location /keep>\n    TmplMinKeep 1\n</Location>\n");
$httpd->visit(1 .. 8);

my $res = $httpd->get('/page/9', headers => { 'Accept-Encoding' => 'gzip' });
my ($policy) = $res->body =~ /http-equiv="Content-Security-Policy" content="([^"]*)"/;
is $res->header('Content-Type'), 'text/html; charset=utf-8', 'HTML';
like $res->body, qr{^<!doctype html>.*<h1>Story number 9.*</article>\n</main>\n</body>\n</html>\n$}s, 'a page';
unlike $res->body, qr/hurt|<nav|<script/, 'without script and template';
is $res->header('Content-Security-Policy'), $policy, 'the policy is a field, too, in place of the page\'s';
like $policy, qr/^default-src 'none'; .*style-src 'sha256-[^']{44}'/, 'and allows no script';
is $res->header('Content-Security-Policy-Report-Only'), undef, 'nothing else of the page\'s policy';
is $res->header('ETag'), 'W/"v1-tmpl-reader"', 'a tag of its own';
is $httpd->get('/cookie/9')->header('Set-Cookie'), 'a=b', 'cookies pass';
is $res->header('Content-Length'), length $res->body, 'length';

my $head = $httpd->get('/page/9', method => 'HEAD');
is $head->header($_), $res->header($_), "HEAD: $_" for 'Content-Type', 'Content-Security-Policy';
is $head->header('Content-Length'), undef, 'HEAD: no length';

my $again = $httpd->get('/page/9', headers => { 'If-None-Match' => 'W/"v1-tmpl-reader"' });
is $again->status, 304, 'a copy is fresh';
is $again->header('Content-Security-Policy'), $policy, 'and keeps its policy';

like $httpd->get('/gzip/9')->body, qr/<h1>Story number 9/, 'from a page in gzip';
like $httpd->get('/latin/9')->body, qr/<h1>St\xC3\xB6ry number 9/, 'in UTF-8';

for my $row (['/frames/1' => 'frameset'], ['/keep/9' => 'min-keep']) {
    my ($target, $reason) = @$row;
    my $res = $httpd->get($target);
    is $res->says('declined'), $reason, "$target is declined";
    is $res->header('Content-Security-Policy'), "style-src 'none'", 'with its own policy';
    unlike $res->body, qr/^<!doctype html>\n<html/, 'and unchanged';
}

$res = $httpd->get('/big/1');
is $res->says("declined"), "", "not declined";
like $res->body, qr{^<!doctype html>.*</html>\n$}s, 'a page of 1 MB';
is scalar(() = $res->body =~ m{<a href="http://[^"]+/x">a link</a>}g), 3_500, 'with all its links';
$httpd->finish;
done_testing;
