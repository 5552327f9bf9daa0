# SPDX-License-Identifier: Apache-2.0

# mod_cache in front of the filter (in the same server) stores the stripped page and its tag; a
# cache behind it, in another server, stores the backend's page. Neither mixes them up. A cached
# page is revalidated by the tag that the client has, never by the backend's date, which does not
# change when the cuts change.

use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::Tmpl;

plan skip_all => 'no mod_cache_disk' if !Test::Tmpl::Httpd::has_module('cache_disk');

my $site = site();
my $backend = backend {
    my ($connection, $request) = @_;
    my ($n) = $request->{target} =~ m{/(\d+)$};
    my $asked = $request->{headers}{'if-none-match'} // '';
    my %html = ('Content-Type' => 'text/html', ETag => "\"v$n\"", 'Cache-Control' => 'max-age=600');
    return $connection->head(304, { ETag => $html{ETag}, 'Cache-Control' => 'max-age=600' }) if index($asked, "\"v$n\"") >= 0;
    return $connection->respond(200, \%html, $site->page($n));
};
my @cache = (modules => [qw(cache cache_disk)]);
my $cache_conf = "CacheRoot \@ROOT\@/cache\nCacheEnable disk /page/\nCacheDetailHeader on\n";
my $asked = sub { scalar grep { $_->{target} eq $_[0] } $backend->requests };

subtest 'cache in the same server' => sub {
    my $httpd = proxy($backend, @cache, conf => "TmplMode strip\n$cache_conf");
    $httpd->get("/learn/$_") for 1 .. 6;
    my $first = $httpd->get('/page/7');
    same_bytes($first->body, $site->stripped(7), 'a miss: stripped');
    my $before = $asked->('/page/7');
    my $hit = $httpd->get('/page/7');
    is $asked->('/page/7'), $before, 'a hit: no request to the backend';
    same_bytes($hit->body, $site->stripped(7), 'a hit: stripped');
    is $hit->header('ETag'), $first->header('ETag'), 'a hit or a refreshed page has the same tag';
    like $hit->header('ETag'), qr/-tmpl(?:-strip)?"$/, 'a hit has a tag of the module';
    is $httpd->get('/page/7', headers => { 'If-None-Match' => $hit->header('ETag') })->status, 304,
        'If-None-Match with it: 304';
    my $res = $httpd->get('/page/7', headers => { Range => 'bytes=10-19' });
    ok $res->status == 206 && $res->body eq substr($site->stripped(7), 10, 10) || $res->body eq $site->stripped(7),
        'a range of the cached page is one of the stripped page';

    $res = $httpd->get('/page/7', headers => { 'Cache-Control' => 'no-cache' });
    is $res->status, 200, 'a forced revalidation: 200';
    same_bytes($res->body, $site->stripped(7), 'a forced revalidation: stripped');
    $httpd->finish;
};

# A page that is compressed after the module has the module's tag with one more suffix.
subtest 'cache in the same server, compressed' => sub {
    my $httpd = proxy($backend, @cache, conf => "TmplMode strip\nSetOutputFilter DEFLATE\n$cache_conf");
    my %gzip = ('Accept-Encoding' => 'gzip');
    $httpd->get("/learn/$_") for 1 .. 6;
    my $first = $httpd->get('/page/9', headers => \%gzip);
    my $before = $asked->('/page/9');
    my $res = $httpd->get('/page/9', headers => { %gzip, 'Cache-Control' => 'max-age=0' });
    like $res->header('X-Cache-Detail'), qr/conditional cache hit/, 'a forced revalidation: refreshed';
    is $asked->('/page/9'), $before + 1, 'a forced revalidation: one request to the backend';
    is +(grep { $_->{target} eq '/page/9' } $backend->requests)[-1]{headers}{'if-none-match'}, '"v9"', 'the backend gets its own tag once';
    is $res->header('ETag'), $first->header('ETag'), 'a hit or a refreshed page has the same tag';
    ok $res->body eq $first->body, 'a forced revalidation: the same page';
    $httpd->finish;
};

