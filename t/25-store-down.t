# SPDX-License-Identifier: Apache-2.0

# A store that is not there when the server starts costs no page: pages pass untouched, the header
# says declined=store, the log says why once, and when the store comes, learning begins.

use FindBin;
use lib "$FindBin::Bin/lib";
use Test::Tmpl;
use Time::HiRes qw(time);

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

# A store that failed is tried again by one request a second. A page that the parser declines asks
# nothing, so it must not be that one.
subtest 'a declined page is no trial' => sub {
    my $any = backend {
        my ($connection, $request) = @_;
        return $site->answer(@_) if $request->{target} ne '/frames';
        return $connection->respond(200, { 'Content-Type' => 'text/html' }, '<frameset cols="1,2"><frame src=a></frameset>');
    };
    my $httpd = proxy($any, conf => "TmplMode strip\nTmplTimeout 10s\nTmplStore " . $redis->unix_uri . <<'END', no_store => 1);

TmplSiteKey trial
StartServers 1
ServerLimit 1
END
    $httpd->expect_log(qr/\[tmpl:warn\]|MaxRequestWorkers|MaxSpare|MinSpare|ThreadsPerChild/);
    $redis->kill9;
    is $httpd->get('/page/1')->says('declined'), 'store', 'the store is away';
    $redis->start;
    my $over = time() + 1.2;
    ok wait_for { time() > $over }, 'the pause of a second is over';
    is $httpd->get('/frames')->says('declined'), 'frameset', 'a page that the parser declines';
    is $httpd->get('/page/2')->says('declined'), '', 'the next page finds the store';
    $httpd->finish;
};

subtest 'no TmplStore at all' => sub {
    my $httpd = proxy($backend, conf => 'TmplMode strip', no_store => 1);
    my @answers = $httpd->visit(1 .. 6);
    same_bytes($answers[5]->body, $site->stripped(6), 'the default store learns');
    ok -s $httpd->root . '/run/tmpl/data.mdb', 'in DefaultRuntimeDir';
    $httpd->finish;
};

done_testing;
