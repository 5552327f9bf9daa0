# SPDX-License-Identifier: Apache-2.0

# TmplValidate content: the tag is a hash of what is sent. Advertisements, a clock and another footer do not
# change it, another article does; the client that has what would be sent gets 304 without a body. The tag of
# another variant never matches, the backend never gets a tag of the module, and equal bytes have equal tags on
# another proxy, whose table has grown. mod_cache keeps no page that it would not keep without the tag.

use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::Tmpl;

my $site = site();
my $DATE = 'Mon, 06 Jan 2020 10:00:00 GMT';
# /KIND/PAGE with a new clock and another advertisement each time; X-Page: footer has another footer, X-Page: news
# another article
my $backend = backend {
    my ($connection, $request) = @_;
    my ($kind, $n) = $request->{target} =~ m{^/(\w+)/(\d+)$} or return $connection->respond(404, {}, '');
    my $other = $request->{headers}{'x-page'} // '';
    my $asked = $request->{headers}{'if-none-match'} // '';
    my $now = Test::Tmpl::Site::words(Time::HiRes::time() * 1e6 % 1e9, 3);
    my %html = ('Content-Type' => 'text/html');
    %html = (%html, ETag => '"v1"', 'Last-Modified' => $DATE, 'Cache-Control' => 'max-age=600', Expires => $DATE, 'Content-Location' => "/$kind/$n")
        if $kind ne 'bare';
    return $connection->head(304, \%html) if $asked =~ /"v1"/;
    return $connection->respond(412, {}, 'no match') if exists $request->{headers}{'if-match'};
    $html{'Cache-Control'} = 'no-transform' if $kind eq 'own';
    $html{'Set-Cookie'} = 'seen=1' if $kind eq 'cookie';
    my $page = $site->page($n) =~ s{<ul><li>}{<ul><li>$now</li><li>}r =~ s{</aside>}{<a href="/ad?$now">Buy $now</a></aside>}r;
    $page =~ s{Copyright 2020}{A new footer of 2021} if $other eq 'footer';
    $page =~ s{Item}{News: item} if $other eq 'news';
    return $connection->respond(200, \%html, $page);
};
my $modes = join '', map { "<Location /$_>\n    TmplMode $_\n</Location>\n" } qw(annotate text markdown json headers);
# the parts of the fixture that change are known by their elements
my $conf = "TmplMode strip\nTmplValidate content\nTmplDrop header, aside, footer\n$modes" . <<'END';
<Location /backend>
    TmplValidate backend
</Location>
<Location /both>
    TmplMode headers
    TmplMarkdown on
</Location>
<Location /deflate>
    SetOutputFilter DEFLATE
</Location>
<Location /bytype>
    AddOutputFilterByType DEFLATE text/html
</Location>
<If "req('X-Mode') == 'markdown'">
    TmplMode markdown
</If>
<If "req('X-Marks') == 'other'">
    TmplMark noindex
</If>
END
my $httpd = proxy($backend, conf => $conf);
my $last_asked = sub { (grep { $_->{target} eq $_[0] } $backend->requests)[-1]{headers} };
my $get = sub { my ($url, %headers) = @_; return $httpd->get($url, headers => \%headers) };

is $get->('/plain/1')->header('ETag'), undef, 'a page of a cold site has no tag';
$httpd->get("/plain/$_") for 2 .. 7;

for my $kind (qw(plain bare cookie text markdown)) {
    my $res = $get->("/$kind/8");
    my $tag = $res->header('ETag');
    my $mode = $kind =~ /text|markdown/ ? $kind : 'strip';
    like $tag, qr/^"[0-9a-f]{32}-tmpl-$mode"$/, "$kind: the tag is strong and names the mode";
    is $res->header('Last-Modified'), undef, "$kind: no date";
    is $get->("/$kind/8")->header('ETag'), $tag, "$kind: another advertisement, the same tag";
    my $footer = $get->("/$kind/8", 'X-Page' => 'footer', 'If-None-Match' => $tag);
    is $footer->status, 304, "$kind: another footer: 304";
    is $footer->body, '', "$kind: without a body";
    is $footer->header('ETag'), $tag, "$kind: with the tag";
    is $footer->header($_), $res->header($_), "$kind: with $_ as 200 has it" for qw(Cache-Control Expires Content-Location Vary Set-Cookie);
    is $footer->header($_), undef, "$kind: 304 has no $_" for qw(Content-Length Content-Type Last-Modified);
    is $last_asked->("/$kind/8")->{$_}, undef, "$kind: the backend gets no $_" for qw(if-none-match if-match);
    is $get->("/$kind/8", 'If-None-Match' => "\"other\", W/$tag")->status, 304, "$kind: a weakened tag in a list: 304";
    my $news = $get->("/$kind/8", 'X-Page' => 'news', 'If-None-Match' => $tag);
    is $news->status, 200, "$kind: another article: 200";
    isnt $news->header('ETag'), $tag, "$kind: with another tag";
    is $get->("/$kind/9", 'If-None-Match' => $tag)->status, 200, "$kind: another page: 200";
}

