# SPDX-License-Identifier: Apache-2.0

# A range is a range of the bytes that this server sends. Range is not passed to the backend if the URL may be
# a page: the client's Range is served from the changed page. A partial response that the backend sends
# nevertheless passes unchanged. If-Range with a tag of the module never gives a part of the backend's page. A
# download can be resumed if its URL is not that of a page, or if the client has the backend's own
# strong tag.

use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::Tmpl;

my $site = site();
my $DATE = 'Mon, 06 Jan 2020 10:00:00 GMT';
my $backend = backend {
    my ($connection, $request) = @_;
    my ($place, $n) = $request->{target} =~ m{^/(\w+)/(\d+)};
    my $page = $site->page($n);
    my $fields = $request->{headers};
    my %html = ('Content-Type' => 'text/html', ETag => "\"v$n\"", 'Accept-Ranges' => 'bytes');
    my ($from, $to) = ($fields->{range} // '') =~ /^bytes=(\d+)-(\d+)$/;
    $from = undef if exists $fields->{'if-range'} && $fields->{'if-range'} !~ /^(?:"v$n"|$DATE)$/;
    $html{'Content-Type'} = 'application/x-something' if $place eq 'file';
    $html{'Last-Modified'} = $DATE if $place eq 'dated';
    delete $html{ETag} if $place eq 'dated';
    ($from, $to) = (100, 299) if $place eq 'always';
    return $connection->respond(200, \%html, $page) if !defined $from;
    $html{'Content-Range'} = "bytes $from-$to/" . length $page;
    return $connection->respond(206, \%html, substr $page, $from, $to - $from + 1);
};
my $httpd = proxy($backend, conf => <<'END');
TmplMode strip
AddType application/x-iso9660-image .iso
AddType application/x-httpd-php .php
<Location /plain>
    TmplMode off
</Location>
END
$httpd->visit(1 .. 6);
my $want = $site->stripped(7);

my $whole = $httpd->get('/page/7');
same_bytes($whole->body, $want, 'without Range: the stripped page');

my $range = sub {
    my ($range, %headers) = @_;
    return $httpd->get('/page/7', headers => { Range => "bytes=$range", %headers });
};

# 206 with that part, or 200 with the complete page: a server may ignore Range.
sub part_or_whole {
    my ($res, $from, $to, $name) = @_;
    return same_bytes($res->body, $want, "$name: the complete page") if $res->status == 200;
    is $res->status, 206, "$name: 206";
    is $res->header('Content-Range'), "bytes $from-$to/" . length $want, "$name: Content-Range of the stripped page";
    return same_bytes($res->body, substr($want, $from, $to - $from + 1), "$name: that part of the stripped page");
}
my $last = length($want) - 1;
my $res = $range->('100-299');
is $res->status, 206, 'a range: 206';
part_or_whole($res, 100, 299, 'a range');
part_or_whole($range->('500-'), 500, $last, 'an open range');
part_or_whole($range->('-50'), $last - 49, $last, 'a suffix');
is $range->(length($site->page(7)) - 2 . '-')->status, 416, 'beyond the stripped page: 416';

$res = $range->('0-9,20-29');
is $res->status, 206, 'two ranges: 206';
like $res->header('Content-Type'), qr{^multipart/byteranges}, 'two ranges: multipart';
like $res->body, qr{Content-range: bytes 20-29/${\ length $want}}i, 'two ranges: of the stripped page';

my $tag = $whole->header('ETag');
part_or_whole($range->('100-299', 'If-Range' => $tag), 100, 299, 'If-Range with the module\'s tag');
$res = $range->('100-299', 'If-Range' => '"other"');
is $res->status, 200, 'If-Range with another tag: 200';
same_bytes($res->body, $want, 'If-Range with another tag: the complete page');

my @parts = grep { $_->{target} eq '/page/7' && exists $_->{headers}{range} } $backend->requests;
is_deeply [map { $_->{headers}{'if-range'} } @parts], ['"other"'],
    'the backend gets a Range only with an If-Range that has a strong tag';

$res = $range->('100-299', 'If-Range' => '"v7"');
is $res->status, 206, 'If-Range with the backend\'s strong tag, which no changed page has: 206';
same_bytes($res->body, substr($site->page(7), 100, 200), 'If-Range with the backend\'s strong tag: a part of the backend\'s page');

# Whether the backend gets a Range for the target, and the response.
my $asked = sub {
    my ($target, %headers) = @_;
    my $before = $backend->requests;
    my $answer = $httpd->get($target, headers => { Range => 'bytes=100-299', %headers });
    my ($request) = ($backend->requests)[$before .. $before];
    return (exists $request->{headers}{range} ? 1 : 0, $answer);
};
for my $suffix (qw(.txt .iso)) {
    my ($part, $answer) = $asked->("/file/9$suffix");
    is $part, 1, "$suffix: the backend gets the Range";
    is $answer->status, 206, "$suffix: its 206 passes";
    same_bytes($answer->body, substr($site->page(9), 100, 200), "$suffix: the body is that part");
    is(($asked->("/file/9$suffix", 'If-Range' => $DATE))[0], 1, "$suffix: the backend gets the Range with If-Range and a date");
    is(($asked->("/file/9$suffix", 'If-Range' => $_))[1]->status, 206, "$suffix: If-Range: $_") for '"v9"';
    is(($asked->("/file/9$suffix", 'If-Range' => $_))[0], 0, "$suffix: If-Range: $_") for 'W/"v9"', $tag;
}
for my $suffix ('', qw(.html .php .unknown)) {
    is(($asked->("/page/9$suffix"))[0], 0, "'$suffix' may be a page: the backend gets no Range");
    is(($asked->("/page/9$suffix", 'If-Range' => $_))[0], 0, "'$suffix': If-Range: $_") for $tag, $DATE;
}
my ($part, $answer) = $asked->('/dated/7', 'If-Range' => $DATE);
ok $part == 0 && $answer->status == 200, 'If-Range with the date of a changed page: 200';
same_bytes($answer->body, $want, 'If-Range with the date of a changed page: the stripped page');

$res = $httpd->get('/always/8');
is $res->status, 206, 'a partial response without a Range passes';
same_bytes($res->body, substr($site->page(8), 100, 200), 'a partial response without a Range is unchanged');
$res = $httpd->get('/page/9', headers => { Range => 'bytes=0-9', 'Sec-Fetch-Dest' => 'video' });
ok((grep { $_->{target} eq '/page/9' && exists $_->{headers}{range} } $backend->requests),
    'Sec-Fetch-Dest of a video: the backend gets the Range');
is $res->status, 206, 'Sec-Fetch-Dest of a video: the 206 passes';
$res = $httpd->get('/plain/9', headers => { Range => 'bytes=0-9' });
is $res->body, substr($site->page(9), 0, 10), 'TmplMode off: the part';
ok((grep { $_->{target} eq '/plain/9' && exists $_->{headers}{range} } $backend->requests), 'TmplMode off: the backend gets the Range');

$httpd->finish;
done_testing;
