#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# The image that "make container" builds: pages, logs, health, stops, restarts and wrong settings, as users of
# the image meet them. Podman runs it, or chroot in namespaces where podman cannot.
#
# Environment: IMAGE (mod_tmpl); TMPL_TEST_RUNNER (podman or chroot).
use FindBin;
use lib "$FindBin::Bin/../../t/lib", $FindBin::Bin;
use Test::Tmpl;
use Test::Tmpl::Certificates;
use Container;

plan skip_all => 'only root can run containers here' if $> != 0;
my $runner = Container::runner();
plan skip_all => "neither podman nor chroot runs here: $@" if !$runner;
diag "runner: $runner";

SKIP: {
    skip 'a port is published by podman', 1 if $runner ne 'podman';
    # a sandbox may forbid more
    unlike Container::published(), qr/No such file/, 'podman has what it needs to publish a port';
}

my $site = site();
my $backend = backend {
    my ($connection, $request) = @_;
    return $site->answer(@_) if $request->{target} ne '/page/20';
    my $page = $site->page(20);
    $connection->head(200, { 'Content-Type' => 'text/html', 'Content-Length' => length $page });
    $connection->send(substr $page, 0, 500);
    $connection->wait_until('the rest');
    $connection->send(substr $page, 500);
};

# no limit that a busy machine reaches
my $patient = "TmplTimeout 10s\nTmplMaxWait 10min\n";
my %proxy = (BACKEND => $backend->url, MODE => 'strip');
my $folder = give_to_server(temp_dir());