my $json = $get->('/json/8')->header('ETag');
like $json, qr/^"[0-9a-f]{32}-tmpl-json"$/, 'json: the tag names the mode';
is $get->('/json/8', 'If-None-Match' => $json)->status, 304, 'json: another advertisement: 304';
$get->("/json/$_") for 20 .. 22;
is $get->('/json/8', 'X-Page' => 'footer', 'If-None-Match' => $json)->status, 304, 'json: the site is known better: 304';
unlike $get->('/json/8')->body, qr/"(?:confidence|version)":/, 'json: without members that follow the table';

# of annotate what is sent has the advertisement
isnt $get->('/annotate/8')->header('ETag'), $get->('/annotate/8')->header('ETag'), 'annotate: another advertisement, another tag';
is $get->('/headers/8', 'If-None-Match' => '"v1"')->status, 304, 'headers: the backend answers';
is $get->('/own/8')->header('ETag'), '"v1"', 'a declined page has the tag of the backend';

my $tag = $get->('/plain/8')->header('ETag');
my ($hash) = $tag =~ /"(\w+)-/;
is $get->('/plain/8', 'If-None-Match' => $_)->status, 200, "no 304 for $_"
    for "\"$hash\"", "\"$hash-tmpl-annotate\"", "\"$hash-tmpl-markdown\"", "\"$hash-tmpl-strip-x\"", '"-tmpl-strip"', 'W/"v1-tmpl-strip"';
is $get->('/plain/8', 'If-None-Match' => $tag, 'X-Mode' => 'markdown')->status, 200, 'no 304 for another mode';
is $get->('/plain/8', 'If-Modified-Since' => 'Mon, 06 Jan 2031 10:00:00 GMT')->status, 200, 'no 304 for a date';
my $both = $get->('/both/8', Accept => 'text/markdown')->header('ETag');
like $both, qr/-tmpl-markdown"$/, 'Markdown by Accept has its tag';
is $get->('/both/8', Accept => 'text/markdown', 'If-None-Match' => $both)->status, 304, 'and 304';
is $get->('/both/8', Accept => 'text/html', 'If-None-Match' => $both)->status, 200, 'which the HTML page has not';
is $get->('/both/8.md', 'If-None-Match' => $both)->status, 304, 'but PATH.md has';
like $get->('/annotate/8', 'X-Marks' => 'other')->header('ETag'), qr/-tmpl-annotate.+"$/, 'other marks have another tag';

is $get->('/plain/8', 'If-Match' => $tag)->status, 200, 'If-Match with the tag: 200';
is $get->('/plain/8', 'X-Page' => 'news', 'If-Match' => $tag)->status, 412, 'If-Match with the tag of another article: 412';
is $get->('/plain/8', 'If-Match' => '"v2"')->status, 412, 'If-Match with another tag: 412';
my $part = $get->('/plain/8', 'If-Range' => $tag, Range => 'bytes=10-19');
is $part->status . $part->body, '206' . substr($get->('/plain/8')->body, 10, 10), 'If-Range with the tag: a part of what is sent';
is $get->('/plain/8', 'X-Page' => 'news', 'If-Range' => $tag, Range => 'bytes=10-19')->status, 200, 'If-Range with the tag of another article: all';
is $get->('/plain/8', Range => 'bytes=10-19', 'If-None-Match' => $tag)->status, 304, 'Range and If-None-Match: 304';

for my $kind (qw(deflate bytype)) {
    my $gzip = $get->("/$kind/8", 'Accept-Encoding' => 'gzip');
    like $gzip->header('ETag'), qr/-tmpl-strip-gzip"$/, "$kind behind: its suffix";
    my $still = $get->("/$kind/8", 'Accept-Encoding' => 'gzip', 'If-None-Match' => $gzip->header('ETag'));
    is $still->status . $still->body . $still->header('ETag'), '304' . $gzip->header('ETag'), "$kind behind: 304";
    like $still->header('Vary'), qr/Accept-Encoding/, "$kind behind: 304 has Vary";
    is $get->("/$kind/8", 'Accept-Encoding' => 'gzip', 'If-Match' => $gzip->header('ETag'))->status, 200, "$kind behind: If-Match";
    is $get->("/$kind/8", 'Accept-Encoding' => 'gzip', 'If-Match' => 'W/' . $gzip->header('ETag'))->status, 412, "$kind behind: no weak If-Match";
}

