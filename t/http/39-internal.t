# SPDX-License-Identifier: Apache-2.0

# Requests within the server: a page made by SSI is one page, its parts are not pages; internal
# redirects and directory indexes are handled once; an ErrorDocument, local or proxied, passes
# unchanged.

use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::Tmpl;

my $site = site();
my $backend = backend {
    my ($connection, $request) = @_;
    return $connection->respond(503, { 'Content-Type' => 'text/html' }, 'down') if $request->{target} =~ m{^/proxied/down};
    $request->{target} =~ s{^/proxied}{};
    return $site->answer($connection, $request);
};
my $url = $backend->url;
my $httpd = Test::Tmpl::Httpd->new(modules => [qw(include rewrite asis)], conf => <<"END");
TmplMode strip
<If "%{QUERY_STRING} == 'off'">
    TmplMode off
</If>
ProxyPass /proxied $url/proxied
ErrorDocument 404 /error.html
ErrorDocument 503 /error.html
ErrorDocument 414 /refused.asis
ProxyErrorOverride On 503
RewriteEngine on
RewriteRule ^/inside/(.*)\$ /page/\$1.html [PT]
<Directory "\@ROOT\@/htdocs">
    Require all granted
    Options +Includes
    AddHandler send-as-is asis
    DirectoryIndex index.html
    RewriteEngine on
    RewriteRule ^again/(.*)\$ /page/\$1.html [L]
    RewriteRule ^front/(.*)\$ /front.shtml [E=NUMBER:\$1,L]
    <Files "*.shtml">
        SetOutputFilter INCLUDES
    </Files>
</Directory>
END
my $htdocs = $httpd->root . '/htdocs';
mkdir "$htdocs/$_" for qw(page ssi dir again front);
spit("$htdocs/front.shtml", '<!--#include virtual="/page/${REDIRECT_NUMBER}.html" -->');
for my $n (1 .. 9) {
    spit("$htdocs/page/$n.html", $site->page($n));
    spit("$htdocs/ssi/$n.$_.html", $site->piece($n, $_)) for qw(header aside footer);
    spit("$htdocs/ssi/$n.shtml", join '', map {
        $_->[0] =~ /^(header|aside|footer)$/ ? "<!--#include virtual=\"$n.$_->[0].html\" -->" : $_->[1]
    } $site->pieces($n));
}
spit("$htdocs/error.html", $site->page(1));
spit("$htdocs/dir/index.html", $site->page(9));
spit("$htdocs/refused.asis", "Status: 200 OK\nContent-Type: text/html\n\n" . $site->page(1));
$httpd->start;

my @answers = map { $httpd->get("/ssi/$_.shtml") } 1 .. 6;
same_bytes($httpd->get('/ssi/1.shtml?off')->body, $site->page(1), 'SSI: a page is put together');
is $answers[5]->says('pages'), 6, 'SSI: the included parts are not pages';
same_bytes($answers[5]->body, $site->stripped(6), 'SSI: the sixth is stripped');
same_bytes($httpd->get('/proxied/page/7')->body, $site->stripped(7), 'the same site through the proxy');

same_bytes($httpd->get('/inside/8')->body, $site->stripped(8), 'a rewritten address');
my $res = $httpd->get('/again/8');
same_bytes($res->body, $site->stripped(8), 'an internal redirect');
is scalar($res->header_values('Tmpl')), 1, 'one Tmpl field';
# one script for the whole site, as many sites do
spit("$htdocs/page/$_.html", $site->page($_)) for 20, 21;
my @pages = map { $httpd->get("/front/$_")->says('pages') } 20, 21, 20;
is_deeply [map { $_ - $pages[0] } @pages], [0, 1, 1], 'each page of one script is a document of its own';
$res = $httpd->get('/dir/');
same_bytes($res->body, $site->stripped(9), 'a directory index');
is scalar($res->header_values('Tmpl')), 1, 'one Tmpl field';

# for files httpd passes the body to filters with HEAD, too, so the fields of GET are known
my ($get, $head) = map { $httpd->get('/page/8.html', method => $_) } qw(GET HEAD);
same_bytes($get->body, $site->stripped(8), 'a file');
is $head->header($_), $get->header($_), "HEAD of a file: $_ as for GET" for qw(Content-Length ETag Last-Modified);
utime 0, 1_000_000_000, $httpd->root . '/htdocs/page/8.html';
my $since = $httpd->get('/page/8.html', headers => { 'If-Modified-Since' => 'Mon, 06 Jan 2020 10:00:00 GMT' });
is $since->status, 200, 'a file that is not newer: 200, because its cuts may have changed';
same_bytes($since->body, $get->body, 'a file that is not newer: the page');
is $head->says('learned'), 0, 'nothing is learnt from HEAD';

for my $case ([404, '/nothing.html'], [503, '/proxied/down']) {
    my ($status, $target) = @$case;
    $res = $httpd->get($target);
    is $res->status, $status, "ErrorDocument: $status";
    same_bytes($res->body, $site->page(1), 'the unchanged document');
}

# the request line is too long, so the first request has no address; the document says that it is a page
$res = $httpd->get('/' . 'a' x 9000);
is $res->status, 200, 'ErrorDocument of a refused request line: answered';
same_bytes($res->body, $site->stripped(1), 'its page is judged by its own address');

$httpd->finish;

# whatever the order of LoadModule, the section of a directory's index counts, and RequestHeader is
# in force
my $first = Test::Tmpl::Httpd->new(first => 1, conf => <<'END');
TmplMode strip
TmplMarkdown on
<Directory "@ROOT@/htdocs">
    Require all granted
    DirectoryIndex index.html
</Directory>
<Location /bots>
    RequestHeader set Accept text/markdown
</Location>
END
mkdir $first->root . "/htdocs/$_" for qw(page bots);
spit($first->root . "/htdocs/page/$_.html", $site->page($_)) for 1 .. 8;
spit($first->root . "/htdocs/$_/index.html", $site->page(9)) for qw(page bots);
$first->start;
$first->get("/page/$_.html") for 1 .. 8;
like $first->get('/page/', headers => { Accept => 'text/markdown' })->header('Content-Type'), qr{^text/markdown;}, 'mod_tmpl is loaded first: the index as Markdown';
like $first->get('/bots/index.html')->header('Content-Type'), qr{^text/markdown;}, 'RequestHeader sets Accept';
$first->finish;
done_testing;
