# SPDX-License-Identifier: Apache-2.0

# Bytes are cut, never transcoded: pages in any charset that contains ASCII, declared rightly,
# wrongly or not at all, valid or broken, keep every byte that is not cut. UTF-16, UTF-7,
# ISO-2022-JP and HZ pass unchanged.

use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::Tmpl;
use Encode ();

# A sentence in a script of the charset, encoded.
my %TEXT = (
    'utf-8' => "Gr\x{fc}\x{df}e \x{4f60}\x{597d} \x{1f600}", 'windows-1252' => "Gr\x{fc}\x{df}e \x{20ac} \x{201c}x\x{201d}",
    'windows-1251' => "\x{41f}\x{440}\x{438}\x{432}\x{435}\x{442}", 'iso-8859-1' => "Gr\x{fc}\x{df}e",
    'iso-8859-2' => "\x{17b}\x{f3}\x{142}w", 'iso-8859-15' => "\x{20ac}", 'koi8-r' => "\x{41f}\x{440}\x{438}",
    'euc-jp' => "\x{65e5}\x{672c}\x{8a9e}", 'shift_jis' => "\x{65e5}\x{672c}\x{8868}\x{80fd}", 'euc-kr' => "\x{d55c}\x{ae00}",
    'gb2312' => "\x{4e2d}\x{6587}", 'gbk' => "\x{4e2d}\x{6587}\x{9577}", 'big5' => "\x{4e2d}\x{6587}\x{529f}",
);
my %BYTES = map { $_ => Encode::encode($_, $TEXT{$_}) } keys %TEXT;
# Perl has no encoder: U+4E2D, U+20AC and U+1F600, whose bytes include digits
$BYTES{gb18030} = "\xd6\xd0\xa2\xe3\x94\x39\xfc\x36";
$BYTES{broken} = "a\xff\xfe\xc3( \xe2\x82 \xed\xa0\x80 \x80\x81 b";

my @CASE = (
    (map { my $c = $_; map { [$_, $c] } qw(header meta both) } 'gb18030', sort keys %TEXT),
    (map { ['none', $_] } sort keys %BYTES),
    ['lies', 'broken'], ['bom', 'utf-8'], ['bomlies', 'utf-8'],
);

my $site = site();

# A page of the site with that text in the title, the article, the sidebar and an attribute.
sub page {
    my ($way, $charset, $n, @without) = @_;
    my $bytes = $BYTES{$charset};
    my $html = $site->page($n, @without);
    my $meta = $way =~ /meta|both/ ? "<meta charset=\"$charset\">" : $way eq 'lies' ? '<meta charset="euc-jp">' : '';
    $html =~ s/<meta charset="utf-8">/$meta/;
    $html =~ s/Story number/$bytes $&/;
    $html =~ s/Ferries/$bytes $&/;
    $html =~ s/<title>/$&$bytes/;
    $html =~ s/<article /$&title="$bytes" /;
    return ($way =~ /^bom/ ? "\xef\xbb\xbf" : '') . $html;
}
my %DECLINED = (
    'utf-16le' => sub { "\xff\xfe" . Encode::encode('UTF-16LE', $_[0]) },
    'utf-16be' => sub { "\xfe\xff" . Encode::encode('UTF-16BE', $_[0]) },
    'utf-16' => sub { Encode::encode('UTF-16LE', $_[0]) },
    'utf-7' => sub { $_[0] }, 'iso-2022-jp' => sub { $_[0] }, 'hz-gb-2312' => sub { $_[0] },
);
# In ISO-2022-JP, without a word of it.
sub escapes {
    my ($n) = @_;
    return $site->page($n) =~ s/<meta charset="utf-8">//r =~ s/Story number/\e\$B\$\"<\/\e(B $&/r;
}
my $backend = backend {
    my ($connection, $request) = @_;
    my ($way, $charset, $n) = $request->{target} =~ m{^/(\w+)/([\w-]+)/(\d+)$};
    return $connection->respond(200, { 'Content-Type' => 'text/html' }, escapes($n)) if $way eq 'escapes';
    if ($way eq 'declined') {
        return $connection->respond(200, { 'Content-Type' => "text/html; charset=$charset" },
            $DECLINED{$charset}->($site->page($n)));
    }
    my $type = $way =~ /header|both/ ? "; charset=$charset" : $way eq 'lies' ? '; charset=utf-8'
        : $way eq 'bomlies' ? '; charset=koi8-r' : '';
    return $connection->respond(200, { 'Content-Type' => "text/html$type" }, page($way, $charset, $n));
};
my $httpd = proxy($backend, conf => <<'END' . modes_by_field(qw(annotate headers)));
TmplMode strip
TmplMinDF 2
TmplSiteKey "%{req:X-Site}"
END

my $client = $httpd->client;
for my $case (@CASE) {
    my ($way, $charset) = @$case;
    my $get = sub { $client->get("/$way/$charset/$_[0]", headers => { 'X-Site' => "$way $charset", 'X-Mode' => $_[1] // '' }) };
    same_bytes($get->(1, 'headers')->body, page($way, $charset, 1), "$charset, $way: mode headers: unchanged");
    $get->(2);
    my $res = $get->(3);
    same_bytes($res->body, page($way, $charset, 3, qw(header aside footer)), "$charset, $way: stripped");
    my $marked = $get->(4, 'annotate')->body;
    isnt $marked, page($way, $charset, 4), "$charset, $way: annotated";
    same_bytes(unmark($marked), page($way, $charset, 4), "$charset, $way: annotated: unchanged except for marks");
}
for my $n (1 .. 4) {
    my $res = $httpd->get("/escapes/none/$n", headers => { 'X-Site' => 'escapes' });
    same_bytes($res->body, escapes($n), "ISO-2022-JP without a declaration: page $n passes unchanged");
    is $res->says('declined'), 'charset', 'ISO-2022-JP without a declaration: declined=charset';
}
for my $charset (sort keys %DECLINED) {
    for my $n (1 .. 4) {
        my $res = $httpd->get("/declined/$charset/$n", headers => { 'X-Site' => $charset });
        same_bytes($res->body, $DECLINED{$charset}->($site->page($n)), "$charset: page $n passes unchanged");
        is $res->says('declined'), 'charset', "$charset: declined=charset";
    }
}

$httpd->finish;

# httpd adds a charset to types that have none
my $added = proxy($backend, conf => <<'END');
TmplMode text
AddDefaultCharset windows-1251
END
like $added->get('/none/windows-1251/1')->body, qr/^\Q${\ Encode::encode('UTF-8', $TEXT{'windows-1251'})}\E Story number/m, 'AddDefaultCharset: mode text decodes with it';
$added->finish;
done_testing;
