# SPDX-License-Identifier: Apache-2.0

# The LMDB store keeps what was learnt through a restart, a graceful restart, and a kill -9 of every
# process of the server; and while children and tmplctl are killed as they write to it.

use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::Tmpl;
use Test::Tmpl::Visitors;
use File::Basename qw(dirname);
use Time::HiRes qw(sleep);

my $site = site();
my $backend = backend { $site->answer(@_) };
my $httpd = proxy($backend, detector => 'incremental', conf => 'TmplMode strip');

$httpd->visit(1 .. 6);
my %way = (
    'a restart' => sub { $httpd->restart },
    'a graceful restart' => sub { $httpd->graceful },
    'kill -9 of all' => sub { end_process($httpd->{pid}, 'KILL'); $httpd->start },
);
$httpd->expect_log(qr/AH00098: pid file .* overwritten/);    # after kill -9

my $n = 7;
for my $name ('a graceful restart', 'a restart', 'kill -9 of all') {
    $way{$name}->();
    my $res = $httpd->get("/page/$n");
    same_bytes($res->body, $site->stripped($n), "the first page after $name is stripped");
    is $res->says('pages'), $n, "$n documents after $name";
    $n++;
}

$httpd->finish;

subtest 'children and tmplctl are killed while they write' => sub {
    my $tool = $ENV{TMPLCTL} // dirname($ENV{TMPL_MODULE} // 'build/mod_tmpl.so') . '/tmplctl';
    my $httpd = proxy($backend, detector => 'incremental', conf => "TmplMode strip\nTmplSiteKey %{HTTP_HOST}\nTmplLearnDelay 1ms");
    $httpd->expect_log(qr/AH00052: child pid \d+ exit signal Killed|children are killed successively/);
    my $store = 'lmdb:' . $httpd->root . '/store';
    my @hosts = map { "s$_.example" } 1 .. 6;
    my $visitors = Test::Tmpl::Visitors->start(httpd => $httpd, site => $site, hosts => \@hosts);
    my $warm = sub { $_[0]{state} eq 'warm' && $_[0]{declined} eq '-' };
    ok defined $visitors->wait_for_all($warm), 'every site is learnt';
    my $table = $httpd->root . '/table';
    is system("$tool export $hosts[0] --store $store >$table"), 0, 'one is exported';
    for my $n (1 .. 20) {
        my $writer = spawn('tmplctl', sub { exec "while :; do $tool import new$n.example --store $store <$table; done >/dev/null 2>&1" });
        sleep rand 0.1;    # any moment will do
        end_process($writer, 'KILL');
        my @children;    # httpd replaces them once a second
        wait_for { @children = children($httpd->{pid}) } or die "httpd has no children\n";
        kill 'KILL', $children[rand @children];
    }
    ok defined $visitors->wait_for_all($warm), 'every site is known';
    my @answers = $visitors->finish;
    is scalar(grep { $_->{wrong} && !$_->{broken} } @answers), 0, 'no response that came whole was wrong among ' . @answers;
    is system("$tool check --store $store >/dev/null"), 0, 'the store has no damage';
    $httpd->finish;
};
done_testing;
