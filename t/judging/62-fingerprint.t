# SPDX-License-Identifier: Apache-2.0

# The member fingerprint of the Tmpl field: near for one article in two templates, far for two
# articles in one template, equal in all modes and charsets, and missing where it has no meaning.
# docs/fingerprint.md defines it; tests/fingerprint/fingerprint.t tests the definition with tmplctl.

use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::Tmpl;
use Encode ();

my $NEAR = 16;
my $site = site(extra => sub { "<p>Caf\x{e9} No. $_[0], \x{201c}open\x{201d} \x{2013} 5 \x{20ac}.</p>" });

# The article of page n of $site in the template of another site.
sub other {
    my ($n) = @_;
    my ($inside) = $site->piece($n, 'article') =~ m{^<article[^>]*>(.*)</article>$}s;
    my $menu = join '', map { "<td><a href=\"/$_\">All about $_, every day</a></td>" } qw(trains planes ships cars);
    return "<!DOCTYPE html><html><head><title>x</title></head><body><table><tr>$menu</tr></table>"
        . "<div class=\"story\">$inside</div><div><p>Write to the editors of this paper, or call them at night.</p>"
        . '<p>Nothing here may be copied without leave.</p></div></body></html>';
}

my %PAGE = (
    own => sub { $site->page($_[0]) },
    other => \&other,
    changed => sub { $site->page($_[0]) =~ s{<p>Item \d+\.4.*?</p>}{<p>This has been put right since.</p>}sr },
    few => sub { $site->page($_[0], 'article') =~ s{<main>}{<main><article><p>Only a few words $_[0]</p>}r },
);
my $backend = backend {
    my ($connection, $request) = @_;
    my ($kind, $charset, $way, $n) = $request->{target} =~ m{^/(\w+)/([\w-]+)/(\w+)/(\d+)$}
        or return $connection->respond(404, { 'Content-Type' => 'text/html' }, '<p>No such page</p>');
    my $html = $PAGE{$kind}->($n) =~ s/<meta charset="utf-8">//r;
    $html =~ s/<title>/<meta charset="$charset"><title>/ if $way eq 'meta';
    my $type = 'text/html' . ($way eq 'header' ? "; charset=$charset" : '');
    return $connection->respond(200, { 'Content-Type' => $type }, Encode::encode($charset, $html));
};
my $httpd = proxy($backend, conf => <<'END');
# the pages with a few words are near copies where the hashes of two paths share a place, once in 64 times
TmplSecret fingerprint
TmplMode headers
TmplSiteKey "%{req:X-Site}"
<If "req('X-Mode') == 'learn'">
    TmplMode learn
    TmplHeaders on
</If>
<If "req('X-Mode') == 'annotate'">
    TmplMode annotate
</If>
<If "req('X-Mode') == 'strip'">
    TmplMode strip
</If>
<If "req('X-Mode') == 'careful'">
    TmplMinKeep 99%
</If>
<If "req('X-Mode') == 'all'">
    TmplDetector incremental
</If>
<If "req('X-Mode') == 'quiet'">
    TmplHeaders off
</If>
END

my $client = $httpd->client;

sub ask {
    my ($path, $n, %headers) = @_;
    return $client->get("/$path/$n", headers => { 'X-Site' => $path, %headers });
}
sub print_of { return ask(@_)->says('fingerprint') }

sub distance {
    my ($one, $other) = @_;
    return unpack '%32b*', pack('H*', $one) ^ pack('H*', $other);
}

# incremental finds no template on the first page: the fingerprint is that of all text.
my %cold = map { $_ => print_of("$_/utf-8/header", 1, 'X-Mode' => 'all') } qw(own other);
like $cold{$_}, qr/^[0-9a-f]{16}$/, "$_: sixteen digits on the first page" for sort keys %cold;

my @SITES = ('own/utf-8/header', 'other/utf-8/header', 'own/windows-1252/header', 'own/windows-1252/meta', 'few/utf-8/header');
for my $path (@SITES) {
    ask($path, $_) for 2 .. 8;
    is ask($path, 20)->says('state'), 'warm', "$path is warm";
}
my (%own, %other);
for my $n (1, 30 .. 35) {
    $own{$n} = print_of('own/utf-8/header', $n);
    $other{$n} = print_of('other/utf-8/header', $n);
    is $own{$n}, $other{$n}, "article $n: the same in two templates";
    is print_of("own/windows-1252/$_", $n), $own{$n}, "article $n: the same in windows-1252 ($_)" for qw(header meta);
    is print_of('own/utf-8/header', $n, 'X-Mode' => $_), $own{$n}, "article $n: the same in mode $_" for qw(annotate strip);
}
cmp_ok distance($cold{own}, $cold{other}), '>', 0, 'one article in two templates: the fingerprints of all text differ';
cmp_ok distance($cold{own}, $own{1}), '>', 0, 'the fingerprints of a page with and without its template differ';
for my $n (30 .. 34) {
    cmp_ok distance($own{$n}, $own{$_}), '>', $NEAR, "articles $n and $_ in one template are far apart" for $n + 1 .. 35;
}

# One paragraph of four differs.
my $changed = print_of('changed/utf-8/header', 30, 'X-Site' => 'own/utf-8/header');
isnt $changed, $own{30}, 'a changed article has another fingerprint';
cmp_ok distance($changed, $own{30}), '<=', $NEAR, 'a small change: the fingerprint is near';

is print_of('own/utf-8/header', 30, 'X-Mode' => 'learn'), '', 'no fingerprint in mode learn';
is ask('own/utf-8/header', 30, 'X-Mode' => 'quiet')->header('Tmpl'), undef, 'TmplHeaders off: no field at all';
is print_of('few/utf-8/header', 30), '', 'no fingerprint of a few words';
for my $case ([status => $client->get('/no-such-page')], ['min-keep' => ask('own/utf-8/header', 30, 'X-Mode' => 'careful')]) {
    my ($reason, $answer) = @$case;
    is $answer->says('declined'), $reason, "a page that is declined ($reason)";
    ok !exists $answer->tmpl->{fingerprint}, 'a page that is declined has no fingerprint';
}

$httpd->finish;
done_testing;
