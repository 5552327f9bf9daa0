# SPDX-License-Identifier: Apache-2.0

# TLS to Redis: certificates of the server and of the client, and every certificate that must be
# refused: of another CA, expired, for another name, missing. Pages then pass as they do while a store
# fails. A file that cannot be used is an error of the configuration. The same for a cluster.

use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::Tmpl;
use Test::Tmpl::Certificates;
use Test::Tmpl::Cluster;

plan(skip_all => 'no redis-server') if !Test::Tmpl::Redis::available();
plan(skip_all => 'no openssl') if system('openssl version >/dev/null 2>&1') != 0;

my $ours = Test::Tmpl::Certificates->new;
my $other = Test::Tmpl::Certificates->new;
$ours->sign('local', 'IP:127.0.0.1,DNS:redis.example');
$ours->sign('expired', 'IP:127.0.0.1', 0);
$ours->sign('elsewhere', 'IP:127.0.0.9,DNS:redis.example');
$ours->sign('client', 'DNS:proxy.example');
$other->sign('client', 'DNS:proxy.example');
my $ca = $ours->file('ca.pem');

sub tls_server {
    my ($certificate, %more) = @_;
    my $server = redis(port => 0, 'tls-port' => free_port(), 'tls-ca-cert-file' => $ca, 'tls-auth-clients' => 'no',
        'tls-cert-file' => $ours->file("$certificate.pem"), 'tls-key-file' => $ours->file("$certificate.key"), %more);
    return ($server, $server->port);
}

my $site = site();
my $backend = backend { $site->answer(@_) };

sub learns {
    my ($name, $uri) = @_;
    my $httpd = proxy($backend, conf => "TmplMode strip\nTmplStore $uri", no_store => 1);
    my @answers = $httpd->visit(1 .. 6);
    same_bytes($answers[5]->body, $site->stripped(6), "$name: a page is stripped");
    is $answers[5]->says('pages'), 6, "$name: learns";
    $httpd->finish;
    return;
}

sub refused {
    my ($name, $uri, $says) = @_;
    my $httpd = proxy($backend, conf => "TmplMode strip\nTmplTimeout 3s\nTmplStore $uri\n$Test::Tmpl::BY_FIELD", no_store => 1);
    $httpd->expect_log(qr/\[tmpl:warn\]/);
    is join("\n", wrong_without_store($httpd, $site, 1 .. 4)), '', "$name: each response is right and reports it";
    # each child counts late answers for itself, and the next request may go to another one
    wait_for { $httpd->log_text =~ $says || !$httpd->get('/page/5') };
    like $httpd->log_text, $says, "$name: the log has the reason";
    $httpd->finish;
    return;
}

my ($server, $port) = tls_server('local', requirepass => 'sesame');
my $at = "rediss://:sesame\@127.0.0.1:$port/1";
learns('a certificate for the address', "$at?ca=$ca");
learns('a certificate for a name', "$at?ca=$ca&server=redis.example");
{
    my $tool = $ENV{TMPLCTL} // ($ENV{TMPL_MODULE} // 'build/mod_tmpl.so') =~ s/mod_tmpl\.so$/tmplctl/r;
    like(scalar(qx('$tool' stats --store '$at?ca=$ca' 2>&1)), qr/^\S+ +6 /m, 'tmplctl reads what was learnt, by TLS');
    like(scalar(qx('$tool' stats --store '$at' 2>&1)), qr/certificate is refused: /, 'and refuses certificates, too');
}
subtest 'a server that dies and is back' => sub {
    my $httpd = proxy($backend, no_store => 1, conf => Test::Tmpl::Httpd::one_child() . "TmplMode strip\nTmplStore $at?ca=$ca");
    $httpd->visit(1 .. 3);
    $server->kill9;
    $server->start;
    is $httpd->get('/page/4')->says('pages'), 1, 'the page gets a new connection, and is counted';
    $httpd->finish('nothing in the error log');
};
refused('a certificate of another CA', "$at?ca=" . $other->file('ca.pem'), qr/certificate is refused: (?:unable to get|self)/);
refused('no CA given', $at, qr/certificate is refused: /);
refused('another name', "$at?ca=$ca&server=other.example", qr/certificate is refused: [Hh]ostname mismatch/);
refused('without TLS', $at =~ s/rediss/redis/r, qr/T011/);

my (undef, $expired) = tls_server('expired');
refused('an expired certificate', "rediss://127.0.0.1:$expired?ca=$ca", qr/cannot finish the TLS handshake: the server's certificate is refused: certificate has expired/);
my (undef, $elsewhere) = tls_server('elsewhere');
refused('a certificate for another address', "rediss://127.0.0.1:$elsewhere?ca=$ca", qr/certificate is refused: IP address mismatch/);
my $plain = redis();
refused('a server without TLS', 'rediss://127.0.0.1:' . $plain->port . "?ca=$ca", qr/cannot finish the TLS handshake: (?:TLS fails|the server has closed the connection|no answer in time)/);

my (undef, $strict) = tls_server('local', 'tls-auth-clients' => 'yes');
my ($cert, $key) = map { $ours->file($_) } qw(client.pem client.key);
learns('the certificate of a client', "rediss://127.0.0.1:$strict/1?ca=$ca&cert=$cert&key=$key");
refused('no certificate of the client', "rediss://127.0.0.1:$strict?ca=$ca", qr/T011 *.*(?:certificate required|closed|reset)/);
refused('a certificate that the server does not know', "rediss://127.0.0.1:$strict?ca=$ca&cert=" . $other->file('client.pem') . '&key=' . $other->file('client.key'),
    qr/T011.*(?:unknown ca|closed|reset)/);

for my $case (['no such file', "ca=$ca.none", qr/No such file/], ['no key file', "cert=$cert&key=$key.none", qr/No such file/], ['no certificates in it', "ca=$key"], ['a key of another certificate', "cert=$cert&key=" . $ours->file('local.key')],
    ['no key', "cert=$cert"], ['an unknown key of the query', 'verify=no']) {
    my ($name, $query, $why) = @$case;
    my ($is_good, $said) = Test::Tmpl::Httpd->new(no_store => 1, conf => "TmplStore $at?$query\n")->configtest;
    ok !$is_good, "$name: httpd does not start";
    like $said, qr/TmplStore must be/, "$name: it says which directive";
    like $said, $why, "$name: it says why" if $why;
}

subtest 'a cluster' => sub {
    # no server is to be taken for a failed one, on a busy machine or a slow disk
    my $cluster = Test::Tmpl::Cluster->new(masters => 2, tls => 1, options => { 'cluster-node-timeout' => 60_000, 'tls-ca-cert-file' => $ca,
        'tls-auth-clients' => 'no', 'tls-cert-file' => $ours->file('local.pem'), 'tls-key-file' => $ours->file('local.key') });
    my $uri = 'rediss+cluster://127.0.0.1:' . ($cluster->nodes)[0]->port . "?ca=$ca";
    my $httpd = proxy($backend, no_store => 1, conf => "TmplMode strip\nTmplSiteKey %{HTTP_HOST}\nTmplStore $uri");
    for my $host (map { "t$_.example" } 1 .. 6) {
        $httpd->get("/page/$_", headers => { Host => $host }) for 1 .. 5;
        same_bytes($httpd->get('/page/6', headers => { Host => $host })->body, $site->stripped(6), "$host is stripped");
    }
    is scalar(grep { @{ $_->command('KEYS', 'tmpl:6:{t*') } > 0 } $cluster->nodes), 2, 'both masters have sites';
    $httpd->finish;
};

done_testing;
