# SPDX-License-Identifier: Apache-2.0

# An article does not become template if a client requests it with made-up URLs, not even if it
# shows a clock: near copies of a document do not count. A site whose pages all have one path is
# still learnt, and pages with a TmplPageKey are documents on a site that is not known, however
# similar they are. On a known site 60 other words in each request do not help, and neither do
# made-up paths.

use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::Tmpl;

my $site = site();
my $requests = 0;

# /clock/N, /clock.php?id=N and /clock.php/N are page N with a clock that differs for each request.
# /words/N and /words/N/X are page N with 60 words that differ for each request.
my $backend = backend {
    my ($connection, $request) = @_;
    if ($request->{target} =~ m{^/words/(\d+)}) {
        my $box = '<p>' . join(' ', map { sprintf 'w%05x', rand 1 << 20 } 1 .. 60) . '</p>';
        return $connection->respond(200, { 'Content-Type' => 'text/html' }, $site->page($1) =~ s{(?=</main>)}{$box}r);
    }
    return $site->answer(@_) if $request->{target} !~ m{^(?:/key)?/clock(?:\.php)?(?:/|\?id=)(\d+)};
    my $clock = sprintf '<div>Served as number %d by %d</div>', ++$requests, $$;
    return $connection->respond(200, { 'Content-Type' => 'text/html' }, $site->page($1) =~ s{(?=</main>)}{$clock}r);
};

my $article = $site->piece(7, 'article');
my $redis = redis();

# URLs that a client may make up for page 7.
my %made_up = (
    'another query' => sub { "/clock/7?a=$_[0]" },
    'more parameters than the page has' => sub { "/clock.php?id=7&a=$_[0]" },
    'a path behind a script' => sub { "/clock.php/7/$_[0]" },
);

sub try_store {
    my ($store, $conf) = @_;
    my $httpd = httpd(conf => "ProxyPass /server-status !\nProxyPass / " . $backend->url . "/\n$conf" . <<'END');
# places and the words that style samples depend on it: without it one run in ten differs
TmplSecret near-copies
TmplMode strip
TmplSiteKey %{req:X-Site}
TmplDetector incremental
<If "req('X-Detector') == 'style'">
    TmplDetector style
</If>
<If "req('X-Detector') == 'auto'">
    TmplDetector auto
</If>
<Location /key>
    TmplPageKey "%{REQUEST_URI}?%{QUERY_STRING}"
</Location>
<Location /server-status>
    SetHandler tmpl-status
    TmplMode off
</Location>
END
    my $number = 0;
    my $get = sub {
        my ($name, $detector, $target) = @_;
        return $httpd->get($target, headers => { 'X-Site' => $name, 'X-Detector' => $detector });
    };
    my $refused = sub { $httpd->counted('/server-status')->{'near-copies'} };

    for my $detector (qw(incremental style auto)) {
        for my $how (sort keys %made_up) {
            for my $known (0, 6) {
                my $name = 'site' . ++$number;
                my $before = $refused->();
                $get->($name, $detector, "/page/$_") for 11 .. 10 + $known;
                my @answers = map { $get->($name, $detector, $made_up{$how}->($_)) } 1 .. 20;
                my $what = "$store, $detector, $known pages known, $how";
                is scalar(grep { index($_->body, $article) >= 0 } @answers), 20, "$what: the article is kept 20 times";
                is $answers[-1]->says('pages'), $known + 1, "$what: one document";
                is $refused->() - $before, 19, "$what: 19 are counted as near copies";
            }
        }
    }

    my %words = ('60 words, queries' => sub { "/words/7?a=$_[0]" }, '60 words, paths' => sub { "/words/7/$_[0]" });
    for my $detector (qw(incremental style auto)) {
        for my $how (sort keys %words) {
            my $name = 'site' . ++$number;
            $get->($name, $detector, "/page/$_") for 11 .. 22;
            my @answers = map { $get->($name, $detector, $words{$how}->($_)) } 1 .. 20;
            my $what = "$store, $detector, $how";
            is scalar(grep { index($_->body, $article) >= 0 } @answers), 20, "$what: the article is kept 20 times";
            is $answers[-1]->says('pages'), 13, "$what: one document";
        }
    }

    my @answers = map { $get->('one path', 'incremental', "/clock.php?id=$_") } 1 .. 7;
    is $answers[-1]->says('pages'), 7, "$store: pages of one path are documents";
    is index($answers[-1]->body, $site->piece(7, 'footer')), -1, "$store: their common text is template";
    cmp_ok index($answers[-1]->body, $article), '>', 0, "$store: their own text is not template";

    @answers = map { $get->('named', 'incremental', "/key/clock/7?a=$_") } 1 .. 4;
    is $answers[-1]->says('pages'), 4, "$store: pages with a TmplPageKey are documents";
    return $httpd;
}

try_store('LMDB', '')->finish;
try_store('Redis', 'TmplStore ' . $redis->uri . "\n")->finish;
done_testing;
