# SPDX-License-Identifier: Apache-2.0

# Two proxies with one Redis share what they learn: each strips what the other has learnt, and a
# page that passes through both is one document. A proxy begins with a table of a crawl by tmplctl merge.

use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::Tmpl;
use File::Basename qw(dirname);

my $redis = redis();
my $site = site();
my $backend = backend { $site->answer(@_) };
my $conf = "TmplMode strip\nTmplStore " . $redis->unix_uri;
my $left = proxy($backend, detector => 'incremental', conf => $conf, no_store => 1);
my $right = proxy($backend, detector => 'incremental', conf => $conf =~ s/\Q${\ $redis->unix_uri}\E/$redis->uri/er, no_store => 1);

is $right->get('/page/1')->says('state'), 'cold', 'the site is cold at first';
$left->visit(1 .. 4);
my $res = $left->get('/page/4');
is $res->says('pages'), 4, 'a page that passed through both counts once';
same_bytes($res->body, $site->page(4), 'four pages are not enough');
same_bytes($right->get('/page/5')->body, $site->stripped(5), 'the fifth, on the other proxy, is stripped');
same_bytes($left->get('/page/6')->body, $site->stripped(6), 'the sixth, on the first proxy, is stripped');
is $right->get('/page/6')->says('pages'), 6, 'six documents in all';

$_->finish for $left, $right;

subtest 'a start table' => sub {
    my $tool = $ENV{TMPLCTL} // dirname($ENV{TMPL_MODULE} // 'build/mod_tmpl.so') . '/tmplctl';
    my $conf = "TmplMode strip\nTmplSecret hush\nTmplSiteKey s";
    my $start = proxy($backend, detector => 'incremental', conf => $conf);
    my $root = $start->root;
    mkdir "$root/crawl";
    spit("$root/crawl/$_.html", $site->page($_)) for 1 .. 6;
    $start->stop;
    my $store = "lmdb:$root/store";
    is system("$tool clean -m keys --detector incremental --secret hush --site s $root/crawl/*.html | LC_ALL=C sort -u >$root/keys"), 0, 'keys of a crawl';
    # as the server would: it owns the directory
    is system("$tool merge --secret hush -o $store $root/keys >/dev/null"), 0, 'merge';
    $start->start;
    my $res = $start->get('/page/99');
    same_bytes($res->body, $site->stripped(99), 'with a start table the first page is stripped');
    is $res->says('state'), 'warm', 'as the site is warm';
    $start->finish;
};
done_testing;
