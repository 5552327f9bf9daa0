# SPDX-License-Identifier: Apache-2.0

# The status has pages judged and changed, documents learnt, and declines by reason: sums of all children
# that survive a graceful restart.

use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::Tmpl;

my $site = site();
my $backend = backend {
    my ($connection, $request) = @_;
    return $connection->respond(200, { 'Content-Type' => 'text/html' }, '<frameset>') if $request->{target} eq '/frames';
    return $site->answer(@_) if $request->{target} ne '/file';
    $connection->respond(200, { 'Content-Type' => 'text/html', 'Content-Disposition' => 'attachment' }, 'x');
};
my $httpd = Test::Tmpl::Httpd->new(detector => 'incremental', conf => 'ProxyPass /server-status !' . "\nProxyPass / " . $backend->url . <<'END')->start;
/
TmplMode strip
ExtendedStatus on
<Location /page/9>
    TmplDetector auto
</Location>
<Location /server-status>
    SetHandler tmpl-status
    TmplMode off
</Location>
END

sub counters {
    return $httpd->counted('/server-status');
}

is counters()->{pages}, 0, 'nothing at first';
$httpd->visit(1 .. 8, 8);
$httpd->get('/no-such');
$httpd->get('/file') for 1 .. 2;
$httpd->get('/frames');
my $count = counters();
is $count->{pages}, 9, 'nine pages judged';
is $count->{edited}, 5, 'five of them changed: 5, 6, 7, and 8 twice';
is $count->{learned}, 8, 'eight documents learnt';
is $count->{'declined-status'}, 1, 'one page declined for its status';
is $count->{'declined-attachment'}, 2, 'two attachments';
is $count->{'declined-frameset'}, 1, 'one page declined when it was read, which is not among those judged';
is $count->{'declined-store'}, 0, 'no page declined for the store';
cmp_ok $count->{'bytes-in'}, '>', $count->{'bytes-out'}, 'fewer bytes out than in';

$httpd->graceful;
$httpd->get('/page/9');
$count = counters();
is $count->{pages}, 10, 'the counters continue after a graceful restart';

$httpd->finish;
done_testing;
