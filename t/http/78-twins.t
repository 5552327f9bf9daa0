# SPDX-License-Identifier: Apache-2.0

# The twin of a page is its Markdown at an address of its own: PATH.md of PATH or PATH.html, PATH/index.md of
# PATH/. It is served where TmplMarkdown is on and nothing else is found at its address. It gives nothing that
# the page does not give to the same client.

use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::Tmpl;
use Test::Tmpl::Http2;
use Digest::SHA qw(sha1);
use IO::Compress::Gzip qw(gzip);
use MIME::Base64 qw(encode_base64);

my $site = site();
my $MISSING = '<html><title>Missing</title><p>Nothing is here, says the backend.' . ' ' x 200_000;
# Paths at which the backend has other answers than a page.
my %OWN = (
    '/own/9' => [200, { 'Content-Type' => 'text/html' }, $site->page(9)],
    '/own/9.md' => [200, { 'Content-Type' => 'text/markdown' }, "# Own\n"],
    '/made/9' => [200, { 'Content-Type' => 'text/markdown' }, "# Made by the backend\n"],
    '/html/9.md' => [200, { 'Content-Type' => 'text/html' }, $site->page(9)],
    '/image/9' => [200, { 'Content-Type' => 'image/png' }, 'x' x 100_000],
    '/whole/9' => [200, { 'Content-Type' => 'text/html', 'Cache-Control' => 'no-transform' }, $site->page(9)],
    '/moved/9' => [301, { Location => '/page/9', 'Content-Type' => 'text/html' }, 'moved'],
    '/robots/9' => [200, { 'Content-Type' => 'text/html', 'X-Robots-Tag' => 'all' }, $site->page(9)],
    '/linked/9' => [200, { 'Content-Type' => 'text/html', Link => '<https://main.example/9>; rel="canonical"' }, $site->page(9)],
    '/broken/9' => [503, { 'Content-Type' => 'text/html' }, 'broken'],
    '/gone/9.md' => [410, { 'Content-Type' => 'text/html' }, 'gone'],
    '/stays/9.md' => [404, { 'Content-Type' => 'text/html', 'Tmpl-Control' => 'off' }, $MISSING],
);
my $backend = backend {
    my ($connection, $request) = @_;
    my ($path, $query) = split /\?/, $request->{target};
    return $connection->respond(@{ $OWN{$path} }) if $OWN{$path};
    my %fields = ('Content-Type' => 'text/html', ETag => '"v1"', 'Cache-Control' => 'max-age=600');
    return $connection->respond_chunked(404, { 'Content-Type' => 'text/html' }, $MISSING) if $path =~ /\.md$/ || $path !~ m{/\d+(?:\.html|/|%\w\w.*)?$} || $path =~ m{/7$};
    return $connection->head(304, \%fields) if ($request->{headers}{'if-none-match'} // '') =~ /"v1"/;
    return $connection->respond(200, \%fields, $site->page($path =~ m{/(\d+)[^/]*/?$}));
};
my $conf = <<'END';
TmplMode strip
TmplMarkdown on
AllowEncodedSlashes NoDecode
<Location />
    Require expr "%{REQUEST_URI} !~ m#^/by-uri/9$#"
</Location>
<LocationMatch "^/(secret|barred)/9$">
    Require all denied
</LocationMatch>
<Location /off/8>
    TmplMode off
</Location>
<Location /html-only/8>
    TmplMarkdown off
</Location>
SetEnvIf Request_URI "^/without/.*\.md$" no-tmpl
SetEnvIf Request_URI "^/free/\d+$" no-tmpl
END
my $BASE = 'http://test.example';
my $DENIED = qr/AH01630: client denied/;
my $httpd = proxy($backend, conf => $conf);
$httpd->expect_log($DENIED);
$httpd->visit(1 .. 6);
my $is = sub { $_[0]->status . ' ' . (($_[0]->header('Content-Type') // '') =~ s/;.*//sr) };
my %requests;
my $asked = sub { my @all = $backend->requests; my @new = splice @all, $requests{n} // 0; $requests{n} += @new; return map { $_->{target} } @new };

# Each row: the twin, the address of its page.
for my $row (
    ['/page/9.md', '/page/9'], ['/page/9.html.md', '/page/9.html'], ['/page/7.md', '/page/7.html'], ['/page/9/index.md', '/page/9/'],
    ['/page/9.md?a=1&b=.md', '/page/9?a=1&b=.md'], ['/page/9.%6Dd', '/page/9'], ['/page/9%2Emd', '/page/9'], ['/page/x/../9.md', '/page/9'],
    ['/page/x/%2E%2E/9.md', '/page/9'], ['/page/9%20%c3%a9.md', '/page/9%20%C3%A9'], ['/page/9%2Fx.md', '/page/9%2Fx'],
    ['/page/9%3Fx.md', '/page/9%3Fx'], ['//page/9.md', '/page/9'], ["http://test.example/page/9.md", '/page/9'], ['http:///page/9.md', '/page/9'],
) {
    my ($twin, $page) = @$row;
    for my $accept (undef, '*/*', 'text/html', 'text/markdown') {
        my $name = "$twin, Accept: " . ($accept // 'none');
        my $res = $httpd->get($twin, headers => { Accept => $accept });
        is $is->($res), '200 text/markdown', $name;
        like $res->body, qr/^canonical: "\Q$BASE$page\E"$/m, "$name: the page's address";
        like $res->body, qr/^# Story number [79] about/m, "$name: its content";
        is $res->header('Link'), "<$BASE$page>; rel=\"canonical\"", "$name: the link to the page";
        is $res->header('X-Robots-Tag'), 'noindex', "$name: not for an index";
        like $res->header('Vary'), qr/\bAccept\b/, "$name: Vary";
    }
}
is $httpd->get('/page/9/')->header('Link'), "<$BASE/page/9/index.md>; rel=\"alternate\"; type=\"text/markdown\"", 'the link of a page to its twin';
is $httpd->get('/page/9', headers => { Accept => 'text/markdown' })->header('X-Robots-Tag'), undef, "Markdown at the page's own address is for an index";
same_bytes($httpd->get('/page/9.md')->body, $httpd->get('/page/9', headers => { Accept => 'text/markdown' })->body, 'both are the same');

# Each row: what is requested, the answer, the paths that the backend is asked for.
$asked->();
for my $row (
    ['/own/9.md', '200 text/markdown', '/own/9.md'], ['/made/9.md', '200 text/markdown', '/made/9.md', '/made/9'],
    ['/html/9.md', '200 text/html', '/html/9.md'], ['/html/9.md.md', '200 text/markdown', '/html/9.md.md', '/html/9.md'],
    ['/image/9.md', '404 text/html', '/image/9.md', '/image/9'], ['/whole/9.md', '200 text/html', '/whole/9.md', '/whole/9'],
    ['/moved/9.md', '301 text/html', '/moved/9.md', '/moved/9'], ['/broken/9.md', '503 text/html', '/broken/9.md', '/broken/9'],
    ['/gone/9.md', '410 text/html', '/gone/9.md'], ['/stays/9.md', '404 text/html', '/stays/9.md'],
    ['/page/x.md', '404 text/html', '/page/x.md', '/page/x', '/page/x.html'], ['/page/x.html.md', '404 text/html', '/page/x.html.md', '/page/x.html'],
    ['/page/9.md.md', '404 text/html', '/page/9.md.md', '/page/9.md', '/page/9.md.html'], ['/x/index.md', '404 text/html', '/x/index.md', '/x/'],
    ['/.md', '404 text/html', '/.md'], ['/page/9.MD', '404 text/html', '/page/9.MD'], ['/page/9.md/', '404 text/html', '/page/9.md/'],
    ['/secret/9.md', '403 text/html', '/secret/9.md'], ['/by-uri/9.md', '403 text/html', '/by-uri/9.md'],
    ['/barred/%39.md', '403 text/html', '/barred/9.md'], ['/off/8.md', '404 text/html', '/off/8.md'], ['/html-only/8.md', '404 text/html', '/html-only/8.md'],
    ['/without/9.md', '404 text/html', '/without/9.md'], ['/free/9.md', '404 text/html', '/free/9.md'],
) {
    my ($path, $want, @want) = @$row;
    my $res = $httpd->get($path);
    is $is->($res), $want, $path;
    is join(' ', $asked->()), join(' ', @want), "$path: what the backend is asked for";
    unlike $res->body, qr/Story/, "$path: nothing of the page" if $want =~ /^4/;
    is $res->header('X-Robots-Tag'), undef, "$path: for an index" if $want !~ /^200/ || $path =~ m{^/(?:own|html/9\.md$)};
}
same_bytes($httpd->get('/page/x.md')->body, $MISSING, "the backend's own page for what is missing");
is $httpd->get('/own/9.md')->body, "# Own\n", "the site's own Markdown";
my $made = $httpd->get('/made/9.md');
is $made->body . $made->header('Link'), "# Made by the backend\n<$BASE/made/9>; rel=\"canonical\"", 'Markdown that the backend makes of the page';
is $httpd->get('/robots/9.md')->header('X-Robots-Tag'), 'all', 'a field of the backend stays';
for my $row (['/linked/9.md'], ['/linked/9', Accept => 'text/markdown']) {
    my ($path, @fields) = @$row;
    my $res = $httpd->get($path, headers => {@fields});
    is $is->($res) . ' ' . $res->header('Link'), '200 text/markdown <https://main.example/9>; rel="canonical"', "$path: the backend's own link to the page, and no other";
}
$asked->();

subtest 'methods and conditions' => sub {
    my $get = $httpd->get('/page/9.md');
    my $head = $httpd->get('/page/9.md', method => 'HEAD');
    is $is->($head) . ' ' . $head->header('X-Robots-Tag') . ' ' . $head->header('Link'), "200 text/markdown noindex <$BASE/page/9>; rel=\"canonical\"", 'HEAD';
    is $httpd->get('/page/x.md', method => 'HEAD')->status, 404, 'HEAD of nothing';
    is $get->header('ETag'), 'W/"v1-tmpl-markdown"', 'a tag';
    is $httpd->get('/page/9.md', headers => { 'If-None-Match' => $get->header('ETag') })->status, 304, 'which confirms the copy';
    is $httpd->get('/page/9.md', headers => { 'If-None-Match' => $_ })->status, 200, "$_ does not" for '"v1"', 'W/"v1-tmpl-strip"';
    my $part = $httpd->get('/page/9.md', headers => { Range => 'bytes=4-20' });
    is $part->status . ' ' . $part->body, '206 ' . substr($get->body, 4, 17), 'a range';
    $asked->();
    is $httpd->get('/page/9.md', method => 'POST', body => 'a=1')->status, 404, 'POST';
    is $httpd->get('/page/9.md', body => 'a=1')->status, 404, 'GET with a body';
    is join(' ', $asked->()), '/page/9.md /page/9.md', 'ask for no page';
};

# The backend's answer is read to its end, and its connection is used again.
subtest 'one connection' => sub {
    my $client = $httpd->client;
    for my $round (1 .. 3) {
        is $is->($client->get('/page/9.md')), '200 text/markdown', "round $round: a twin";
        is $is->($client->get('/page/x.md')), '404 text/html', "round $round: nothing";
        same_bytes($client->get('/page/9')->body, $site->stripped(9), "round $round: the page");
    }
};
$httpd->finish;

# Rules about the page apply, whatever those about the twin's address say, and though the server itself asks.
subtest 'rules' => sub {
    my $fresh = proxy($backend, modules => ['rewrite'], conf => "$conf" . <<'END');
RewriteEngine on
RewriteRule "\.md$" - [END]
RewriteRule "^/ruled/9$" - [F]
RewriteCond %{ENV:REDIRECT_STATUS} ^$
RewriteRule "^/direct/9$" - [F]
<LocationMatch "^/inside/9$">
    Require env REDIRECT_STATUS
</LocationMatch>
END
    $fresh->expect_log($DENIED);
    $fresh->visit(1 .. 6);
    for my $row (['ruled', 'a rule behind one with END'], ['direct', 'a rule on REDIRECT_STATUS'], ['inside', 'Require env REDIRECT_STATUS']) {
        my ($path, $name) = @$row;
        is $is->($fresh->get("/$path/9")), '403 text/html', "$name: the page";
        is $is->($fresh->get("/$path/9.md")), '403 text/html', "$name: its twin";
    }
    is $is->($fresh->get('/page/9.md')), '200 text/markdown', 'another twin';
    $fresh->finish;
};

subtest 'large pages' => sub {
    my $large = site(large => 10);
    my $of = backend {
        my ($connection, $request) = @_;
        return $connection->respond(404, { 'Content-Type' => 'text/html' }, $MISSING) if $request->{target} =~ /md$/;
        return $large->answer($connection, $request);
    };
    my $proxy = proxy($of, conf => $conf);
    $proxy->visit(1 .. 3);
    for my $n (4, 7, 9) {
        my $twin = $proxy->get("/page/$n.md");
        cmp_ok length $twin->body, '>', length($large->page($n)) / 4, "page $n: its twin";
        same_bytes($twin->body, $proxy->get("/page/$n", headers => { Accept => 'text/markdown' })->body, "page $n: the Markdown of the page");
    }
    $proxy->finish;
};

# Most backends compress for a client that can read it; some do so always.
subtest 'a backend that compresses' => sub {
    my $of = backend {
        my ($connection, $request) = @_;
        return $connection->respond(404, { 'Content-Type' => 'text/html' }, $MISSING) if $request->{target} =~ /md$/;
        gzip \$site->page($request->{target} =~ m{(\d+)$}), \my $body;
        return $connection->respond(200, { 'Content-Type' => 'text/html', 'Content-Encoding' => 'gzip', ETag => '"z"' }, $body);
    };
    for my $deflate ('', "AddOutputFilterByType DEFLATE text/html text/markdown\n") {
        my $proxy = proxy($of, conf => $conf . $deflate);
        $proxy->visit(1 .. 6);
        for my $accept (undef, 'gzip') {
            my $name = ($deflate ? 'DEFLATE, ' : '') . 'Accept-Encoding: ' . ($accept // 'none');
            my %asks = (headers => { 'Accept-Encoding' => $accept });
            my $twin = $proxy->get('/page/9.md', %asks);
            is $is->($twin), '200 text/markdown', "$name: the twin is Markdown";
            is $twin->says('declined'), '', "$name: not declined";
            my $same = $proxy->get('/page/9', headers => { Accept => 'text/markdown', 'Accept-Encoding' => $accept });
            is $twin->header('Content-Encoding'), $same->header('Content-Encoding'), "$name: its encoding";
            same_bytes($twin->body, $same->body, "$name: the Markdown of the page");
        }
        $proxy->finish;
    }
};

subtest 'the table' => sub {
    my $learns = proxy($backend, conf => $conf);
    $learns->visit(1 .. 6);
    my $pages = $learns->get('/page/9')->says('pages');
    is $learns->get('/page/9.md')->says('pages'), $pages, 'a page and its twin are learnt as one';
    $learns->finish;
};

subtest 'the host' => sub {
    my $port = free_port();
    my $named = httpd(conf => "Listen 127.0.0.1:$port\n" . join '', map { "<VirtualHost *:$port>\n$_\nProxyPass / " . $backend->url . "/\n$conf</VirtualHost>\n" }
        "ServerName www.example.org\nServerAlias example.org *.wild.example", "ServerName https://tls.example", "ServerName on.example:8443\nServerAlias other.example\nUseCanonicalName On");
    for my $row (
        ['www.example.org', 'http://www.example.org'], ["www.example.org:$port", "http://www.example.org:$port"], ['example.org', 'http://example.org'],
        ['WWW.Example.ORG:80', 'http://www.example.org'], ['a.wild.example', 'http://a.wild.example'], ['www.example.org:1337', 'http://www.example.org'],
        ['evil.example', 'http://www.example.org'], ["127.0.0.1:$port", 'http://www.example.org'], ['tls.example', 'https://tls.example'],
        ['tls.example:1337', 'https://tls.example'], ['on.example', 'http://on.example:8443'], ['other.example:99', 'http://on.example:8443'],
    ) {
        my ($host, $base) = @$row;
        for my $target ('/page/9.md', "http://$host/page/9.md") {
            my $res = Test::Tmpl::Client->new(port => $port, host => $target =~ /^http/ ? 'other.invalid' : $host)->get($target);
            is $res->header('Link'), "<$base/page/9>; rel=\"canonical\"", "$host, $target: the link";
            like $res->body, qr/^canonical: "\Q$base\E\/page\/9"$/m, "$host, $target: the address";
            unlike join("\n", map { @$_ } @{ $res->{fields} }) . $res->body, qr/evil|:1337\b|invalid/, "$host, $target: nothing else";
        }
        my $html = Test::Tmpl::Client->new(port => $port, host => $host)->get('/page/9');
        is $html->header('Link'), "<$base/page/9.md>; rel=\"alternate\"; type=\"text/markdown\"", "$host: the link to the twin";
    }
    $named->finish;
};

subtest 'HTTP/2' => sub {
    plan skip_all => 'no mod_http2' if !Test::Tmpl::Httpd::has_module('http2');
    plan skip_all => 'mod_http2 does not work under prefork' if Test::Tmpl::Httpd::mpm() eq 'prefork';
    my $h2 = proxy($backend, modules => ['http2'], conf => "${conf}Protocols h2c http/1.1\n");
    $h2->visit(1 .. 6);
    my @answers = Test::Tmpl::Http2::get_all($h2->port, ('/page/9.md', '/page/9') x 15);
    is scalar(grep { $_->[0] } @answers), 30, 'thirty complete responses';
    is scalar(grep { $answers[ 2 * $_ ][1] =~ /^canonical: "\Q$BASE\E\/page\/9"$/m } 0 .. 14), 15, 'the twins, with the server\'s name in place of :authority';
    is scalar(grep { $answers[ 2 * $_ + 1 ][1] eq $site->stripped(9) } 0 .. 14), 15, 'the pages';
    $h2->finish;
};

# mod_cache before all phases of httpd, and as a handler.
for my $quick (qw(on off)) {
    subtest "mod_cache, CacheQuickHandler $quick" => sub {
        plan skip_all => 'no mod_cache_disk' if !Test::Tmpl::Httpd::has_module('cache_disk');
        my $cached = proxy($backend, modules => [qw(cache cache_disk)],
            conf => "${conf}CacheRoot \@ROOT\@/cache\nCacheEnable disk /\nCacheQuickHandler $quick\nCacheDetailHeader on\n");
        $cached->expect_log($DENIED);
        $cached->visit(1 .. 6);
        $cached->get('/page/9', headers => { Accept => '*/*' }) for 1 .. 3;
        for my $round (1 .. 3) {
            for my $accept ('*/*', 'text/markdown') {
                my $twin = $cached->get('/page/9.md', headers => { Accept => $accept });
                my $page = $cached->get('/page/9', headers => { Accept => $accept });
                is $is->($twin) . ' ' . $twin->header('X-Robots-Tag'), '200 text/markdown noindex', "round $round, $accept: the twin";
                is $twin->header('Link'), "<$BASE/page/9>; rel=\"canonical\"", "round $round, $accept: its link";
                like $twin->body, qr/^# Story/m, "round $round, $accept: its body";
                is $is->($page), $accept eq '*/*' ? '200 text/html' : '200 text/markdown', "round $round, $accept: the page";
                is $page->header('X-Robots-Tag'), undef, "round $round, $accept: which is for an index";
                same_bytes($page->body, $site->stripped(9), "round $round: its body") if $accept eq '*/*';
            }
        }
        my $again = $cached->get('/page/9.md', headers => { 'Cache-Control' => 'max-age=0' });
        is $is->($again) . ' ' . $again->header('X-Robots-Tag'), '200 text/markdown noindex', 'revalidated';
        like $cached->get('/page/9.md')->header('X-Cache-Detail') // '', qr/hit/, 'the Markdown comes from the cache';
        is $is->($cached->get('/page/x.md')), '404 text/html', 'nothing' for 1 .. 2;
        is $is->($cached->get('/secret/9.md')), '403 text/html', 'a page that may not be read' for 1 .. 2;
        $cached->finish;
    };
}

# httpd itself finds nothing: no file, or ProxyErrorOverride.
subtest 'files' => sub {
    my $files = Test::Tmpl::Httpd->new(modules => [qw(negotiation rewrite)], conf => <<'END');
TmplMode strip
TmplMarkdown on
TmplSiteKey site
FileETag Size
ErrorDocument 404 /missing.html
DirectoryIndex index.html
<Directory "@ROOT@/htdocs">
    Require all granted
</Directory>
<Directory "@ROOT@/htdocs/views">
    Options +MultiViews
</Directory>
<Files "8.html">
    Require all denied
</Files>
<Directory "@ROOT@/htdocs/ruled">
    RewriteEngine on
    RewriteRule "^(.*)$" "/page/$1" [L]
</Directory>
<VirtualHost *>
    ServerName test.example
</VirtualHost>
<VirtualHost *>
    ServerName plain.example
    ErrorDocument 404 default
</VirtualHost>
<VirtualHost *>
    ServerName bad.example
    ErrorDocument 404 /not/there.html
</VirtualHost>
END
    for my $name ((map { "page/$_.html" } 1 .. 9), 'views/9.html', 'dir/index.html', 'own/9.html', 'ruled/none') {
        mkdir $files->root . '/htdocs/' . $name =~ s{/.*}{}r;
        spit($files->root . "/htdocs/$name", $site->page($name =~ /(\d)/ ? $1 : 9));
    }
    spit($files->root . '/htdocs/missing.html', $MISSING);
    spit($files->root . '/htdocs/own/9.md', "# Own\n");
    utime 1_500_000_000, 1_500_000_000, glob $files->root . '/htdocs/*/*';
    $files->start;
    $files->expect_log($DENIED);
    $files->get("/page/$_.html") for 1 .. 6;
    for my $row (['/page/9.html.md', '/page/9.html'], ['/page/9.md', '/page/9.html'], ['/views/9.md', '/views/9'], ['/views/9.html.md', '/views/9.html'], ['/dir/index.md', '/dir/'], ['/dir/index.html.md', '/dir/index.html']) {
        my ($twin, $page) = @$row;
        my $res = $files->get($twin);
        is $is->($res) . ' ' . ($res->header('X-Robots-Tag') // '') . ' ' . ($res->header('Link') // ''), "200 text/markdown noindex <$BASE$page>; rel=\"canonical\"", $twin;
        like $res->body, qr/^# Story number 9/m, "$twin: the content";
        my $tag = $res->header('ETag') // next;
        is $files->get($twin, headers => { 'If-None-Match' => $tag })->status, 304, "$twin: its tag";
    }
    # a directory's rule is an internal redirect, which httpd itself ends with a 404
    for my $twin ('/ruled/9.md', '/ruled/9.html.md') {
        my $client = $files->client(host => 'plain.example');
        for my $method (qw(GET HEAD GET)) {
            my $res = $client->get($twin, method => $method);
            is $is->($res) . ' ' . ($res->header('Link') // ''), '200 text/markdown <http://plain.example/ruled/9.html>; rel="canonical"', "$method $twin: a rule to files";
            like $res->body, qr/^# Story number 9/m, "$twin: the content" if $method eq 'GET';
        }
    }
    for my $host (qw(plain.example bad.example)) {
        my $res = $files->get('/ruled/x.md', host => $host);
        is $is->($res) . ' ' . ($res->header('Link') // ''), '404 text/html ', "$host: nothing";
        is scalar(() = $res->body =~ /<title>/g), 1, "$host: one page that says so";
    }
    for my $row (['/page/8.html.md', '403 text/html'], ['/page/8.md', '403 text/html'], ['/page/x.md', '404 text/html'], ['/own/9.md', '200 '], ['/dir.md', '301 text/html']) {
        is $is->($files->get($row->[0])), $row->[1], $row->[0];
    }
    same_bytes($files->get('/page/x.md')->body, $MISSING, "the server's own page for what is missing");
    $files->finish;
    my $override = proxy($backend, conf => "${conf}ProxyErrorOverride On\n");
    $override->visit(1 .. 6);
    is $is->($override->get('/page/9.md')), '200 text/markdown', 'ProxyErrorOverride';
    is $is->($override->get('/page/x.md')), '404 text/html', 'ProxyErrorOverride: nothing';
    $override->finish;
};

# A directory's rewrite to one script, as many applications have it; the pages of one need a password.
subtest 'CGI' => sub {
    my $cgi = cgi(<<'END', paths => ['page'], conf => <<'CONF');
use Test::Tmpl::Site;
my $site = Test::Tmpl::Site->new;
my ($n) = $ENV{REQUEST_URI} =~ m{/(\d+)$};
print("Content-Type: image/png\nX-Script: image\n\nimage"), exit if $ENV{REQUEST_URI} =~ m{/image$};
print "Set-Cookie: nothing=1\n" if !$n;
print "Content-Type: text/html\n", $n ? "\n" . $site->page($n) : "Status: 404 Not Found\n\nNothing.";
END
TmplMode strip
TmplMarkdown on
TmplSiteKey site
<Directory "@ROOT@/htdocs/app">
    RewriteEngine on
    RewriteCond %{THE_REQUEST} "^GET /app/7 "
    RewriteRule ^ - [F]
    RewriteRule ^ /page/script [L]
</Directory>
<LocationMatch "^/app/8$">
    AuthType Basic
    AuthName pages
    AuthUserFile "@ROOT@/users"
    Require valid-user
</LocationMatch>
CONF
    push @{ $cgi->{args}{modules} }, qw(rewrite auth_basic authn_core authn_file authz_user);
    mkdir $cgi->root . '/htdocs/app';
    # the password is "open"
    spit($cgi->root . '/users', 'reader:{SHA}' . encode_base64(sha1('open')));
    $cgi->start;
    $cgi->get("/page/script/$_") for 1 .. 6;
    for my $path ('/page/script/9', '/app/9') {
        my $res = $cgi->get("$path.md");
        is $is->($res), '200 text/markdown', "$path: a script that knows no twins";
        like $res->body, qr/^canonical: "\Q$BASE$path\E"$/m, "$path: its page";
        is $res->header('X-Robots-Tag'), 'noindex', "$path: not for an index";
        is $res->header('Set-Cookie'), undef, "$path: without the cookie of the answer that nothing is there";
        my $image = $cgi->get($path =~ s/9/image.md/r);
        is $is->($image) . ' ' . ($image->header('X-Script') // ''), '404 text/html ', "$path: an image has no Markdown";
        my $nothing = $cgi->get($path =~ s/9/x.md/r);
        is $is->($nothing) . ' ' . $nothing->body, '404 text/html Nothing.', "$path: nothing";
    }
    is $cgi->get('/app/7.md')->status, 403, 'a page that a rule on THE_REQUEST forbids';
    for my $row ([undef, 401], ['reader:shut', 401], ['reader:open', 200]) {
        my ($user, $status) = @$row;
        my %headers = defined $user ? (Authorization => 'Basic ' . encode_base64($user, '')) : ();
        my $res = $cgi->get('/app/8.md', headers => \%headers);
        is $res->status, $status, 'a page with a password, ' . ($user // 'without one');
        unlike $res->body, qr/Story/, 'nothing of it' if $status != 200;
    }
    $cgi->expect_log(qr/AH01617: user reader: authentication failure/);
    $cgi->finish;
};

# The backend's page for what is missing has no end, or breaks off.
subtest 'bad backends' => sub {
    for my $kind (qw(endless broken)) {
        my $bad = backend {
            my ($connection, $request) = @_;
            return $site->answer($connection, $request) if $request->{target} !~ /md$/;
            my %fields = ('Content-Type' => 'text/html');
            if ($kind eq 'broken') {
                $connection->head(404, { %fields, 'Content-Length' => 1000 });
                $connection->send('x');
            }
            else {
                $connection->head(404, { %fields, 'Transfer-Encoding' => 'chunked' });
                1 while $connection->send("10000\r\n" . 'x' x 65_536 . "\r\n");
            }
            return $connection->close;
        };
        my $proxy = proxy($bad, conf => $conf);
        $proxy->expect_log(qr/AH01110: error reading response/) if $kind eq 'broken';
        my $res = $proxy->get('/page/9.md');
        is $is->($res), '200 text/markdown', "$kind: the twin";
        like $res->body, qr/\A---\n.*^# Story/ms, "$kind: of the page";
        $proxy->finish;
    }
};
done_testing;
