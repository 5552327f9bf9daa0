# SPDX-License-Identifier: Apache-2.0

# A Redis that replies without counts: wrong password, no such database, a user that may not run
# scripts, a replica that takes no writes, no memory left, garbage, another protocol. incremental
# passes each page unchanged, auto judges it without the store. The Tmpl field reports that nothing
# was learnt or that the store failed, and the log has the server's message.

use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::Tmpl;

my $site = site(large => 10);
my $backend = backend { $site->answer(@_) };

# Pages through a proxy with that store; the log must match $like. A store that can still be
# read returns counts and learns nothing; one that cannot be read has failed.
sub refused {
    my ($name, $uri, $like, $readable, $timeout) = @_;
    $timeout //= '10s';
    subtest $name => sub {
        my $httpd = proxy($backend, conf => "TmplMode strip\nTmplTimeout $timeout\nTmplStore $uri\n$Test::Tmpl::BY_FIELD", no_store => 1);
        $httpd->expect_log(qr/\[tmpl:(?:warn|error)\]/);
        if ($readable) {
            my @answers = map { $httpd->get("/page/$_", headers => { 'X-Detector' => 'incremental' }) } 1 .. 8;
            my @wrong = grep { $answers[$_]->body ne $site->page($_ + 1) } 0 .. 7;
            is_deeply \@wrong, [], 'incremental: all pages are unchanged';
            push @answers, $httpd->visit(1 .. 8);
            is scalar(grep { $_->says('pages') eq '0' && $_->says('learned') eq '0' } @answers), 16, 'each response reports that nothing was learnt';
            is scalar(grep { $_->says('declined') ne '' || exists $_->tmpl->{store} } @answers), 0, 'no response reports a failure of the store';
        }
        else {
            is join("\n", wrong_without_store($httpd, $site, 1 .. 9)), '', 'each response is right and reports the failure';
        }
        like $httpd->log_text, $like, 'the log has the reason';
        unlike $httpd->log_text, qr/wrong-password/, 'the log does not have the password';
        $httpd->finish;
    };
    return;
}

my $redis = redis(requirepass => 'sesame');
my $port = $redis->port;
$redis->command('ACL', 'SETUSER', 'reader', 'on', '>open', '~*', '&*', '+@read', '+select', '+ping', '-@scripting');
refused('wrong password', "redis://default:wrong-password\@127.0.0.1:$port/0", qr/WRONGPASS|invalid password/i);
refused('a password with an @', "redis://default:no\@wrong-password\@127.0.0.1:$port/0", qr/WRONGPASS|invalid password/i);
refused('no password', "redis://127.0.0.1:$port/0", qr/NOAUTH|[Aa]uthentication required/);
refused('no such database', "redis://default:sesame\@127.0.0.1:$port/99", qr/DB index|out of range/i);
refused('a user without rights', "redis://reader:open\@127.0.0.1:$port/0", qr/NOPERM|permission/i);

my $master = redis('repl-diskless-sync-delay' => 0);
my $replica = redis(replicaof => '127.0.0.1 ' . $master->port, 'replica-read-only' => 'yes');
wait_for { $replica->command('INFO', 'replication') =~ /master_link_status:up/ } or die "the replica does not find its master\n";
refused('a replica that takes no writes', $replica->uri, qr/READONLY|read.only|replica/i, 'readable');

my $full = redis(maxmemory => 1, 'maxmemory-policy' => 'noeviction');
refused('no memory left', $full->uri, qr/OOM|maxmemory|full/, 'readable');

my %GARBAGE = (
    'zeros' => "\0" x 100, 'HTTP' => "HTTP/1.1 400 Bad Request\r\n\r\n", 'just OK' => "+OK\r\n",
    'an integer' => ":1\r\n", 'nil' => "\$-1\r\n", 'an empty array' => "*0\r\n", 'a short array' => "*1\r\n:1\r\n",
    'nested' => "*3\r\n*1\r\n+x\r\n:-5\r\n\$3\r\nabc\r\n", 'a huge length' => "\$2147483647\r\nx",
    'a negative array' => "*-7\r\n", 'an error' => "-ERR out of order\r\n", 'random' => join('', map { chr($_ * 97 % 256) } 1 .. 500),
);
for my $name (sort keys %GARBAGE) {
    my $parrot = Test::Tmpl::Redis::parrot($GARBAGE{$name});
    # for some only the timeout shows that the reply ends
    refused("garbage: $name", "redis://127.0.0.1:$parrot/0", qr/\[tmpl:(?:warn|error)\]/, 0, '100ms');
}

done_testing;
