# SPDX-License-Identifier: Apache-2.0

# A page in br or zstd is read as one in gzip is: undone and stripped, within TmplMaxBody, if it is
# not larger than gzip could make it. What is cut, damaged, too large or in two codings passes as it
# came. So are files in br that httpd has itself. The backend is not asked for these codings.

use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::Tmpl;
use Compress::Zlib ();

plan skip_all => 'no mod_brotli' if !Test::Tmpl::Httpd::has_module('brotli');

my $site = site();
my $page = $site->page(8);
# mod_brotli compresses
my $origin = Test::Tmpl::Httpd->new(bare => 1, modules => ['brotli'], conf => "SetOutputFilter BROTLI_COMPRESS\n");
sub br {
    my ($html) = @_;
    spit($origin->root . '/htdocs/page.html', $html);
    my $res = $origin->get('/page.html', headers => { 'Accept-Encoding' => 'br' });
    is $res->header('Content-Encoding'), 'br', 'mod_brotli compresses' if $html =~ /number 8/;
    return $res->body;
}

# A frame of zstd (RFC 8878, 3.1.1) with a window of 2^$window bytes: a block of bytes as they are,
# and one of blanks.
sub frame {
    my ($window, $bytes, $blanks) = @_;
    return "\x28\xb5\x2f\xfd\0" . pack('C', ($window - 10) << 3) . substr(pack('V', length($bytes) << 3), 0, 3) . $bytes
        . substr(pack('V', $blanks << 3 | 3), 0, 3) . ' ';
}
my $skipped = "\x5a\x2a\x4d\x18" . pack('V a*', 5, 'hello');
my ($first, $rest) = unpack 'a500 a*', $page;

$origin->start;
my %WHOLE = (br => br($page), zstd => frame(17, $page, 0));
my $short = "<p>A page</p>\n";
# what passes untouched; none of it becomes a page of TmplMaxBody
my %BODY = (
    br => {
        damaged => substr($WHOLE{br}, 0, 200) . ("\xff" x 200) . substr($WHOLE{br}, 400), two => $WHOLE{br} x 2,
        bomb => br($page . ' ' x 300_000), spread => br($short . ' ' x 60_000), noise => join('', map { chr($_ * 37 % 251) } 1 .. 500),
    },
    zstd => {
        damaged => $WHOLE{zstd} =~ s/.(?=..\ \z)/\xff/sr, longer => "$WHOLE{zstd}\0", window => frame(24, $page, 0),
        dictionary => $WHOLE{zstd} =~ s/^(....)\0(.)/$1\x01$2\x07/sr, bomb => join('', $WHOLE{zstd}, map { frame(17, '', 100_000) } 1 .. 3),
        spread => frame(17, $short, 60_000), skipped => substr($WHOLE{zstd} . $skipped, 0, -1),
    },
);
for my $coding (sort keys %WHOLE) {
    my $whole = $WHOLE{$coding};
    %{ $BODY{$coding} } = (
        whole => $whole, open => $page, empty => '', first => substr($whole, 0, 1), half => substr($whole, 0, length($whole) / 2),
        last => substr($whole, 0, -1), longer => "$whole\0", gzip => Compress::Zlib::memGzip($page), %{ $BODY{$coding} }
    );
    cmp_ok length $BODY{$coding}{spread}, '<', 60, "$coding: a body that becomes large is small";
}
$BODY{zstd}{window8} = frame(23, $page, 0);
$BODY{zstd}{frames} = join $skipped, '', frame(17, $first, 0), frame(20, $rest, 0), '';
my %TWICE = ('br, br' => $WHOLE{br}, 'br, gzip' => Compress::Zlib::memGzip($WHOLE{br}), 'gzip, br' => br(Compress::Zlib::memGzip($page)),
    'gzip, zstd' => frame(17, Compress::Zlib::memGzip($page), 0));
$origin->finish;

my $backend = backend {
    my ($connection, $request) = @_;
    my ($how, $coding, $what) = $request->{target} =~ m{^/(once|slowly|twice)/([^/]+)/(.*)} or return $site->answer(@_);
    $coding =~ s/\+/, /;
    my %headers = ('Content-Type' => 'text/html', 'Content-Encoding' => $coding, ETag => '"v1"');
    my $body = $how eq 'twice' ? $TWICE{$coding} : $BODY{$coding}{$what};
    return $connection->respond(200, \%headers, $body) if $how ne 'slowly';
    $connection->head(200, { %headers, 'Transfer-Encoding' => 'chunked' });
    return $connection->send(join '', map({ "1\r\n$_\r\n" } split //, $body), "0\r\n\r\n");
};
my $httpd = proxy($backend, conf => "TmplMode strip\nTmplMaxBody 64K\n" . modes_by_field(qw(headers markdown)));
$httpd->expect_log(qr{T025});    # most pages here are declined
my $accept = { 'Accept-Encoding' => 'gzip, br, zstd' };
same_bytes($httpd->get('/once/br/whole', headers => { %$accept, 'X-Mode' => 'headers' })->body, $WHOLE{br}, 'mode headers: unchanged');
$httpd->visit(1 .. 6);

my %stripped = map { $_ => 1 } qw(whole open window8 frames);
my %reason = (empty => 'empty', bomb => 'too-large', spread => 'too-large');
for my $coding (sort keys %BODY) {
    for my $how (qw(once slowly)) {
        for my $what (sort keys %{ $BODY{$coding} }) {
            my $name = "$coding, $what, $how";
            my $res = $httpd->get("/$how/$coding/$what", headers => $accept);
            ok $res->complete, "$name: complete";
            if ($stripped{$what}) {
                same_bytes($res->body, $site->stripped(8), "$name: stripped");
                is $res->header('Content-Encoding'), undef, "$name: not compressed any more";
                is $res->says('inflated'), $what eq 'open' ? '' : $coding, "$name: the field says what was undone";
                isnt $res->header('ETag'), '"v1"', "$name: another ETag";
            }
            else {
                same_bytes($res->body, $BODY{$coding}{$what}, "$name: unchanged");
                is $res->header($_), { 'Content-Encoding' => $coding, ETag => '"v1"' }->{$_}, "$name: $_ is kept" for qw(Content-Encoding ETag);
                is $res->says('declined'), $reason{$what} // 'inflate', "$name: declined aloud" if $what ne 'empty' || $how eq 'once';
            }
        }
    }
    like $httpd->get("/once/$coding/whole", headers => { 'X-Mode' => 'markdown' })->body, qr/Story number 8/, "$coding: as Markdown";
    unlike +($_->{headers}{'accept-encoding'} // ''), qr/\b$coding\b/, "the backend is not asked for $coding" for ($backend->requests)[-1];
}
for my $coding (sort keys %TWICE) {
    my $res = $httpd->get('/twice/' . $coding =~ s/, /+/r . '/', headers => $accept);
    same_bytes($res->body, $TWICE{$coding}, "$coding: unchanged");
    is $res->header('Content-Encoding') . ' ' . $res->says('declined'), "$coding encoding", "$coding: declined aloud";
}
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
spit($local->root . '/htdocs/page/8.html.br', $WHOLE{br});
$local->start;
$local->get("/page/$_.html") for 1 .. 6;
my $res = $local->get('/page/8.html', headers => $accept);
same_bytes($res->body, $site->stripped(8), 'a file in br: stripped');
is $res->header('Content-Encoding'), undef, 'a file in br: not compressed any more';
$local->finish;
done_testing;
