# SPDX-License-Identifier: Apache-2.0

# The response does not depend on how the body is split into buckets or how often it is flushed:
# mod_bucketeer splits the page at every offset, and the backend sends it in two writes, in chunks
# of every small size and byte by byte.

use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::Tmpl;

plan skip_all => 'no mod_bucketeer' if !Test::Tmpl::Httpd::has_module('bucketeer');

my $site = site(large => 10);
my $page = $site->page(8);

# mod_bucketeer ends a bucket at ^B, passes the brigade on at ^P, and flushes at ^F; it takes them
# out.
my %CUT = (bucket => "\x02", pass => "\x10", flush => "\x06");

my $backend = backend {
    my ($connection, $request) = @_;
    my %html = ('Content-Type' => 'text/html');
    for ($request->{target}) {
        if (m{^/bucketeer/(\w+)/(\d+)}) {
            return $connection->respond(200, \%html, substr($page, 0, $2) . $CUT{$1} . substr $page, $2);
        }
        if (m{^/bucketeer/off}) {
            return $connection->respond(200, \%html, join '', map { ($CUT{$_}, $page) } sort keys %CUT);
        }
        if (m{^/bucketeer/every}) {
            return $connection->respond(200, \%html, join '', map { "$_\x06\x02\x10" } split //, $page);
        }
        if (m{^/writes/(\d+)}) {
            $connection->respond(200, { %html, 'Content-Length' => length $page }, substr $page, 0, $1);
            $connection->drain;
            return $connection->send(substr $page, $1);
        }
        return $connection->respond_chunked(200, \%html, $page =~ /(.{1,$1})/gs) if m{^/chunks/(\d+)};
        return $connection->respond_chunked(200, \%html, $site->page($1) =~ /(.{1,$2})/gs) if m{^/large/(\d+)/(\d+)};
    }
    return $site->answer(@_);
};
my $httpd = proxy($backend, modules => ['bucketeer'], conf => <<'END');
TmplMode strip
TmplPageKey "%{req:X-Page}"
<Location /bucketeer/off>
    TmplMode off
</Location>
<Location /bucketeer>
    SetOutputFilter BUCKETEER
</Location>
END
$httpd->get("/page/$_", headers => { 'X-Page' => $_ }) for 1 .. 6;

is $httpd->get('/bucketeer/off')->body, $page x 3, 'mod_bucketeer takes these characters';

my $client = $httpd->client;
my $want = $site->stripped(8);

# Requests each target on one connection; names those whose response is not the stripped page.
sub all_same {
    my ($name, @targets) = @_;
    my @differ = grep {
        my $res = $client->get($_, headers => { 'X-Page' => 8 });
        $client->connect if !$res->complete;
        !$res->complete || $res->body ne $want
    } @targets;
    is_deeply \@differ, [], $name . ': ' . @targets . ' responses are the stripped page';
    return;
}

all_same('cut into two buckets', map { "/bucketeer/bucket/$_" } 0 .. length $page);
all_same('passed on in two', map { "/bucketeer/pass/$_" } 0 .. length $page);
all_same('with a flush', map { "/bucketeer/flush/$_" } 0 .. length $page);
all_same('flushed behind every byte', '/bucketeer/every');
all_same('in two writes', map { '/writes/' . 37 * $_ } 0 .. length($page) / 37);
all_same('in chunks', map { "/chunks/$_" } 1 .. 3, 7, 64, 1000);

for my $n (4, 7, 9) {
    my $stripped = $site->stripped($n);
    my @differ = grep { $client->get("/large/$n/$_", headers => { 'X-Page' => $n })->body ne $stripped } 1999, 8000, 50_000;
    is_deeply \@differ, [], length($stripped) . ' bytes, in chunks';
}

$httpd->finish;
done_testing;
