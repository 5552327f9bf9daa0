# SPDX-License-Identifier: Apache-2.0

# A page that is only read is passed on while it is read: the client gets its beginning before the
# backend sends its end. A page that is held is passed on unchanged if its end has not come within
# TmplMaxWait, whether the backend is silent or still sending, and the response says so. The client
# always gets all bytes in order. The test measures no time: where a page is held, the backend never
# sends its end.

use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::Tmpl;
use Compress::Zlib ();
use Digest::MD5 ();
use Socket qw(SOL_SOCKET SO_LINGER);

my $site = site();
# gzip cannot compress this much, so part of it reaches the client as soon as part of the page is
# sent.
my $NOISE = join "\n", map { Digest::MD5::md5_hex($_) } 1 .. 2000;

# Page n, with a comment in it.
sub page { return $site->page($_[0]) =~ s{</body>}{<!--$NOISE--></body>}r }

# The two parts in which the backend sends page n.
sub parts {
    my ($n, $gzip) = @_;
    my $body = $gzip ? Compress::Zlib::memGzip(page($n)) : page($n);
    my $half = int(length($body) / 2);
    return (substr($body, 0, $half), substr $body, $half);
}

# A page in gzip of exactly that many bytes.
sub gzip_of {
    my ($bytes) = @_;
    for my $length ($bytes * 3 / 2 .. length $NOISE) {
        my $gzip = Compress::Zlib::memGzip('<p>' . substr $NOISE, 0, $length);
        return $gzip if length $gzip == $bytes;
    }
    die "no page makes $bytes bytes\n";
}

# Bodies with Content-Encoding gzip that are not one complete page below TmplMaxBody.
my %GZIP = (
    twice => Compress::Zlib::memGzip('<p>one') . Compress::Zlib::memGzip('<p>two'),
    # the first member ends where a buffer of the module ends
    edge => gzip_of(8000) . Compress::Zlib::memGzip('<p>two'),
    cut => substr(Compress::Zlib::memGzip(page(1)), 0, -4),
    large => Compress::Zlib::memGzip(page(1) . ' ' x 1_000_000),
);

# /LOCATION/WAY/N is a page in two parts; the backend sends the second when the test allows N. Every
# other path is a page of the site.
my $backend = backend {
    my ($connection, $request) = @_;
    my ($way, $n) = $request->{target} =~ m{^/[\w-]+/(\w+)/(\d+)$} or return $site->answer(@_);
    my %html = ('Content-Type' => 'text/html', $way eq 'gzip' || $GZIP{$way} ? ('Content-Encoding' => 'gzip') : ());
    if ($way =~ /^(?:endless|dribble)$/) {
        $connection->head(200, { %html, 'Transfer-Encoding' => 'chunked' });
        $way eq 'endless' || $connection->drain while $connection->chunk("<p>one more</p>\n" x 100);
        return $connection->close;
    }
    return $connection->respond(200, \%html, $GZIP{$way}) if $GZIP{$way};
    my ($first, $second) = parts($n, $way eq 'gzip');
    if ($way eq 'length') {
        $connection->head(200, { %html, 'Content-Length' => length "$first$second" });
        $connection->send($first);
        $connection->wait_until($n);
        return $connection->send($second);
    }
    $connection->head(200, { %html, 'Transfer-Encoding' => 'chunked' });
    $connection->chunk($first);
    $connection->wait_until($n);
    return $connection->close if $way eq 'broken';
    if ($way eq 'gone') {
        $connection->chunk(substr $second, 0, -100);
        $connection->wait_until('never');
    }
    $connection->chunk($second);
    return $connection->send("0\r\n\r\n");
};

# Requests LOCATION/WAY/N; lets the backend go on when the client has a part of the page. Returns
# whether the client got that part, and the response.
sub stream {
    my ($httpd, $location, $way, $n) = @_;
    my $client = $httpd->client;
    # another filter in front has inflated it
    my ($first) = parts($n, $way eq 'gzip' && $location ne 'behind');
    $client->send_request("/$location/$way/$n");
    my $came = $client->comes(substr $first, 5000, 1000);
    $backend->allow($n);
    return ($came, $client->read_response('GET'));
}

