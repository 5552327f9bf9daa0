# SPDX-License-Identifier: Apache-2.0

# What is only read passes as it comes: the client has the beginning of a page before the backend sends its end. What is
# held goes on untouched when its end has not come within TmplMaxWait, be the backend silent or not, and says so. In every
# case all bytes come, in their order. Nothing here is measured in time: where a page is held, nobody sends its end.

use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::Tmpl;
use Compress::Zlib ();
use Digest::MD5 ();
use Socket qw(SOL_SOCKET SO_LINGER);

my $site = site();
# Nothing that gzip makes little of, so that what has come of it says that the page is on its way.
my $NOISE = join "\n", map { Digest::MD5::md5_hex($_) } 1 .. 2000;

# Page n, with a comment in it.
sub page { return $site->page($_[0]) =~ s{</body>}{<!--$NOISE--></body>}r }

# The same in two parts, as a backend sends it.
sub parts {
    my ($n, $gzip) = @_;
    my $body = $gzip ? Compress::Zlib::memGzip(page($n)) : page($n);
    my $half = int(length($body) / 2);
    return (substr($body, 0, $half), substr $body, $half);
}

# A page that gzip makes so many bytes of.
sub gzip_of {
    my ($bytes) = @_;
    for my $length ($bytes * 3 / 2 .. length $NOISE) {
        my $gzip = Compress::Zlib::memGzip('<p>' . substr $NOISE, 0, $length);
        return $gzip if length $gzip == $bytes;
    }
    die "no page makes $bytes bytes\n";
}

# What is called gzip, and is not one whole page that may be looked at.
my %GZIP = (
    twice => Compress::Zlib::memGzip('<p>one') . Compress::Zlib::memGzip('<p>two'),
    # as long as the module's buffers: the first ends where one of them does
    edge => gzip_of(8000) . Compress::Zlib::memGzip('<p>two'),
    cut => substr(Compress::Zlib::memGzip(page(1)), 0, -4),
    plain => '<p>no gzip at all',
    large => Compress::Zlib::memGzip(page(1) . ' ' x 1_000_000),
);

# /LOCATION/WAY/N: a page of two parts; the second when the test allows N. Everything else is a page of the site.
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

# Asks for LOCATION/WAY/N and lets the backend go on when the client has a part of the page; whether it had, the answer.
sub stream {
    my ($httpd, $location, $way, $n) = @_;
    my $client = $httpd->client;
    # behind another filter it is not compressed any more
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
    return ($httpd->get('/counters?auto')->body =~ /^Tmpl-\Q$name\E: (\d+)$/m)[0];
}

my $status = "<Location /counters>\nProxyPass !\nSetHandler server-status\nTmplMode off\n</Location>\n";

