# SPDX-License-Identifier: Apache-2.0

# One master of a Redis Cluster hangs: it accepts connections and answers nothing. Only its sites are
# declined. Learning waits for this master; pages of sites at the other masters must not suffer.

use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::Tmpl;
use Test::Tmpl::Cluster;

plan(skip_all => 'takes long: make check-redis-modes') if !$ENV{TMPL_TEST_REDIS_MODES};
plan(skip_all => 'no redis-server') if !Test::Tmpl::Redis::available();

my $site = site();
my $backend = backend { $site->answer(@_) };
my @hosts = map { "s$_.example" } 1 .. 12;
my $cluster = Test::Tmpl::Cluster->new(replicas => 0, options => { 'cluster-require-full-coverage' => 'no' });
my $httpd = Test::Tmpl::Httpd->new(no_store => 1, detector => 'incremental', conf => <<"END")->start;
ProxyPass / ${\ $backend->url}/
TmplMode strip
TmplSecret 0123456789abcdef
TmplTimeout 500ms
TmplLearnDelay 50ms
TmplSiteKey %{HTTP_HOST}
TmplStore ${\ $cluster->uri}
END
$httpd->expect_log(qr/\[tmpl:warn\]/);

my $page = 0;
# Asks for a new page of each site; returns the sites that are in a state, and those declined.
sub visit {
    my ($state, @found) = ($_[0], [], []);
    $page++;
    for my $host (@hosts) {
        my $answer = $httpd->get("/page/$page", headers => { Host => $host });
        push @{ $found[0] }, $host if $answer->says('state') eq $state;
        push @{ $found[1] }, $host if $answer->says('declined') ne '';
    }
    return @found;
}

ok wait_for { my ($warm) = visit('warm'); @$warm == @hosts }, 'every site is learnt';
my %master = map { $_ => $cluster->master($cluster->slot("tmpl:6:{$_}")) } @hosts;
my $victim = $master{ $hosts[0] };
$victim->stop;
my %declined;
for (1 .. 30) {
    my (undef, $hosts) = visit('warm');
    $declined{$_}++ for @$hosts;
}
my @its = grep { $master{$_} == $victim } @hosts;
is join(' ', grep { !$declined{$_} } @its), '', 'sites of the master that hangs are declined';
is join(' ', map { "$_: $declined{$_}" } grep { $declined{$_} && $master{$_} != $victim } @hosts), '', 'no others are';
unlike $httpd->log_text, qr/T011/, 'the store as a whole does not fail';
$victim->continue;
ok wait_for { my ($warm) = visit('warm'); @$warm == @hosts }, 'it answers again, and all sites are served';
$httpd->finish;
done_testing;
