# SPDX-License-Identifier: Apache-2.0

# The status shows a store that fails and answers again: errors, and children whose breaker is
# open; a child that was killed does not count. A site whose pages are mostly declined causes one
# warning an hour, whatever the number of children.

use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::Tmpl;

use JSON::PP qw(decode_json);
use Test::Tmpl::Process qw(children);

my $redis = redis();
my $site = site();
my $backend = backend {
    my ($connection, $request) = @_;
    return $site->answer(@_) if $request->{target} !~ /no-transform/;
    $connection->respond(200, { 'Content-Type' => 'text/html', 'Cache-Control' => 'no-transform' }, '<p>text</p>');
};
my $httpd = Test::Tmpl::Httpd->new(
    no_store => 1, conf => "ProxyPass /tmpl-status !\nProxyPass / " . $backend->url . "/\nTmplMode strip\nTmplStore " . $redis->uri . <<'END')->start;

TmplSiteKey "%{HTTP:X-Site}"
<Location /tmpl-status>
    SetHandler tmpl-status
</Location>
END
$httpd->expect_log(qr/T011|T025/);

sub store { return decode_json($httpd->get('/tmpl-status?format=json')->body)->{stores}[0] }

my @to = (headers => { 'X-Site' => 'a.example' });
$httpd->get("/page/$_", @to) for 1 .. 5;
my $store = store();
is $store->{store}, $redis->uri, 'the store is shown';
is $store->{breakers_open}{'look-up'}, 0, 'all children use it';

my $n = 100;
$redis->kill9;
ok wait_for { $httpd->get('/page/' . $n++, @to); store()->{breakers_open}{'look-up'} > 0 }, 'a child has stopped using it';
$store = store();
cmp_ok $store->{errors}{'look-up'}, '>=', 1, 'and an error';
like $httpd->get('/tmpl-status/metrics')->body, qr/^tmpl_breaker_open\{store="redis:[^"]*",purpose="look-up"\} [1-9]/m, 'the metrics agree';

# all children are killed: those that replace them have not tried the store
my @old = children($httpd->{pid});
kill 'KILL', @old;
$httpd->expect_log(qr/exit signal Killed/);
ok wait_for { my %now = map { $_ => 1 } children($httpd->{pid}); !grep { $now{$_} } @old }, 'the children are gone';
ok wait_for { my $res = $httpd->get('/tmpl-status?format=json'); $res->status }, 'others answer';
is store()->{breakers_open}{'look-up'}, 0, 'those that were killed do not count';

ok wait_for { $httpd->get('/page/' . $n++, @to); store()->{breakers_open}{'look-up'} > 0 }, 'another child has stopped using it';
$redis->start;
ok wait_for { $httpd->get('/page/' . $n++, @to); store()->{breakers_open}{'look-up'} == 0 }, 'it is used again';
my $errors = store()->{errors}{'look-up'};
$httpd->graceful;
is store()->{errors}{'look-up'}, $errors, 'errors survive a graceful restart';

subtest 'a site that is declined' => sub {
    my $lines = sub { return grep { /T025/ } split /\n/, $httpd->log_text };
    my @quiet = (headers => { 'X-Site' => 'declined.example' });
    $httpd->get('/no-such', @quiet) for 1 .. 60;
    is scalar($lines->()), 0, 'errors are no pages';
    $httpd->get("/page/$_", @quiet) for 1 .. 20;
    $httpd->get('/no-transform', @quiet) for 1 .. 25;
    is scalar($lines->()), 0, 'half of fifty pages is no warning';
    $httpd->get('/no-transform', @quiet);
    is scalar(my @warnings = $lines->()), 1, 'more than half is one';
    like $warnings[0], qr/\[tmpl:warn\].*declined\.example.*26 of its last 46 .*no-transform/, 'with the site, the count and the reason';
    $httpd->get('/no-transform', @quiet) for 1 .. 40;
    $httpd->graceful;
    $httpd->get('/no-transform', @quiet) for 1 .. 40;
    is scalar($lines->()), 1, 'one in an hour, whoever serves the pages';
};

$httpd->finish;
done_testing;
