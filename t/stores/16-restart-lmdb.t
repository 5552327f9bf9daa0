# SPDX-License-Identifier: Apache-2.0

# The LMDB store keeps what was learnt through a restart, a graceful restart, and a kill -9 of every
# process of the server.

use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::Tmpl;

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
done_testing;
