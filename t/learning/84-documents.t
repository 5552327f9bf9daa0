# SPDX-License-Identifier: Apache-2.0

# TmplDocuments: which pages are listed, and when they have changed. A page is listed under the address
# that was requested, if anybody may request it, its canonical link leads to it, and robots may index
# it. A change is dated if the page has new text; another template, or more pages, date nothing.

use FindBin;
use lib "$FindBin::Bin/../lib";
use IO::Socket::UNIX;
use JSON::PP qw(decode_json);
use Test::Tmpl;

my $site = site();
my $state = temp_dir();
sub setting { my ($name) = @_; return -e "$state/$name" ? slurp("$state/$name") : '' }

# /page/N: a page; its article has the text of $state/article-N; $state/new: all pages have another template.
# /PLACE/N: a page with what PLACE says.
my %HEAD = (
    robots => '<meta name="robots" content="noindex, follow">', none => '<META NAME=Robots CONTENT=none>',
    other => '<link rel="canonical" href="/page/1">', canonical => '<link rel="canonical" href="http://127.0.0.1/canonical/7">',
    elsewhere => '<link rel="canonical" href="https://evil.example/elsewhere/7">',
);
my %FIELDS = (
    tag => { 'X-Robots-Tag' => 'otherbot: noindex' }, cookie => { 'Set-Cookie' => 'a=b' }, private => { 'Cache-Control' => 'private' },
    public => { 'Cache-Control' => 'public' },
);
my $backend = backend {
    my ($connection, $request) = @_;
    my $host = $request->{headers}{host} =~ /^(\w+)\.evil/ ? $1 : '';
    my ($place, $n) = $request->{target} =~ m{^/(\w+)//?(\d+)} or return $connection->respond(404, { 'Content-Type' => 'text/html' }, 'none');
    return $connection->respond(410, { 'Content-Type' => 'text/html' }, 'gone') if setting("gone-$n") || $host eq 'gone';
    $place = 'robots' if setting("robots-$n") || $host eq 'robots';
    $place = 'elsewhere' if $host eq 'elsewhere';
    my $added = setting("article-$n") || ($request->{headers}{'user-agent'} // '');
    my $page = $site->page($added =~ s/^as (\d+)// ? $1 : $n);
    $page =~ s{</article>}{<p>$added</p></article>};
    $page =~ s{<title>.*?</title>}{<title> A &amp; \x07B &lt;$n&gt;\n [x] </title>} if $n == 7;
    $page =~ s{<title>.*?</title>}{<title>Caf\xe9 &rsquo;</title>} if $n == 34;
    if (setting('new')) {
        $page =~ s{<header.*</header>}{<div class="masthead"><h2>Harbour News, since 1850</h2><ul class="menu"><li><a href="/">All the news of the day</a></li></ul></div>}s;
        $page =~ s{<main>}{<div class="wide"><div class="column">};
        $page =~ s{</main>}{</div></div>};
        $page =~ s{<aside.*</footer>}{<div class="foot"><p>Write to the editors of this paper, or come to see us.</p></div>}s;
    }
    $page =~ s{</head>}{$HEAD{$place}</head>} if $HEAD{$place};
    $page =~ s{</head>}{<link rel="canonical" href="${\ setting('inner')}/inner/$n"></head>} if $place eq 'inner';
    return $connection->respond(200, { 'Content-Type' => "text/html; charset=${\ ($n == 34 ? 'iso-8859-1' : 'utf-8')}", %{ $FIELDS{$place} // {} } }, $page);
};
my $lists = <<'END';
<Location "/lists">
    SetHandler tmpl-sitemap
</Location>
<Location "/lists/status">
    SetHandler tmpl-status
</Location>
END
# the same backend behind a socket of the file system
my $socket = "$state/socket";
my $behind = IO::Socket::UNIX->new(Local => $socket, Listen => 8) or die "listen: $!";
give_to_server($state);
give_to_server($socket);
my $forward = spawn('socket', sub {
    while (my $client = $behind->accept) {
        my $to = IO::Socket::INET->new(PeerAddr => '127.0.0.1', PeerPort => $backend->port) or die "connect: $!";
        sysread $client, my $request, 65_536;
        syswrite $to, $request =~ s/\r\n(?=\r\n)/\r\nConnection: close/r;
        while (sysread $to, my $answer, 65_536) { syswrite $client, $answer }
    }
});
close $behind;
(my $inner = $backend->url) =~ s/127\.0\.0\.1/localhost/;
spit("$state/inner", $inner);
my $httpd = httpd(conf => "ServerName 127.0.0.1\nProxyPreserveHost on\nProxyPass /lists !\nProxyPass /front/ $inner/inner/\nProxyPass /socket/ unix:$socket|$inner/inner/\nProxyPass /raw/ $inner/ nocanon\nProxyPass / ${\ $backend->url}/\nTmplMode strip\nTmplDocuments on\nTmplLearn on\n$lists");
sub listed { my ($h) = @_; return join ' ', sort map { m{<loc>http://127\.0\.0\.1(?::\d+)?(.*?)</loc>} } split /\n/, $h->get('/lists/sitemap.xml')->body }

sub changed { my ($h, $target) = @_; return $h->get($target)->header('Tmpl') =~ /(?:^|, )changed=\@(\d+)(?:,|$)/ ? $1 : 0 }
sub paths { return join ' ', sort map {"/page/$_"} @_ }

is listed($httpd), '', 'nothing is listed at first';
$httpd->visit(1 .. 12);
is listed($httpd), paths(1 .. 12), 'public pages are listed';

$httpd->get($_) for '/Page/1', '/page//1', '/page/1.html', '/page/12/';
is listed($httpd), paths(1 .. 12), 'other spellings of an address with the same page are not';

# ---- who is listed ----

$httpd->get('/front/40');
is listed($httpd), '/front/40 ' . paths(1 .. 12), 'a page whose canonical link names the backend that was asked is listed';
$httpd->get('/socket/42');
like listed($httpd), qr{ /socket/42$}, 'and one whose backend is asked through a socket';
my $before = listed($httpd);
for (
    ['a query without a canonical link', '/page/20?x=1'], ['a page that says noindex', '/robots/21'], ['a page that says none', '/none/22'],
    ['X-Robots-Tag', '/tag/23'], ['Set-Cookie', '/cookie/24'], ['private', '/private/25'],
    ['a cookie', '/page/26', Cookie => 'basket=1'], ['a cookie, of a public page', '/public/27', Cookie => 'basket=1'],
    ['Authorization', '/page/28', Authorization => 'Basic eDp5'], ['another canonical address', '/other/29'],
    ['another site as canonical', '/elsewhere/7'], ['a variant of a canonical address', '/canonical/7?utm_source=x'],
    ['a variant of the backend\'s canonical address', '/front/41?utm_source=x'],
    ['another site as canonical, which the request names, too', '/raw/elsewhere/7|https://evil.example/elsewhere/7'], ['no page', '/missing'],
    ) {
    my ($name, $target, %headers) = @$_;
    $httpd->get($target, headers => { Connection => 'close', %headers });
    is listed($httpd), $before, "not listed: $name";
}
my $counters = decode_json($httpd->get('/lists/status', headers => { Accept => 'application/json' })->body)->{counters};
is join(' ', map { $counters->{"unlisted-$_"} } qw(personal robots canonical query)), '5 3 5 1', 'the status counts why not';
$httpd->get('/page/30', method => 'POST');
$httpd->get('/page/31', method => 'HEAD');
is listed($httpd), $before, 'not listed: other methods than GET';
$httpd->get('/canonical/7');
like listed($httpd), qr{^/canonical/7 }, 'a page is listed under its canonical address';
$httpd->get('/page/32', headers => { Cookie => '_ga=1', Connection => 'close' });
like listed($httpd), qr{/page/32\b}, 'a cookie that counts visits does no harm';
$before = listed($httpd);

spit("$state/gone-32", 1);
$httpd->get('/page/32', headers => { Cookie => 'a=b', Connection => 'close' });
like listed($httpd), qr{/page/32\b}, 'a person who does not find a page does not take it off the list';
$httpd->get('/page/32');
$before =~ s{ /page/32}{};
wait_for { listed($httpd) eq $before };    # it leaves when its request is logged
is listed($httpd), $before, 'a page that is missing leaves the list';
$httpd->get('/page/33');
spit("$state/robots-33", 1);
$httpd->get('/page/33');
is listed($httpd), $before, 'and so does a page that says noindex now';
for my $host ('gone', 'robots', 'elsewhere') {
    $httpd->get('/page/1', host => "$host.evil.example");
    is listed($httpd), $before, "a page that is made for another host leaves nothing out: $host";
}

# ---- what dates a change ----

sub dated { return join ' ', grep { changed($httpd, "/page/$_") } 1 .. 12 }
is dated(), '', 'no page has a date at first';
spit("$state/article-3", 'The council of the town has voted for a bridge over the river after a debate of nine hours. ' x 3);
my $now = time;
my $date = changed($httpd, '/page/3');
ok $date >= $now - 1 && $date <= time, 'a page with new text has changed now';
is changed($httpd, '/page/3'), $date, 'and keeps the date';
# the cache keeps what was decided, not when the page changed
my $cached = httpd(no_store => 1, modules => ['socache_shmcb'], conf => "ServerName 127.0.0.1\nTmplMode strip\nTmplDocuments on\nTmplLearn off\nTmplCache shmcb\n"
        . "TmplStore lmdb:${\ $httpd->root}/store\nProxyPass / ${\ $backend->url}/\n");
is join(' ', map { $cached->get('/page/3')->header('Tmpl') =~ /cache=(\w+)/ } 1 .. 2), 'miss hit', 'a decision of another server, from its cache';
is changed($cached, '/page/3'), $date, 'has the date of the store';
is changed($cached, '/page/2'), 0, 'also where there is none';
$cached->finish;
is dated(), '3', 'the others have none';
like $httpd->get('/lists/sitemap.xml')->body, qr{/page/3</loc><lastmod>20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ</lastmod></url>}, 'lastmod';
is scalar(() = $httpd->get('/lists/sitemap.xml')->body =~ /<lastmod>/g), 1, 'no other one';
spit("$state/article-4", '12:59');
is changed($httpd, '/page/4'), 0, 'a clock dates nothing';
$httpd->get('/page/6', headers => { Connection => 'close', 'User-Agent' => 'a browser of my own that says what I like the page to show, and that is not a change of the page' });
is changed($httpd, '/page/6'), 0, 'nor does text of the request';
spit("$state/new", 1);
is dated(), '3', 'another template dates nothing, while it is not known';
is dated(), '3', 'nor when it is';
$httpd->visit(41 .. 46);
spit("$state/article-5", 'as 105');
is dated(), '3 5', 'another article in the new template is a change';
is listed($httpd), join(' ', sort split(/ /, $before), map {"/page/$_"} 41 .. 46), 'nothing else is listed';

# ---- a store that is gone ----

$httpd->stop;
unlink glob "$httpd->{root}/store/*";
$httpd->start;
is $httpd->get('/page/3')->says('pages'), 1, 'the table is lost';
is dated(), '', 'no page of a new table has a date';
is listed($httpd), paths(1 .. 12), 'pages come back as they are requested';

# ---- titles ----

$httpd->get('/page/34');
like $httpd->get('/lists/sitemap.md')->body, qr{^- \[A \\& B \\<7\\> \\\[x\\\]\]\(}m, 'a title, on one line';
like $httpd->get('/lists/sitemap.md')->body, qr{^- \[Caf\xc3\xa9 \xe2\x80\x99\]\(}m, 'a title in another charset, with a reference';

$httpd->expect_log(qr/T026/);    # its template does change
$httpd->finish;
done_testing;
