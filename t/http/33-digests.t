# SPDX-License-Identifier: Apache-2.0

# Fields that describe the bytes of the page are right for the bytes sent: Content-Length is correct,
# and Content-MD5, Digest, Content-Digest and Repr-Digest are removed from a changed page and kept
# otherwise.

use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::Tmpl;
use Digest::MD5 qw(md5_base64);
use Digest::SHA qw(sha256_base64);

my $site = site();
sub fields {
    my ($page) = @_;
    my $sha = sha256_base64($page) . '=';
    return (
        'Content-MD5' => md5_base64($page) . '==', Digest => "sha-256=$sha",
        'Content-Digest' => "sha-256=:$sha:", 'Repr-Digest' => "sha-256=:$sha:",
    );
}
my $backend = backend {
    my ($connection, $request) = @_;
    my ($n) = $request->{target} =~ m{/(\d+)$};
    my $page = $site->page($n);
    return $connection->respond(200, { 'Content-Type' => 'text/html', 'Accept-Ranges' => 'bytes', fields($page) }, $page);
};
my $httpd = proxy($backend, conf => "TmplMode strip\n<Location /headers>\nTmplMode headers\n</Location>");
my $first = $httpd->get('/page/1');
$httpd->visit(2 .. 6);

for my $case (['/page/7', $site->stripped(7)], ['/headers/7', $site->page(7)]) {
    my ($url, $want) = @$case;
    my $res = $httpd->get($url);
    same_bytes($res->body, $want, "$url: body");
    is $res->header('Content-Length'), length $want, "$url: Content-Length";
    my %true = fields($want);
    for my $name (sort keys %true) {
        my $value = $res->header($name);
        ok !defined $value || $value eq $true{$name}, "$url: $name is right or removed" or diag $value;
    }
}
my %true = fields($site->page(1));
ok !defined $first->header($_) || $first->header($_) eq $true{$_}, "unchanged page: $_ is right or removed" for sort keys %true;

$httpd->finish;
done_testing;
