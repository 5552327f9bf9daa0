# SPDX-License-Identifier: Apache-2.0

# Three sentinels watch a master with two replicas. Under load the master is killed, and later
# deposed while it lives (SENTINEL FAILOVER). Every response is the page or the stripped page; the
# new master is found, the table is there, and learning resumes.

use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::Tmpl;
use Test::Tmpl::Visitors;
use Time::HiRes qw(clock_gettime CLOCK_MONOTONIC);

plan(skip_all => 'takes long: make check-redis-modes') if !$ENV{TMPL_TEST_REDIS_MODES};

my $site = site();
my $backend = backend { $site->answer(@_) };
my @login = (requirepass => 'sesame', masterauth => 'sesame', 'repl-diskless-sync-delay' => 0);
my @servers = (redis(@login));
push @servers, redis(@login, replicaof => '127.0.0.1 ' . $servers[0]->port) for 1 .. 2;
wait_for { $servers[0]->command('INFO', 'replication') =~ /connected_slaves:2/ } or die "no replicas\n";
my @sentinels = map { redis(requirepass => 'knock', sentinel => <<"END") } 1 .. 3;
sentinel monitor pages 127.0.0.1 ${\ $servers[0]->port} 2
sentinel down-after-milliseconds pages 1000
sentinel failover-timeout pages 3000
sentinel auth-pass pages sesame
sentinel sentinel-pass knock
END
wait_for { !grep { (eval { $_->command('SENTINEL', 'CKQUORUM', 'pages') } // "") !~ /^OK 3 / } @sentinels } or die "the sentinels do not meet\n";
wait_for { !grep { @{ $_->command('SENTINEL', 'REPLICAS', 'pages') } != 2 } @sentinels } or die "the sentinels know no replicas\n";

sub uri { return "redis+sentinel://:sesame\@$_[0]/$_[1]/2?sentinel-pass=knock" }
my $hosts = join ',', map { '127.0.0.1:' . $_->port } @sentinels;
my @hosts = map { "s$_.example" } 1 .. 4;
my $httpd = proxy($backend, detector => 'incremental', no_store => 1, log_level => 'info',
    conf => "TmplMode strip\nTmplTimeout 500ms\nTmplLearnDelay 50ms\nTmplSiteKey %{HTTP_HOST}\nTmplStore " . uri($hosts, 'pages'));
$httpd->expect_log(qr/\[tmpl:warn\]/);
my $visitors = Test::Tmpl::Visitors->start(httpd => $httpd, site => $site, hosts => \@hosts);
my $warm = sub { $_[0]{state} eq 'warm' && $_[0]{declined} eq '-' };

sub master {
    my ($host, $port) = @{ $sentinels[0]->command('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', 'pages') };
    return (grep { $_->port == $port } @servers)[0];
}

# That the master changes, after code, and that all goes on.
sub survived {
    my ($name, $code) = @_;
    my $before = master();
    my $start = clock_gettime(CLOCK_MONOTONIC);
    $code->($before);
    ok wait_for { master() != $before }, "$name: there is another master";
    my $elected = clock_gettime(CLOCK_MONOTONIC);
    my ($host) = @hosts;
    # a child that has not noticed yet may decline a page
    my $learnt = sub { $httpd->get('/page/1', headers => { Host => $host })->says('pages') || 0 };
    ok defined $visitors->wait_for_all($warm), "$name: every site is warm again";
    diag sprintf 'sentinel: %s: another master after %.1f s, every site warm %.1f s later', $name, $elected - $start, clock_gettime(CLOCK_MONOTONIC) - $elected;
    my $pages = $learnt->();
    ok wait_for { $learnt->() > $pages }, "$name: learning resumes";
    my @declined = grep { $_->{at} > $start && $_->{declined} ne '-' } $visitors->answers;
    diag sprintf 'sentinel: %s: %d pages declined meanwhile', $name, scalar @declined;
    is join(' ', grep { $_ ne 'store' } map { $_->{declined} } @declined), '', "$name: pages are declined for the store only";
    return $before;
}

ok defined $visitors->wait_for_all($warm), 'every site is learnt';
like $servers[0]->command('INFO', 'keyspace'), qr/^db2:keys=5/m, 'in the database of the URI, at the master';
my $killed = survived('killed', sub { $_[0]->kill9 });
$killed->start;
# a sentinel that makes it a replica closes the connections of its clients, ours too
wait_for { (eval { $killed->command('INFO', 'replication') } // '') =~ /role:slave.*master_link_status:up/s } or die "the former master does not come back\n";
survived('deposed', sub { $sentinels[1]->command('SENTINEL', 'FAILOVER', 'pages') });
# Another fail-over before anything has settled: a sentinel refuses one while one is under way.
survived('deposed twice', sub {
    my ($first) = @_;
    my $depose = sub { wait_for { eval { $sentinels[1]->command('SENTINEL', 'FAILOVER', 'pages') } } or die "the sentinel refuses\n" };
    $depose->();
    wait_for { master() != $first } or die "no fail-over\n";
    my $second = master();
    $depose->();
    wait_for { master() != $second } or die "no second fail-over\n";
    $depose->() if master() == $first;    # so that the test sees another one in the end
});

my @answers = $visitors->finish;
is scalar(grep { $_->{wrong} } @answers), 0, 'no wrong response among ' . @answers;
$httpd->finish;

# Sentinels that fail, and a name that none knows.
$_->kill9 for @sentinels[0, 1];
# It watches a master that is gone, and knows no other sentinel.
my $alone = redis(requirepass => 'knock', sentinel => "sentinel monitor pages 127.0.0.1 ${\ free_port()} 2\n");
for my $case (['two of three sentinels are dead', uri($hosts, 'pages'), undef],
    ['the first sentinel is cut off and outdated', uri(join(',', map { '127.0.0.1:' . $_->port } $alone, $sentinels[2]), 'pages'), undef],
    ['a name that no sentinel knows', uri('127.0.0.1:' . $sentinels[2]->port, 'other'), qr/knows no master of that name/],
    ['a wrong password of the sentinels', uri('127.0.0.1:' . $sentinels[2]->port, 'pages') =~ s/knock/x/r, qr/does not accept/],
    ['no sentinel answers', uri('127.0.0.1:' . $sentinels[0]->port, 'pages'), qr/refused/]) {
    my ($name, $uri, $says) = @$case;
    my $other = proxy($backend, no_store => 1, conf => "TmplMode strip\nTmplTimeout 2s\nTmplStore $uri\n$Test::Tmpl::BY_FIELD");
    $other->expect_log(qr/\[tmpl:warn\]/);
    if (!defined $says) {
        ok wait_for { $other->get('/page/1', headers => { 'X-Detector' => 'incremental' })->says('declined') eq '' }, "$name: another one is asked";
    }
    else {
        is join("\n", wrong_without_store($other, $site, 1 .. 4)), '', "$name: each response is right and reports it";
        like $other->log_text, $says, "$name: the log has the reason";
        unlike $other->log_text, qr/sesame|knock/, "$name: the log has no password";
    }
    $other->finish;
}
done_testing;
