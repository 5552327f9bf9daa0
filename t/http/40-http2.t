# SPDX-License-Identifier: Apache-2.0

# HTTP/2 to the client: the same pages, many concurrent streams on one connection, without and with
# TLS.

use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::Tmpl;
use Test::Tmpl::Http2;

plan skip_all => 'no mod_http2' if !Test::Tmpl::Httpd::has_module('http2');
plan skip_all => 'mod_http2 does not work under prefork' if Test::Tmpl::Httpd::mpm() eq 'prefork';

my $site = site(large => 10);
my $backend = backend {
    my ($connection, $request) = @_;
    if ($request->{target} =~ m{^/halves/(\d+)}) {
        my ($first, $rest) = $site->page($1) =~ /^(.*<p>.*?<p>)(.*)/s;
        $connection->head(200, { 'Content-Type' => 'text/html', 'Transfer-Encoding' => 'chunked' });
        $connection->chunk($first);
        $connection->wait_until('rest');
        $connection->chunk($rest);
        return $connection->send("0\r\n\r\n");
    }
    return $site->answer(@_) if $request->{target} ne '/cut';
    $connection->head(200, { 'Content-Type' => 'text/html', 'Transfer-Encoding' => 'chunked' });
    $connection->chunk(substr $site->page(9), 0, $_) for 3000, 8000;
    return $connection->close;
};
my $httpd = proxy($backend, modules => ['http2'], conf => "TmplMode strip\nProtocols h2c http/1.1\n");
$httpd->visit(1 .. 6);

for my $round (1 .. 3) {
    my @n = map { $round * 40 + $_ } 0 .. 29;
    my @answers = Test::Tmpl::Http2::get_all($httpd->port, map { "/page/$_" } @n);
    is scalar(grep { $_->[0] } @answers), 30, "round $round: thirty complete responses";
    my @wrong = grep { $answers[$_][1] ne $site->stripped($n[$_]) } 0 .. $#n;
    is_deeply \@wrong, [], "round $round: all pages are stripped";
}
same_bytes($httpd->get('/page/7')->body, $site->stripped(7), 'HTTP/1.1 beside it');

