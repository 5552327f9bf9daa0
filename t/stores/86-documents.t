# SPDX-License-Identifier: Apache-2.0

# Listed documents in a Redis that two proxies share, learnt after the requests: both agree on what
# changed, and when. Then the Redis takes no writes, is silent, dies, and comes back empty: pages are
# served, and no page has a wrong date.

use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::Tmpl;

my $redis = redis();
my $site = site();
my $state = temp_dir();
my $backend = backend {
    my ($connection, $request) = @_;
    my ($n) = $request->{target} =~ m{^/page/(\d+)} or return $connection->respond(404, {}, '');
    my $as = -e "$state/$n" ? slurp("$state/$n") : $n;
    return $connection->respond(200, { 'Content-Type' => 'text/html' }, $site->page($as));
};
my @proxies = map {
    httpd(no_store => 1, conf => "TmplLearnDelay 100ms\nTmplMode strip\nTmplDocuments on\nTmplTimeout 300ms\nTmplStore " . $redis->unix_uri . "\n"
            . "ProxyPass /lists !\nProxyPass /counters !\nProxyPass / ${\ $backend->url}/\n<Location /lists>\nSetHandler tmpl-sitemap\n</Location>\n"
            . "<Location /counters>\nSetHandler tmpl-status\nTmplMode off\n</Location>\n")
} 1 .. 2;
my ($left, $right) = @proxies;
$_->expect_log(qr/\[tmpl:(?:warn|error)\]/) for @proxies;

sub changed { my ($h, $n) = @_; return $h->get("/page/$n")->header('Tmpl') =~ /(?:^|, )changed=\@(\d+)/ ? $1 : 0 }
sub listed { my ($h) = @_; return scalar(() = $h->get('/lists/sitemap.xml')->body =~ /<loc>/g) }
sub dates { my ($h) = @_; return join ' ', sort $h->get('/lists/sitemap.xml')->body =~ m{page/(\d+)</loc><lastmod>}g }
sub waiting {
    my ($h) = @_;
    my $count = $h->counted('/counters');
    return $count->{'learn-later'} - $count->{'learn-done'} - $count->{'learn-lost-failed'} - $count->{'learn-lost-full'};
}

# each page waits to be learnt, so that the next one finds it
for my $n (1 .. 12) {
    $left->get("/page/$n");
    wait_for { $right->get('/page/1')->says('pages') >= $n };
}
ok wait_for { $left->visit(1 .. 12); listed($right) == 12 }, 'what one proxy has seen, the other lists';
# pages of the cold site have no fingerprint before they come again
ok wait_for { $right->visit(1 .. 12); $redis->command('HLEN', 'tmpl:6:{test.example}') > 0 && !dates($left) }, 'no dates at first';
# A child may not have listed the page's fingerprint yet: then the first change is none, but a later one is.
my ($text, $since, @said) = (104, time);
spit("$state/4", $text);
ok wait_for {
    if (time > $since + 1) {
        spit("$state/4", ++$text);
        $since = time;
    }
    @said = map { changed($_, 4) } @proxies;
    $said[0] >= $since && $said[0] == $said[1] && dates($left) eq '4'
}, 'both agree on the change';
ok wait_for { dates($right) eq '4' }, 'and so do their lists';
# what a child has seen a second earlier and learns later is the date then
is scalar(grep { my $date = changed($_, 4); $date >= $since && $date <= $said[0] } @proxies), 2, 'the date stays';
# else the empty Redis would learn an older text from a busy child first
ok wait_for { !grep { waiting($_) } @proxies }, 'nothing waits to be learnt';

# ---- faults ----

sub served { my ($name) = @_; return is join(' ', map { $_->get('/page/5')->status } @proxies), '200 200', "$name: pages are served" }
$redis->command('CONFIG', 'SET', 'maxmemory', 1);
spit("$state/6", 106);
served('full');
# on a busy machine a reply may take longer than TmplTimeout
ok wait_for { listed($left) == 12 }, 'full: the list is read';
$redis->command('CONFIG', 'SET', 'maxmemory', 0);
$redis->stop;
served('silent');
$redis->continue;
$redis->kill9;
served('dead');
ok wait_for { $left->get('/lists/sitemap.xml')->status == 503 }, 'dead: no list';
is $left->get('/lists/sitemap.xml')->header('Retry-After'), 10, 'dead: try again later';
is changed($right, 4), 0, 'dead: no date';
$redis->start;
ok wait_for { $left->visit(1 .. 12); $right->get('/page/1')->says('pages') == 12 && listed($right) == 12 }, 'empty: listed anew';
$_->visit(1 .. 12) for @proxies, @proxies;
is dates($left) . dates($right), '', 'empty: no page has a date';
is join(' ', map { changed($_, 4) } @proxies), '0 0', 'empty: not even the one that had one';
$_->finish for @proxies;
done_testing;
