# SPDX-License-Identifier: Apache-2.0

# A store that is not there when the server starts costs no page: pages pass untouched, the header
# says declined=store, the log says why once, and when the store comes, learning begins.

use FindBin;
use lib "$FindBin::Bin/lib";
use Test::Tmpl;

my $redis = redis();
my $site = site();
my $backend = backend { $site->answer(@_) };

for my $uri ($redis->uri, $redis->unix_uri) {
    my $kind = $uri =~ /unix/ ? 'unix socket' : 'TCP';
    $redis->kill9;
    my $httpd = proxy($backend, conf => "TmplMode strip\nTmplStore $uri\nTmplSiteKey $uri", no_store => 1);
    $httpd->expect_log(qr/\[tmpl:warn\]/);
    for my $n (1 .. 8) {
        my $res = $httpd->get("/page/$n");
        same_bytes($res->body, $site->page($n), "$kind: page $n passes untouched");
        is $res->says('declined'), 'store', "$kind: declined aloud";
    }
    my $warnings = () = $httpd->log_text =~ /\[tmpl:warn\]/g;
    ok $warnings >= 1 && $warnings <= 8, "$kind: $warnings warnings in the log, not one a request";
    $redis->start;
    my $n = 10;
    ok wait_for { $httpd->get('/page/' . $n++)->says('state') eq 'warm' }, "$kind: learns once the store is there";
    $httpd->finish("$kind: nothing else in the error log");
}

subtest 'no TmplStore at all' => sub {
    my $httpd = proxy($backend, conf => 'TmplMode strip', no_store => 1);
    my @answers = $httpd->visit(1 .. 6);
    same_bytes($answers[5]->body, $site->stripped(6), 'the default store learns');
    ok -s $httpd->root . '/run/tmpl/data.mdb', 'in DefaultRuntimeDir';
    $httpd->finish;
};

done_testing;
