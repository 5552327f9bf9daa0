#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# tmplctl warm, on a site served over loopback: its requests and their order, pages that it skips, and what a store
# learns from it.
use FindBin;
use lib "$FindBin::Bin/../../t/lib";
use Cwd qw(abs_path);
use Test::Tmpl;

my $tool = abs_path($ENV{TMPLCTL} // "$FindBin::Bin/../../" . ($ENV{BUILD} // 'build') . "/tmplctl");
plan skip_all => 'there is no tmplctl: run make first' unless defined $tool && -x $tool;
delete @ENV{qw(TMPL_STORE SSL_CERT_FILE http_proxy https_proxy HTTP_PROXY HTTPS_PROXY all_proxy ALL_PROXY)};
my $dir = temp_dir();
chdir "$dir" or die $!;

# Runs tmplctl warm: (exit code or "signal N", standard output, standard error).
sub warm {
    my @args = @_;
    my $pid = fork() // die "fork: $!";
    if ($pid == 0) {
        open STDOUT, '>', 'out';
        open STDERR, '>', 'err';
        exec $tool, 'warm', '--delay', 0, @args or POSIX::_exit(127);
    }
    waitpid $pid, 0;
    return ($? & 127 ? 'signal ' . ($? & 127) : $? >> 8, slurp('out'), slurp('err'));
}

# --- the site: a menu of /, /news/ and /about on every page, a footer, and articles below /news/ ---

my @menu = ('/', '/news/', '/about');
my $footer = '<div>Copyright Somebody of Somewhere, all rights reserved by them and by others</div>';

# The links in a page's article, by the page's path.
my %links = (
    '/news/3' => '<a href="/gone">gone</a> <a href="4">next</a> <a href="?utm_source=x#top">self</a>'
        . ' <a href="http://other.example/">other</a> <a href="paper.pdf">paper</a>'
        . ' <a href="/private/x">private</a> <a href="a b&#38;c">blank</a>',
);
sub page {
    my ($path) = @_;
    my $menu = join ' ', map { "<a href=\"$_\">Part $_ of this site</a>" } @menu;
    return "<!DOCTYPE html><html><head><title>x</title></head><body>\n<div>$menu</div>\n"
        . "<main><h1>$path</h1><p>What only $path has to say, and nobody else, at some length.</p>"
        . "<p>$path goes on: " . ($links{$path} // '') . "</p></main>\n$footer\n</body></html>\n";
}

my %robots = (status => 200, body => "User-agent: *\nDisallow: /private/\n");
my %special = (
    '/robots.txt' => sub { $_[0]->respond($robots{status}, { 'Content-Type' => 'text/plain' }, $robots{body}) },
    '/gone' => sub { $_[0]->respond(404, { 'Content-Type' => 'text/html' }, page('/gone')) },
    '/text' => sub { $_[0]->respond(200, { 'Content-Type' => 'text/plain' }, page('/text')) },
    '/huge' => sub { $_[0]->respond(200, { 'Content-Type' => 'text/html' }, 'x' x (4 << 20) . 'y') },
    '/cut' => sub { $_[0]->respond(200, { 'Content-Type' => 'text/html', 'Content-Length' => 9999 }, 'x'); $_[0]->close },
    '/frames' => sub { $_[0]->respond(200, { 'Content-Type' => 'text/html' }, '<frameset><frame></frameset>') },
    '/moved' => sub { $_[0]->respond(301, { Location => '/news/3' }, '') },
    '/round' => sub { $_[0]->respond(302, { Location => 'round' }, '') },
    '/away' => sub { $_[0]->respond(302, { Location => 'http://other.example/x' }, '') },
    '/hidden' => sub { $_[0]->respond(302, { Location => '/private/x' }, '') },
);

# A server of the site; robots.txt is as %robots is when it is started.
sub serve {
    return backend {
        my ($connection, $request) = @_;
        my $path = $request->{target};
        return $special{$path}->($connection) if $special{$path};
        return $connection->respond(200, { 'Content-Type' => 'text/html; charset=utf-8' }, page($path));
    };
}
sub targets { my ($backend) = @_; return join ' ', map { $_->{target} } $backend->requests }
sub stats {
    my ($site) = @_;
    return qx($tool stats --store lmdb:store $site 2>&1) =~ /^\Q$site\E +(\d+) +(\d+) +\d+ +(\d+)/m
        ? { pages => $1, entries => $2, template => $3 } : undef;
}

my $backend = serve();
my $url = $backend->url;

subtest 'a site is learnt' => sub {
    my ($code, $out, $err) = warm('--detector', 'incremental', '--store', 'lmdb:store', "$url/news/3");
    is($code, 0, 'exit code') or diag($err);
    # the same directory first, then what is outside; each time the farthest in the tree from those before
    is(targets($backend), '/robots.txt /news/3 /news/ /news/4 /news/a%20b&c / /gone /about',
        'the requests and their order');
    like($err, qr{\Atmplctl: warm: lmdb:store is a new store.*\ntmplctl: \Q$url\E/gone: HTTP 404\n\z},
        'the new store and a dead link are named');
    is($out, <<"END", 'the output');
site 127.0.0.1: 6 pages loaded, 1 failed, 1 link forbidden by robots.txt
3 pages that link each other, of 3 looked for
  $url/news/
  $url/
  $url/about
key page: 2 of 3 blocks and 54.2% of the text are template; site warm, 6 pages
END
    # two entries a document; three segments of its own; seven links on the key page; menu and footer
    is_deeply(stats('127.0.0.1'), { pages => 6, entries => 6 * (2 + 3) + 7 + 4, template => 4 }, 'the table');
    my ($agent) = map { $_->{headers}{'user-agent'} } $backend->requests;
    like($agent, qr/^tmplctl\/\d/, 'it names itself');
};
$backend->stop;

# A bad page is requested once, and does not keep the others from being learnt.
subtest 'pages that cannot be learnt are named and left out' => sub {
    $links{'/odd'} = join ' ', map { "<a href=\"$_\">x</a>" }
        qw(/text /huge /cut /frames /moved /round /away /hidden /news/3);
    my $odd = serve();
    my $at = $odd->url;
    my ($code, $out, $err) = warm('--size', 16, '--store', 'lmdb:store', '--site', 'odd', "$at/odd");
    is($code, 0, 'exit code');
    my %why = (
        text => 'its Content-Type is text/plain, not text/html', huge => 'the body is longer than 4194304 bytes',
        cut => qr/transfer closed|end of response/, frames => qr/the page is a frameset/,
        round => 'redirects more than 5 times', away => 'redirects to another host: http://other.example/x',
        hidden => 'robots.txt forbids /private/x',
    );
    like($err, qr/^tmplctl: \Q$at\E\/$_: @{[ref $why{$_} ? $why{$_} : quotemeta $why{$_}]}/m, $_) for sort keys %why;
    is(scalar(() = $err =~ /\n/g), scalar(keys %why), 'and there are no other messages');
    like($out, qr/^site odd: 6 pages loaded, 7 failed, 0 links forbidden/m, 'the count');
    my @asked = map { $_->{target} } $odd->requests;
    is(scalar(grep { $_ eq '/round' } @asked), 6, 'redirects have an end');
    is(scalar(grep { /private|^\/x$/ } @asked), 0, 'nothing forbidden was requested');
    is(stats('odd')->{pages}, 5, 'two addresses of one page are one document');
    delete $links{'/odd'};
    $odd->stop;
};

subtest 'an end to loading' => sub {
    $links{'/long'} = join ' ', map { "<a href=\"/long/$_\">x</a>" } 1 .. 50;
    my $long = serve();
    my ($code, $out) = warm('--max-loads', 4, '--size', 16, '--store', 'lmdb:store', '--site', 'long', $long->url . '/long');
    like($out, qr/^site long: 4 pages loaded.*^3 pages that link each other, of 16 looked for$/ms, '--max-loads')
        or diag($out);
    ($code, $out) = warm('--size', 1, '--min-df', 2, '--store', 'lmdb:store', '--site', 'one', $long->url . '/long');
    like($out, qr/^site one: 2 pages loaded.*^1 page that link/ms, '--size') or diag($out);
    $long->stop;
};

subtest 'the links of the pages loaded, once those of the key page are used up' => sub {
    $links{'/'} = join ' ', map { "<a href=\"/news/$_\">x</a>" } 5 .. 9;
    my $server = serve();
    my ($code, $out) = warm('--detector', 'incremental', '--store', 'lmdb:store', '--site', 'few', $server->url . '/about');
    is(targets($server), '/robots.txt /about / /news/ /news/5 /news/6', 'until five pages have the menu');
    like($out, qr/^site few: 5 pages.*^2 pages that link each other, of 3.*^key page: 2 of 3 .* site warm/ms, 'what it says')
        or diag($out);
    delete $links{'/'};
    $server->stop;
};

subtest 'robots.txt' => sub {
    for my $case (
        ['forbids the key page', 200, "User-agent: tmplctl\nDisallow: /news\n", 1,
            qr{news/3: robots.txt forbids /news/3}, '/robots.txt'],
        ['fails', 503, '', 1, qr{/robots.txt: HTTP 503; without robots.txt no page is loaded}, '/robots.txt'],
        ['is long', 200, "User-agent: *\nDisallow: /news\n" . "# so much more\n" x 600_000, 1,
            qr{^tmplctl: http://127.0.0.1:\d+/news/3: robots.txt forbids /news/3$}, '/robots.txt'],
        ['is missing', 404, "User-agent: *\nDisallow: /\n", 0, qr{^\z}, qr{^/robots.txt /about }],
    ) {
        my ($name, $status, $body, $want, $says, $asked) = @$case;
        @robots{qw(status body)} = ($status, $body);
        my $server = serve();
        my ($code, $out, $err) = warm('--store', 'lmdb:store', $server->url . ($want ? '/news/3' : '/about'));
        is($code, $want, "$name: exit code");
        like($err, $says, "$name: the message");
        like(targets($server), ref $asked ? $asked : qr/^\Q$asked\E$/, "$name: the requests");
        $server->stop;
    }
    my $port = free_port();
    my ($code, $out, $err) = warm('--store', 'lmdb:store', "http://127.0.0.1:$port/");
    is($code, 1, 'no server: exit code');
    like($err, qr{^tmplctl: http://127.0.0.1:$port/robots.txt: .*; without robots.txt no page is loaded$}, 'no server: the message');
    is($out, '', 'and no output');
};

subtest 'requests keep their distance' => sub {
    @robots{qw(status body)} = (200, "User-agent: *\nCrawl-delay: 0.2\n");
    my $times = "$dir/times";
    my $server = backend {
        my ($connection, $request) = @_;
        open my $log, '>>', $times;
        printf $log "%.6f\n", Time::HiRes::time();
        close $log;
        return $special{ $request->{target} } ? $special{ $request->{target} }->($connection)
            : $connection->respond(200, { 'Content-Type' => 'text/html' }, page($request->{target}));
    };
    is((warm('--max-loads', 3, '--store', 'lmdb:store', '--site', 'slow', $server->url . '/about'))[0], 0, 'exit code');
    my @at = split /\n/, slurp($times);
    is(scalar(@at), 4, 'robots.txt and three pages');
    # the first page may come at once: only robots.txt says how long to wait
    cmp_ok($at[$_] - $at[$_ - 1], '>=', 0.2, "request $_") for 2 .. 3;
    $server->stop;
    @robots{qw(status body)} = (200, "User-agent: *\nDisallow: /private/\n");
};

subtest 'an interrupted run' => sub {
    my $server = serve();
    my $pid = fork() // die "fork: $!";
    if ($pid == 0) {
        open STDOUT, '>', 'out';
        open STDERR, '>', 'err';
        exec $tool, 'warm', '--delay', 3_600_000, '--store', 'lmdb:store', '--site', 'int', $server->url . '/about'
            or POSIX::_exit(127);
    }
    wait_for { targets($server) eq '/robots.txt' } or diag('no request');
    kill 'TERM', $pid;
    waitpid $pid, 0;
    is($? & 127, POSIX::SIGTERM(), 'the signal ends it, though the delay is an hour');
    $server->stop;
};

subtest 'a page that was never requested is clean' => sub {
    spit("$dir/never-seen.html", page('/never-seen'));
    my $text = qx($tool clean -m text --detector incremental --store lmdb:store --site 127.0.0.1 $dir/never-seen.html);
    unlike($text, qr/Copyright|Part/, 'it is stripped');
    like($text, qr/What only/, 'and keeps its text');
};

subtest 'through a proxy of the environment' => sub {
    my $server = serve();
    my $httpd = httpd(conf => 'ProxyRequests on');
    local $ENV{http_proxy} = 'http://127.0.0.1:' . $httpd->port;
    my $at = $server->url;
    my ($code, $out, $err) = warm('--detector', 'incremental', '--store', 'lmdb:store', '--site', 'proxied', "$at/news/3");
    is($code, 0, 'exit code') or diag($err);
    is(stats('proxied')->{pages}, 6, 'the table');
    $httpd->finish;
    $server->stop;
};

# Makes a self-signed certificate and its key, NAME.pem and NAME.key.
sub certificate {
    my ($name, $for) = @_;
    system "openssl req -x509 -newkey rsa:2048 -nodes -days 1 -subj /CN=test -addext subjectAltName=$for"
        . " -keyout $dir/$name.key -out $dir/$name.pem 2>$dir/openssl";
    is($?, 0, "a certificate for $for") or diag(slurp("$dir/openssl"));
    return;
}

# A TLS server of the site; %$port has its ports, by the names of their certificates.
sub serve_tls {
    my ($server, $port) = @_;
    my $hosts = join '', map { <<"END" } sort keys %$port;
Listen 127.0.0.1:$port->{$_} https
<VirtualHost 127.0.0.1:$port->{$_}>
    SSLEngine on
    SSLCertificateFile $dir/$_.pem
    SSLCertificateKeyFile $dir/$_.key
</VirtualHost>
END
    my $tls = Test::Tmpl::Httpd->new(modules => [qw(socache_shmcb ssl)], conf => 'ProxyPass / ' . $server->url . "/\n$hosts");
    # warnings about the certificates, the session cache and the version of OpenSSL
    $tls->expect_log(qr{\[ssl:warn\]});
    return $tls->start;
}

subtest 'https' => sub {
    plan skip_all => 'no openssl' if !grep { -x "$_/openssl" } split /:/, $ENV{PATH};
    plan skip_all => 'no mod_ssl' if !Test::Tmpl::Httpd::has_module('ssl');
    certificate(good => 'IP:127.0.0.1');
    certificate(other => 'DNS:www.example.org');
    my $server = serve();
    my %port = map { $_ => free_port() } qw(good other);
    my $tls = serve_tls($server, \%port);
    my ($good, $other) = map { "https://127.0.0.1:$port{$_}" } qw(good other);
    my $plain = 'https://127.0.0.1:' . $tls->port;
    for my $case (
        ['a certificate without a trusted signer', undef, $good, qr/self-signed certificate/],
        ['a certificate for another name', "$dir/other.pem", $other, qr/no alternative certificate subject name matches.*127\.0\.0\.1/],
        ['no file of certificates', "$dir/nowhere.pem", $good, qr/nowhere\.pem/],
        ['a server that speaks no TLS', "$dir/good.pem", $plain, qr/SSL/],
    ) {
        my ($name, $trusted, $at, $says) = @$case;
        local $ENV{SSL_CERT_FILE} = $trusted if defined $trusted;
        my ($code, $out, $err) = warm('--store', 'lmdb:store', '--site', 'tls', "$at/news/3");
        is($code, 1, "$name: exit code");
        like($err, qr{^tmplctl: \Q$at\E/robots\.txt: .*$says.*; without robots.txt no page is loaded\n\z}, "$name: one message");
        is($out, '', "$name: and no output");
    }
    is(targets($server), '', 'none of them got a request');

    local $ENV{SSL_CERT_FILE} = "$dir/good.pem";
    my ($code, $out, $err) = warm('--detector', 'incremental', '--store', 'lmdb:store', '--site', 'tls', "$good/news/3");
    is($code, 0, 'a trusted certificate: exit code') or diag($err);
    is($err, "tmplctl: $good/gone: HTTP 404\n", 'a dead link is named');
    like($out, qr{^site tls: 6 pages loaded, 1 failed.*^  \Q$good\E/about\n.*site warm, 6 pages$}ms, 'the site is learnt') or diag($out);
    is(stats('tls')->{pages}, 6, 'the table');
    $tls->finish;
    $server->stop;
};

subtest 'a store in Redis' => sub {
    my $redis = redis();
    my $server = serve();
    local $ENV{TMPL_STORE} = $redis->uri;
    my ($code, $out, $err) = warm('--detector', 'incremental', '--site', 's', $server->url . '/news/3');
    is($code, 0, 'exit code') or diag($err);
    like($out, qr/^key page: 2 of 3 blocks and 54.2% of the text are template; site warm, 6 pages$/m, 'as in LMDB');
    $server->stop;
};

subtest 'a store that fails' => sub {
    my $server = serve();
    my $port = free_port();
    my @down = ('--store', "redis://127.0.0.1:$port", '--site', 's', $server->url . '/about');
    my ($code, $out, $err) = warm(@down);
    is($code, 1, 'exit code');
    like($err, qr{^tmplctl: warm: redis://\S+: cannot connect: .*\n\z}, 'one message');
    is(targets($server), '', 'no page is requested');
    ($code, $out, $err) = warm('--secret', 'its own', @down);
    is($code, 1, 'a secret that need not be asked for: exit code');
    like($err, qr{^tmplctl: \S+/about: store: .*\n\z}, 'one message');
    is(targets($server), '/robots.txt /about', 'no more pages are requested');
    $server->stop;
};

subtest 'without libcurl' => sub {
    my $lib = temp_dir();
    spit("$lib/libcurl.so.4", 'no library');
    local $ENV{LD_LIBRARY_PATH} = $lib;
    my ($code, $out, $err) = warm('--store', 'lmdb:store', 'http://127.0.0.1:9/');
    is($code, 1, 'exit code');
    like($err, qr/^tmplctl: .*libcurl\.so\.4/, 'the message');
    like(qx($tool --version 2>&1), qr/^tmplctl [\d.]+\n\z/, 'other commands run without it');
};

subtest 'a page without links' => sub {
    my $server = backend {
        my ($connection, $request) = @_;
        return $connection->respond(200, { 'Content-Type' => 'text/html' }, '<p>Alone.</p>');
    };
    my ($code, $out, $err) = warm('--store', 'lmdb:store', '--site', 'alone', $server->url . '/');
    is($code, 1, 'exit code');
    like($err, qr{/: links to no other page that can be loaded$}, 'the message');
    $server->stop;
};

subtest 'the man page has every option' => sub {
    my $man = slurp("$FindBin::Bin/../../docs/tmplctl.1") =~ s/\\-/-/gr;
    my ($help) = (warm('--help'))[1];
    my %option = map { $_ => 1 } $help =~ /(--[a-z-]+)/g;
    cmp_ok(scalar(keys %option), '>', 10, 'there are options');
    like($man, qr/\Q$_\E\b/, $_) for sort keys %option;
    like($man, qr/^\.SS "tmplctl warm"$/m, 'and the command');
};

subtest 'usage errors' => sub {
    for my $case (
        [qr/URL is missing/, '--store', 'lmdb:store'],
        [qr/one argument too many/, '--store', 'lmdb:store', 'http://a/', 'http://b/'],
        [qr/"ftp:\/\/a\/" is no http or https URL/, '--store', 'lmdb:store', 'ftp://a/'],
        [qr/"a\.example" is no http or https URL/, '--store', 'lmdb:store', 'a.example'],
        [qr/the port of "http:\/\/127\.0\.0\.1:65616\/" is not one of 1 to 65535/, '--store', 'lmdb:store', 'http://127.0.0.1:65616/'],
        [qr/no store given: use --store URI or set TMPL_STORE/, 'http://127.0.0.1/'],
        [qr/--size: must be a whole number from 1 to 16, not "0"/, '--size', 0, '--store', 'lmdb:store', 'http://a/'],
        [qr/--max-loads: must be a whole number from 2 to 1000, not "1"/, '--max-loads', 1, 'http://a/'],
    ) {
        my ($says, @args) = @$case;
        my ($code, $out, $err) = warm(@args);
        is($code, 2, "$says: exit code");
        like($err, $says, 'the message');
    }
};

chdir '/';
done_testing;
