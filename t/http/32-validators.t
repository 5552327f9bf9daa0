# SPDX-License-Identifier: Apache-2.0

# A changed page has a weak tag with the module's suffix, or no tag while its site is cold. A page
# in mode headers is not changed and keeps the backend's tag. A client that sends the module's tag
# gets 304 while the page is the same; the backend gets its own tag. If-Match compares strongly, so
# the module's weak tag never matches. A date does not show whether the same parts are cut: a
# changed page has no Last-Modified, and If-Modified-Since is not passed on.

use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::Tmpl;

my $site = site();
my $DATE = 'Mon, 06 Jan 2020 10:00:00 GMT';
my %TAG = (strong => '"v%d"', weak => 'W/"v%d"');
my $backend = backend {
    my ($connection, $request) = @_;
    my ($kind, $n) = $request->{target} =~ m{^/(\w+)/(\d+)};
    my $tag = sprintf $TAG{$kind} // '"p%d"', $n;
    my %html = ('Content-Type' => 'text/html', ETag => $tag, 'Cache-Control' => 'max-age=60',
        'Last-Modified' => $DATE);
    delete $html{ETag} if $kind eq 'dated';
    $html{'Content-Type'} = 'text/css' if $kind eq 'style';
    return $connection->head(304, { 'Last-Modified' => $DATE }) if exists $request->{headers}{'if-modified-since'};
    my $opaque = $tag =~ s/^W\///r;
    my $asked = $request->{headers}{'if-none-match'} // '';
    return $connection->head(304, { ETag => $tag }) if $asked eq '*' || index($asked, $opaque) >= 0;
    my $match = $request->{headers}{'if-match'};
    return $connection->respond(412, \%html, 'no match') if defined $match && $match ne '*' && index($match, $opaque) < 0;
    return $connection->respond(200, \%html, $site->page($n));
};
my $httpd = proxy($backend, conf => <<'END');
TmplMode strip
<Location /headers>
    TmplMode headers
</Location>
<Location /deflate>
    SetOutputFilter DEFLATE
</Location>
<If "req('X-Mode') == 'annotate'">
    TmplMode annotate
</If>
AddType text/css .css
END

my $cold = $httpd->get('/strong/1');
is $cold->header($_), undef, "a page of a cold site has no $_: caches would keep it with its template" for qw(ETag Last-Modified);
$httpd->visit(2 .. 7);
is $httpd->get('/headers/7')->header('ETag'), '"p7"', 'headers mode keeps the tag';
is $httpd->get('/headers/7')->header('Last-Modified'), $DATE, 'headers mode keeps the date';
is $httpd->get('/headers/7', headers => { 'If-Modified-Since' => $DATE })->status, 304, 'headers mode: If-Modified-Since: 304';
is $httpd->get('/style/1.css')->header('Last-Modified'), $DATE, 'a response that is not a page keeps its date';
is $httpd->get('/style/1.css', headers => { 'If-Modified-Since' => $DATE })->status, 304, 'a response that is not a page: If-Modified-Since: 304';

my $last_asked = sub { (grep { $_->{target} eq $_[0] } $backend->requests)[-1]{headers} };

for my $kind (sort keys %TAG) {
    my $url = "/$kind/8";
    my $res = $httpd->get($url);
    my $tag = $res->header('ETag');
    my %suffix = (strong => '-tmpl-strip', weak => '-tmpl-w-strip');
    is $tag, "W/\"v8$suffix{$kind}\"", "$kind: the module's tag is weak and has its suffix";
    is scalar($res->header_values('ETag')), 1, "$kind: one tag";

    $res = $httpd->get($url, headers => { 'If-None-Match' => $tag });
    is $res->status, 304, "$kind: If-None-Match with the module's tag: 304";
    is $res->header('ETag'), $tag, "$kind: 304 has the module's tag";
    is $res->body, '', "$kind: 304 has no body";
    is $last_asked->($url)->{'if-none-match'}, sprintf($TAG{$kind}, 8), "$kind: the backend gets the bytes of its own tag";

    $res = $httpd->get($url, headers => { 'If-None-Match' => '"other", ' . $tag });
    is $res->status, 304, "$kind: the module's tag in a list: 304";

    $res = $httpd->get($url, headers => { 'If-None-Match' => '"other-tmpl"' });
    is $res->status, 200, "$kind: another tag: 200";
    same_bytes($res->body, $site->stripped(8), "$kind: another tag: the page");

    $res = $httpd->get($url, headers => { 'If-None-Match' => 'W/"v8"' });
    ok $res->status == 200 && $res->body eq $site->stripped(8) || $res->header('ETag') !~ /-tmpl/,
        "$kind: the backend's own tag does not stand for our page";

    $res = $httpd->get($url, headers => { 'If-Match' => '"other"' });
    is $res->status, 412, "$kind: If-Match with another tag: 412";
    $res = $httpd->get($url, headers => { 'If-Match' => $tag });
    is $res->status, 412, "$kind: If-Match with the module's weak tag: 412";
    $res = $httpd->get($url, headers => { 'If-Match' => '*' });
    is $res->status, 200, "$kind: If-Match with any: 200";
    same_bytes($res->body, $site->stripped(8), "$kind: If-Match with any: the page");
    is $res->header('Last-Modified'), undef, "$kind: no Last-Modified";
    $res = $httpd->get($url, headers => { 'If-Modified-Since' => $DATE });
    is $res->status, 200, "$kind: If-Modified-Since: 200";
    same_bytes($res->body, $site->stripped(8), "$kind: If-Modified-Since: the page");
    is $last_asked->($url)->{'if-modified-since'}, undef, "$kind: the backend gets no If-Modified-Since";
}

# DEFLATE after the module appends its own suffix.
my %gzip = ('Accept-Encoding' => 'gzip');
my $deflated = $httpd->get('/deflate/8', headers => \%gzip);
is $deflated->header('Content-Encoding'), 'gzip', 'compressed after the module';
my $gzip_tag = $deflated->header('ETag');
like $gzip_tag, qr/-tmpl.*-gzip"$/, 'both suffixes';
my $still = $httpd->get('/deflate/8', headers => { %gzip, 'If-None-Match' => $gzip_tag });
is $still->status, 304, 'If-None-Match with both suffixes: 304';
is $still->header('ETag'), $gzip_tag, '304 has the tag with both suffixes';

is $httpd->get('/strong/8', headers => { 'If-None-Match' => 'W/"v8-tmpl-strip", W/"v8-tmpl-strip-gzip", "v8"' })->status, 304, 'two of our tags: 304';
is $last_asked->('/strong/8')->{'if-none-match'}, '"v8"', 'two of our tags: the backend gets its own once';

my $strip_tag = $httpd->get('/mode/8')->header('ETag');
my $res = $httpd->get('/mode/8', headers => { 'X-Mode' => 'annotate' });
same_bytes(unmark($res->body), $site->page(8), 'the same URL in another mode');
isnt $res->header('ETag'), $strip_tag, 'another mode has another tag';
$res = $httpd->get('/mode/8', headers => { 'X-Mode' => 'annotate', 'If-None-Match' => $strip_tag });
is $res->status, 200, 'the tag of one mode does not match the page of the other';

$res = $httpd->get('/dated/8');
same_bytes($res->body, $site->stripped(8), 'no tag: stripped');
is $res->header('ETag'), undef, 'a page without a tag gets none' or diag $res->header('ETag');
is $httpd->get('/dated/8', headers => { 'If-Modified-Since' => $DATE })->status, 200, 'a page without a tag: If-Modified-Since: 200';

$httpd->finish;
done_testing;
