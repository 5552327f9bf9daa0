# SPDX-License-Identifier: Apache-2.0

# Mode highlight: the page with its blocks shaded by their verdicts, with the reasons, only for requests
# that TmplHighlightAllow chooses. Without the inserted bytes the page is the backend's, byte for byte.
# No cache keeps the highlighted page. tests/browser/highlight.t looks at it in a browser.

use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::Tmpl;
use JSON::PP ();

my $site = site(large => 10);
my %page = map { m{/(\w+)\.html$} ? ($1 => slurp($_)) : () } glob "$FindBin::Bin/../pages/*.html";
my @manual = grep { -s $_ < 100_000 } sort glob '/usr/share/doc/apache2-doc/manual/en/howto/*.html';
$page{"manual$_"} = slurp($manual[$_]) for 0 .. ($#manual < 4 ? $#manual : 4);
$page{forged} = '<p data-tmpl-is=content title=x tabindex=-1>not so</p>'
    . '<nav role="presentation"><a href="/">Home &amp; "more"</a></nav><div>text<ul><li>item</ul>more text</div>'
    . '<button><b>push</b><div>here</div></button><p/><p a=>odd</p><p b>odd</p><b>one<p>two</b>three';
my @of_caches = qw(Surrogate-Control CDN-Cache-Control Cloudflare-CDN-Cache-Control Edge-Control X-Accel-Expires Pragma);
my $backend = backend {
    my ($connection, $request) = @_;
    my %fields = ('Content-Type' => 'text/html', ETag => '"x"', 'Last-Modified' => 'Sat, 01 Jan 2022 00:00:00 GMT',
        'Cache-Control' => 'public, max-age=600', Expires => 'Fri, 01 Jan 2100 00:00:00 GMT', map { $_ => 'max-age=600' } @of_caches);
    my ($policy) = $request->{target} =~ /[?&]policy=([^&]+)/;
    $fields{'Content-Security-Policy'} = $policy =~ s/%([0-9A-F]{2})/chr hex $1/ger if defined $policy;
    return $connection->respond(304, {}, '') if ($request->{headers}{'if-none-match'} // '') =~ /"x"/;
    return $connection->respond(200, \%fields, $site->page($1)) if $request->{target} =~ m{/page/(\d+)};
    return $connection->respond(200, \%fields, $page{$1}) if $request->{target} =~ m{^/(\w+)} && $page{$1};
    return $connection->respond(404, { 'Content-Type' => 'text/html' }, 'no such page');
};
my $conf = <<'END';
TmplMode strip
TmplParts all
TmplPageKey "%{REQUEST_URI}"
TmplHighlightAllow "%{QUERY_STRING} =~ /(^|&)look(&|$)/ && -R '127.0.0.1'"
CacheRoot "@ROOT@/cache"
TmplCache shmcb
<Location /page/20>
    TmplMode off
</Location>
<Location /page/21>
    TmplHighlightAllow "-R '192.0.2.1'"
</Location>
<Location /page/22>
    TmplMode highlight
    TmplHighlightAllow "%{HTTP_COOKIE} =~ /look=1/"
</Location>
<Location /page/23>
    TmplMode highlight
    TmplHighlightAllow false
</Location>
<Location /page/24>
    TmplHighlightAllow "%{HTTP_COOKIE} =~ /look=1/"
</Location>
CacheEnable disk /page/24
CacheEnable disk /page/25
END
my $httpd = proxy($backend, modules => [qw(socache_shmcb cache cache_disk)], conf => $conf);

# The page without what highlight has inserted.
sub plain {
    my ($html) = @_;
    my $head = () = $html =~ s{<style>\@media screen\{\n.*?\}</style>(<meta [^>]*>)*}{}sg;
    is $head, 1, 'one style and the lines of the panel, at one place';
    return $html =~ s{ data-tmpl-is="[^"]*" title="[^"]*"( tabindex="0")?}{}gr;
}

sub look { my ($target, %headers) = @_; return $httpd->get($target . ($target =~ /\?/ ? '&' : '?') . 'look', headers => \%headers) }

$httpd->visit(1 .. 10);

subtest 'one page' => sub {
    my $res = look('/page/6');
    same_bytes(plain($res->body), $site->page(6), 'without what was inserted it is the page');
    is $res->header('Content-Length'), length $res->body, 'Content-Length';
    like $res->body, qr{<footer data-tmpl-is="template" title="Template, by the detector&#10;Detector auto: [\d.]+, template above [\d.]+&#10;DF: 10 of \d+ pages&#10;Weighs most: [^;(]+(?:: [\d.]+|\? \w[^;(]*) \([+-][\d.]+\); },
        'the footer is template, and why';
    like $res->body, qr{<p data-tmpl-is="content" [^>]*>Item 6\.1}, 'the article is content';
    is $res->says('state'), 'warm', 'the field is as in other modes';
    is $res->says('template'), $httpd->get('/page/6')->says('template'), 'with the same verdicts';
    is $res->says('cache'), '', 'no decision of TmplCache';
    is $httpd->get('/page/6')->says('cache'), 'hit', 'which has that of strip';
    same_bytes($httpd->get('/page/6')->body, $site->stripped(6), 'others get the page as ever');
};

subtest 'never kept' => sub {
    my $res = look('/page/6', 'If-None-Match' => '"x"', 'If-Modified-Since' => 'Sat, 01 Jan 2022 00:00:00 GMT');
    is $res->status, 200, 'whatever copy the client has';
    is $res->header('Cache-Control'), 'no-store, private', 'Cache-Control';
    is $res->header($_), undef, "no $_" for qw(ETag Last-Modified), @of_caches;
    unlike $res->header('Expires') // '', qr/2100/, 'nor Expires of the backend';
    my $head = $httpd->client->ask('/page/6?look', method => 'HEAD');
    is $head->header('Cache-Control'), 'no-store, private', 'HEAD: Cache-Control';
};

subtest 'mod_cache' => sub {
    my %cookie = (Cookie => 'look=1');
    my $res = $httpd->get('/page/24', headers => \%cookie);
    same_bytes(plain($res->body), $site->page(24), 'chosen by a cookie: highlighted');
    same_bytes($httpd->get('/page/24')->body, $site->stripped(24), 'and not stored: the next one gets the page');
    my $stored = $httpd->get('/page/24');
    isnt $stored->header('Age'), undef, 'which is stored';
    same_bytes($stored->body, $site->stripped(24), 'as it is');
    same_bytes(plain(look('/page/25')->body), $site->page(25), 'chosen by a query: highlighted') for 1 .. 2;
    is look('/page/25')->header('Age'), undef, 'and not stored';
    same_bytes($httpd->get('/page/25')->body, $site->stripped(25), 'the page without it');
};

subtest 'for whom' => sub {
    same_bytes(look('/page/20')->body, $site->page(20), 'mode off: for nobody');
    same_bytes(look('/page/21')->body, $site->stripped(21), 'not from this address');
    same_bytes($httpd->get('/page/22')->body, $site->page(22), 'TmplMode highlight, not allowed: as the backend sent it');
    is $httpd->get('/page/22')->says('state'), 'warm', 'as in mode headers';
    is $httpd->get('/page/22')->header('Vary'), undef, 'and no Vary for what no cache keeps';
    same_bytes(plain($httpd->get('/page/22', headers => { Cookie => 'look=1' })->body), $site->page(22), 'allowed');
    same_bytes(look('/page/23')->body, $site->page(23), 'TmplMode highlight, for nobody');
    is look('/no-such')->says('declined'), 'status', 'what is declined';
};

subtest 'all kinds of pages' => sub {
    for my $name (sort keys %page) {
        my $res = look("/$name");
        like $res->body, qr/ data-tmpl-is=/, "$name: highlighted";
        same_bytes(plain($res->body), $page{$name}, "$name: nothing else");
        my @values = $res->body =~ /(?:title|data-tmpl-note)="((?:Template|Content)[^"]*)"/g;
        ok @values && !grep({ /[<>&](?!#\d+;)/ || /[^ -~]/ } @values), "$name: what is said is escaped";
    }
};

subtest 'attributes' => sub {
    my $html = look('/forged')->body;
    like $html, qr{<p data-tmpl-is="\w+" title="[^"]*" data-tmpl-is=content}, 'in front of forged ones, so that they count';
    unlike $html, qr{tabindex="0" [^>]*tabindex=-1}, 'not in place of its tabindex';
    like $html, qr{<nav [^>]*title="[^"]*" role="presentation">}, 'no stop for the keyboard at what is nothing to screen readers';
    like $html, qr{<div data-tmpl-is="(?:own-\w+|several)" title="[^"]*&#10;(?:Content|Template)[^"]*"}, 'text beside blocks: the element around it';
    unlike $html, qr{<button>.*tabindex="0".*</button>}, 'no stop in a button';
};

$httpd->expect_log(qr/T026/);    # pages that have nothing in common with the site
$httpd->finish;
done_testing;