subtest 'what is only read' => sub {
    my $httpd = Test::Tmpl::Httpd->new(modules => ['substitute'], conf => <<"END");
$status
TmplMaxBody 256K
# nothing is held, so no wait is too long
TmplMaxWait 10ms
CustomLog "\@ROOT\@/found.log" "%U %{tmpl}n"
TmplMode learn
<Location /headers>
    TmplMode headers
    TmplHeaders off
</Location>
<Location /behind>
    SetOutputFilter SUBSTITUTE
    Substitute "s|Story|Tale|"
</Location>
ProxyPass / ${\ $backend->url}/
END
    $httpd->start;
    my $found = sub {
        my ($n) = @_;
        my $line = qr{^\S+/$n (.*)$}m;
        wait_for { -e $httpd->root . '/found.log' && slurp($httpd->root . '/found.log') =~ $line };
        # logs have quotes with a backslash in front
        return slurp($httpd->root . '/found.log') =~ $line ? $1 =~ s/\\"/"/gr : 'nothing';
    };
    my ($n, $learnt) = (0, 0);
    for my $location (qw(learn headers)) {
        for my $way (qw(chunked length gzip)) {
            $n++;
            my ($came, $res) = stream($httpd, $location, $way, $n);
            ok $came, "$location, $way: the beginning comes before the end is sent";
            same_bytes(body_of($res), page($n), "$location, $way: all of it comes, as it was");
            is $res->header('Content-Encoding'), $way eq 'gzip' ? 'gzip' : undef, "$location, $way: with its encoding";
            is $res->header($_), undef, "$location, $way: no field $_" for qw(Tmpl Server-Timing);
            my $said = Test::Tmpl::Field::dictionary($found->($n));
            is $said->{learned}, 1, "$location, $way: it was learnt";
            is $said->{pages}, ++$learnt, "$location, $way: as one page more";
        }
    }
    is counter($httpd, 'learned'), $learnt, 'mod_status counts them';
    like $found->(4), qr/fingerprint="/, 'mode headers says all that its field would';

    my ($came, $res) = stream($httpd, 'behind', 'chunked', 8);
    same_bytes($res->body, page(8) =~ s/Story/Tale/gr, 'behind another filter: what that has made of it');
    is Test::Tmpl::Field::dictionary($found->(8))->{learned}, 1, 'is learnt';

    # What is cut short, damaged or too large passes, and is not learnt.
    $httpd->expect_log(qr/\[(?:proxy|proxy_http|http):error\]/);
    ok $came, 'and comes as it is made';
    ($came, $res) = stream($httpd, 'learn', 'broken', 9);
    ok $came, 'broken: the beginning comes';
    ok !$res->complete, 'broken: and is seen to be no more';
    is $found->(9), 'declined=broken', 'broken: not learnt';

    for my $way (sort keys %GZIP) {
        my $res = $httpd->get("/learn/$way/" . (++$n + 100));
        same_bytes($res->body, $GZIP{$way}, "$way: comes as it came");
        is $res->header('Content-Encoding'), 'gzip', "$way: and is called so";
        is $found->($n + 100), 'declined=' . ($way eq 'large' ? 'too-large' : 'inflate'), "$way: not learnt";
    }

    my $client = $httpd->client;
    $client->send_request('/learn/endless/10');
    ok defined $client->take(1_000_000), 'a page that never ends: its client has more than TmplMaxBody of it';
    wait_for { counter($httpd, 'declined-too-large') == 2 };
    is counter($httpd, 'declined-too-large'), 2, 'which is more than is kept';
    $client->close;
    is $found->(10), 'declined=too-large', 'it is not learnt';
    is counter($httpd, 'pages'), $learnt + 1, 'nor judged';

    # For who goes away mod_proxy ends a page that has not come to its end.
    $client = $httpd->client;
    $client->send_request('/learn/gone/11');
    $client->comes(substr +(parts(11))[0], 5000, 1000);
    setsockopt $client->{socket}, SOL_SOCKET, SO_LINGER, pack 'ii', 1, 0;
    $client->close;
    $backend->allow(11);
    is $found->(11), '-', 'a page whose client has gone is not looked at';
    $httpd->finish;
};

