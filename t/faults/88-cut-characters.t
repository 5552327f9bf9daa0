# SPDX-License-Identifier: Apache-2.0

# Public fault: a charset that converts in part, then fails; a character at the edge of a bucket
# (mod_xml2enc, CVE-2026-63686; mod_charset_lite, CVE-2026-56153). Pages with whole, cut and invalid
# sequences in each declared charset, byte by byte: the same answers as for the page in one piece,
# and every byte outside edits stays. Pages in a charset that is not read pass as they came.

use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::Tmpl;

# A whole sequence, the same cut, and one that is invalid there.
my %BYTES = (
    'utf-8' => ["\xe4\xbd\xa0", "\xe4\xbd", "\xc0\xaf\xed\xa0\x80\xff"], 'windows-1252' => ["\x80", "\x81", "\x8d\x9d"],
    'iso-8859-1' => ["\xfc", "\x80", "\x9f"], 'koi8-r' => ["\xcf", "\x80", "\xff"],
    'euc-jp' => ["\xc6\xfc", "\xc6", "\x8f\xa1\xff"], 'shift_jis' => ["\x93\xfa", "\x93", "\xa0\xfd\x81\x7f"],
    'euc-kr' => ["\xb0\xa1", "\xb0", "\xff\xa1"], 'gb2312' => ["\xd6\xd0", "\xd6", "\xff\xff"],
    'gbk' => ["\x81\x40", "\x81", "\x80\xff"], 'gb18030' => ["\x81\x30\x81\x30", "\x81\x30\x81", "\xff\x30\x81\xff"],
    'big5' => ["\xa4\xa4", "\xa4", "\x80\xff"], 'x-unknown' => ["\xa4", "\xff", "\x80"],
    # one byte a character: the second and third are none
    'windows-1251' => ["\xcf", "\x98", "\x98\x98"], 'iso-8859-2' => ["\xb3", "\x80", "\x9f"], 'iso-8859-9' => ["\xfd", "\x81", "\x8d\x9e"],
    'iso-8859-15' => ["\xa4", "\x80", "\x9f"], 'tis-620' => ["\xa1", "\xdb", "\xfc\xff"], 'x-mac-roman' => ["\x8a", "\xf0", "\xff"],
);
my %NOT_READ = (
    'iso-2022-jp' => ["\e\$B\$\"\e(B", "\e\$B\$", "\e\$\xff"], 'hz-gb-2312' => ['~{VP~}', '~{V', "~\xff"], 'utf-7' => ['+AGE-', '+AG', "+\xff"],
    'utf-16le' => ["a\0", "\0", "\0\xd8"], 'utf-16be' => ["\0a", "\0", "\xd8\0"],
);

my $site = site();

# Sequences in text, in an attribute, before a tag's end and as the last bytes of the page.
sub page {
    my ($charset, $which, $n) = @_;
    my $bytes = ($BYTES{$charset} // $NOT_READ{$charset})->[$which];
    return $site->page($n) =~ s/<meta charset="utf-8">//r =~ s/Story number/$bytes $&/r =~ s/<article /$&title="$bytes" /r
        =~ s{(?=</article>)}{<p>The end $bytes}r . $bytes;
}
my $backend = backend {
    my ($connection, $request) = @_;
    my ($how, $charset, $which, $n) = $request->{target} =~ m{^/(\w+)/([\w-]+)/(\d)/(\d+)} or return $site->answer(@_);
    my %headers = ('Content-Type' => "text/html; charset=$charset");
    return $connection->respond(200, \%headers, page($charset, $which, $n)) if $how eq 'whole';
    $connection->head(200, { %headers, 'Transfer-Encoding' => 'chunked' });
    return $connection->send(join '', map({ "1\r\n$_\r\n" } split //, page($charset, $which, $n)), "0\r\n\r\n");
};
my @MODES = qw(annotate text markdown json reader);
my $httpd = proxy($backend, conf => modes_by_field(@MODES));
$httpd->visit(1 .. 6);
my $client = $httpd->client;
for my $charset (sort keys %BYTES) {
    for my $which (0 .. 2) {
        my $name = "$charset, " . (qw(whole cut invalid))[$which];
        for my $mode (@MODES) {
            my ($bytes, $whole) = map { $client->get("/$_/$charset/$which/7", headers => { 'X-Mode' => $mode })->body } qw(bytes whole);
            same_bytes($bytes =~ s{/bytes/}{/whole/}gr, $whole, "$name: $mode, byte by byte");
            same_bytes(unmark($whole), page($charset, $which, 7), "$name: annotate changes nothing else") if $mode eq 'annotate';
            ok utf8::decode(my $copy = $whole), "$name: $mode is UTF-8" if $mode ne 'annotate';
            like $whole, qr/number 7 about/, "$name: $mode has the article" if $mode ne 'annotate';
        }
    }
}
$httpd->expect_log(qr/T025/);    # they are declined
for my $charset (sort keys %NOT_READ) {
    for my $which (0 .. 2) {
        for my $mode (qw(annotate markdown)) {
            my $res = $client->get("/bytes/$charset/$which/7", headers => { 'X-Mode' => $mode });
            same_bytes($res->body, page($charset, $which, 7), "$charset, sequence $which: $mode changes nothing");
            is $res->says('declined'), 'charset', "$charset, sequence $which: $mode says why";
        }
    }
}
$httpd->finish;
done_testing;
