# SPDX-License-Identifier: Apache-2.0

# Requests to backends with other protocols than HTTP/1 are changed in the same way: they accept only
# encodings that the module can undo, have no Range for pages, and the backend's own tag in
# If-None-Match. After that other modules see the client's fields again: Range is served, the response
# is compressed, and the access log has the client's fields.

use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::Tmpl;

my $site = site();
my $origin = httpd(bare => 1, modules => [qw(http2 brotli)], conf => <<'END');
Protocols h2c http/1.1
SetOutputFilter BROTLI_COMPRESS;DEFLATE
LogFormat "%r %>s %{Accept-Encoding}i %{Range}i" asked
CustomLog "@ROOT@/access.log" asked
END
spit($origin->root . "/htdocs/$_.html", $site->page($_)) for 1 .. 9;
my $url = 'h2c://127.0.0.1:' . $origin->port;
my $gone = 'h2c://127.0.0.1:' . free_port();
my $httpd = Test::Tmpl::Httpd->new(modules => ['proxy_http2'], detector => 'incremental', conf => <<"END");
TmplMode strip
ProxyPass /own !
ProxyPass /gone $gone/
ProxyPass /said $gone/
ProxyPass / $url/
<Location /said>
    ErrorDocument 503 /own/error.html
</Location>
LogFormat "%U %>s %{Accept-Encoding}i %{Range}i" asked
CustomLog "\@ROOT\@/access.log" asked
END
mkdir $httpd->root . '/htdocs/own';
spit($httpd->root . '/htdocs/own/error.html', $site->page(1));
$httpd->start;

my %fields = ('Accept-Encoding' => 'br;q=1, gzip;q=0.5', Range => 'bytes=100-199');
my $whole;
for my $n (1 .. 8) {
    $whole = $httpd->get("/$n.html", headers => { 'Accept-Encoding' => $fields{'Accept-Encoding'} });
    is $whole->says('declined'), '', "page $n is judged";
}
same_bytes($whole->body, $site->stripped(8), 'an Accept-Encoding that the backend supports and the module does not');
my $part = $httpd->get('/8.html', headers => \%fields);
is $part->status, 206, 'Range: 206';
same_bytes($part->body, substr($site->stripped(8), 100, 100), 'Range: a part of the stripped page');
my $tag = $httpd->get('/8.html')->header('ETag');
my $same = $httpd->get('/8.html', headers => { 'If-None-Match' => $tag });
is $same->status, 304, 'the module\'s tag: 304';
is $same->header('ETag'), $tag, '304 has the module\'s tag';

is $httpd->get('/gone/1.html', headers => \%fields)->status, 503, 'no backend';
my $said = $httpd->get('/said/1.html', headers => \%fields);
is $said->status, 503, 'no backend, and a proxied ErrorDocument';
same_bytes($said->body, $site->page(1), 'the ErrorDocument');

# The log's lines about a target, sorted: httpd writes a line after the response, maybe after the
# next request.
my $log = sub {
    my ($server, $target) = @_;
    my @lines = sort grep { /\Q$target\E/ } split /\n/, slurp($server->root . '/access.log');
    return @lines;
};
my %lines = ('/gone/1.html' => 1, '/said/1.html' => 1, '/8.html' => 4);
ok wait_for { !grep { $log->($httpd, $_) < $lines{$_} } keys %lines }, 'all requests are logged';
is_deeply [$log->($httpd, $_)], ["$_ 503 $fields{'Accept-Encoding'} $fields{Range}"], "a failed request is logged with the client's fields: $_"
    for qw(/gone/1.html /said/1.html);
is((grep { $_ eq "/8.html 206 $fields{'Accept-Encoding'} $fields{Range}" } $log->($httpd, '/8.html')), 1, 'a served request is logged with the client\'s fields');

# mod_http2 may write the last of a connection's lines when that ends.
$httpd->expect_log(qr/AH0\d+: .*(?:failed|error|disabled)/i);
$httpd->finish;
ok wait_for { $log->($origin, '/8.html') >= 4 }, 'the backend has logged all requests';
is_deeply [$log->($origin, '/8.html')], ['GET /8.html HTTP/2.0 200 - -', ('GET /8.html HTTP/2.0 200 gzip;q=0.5 -') x 2,
    'GET /8.html HTTP/2.0 304 - -'], 'the backend got the rewritten requests';

# FastCGI scripts are usually set by SetHandler; only mod_proxy's handler marks them as proxied.
my $script = backend { $_[0]->respond(200, { 'Content-Type' => 'text/html' }, $site->page(1)) };
my $handled = httpd(conf => "TmplMode strip\n<Location />\nSetHandler proxy:" . $script->url . "\n</Location>\n");
is $handled->get('/', headers => \%fields)->status, 206, 'SetHandler proxy: Range: 206';
is_deeply [map { [@{ $_->{headers} }{qw(accept-encoding range)}] } $script->requests], [['gzip;q=0.5', undef]],
    'SetHandler proxy: the backend gets the rewritten fields';
$handled->finish;

$origin->expect_log(qr/AH10034/);    # mod_proxy_http2 warns under prefork, but works
$origin->finish;
done_testing;
