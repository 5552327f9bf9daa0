# SPDX-License-Identifier: Apache-2.0

# Each detector in httpd: its result on the first page of a site and on later pages, the fields of
# the response, and what happens without a store. auto has a model of this test, in which links are
# template. The built-in model only has to do well on the test's site.

use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::Tmpl;

my $models = "$FindBin::Bin/../../tests/models";
my $site = site();
my $backend = backend {
    my ($connection, $request) = @_;
    my ($n) = $request->{target} =~ m{^/page/(\d+)} or return $site->answer(@_);
    $connection->respond(200, { 'Content-Type' => 'text/html', ETag => "\"page-$n\"" }, $site->page($n));
};

# A server with a virtual host, which is a site of its own, for each name and its configuration.
sub hosts {
    my ($conf, %lines) = @_;
    my $url = $backend->url;
    my $hosts = join '', map { <<"END" } sort keys %lines;
<VirtualHost *:\@PORT\@>
    ServerName $_.example
    ProxyPass / $url/
    $lines{$_}
</VirtualHost>
END
    # the words that style samples depend on the secret
    return httpd(conf => "TmplSecret detectors\n$conf\n$hosts", no_store => scalar($conf =~ /TmplStore/));
}

# Page n of the test's site without its links: the header, and the sidebar's list and heading.
sub without_links {
    my ($n) = @_;
    return $site->page($n, qw(header aside));
}

sub ask {
    my ($httpd, $host, $n, @more) = @_;
    return $httpd->get("/page/$n", host => "$host.example", @more);
}

subtest 'all of them' => sub {
    my $httpd = hosts(
        'TmplMode strip',
        incremental => 'TmplDetector incremental',
        style => 'TmplDetector style',
        pagelevel => 'TmplDetector pagelevel',
        smooth => "TmplDetector pagelevel\nTmplSmoothing on",
        links => "TmplDetector auto\nTmplModel $models/one.trees",
        auto => 'TmplDetector auto',
        keep => "TmplDetector auto\nTmplModel $models/one.trees\nTmplRatio 0.99",
        annotate => "TmplDetector auto\nTmplMode annotate\nTmplModel $models/one.trees",
        headers => "TmplDetector auto\nTmplMode headers\nTmplModel $models/one.trees",
    );
    for my $name (qw(incremental style pagelevel auto)) {
        is ask($httpd, $name, 1)->says('detector'), $name, "$name: member detector of the Tmpl field";
    }
    same_bytes(ask($httpd, 'incremental', 1)->body, $site->page(1), 'incremental: the first page is unchanged');
    my $first = ask($httpd, 'links', 1);
    same_bytes($first->body, without_links(1), 'auto: the first page is stripped');
    is $first->says('state'), 'cold', 'auto: the first page: state';
    is $first->says('pages'), 1, 'auto: the first page: pages';
    is $first->says('learned'), 1, 'auto: the first page: learned';
    is $first->tmpl->{store}, undef, 'auto: the first page: no member store';
    is $first->header('ETag'), undef, 'auto: the first page: no entity tag';
    my @later = map { ask($httpd, 'links', $_) } 2 .. 6;
    is state_of(@later), 'learning learning learning warm warm', 'auto: the states of later pages';
    same_bytes($later[4]->body, without_links(6), 'auto: a later page is stripped');
    is $later[4]->header('ETag'), 'W/"page-6-tmpl-strip"', 'it has an entity tag';
    same_bytes(ask($httpd, 'keep', 1)->body, $site->page(1), 'TmplRatio replaces the threshold of the model');
    my $marked = ask($httpd, 'annotate', 1)->body;
    same_bytes(unmark($marked), $site->page(1), 'annotate: unchanged except for marks');
    like $marked, qr/<header id="top" data-tmpl="">/, 'annotate: links are marked';
    same_bytes(ask($httpd, 'headers', 1)->body, $site->page(1), 'headers: unchanged');
    cmp_ok ask($httpd, 'headers', 1)->says('ratio'), '>', 0, 'headers: the ratio in the Tmpl field';

    my @page = map { ask($httpd, $_, 3) } qw(pagelevel smooth);
    ask($httpd, 'pagelevel', $_) for 4 .. 9;
    my $again = ask($httpd, 'pagelevel', 3);
    same_bytes($again->body, $page[0]->body, 'pagelevel: the same verdicts for the same page');
    is $again->says('state'), 'warm', 'pagelevel: the site is warm by then';
    is $page[0]->header('ETag'), 'W/"page-3-tmpl-strip"', 'pagelevel: an entity tag from the first page on';

    ask($httpd, 'auto', $_) for 2 .. 7;
    my $auto = ask($httpd, 'auto', 8);
    like $auto->body, qr/Item 8\.$_ tells of/, "paragraph $_ is kept" for 1 .. 4;
    $httpd->finish;
};

subtest 'they count in the same table' => sub {
    my $one = "TmplSiteKey one";
    my $httpd = hosts('TmplMode strip', incremental => "TmplDetector incremental\n$one",
        auto => "TmplDetector auto\n$one", pagelevel => "TmplDetector pagelevel\n$one");
    ask($httpd, $_->[0], $_->[1]) for ['auto', 1], ['pagelevel', 2], ['auto', 3], ['pagelevel', 4];
    my $fifth = ask($httpd, 'incremental', 5);
    is $fifth->says('pages'), 5, 'five documents';
    same_bytes($fifth->body, $site->stripped(5), 'incremental uses the counts of pages that other detectors judged');
    $httpd->finish;
};

subtest 'without a store' => sub {
    my $redis = redis();
    my $uri = $redis->unix_uri;
    my $httpd = hosts("TmplMode strip\nTmplStore $uri\nTmplModel $models/one.trees",
        incremental => 'TmplDetector incremental',
        auto => 'TmplDetector auto',
        pagelevel => 'TmplDetector pagelevel',
        learn => "TmplDetector auto\nTmplMode learn\nTmplHeaders on",
    );
    $httpd->expect_log(qr/\[tmpl:warn\]/);
    ask($httpd, 'auto', $_) for 1 .. 6;
    my $alive = ask($httpd, 'pagelevel', 7);
    $redis->kill9;
    is ask($httpd, 'incremental', 7)->says('declined'), 'store', 'incremental declines';
    is ask($httpd, 'learn', 7)->says('declined'), 'store', 'mode learn declines';
    for my $n (7, 8) {
        my $res = ask($httpd, 'auto', $n);
        same_bytes($res->body, without_links($n), "auto judges page $n without the store");
        is $res->says('declined'), '', 'auto without the store: not declined';
        is $res->says('store'), 0, 'auto without the store: store=?0';
        is $res->says('state'), 'cold', 'auto without the store: state';
        is $res->says('learned'), 0, 'auto without the store: learned';
        is $res->header('ETag'), undef, 'auto without the store: no entity tag, for with the store the page will differ';
    }
    my $dead = ask($httpd, 'pagelevel', 7);
    same_bytes($dead->body, $alive->body, 'pagelevel: the same page without the store');
    is $dead->header('ETag'), 'W/"page-7-tmpl-strip"', 'it has an entity tag';
    $redis->start;
    my $n = 20;
    ok wait_for { ask($httpd, 'auto', $n++)->says('state') eq 'warm' }, 'auto learns when the store is back';
    $httpd->finish;
};

done_testing;
