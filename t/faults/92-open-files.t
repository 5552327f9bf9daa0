# SPDX-License-Identifier: Apache-2.0

# Public fault: no file handle is left (mod_http2, CVE-2026-48913). Clients hold pages until httpd cannot open any more
# (RLIMIT_NOFILE): for a client, for the backend or for the store, as far as the limit is from what an idle child has
# open. Each answer is a whole page or an error, and when the others have their pages, httpd serves as before.

use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::Tmpl;
use Test::Tmpl::Process 'server_user';

plan skip_all => 'a child of prefork has one connection' if Test::Tmpl::Httpd::mpm() eq 'prefork';

my $site = site();
my $backend = backend {
    my ($connection, $request) = @_;
    my ($round, $n) = $request->{target} =~ m{^/held/([\w-]+)/(\d+)} or return $site->answer(@_);
    my $html = $site->page($n);
    $connection->head(200, { 'Content-Type' => 'text/html', 'Transfer-Encoding' => 'chunked' });
    $connection->chunk(substr $html, 0, 500, '');
    $connection->wait_until($round);
    $connection->chunk($html);
    return $connection->send("0\r\n\r\n");
};
my $redis = Test::Tmpl::Redis::available() ? redis() : undef;
my %STORES = (lmdb => '', $redis ? (redis => 'TmplStore ' . $redis->uri . "\n") : ());

# A child that cannot open files ends, and its parent starts another if it has a healthy one: three children of eight
# threads. The limit is set on children that serve: below what their start needs, the parent would give up.
sub started {
    my ($store) = @_;
    my $httpd = proxy($backend, conf => "TmplMode strip\nStartServers 3\nMinSpareThreads 24\n$STORES{$store}");
    $httpd->visit(1 .. 6);
    wait_for { children($httpd->{pid}) >= 3 } or die 'httpd has not three children: ', $httpd->log_text;
    return $httpd;
}

# Leaves each child of httpd so many files to open.
sub limit_children {
    my ($httpd, $more) = @_;
    my ($open) = sort { $b <=> $a } map { scalar(() = glob "/proc/$_/fd/*") } children($httpd->{pid});
    my $limit = $open + $more;
    my $user = server_user();
    my @as = defined $user ? ('setpriv', '--reuid', $user, '--regid', $user, '--clear-groups') : ();
    system(@as, 'prlimit', '--pid', $_, "--nofile=$limit:") == 0 or die "prlimit fails\n" for children($httpd->{pid});
    return;
}

for my $store (sort keys %STORES) {
    for my $more (2, 5) {
        my $httpd = started($store);
        my $name = "$store, $more more";
        $httpd->expect_log(qr/Too many open files|\[(?:proxy|proxy_http|mpm_\w+|core|tmpl):(?:error|warn|crit|alert)\]/);
        limit_children($httpd, $more);
        my @clients = map { $httpd->client } 1 .. 16;
        my @sent = grep { $clients[$_ - 1]->send_request("/held/$store-$more/$_", headers => { Connection => 'close' }) } 1 .. 16;
        ok wait_for { $httpd->log_text =~ /Too many open files/ }, "$name: the limit is reached";
        $backend->allow("$store-$more");
        for my $n (@sent) {
            my $res = $clients[$n - 1]->read_response('GET');
            if ($res->status == 200 && $res->complete) {
                ok((grep { $res->body eq $_ } $site->page($n), $site->stripped($n)), "$name: a whole page");
            }
            else {
                ok $res->status =~ /^(?:0|50[023])$/, "$name: an error" or diag $res->status, ' ', $res->error;
            }
        }
        $_->close for @clients;
        ok wait_for { $httpd->get('/page/7')->body eq $site->stripped(7) }, "$name: served as before";
        $httpd->finish;
    }
}
done_testing;
