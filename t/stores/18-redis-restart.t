# SPDX-License-Identifier: Apache-2.0

# Redis is killed and started again under load: every response is the unchanged or the stripped
# page, the Tmpl field and the log report the failure, and learning resumes by itself.

use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::Tmpl;

my $redis = redis();
my $site = site();
my $backend = backend { $site->answer(@_) };

for my $uri ($redis->unix_uri, $redis->uri) {
    my $httpd = proxy($backend, conf => "TmplMode strip\nTmplCache none\nTmplStore $uri\nTmplSiteKey $uri\n$Test::Tmpl::BY_FIELD", no_store => 1);
    $httpd->expect_log(qr/\[tmpl:warn\]/);
    my $kind = $uri =~ /unix/ ? 'unix socket' : 'TCP';
    my ($wrong, $asked) = (0, 0);
    my $ask = sub {
        my $n = 1 + $asked++ % 40;
        my $res = $httpd->get("/page/$n");
        $wrong++ if $res->status != 200 || !$res->complete
            || $res->body ne $site->page($n) && $res->body ne $site->stripped($n);
        return $res;
    };

    $ask->() for 1 .. 8;
    is $ask->()->says('state'), 'warm', "$kind: learnt";
    $redis->kill9;
    is join("\n", wrong_without_store($httpd, $site, 1 .. 12)), '', "$kind: killed, each response reports it";
    $redis->start;
    ok wait_for { my $res = $ask->(); $res->says('state') eq 'cold' && !$res->says('declined') }, "$kind: started again, empty";
    ok wait_for { $ask->()->says('state') eq 'warm' }, "$kind: learning resumes";
    is $wrong, 0, "$kind: no wrong response among $asked";
    like $httpd->log_text, qr/\[tmpl:warn\].*/, "$kind: the log reports it";
    cmp_ok scalar(() = $httpd->log_text =~ /\[tmpl:(?:warn|error)\]/g), '<', 30, "$kind: fewer log lines than requests";
    $httpd->finish("$kind: nothing unexpected in the error log");
}

# Pages of several sites, with which the store fails for seconds before it pauses for seconds.
subtest 'httpd ends while it does not try a store that is back' => sub {
    my $one = Test::Tmpl::Httpd::one_child();
    my $httpd = proxy($backend, no_store => 1, conf => "${one}TmplMode strip\nTmplSiteKey %{HTTP_HOST}\nTmplLearnDelay 1s\nTmplTimeout 5s\nTmplStore " . $redis->uri);
    $httpd->expect_log(qr/\[tmpl:warn\]/);
    my @hosts = map { "s$_.example" } 1 .. 3;
    $httpd->get("/page/$_", headers => { Host => $hosts[$_ % 3] }) for 1 .. 9;
    $redis->stop;
    ok wait_for { $httpd->log_text =~ /T017/ }, 'learning fails';
    $redis->continue;
    $httpd->stop;
    is_deeply [map { $redis->command('EXISTS', "tmpl:6:{$_}") } @hosts], [1, 1, 1], 'the pages that waited are learnt';
    $httpd->finish;
};

done_testing;