# A file is read beside its own way to the client, by mmap or piece by piece.
subtest 'a file that is only read' => sub {
    my $long = join '', map { "<p>Line $_ of a long page</p>\n" } 1 .. 5000;
    for my $mmap (qw(on off)) {
        my $httpd = Test::Tmpl::Httpd->new(conf => "TmplMode learn\nEnableMMAP $mmap\nEnableSendfile on\n$status" =~ s/ProxyPass !\n//r);
        my $page = page(1) =~ s{</body>}{$long</body>}r;
        spit($httpd->root . '/htdocs/page.html', $page);
        $httpd->start;
        same_bytes($httpd->get('/page.html')->body, $page, "mmap $mmap: it comes as it is");
        ok wait_for { counter($httpd, 'learned') == 1 }, "mmap $mmap: it is learnt";
        is counter($httpd, 'bytes-in'), length $page, "mmap $mmap: all of it";
        $httpd->finish;
    }
};

subtest 'what is held' => sub {
    my $httpd = Test::Tmpl::Httpd->new(modules => ['substitute'], conf => <<"END");
$status
TmplMode strip
# time is what is too short here
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
    for my $location (qw(short headers annotate fields behind)) {
        for my $way (qw(chunked length gzip)) {
            $n++;
            my ($came, $res) = stream($httpd, $location, $way, $n);
            my $want = $location eq 'behind' ? page($n) =~ s/Story/Tale/gr : page($n);
            ok $came, "$location, $way: a silent backend is not waited for";
            same_bytes(body_of($res), $want, "$location, $way: all of it comes, as it was");
            is $res->says('declined'), 'slow', "$location, $way: and says why";
        }
    }
    is counter($httpd, 'declined-slow'), $n - 20, 'all of them are counted';

    my (undef, $res) = stream($httpd, 'short', 'broken', 40);
    ok !$res->complete, 'a backend that breaks off after that is seen to';
    for my $location (qw(short headers annotate)) {
        my $client = $httpd->client;
        $client->send_request("/$location/dribble/50");
        ok $client->comes('Tmpl: declined=slow'), "$location: a page that never ends is not waited for";
        ok $client->comes('one more'), "$location: its client sees something";
        $client->close;
    }

    # With time enough a pause is waited out. The client has nothing before the end is there.
    my $client = $httpd->client;
    $client->send_request('/long/chunked/60');
    my $asked = wait_for { grep { $_->{target} eq '/long/chunked/60' } $backend->requests };
    ok $asked, 'a page of two parts is on its way';
    $backend->allow(60);
    $res = $client->read_response('GET');
    same_bytes($res->body, page(60) =~ s/<header.*?<\/header>|<aside.*?<\/aside>|<footer.*?<\/footer>//gsr, 'and stripped');
    $httpd->finish;
};

# A script is read from a pipe, or a socket, whose end nobody knows.
subtest 'CGI' => sub {
    my $module = Test::Tmpl::Httpd::mpm() eq 'prefork' ? 'cgi' : 'cgid';
    plan skip_all => "no mod_$module" if !Test::Tmpl::Httpd::has_module($module);
    my $dir = temp_dir();
    my $httpd = Test::Tmpl::Httpd->new(modules => [$module], conf => <<"END");
TmplMode strip
ScriptAlias /short/ "\@ROOT\@/htdocs/"
ScriptAlias /long/ "\@ROOT\@/htdocs/"
ScriptAlias /learn/ "\@ROOT\@/htdocs/"
@{[ $module eq 'cgid' ? 'ScriptSock "@ROOT@/run/cgid"' : '' ]}
<Directory "\@ROOT\@/htdocs">
    Require all granted
    Options +ExecCGI
</Directory>
<Location /short/>
    TmplMaxWait 10ms
</Location>
<Location /learn/>
    TmplMode learn
</Location>
END
    # The second part comes when there is a file that the query names.
    my $script = spit($httpd->root . '/htdocs/script', <<"END");
#!$^X
use lib '$FindBin::Bin/../lib';
use Test::Tmpl::Process qw(wait_for);
use Test::Tmpl::Site;
\$| = 1;
my (\$n) = \$ENV{QUERY_STRING} =~ /(\\d+)/;
my \$page = Test::Tmpl::Site->new->page(\$n);
print "Content-Type: text/html\\n\\n", substr \$page, 0, 500;
wait_for { -e "$dir/\$n" } or exit 1;
print substr \$page, 500;
END
    chmod 0755, $script;
    $httpd->start;
    for my $n (1 .. 6) {
        spit("$dir/$n", '');
        $httpd->get("/long/script?$n");
    }
    for my $place (qw(learn short)) {
        my $n = $place eq 'learn' ? 7 : 8;
        my $client = $httpd->client;
        $client->send_request("/$place/script?$n");
        ok $client->comes(substr $site->page($n), 100, 300), "$place: the beginning comes before the end is written";
        spit("$dir/$n", '');
        my $res = $client->read_response('GET');
        same_bytes($res->body, $site->page($n), "$place: all of it comes");
        is $res->says('declined'), $place eq 'learn' ? '' : 'slow', "$place: as it should";
    }
    spit("$dir/9", '');
    same_bytes($httpd->get('/long/script?9')->body, $site->stripped(9), 'with time enough it is stripped');
    $httpd->finish;
};

done_testing;
