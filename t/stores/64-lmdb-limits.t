# SPDX-License-Identifier: Apache-2.0

# An LMDB store with limits: when it has as many sites as it may, or its file is nearly full, the
# sites that were used least recently are forgotten for others. Learning goes on, and sites in use
# stay known.

use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::Tmpl;
use File::Basename qw(dirname);
use JSON::PP qw(decode_json);

my $site = site();
my $backend = backend {
    my ($connection, $request) = @_;
    my ($n) = $request->{target} =~ m{/wide/(\d+)} or return $site->answer(@_);
    my $html = $site->page($n) =~ s{</article>}{join '', (map { "<p>Line $n.$_</p>" } 1 .. 300), '</article>'}er;
    return $connection->respond(200, { 'Content-Type' => 'text/html' }, $html);
};

sub limited {
    my ($limits) = @_;
    return Test::Tmpl::Httpd->new(detector => 'incremental', no_store => 1, conf => "ProxyPass /status !\nProxyPass / " . $backend->url . <<"END")->start;
/
TmplMode strip
TmplSiteKey "%{HTTP_HOST}"
TmplStore "lmdb:\@ROOT\@/store?$limits"
<Location /status>
    SetHandler tmpl-status
</Location>
END
}

# The answers to pages of a site.
sub visit {
    my ($httpd, $host, @pages) = @_;
    return map { $httpd->get($_, host => "$host.example") } @pages;
}

subtest 'as many sites as it may have' => sub {
    my $httpd = limited('sites=3');
    visit($httpd, $_, map { "/page/$_" } 1 .. 6) for qw(old used other);
    visit($httpd, 'used', '/page/7');
    my @answers = visit($httpd, 'new', map { "/page/$_" } 1 .. 6);
    same_bytes($answers[5]->body, $site->stripped(6), 'a fourth site is learnt');
    is +(visit($httpd, 'used', '/page/8'))[0]->says('pages'), 8, 'a site in use is still known';
    is +(visit($httpd, 'old', '/page/8'))[0]->says('pages'), 1, 'the site that was not used for longest begins anew';
    $httpd->graceful;
    is +(visit($httpd, 'used', '/page/9'))[0]->says('pages'), 9, 'the next child knows the same';
    my $store = decode_json($httpd->get('/status?format=json')->body)->{stores}[0];
    is $store->{sites_forgotten}, 2, 'the status counts the sites that were forgotten';
    like $httpd->get('/status')->body, qr/Sites forgotten for others/, 'its page, too';
    like $httpd->get('/status/metrics')->body, qr/^tmpl_store_sites_forgotten_total\{store="lmdb:[^"]*"\} 2$/m, 'and the metrics';
    my $tool = $ENV{TMPLCTL} // dirname($ENV{TMPL_MODULE} // 'build/mod_tmpl.so') . '/tmplctl';
    like qx($tool stats --store lmdb:@{[$httpd->root]}/store 2>&1), qr/forgotten for others: 2$/m, 'and tmplctl stats';
    $httpd->finish;
};

subtest 'a file that is nearly full' => sub {
    my $httpd = limited('size=1M');
    my @unlearnt;
    for my $n (1 .. 150) {
        push @unlearnt, grep { $_->says('learned') eq '0' } visit($httpd, "new$n", map { "/wide/$_" } 1 .. 2);
        visit($httpd, 'used', "/page/$n") if $n % 5 == 0;
    }
    is scalar @unlearnt, 0, 'every page of 150 sites is learnt';
    is +(visit($httpd, 'used', '/page/151'))[0]->says('pages'), 31, 'the site in use has all its pages';
    is +(visit($httpd, 'new1', '/wide/3'))[0]->says('pages'), 1, 'the first site is forgotten';
    cmp_ok -s $httpd->root . '/store/data.mdb', '<=', 1 << 20, 'the file is as large as it may be';
    $httpd->finish;
};

done_testing;
