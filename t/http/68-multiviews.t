# SPDX-License-Identifier: Apache-2.0

# httpd chooses a file by Accept itself, with MultiViews, with type maps and for a directory's index.
# With TmplMarkdown httpd also finds HTML for clients that accept only Markdown, and mod_tmpl makes
# Markdown of it. A file of Markdown is sent as it is. Other clients get the same files as without
# TmplMarkdown.

use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::Tmpl;

my $site = site();
my $httpd = Test::Tmpl::Httpd->new(modules => ['negotiation'], conf => <<'END');
TmplMode strip
TmplMarkdown on
TmplSiteKey site
AddType text/markdown .md
AddType application/json .json
AddHandler type-map .var
FileETag Size
DirectoryIndex index
Header set Seen "expr=%{req:Accept}"
ErrorDocument 404 /missing.html
<Directory "@ROOT@/htdocs">
    Require all granted
    Options +MultiViews
</Directory>
<Location /html>
    TmplMarkdown off
</Location>
<Location /off>
    TmplMode off
</Location>
<Location /set>
    RequestHeader set Accept text/html
</Location>
<Location /text>
    TmplMode text
</Location>
<Location /more>
    RequestHeader append Accept text/plain;q=0.1
</Location>
END
my $htdocs = $httpd->root . '/htdocs';
my $file = sub {
    my ($name, $text) = @_;
    mkdir $htdocs . '/' . $name =~ s{/.*}{}r;
    spit("$htdocs/$name", $text);
};
$file->("page/$_.html", $site->page($_)) for 1 .. 9;
$file->("$_/9.html", $site->page(9)) for qw(md rival html off set more);
$file->('md/9.md', "# Own\n");
$file->('rival/9.json', '{}');
$file->('rival/9.txt', 'text');
$file->('text/9.html', $site->page(9));
$file->('text/9.json', '{}');
$file->('text/9.var', "URI: 9.html\nContent-Type: text/html\n\nURI: 9.json\nContent-Type: application/json\n");
$file->('index/index.html', $site->page(9));
$file->('index/index.txt', 'text');
$file->('map/9.html', $site->page(9));
$file->('map/9.json', '{}');
$file->('map/9.var', "URI: 9.html\nContent-Type: text/html\n\nURI: 9.json\nContent-Type: application/json\n");
spit("$htdocs/missing.html", $site->page(8));
# httpd's tags of files that have just been written are weak
utime 1_500_000_000, 1_500_000_000, glob "$htdocs/*.* $htdocs/*/*";
$httpd->start;
$httpd->expect_log(qr/AH00690: no acceptable variant/);
$httpd->visit(1 .. 8);
my $ask = sub {
    my ($target, $accept, %o) = @_;
    return $httpd->get($target, %o, headers => { Accept => $accept, %{ $o{headers} // {} } });
};
my $is = sub { $_[0]->status . ' ' . (($_[0]->header('Content-Type') // '') =~ s/;.*//sr) };
my $MARKDOWN = 'text/markdown';
my $VARY = qr/\bAccept\b(?!-)/i;

# Each row: path, Accept, the answer.
for my $row (
    ['/page/9', $MARKDOWN, "200 $MARKDOWN"], ['/page/9', 'text/markdown;q=0.001', "200 $MARKDOWN"],
    ['/page/9', 'text/markdown, text/html;q=0', "200 $MARKDOWN"], ['/page/9', 'text/html;q=0, text/markdown, */*;q=0.1', "200 $MARKDOWN"],
    ['/page/9', undef, '200 text/html'], ['/page/9', '*/*', '200 text/html'], ['/page/9', 'text/html', '200 text/html'],
    ['/page/9', 'text/markdown, text/html', "200 $MARKDOWN"], ['/page/9', 'text/html, text/markdown', '200 text/html'],
    ['/page/9', 'text/markdown;q=0', '406 text/html'],
    ['/page/9', 'application/json', '406 text/html'],
    ['/rival/9', 'text/markdown, */*;q=0.9', "200 $MARKDOWN"], ['/rival/9', 'text/markdown, text/plain;q=0.5', "200 $MARKDOWN"],
    ['/rival/9', 'text/markdown, text/html;q=0.2, text/plain;q=0.5', "200 $MARKDOWN"],
    ['/rival/9', 'text/markdown;q=0.5, application/json', '200 application/json'],
    ['/rival/9', 'text/plain', '200 text/plain'], ['/rival/9', 'text/markdown, text/html, */*', "200 $MARKDOWN"],
    ['/rival/9', 'text/markdown, */*', "200 $MARKDOWN"], ['/rival/9', 'text/markdown;q=0.3, text/*;q=0.3', "200 $MARKDOWN"],
    ['/md/9', 'text/markdown, text/html, */*', "200 $MARKDOWN"],
    ['/map/9.var', 'text/markdown, text/html, */*', "200 $MARKDOWN"],
    ['/md/9', $MARKDOWN, "200 $MARKDOWN"], ['/md/9', 'text/markdown, text/html;q=0.9', "200 $MARKDOWN"],
    ['/md/9', 'text/html', '200 text/html'],
    ['/index/', $MARKDOWN, "200 $MARKDOWN"], ['/index/', 'text/markdown, text/plain;q=0.9', "200 $MARKDOWN"],
    ['/index/', 'text/html', '200 text/html'], ['/index/', 'text/plain', '200 text/plain'],
    ['/map/9.var', $MARKDOWN, "200 $MARKDOWN"], ['/map/9.var', 'text/markdown, application/json;q=0.9', "200 $MARKDOWN"],
    ['/map/9.var', 'text/html', '200 text/html'], ['/map/9.var', 'application/json', '200 application/json'],
    ['/map/9.var', 'text/css', '406 text/html'],
    ['/text/9.var', 'text/html, application/json;q=0.9', '200 text/plain'], ['/text/9.var', 'text/*, application/json;q=0.9', '200 text/plain'],
    ['/text/9.var', 'text/html;q=0, text/markdown;q=0', '200 text/plain'], ['/text/9.var', 'application/json', '200 application/json'],
    ['/html/9', $MARKDOWN, '406 text/html'], ['/off/9', $MARKDOWN, '406 text/html'],
    ['/set/9', $MARKDOWN, '200 text/html'], ['/more/9', $MARKDOWN, "200 $MARKDOWN"],
    ['/nothing', $MARKDOWN, "404 text/html"],
) {
    my ($path, $accept, $want) = @$row;
    my $name = "$path, Accept: " . ($accept // 'none');
    my $res = $ask->($path, $accept);
    is $is->($res), $want, $name;
    next if $res->status != 200;
    is $res->header('Seen') // '', $accept // '', "$name: the field is the client's own again" if $path !~ m{^/(?:set|more)};
    like $res->header('Vary'), $VARY, "$name: Vary";
}

subtest 'what is sent' => sub {
    for my $path (qw(/page/9 /rival/9 /index/ /map/9.var)) {
        my $markdown = $ask->($path, $MARKDOWN);
        like $markdown->body, qr/\A---\n.*\n---\n\n# Story number 9 about /s, "$path: Markdown of the page";
        unlike $markdown->body, qr/Ferries|Copyright/, "$path: without template";
        same_bytes($ask->($path, 'text/html')->body, $site->stripped(9), "$path: HTML is stripped");
    }
    my $own = $ask->('/md/9', $MARKDOWN);
    is $own->body, "# Own\n", 'Markdown of the site: as it is';
    is $own->header('Tmpl'), undef, 'and not judged';
};

# httpd's own tag of a file that MultiViews or a type map chooses has no closing quote, so that no tag is made of it.
subtest 'validators' => sub {
    for my $path (qw(/page/9 /index/ /map/9.var)) {
        my %tag = map { $_ => $ask->($path, $_)->header('ETag') } $MARKDOWN, 'text/html';
        is_deeply \%tag, { $MARKDOWN => 'W/"6cf-tmpl-markdown"', 'text/html' => 'W/"6cf-tmpl-strip"' }, "$path: tags" if $path eq '/index/';
        for my $accept ($MARKDOWN, 'text/html') {
            for my $of (grep { defined $tag{$_} } $MARKDOWN, 'text/html') {
                my $res = $ask->($path, $accept, headers => { 'If-None-Match' => $tag{$of} });
                is $res->status, $of eq $accept ? 304 : 200, "$path, $accept: the tag of $of";
                like $res->header('Vary'), $VARY, "$path, $accept: the tag of $of: Vary";
            }
            my $dated = $ask->($path, $accept, headers => { 'If-Modified-Since' => 'Mon, 06 Jan 2020 10:00:00 GMT' });
            is $is->($dated), "200 $accept", "$path, $accept: a date";
        }
        my $head = $ask->($path, $MARKDOWN, method => 'HEAD');
        is $is->($head), "200 $MARKDOWN", "$path: HEAD";
        like $head->header('Vary'), $VARY, "$path: HEAD: Vary";
        my $part = $ask->($path, $MARKDOWN, headers => { Range => 'bytes=4-20' });
        is $part->status . ' ' . $part->body, '206 ' . substr($ask->($path, $MARKDOWN)->body, 4, 17), "$path: a range";
    }
};

# A client that keeps its connection: each request has fields of its own.
subtest 'one connection' => sub {
    my $client = $httpd->client;
    for my $accept ($MARKDOWN, 'text/html', $MARKDOWN, 'application/json', $MARKDOWN) {
        my $want = $accept eq 'application/json' ? '406 text/html' : "200 $accept";
        is $is->($client->get('/page/9', headers => { Accept => $accept })), $want, $accept;
    }
};
$httpd->finish;

# A local program that looks at Accept finds HTML, too.
subtest 'CGI' => sub {
    my $cgi = cgi(<<'END', paths => ['page'], conf => "TmplMode strip\nTmplMarkdown on\n");
print "Content-Type: text/plain\n\n$ENV{HTTP_ACCEPT}";
END
    $cgi->start;
    is $cgi->get('/page/script', headers => { Accept => $MARKDOWN })->body, 'text/markdown, text/html;q=0.999', 'a client that wants Markdown';
    is $cgi->get('/page/script', headers => { Accept => 'text/markdown, text/html, image/x, */*' })->body,
        'text/markdown, image/x, text/html;q=0.999, */*;q=0.998', 'one that also accepts anything';
    is $cgi->get('/page/script', headers => { Accept => $_ })->body, $_, "$_ stays" for 'text/html', '*/*', 'text/html, text/markdown';
    $cgi->finish;
};
done_testing;
