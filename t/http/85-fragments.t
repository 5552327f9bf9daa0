# SPDX-License-Identifier: Apache-2.0

# Answers to scripts of pages are pieces of pages: they pass untouched, are not learnt, and caches do not
# serve them as pages. What names a form (Markdown, JSON, reader view), a page that a browser fetches ahead, and
# requests with the variable tmpl-judge are no such answers. A page with X-Accel-Buffering: no passes as it comes.

use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::Tmpl;

my $site = site();
my $backend = backend {
    my ($connection, $request) = @_;
    my ($n) = $request->{target} =~ m{/(\d+)};
    return $connection->respond(404, { 'Content-Type' => 'text/html' }, 'nothing') if $request->{target} =~ /\.md/;
    my %fields = ('Content-Type' => 'text/html', ETag => "\"v$n\"", 'Cache-Control' => 'max-age=600');
    $fields{'X-Accel-Buffering'} = 'no' if $request->{target} =~ /stream/;
    $fields{'Content-Encoding'} = 'br' if $request->{target} =~ m{^/br/};
    return $connection->head(304, { ETag => $fields{ETag} }) if ($request->{headers}{'if-none-match'} // '') =~ /"v$n"/;
    if ($request->{target} =~ /slow/) {
        my $page = $site->page($n);
        $connection->head(200, { %fields, 'Content-Length' => length $page });
        $connection->send(substr $page, 0, 100);
        $connection->wait_until("end $n");
        return $connection->send(substr $page, 100);
    }
    return $connection->respond(200, \%fields, $site->page($n));
};
# as docs/operations.md has it, for links that htmx and Turbo follow by script
my ($links) = slurp("$FindBin::Bin/../../docs/operations.md") =~ /^```apache\n((?:SetEnvIf .* !?tmpl-judge\n)+)```$/m;
my $conf = $links . <<'END';
TmplMode strip
TmplPageKey "%{REQUEST_URI}"
TmplMarkdown on
TmplJson on
<Location /reader/>
    TmplMode reader
</Location>
<Location /learn/>
    TmplMode learn
</Location>
END
my $httpd = proxy($backend, conf => $conf);
$httpd->visit(1 .. 6);
my $n = 10;

sub ask {
    my ($place, %fields) = @_;
    $n++;
    return $httpd->get("/$place/$n", headers => \%fields);
}
sub pages { return $httpd->get('/page/1')->says('pages') }
sub vary { return join(', ', $_[0]->header_values('Vary')) =~ s{,\s*}{, }gr }

my %BROWSER = (Accept => 'text/html,application/xhtml+xml,*/*;q=0.8', 'Sec-Fetch-Dest' => 'document', 'Sec-Fetch-Mode' => 'navigate');
my @SCRIPTS = (['HX-Request' => 'true'], ['Turbo-Frame' => 'comments'], ['X-Up-Target' => 'main'], ['X-PJAX' => 'true'],
    ['X-Requested-With' => 'XMLHttpRequest'], ['Sec-Fetch-Dest' => 'empty']);

my $before = pages();
for my $script (@SCRIPTS) {
    my ($name, $value) = @$script;
    my $res = ask('page', Accept => '*/*', $name => $value);
    same_bytes($res->body, $site->page($n), "$name: untouched");
    is $res->says('declined'), 'fragment', "$name: the reason";
    is $res->header('ETag'), "\"v$n\"", "$name: with the backend's tag";
    is vary($res), "Accept, $name", "$name: Vary names it";
    is vary(ask('learn', $name => $value)) =~ s/Accept(?:, )?//r, '', "$name: in a mode that changes nothing, Vary does not";
}
is pages(), $before, 'none is learnt';
my $both = ask('page', 'Sec-Fetch-Dest' => 'empty', 'HX-Request' => 'true');
is vary($both), 'Accept, HX-Request', 'two such fields: one suffices';

subtest 'the request goes on as it came' => sub {
    ask('page', 'HX-Request' => 'true', 'Accept-Encoding' => 'br', Range => 'bytes=0-9', 'If-None-Match' => 'W/"x-tmpl-strip"');
    my $asked = ($backend->requests)[-1]{headers};
    my $br = $httpd->get('/br/9', headers => { 'HX-Request' => 'true', 'Accept-Encoding' => 'br' });
    is $br->says('declined') . ' ' . vary($br), 'fragment Accept, HX-Request', 'an answer in a coding that mod_tmpl cannot read';
    is $asked->{'accept-encoding'}, 'br', 'with its codings';
    is $asked->{range}, 'bytes=0-9', 'its range';
    is $asked->{'if-none-match'}, 'W/"x-tmpl-strip"', 'and its tags';
};

subtest 'requests for pages' => sub {
    my %page = (
        'a visit' => {%BROWSER},
        'a program without a browser' => { Accept => '*/*' },
        'a page that is fetched ahead' => { 'Sec-Fetch-Dest' => 'empty', 'Sec-Purpose' => 'prefetch' },
        "an app of Android with a web view" => { %BROWSER, 'X-Requested-With' => 'org.example.app' },
        'a frame' => { %BROWSER, 'Sec-Fetch-Dest' => 'iframe' },
        'a link of htmx' => { 'HX-Request' => 'true', 'HX-Boosted' => 'true' },
        'a link of Turbo' => { 'Sec-Fetch-Dest' => 'empty', 'X-Turbo-Request-Id' => 'a-b-c' },
    );
    for my $name (sort keys %page) {
        my $res = ask('page', %{ $page{$name} });
        same_bytes($res->body, $site->stripped($n), "$name: stripped");
        is vary($res), 'Accept', "$name: Vary has no field of scripts";
    }
    is pages(), $before + keys %page, 'they are learnt';
    is ask('page', 'Turbo-Frame' => 'a', 'X-Turbo-Request-Id' => 'a-b-c')->says('declined'), 'fragment', 'a frame of Turbo is none';
};

subtest 'forms of the page' => sub {
    my @script = ('Sec-Fetch-Dest' => 'empty', 'X-Requested-With' => 'XMLHttpRequest');
    for my $type (qw(text/markdown application/json)) {
        my $res = ask('page', @script, Accept => $type);
        like $res->header('Content-Type'), qr/^\Q$type\E/, "$type: a script that asks for it gets it";
        is vary($res), 'Accept', "$type: Vary";
    }
    like ask('reader', @script)->body, qr/<title>Story number/, 'the reader view of an address';
    like $httpd->get('/page/30.md', headers => {@script})->body, qr/^# Story number/m, 'a twin';
};

subtest 'conditions' => sub {
    my $page = $httpd->get('/page/3');
    like $page->header('ETag'), qr/^W/, 'a page has the tag of the mode';
    my $res = $httpd->get('/page/3', headers => { 'HX-Request' => 'true', 'If-None-Match' => $page->header('ETag') });
    is $res->status, 200, 'the stripped page is no answer to a script';
    same_bytes($res->body, $site->page(3), 'which gets its own');
    $res = $httpd->get('/page/3', headers => { 'HX-Request' => 'true', 'If-None-Match' => '"v3", ' . $page->header('ETag') });
    is $res->status . ' ' . ($res->header('ETag') // ''), '304 "v3"', 'or the confirmation of its own';
    is vary($res), 'Accept, HX-Request', 'with the Vary of its own: caches take it over';
};

subtest 'behind mod_cache' => sub {
    plan skip_all => 'no mod_cache_disk' if !Test::Tmpl::Httpd::has_module('cache_disk');
    my $cached = proxy($backend, modules => [qw(cache cache_disk)], conf => "$conf\nCacheRoot \@ROOT\@/cache\nCacheEnable disk /page/\n");
    $cached->get("/learn/$_") for 1 .. 6;
    my $n = 40;
    for my $script (@SCRIPTS) {
        $n++;
        same_bytes($cached->get("/page/$n", headers => {@$script})->body, $site->page($n), "$script->[0]: untouched");
        same_bytes($cached->get("/page/$n", headers => {%BROWSER})->body, $site->stripped($n), 'a visit thereafter: stripped');
    }
    $cached->get('/page/60', headers => { 'HX-Request' => 'true' });
    my $res = $cached->get('/page/60', headers => { 'HX-Request' => 'true', 'If-None-Match' => '"v60", W/"v60-tmpl-strip"' });
    is join(' ', $res->status, $res->header('ETag'), vary($res)), '304 "v60" Accept, HX-Request', 'mod_cache confirms what it has, not the stripped page';
    $cached->finish;
};

subtest 'X-Accel-Buffering: no' => sub {
    my $client = $httpd->client;
    my $known = pages();
    $client->send_request('/slow/stream/50');
    ok $client->comes('<!DOCTYPE'), 'the beginning comes before the end is sent';
    $backend->allow('end 50');
    my $res = $client->read_response('GET');
    same_bytes($res->body, $site->page(50), 'untouched');
    is $res->header('X-Accel-Buffering'), 'no', 'a proxy in front sees the field';
    wait_for { pages() == $known + 1 };
    is pages(), $known + 1, 'the page is learnt';
    same_bytes($httpd->get('/stream/51', headers => { 'HX-Boosted' => 'true' })->body, $site->stripped(51), 'tmpl-judge: held and stripped');
    like $httpd->get('/stream/52', headers => { Accept => 'text/markdown' })->body, qr/^# Story number/m, 'Markdown needs the whole page';
};

$httpd->finish;
done_testing;
