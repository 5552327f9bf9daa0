# SPDX-License-Identifier: Apache-2.0

# Mode json sends a page as data. With TmplJson the field Accept decides, as with TmplMarkdown, but a
# wildcard of the same weight means HTML. Only HTML is changed: a backend's own JSON passes, and a page
# that is declined is HTML. Each form has a tag of its own, so that no cache mixes them up.

use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::Tmpl;
use Test::Tmpl::Http2;
use IO::Compress::Gzip qw(gzip $GzipError);
use JSON::PP qw(decode_json);

my $site = site(large => 10);
my %PAGE = (
    deep => '<blockquote><ul><li>' x 150 . 'x', links => '<a href="//x](y)">["\\' x 1_000, images => '<img alt="](x)\"\\" src="a b(c">' x 1_000,
    escapes => "<p>\"\\ \xE2\x80\xA8 &#0;&#8;&#27;&#xD800; <pre>\t\"\\\n\x0B</pre>", invalid => "<p>\xFF\xC0\x80\xED\xA0\x80 \xF0\x9F",
    records => '<article class=post><a class=author href=/u>a</a><time datetime="2024-01-01">x</time><p>Text.' x 2_000,
    nested => '<div class=comment><a class=author href=/u>a</a><time datetime="2024-01-01">x</time><p>Text.' x 200,
    cells => '<table><tr><th>a<th>b</tr>' . '<tr><td>1<td colspan=2>|2|<br>3' x 300,
);
my $backend = backend {
    my ($connection, $request) = @_;
    my ($kind, $n) = $request->{target} =~ m{^/(\w+)/(\w+)};
    my %fields = ('Content-Type' => 'text/html; charset=utf-8', ETag => '"v1"', 'Cache-Control' => 'max-age=600');
    my $accept = $request->{headers}{accept} // '*/*';
    return $connection->head(304, { ETag => '"v1"' }) if ($request->{headers}{'if-none-match'} // '') =~ /"v1"/;
    return $connection->respond(200, { 'Content-Type' => 'application/json' }, '{"api": 1}') if $kind eq 'api' && $accept =~ m{^application/json};
    return $connection->respond(406, { 'Content-Type' => 'application/json' }, '{}') if $kind eq 'strict' && $accept !~ m{text/html|\*/\*};
    return $connection->respond(404, { 'Content-Type' => 'text/html' }, '<p>No') if $kind eq 'gone';
    return $connection->respond(200, \%fields, '<!DOCTYPE html><title>T</title><p>' . ('A sentence of the article. ' x 20) . "</p>$PAGE{$n}") if $kind eq 'bad';
    my $page = $site->page($n);
    if ($kind eq 'gzip') {
        gzip(\(my $plain = $page), \$page) or die $GzipError;
        $fields{'Content-Encoding'} = 'gzip';
    }
    return $connection->respond(200, \%fields, $page);
};
my $conf = <<'END';
TmplMode strip
TmplJson on
<Location ~ "^/(both|bad)/">
    TmplMarkdown on
</Location>
<Location /always>
    TmplMode json
    TmplJson off
</Location>
<Location /keep>
    TmplMinKeep 1
</Location>
<Location /html>
    TmplJson off
</Location>
END
my $httpd = proxy($backend, conf => $conf);
$httpd->visit(1 .. 8);
my %want = (Accept => 'application/json');
my $type = sub { ($_[0]->header('Content-Type') // '') =~ s/;.*//sr };
my %TYPE = (j => 'application/json', h => 'text/html', m => 'text/markdown');

# Each row: the Accept field, and what its answers are with TmplJson alone, and with TmplMarkdown, too.
for my $row (
    [undef, 'h', 'h'], ['*/*', 'h', 'h'], ['application/json', 'j', 'j'], ['Application/JSON', 'j', 'j'], ['application/*', 'h', 'h'],
    ['application/json, */*', 'h', 'h'], ['application/json, text/plain, */*', 'h', 'h'], ['application/json, text/*', 'h', 'h'],
    ['application/json, text/javascript, */*; q=0.01', 'j', 'j'], ['application/json, */*;q=0.9', 'j', 'j'],
    ['application/json, text/html', 'j', 'j'], ['text/html, application/json', 'h', 'h'], ['application/json;q=0.5, text/html', 'h', 'h'],
    ['application/json;q=0.5, text/html;q=0.4', 'j', 'j'], ['application/json;q=0', 'h', 'h'], ['application/jsonp', 'h', 'h'],
    ['application/ld+json', 'h', 'h'], ['application/json;profile="a,b";q=0.7, text/html;q=0.6', 'j', 'j'],
    ['text/markdown', 'h', 'm'], ['text/markdown, application/json', 'j', 'm'], ['application/json, text/markdown', 'j', 'j'],
    ['application/json;q=0.8, text/markdown', 'j', 'm'], ['text/markdown;q=0.8, application/json', 'j', 'j'],
    ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', 'h', 'h'],
) {
    my ($accept, @is) = @$row;
    for my $path (qw(page both)) {
        my $res = $httpd->get("/$path/8", headers => { Accept => $accept });
        my $name = "/$path: " . ($accept // 'no Accept');
        is $res->status . ' ' . $type->($res), '200 ' . $TYPE{ shift @is }, $name;
        like $res->header('Vary') // '', qr/\bAccept\b(?!-)/, "$name: Vary";
    }
}

subtest 'the object' => sub {
    my $res = $httpd->get('/page/8?a=1', headers => \%want);
    is $res->header('Content-Type'), 'application/json', 'the type';
    is $res->header('Content-Length'), length $res->body, 'its length';
    is $res->header('Link'), '<http://test.example/page/8?a=1>; rel="canonical"', 'the link to the page';
    my $page = decode_json($res->body);
    is $page->{schema}, 1, 'the version of the schema';
    is $page->{address}, 'http://test.example/page/8?a=1', 'the address';
    like $page->{title}, qr/^Story number 8 about/, 'the title';
    my @all = map { $_->{text} } @{ $page->{parts} };
    like "@all", qr/Item 8\.4 tells of .* and more in 8 & 4\.$/, 'text';
    unlike $res->body, qr/Ferries|Copyright|pages of/, 'no template';
    my ($version) = $res->header('Tmpl') =~ /version="([^"]+)"/;
    is $page->{version}, $version, 'the version of the Tmpl field';
    is $page->{fingerprint}, $res->says('fingerprint') =~ tr/"//dr, 'and its fingerprint';
    my $html = $httpd->get('/both/8?a=1');
    is $html->header('Link'), '<http://test.example/both/8.md?a=1>; rel="alternate"; type="text/markdown", '
        . '<http://test.example/both/8?a=1>; rel="alternate"; type="application/json"', 'links of the HTML';
    same_bytes($html->body, $site->stripped(8), 'which is stripped');
};

subtest 'what is no page that is cut' => sub {
    my $api = $httpd->get('/api/8', headers => \%want);
    is $type->($api) . $api->body, 'application/json{"api": 1}', 'JSON of the backend passes';
    is $httpd->get('/strict/8', headers => \%want)->status, 200, 'a backend that has HTML only sends it';
    my $res = $httpd->get('/gone/8', headers => \%want);
    is $res->status . $type->($res) . $res->body, '404text/html<p>No', 'an error';
    $res = $httpd->get('/keep/8', headers => \%want);
    is $type->($res), 'text/html', 'declined';
    same_bytes($res->body, $site->page(8), 'as it came');
    is $httpd->get('/keep/8')->header('Link'), undef, 'without links';
    $res = $httpd->get('/html/8', headers => \%want);
    is $type->($res), 'text/html', 'TmplJson off';
    unlike $res->header('Vary') // '', qr/Accept\b(?!-)/, 'no Vary';
    is $type->($httpd->get('/always/8')), 'application/json', 'mode json';
    is $httpd->get('/always/8')->header('Vary'), undef, 'without Vary';
};

subtest 'validators' => sub {
    my %tag = map { $_ => $httpd->get('/both/8', headers => { Accept => $_ })->header('ETag') } values %TYPE;
    is $tag{'application/json'}, 'W/"v1-tmpl-json"', 'a tag of JSON';
    for my $of (sort keys %tag) {
        my $res = $httpd->get('/both/8', headers => { %want, 'If-None-Match' => $tag{$of} });
        is $res->status, $of eq $want{Accept} ? 304 : 200, "the tag of $of";
        like $res->header('Vary'), qr/\bAccept\b/, 'Vary';
    }
    my $head = $httpd->get('/page/8', method => 'HEAD', headers => \%want);
    is $head->status . ' ' . $head->header('Content-Type'), '200 application/json', 'HEAD';
    like $head->header('Vary'), qr/\bAccept\b/, 'HEAD: Vary';
    my $packed = $httpd->get('/gzip/8', headers => { %want, 'Accept-Encoding' => 'gzip' });
    is decode_json($packed->body)->{schema}, 1, 'of a page in gzip';
    is $packed->header('Content-Encoding'), undef, 'which is not in gzip any more';
};

subtest 'pages that are made to break it' => sub {
    for my $kind (sort keys %PAGE) {
        my $res = $httpd->get("/bad/$kind", headers => \%want);
        is $res->status, 200, $kind;
        next if $type->($res) eq 'text/html' && $res->says('declined') ne '';
        is $type->($res), 'application/json', "$kind: JSON";
        my $page = eval { JSON::PP->new->utf8->decode($res->body) };
        ok $page, "$kind: which can be read" or diag $@;
        like $page->{parts}[0]{text}, qr/^A sentence/, "$kind: its text";
        unlike $res->body, qr/[\x00-\x09\x0B-\x1F]/, "$kind: no control characters";
    }
};

subtest 'a page of 1 MB, HTTP/2 and a cache' => sub {
    plan skip_all => 'no mod_cache_disk' if !Test::Tmpl::Httpd::has_module('cache_disk');
    plan skip_all => 'mod_http2 does not work under prefork' if Test::Tmpl::Httpd::mpm() eq 'prefork';
    my $cached = proxy($backend, modules => [qw(http2 cache cache_disk socache_shmcb)],
        conf => "Protocols h2c http/1.1\nTmplCache shmcb\n${conf}CacheRoot \@ROOT\@/cache\nCacheEnable disk /both/\n");
    $cached->visit(1 .. 8);
    for my $round (1 .. 2) {
        for my $accept (sort values %TYPE) {
            my $res = $cached->get('/both/8', headers => { Accept => $accept });
            is $type->($res), $accept, "round $round: $accept";
            like $res->body, $accept eq 'text/html' ? qr/<html/ : $accept eq 'text/markdown' ? qr/^# Story/m : qr/\A\{"schema":1,/, 'its body';
        }
    }
    my $large = $cached->get('/always/9')->body;
    cmp_ok length $large, '>', 1 << 20, 'a large page';
    my ($answer) = Test::Tmpl::Http2::get_all($cached->port, '/always/9');
    ok $answer->[0], 'HTTP/2';
    ok eq_array(map { decode_json($_)->{parts} } $answer->[1], $large), 'the same over HTTP/2';
    $cached->finish;
};
$httpd->finish;
done_testing;
