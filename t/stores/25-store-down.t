# SPDX-License-Identifier: Apache-2.0

# A store that is missing when the server starts: incremental passes pages unchanged with
# declined=store, auto judges each without the store, with store=?0. The log has the reason once,
# and learning begins when the store is there.

use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::Tmpl;

my $redis = redis();
my $site = site(large => 10);
my $backend = backend { $site->answer(@_) };

for my $uri ($redis->uri, $redis->unix_uri) {
    my $kind = $uri =~ /unix/ ? 'unix socket' : 'TCP';
    $redis->kill9;
    my $httpd = proxy($backend, conf => "TmplMode strip\nTmplStore $uri\nTmplSiteKey $uri\n$Test::Tmpl::BY_FIELD", no_store => 1);
    $httpd->expect_log(qr/\[tmpl:warn\]/);
    is join("\n", wrong_without_store($httpd, $site, 1 .. 9)), '', "$kind: each response is right and reports the failure";
    my $warnings = () = $httpd->log_text =~ /\[tmpl:warn\]/g;
    ok $warnings >= 1 && $warnings <= 8, "$kind: $warnings warnings in the log, fewer than requests";
    $redis->start;
    my $n = 10;
    ok wait_for { $httpd->get('/page/' . $n++)->says('state') eq 'warm' }, "$kind: learns once the store is there";
    $httpd->finish("$kind: nothing else in the error log");
}

subtest 'decisions that are kept outlive the store' => sub {
    my $httpd = proxy($backend, no_store => 1, conf => Test::Tmpl::Httpd::one_child() . "TmplMode strip\nTmplStore " . $redis->uri . "\n");
    $httpd->expect_log(qr/\[tmpl:warn\]/);
    my ($known) = reverse $httpd->visit(1 .. 20, 7, 7);
    $redis->kill9;
    for my $page ($httpd->visit((7) x 12)) {
        is $page->says('cache'), 'hit', 'found';
        is $page->says('state') . $page->says('store'), 'warm', 'as a page of a known site, which was judged with the store';
        same_bytes($page->body, $known->body, 'the page is as before');
    }
    is $httpd->get('/page/30')->says('store'), '0', 'another page is judged without the store';
    $httpd->finish;
    $redis->start;
};

subtest 'no TmplStore at all' => sub {
    my $httpd = proxy($backend, conf => 'TmplMode strip', no_store => 1);
    my @answers = $httpd->visit(1 .. 6);
    same_bytes($answers[5]->body, $site->stripped(6), 'the default store');
    is $answers[5]->says('pages'), 6, 'the default store learns';
    ok -s $httpd->root . '/run/tmpl/data.mdb', 'the default store is in DefaultRuntimeDir';
    $httpd->finish;
};

subtest 'a page that is declined before it is counted' => sub {
    my $many = '<html><body>' . join '', map { sprintf '<i%x>%x</i%x>', $_, $_, $_ } 1 .. 40_000;
    my $mixed = backend {
        my ($connection, $request) = @_;
        return $request->{target} =~ /many/ ? $connection->respond(200, { 'Content-Type' => 'text/html' }, $many) : $site->answer(@_);
    };
    my $one = Test::Tmpl::Httpd::one_child();
    my $httpd = proxy($mixed, detector => 'incremental', no_store => 1, conf => "${one}TmplMode strip\nTmplStore " . $redis->uri
        . "\n<Location /server-status>\nProxyPass !\nSetHandler tmpl-status\nTmplMode off\n</Location>");
    $httpd->expect_log(qr/\[tmpl:warn\]/);
    is $httpd->get('/many')->says('declined'), 'too-many', 'a page that the parser takes';
    $redis->kill9;
    # either may be the one that tries the store: about half of the time goes to each
    ok wait_for {
        $httpd->get("/$_") for "many", ("page/1") x 20;
        $httpd->counted('/server-status')->{'store-failures'} >= 4;
    }, 'the store is tried, and tried again';
    unlike $httpd->log_text, qr/T012/, 'the page does not say that the store answers again';
    $httpd->finish;
    $redis->start;
};

done_testing;
