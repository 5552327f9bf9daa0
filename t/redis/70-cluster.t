# SPDX-License-Identifier: Apache-2.0

# A Redis Cluster of three masters with a replica each, under load: slots move from one master to
# another, a master is killed and its replica takes over. Every response is the page or the stripped
# page; sites of the other masters do not notice; every site is warm again afterwards, and learns.
# TmplTimeout is the long one of Test::Tmpl::Httpd: on a busy machine a healthy master may be late by more
# than 500 ms, and no server is silent here.

use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::Tmpl;
use Test::Tmpl::Cluster;
use Test::Tmpl::Visitors;
use Time::HiRes qw(clock_gettime CLOCK_MONOTONIC);

plan(skip_all => 'takes long: make check-redis-modes') if !$ENV{TMPL_TEST_REDIS_MODES};
plan(skip_all => 'no redis-server') if !Test::Tmpl::Redis::available();

my $site = site();
my $backend = backend { $site->answer(@_) };
my @hosts = map { "s$_.example" } 1 .. 12;
my $cluster = Test::Tmpl::Cluster->new(replicas => 1, options => { 'cluster-require-full-coverage' => 'no' });
my @masters = ($cluster->nodes)[0 .. 2];
my %slot = map { $_ => $cluster->slot("tmpl:6:{$_}") } @hosts;

sub counters {
    my ($httpd) = @_;
    return $httpd->counted('/server-status');
}

my $httpd = Test::Tmpl::Httpd->new(no_store => 1, detector => 'incremental', log_level => 'info', conf =>
    "ProxyPass /server-status !\nProxyPass / " . $backend->url . <<"END")->start;
/
TmplMode strip
TmplLearnDelay 50ms
TmplSiteKey %{HTTP_HOST}
TmplStore ${\ $cluster->uri}
<Location /server-status>
    SetHandler tmpl-status
    TmplMode off
</Location>
END
$httpd->expect_log(qr/\[tmpl:warn\]/);
my $visitors = Test::Tmpl::Visitors->start(httpd => $httpd, site => $site, hosts => \@hosts);
my $warm = sub { $_[0]{state} eq 'warm' && $_[0]{declined} eq '-' };

ok defined $visitors->wait_for_all($warm), 'every site is learnt';
my @keys = map { scalar @{ $_->command('KEYS', 'tmpl:6:{*') } } @masters;
is scalar(grep { $_ > 0 } @keys), 3, "each master has sites: @keys";

subtest 'slots move under load' => sub {
    my @moved = @hosts[0 .. 2];
    for my $host (@moved) {
        my $from = $cluster->begin_move($slot{$host}, my $to = (grep { $_ != $cluster->master($slot{$host}) } @masters)[0]);
        ok defined $visitors->wait_for_all($warm), "$host: its slot begins to move";
        $cluster->move_keys($slot{$host}, $from, $to);
        ok defined $visitors->wait_for_all($warm), "$host: its key has moved, its slot not yet (ASK)";
        $cluster->end_move($slot{$host}, $from, $to);
        ok defined $visitors->wait_for_all($warm), "$host: its slot has moved (MOVED)";
        is $cluster->master($slot{$host}, $to), $to, 'it is at the other master';
        is_deeply $to->command('CLUSTER', 'GETKEYSINSLOT', $slot{$host}, 10), ["tmpl:6:{$host}"], 'which has the key';
    }
    is scalar(grep { $_->{wrong} || $_->{declined} ne '-' } $visitors->answers), 0, 'no page was wrong or declined';
};

subtest 'a slot moves while httpd restarts' => sub {
    my $host = $hosts[3];
    my $from = $cluster->begin_move($slot{$host}, my $to = (grep { $_ != $cluster->master($slot{$host}) } @masters)[0]);
    $httpd->graceful;
    ok defined $visitors->wait_for_all($warm), 'new children find a slot that moves';
    $cluster->move_keys($slot{$host}, $from, $to);
    $httpd->graceful;
    ok defined $visitors->wait_for_all($warm), 'and one whose key has moved';
    $cluster->end_move($slot{$host}, $from, $to);
    $httpd->graceful;
    ok defined $visitors->wait_for_all($warm), 'and one that has moved';
    is scalar(grep { $_->{wrong} || $_->{declined} ne '-' } $visitors->answers), 0, 'no page was wrong or declined';
};

subtest 'a slot that moves takes new sites' => sub {
    my $host = 'new.example';
    my $number = $cluster->slot("tmpl:6:{$host}");
    my $to = (grep { $_ != $cluster->master($number) } @masters)[0];
    my $from = $cluster->begin_move($number, $to);
    my @answers = map { $httpd->get("/page/$_", headers => { Host => $host }) } 1 .. 6;
    ok wait_for { @{ $to->command('CLUSTER', 'GETKEYSINSLOT', $number, 10) } == 1 }, 'its key is made where the slot goes';
    is scalar(@{ $from->command('CLUSTER', 'GETKEYSINSLOT', $number, 10) }), 0, 'and not where it was';
    $cluster->end_move($number, $from, $to);
    ok wait_for { ($httpd->get('/page/7', headers => { Host => $host })->says('pages') || 0) >= 6 }, 'all pages were counted';
    is scalar(grep { $_->says('declined') ne '' } @answers), 0, 'no page was declined';
};

subtest 'a master is killed' => sub {
    my $victim = $masters[1];
    my %its = map { $_ => 1 } grep { $cluster->master($slot{$_}) == $victim } @hosts;
    cmp_ok scalar(keys %its), '>', 0, 'it has sites';
    my $start = clock_gettime(CLOCK_MONOTONIC);
    $victim->kill9;
    my ($number) = @slot{ keys %its };
    ok wait_for { my $is = $cluster->master($number); $is && $is != $victim }, 'its replica takes over';
    ok defined $visitors->wait_for_all($warm), 'every site is warm again';
    diag sprintf 'cluster: a master killed, every site warm after %.1f s (cluster-node-timeout 1 s)', clock_gettime(CLOCK_MONOTONIC) - $start;
    my @answers = grep { $_->{at} > $start } $visitors->answers;
    my @declined = grep { $_->{declined} ne '-' } @answers;
    is join(' ', grep { $_ ne 'store' } map { $_->{declined} } @declined), '', 'pages are declined for the store only';
    is scalar(grep { !$its{ $_->{host} } } @declined), 0, 'sites of the other masters do not notice';
    diag sprintf 'cluster: %d of %d pages declined meanwhile', scalar @declined, scalar @answers;
    my ($host) = sort keys %its;
    # a child that has not noticed yet may decline a page
    my $learnt = sub { $httpd->get('/page/1', headers => { Host => $host })->says('pages') || 0 };
    my $pages = $learnt->();
    ok wait_for { $learnt->() > $pages }, 'its sites are learnt again';
    $victim->start;
    ok defined $visitors->wait_for_all($warm), 'it comes back as a replica';
};

my @answers = $visitors->finish;
is scalar(grep { $_->{wrong} } @answers), 0, 'no wrong response among ' . @answers;
is counters($httpd)->{'learn-lost-failed'}, 0, 'no page was lost that waited to be learnt';
like $httpd->log_text, qr/T022.*cannot use one site/, 'the log reports it';
$httpd->finish;
done_testing;
