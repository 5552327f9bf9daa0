# SPDX-License-Identifier: Apache-2.0

# A body of TmplMaxBody bytes is handled. A body of one byte more passes unchanged, and the Tmpl
# field has the reason; with and without Content-Length, compressed and not.

use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::Tmpl;
use Compress::Zlib ();
use Digest::MD5 ();

my $LIMIT = 32_768;
# gzip cannot compress this very well: httpd refuses to inflate a body with a high ratio.
my $NOISE = join '', map { Digest::MD5::md5_hex($_) } 1 .. 1000;

my $site = site();

# Page n with a comment that makes it that many bytes long.
sub padded {
    my ($n, $size, @without) = @_;
    my $fill = $size - length($site->page($n)) - length '<!---->';
    my $text = substr $NOISE x ($fill / length($NOISE) + 1), 0, $fill;
    return $site->page($n, @without) =~ s{</body>}{<!--$text--></body>}r;
}

sub bomb { return Compress::Zlib::memGzip($site->page($_[0]) . ' ' x 20_000_000) }

my $backend = backend {
    my ($connection, $request) = @_;
    my ($way, $n, $size) = $request->{target} =~ m{^/(\w+)/(\d+)/(\d+)$} or return $site->answer(@_);
    my %html = ('Content-Type' => 'text/html');
    my $page = padded($n, $size);
    return $connection->respond(200, \%html, $page) if $way eq 'length';
    return $connection->respond_chunked(200, \%html, $page =~ /(.{1,5000})/gs) if $way eq 'chunked';
    my $body = $way eq 'bomb' ? bomb($n) : Compress::Zlib::memGzip($page);
    return $connection->respond(200, { %html, 'Content-Encoding' => 'gzip' }, $body);
};
my $httpd = proxy($backend, conf => "TmplMode strip\nTmplMaxBody $LIMIT");
$httpd->visit(1 .. 6);

my $n = 10;
for my $way (qw(length chunked gzip)) {
    for my $size ($LIMIT - 1, $LIMIT, $LIMIT + 1, 3 * $LIMIT, 100 * $LIMIT) {
        my $res = $httpd->get("/$way/$n/$size");
        my @without = $size <= $LIMIT ? qw(header aside footer) : ();
        my $body = $res->body;
        $body = Compress::Zlib::memGunzip($body) // '' if ($res->header('Content-Encoding') // '') eq 'gzip';
        same_bytes($body, padded($n, $size, @without), "$way, $size bytes: " . (@without ? 'stripped' : 'unchanged'));
        is $res->says('declined'), @without ? '' : 'too-large', "$way, $size bytes: decline in the Tmpl field";
        $n++;
    }
}

# More than httpd inflates of one response.
my $res = $httpd->get("/bomb/$n/1");
same_bytes($res->body, bomb($n), 'a gzip bomb passes unchanged');
is $res->header('Content-Encoding'), 'gzip', 'a gzip bomb: Content-Encoding is kept';
is $res->says('declined'), 'too-large', 'a gzip bomb: declined=too-large';

$httpd->finish;
done_testing;
