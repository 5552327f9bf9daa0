# SPDX-License-Identifier: Apache-2.0

# A gzipped response that cannot be inflated completely passes unchanged, as without the module: no
# body, a file that is cut short, damaged, of several members, or with bytes after its end. It is
# not learnt. A response that the backend breaks off is incomplete for the client, too.

use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::Tmpl;
use Compress::Zlib ();

my $site = site();
my $zip = \&Compress::Zlib::memGzip;
my $halves = sub { my $half = int(length($_[0]) / 2); return (substr($_[0], 0, $half), substr($_[0], $half, $half)) };
my %MAKE = (
    empty => sub { '' },
    short => sub { substr $zip->($_[0]), 0, 7 },
    cut => sub { my $z = $zip->($_[0]); substr $z, 0, length($z) / 2 },
    notrailer => sub { substr $zip->($_[0]), 0, -8 },
    halftrailer => sub { substr $zip->($_[0]), 0, -4 },
    badcrc => sub { my $z = $zip->($_[0]); substr $z, -8, 4, 'XXXX'; $z },
    baddata => sub { my $z = $zip->($_[0]); substr $z, 200, 200, "\xff" x 200; $z },
    badflags => sub { my $z = $zip->($_[0]); substr $z, 3, 1, "\xe0"; $z },
    members => sub { $zip->(substr $_[0], 0, 500) . $zip->(substr $_[0], 500) },
    equals => sub { join '', map { $zip->($_) } $halves->($_[0]) },
    three => sub { join '', map { $zip->($_) } $halves->($_[0]), 'a third member' },
    # more than TmplMaxBody, which is 64K here; the first member is a page
    long => sub { $zip->($_[0]) . $zip->(join '', map { chr rand 256 } 1 .. 100_000) },
    zlib => sub { "\x78\x9c" . substr $zip->($_[0]), 10 },
    padded => sub { $zip->($_[0]) . "\0" x 20 },
    whole => $zip,
    plain => sub { $_[0] },
);
srand 7;
my %BODY = map { $_ => $MAKE{$_}->($site->page(8)) } sort keys %MAKE;
my $backend = backend {
    my ($connection, $request) = @_;
    my ($how, $what) = $request->{target} =~ m{^/(once|slowly|broken)/(\w+)} or return $site->answer(@_);
    my %headers = ('Content-Type' => 'text/html', 'Content-Encoding' => 'gzip', ETag => '"v1"');
    my $body = $BODY{$what};
    return $connection->respond(200, \%headers, $request->{method} eq 'HEAD' ? undef : $body) if $how eq 'once';
    $connection->head(200, { %headers, 'Transfer-Encoding' => 'chunked' });
    # the first chunk is shorter than gzip's header
    $connection->chunk($_) for $body =~ /(^.{4}|.{1,64})/gs;
    return $how eq 'broken' ? $connection->close : $connection->send("0\r\n\r\n");
};
my $httpd = proxy($backend, conf => <<'END');
TmplMode strip
TmplMaxBody 64K
<If "req('X-Mode') == 'markdown'">
    TmplMode markdown
</If>
END
$httpd->visit(1 .. 6);
$httpd->expect_log(qr/\[(?:proxy|proxy_http|deflate):error\]|\[(?:proxy_http|deflate):warn\]/);
$httpd->expect_log(qr{T025});    # most pages here are declined

my $accept = { 'Accept-Encoding' => 'gzip' };
for my $what (sort grep { !/^(?:whole|plain)$/ } keys %BODY) {
    for my $how (qw(once slowly)) {
        my $res = $httpd->get("/$how/$what", headers => $accept);
        my $name = "$what, $how";
        is $res->status, 200, "$name: 200";
        ok $res->complete, "$name: complete";
        same_bytes($res->body, $BODY{$what}, "$name: unchanged");
        is $res->header('Content-Encoding'), 'gzip', "$name: Content-Encoding is kept";
        is $res->header('ETag'), '"v1"', "$name: ETag is kept";
        is $res->says('declined'), $what eq 'empty' ? 'empty' : $what eq 'long' ? 'too-large' : 'inflate',
            "$name: declined aloud" if $what ne 'empty' || $how eq 'once';
    }
}
is $httpd->get('/page/7')->says('pages'), 7, 'nothing of these has been learnt';

for my $how (qw(once slowly)) {
    for my $what (qw(whole plain)) {
        my $res = $httpd->get("/$how/$what", headers => $accept);
        same_bytes($res->body, $site->stripped(8), "$what, $how: stripped");
        is $res->header('Content-Encoding'), undef, "$what, $how: inflated";
    }
}

my $broken = () = $httpd->log_text =~ /declined: broken/g;
for my $what (qw(whole notrailer members empty)) {
    my $res = $httpd->get("/broken/$what", headers => $accept);
    ok !$res->complete || $res->status >= 500, "$what, broken off: the client sees an error or an incomplete response";
}
is scalar(() = $httpd->log_text =~ /declined: broken/g), $broken + 4, 'each is logged as broken';

# also where the backend is not told its own tags, because the mode sends another type than HTML
for my $what (qw(cut badcrc)) {
    my $ask = sub { $httpd->get("/once/$what", headers => { %$accept, 'X-Mode' => 'markdown', 'If-None-Match' => $_[0] }) };
    my $res = $ask->('W/"v1"');
    is $res->status . $res->body, 304, "$what, mode markdown: 304 for the page that passed untouched";
    is $ask->('"v2"')->status, 200, "$what, mode markdown: 200 for another tag";
}

my $head = $httpd->get('/once/whole', method => 'HEAD', headers => $accept);
is $head->status, 200, 'HEAD: 200';
is $head->header($_), undef, "HEAD: no $_" for qw(Content-Encoding ETag);

$httpd->finish;
done_testing;
