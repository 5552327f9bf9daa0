# SPDX-License-Identifier: Apache-2.0

# A store that is missing when the server starts: incremental passes pages unchanged with
# declined=store, auto judges each without the store, with store=?0. The log has the reason once,
# and learning begins when the store is there.

use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::Tmpl;

my $redis = redis();
my $site = site();
my $backend = backend { $site->answer(@_) };

for my $uri ($redis->uri, $redis->unix_uri) {
    my $kind = $uri =~ /unix/ ? 'unix socket' : 'TCP';
    $redis->kill9;
    my $httpd = proxy($backend, conf => "TmplMode strip\nTmplStore $uri\nTmplSiteKey $uri\n$Test::Tmpl::BY_FIELD", no_store => 1);
    $httpd->expect_log(qr/\[tmpl:warn\]/);
    is join("\n", wrong_without_store($httpd, $site, 1 .. 8)), '', "$kind: each response is right and reports the failure";
    my $warnings = () = $httpd->log_text =~ /\[tmpl:warn\]/g;
    ok $warnings >= 1 && $warnings <= 8, "$kind: $warnings warnings in the log, fewer than requests";
    $redis->start;
    my $n = 10;
    ok wait_for { $httpd->get('/page/' . $n++)->says('state') eq 'warm' }, "$kind: learns once the store is there";
    $httpd->finish("$kind: nothing else in the error log");
}

subtest 'no TmplStore at all' => sub {
    my $httpd = proxy($backend, conf => 'TmplMode strip', no_store => 1);
    my @answers = $httpd->visit(1 .. 6);
    same_bytes($answers[5]->body, $site->stripped(6), 'the default store');
    is $answers[5]->says('pages'), 6, 'the default store learns';
    ok -s $httpd->root . '/run/tmpl/data.mdb', 'the default store is in DefaultRuntimeDir';
    $httpd->finish;
};

done_testing;
