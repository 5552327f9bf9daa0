# SPDX-License-Identifier: Apache-2.0

# Mode annotate marks template and changes nothing else: a page without its marks is the page that
# the backend sent, byte for byte, for the fixture site and for httpd's manual.

use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::Tmpl;

my $mark = $Test::Tmpl::MARK;
my $site = site(large => 10);
my $hostile = Test::Tmpl::Site->new(name => 'Marks', extra => '<!--/tmpl--><p data-tmpl title="<!--tmpl-->">'
    . '<!--tmpl--> --&gt; <b data-tmpl=">">x</b><!-- <footer> --!><a href=/x>y</a></p>');
my $forged = '<frameset><frame></frameset><!--tmpl--><p data-tmpl>text</p><!/tmpl>';
my @manual = grep { -s $_ < 200_000 } sort glob '/usr/share/doc/apache2-doc/manual/en/{,howto/}*.html';
splice @manual, 40;
my $backend = backend {
    my ($connection, $request) = @_;
    return $hostile->answer($connection, $request) if $request->{target} =~ s{^/hostile}{};
    if ($request->{target} =~ m{^/forged/(\w+)}) {
        my $status = { missing => 404, unchanged => 304 }->{$1} // 200;
        my $type = $1 eq 'xhtml' ? 'application/xhtml+xml' : 'text/html';
        return $connection->respond($status, { 'Content-Type' => $type, 'Tmpl' => 'detector=auto, state=warm' },
            $status == 304 ? '' : $forged);
    }
    return $site->answer(@_) if $request->{target} !~ m{^/manual/(\d+)$};
    return $connection->respond(200, { 'Content-Type' => 'text/html' }, slurp($manual[$1]));
};
my $httpd = proxy($backend, conf => <<'END');
TmplMode annotate
<Location /hostile>
    TmplSiteKey hostile.example
</Location>
<Location /manual>
    TmplSiteKey manual.example
</Location>
END

subtest 'fixture site' => sub {
    same_bytes(unmark($httpd->get("/page/$_")->body), $site->page($_), "page $_: unchanged except for marks") for 1 .. 4, 7, 9;
    my $res = $httpd->get('/page/5');
    my $html = $res->body;
    same_bytes(unmark($html), $site->page(5), 'page 5: unchanged except for marks');
    like $html, qr/<header id="top"$mark>/, 'the header is marked';
    like $html, qr/<aside class="side"$mark>/, 'the sidebar is marked';
    like $html, qr/<footer$mark>/, 'the footer is marked';
    is scalar(() = $html =~ /data-tmpl|<!--tmpl-->/g), 3, 'nothing else is marked';
    is $res->header('Content-Length'), length $html, 'Content-Length is right';
};

subtest 'marks that are already there' => sub {
    my $html = (map { $httpd->get("/hostile/page/$_")->body } 1 .. 6)[5];
    my $want = $hostile->page(6) =~ s/<header id="top"|<aside class="side"|<footer(?=><p>Copyright)/$&$mark/gr;
    # foreign marks outside of attribute values are renamed, so that every mark is the module's
    $want =~ s{(title="[^"]*"|\Q$mark\E)|(?<=data-)tmpl|(?<=<!--)tmpl|(?<=<!--/)tmpl}{$1 // 'x-tmpl'}ge;
    same_bytes($html, $want, 'foreign marks are renamed, nothing else changes');
};

subtest 'pages that pass untouched' => sub {
    my %row = (
        frameset => [200, 'text/html', 'frameset'], missing => [404, 'text/html', 'status'], xhtml => [200, 'application/xhtml+xml', ''],
        unchanged => [304, 'text/html', ''],
    );
    for my $name (sort keys %row) {
        my ($status, $type, $reason) = @{ $row{$name} };
        my $res = $httpd->get("/forged/$name");
        is $res->status, $status, "$name: the status";
        is $res->header('Tmpl') // '', $reason && "declined=$reason", 'no field of the backend says that it is marked';
        same_bytes($res->body, $status == 304 ? '' : $forged, 'its marks are left');
    }
    my $res = $httpd->client->ask('/forged/frameset', method => 'HEAD');
    unlike $res->header('Tmpl') // '', qr/state/, 'nor in an answer to HEAD';
};

subtest 'httpd manual' => sub {
    plan skip_all => 'apache2-doc is not installed' if @manual < 10;
    my $marked = 0;
    for my $i (0 .. $#manual) {
        my $html = $httpd->get("/manual/$i")->body;
        same_bytes(unmark($html), slurp($manual[$i]), $manual[$i]);
        $marked++ if $html ne slurp($manual[$i]);
    }
    cmp_ok $marked, '>', @manual / 2, 'most pages have marks';
};

$httpd->finish;
done_testing;
