# SPDX-License-Identifier: Apache-2.0

# The harness is honest: a backend that breaks off is seen as such, bytes come as they were sent, a
# malformed Tmpl field is refused, an unexpected warning in the error log fails the test.

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
    is $res->body, $all_bytes, 'every byte comes as it was sent';
    is $res->header('content-TYPE'), 'a/b', 'field names in any case';
    ok $res->complete, 'complete';
    $res = $client->get('/chunked');
    is $res->body, $all_bytes, 'chunks on the same connection';
    is $client->get('/echo', method => 'POST', body => 'hello')->body, 'hello', 'a request body';
    is $client->get('/bytes', method => 'HEAD')->body, '', 'HEAD has no body';
    ok !$client->get('/short')->complete, 'a short body is not complete';
    ok !$connect->()->get('/chunk')->complete, 'nor a short chunk';
    is $connect->()->get('/reset')->status, 0, 'no answer';
    my $resets = sub { scalar grep { $_->{target} eq '/reset' } $backend->requests };
    is $resets->(), 1, 'asked for once';
    my $used = $connect->();
    $used->get('/bytes');
    is $used->get('/reset')->status, 0, 'nor on a connection that has served before';
    is $resets->(), 3, 'which may have been closed while it waited: asked for again on another one';
    is +($backend->requests)[0]{headers}{'x-test'}, '1, 2', 'the request is recorded';
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
    like $httpd->log_text, qr/resuming normal operations/, 'one that is started takes orders';
    isnt scalar(children($httpd->{pid})), 0, 'and has children to give them to';
    is $httpd->get('/bytes')->body, $all_bytes, 'proxied';
    $httpd->graceful;
    is $httpd->get('/bytes')->body, $all_bytes, 'after a graceful restart';
    $httpd->get('/reset');
    $httpd->stop;
    isnt join('', $httpd->unexpected_lines), '', 'a backend that breaks off is a line in the log';
    $httpd->expect_log(qr/proxy/);
    $httpd->finish('which a test may expect');
};

subtest 'a bad configuration' => sub {
    my $httpd = Test::Tmpl::Httpd->new(conf => 'NoSuchDirective on');
    my ($ok, $said) = $httpd->configtest;
    ok !$ok, 'is refused';
    like $said, qr/NoSuchDirective/, 'and why';
};

subtest 'redis' => sub {
    my $redis = redis();
    is $redis->command('SET', 'a', "x\r\ny"), 'OK', 'a command';
    is $redis->command('GET', 'a'), "x\r\ny", 'its reply';
    $redis->kill9;
    ok !$redis->connect, 'killed';
    $redis->start;
    is $redis->command('GET', 'a'), undef, 'started again, empty';
};

my ($port, $keep) = Test::Tmpl::Redis::black_hole();
ok !IO::Socket::INET->new(PeerAddr => '127.0.0.1', PeerPort => $port, Timeout => 0.3), 'a black hole does not answer';

done_testing;
