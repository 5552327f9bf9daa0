# SPDX-License-Identifier: Apache-2.0

# Only a complete page in response to GET is changed. HEAD has the fields of GET, except those that
# depend on the body; 204, 304, 4xx, 5xx and redirects pass unchanged, with their bodies.

use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::Tmpl;

my $site = site();
my $backend = backend {
    my ($connection, $request) = @_;
    my ($status) = $request->{target} =~ m{^/status/(\d+)};
    return $site->answer(@_) if !defined $status && $request->{method} ne 'HEAD';
    my %html = ('Content-Type' => 'text/html', ETag => '"v1"', 'Last-Modified' => 'Sun, 01 Nov 2026 10:00:00 GMT',
        'Content-Length' => length $site->page(7));
    return $connection->head(200, \%html) if !defined $status;
    delete $html{'Content-Length'};
    return $connection->head($status, \%html) if $status =~ /^(204|304)$/;
    $html{Location} = '/elsewhere' if $status =~ /^3/;
    return $connection->respond($status, \%html, $request->{method} eq 'HEAD' ? undef : $site->page(7));
};
my $httpd = proxy($backend, conf => 'TmplMode strip');

# GET of a cold site has no validators, of a warm one the module's tag; HEAD cannot know, so it has
# none.
for my $known (qw(cold warm)) {
    my $head = $httpd->get('/page/7', method => 'HEAD');
    is $head->header($_), undef, "HEAD, $known: no $_" for qw(ETag Last-Modified);
    $httpd->visit(1 .. 6);
}

my $client = $httpd->client;
my $head = $client->get('/page/7', method => 'HEAD');
is $head->status, 200, 'HEAD: 200';
my $get = $client->get('/page/7');
same_bytes($get->body, $site->stripped(7), 'GET on the same connection is stripped');
ok !defined $head->header('Content-Length') || $head->header('Content-Length') == length $get->body,
    'HEAD does not have the length of the unchanged page';
is $head->header('Content-Type'), $get->header('Content-Type'), 'HEAD: Content-Type as for GET';

for my $status (204, 304) {
    my $res = $client->get("/status/$status");
    is $res->status, $status, "$status passes";
    is $res->body, '', "$status has no body";
}
for my $status (201, 203, 206, 301, 302, 400, 401, 403, 404, 410, 500, 502, 503) {
    my $res = $httpd->get("/status/$status");
    is $res->status, $status, "$status keeps its status";
    same_bytes($res->body, $site->page(7), "$status passes unchanged");
    is $res->header('ETag'), '"v1"', "$status keeps its ETag";
    is $res->says('declined'), 'status', "$status: declined=status";
}

my $res = $httpd->get('/page/8', method => 'POST', body => 'a=b');
is $res->status, 200, 'POST: 200';
ok $res->body eq $site->page(8) || $res->body eq $site->stripped(8), 'POST: a whole page';

$httpd->expect_log(qr/\[proxy_http:error\]|\[proxy:error\]/);
$httpd->finish;
done_testing;
