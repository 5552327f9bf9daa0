# SPDX-License-Identifier: Apache-2.0

# TmplMarkdown with pages that are made to break it, and with stores that fail: an answer is
# complete Markdown in UTF-8, or the page as it came; its Vary names Accept, and text of a page is
# never read as front matter, heading, link or field.

use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::Tmpl;
use Encode qw(decode FB_CROAK);

my $site = site();
sub text { return join ' ', map { "A sentence of the article about $_[0], the one with the number $_." } 1 .. 20 }
my %PAGE = (
    deep => '<blockquote><ul><li>' x 150 . 'x',
    deeper => '<div>' x 5000 . 'x',
    tables => '<table><tr><th>a<th>b</tr>' . '<tr><td>1<td colspan=2>|2|<br>3' x 1_000,
    nested => '<table><tr><td>x<td>' x 120,
    wide => '<table><tr>' . '<th>a' x 3_000 . '<tr><td>b',
    columns => '<table><tr>' . '<td>a' x 1_000 . '<tr><td>b' x 1_000,
    code => '<pre><code class="language-x`y">' . '`' x 300_000 . "\n# x",
    listings => '<div class="' . 'language-' x 100_000 . '">' . '<pre>x</pre>' x 20_000,
    inline => '<code>`' x 200 . '``` ' x 50_000,
    stars => '<b>*</b><i>_</i>' x 1_000,
    links => '<a href="//x](y)">[</a>' x 5_000,
    images => '<img alt="](x)![" src="a b(c">' x 5_000,
    titled => "</title><title>\"]\n---\n# Smuggled\n---\n</title><meta name=author content='x\n---\n\n# Smuggled'>",
    jsonld => '<script type="application/ld+json">' . '[' x 30_000 . '</script>'
        . '<script type="application/ld+json">{"@type":"Article","author":"x\n---\n\n# Smuggled","datePublished":"\u0000"}</script>',
    lines => "<p>---<br># Smuggled<br>\xE2\x80\xA8# Smuggled\xC2\x85# Smuggled&#13;# Smuggled&#10;# Smuggled",
    references => '<sup><a href="#n" id=r>1</a></sup>' x 20_000 . '<ol><li id=n>x <a href="#r">^</a></ol>',
    notes => join('', map { "<sup><a href='#n$_'>1</a></sup><p id=n$_>x" } 1 .. 3_000) . "<p id=n1>" x 3_000,
    circles => '<div id=n><sup><a href="#n">1</a></sup></div>' . '<sup><a href="#a">1</a></sup><p id=a><sup><a href="#b">2</a></sup>'
        . '<p id=b><sup><a href="#a">1</a></sup>',
    noted => '[^1]: Smuggled<p>x<sup><a href="#n">1</a></sup>: Smuggled<p>y<sup><a href="#n">1</a></sup>(u)<p id=n>[^1]: Smuggled<p><a href="u">^1</a>',
    language => "<html lang='x\"\n# Smuggled'>",
);
my %CHARSET = (
    utf7 => ['utf-7', '+AAoAIw- Smuggled'], jp => ['iso-2022-jp', "\e\$B!!\e(B# x \e\$B"], sjis => ['shift_jis', "\x81\x7C\x83\x5C # x \x81"],
    gbk => ['gbk', "\x81\x60\x81\x7C\x81\x5C"], invalid => ['utf-8', "\xFF\xC0\x80\xED\xA0\x80 \xF0\x9F"], none => ['no-such', "\xE4"],
    hz => ['hz-gb-2312', "~{!!~\n# Smuggled~}"],
);
sub html_of {
    my ($kind) = @_;
    my $title = "<!DOCTYPE html><title>T</title>";
    my $text = text($kind);
    return "$title<p>$text</p>$CHARSET{$kind}[1]<p>End of $kind." if $CHARSET{$kind};
    return $kind =~ /^(?:titled|jsonld|language)$/ ? "<!DOCTYPE html><title>T$PAGE{$kind}</title><p>$text" : "$title<p>$text</p>$PAGE{$kind}";
}
my $backend = backend {
    my ($connection, $request) = @_;
    my ($kind) = $request->{target} =~ m{^/bad/(\w+)};
    return $site->answer($connection, $request) if !$kind;
    my $charset = $CHARSET{$kind} ? "; charset=$CHARSET{$kind}[0]" : '';
    return $connection->respond(200, { 'Content-Type' => "text/html$charset" }, html_of($kind));
};
my %want = (headers => { Accept => 'text/markdown' });
my $conf = "TmplMode learn\nTmplMarkdown on\n";
my $httpd = proxy($backend, conf => $conf);
$httpd->visit(1 .. 4);

