# SPDX-License-Identifier: Apache-2.0

# Two proxies with one Redis share what they learn: each strips what the other has learnt, and a
# page that passes through both is one document.

use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::Tmpl;

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
done_testing;
