# SPDX-License-Identifier: Apache-2.0

# Public fault: a filter overflows its output buffer (mod_proxy_html, CVE-2026-34355). Text, references, names,
# values and comments of each size around the sizes of buffers: the bytes outside edits stay, every form is complete.

use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::Tmpl;

# What fills N bytes of a page, by kind.
my %FILL = (
    text => sub { '<p>' . 'x' x $_[0] },
    words => sub { '<p>' . substr 'word ' x ($_[0] / 5 + 1), 0, $_[0] },
    references => sub { '<p>' . substr '&amp;' x ($_[0] / 5 + 1), 0, $_[0] },
    numbers => sub { '<p>&#' . '1' x $_[0] . ';' },
    name => sub { '<t' . 'x' x $_[0] . '>' },
    attribute => sub { '<p a' . 'x' x $_[0] . '=1>' },
    value => sub { '<p title="' . 'x' x $_[0] . '">text' },
    address => sub { '<p><a href="/' . 'x' x $_[0] . '">text of a link</a>' },
    comment => sub { '<!--' . 'x' x $_[0] . '-->' },
    script => sub { '<script>' . '<' x $_[0] . '</script>' },
    tags => sub { '<b>' x ($_[0] / 3) },
    open => sub { '<p title="' . 'x' x $_[0] },
);
my @SIZE = map { my $power = $_; map { $power + $_ } -2 .. 2 } 256, 1024, 4096, 8000, 8192, 16_384, 65_536;

my $site = site();
my $backend = backend {
    my ($connection, $request) = @_;
    my ($kind, $size, $n) = $request->{target} =~ m{^/(\w+)/(\d+)/(\d+)} or return $site->answer(@_);
    return $connection->respond(200, { 'Content-Type' => 'text/html' }, page($kind, $size, $n));
};

sub page {
    my ($kind, $size, $n) = @_;
    return $site->page($n) =~ s{(?=</article>)}{$FILL{$kind}->($size)}er;
}

my @MODES = qw(annotate text markdown json reader);
my $httpd = proxy($backend, conf => modes_by_field(@MODES));
$httpd->visit(1 .. 6);
my $client = $httpd->client;
for my $kind (sort keys %FILL) {
    my (@changed, @incomplete);
    for my $size (@SIZE) {
        my $marked = $client->get("/$kind/$size/7", headers => { 'X-Mode' => 'annotate' });
        push @changed, $size if unmark($marked->body) ne page($kind, $size, 7);
        # one size of each five for the other forms
        for my $mode ($size % 256 == 0 ? @MODES[1 .. $#MODES] : ()) {
            my $res = $client->get("/$kind/$size/7", headers => { 'X-Mode' => $mode });
            push @incomplete, "$mode $size" if $res->status != 200 || !$res->complete || $res->body !~ /Story number 7/;
        }
    }
    is_deeply \@changed, [], "$kind: annotate changes nothing else";
    is_deeply \@incomplete, [], "$kind: the other forms have the article";
}
$httpd->expect_log(qr/T025/);
$httpd->finish;
done_testing;
