# SPDX-License-Identifier: Apache-2.0

# The URI selects a Redis with a password or an ACL user, on a port or a unix socket, and one of its
# databases. What is learnt is stored there and nowhere else.

use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::Tmpl;

my $redis = redis(requirepass => 'sesame');
$redis->command('ACL', 'SETUSER', 'proxy', 'on', '>open', '~*', '&*', '+@all');
my $site = site();
my $backend = backend { $site->answer(@_) };
my ($port, $socket) = ($redis->port, $redis->{socket});

my %URI = (
    2 => "redis://default:sesame\@127.0.0.1:$port/2",
    3 => "redis://proxy:open\@127.0.0.1:$port/3",
    4 => "redis+unix://$socket?db=4&pass=sesame",
    5 => "redis+unix://$socket?db=5&user=proxy&pass=open",
);
for my $db (sort keys %URI) {
    my $httpd = proxy($backend, conf => "TmplMode strip\nTmplStore $URI{$db}", no_store => 1);
    my @answers = $httpd->visit(1 .. 6);
    same_bytes($answers[5]->body, $site->stripped(6), "database $db: a page is stripped");
    is $answers[5]->says('pages'), 6, "database $db: learns";
    like $redis->command('INFO', 'keyspace'), qr/^db$db:keys=[1-9]/m, "database $db has the keys";
    $httpd->finish;
}
unlike $redis->command('INFO', 'keyspace'), qr/^db[016-9]:/m, 'no other database has keys';

done_testing;
