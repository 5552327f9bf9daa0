# SPDX-License-Identifier: Apache-2.0

# The harness reports what happens: a backend that breaks off, the bytes that were sent, a malformed
# Tmpl field, an unexpected warning in the error log.

use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::Tmpl;

my $all_bytes = join '', map { chr } 0 .. 255;
my $backend = backend {
    my ($connection, $request) = @_;
    my $target = $request->{target};
    return $connection->respond(200, { 'Content-Type' => 'a/b' }, $all_bytes) if $target eq '/bytes';
    return $connection->respond_chunked(200, {}, split //, $all_bytes) if $target eq '/chunked';
    return $connection->respond(200, {}, $request->{body}) if $target eq '/echo';
    $connection->respond(200, { 'Content-Length' => 100 }, 'short') if $target eq '/short';
    $connection->send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab") if $target eq '/chunk';
    return $connection->reset;
};

subtest 'client and backend' => sub {
    my $connect = sub { Test::Tmpl::Client->new(port => $backend->port) };
    my $client = $connect->();
    my $res = $client->get('/bytes', headers => { 'X-Test' => [1, 2] });
    is $res->body, $all_bytes, 'the client gets the bytes that were sent';
    is $res->header('content-TYPE'), 'a/b', 'field names are case-insensitive';
    ok $res->complete, 'the body is complete';
    $res = $client->get('/chunked');
    is $res->body, $all_bytes, 'a chunked body on the same connection';
    is $client->get('/echo', method => 'POST', body => 'hello')->body, 'hello', 'a request body';
    is $client->get('/bytes', method => 'HEAD')->body, '', 'HEAD has no body';
    ok !$client->get('/short')->complete, 'a short body is not complete';
    ok !$connect->()->get('/chunk')->complete, 'a short chunk is not complete';
    is $connect->()->get('/reset')->status, 0, 'a reset: no response';
    my $resets = sub { scalar grep { $_->{target} eq '/reset' } $backend->requests };
    is $resets->(), 1, 'on a new connection the request is not repeated';
    my $used = $connect->();
    $used->get('/bytes');
    is $used->get('/reset')->status, 0, 'a reset on a used connection: no response';
    is $resets->(), 3, 'on a used connection the request is repeated on a new one';
    is +($backend->requests)[0]{headers}{'x-test'}, '1, 2', 'the backend records the request';
};

subtest 'dictionaries' => sub {
    my $parse = sub { eval { Test::Tmpl::Field::dictionary($_[0]) } };
    is_deeply $parse->('a=1, b=0.25,c, d="x \"y\"", e=tok-en, f=?0, g=(1 2);p=1, h;q'),
        { a => 1, b => 0.25, c => 1, d => 'x "y"', e => 'tok-en', f => 0, g => [1, 2], h => 1 }, 'valid';
    for my $bad ('', 'a=', 'a=1,', 'A=1', 'a = 1', 'a=1 b=2', 'a=.5', 'a=0.1234', 'a="x', 'a=1;', ',a', 'a=?2',
        "a=\"\xc3\"", 'a=(1', 'a=1.') {
        is $parse->($bad), undef, "refused: '$bad'";
    }
};

subtest 'httpd, its log and a graceful restart' => sub {
    my $httpd = proxy($backend, conf => 'TmplMode off');
    like $httpd->log_text, qr/resuming normal operations/, 'a started httpd handles signals';
    isnt scalar(children($httpd->{pid})), 0, 'a started httpd has children';
    is $httpd->get('/bytes')->body, $all_bytes, 'a proxied response';
    my @old = children($httpd->{pid});
    $httpd->graceful;
    my %now = map { $_ => 1 } children($httpd->{pid});
    is scalar(grep { $now{$_} } @old), 0, 'a graceful restart ends its children';
    is $httpd->get('/bytes')->body, $all_bytes, 'after a graceful restart';
    $httpd->get('/reset');
    $httpd->stop;
    isnt join('', $httpd->unexpected_lines), '', 'a backend that breaks off causes a line in the error log';
    $httpd->expect_log(qr/proxy/);
    $httpd->finish('a test may expect that line');
};

subtest 'a bad configuration' => sub {
    my $httpd = Test::Tmpl::Httpd->new(conf => 'NoSuchDirective on');
    my ($ok, $said) = $httpd->configtest;
    ok !$ok, 'configtest refuses a wrong configuration';
    like $said, qr/NoSuchDirective/, 'configtest reports the reason';
};

subtest 'redis' => sub {
    my $redis = redis();
    is $redis->command('SET', 'a', "x\r\ny"), 'OK', 'redis: a command';
    is $redis->command('GET', 'a'), "x\r\ny", 'redis: a reply';
    $redis->kill9;
    ok !$redis->connect, 'redis: killed';
    $redis->start;
    is $redis->command('GET', 'a'), undef, 'redis: started again, empty';
};

my ($port, $keep) = Test::Tmpl::Redis::black_hole();
ok !IO::Socket::INET->new(PeerAddr => '127.0.0.1', PeerPort => $port, Timeout => 0.3), 'a black hole does not answer';

done_testing;