# Starts a container, and waits until it is healthy. It keeps what it learns in $folder.
sub container {
    my ($env, %args) = @_;
    my %files = ('test.conf' => "${patient}TmplLearnDelay 0\n", %{ delete $args{files} // {} });
    my $container = Container->new(env => { %proxy, %$env }, store => $folder, files => \%files, %args);
    my $health;
    wait_for { ($health) = $container->health; $health == 0 || !$container->running } && $health == 0
        or die "the container is not healthy:\n", $container->err;
    return $container;
}

subtest 'wrong settings' => sub {
    my $unset = 'is not set.* BACKEND=http';
    for my $case (
        [{ BACKEND => '' }, qr/BACKEND $unset/],
        [{ BACKEND => 'www.example.org' }, qr/BACKEND must be a URL .*, not "www.example.org"/],
        [{ BACKEND => 'ftp://www.example.org/' }, qr/BACKEND must be a URL/],
        [{ BACKEND => 'http://host:99999/' }, qr/BACKEND must be a URL/],
        [{ MODE => 'cut' }, qr/MODE must be off, .*strip.*, not "cut"/],
        [{ MODE => '' }, qr/MODE takes one argument/],
        [{ STORE => 'mysql://db' }, qr/STORE must be lmdb:DIR/],
        [{ STORE => 'lmdb:/no/such' }, qr{STORE: user \d+ may not write to /no/such}],
        [{ PORT => '65536' }, qr/PORT must be a port from 1 to 65535, not "65536"/],
        [{ HEALTH => 'page' }, qr/HEALTH must be a path/],
        [{ SERVER_NAME => 'two words' }, qr/SERVER_NAME must be a name/],
        [{ STATUS => '8081' }, qr/STATUS must be an address and a port/],
    ) {
        my ($env, $says) = @$case;
        my ($name) = %$env;
        my $container = Container->new(env => { %proxy, %$env }, store => $folder);
        is $container->status, 1, "$name=$env->{$name}: exit status 1";
        like $container->err, qr/^mod_tmpl: .*$says/m, 'says why';
    }
};

my $container = container({ HEALTH => '/page/1' });
subtest 'pages' => sub {
    $container->get("/page/$_") for 2 .. 6;
    my $res = $container->get('/page/7');
    is $res->says('state'), 'warm', 'the site is known';
    same_bytes $res->body, $site->stripped(7), 'the page comes without its template';
    is $container->get('/tmpl-status')->status, 404, 'the status is not at the port of the pages';
};
subtest 'the process' => sub {
    like slurp('/proc/' . $container->main . '/status'), qr/^Uid:\s+33\s+33\s+33\s+33$/m, 'is not root';
    like slurp('/proc/' . $container->main . '/comm'), qr/^apache2$/, 'is httpd';
    like $container->out, qr{"GET /page/7 HTTP/1\.1" 200 \d+ warm 0\.\d+ [01]\.\d+ - \d+(?:\.\d+)? \w{16}$}m, 'the access log is standard output';
    like $container->err, qr/resuming normal operations/, 'the error log is standard error';
    unlike $container->err, qr/:(?:warn|error)\]/, 'there are no warnings';
};

subtest 'a second container' => sub {
    my $second = Container->new(env => \%proxy, store => $folder);
    is $second->status, 1, 'does not start with the same folder';
    like $second->err, qr/STORE: another container uses/, 'says why';
};

subtest 'a graceful stop' => sub {
    my $client = $container->client;
    $client->send_request('/page/20', headers => { Connection => 'close' });
    wait_for { grep { $_->{target} eq '/page/20' } $backend->requests };
    $container->stop;
    wait_for { $container->err =~ /caught SIGWINCH/ };
    $backend->allow('the rest');
    my $res = $client->read_response('GET');
    ok $res->complete, 'the running request ends';
    same_bytes $res->body, $site->stripped(20), 'with the whole page';
    is $container->status, 0, 'exit status 0';
};

subtest 'a restart' => sub {
    $container = container({}, files => { 'test.conf' => "${patient}TmplLearnDelay 10s\n" });
    is $container->get('/page/8')->says('state'), 'warm', 'the site is still known';
    $container->get("/page/$_") for 9 .. 12;
    $container->signal('TERM');
    is $container->status, 0, 'SIGTERM ends with exit status 0';
    $container = container({});
    # 1 to 7 and 20, 8 to 12, and 13 itself
    is $container->get('/page/13')->says('pages'), 14, 'pages that waited to be learnt at the stop are known';
};

subtest 'health' => sub {
    my $demanding = container({ HEALTH => '/page/1' }, store => give_to_server(temp_dir()));
    $backend->stop;
    is +($container->health)[0], 0, 'healthy without HEALTH, whatever the backend does';
    my ($status, $says) = $demanding->health;
    is $status, 1, 'unhealthy with HEALTH if the backend is dead';
    like $says, qr{^unhealthy: /page/1: HTTP/1\.1 50\d}, 'says why';
    $_->stop, is $_->status, 0, 'stopped' for $container, $demanding;
};

subtest 'Redis' => sub {
    my $redis = redis();
    my $pages = backend { $site->answer(@_) };
    my $container = container({ BACKEND => $pages->url, STORE => $redis->uri, HEALTH => '/page/1' });
    $container->get("/page/$_") for 2 .. 6;
    same_bytes $container->get('/page/7')->body, $site->stripped(7), 'learnt in Redis';
    $redis->kill9;
    my $says;
    ok wait_for { (my $status, $says) = $container->health; $status == 1 }, 'unhealthy without Redis';
    like $says, qr/the store does not answer/, 'says why';
    is $container->get('/page/8')->status, 200, 'pages come all the same';
    $container->stop;
    is $container->status, 0, 'stopped';
};

subtest 'https' => sub {
    my $ca = Test::Tmpl::Certificates->new;
    $ca->sign('backend', 'DNS:localhost');
    my ($pages, $port) = (temp_dir(), free_port());
    spit("$pages/page.html", $site->page(1));
    spawn('openssl', sub {
        chdir $pages or die "$pages: $!";
        open STDOUT, '>', '/dev/null';
        open STDERR, '>&', \*STDOUT;
        exec qw(openssl s_server -WWW -accept), "127.0.0.1:$port", '-cert', $ca->file('backend.pem'), '-key', $ca->file('backend.key');
    });
    my %backend = (BACKEND => "https://localhost:$port", MODE => 'headers');
    my $strict = container(\%backend);
    my $res;
    ok wait_for { $res = $strict->get('/page.html'); $strict->err =~ /AH02039: Certificate Verification: Error/ }, 'a certificate of nobody that is known is refused';

    cmp_ok $res->status, '>=', 500, 'with an error';
    my $trusting = container(\%backend, store => give_to_server(temp_dir()), files => {
        'ca.pem' => slurp($ca->file('ca.pem')), 'ca.conf' => "SSLProxyCACertificateFile /etc/mod_tmpl/ca.pem\n",
    });
    same_bytes $trusting->get('/page.html')->body, $site->page(1), 'a file in /etc/mod_tmpl names its authority';
    $_->stop, is $_->status, 0, 'stopped' for $strict, $trusting;
};

done_testing;
