# SPDX-License-Identifier: Apache-2.0

# A site that the store cannot use does not affect the others: in Redis one site's key holds another
# program's value. That site is judged as with a failed store, the log says why, and the other site is
# learnt and stripped.

use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::Tmpl;

my $site = site();
my $backend = backend { $site->answer(@_) };

for my $delay ('0', '100ms') {
    my $redis = redis();
    my $httpd = proxy($backend, detector => 'incremental', no_store => 1, conf => "TmplMode strip\nTmplStore " . $redis->uri
        . "\nTmplLearnDelay $delay\nTmplSiteKey \"%{QUERY_STRING}\"");
    $redis->command('SET', 'tmpl:6:{A}', 'x');
    $httpd->expect_log(qr/T022\]/);
    for my $n (1 .. 8) {
        is $httpd->get("/page/$n?A")->says('declined'), 'store', "delay $delay: page $n of its site passes";
        $httpd->get("/page/$n?B");
    }
    my $answer;
    wait_for { $answer = $httpd->get('/page/9?B'); length $answer->body < length $site->page(9) };
    same_bytes($answer->body, $site->stripped(9), "delay $delay: the other site is stripped");
    like $httpd->log_text, qr/T022\] store .* cannot use one site: .*in use by another program/, 'the log says why';
    unlike $httpd->log_text, qr/T011\]/, 'and does not say that the store fails';
    $httpd->finish;
}

done_testing;