# The page in an answer.
sub body_of {
    my ($res) = @_;
    return $res->body if ($res->header('Content-Encoding') // '') ne 'gzip';
    return Compress::Zlib::memGunzip(my $copy = $res->body) // 'not gzip';
}

sub counter {
    my ($httpd, $name) = @_;
    return $httpd->counted('/counters')->{$name};
}

my $status = "<Location /counters>\nProxyPass !\nSetHandler tmpl-status\nTmplMode off\n</Location>\n";

subtest 'what is only read' => sub {
    my $httpd = Test::Tmpl::Httpd->new(modules => ['substitute'], conf => <<"END");
$status
TmplMaxBody 256K
# nothing is held, so this has no effect
TmplMaxWait 10ms
CustomLog "\@ROOT\@/found.log" "%U %{tmpl}n"
TmplMode learn
<Location /headers>
    TmplMode headers
    TmplHeaders off
</Location>
<Location /behind>
    SetOutputFilter INFLATE;SUBSTITUTE
    Substitute "s|Story|Tale|"
</Location>
ProxyPass / ${\ $backend->url}/
END
    $httpd->start;
    my $found = sub {
        my ($n) = @_;
        my $line = qr{^\S+/$n (.*)$}m;
        wait_for { -e $httpd->root . '/found.log' && slurp($httpd->root . '/found.log') =~ $line };
        # httpd writes \" for a quote in a log
        return slurp($httpd->root . '/found.log') =~ $line ? $1 =~ s/\\"/"/gr : 'nothing';
    };
    my ($n, $learnt) = (0, 0);
    for my $location (qw(learn headers)) {
        for my $way (qw(chunked length gzip)) {
            $n++;
            my ($came, $res) = stream($httpd, $location, $way, $n);
            ok $came, "$location, $way: the client gets the beginning before the backend sends the end";
            same_bytes(body_of($res), page($n), "$location, $way: the client gets all bytes, unchanged");
            is $res->header('Content-Encoding'), $way eq 'gzip' ? 'gzip' : undef, "$location, $way: Content-Encoding";
            is $res->header($_), undef, "$location, $way: no field $_" for qw(Tmpl Server-Timing);
            my $said = Test::Tmpl::Field::dictionary($found->($n));
            is $said->{learned}, 1, "$location, $way: the page was learnt";
            is $said->{pages}, ++$learnt, "$location, $way: the site has one page more";
        }
    }
    is counter($httpd, 'learned'), $learnt, 'mod_status counts the pages';
    like $found->(4), qr/fingerprint="/, 'mode headers: the note has the same members as the field';

    my ($came, $res);
    for my $case ([8, 'chunked'], [12, 'gzip']) {
        my ($n, $way) = @$case;
        ($came, $res) = stream($httpd, 'behind', $way, $n);
        ok $came, "behind other filters, $way: the client gets the beginning";
        same_bytes($res->body, page($n) =~ s/Story/Tale/gr, "behind other filters, $way: the client gets what they wrote");
        is Test::Tmpl::Field::dictionary($found->($n))->{learned}, 1, "behind other filters, $way: the page is learnt";
        $learnt++;
    }

    # A page that is cut short, damaged or too large is passed on and not learnt.
    $httpd->expect_log(qr/\[(?:proxy|proxy_http|http):error\]/);
    ($came, $res) = stream($httpd, 'learn', 'broken', 9);
    ok $came, 'broken: the client gets the beginning';
    ok !$res->complete, 'broken: the response is incomplete';
    is $found->(9), 'declined=broken', 'broken: not learnt';

    for my $way (sort keys %GZIP) {
        my $res = $httpd->get("/learn/$way/" . (++$n + 100));
        same_bytes($res->body, $GZIP{$way}, "$way: the client gets the same bytes");
        is $res->header('Content-Encoding'), 'gzip', "$way: Content-Encoding is kept";
        is $found->($n + 100), 'declined=' . ($way eq 'large' ? 'too-large' : 'inflate'), "$way: not learnt";
    }

    my $client = $httpd->client;
    $client->send_request('/learn/endless/10');
    ok defined $client->take(1_000_000), 'a page without end: the client gets more than TmplMaxBody';
    wait_for { counter($httpd, 'declined-too-large') == 2 };
    is counter($httpd, 'declined-too-large'), 2, 'a page without end is declined as too large';
    $client->close;
    is $found->(10), 'declined=too-large', 'a page without end: not learnt';
    is counter($httpd, 'pages'), $learnt, 'a page without end: not judged';

    # mod_proxy ends the body with EOS, though it is not complete, when the client has gone away.
    $client = $httpd->client;
    $client->send_request('/learn/gone/11');
    $client->comes(substr +(parts(11))[0], 5000, 1000);
    setsockopt $client->{socket}, SOL_SOCKET, SO_LINGER, pack 'ii', 1, 0;
    $client->close;
    $backend->allow(11);
    is $found->(11), '-', 'a page whose client has closed the connection is not parsed';
    $httpd->finish;
};

# A file is read by mmap or in chunks.
subtest 'a file that is only read' => sub {
    my $long = join '', map { "<p>Line $_ of a long page</p>\n" } 1 .. 5000;
    for my $mmap (qw(on off)) {
        my $httpd = Test::Tmpl::Httpd->new(conf => "TmplMode learn\nEnableMMAP $mmap\nEnableSendfile on\n$status" =~ s/ProxyPass !\n//r);
        my $page = page(1) =~ s{</body>}{$long</body>}r;
        spit($httpd->root . '/htdocs/page.html', $page);
        $httpd->start;
        same_bytes($httpd->get('/page.html')->body, $page, "mmap $mmap: the client gets the file");
        ok wait_for { counter($httpd, 'learned') == 1 }, "mmap $mmap: the page is learnt";
        is counter($httpd, 'bytes-in'), length $page, "mmap $mmap: all bytes are counted";
        $httpd->finish;
    }
};

subtest 'what is held' => sub {
    my $httpd = Test::Tmpl::Httpd->new(modules => ['substitute'], conf => <<"END");
$status
TmplMode strip
# so that TmplMaxWait is the only limit
TmplMaxBody 1G
<Location /short>
    TmplMaxWait 10ms
</Location>
<Location /headers>
    TmplMode headers
    TmplMaxWait 10ms
</Location>
<Location /annotate>
    TmplMode annotate
    TmplMaxWait 10ms
</Location>
<Location /fields>
    TmplMode learn
    TmplHeaders on
    TmplMaxWait 10ms
</Location>
<Location /highlight>
    TmplMode learn
    TmplHighlightAllow true
    TmplMaxWait 10ms
</Location>
<Location /behind>
    TmplMaxWait 10ms
    SetOutputFilter SUBSTITUTE
    Substitute "s|Story|Tale|"
</Location>
ProxyPass / ${\ $backend->url}/
END
    $httpd->expect_log(qr/\[(?:proxy|proxy_http|http):error\]/);
    $httpd->start;
    $httpd->visit(1 .. 6);
    my $n = 20;
    for my $location (qw(short headers annotate fields highlight behind)) {
        for my $way (qw(chunked length gzip)) {
            $n++;
            my ($came, $res) = stream($httpd, $location, $way, $n);
            my $want = $location eq 'behind' ? page($n) =~ s/Story/Tale/gr : page($n);
            ok $came, "$location, $way: a silent backend does not delay the page";
            same_bytes(body_of($res), $want, "$location, $way: the client gets all bytes, unchanged");
            is $res->says('declined'), 'slow', "$location, $way: declined=slow";
        }
    }
    is counter($httpd, 'declined-slow'), $n - 20, 'mod_status counts the slow pages';

    my (undef, $res) = stream($httpd, 'short', 'broken', 40);
    ok !$res->complete, 'the response is incomplete if the backend then breaks off';
    for my $location (qw(short headers annotate)) {
        my $client = $httpd->client;
        $client->send_request("/$location/dribble/50");
        ok $client->comes('Tmpl: declined=slow'), "$location: a page without end is declined as slow";
        ok $client->comes('one more'), "$location: the client gets the page";
        $client->close;
    }

    # With time enough the page is held through a pause: the client gets nothing before the end has
    # come.
    my $client = $httpd->client;
    $client->send_request('/long/chunked/60');
    my $requested = wait_for { grep { $_->{target} eq '/long/chunked/60' } $backend->requests };
    ok $requested, 'the backend has the request for a page in two parts';
    $backend->allow(60);
    $res = $client->read_response('GET');
    same_bytes($res->body, page(60) =~ s/<header.*?<\/header>|<aside.*?<\/aside>|<footer.*?<\/footer>//gsr, 'the page is stripped');
    $httpd->finish;
};

# The end of a script's pipe or socket is not known before it comes.
subtest 'CGI' => sub {
    my $dir = temp_dir();
    # The second part comes when the file exists that the query names.
    my $httpd = cgi(<<"SCRIPT", paths => [qw(short long learn)], conf => <<'CONF');
use Test::Tmpl::Process qw(wait_for);
use Test::Tmpl::Site;
\$| = 1;
my (\$n) = \$ENV{QUERY_STRING} =~ /(\\d+)/;
my \$page = Test::Tmpl::Site->new->page(\$n);
print "Content-Type: text/html\\n\\n", substr \$page, 0, 500;
wait_for { -e "$dir/\$n" } or exit 1;
print substr \$page, 500;
SCRIPT
TmplMode strip
<Location /short/>
    TmplMaxWait 10ms
</Location>
<Location /learn/>
    TmplMode learn
</Location>
CONF
    $httpd->start;
    for my $n (1 .. 6) {
        spit("$dir/$n", '');
        $httpd->get("/long/script?$n");
    }
    for my $path (qw(learn short)) {
        my $n = $path eq 'learn' ? 7 : 8;
        my $client = $httpd->client;
        $client->send_request("/$path/script?$n");
        ok $client->comes(substr $site->page($n), 100, 300), "$path: the client gets the beginning before the script writes the end";
        spit("$dir/$n", '');
        my $res = $client->read_response('GET');
        same_bytes($res->body, $site->page($n), "$path: the client gets all bytes");
        is $res->says('declined'), $path eq 'learn' ? '' : 'slow', "$path: Tmpl field";
    }
    spit("$dir/9", '');
    same_bytes($httpd->get('/long/script?9')->body, $site->stripped(9), 'with time enough it is stripped');
    $httpd->finish;
};

done_testing;