like $get->('/backend/8')->header('ETag'), qr{^W/"v1-tmpl-strip"}, 'TmplValidate backend: its tag';
my $head = $httpd->get('/plain/8', method => 'HEAD', headers => { 'If-None-Match' => $tag });
is $head->status, 200, 'HEAD: the backend sends no page to compare';
is $head->header('ETag'), undef, 'HEAD: no tag';

subtest 'HTTP/2' => sub {
    plan skip_all => 'no mod_http2, or curl without it'
        if !Test::Tmpl::Httpd::has_module('http2') || Test::Tmpl::Httpd::mpm() eq 'prefork' || `curl --version 2>&1` !~ /HTTP2/;
    my $h2 = proxy($backend, modules => ['http2'], conf => "Protocols h2c http/1.1\n$conf");
    $h2->get("/plain/$_") for 1 .. 40;
    my $port = $h2->port;
    my $said = qx(curl -s --noproxy '*' --http2-prior-knowledge -H 'If-None-Match: $tag' -w '%{http_version} %{http_code} %{size_download} %header{etag}' http://127.0.0.1:$port/plain/8);
    like $said, qr/^2 304 0 /, '304, by the tag of a proxy whose table is smaller';
    is $h2->get('/plain/8')->header('ETag'), $tag, 'the same tag';
    $h2->finish;
};

subtest 'files of the same server' => sub {
    my $files = httpd(modules => ['socache_shmcb'], conf => "TmplMode strip\nTmplValidate content\nTmplCache shmcb\n");
    spit($files->root . "/htdocs/$_.html", $site->page($_)) for 1 .. 9;
    $files->get("/$_.html") for 1 .. 7;
    my $of_file = $files->get('/8.html')->header('ETag');
    like $of_file, qr/^"\w{32}-tmpl-strip"$/, 'a tag of what is sent';
    my $again = $files->get('/8.html');
    is $again->says('cache') . $again->header('ETag'), "hit$of_file", 'the same one by a cached decision';
    utime 1, 1, $files->root . '/htdocs/8.html';
    for my $method (qw(GET HEAD)) {
        my $res = $files->get('/8.html', method => $method, headers => { 'If-None-Match' => $of_file });
        is $res->status, 304, "$method: 304, whatever the date of the file";
        is $res->header('ETag'), $of_file, "$method: with the tag";
    }
    $files->finish;
};

subtest 'mod_cache in the same server' => sub {
    plan skip_all => 'no mod_cache_disk' if !Test::Tmpl::Httpd::has_module('cache_disk');
    my $cached = proxy($backend, modules => [qw(cache cache_disk)],
        conf => "${conf}CacheRoot \@ROOT\@/cache\nCacheEnable disk /plain/\nCacheEnable disk /bare/\nCacheEnable disk /deflate/\nCacheDetailHeader on\n");
    $cached->get("/learn/$_") for 1 .. 7;
    my $asked = sub { scalar grep { $_->{target} eq $_[0] } $backend->requests };
    for my $url ('/plain/18', '/deflate/18') {
        my %gzip = $url =~ /deflate/ ? ('Accept-Encoding' => 'gzip') : ();
        my $first = $cached->get($url, headers => \%gzip);
        my $before = $asked->($url);
        is $cached->get($url, headers => { %gzip, 'If-None-Match' => $first->header('ETag') })->status, 304, "$url: 304 from the cache";
        is $asked->($url), $before, "$url: without the backend";
        my $res = $cached->get($url, headers => { %gzip, 'Cache-Control' => 'max-age=0' });
        like $res->header('X-Cache-Detail'), qr/conditional cache hit/, "$url: refreshed by the tag";
        is $last_asked->($url)->{'if-none-match'}, undef, "$url: which the backend does not get";
        ok $res->body eq $first->body, "$url: the same page";
        is $res->header($_), $first->header($_), "$url: the same $_" for qw(ETag Content-Encoding Content-Type);
        is $res->header('Content-Length') // length $res->body, length $res->body, "$url: the length of what is sent";
    }
    $cached->get('/bare/18') for 1 .. 2;
    is $asked->('/bare/18'), 2, 'a page without validators and freshness of its own is not kept';
    $cached->finish;
};

$httpd->finish;
done_testing;
