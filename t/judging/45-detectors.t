# SPDX-License-Identifier: Apache-2.0

# Each detector through httpd: what it finds on the first page of a site and later, what the response says
# of it, and what happens without a store. auto judges by a model of the test, in which links are template;
# the one that is built in must do well on the test's site, and is held to no more than that.

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

# A server with a virtual host for each name, that site's own table, and those lines.
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
    return httpd(conf => "$conf\n$hosts", no_store => scalar($conf =~ /TmplStore/));
}

# Page n of the test's site without what stands in links: the header, and the sidebar's list with what heads it.
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
        is ask($httpd, $name, 1)->says('detector'), $name, "$name says that it judged";
    }
    same_bytes(ask($httpd, 'incremental', 1)->body, $site->page(1), 'incremental: the first page is whole');
    my $first = ask($httpd, 'links', 1);
    same_bytes($first->body, without_links(1), 'auto: the first page too');
    is $first->says('state'), 'cold', 'of a site that is cold';
    is $first->says('pages'), 1, 'and has been learnt';
    is $first->says('learned'), 1, 'as it says';
    is $first->tmpl->{store}, undef, 'with a store';
    is $first->header('ETag'), undef, 'without an entity tag';
    my @later = map { ask($httpd, 'links', $_) } 2 .. 6;
    is state_of(@later), 'learning learning learning warm warm', 'the states that follow';
    same_bytes($later[4]->body, without_links(6), 'and the same of a later page');
    is $later[4]->header('ETag'), 'W/"page-6-tmpl-strip"', 'with an entity tag';
    same_bytes(ask($httpd, 'keep', 1)->body, $site->page(1), 'TmplRatio is the threshold, in place of the model\'s');
    my $marked = ask($httpd, 'annotate', 1)->body;
    same_bytes(unmark($marked), $site->page(1), 'annotate: nothing but marks');
    like $marked, qr/<header id="top" data-tmpl="">/, 'and they are where links are';
    same_bytes(ask($httpd, 'headers', 1)->body, $site->page(1), 'headers: untouched');
    cmp_ok ask($httpd, 'headers', 1)->says('ratio'), '>', 0, 'and told of';

    my @page = map { ask($httpd, $_, 3) } qw(pagelevel smooth);
    ask($httpd, 'pagelevel', $_) for 4 .. 9;
    my $again = ask($httpd, 'pagelevel', 3);
    same_bytes($again->body, $page[0]->body, 'pagelevel: the same page, the same verdicts');
    is $again->says('state'), 'warm', 'though it has learnt';
    is $page[0]->header('ETag'), 'W/"page-3-tmpl-strip"', 'so it has an entity tag from the first page on';

    ask($httpd, 'auto', $_) for 2 .. 7;
    my $auto = ask($httpd, 'auto', 8);
    like $auto->body, qr/Item 8\.$_ tells of/, "paragraph $_ is there" for 1 .. 4;
    $httpd->finish;
};

subtest 'they count in the same table' => sub {
    my $one = "TmplSiteKey one";
    my $httpd = hosts('TmplMode strip', incremental => "TmplDetector incremental\n$one",
        auto => "TmplDetector auto\n$one", pagelevel => "TmplDetector pagelevel\n$one");
    ask($httpd, $_->[0], $_->[1]) for ['auto', 1], ['pagelevel', 2], ['auto', 3], ['pagelevel', 4];
    my $fifth = ask($httpd, 'incremental', 5);
    is $fifth->says('pages'), 5, 'five documents';
    same_bytes($fifth->body, $site->stripped(5), 'what others have counted is template to incremental');
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
        same_bytes($res->body, without_links($n), "auto judges page $n alone");
        is $res->says('declined'), '', 'declines nothing';
        is $res->says('store'), 0, 'and says that the store is away';
        is $res->says('state'), 'cold', 'nothing is known';
        is $res->says('learned'), 0, 'nothing is learnt';
        is $res->header('ETag'), undef, 'no entity tag: the page would come out otherwise tomorrow';
    }
    my $dead = ask($httpd, 'pagelevel', 7);
    same_bytes($dead->body, $alive->body, 'pagelevel finds the same without it');
    is $dead->header('ETag'), 'W/"page-7-tmpl-strip"', 'with an entity tag';
    $redis->start;
    my $n = 20;
    ok wait_for { ask($httpd, 'auto', $n++)->says('state') eq 'warm' }, 'they learn once it is back';
    $httpd->finish;
};

done_testing;
