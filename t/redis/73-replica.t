# SPDX-License-Identifier: Apache-2.0

# TmplStoreRead: pages are looked up at a replica and learnt at the master. While the replica fails,
# the master is asked; while the master fails, pages are judged by the replica. A site that is only
# read at the replica does not expire.

use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::Tmpl;

my $master = redis('repl-diskless-sync-delay' => 0);
my $replica = redis(replicaof => '127.0.0.1 ' . $master->port);
my $in_step = sub { $replica->command('INFO', 'replication') =~ /master_link_status:up/ };
wait_for { $in_step->() } or die "the replica does not find its master\n";

my $site = site();
my $backend = backend { $site->answer(@_) };
my $httpd = proxy($backend, detector => 'incremental', no_store => 1, log_level => 'info',
    conf => "TmplMode strip\nTmplLearnDelay 1ms\nTmplTimeout 5s\nTmplStore " . $master->uri . "\nTmplStoreRead " . $replica->uri);

sub lookups { return $_[0]->command('INFO', 'commandstats') =~ /cmdstat_hmget:calls=(\d+)/ ? $1 : 0 }

# The response to a page once it is stripped; each page that waits to be learnt was looked up.
sub stripped {
    my ($n) = @_;
    return wait_for { my $res = $httpd->get("/page/$n"); $res->body eq $site->stripped($n) && $res };
}

$httpd->visit(1 .. 8);
ok stripped(9), 'a page is stripped';
cmp_ok lookups($replica), '>', 0, 'the replica is asked';
my $before;
ok wait_for { $before = lookups($master); $httpd->get('/page/9') for 1 .. 20; lookups($master) == $before },
    'and the master is not, once the page is learnt';
is $replica->command('DBSIZE'), $master->command('DBSIZE'), 'the replica has what is learnt';

# A site that nobody asks the master for.
my ($key) = @{ $master->command('KEYS', 'tmpl:6:{*') };
$master->command('EXPIRE', $key, 100);
wait_for { $replica->command('TTL', $key) <= 100 } or die "the replica does not follow\n";
ok wait_for { $httpd->get('/page/1'); $master->command('TTL', $key) > 1000 }, 'a site that is read at the replica does not expire';

$httpd->expect_log(qr/\[tmpl:warn\]/);
$replica->kill9;
ok wait_for { $httpd->get('/page/10')->says('declined') eq '' }, 'the replica is killed: the master is asked';
is scalar(grep { $_->says('declined') !~ /^(?:store)?$/ } $httpd->visit(1 .. 20)), 0, 'no page is declined for anything else';
like $httpd->log_text, qr/T011\] store \Q${\ $replica->uri}\E fails/, 'the log names it';
$replica->start;
wait_for { $in_step->() } or die "the replica does not come back\n";
$before = lookups($replica);
ok wait_for { $httpd->get('/page/11'); lookups($replica) > $before }, 'it is asked again when it is back';

$master->kill9;
ok wait_for { $httpd->get('/page/100'); $httpd->log_text =~ /T0(?:11|17)\] store \Q${\ $master->uri}\E/ }, 'the master is killed';
ok stripped($_), "page $_ is judged by the replica" for 12 .. 16;
$httpd->finish;
done_testing;
