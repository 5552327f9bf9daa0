# SPDX-License-Identifier: Apache-2.0

# Graceful restarts under load lose no request: every accepted request gets a complete response, the
# unchanged page or the stripped one.

use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::Tmpl;

my $RESTARTS = 4;
my $CLIENTS = 3;

my $site = site();
my $backend = backend { $site->answer(@_) };
my $httpd = proxy($backend, conf => 'TmplMode strip');
$httpd->visit(1 .. 6);
my $dir = temp_dir();

# Requests pages until DIR/stop exists; writes their number and what was wrong.
sub load {
    my ($client) = @_;
    my (@wrong, $count);
    open my $progress, '>', "$dir/count.$client" or die $!;
    until (-e "$dir/stop") {
        my $n = 1 + ($client * 7 + $count++) % 40;
        my $res = $httpd->get("/page/$n");
        push @wrong, "page $n: status " . $res->status . ' ' . ($res->error // '')
            if $res->status != 200 || !$res->complete || $res->body ne $site->stripped($n);
        syswrite $progress, '.';
    }
    spit("$dir/result.$client", join "\n", $count, @wrong);
    return;
}

my @pids = map { my $i = $_; spawn("load $i", sub { load($i) }) } 1 .. $CLIENTS;
my $count = sub { my $sum = 0; $sum += -s "$dir/count.$_" || 0 for 1 .. $CLIENTS; $sum };
for (1 .. $RESTARTS) {
    my $before = $count->();
    wait_for { $count->() > $before + 20 };
    $httpd->graceful;
}
my $before = $count->();
ok wait_for { $count->() > $before + 20 }, 'the last generation serves pages';
spit("$dir/stop", '');
ok wait_for { !grep { alive($_) } @pids }, 'the load ends';

my ($requests, @wrong) = (0);
for my $i (1 .. $CLIENTS) {
    my ($n, @lines) = split /\n/, slurp("$dir/result.$i");
    $requests += $n;
    push @wrong, @lines;
}
cmp_ok $requests, '>', 20 * $RESTARTS, "requests: $requests";
is join("\n", @wrong), '', 'no wrong response';

$httpd->finish;
done_testing;
