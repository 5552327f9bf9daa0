# SPDX-License-Identifier: Apache-2.0

# Mode markdown sends the content of a page as Markdown, mode text its text. With TmplMarkdown the
# Accept field of a request decides: Markdown if Accept names text/markdown with a higher weight than
# HTML, or with the same weight and not behind text/html. Both forms have Vary: Accept and tags of
# their own, so that no cache mixes them up. A page that is declined is HTML.

use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::Tmpl;

my $site = site();
my %FIELDS = (
    tagged => { ETag => '"v1"' },
    accepts => { ETag => '"v1"' },
    private => { 'Cache-Control' => 'private', 'Set-Cookie' => 'a=b' },
    whole => { 'Cache-Control' => 'no-transform' },
    digest => { Digest => 'md5=x' },
    type => { 'Content-Type' => 'text/css' },
    steered => { 'Tmpl-Control' => 'learn' },
    latin => { 'Content-Type' => 'text/html; charset=iso-8859-1' },
);
my $backend = backend {
    my ($connection, $request) = @_;
    my ($kind, $n) = $request->{target} =~ m{^/(\w+)/(\d+)};
    my %fields = ('Content-Type' => 'text/html', 'Cache-Control' => 'max-age=600', %{ $FIELDS{$kind} // {} });
    return $connection->head(304, { ETag => $fields{ETag} }) if $fields{ETag} && ($request->{headers}{'if-none-match'} // '') =~ /\Q$fields{ETag}\E/;
    return $connection->respond(406, {}, 'text/html only') if $kind eq 'accepts' && ($request->{headers}{accept} // '*/*') !~ m{text/html|\*/\*};
    my $page = $site->page($n);
    $page =~ s/utf-8/iso-8859-1/, $page =~ s/Story/St\xF6ry/ if $kind eq 'latin';
    return $connection->respond(200, \%fields, $page);
};
my $conf = <<'END';
TmplMode strip
TmplMarkdown on
<Location /always>
    TmplMode markdown
    TmplMarkdown off
</Location>
<Location /text>
    TmplMode text
</Location>
<Location /off>
    TmplMode off
</Location>
<Location /html>
    TmplMarkdown off
</Location>
<Location ~ "^/(learn|accepts|passes)">
    TmplMode learn
</Location>
<Location ~ "^/(keep|passes)">
    TmplMinKeep 1
</Location>
END
my $httpd = proxy($backend, conf => $conf);
$httpd->visit(1 .. 8);
my %want = (Accept => 'text/markdown');
my $type = sub { ($_[0]->header('Content-Type') // '') =~ s/;.*//sr };

# Each row: the Accept field, and whether its answer is Markdown (tests/httpd/test_accept.c has every rule).
my @accept = (
    [undef, 0], ['', 0], ['text/markdown;q=0', 0], ['TEXT/Markdown;q=0.5', 1], [['text/html;q=0.5', 'text/markdown'], 1],
    ['text/markdown;variant="a,b;q=0";q=0.7, text/html;q=0.6', 1],
);
# What agents, browsers, readers of feeds and crawlers send: their names, the field, and whether the answer is Markdown.
my @CLIENTS = (
    ['Claude Code 2.1, Copilot CLI, Microsoft Copilot', 'text/markdown, text/html, */*', 1],
    ['Cursor', 'text/markdown, text/plain;q=0.9, */*;q=0.8', 1],
    ['Cursor, another version', 'text/markdown,text/html;q=0.9,application/xhtml+xml;q=0.8,application/xml;q=0.7,image/avif,image/webp,*/*;q=0.5', 1],
    ['OpenCode', 'text/markdown;q=1.0, text/x-markdown;q=0.9, text/plain;q=0.8, text/html;q=0.7, */*;q=0.1', 1],
    ['OpenCode, for HTML', 'text/html;q=1.0, application/xhtml+xml;q=0.9, text/plain;q=0.8, text/markdown;q=0.7, */*;q=0.1', 0],
    ['OpenClaw', 'text/markdown, text/html;q=0.9, */*;q=0.8', 1],
    ['MarkItDown', 'text/markdown, text/html;q=0.9, text/plain;q=0.8, */*;q=0.1', 1],
    ['a fetch tool that names Markdown first', 'text/markdown, */*', 1],
    ['afdocs, curl -H', 'text/markdown', 1],
    ['Codex CLI', 'text/html, */*', 0],
    ['ChatGPT-User, PerplexityBot, GPTBot, ClaudeBot, curl, wget', '*/*', 0],
    ['Firefox', 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', 0],
    ['Firefox 92 to 127', 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8', 0],
    ['Chrome, Edge', 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,image/apng,*/*;q=0.8,application/signed-exchange;v=b3;q=0.7', 0],
    ['Safari, Googlebot, bingbot', 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', 0],
    ['Internet Explorer', 'text/html, application/xhtml+xml, image/jxr, */*', 0],
    ['Lynx', 'text/html, text/plain, text/sgml, text/css, application/xhtml+xml, */*;q=0.01', 0],
    ['w3m', 'text/html, text/*;q=0.5, image/*, application/*', 0],
    ['Python requests, aiohttp, Go with a wildcard', '*/*', 0],
    ['axios', 'application/json, text/plain, */*', 0],
    ['Miniflux, FreshRSS', 'application/xml, application/atom+xml, application/rss+xml, application/rdf+xml, application/feed+json, text/html, */*;q=0.9', 0],
    ['NetNewsWire, Feedly', 'application/rss+xml, application/rdf+xml;q=0.8, application/atom+xml;q=0.6, application/xml;q=0.4, text/xml;q=0.4', 0],
    ['YandexBot', 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.01', 0],
    ['Java HttpURLConnection', 'text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2', 0],
    ['Mastodon', 'text/html, application/xhtml+xml', 0],
);

for my $row ((map { [undef, @$_] } @accept), @CLIENTS) {
    my ($client, $accept, $markdown) = @$row;
    my $name = !defined $accept ? 'no Accept' : ($client // 'Accept') . ': ' . (ref $accept ? join ' | ', @$accept : $accept);
    my $res = $httpd->get('/page/9', headers => { Accept => $accept });
    is $res->status . ' ' . $type->($res), $markdown ? '200 text/markdown' : '200 text/html', $name;
    like $res->header('Vary') // '', qr/\bAccept\b(?!-)/, "$name: Vary";
}

subtest 'Markdown' => sub {
    my $res = $httpd->get('/page/9?a=1', headers => \%want);
    is $res->header('Content-Type'), 'text/markdown; charset=utf-8', 'the type';
    my $base = 'http://test.example';
    like $res->body, qr/\A---\ntitle: "Story number 9 about [a-z ]+"\ncanonical: "\Q$base\E\/page\/9\?a=1"\nlanguage: "en"\n---\n\n# Story number 9 about /, 'front matter and heading';
    unlike $res->body, qr/Ferries|Copyright|pages of/, 'no template';
    like $res->body, qr/^Item 9\.4 tells of .* and _more_ in 9 & 4\.$/m, 'a paragraph';
    is $res->header('Content-Length'), length $res->body, 'its length';
    is $res->header('Link'), "<$base/page/9?a=1>; rel=\"canonical\"", 'the link to the page';
    is $res->header('X-Markdown-Tokens'), int((length($res->body) + 3) / 4), 'an estimate of tokens';
    is $res->header('X-Original-Tokens'), int((length($site->page(9)) + 3) / 4), 'and of those of the page';
    like $res->header('Tmpl'), qr/detector=auto/, 'the Tmpl field';
    my $html = $httpd->get('/page/9?a=1');
    same_bytes($html->body, $site->stripped(9), 'HTML is stripped');
    is $html->header('Link'), "<$base/page/9.md?a=1>; rel=\"alternate\"; type=\"text/markdown\"", 'its link to the Markdown';
    is $html->header($_), undef, "no $_" for 'X-Markdown-Tokens', 'X-Original-Tokens';
    my $latin = $httpd->get('/latin/9', headers => \%want);
    like $latin->body, qr/^# St\xC3\xB6ry number/m, 'UTF-8 from another charset';
    is $httpd->get('/digest/9', headers => \%want)->header('Digest'), undef, 'no digest of the page';
};

# AllowEncodedSlashes: httpd refuses %2F otherwise
subtest 'addresses' => sub {
    my $named = proxy($backend, conf => "${conf}AllowEncodedSlashes NoDecode\n");
    my $base = 'http://test.example';
    $named->visit(1 .. 8);
    for my $case (
        ["$base/page/9", '/page/9', 'with a host'], ['/page/9%3Fx', '/page/9%3Fx', 'an escaped ?'],
        ['/page/9%2541', '/page/9%2541', 'an escaped %'], ['/page/9%2fx', '/page/9%2Fx', 'an escaped /'],
        ['/page/9%20%c3%A9?x=%26', '/page/9%20%C3%A9?x=%26', 'other escapes'], ['/page/./x/../%39', '/page/9', 'dots'],
        ['//page/9', '/page/9', 'two slashes'], ['///page/9', '/page/9', 'three slashes'],
    ) {
        my ($target, $path, $name) = @$case;
        my $twin = $path =~ s/\?|$/.md$&/r;
        my $res = $named->get($target, headers => \%want);
        is $res->header('Link'), "<$base$path>; rel=\"canonical\"", "$name: the link to the page";
        like $res->body, qr/^canonical: "\Q$base$path\E"$/m, "$name: the page's address";
        is $named->get($target)->header('Link'), "<$base$twin>; rel=\"alternate\"; type=\"text/markdown\"", "$name: the link to the Markdown";
    }
    $named->finish;
};

subtest 'sections' => sub {
    my $always = $httpd->get('/always/9', headers => { Accept => 'text/html' });
    is $type->($always), 'text/markdown', 'mode markdown: without negotiation';
    is $always->header('Vary'), undef, 'and without Vary';
    my $text = $httpd->get('/text/8');
    is $text->header('Content-Type'), 'text/plain; charset=utf-8', 'mode text';
    like $text->body, qr/\AStory number 8 about .*\nItem 8\.1 tells/, 'the text, a line for each block';
    unlike $text->body, qr/Ferries|<|#/, 'no template, no markup';
    for my $path (qw(off html)) {
        my $res = $httpd->get("/$path/9", headers => \%want);
        is $type->($res), 'text/html', "$path: HTML";
        unlike $res->header('Vary') // '', qr/Accept\b(?!-)/, "$path: no Vary";
    }
    is $type->($httpd->get('/learn/9', headers => \%want)), 'text/markdown', 'mode learn: Markdown';
    same_bytes($httpd->get('/learn/9')->body, $site->page(9), 'mode learn: HTML as it came');
    like $httpd->get('/learn/9')->header('Vary'), qr/\bAccept\b/, 'and Vary';
};

subtest 'declined pages are HTML' => sub {
    for my $path (qw(whole keep)) {
        my $res = $httpd->get("/$path/9", headers => \%want);
        is $type->($res), 'text/html', $path;
        same_bytes($res->body, $site->page(9), "$path: as it came");
        like $res->header('Vary'), qr/\bAccept\b/, "$path: Vary";
        is $res->header('X-Markdown-Tokens'), undef, "$path: no estimate";
        is $httpd->get("/$path/9")->header('Link'), undef, "$path: HTML without a link to Markdown";
    }
    like $httpd->get('/passes/9')->header('Link'), qr/rel="alternate"/, 'nothing is held: the link is sent before the page is judged';
    for my $method (qw(GET HEAD)) {
        is $httpd->get('/steered/9', method => $method)->header('Link'), undef, "Tmpl-Control: learn, $method: there is no Markdown, and no link to it";
    }
    is $type->($httpd->get('/steered/9', headers => \%want)), 'text/html', 'Tmpl-Control: learn: as it came';
    my $css = $httpd->get('/type/9', headers => \%want);
    is $type->($css), 'text/css', 'another type';
    unlike $css->header('Vary') // '', qr/Accept\b(?!-)/, 'and no Vary';
    my $unchanged = $httpd->get('/tagged/9/look.txt', headers => { 'If-None-Match' => '"v1"' });
    is $unchanged->status, 304, 'another type, by its name: 304';
    is $unchanged->header('Vary'), undef, 'and no Vary';
};

subtest 'validators' => sub {
    my $markdown = $httpd->get('/tagged/9', headers => \%want);
    my $html = $httpd->get('/tagged/9');
    is $markdown->header('ETag'), 'W/"v1-tmpl-markdown"', 'a tag of Markdown';
    is $html->header('ETag'), 'W/"v1-tmpl-strip"', 'a tag of HTML';
    for my $case (['Markdown', \%want, $markdown, $html], ['HTML', {}, $html, $markdown]) {
        my ($name, $accept, $own, $other) = @$case;
        my $res = $httpd->get('/tagged/9', headers => { %$accept, 'If-None-Match' => $own->header('ETag') });
        is $res->status, 304, "$name: its tag: 304";
        is $res->header('ETag'), $own->header('ETag'), "$name: 304 with the tag";
        like $res->header('Vary'), qr/\bAccept\b/, "$name: 304 with Vary";
        is $httpd->get('/tagged/9', headers => { %$accept, 'If-None-Match' => $other->header('ETag') })->status, 200, "$name: the other's tag: 200";
    }
    my @backends = (headers => { %want, 'If-None-Match' => '"v1"' });
    is $type->($httpd->get("/$_", @backends)), 'text/markdown', "$_: the backend's own tag, which is that of HTML: 200" for 'tagged/9', 'accepts/9';
    my $head = $httpd->get('/tagged/9', method => 'HEAD', headers => \%want);
    is $head->status . ' ' . $head->header('Content-Type'), '200 text/markdown; charset=utf-8', 'HEAD';
    like $head->header('Vary'), qr/\bAccept\b/, 'HEAD: Vary';
    like $httpd->get('/tagged/9', method => 'HEAD')->header('Link'), qr/rel="alternate"/, 'HEAD of HTML: the link to the Markdown';
    my $part = $httpd->get('/tagged/9', headers => { %want, Range => 'bytes=4-20' });
    is $part->status, 206, 'a range';
    is $part->body, substr($markdown->body, 4, 17), 'of the Markdown';
    my $private = $httpd->get('/private/9', headers => { %want, Authorization => 'Basic eDp5' });
    is $type->($private) . ' ' . $private->header('Cache-Control'), 'text/markdown private', 'a private answer stays private';
    my $gzip = proxy($backend, conf => "${conf}AddOutputFilterByType DEFLATE text/html text/markdown\n");
    $gzip->visit(1 .. 8);
    my $small = $gzip->get('/tagged/9', headers => { %want, 'Accept-Encoding' => 'gzip' });
    is $type->($small) . ' ' . $small->header('Content-Encoding'), 'text/markdown gzip', 'compressed';
    like $small->header('Vary'), qr/Accept-Encoding/, 'Vary names both fields';
    $gzip->finish;
};

subtest 'mod_cache' => sub {
    plan skip_all => 'no mod_cache_disk' if !Test::Tmpl::Httpd::has_module('cache_disk');
    my $cached = proxy($backend, modules => [qw(cache cache_disk)],
        conf => "${conf}CacheRoot \@ROOT\@/cache\nCacheEnable disk /tagged/\nCacheDetailHeader on\n");
    $cached->visit(1 .. 8);
    for my $round (1 .. 3) {
        my $markdown = $cached->get('/tagged/9', headers => \%want);
        my $html = $cached->get('/tagged/9', headers => { Accept => 'text/html' });
        is $type->($markdown), 'text/markdown', "round $round: Markdown";
        like $markdown->body, qr/^# Story/m, "round $round: its body";
        is $type->($html), 'text/html', "round $round: HTML";
        same_bytes($html->body, $site->stripped(9), "round $round: its body");
    }
    my $tag = $cached->get('/tagged/9', headers => \%want)->header('ETag');
    is $cached->get('/tagged/9', headers => { %want, 'If-None-Match' => $tag })->status, 304, 'the tag of a cached answer';
    my $again = $cached->get('/tagged/9', headers => { %want, 'Cache-Control' => 'max-age=0' });
    is $type->($again) . ' ' . $again->status, 'text/markdown 200', 'revalidated';
    $cached->finish;
};

# What was decided about a page is used again; the Markdown is made anew.
subtest 'the decision cache' => sub {
    plan skip_all => 'no mod_socache_shmcb' if !Test::Tmpl::Httpd::has_module('socache_shmcb');
    my $cached = proxy($backend, modules => ['socache_shmcb'], conf => "TmplCache shmcb\n$conf");
    $cached->visit(1 .. 8, 9, 9, 9);
    my @bodies = map { $cached->get('/page/9', headers => \%want) } 1 .. 3;
    like $bodies[2]->header('Tmpl'), qr/cache=hit/, 'a hit';
    is $bodies[2]->body, $bodies[0]->body, 'the same Markdown';
    is $type->($_), 'text/markdown', 'its type' for @bodies;
    is $type->($cached->get('/text/9')), 'text/plain', 'text is not cached' for 1 .. 3;
    $cached->finish;
};
$httpd->finish;
done_testing;
