# SPDX-License-Identifier: Apache-2.0

# Responses that are not HTML pages, or must not be changed, pass unchanged with all their fields,
# and the Tmpl field has the reason: other media types, no-transform, attachments, multipart.

use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::Tmpl;

my $site = site();
my %CASE = (
    json => [type => 'Content-Type' => 'application/json'],
    css => [type => 'Content-Type' => 'text/css'],
    plain => [type => 'Content-Type' => 'text/plain; charset=utf-8'],
    htmlish => [type => 'Content-Type' => 'text/htmlx'],
    multipart => [type => 'Content-Type' => 'multipart/mixed; boundary=x'],
    none => ['type'],
    xhtml => [type => 'Content-Type' => 'application/xhtml+xml'],
    fixed => ['no-transform', 'Content-Type' => 'text/html', 'Cache-Control' => 'no-transform'],
    fixed2 => ['no-transform', 'Content-Type' => 'text/html', 'Cache-Control' => ['max-age=1', 'public, No-Transform']],
    file => [attachment => 'Content-Type' => 'text/html', 'Content-Disposition' => 'attachment; filename="a.html"'],
    file2 => [attachment => 'Content-Type' => 'text/html', 'Content-Disposition' => 'Attachment'],
    part => [range => 'Content-Type' => 'text/html', 'Content-Range' => 'bytes 0-9/10'],
    # these are pages
    html => ['', 'Content-Type' => 'text/html'],
    charset => ['', 'Content-Type' => 'TEXT/HTML;charset=UTF-8'],
    inline => ['', 'Content-Type' => 'text/html', 'Content-Disposition' => 'inline; filename="attachment.html"'],
    similar => ['', 'Content-Type' => 'text/html', 'Cache-Control' => 'x-no-transform-please'],
);
my $backend = backend {
    my ($connection, $request) = @_;
    my ($name, $n) = $request->{target} =~ m{^/(\w+)/(\d+)} or return $connection->respond(404, {}, '');
    my (undef, %headers) = @{ $CASE{$name} // ['', 'Content-Type' => 'text/html'] };
    return $connection->respond(200, { %headers, ETag => '"v1"', 'Content-MD5' => 'x' }, $site->page($n));
};
my $httpd = proxy($backend, conf => 'TmplMode strip');
$httpd->visit(1 .. 6);

for my $name (sort keys %CASE) {
    my ($reason, %headers) = @{ $CASE{$name} };
    my $res = $httpd->get("/$name/7");
    is $res->status, 200, "$name: 200";
    # a response that is not HTML gets no Tmpl field
    is $res->says('declined'), $reason eq 'type' ? '' : $reason, "$name: " . ($reason || 'not declined');
    is $res->header('Tmpl'), undef, "$name: no field" if $reason eq 'type';
    if ($reason eq '') {
        same_bytes($res->body, $site->stripped(7), "$name: stripped");
        next;
    }
    same_bytes($res->body, $site->page(7), "$name: unchanged");
    is $res->header('ETag'), '"v1"', "$name: ETag is kept";
    is $res->header('Content-MD5'), 'x', "$name: Content-MD5 is kept";
    is $res->header('Content-Length'), length $site->page(7), "$name: Content-Length is kept";
}

$httpd->finish;
done_testing;
