# SPDX-License-Identifier: Apache-2.0

# A page in Brotli is read as one in gzip is: undone and stripped, within TmplMaxBody. What is cut, damaged, too large or
# in two codings passes as it came. So are files in Brotli that httpd has itself. The backend is not asked for Brotli.

use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::Tmpl;
use Compress::Zlib ();

plan skip_all => 'no mod_brotli' if !Test::Tmpl::Httpd::has_module('brotli');

my $site = site();
# mod_brotli compresses
my $origin = Test::Tmpl::Httpd->new(bare => 1, modules => ['brotli'], conf => "SetOutputFilter BROTLI_COMPRESS\n");
sub brotli {
    my ($html) = @_;
    spit($origin->root . '/htdocs/page.html', $html);
    my $res = $origin->get('/page.html', headers => { 'Accept-Encoding' => 'br' });
    is $res->header('Content-Encoding'), 'br', 'mod_brotli compresses' if $html =~ /number 8/;
    return $res->body;
}
$origin->start;
my $whole = brotli($site->page(8));
my %BODY = (
    whole => $whole, open => $site->page(8), damaged => substr($whole, 0, 200) . ("\xff" x 200) . substr($whole, 400), longer => "$whole\0", empty => '',
    first => substr($whole, 0, 1), half => substr($whole, 0, length($whole) / 2), last => substr($whole, 0, -1), two => $whole . $whole,
    gzip => Compress::Zlib::memGzip($site->page(8)), noise => join('', map { chr($_ * 37 % 251) } 1 .. 500),
    # 300 KB, in less than one
    bomb => brotli($site->page(8) . ' ' x 300_000),
);
cmp_ok length $BODY{bomb}, '<', 10_000, 'a body that becomes large is small';
my %CODING = ('br, br' => sub { $whole }, 'br, gzip' => sub { Compress::Zlib::memGzip($whole) }, 'gzip, br' => sub { brotli(Compress::Zlib::memGzip($site->page(8))) });
my %TWICE = map { $_ => $CODING{$_}->() } keys %CODING;
$origin->finish;

my $backend = backend {
    my ($connection, $request) = @_;
    my ($how, $what) = $request->{target} =~ m{^/(once|slowly|twice)/(.*)} or return $site->answer(@_);
    my %headers = ('Content-Type' => 'text/html', 'Content-Encoding' => $how eq 'twice' ? $what =~ s/\+/, /r : 'br', ETag => '"v1"');
    my $body = $how eq 'twice' ? $TWICE{ $headers{'Content-Encoding'} } : $BODY{$what};
    return $connection->respond(200, \%headers, $body) if $how ne 'slowly';
    $connection->head(200, { %headers, 'Transfer-Encoding' => 'chunked' });
    return $connection->send(join '', map({ "1\r\n$_\r\n" } split //, $body), "0\r\n\r\n");
};
my $httpd = proxy($backend, conf => "TmplMode strip\nTmplMaxBody 64K\n" . modes_by_field(qw(headers markdown)));
$httpd->expect_log(qr{T025});    # most pages here are declined
my $accept = { 'Accept-Encoding' => 'gzip, br' };
same_bytes($httpd->get('/once/whole', headers => { %$accept, 'X-Mode' => 'headers' })->body, $whole, 'mode headers: unchanged');
$httpd->visit(1 .. 6);

for my $how (qw(once slowly)) {
    for my $what (qw(whole open)) {
        my $res = $httpd->get("/$how/$what", headers => $accept);
        same_bytes($res->body, $site->stripped(8), "$what, $how: stripped");
        is $res->header('Content-Encoding'), undef, "$what, $how: not compressed any more";
        is $res->says('inflated'), $what eq 'open' ? '' : 'br', "$what, $how: the field says what was undone";
        isnt $res->header('ETag'), '"v1"', "$what, $how: another ETag";
    }
    for my $what (grep { !/^(?:whole|open)$/ } sort keys %BODY) {
        my $res = $httpd->get("/$how/$what", headers => $accept);
        same_bytes($res->body, $BODY{$what}, "$what, $how: unchanged");
        ok $res->complete, "$what, $how: complete";
        is $res->header($_), { 'Content-Encoding' => 'br', ETag => '"v1"' }->{$_}, "$what, $how: $_ is kept" for qw(Content-Encoding ETag);
        is $res->says('declined'), $what eq 'empty' ? 'empty' : $what eq 'bomb' ? 'too-large' : 'inflate', "$what, $how: declined aloud"
            if $what ne 'empty' || $how eq 'once';
    }
}
for my $coding (sort keys %TWICE) {
    my $res = $httpd->get('/twice/' . $coding =~ s/, /+/r, headers => $accept);
    same_bytes($res->body, $TWICE{$coding}, "$coding: unchanged");
    is $res->header('Content-Encoding') . ' ' . $res->says('declined'), "$coding encoding", "$coding: declined aloud";
}
like $httpd->get('/once/whole', headers => { 'X-Mode' => 'markdown' })->body, qr/Story number 8/, 'as Markdown';
unlike +($_->{headers}{'accept-encoding'} // ''), qr/br/, 'the backend is not asked for Brotli' for ($backend->requests)[-1];
is $httpd->get('/page/7')->says('pages'), 8, 'what could not be undone is not learnt';
$httpd->finish;

my $local = Test::Tmpl::Httpd->new(modules => ['rewrite'], conf => <<'END');
TmplMode strip
AddEncoding br .br
RewriteEngine on
RewriteCond %{HTTP:Accept-Encoding} \bbr\b
RewriteCond "%{DOCUMENT_ROOT}%{REQUEST_URI}.br" -f
RewriteRule \.html$ %{REQUEST_URI}.br [PT]
END
mkdir $local->root . '/htdocs/page';
spit($local->root . "/htdocs/page/$_.html", $site->page($_)) for 1 .. 8;
spit($local->root . '/htdocs/page/8.html.br', $whole);
$local->start;
$local->get("/page/$_.html") for 1 .. 6;
my $res = $local->get('/page/8.html', headers => $accept);
same_bytes($res->body, $site->stripped(8), 'a file in Brotli: stripped');
is $res->header('Content-Encoding'), undef, 'a file in Brotli: not compressed any more';
$local->finish;
done_testing;