# A redirect within the server, and the page that it leads to, both translate the tags of a request.
subtest 'cache in the same server, a redirect within it' => sub {
    my $httpd = httpd(@cache, conf => "ProxyPass /page/ ${\ $backend->url}/page/\nErrorDocument 404 /page/8\nTmplMode strip\n${cache_conf}CacheEnable disk /missing\n");
    $httpd->visit(1 .. 6);
    my $tag = $httpd->get('/missing')->header('ETag');
    like $tag, qr/-tmpl-strip"$/, 'the page has a tag of the module';
    my $res = $httpd->get('/missing', headers => { 'Cache-Control' => 'no-cache', 'If-None-Match' => $tag });
    is $res->header('ETag'), $tag, 'asked with it: the answer has the tag';
    is(($backend->requests)[-1]{headers}{'if-none-match'}, '"v8"', 'the backend gets its own tag once');
    $httpd->finish;
};

# The backend's page has a date and does not change. Its cuts change: later pages have the same
# aside.
subtest 'dates' => sub {
    my $date = 'Mon, 06 Jan 2020 10:00:00 GMT';
    my $notice = '<aside>The ferries do not run this week, for all of them are being painted blue again.</aside>';
    my $late = Test::Tmpl::Site->new(extra => sub { $_[0] >= 7 ? $notice : '' });
    for my $etag (0, 1) {
        my $dated = backend {
            my ($connection, $request) = @_;
            my ($n) = $request->{target} =~ m{/(\d+)$};
            my $fields = $request->{headers};
            my %html = ('Content-Type' => 'text/html', 'Last-Modified' => $date, 'Cache-Control' => 'max-age=600', $etag ? (ETag => "\"v$n\"") : ());
            my $same = exists $fields->{'if-none-match'} ? $etag && index($fields->{'if-none-match'}, "\"v$n\"") >= 0 : exists $fields->{'if-modified-since'};
            return $connection->head(304, \%html) if $same;
            return $connection->respond(200, \%html, $late->page($n));
        };
        my $httpd = proxy($dated, @cache, detector => 'incremental', conf => "TmplMode strip\n$cache_conf");
        $httpd->get("/learn/$_") for 1 .. 6;
        my $name = $etag ? 'tag and date' : 'date';
        my $before = $httpd->get('/page/7');
        same_bytes($before->body, $late->stripped(7), "$name: the aside is kept");
        is $before->header('Last-Modified'), undef, "$name: no Last-Modified";
        my %since = ('If-Modified-Since' => $date);
        is $httpd->get('/page/7', headers => {%since})->status, 200, "$name: If-Modified-Since, from the cache: 200";
        $httpd->get("/learn/$_") for 8 .. 14;
        for my $control ('no-cache', 'max-age=0') {
            my $res = $httpd->get('/page/7', headers => { %since, 'Cache-Control' => $control });
            is $res->status, 200, "$name, $control: 200";
            is $res->header('Last-Modified'), undef, "$name, $control: no Last-Modified";
            is $httpd->get('/page/7', headers => {%since})->status, 200, "$name, $control: 200 from the cache";
        }
        same_bytes($httpd->get('/learn/7', headers => {%since})->body, $late->stripped(7) =~ s/\Q$notice//r,
            "$name: without the cache the page has the present cuts");
        $httpd->finish;
    }
};

subtest 'cache between filter and backend' => sub {
    my $inner = proxy($backend, @cache, conf => "TmplMode off\n$cache_conf");
    my $httpd = httpd(conf => 'ProxyPass / http://127.0.0.1:' . $inner->port . "/\nTmplMode strip\n");
    $httpd->visit(1 .. 6);
    same_bytes($httpd->get('/page/8')->body, $site->stripped(8), 'a miss: stripped');
    my $before = $asked->('/page/8');
    same_bytes($httpd->get('/page/8')->body, $site->stripped(8), 'a hit: stripped');
    is $asked->('/page/8'), $before, 'a hit: no request to the backend';
    same_bytes($inner->get('/page/8')->body, $site->page(8), 'the cache stores the unchanged page');
    $_->finish for $httpd, $inner;
};

done_testing;