subtest 'a backend that breaks off' => sub {
    plan skip_all => 'curl has no HTTP/2' if `curl --version 2>&1` !~ /HTTP2/;
    my $said = qx(curl --silent --noproxy '*' --http2-prior-knowledge --write-out '%{http_version} %{http_code}' --output /dev/null http://127.0.0.1:${\ $httpd->port}/cut);
    is $said, '2 502', 'nothing was sent of the page, so the client gets 502';
    is $httpd->get('/cut')->status, 502, 'the same over HTTP/1.1';
    $httpd->expect_log(qr/T025|\[proxy/);
};

# When its client has gone, a handler ends a page wherever it is.
subtest 'a client takes a request back' => sub {
    my $pages = ($httpd->visit(203))[0]->says('pages');
    my $connection = Test::Tmpl::Http2->new($httpd->port);
    my ($stream) = $connection->request('/halves/204');
    ok wait_for { grep { $_->{target} eq '/halves/204' } $backend->requests }, 'the backend has the request';
    $connection->cancel($stream);
    ok +($connection->ask('/page/205'))[0][0], 'the connection goes on, and httpd knows that nobody waits for the first page';
    $backend->allow('rest');
    ok wait_for { grep { m{GET /halves/204 } } $httpd->access_lines }, 'the first request ends';
    is +($httpd->visit(206))[0]->says('pages'), $pages + 2, 'its page is not learnt';
};

$httpd->finish;

# A page that is only read is judged after the client has it, and other streams go on meanwhile.
subtest 'a store that hangs' => sub {
    my $redis = redis();
    my $texts = backend {
        my ($connection, $request) = @_;
        return $site->answer(@_) if $request->{target} !~ m{^/text};
        return $connection->respond(200, { 'Content-Type' => 'text/plain' }, 'a text');
    };
    my $reading = Test::Tmpl::Httpd->new(modules => ['http2'], conf => <<"END");
Protocols h2c http/1.1
TmplStore ${\ $redis->unix_uri}
TmplMode learn
<Location /counters>
    ProxyPass !
    SetHandler tmpl-status
    TmplMode off
</Location>
ProxyPass / ${\ $texts->url}/
END
    $reading->expect_log(qr/\[T01[12]\]/);
    $reading->start;
    my $judged = sub { $reading->counted('/counters')->{'declined-store'} };
    $redis->stop;
    my $start = time;
    my $connection = Test::Tmpl::Http2->new($reading->port);
    my ($page) = $connection->ask('/page/1');
    same_bytes($page->[1], $site->page(1), 'the client gets a page');
    my @texts = map { $connection->ask('/text') } 1 .. 20;
    is scalar(grep { $_->[0] && $_->[1] eq 'a text' } @texts), 20, 'the client gets twenty other responses after the page';
    # on a busy machine TmplTimeout may be over
    ok $judged->() == 0 || time - $start >= 10, 'the page is still being judged';
    $redis->kill9;
    ok wait_for { $judged->() == 1 }, 'judging ends';
    $reading->finish;
};

subtest 'over TLS' => sub {
    my %there = map { my $program = $_; $program => scalar grep { -x "$_/$program" } split /:/, $ENV{PATH} } qw(curl openssl);
    for my $program (sort keys %there) {
        plan skip_all => "no $program" if !$there{$program};
    }
    plan skip_all => 'no mod_ssl' if !Test::Tmpl::Httpd::has_module('ssl');
    plan skip_all => 'curl has no HTTP/2' if `curl --version` !~ /HTTP2/;

    # a key for this test's server only
    my $port = free_port();
    my $dir = temp_dir();
    system "openssl req -x509 -newkey rsa:2048 -nodes -days 1 -subj /CN=127.0.0.1 -keyout $dir/key -out $dir/cert 2>$dir/said";
    is $?, 0, 'a certificate is made' or diag slurp("$dir/said");
    my $tls = Test::Tmpl::Httpd->new(modules => [qw(socache_shmcb ssl http2)], conf => 'ProxyPass / ' . $backend->url . <<"END");
/
TmplMode strip
Listen 127.0.0.1:$port https
Protocols h2 http/1.1
<VirtualHost 127.0.0.1:$port>
    SSLEngine on
    SSLCertificateFile $dir/cert
    SSLCertificateKeyFile $dir/key
    ProxyPass / ${\ $backend->url}/
</VirtualHost>
END
    # about the certificate, the session cache and the version of OpenSSL
    $tls->expect_log(qr{\[ssl:warn\]});
    $tls->start;
    my $url = "https://127.0.0.1:$port/page";
    my $curl = "curl --silent --show-error --noproxy '*' --insecure --http2";
    my $fetch = sub {
        my ($n, @options) = @_;
        my $said = `$curl @options --write-out '%{http_version} %{http_code}' --output $dir/body $url/$n 2>&1`;
        return ($said, slurp("$dir/body"));
    };
    $fetch->($_) for 1 .. 6;
    my ($said, $body) = $fetch->(7);
    is $said, '2 200', 'a page over HTTP/2';
    same_bytes($body, $site->stripped(7), 'stripped');
    # with compression, and HTTP/1.1 on the same port
    ($said, $body) = $fetch->(8, '--compressed');
    same_bytes($body, $site->stripped(8), 'Accept-Encoding: stripped');
    ($said, $body) = $fetch->(9, '--http1.1');
    is $said, '1.1 200', 'HTTP/1.1 on the same port';
    same_bytes($body, $site->stripped(9), 'HTTP/1.1 on the same port: stripped');

    # many concurrent streams on one connection
    my @n = 40 .. 69;
    my $config = join '', map { "url = \"$url/$_\"\noutput = \"$dir/$_\"\n" } @n;
    spit("$dir/config", $config);
    $said = `$curl --no-progress-meter --parallel --parallel-max 30 --write-out '%{http_version} %{http_code}\n' --config $dir/config 2>&1`;
    is $said, "2 200\n" x @n, 'thirty concurrent responses';
    my @wrong = grep { slurp("$dir/$_") ne $site->stripped($_) } @n;
    is_deeply \@wrong, [], 'all pages are stripped';
    $tls->finish;
};

done_testing;