for my $kind (sort keys %PAGE, keys %CHARSET) {
    my $res = $httpd->get("/bad/$kind", %want);
    my $type = $res->header('Content-Type') // '';
    is $res->status, 200, "$kind: status";
    like $res->header('Vary') // '', qr/\bAccept\b/, "$kind: Vary";
    if ($type =~ m{^text/html}) {
        isnt $res->says('declined'), '', "$kind: declined, as " . $res->says('declined');
        same_bytes($res->body, html_of($kind), "$kind: as it came");
        next;
    }
    is $type, 'text/markdown; charset=utf-8', "$kind: Markdown";
    cmp_ok length $res->body, '<=', 3 * length(html_of($kind)) + 65_536, "$kind: not much longer than the page";
    ok eval { decode('UTF-8', $res->body, FB_CROAK); 1 }, "$kind: UTF-8";
    unlike $res->body, qr/^ {0,3}#+ Smuggled/m, "$kind: no heading that is none";
    unlike $res->body, qr/^\s*\[\^\d+\]: Smuggled/m, "$kind: no footnote that is none";
    my %note = map { $_ => 1 } $res->body =~ /^\s*(\[\^\d+\]): /mg;
    is join(' ', grep { !$note{$_} } $res->body =~ /(?<!\\)(\[\^\d+\])/g), '', "$kind: no reference without a note";
    unlike $res->body, qr/[\x00-\x09\x0B-\x1F\x7F]/, "$kind: no control characters";
    my @rules = $res->body =~ /^---$/mg;
    is scalar @rules, 2, "$kind: one front matter";
    like $res->body, qr/\A---\n(?:[a-z]+: "(?:[^"\\\n]|\\["\\])*"\n)+---\n\n/, "$kind: of one line for each key";
}

# What a client writes in its request is not in other fields.
for my $target ('/page/5?a>;rel="x"', "/page/5?a\xFF\t", '/page/5?%0D%0AX-Smuggled:1', '/page/5?"<b>') {
    my $client = $httpd->client;
    $client->send_raw("GET $target HTTP/1.1\r\nHost: h.example\r\nAccept: text/markdown\r\nConnection: close\r\n\r\n");
    my $res = $client->read_response('GET');
    next if $res->status == 400;
    is $res->header('X-Smuggled'), undef, "$target: no field of its own";
    like $res->header('Link'), qr{\A<http://[^<>"\s]+>; rel="canonical"\z}, "$target: the field Link";
}

$httpd->finish;

# Without the store auto judges alone; incremental passes the page. Neither takes long, nor is the
# answer a broken one.
subtest 'a store that is dead or late' => sub {
    my $redis = redis();
    my $slow = proxy($backend, no_store => 1, conf => "TmplStore ${\ $redis->uri}\nTmplTimeout 200ms\n" . $Test::Tmpl::BY_FIELD . $conf);
    $slow->visit(1 .. 8);
    my $ask = sub { return $slow->get("/page/$_[1]", headers => { Accept => 'text/markdown', 'X-Detector' => $_[0] }) };
    my $check = sub {
        my ($name) = @_;
        for my $n (11 .. 16) {
            my $alone = $ask->('auto', $n);
            is $alone->status . ' ' . $alone->header('Content-Type'), '200 text/markdown; charset=utf-8', "$name: auto, page $n";
            is $alone->says('store'), '0', "$name: which says that it had no store";
            my $passed = $ask->('incremental', $n);
            like $passed->header('Content-Type'), qr{^text/html}, "$name: incremental, page $n";
            same_bytes($passed->body, $site->page($n), "$name: as it came");
            like $_->header('Vary'), qr/\bAccept\b/, "$name: Vary" for $alone, $passed;
        }
    };
    $redis->stop;
    $check->('late');
    $redis->continue;
    ok wait_for { $ask->('incremental', 9)->header('Content-Type') =~ /markdown/ }, 'it answers again: Markdown';
    $redis->kill9;
    $check->('dead');
    $slow->expect_log(qr/\[tmpl:warn\]/);
    $slow->finish;
};

subtest 'a store that is nearly full' => sub {
    my $full = proxy($backend, no_store => 1, conf => "TmplStore \"lmdb:\@ROOT\@/store?size=1M\"\nTmplSiteKey \"%{HTTP_HOST}\"\n$conf");
    for my $n (1 .. 60) {
        $full->get('/page/' . ($_ + $n), host => "s$n.example", %want) for 1 .. 3;
    }
    for my $n (1 .. 5) {
        my $res = $full->get("/page/$n", host => 'new.example', %want);
        is $res->status . ' ' . $res->header('Content-Type'), '200 text/markdown; charset=utf-8', "page $n";
        like $res->body, qr/^# Story number $n /m, 'its heading';
    }
    $full->finish;
};
done_testing;
