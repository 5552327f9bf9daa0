# SPDX-License-Identifier: Apache-2.0

# A gzipped page is inflated and stripped, and may be compressed again for a client that accepts
# gzip. Other encodings (deflate, compress, an encoding twice) pass unchanged, and the response says
# so.

use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::Tmpl;
use Compress::Zlib ();

my $site = site();
my %ENCODE = (
    gzip => sub { Compress::Zlib::memGzip($_[0]) },
    'x-gzip' => sub { Compress::Zlib::memGzip($_[0]) },
    deflate => sub { Compress::Zlib::compress($_[0]) },
    compress => sub { "not really compress $_[0]" },
    'gzip, gzip' => sub { Compress::Zlib::memGzip(Compress::Zlib::memGzip($_[0])) },
    'gzip, br' => sub { "not really brotli over gzip $_[0]" },
    identity => sub { $_[0] },
    plaingzip => sub { $_[0] },
);
my $backend = backend {
    my ($connection, $request) = @_;
    $request->{target} =~ s{^/(?:compress|headers)}{};
    my ($encoding, $n) = $request->{target} =~ m{^/as/([^/]+)/(\d+)} or return $site->answer(@_);
    $encoding =~ s/\+/, /;
    my %headers = ('Content-Type' => 'text/html', 'Content-Encoding' => $encoding =~ s/plain//r, ETag => '"v1"');
    $connection->respond(200, \%headers, $ENCODE{$encoding}->($site->page($n)));
};
my $httpd = proxy($backend, conf => <<'END');
TmplMode strip
<Location /headers>
    TmplMode headers
</Location>
<Location /compress>
    SetOutputFilter DEFLATE
</Location>
END
for my $encoding (qw(gzip x-gzip)) {
    my $res = $httpd->get("/headers/as/$encoding/1");
    same_bytes($res->body, $ENCODE{$encoding}->($site->page(1)), "$encoding: not judged, so it passes unchanged");
    is $res->header('Content-Encoding'), $encoding, "$encoding: Content-Encoding is kept";
}
$httpd->visit(1 .. 6);

# The body of a response, decoded as its Content-Encoding says.
sub decoded {
    my ($res) = @_;
    my $encoding = $res->header('Content-Encoding') // '';
    return $res->body if $encoding eq '' || $encoding eq 'identity';
    return Compress::Zlib::memGunzip(my $copy = $res->body) // 'not gzip' if $encoding =~ /^(x-)?gzip$/;
    return "encoded as $encoding";
}

my $accept = { 'Accept-Encoding' => 'gzip, deflate, br' };
for my $encoding (qw(gzip x-gzip identity)) {
    for my $headers ($accept, {}) {
        my $name = "$encoding upstream, client " . (%$headers ? 'takes gzip' : 'sends no Accept-Encoding');
        my $res = $httpd->get("/as/$encoding/7", headers => $headers);
        same_bytes(decoded($res), $site->stripped(7), "$name: stripped");
        unlike $res->body, qr/Copyright/, "$name: no template in the raw body";
        is $res->header('Content-Encoding') // '', '', "$name: no Content-Encoding"
            if !%$headers && $encoding ne 'identity';
    }
}

for my $encoding ('deflate', 'compress', 'gzip, br') {
    my $res = $httpd->get('/as/' . $encoding =~ s/, /+/r . '/8', headers => $accept);
    same_bytes($res->body, $ENCODE{$encoding}->($site->page(8)), "$encoding: passes unchanged");
    is $res->header('Content-Encoding'), $encoding, "$encoding: Content-Encoding is kept, with Accept-Encoding";
    is $res->header('ETag'), '"v1"', "$encoding: ETag is kept";
    is $res->says('declined'), 'encoding', "$encoding: declined=encoding";
}

my $plain = $httpd->get('/as/plaingzip/8', headers => $accept);
is $plain->header('Content-Encoding'), undef, 'a plain body with Content-Encoding gzip: the field is removed';
same_bytes($plain->body, $site->stripped(8), 'a plain body with Content-Encoding gzip: stripped');

my $res = $httpd->get('/as/gzip+gzip/8', headers => $accept);
my $twice = $ENCODE{'gzip, gzip'}->($site->page(8));
ok $res->body eq $twice && $res->header('Content-Encoding') eq 'gzip, gzip'
    || $res->body eq $site->stripped(8) && !$res->header('Content-Encoding'),
    'gzip twice: unchanged, or stripped';

$res = $httpd->get('/compress/page/9', headers => $accept);
is $res->header('Content-Encoding'), 'gzip', 'DEFLATE after the module compresses';
same_bytes(decoded($res), $site->stripped(9), 'DEFLATE after the module: the stripped page');
like $res->header('Vary') // '', qr/Accept-Encoding/, 'DEFLATE after the module: its Vary';

is scalar(grep { ($_->{headers}{'accept-encoding'} // '') =~ /br/ } grep { $_->{target} =~ m{^/as/gzip/7} } $backend->requests),
    0, 'Accept-Encoding to the backend has only encodings that the module can undo';

$httpd->finish;

# FilterDeclare without a type makes a filter of the kind of TMPL, which stands in front of it.
for my $mode (qw(learn strip markdown)) {
    my $early = proxy($backend, conf => <<"END");
TmplMode $mode
CustomLog "\@ROOT\@/found.log" "%{tmpl}n"
FilterDeclare COMPRESS
FilterProvider COMPRESS DEFLATE "%{CONTENT_TYPE} =~ m#^text/#"
FilterChain COMPRESS
END
    for my $n (1 .. 8) {
        my $res = $early->get("/page/$n", headers => $accept);
        is $res->header('Content-Type') . ' ' . $res->header('Content-Encoding'), 'text/html gzip', "compressed in front, mode $mode, page $n";
        same_bytes(decoded($res), $site->page($n), "compressed in front, mode $mode: page $n passes unchanged");
    }
    $early->finish;
    my $found = $mode eq 'learn' ? qr/blocks=14/ : qr/^declined=encoding/;
    is scalar(grep { $_ =~ $found } split /\n/, slurp($early->root . '/found.log')), 8, "compressed in front, mode $mode: the notes say so";
}
# a filter behind the gate may change the type, too
for my $mode (qw(learn strip)) {
    my $typed = proxy($backend, modules => ['ext_filter'], conf => <<"END");
TmplMode $mode
CustomLog "\@ROOT\@/found.log" "%{tmpl}n"
ExtFilterDefine plain mode=output outtype=text/plain cmd=/bin/cat
SetOutputFilter plain
END
    for my $n (1 .. 8) {
        my $res = $typed->get("/page/$n");
        is $res->header('Content-Type'), 'text/plain', "another type, mode $mode, page $n";
        same_bytes($res->body, $site->page($n), "another type, mode $mode: page $n passes unchanged");
    }
    $typed->finish;
    is scalar(grep { $_ eq '-' } split /\n/, slurp($typed->root . '/found.log')), 8, "another type, mode $mode: no note, as of no HTML";
}
my $behind = proxy($backend, conf => <<"END");
TmplMode strip
FilterDeclare COMPRESS CONTENT_SET
FilterProvider COMPRESS DEFLATE "%{CONTENT_TYPE} =~ m#^text/#"
FilterChain COMPRESS
END
$behind->visit(1 .. 6);
$res = $behind->get('/page/7', headers => $accept);
is $res->header('Content-Encoding'), 'gzip', 'FilterDeclare with CONTENT_SET: compressed';
same_bytes(decoded($res), $site->stripped(7), 'FilterDeclare with CONTENT_SET: stripped');
$behind->finish;
done_testing;
