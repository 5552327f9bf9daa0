# SPDX-License-Identifier: Apache-2.0

# A Redis that is stopped, or an address that drops all packets: incremental passes every page
# unchanged, auto judges each without the store. The breaker keeps requests from the store, so that
# few of them wait for TmplTimeout. The log has one line for the change, and learning resumes by
# itself.

use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::Tmpl;
use Time::HiRes qw(time);

my $TIMEOUT = 1;       # seconds, TmplTimeout
my $REQUESTS = 60;

my $redis = redis();
my $site = site(large => 10);
my $backend = backend { $site->answer(@_) };

# Requests pages on four connections at a time, two for each detector; returns what was wrong and
# the seconds it took.
sub load {
    my ($httpd, $first) = @_;
    my ($start, @wrong) = time();
    my @detector = qw(incremental auto incremental auto);
    my @clients = map { $httpd->client } 1 .. 4;
    for (my $n = $first; $n < $first + $REQUESTS; $n += @clients) {
        $clients[$_]->send_request('/page/' . ($n + $_), headers => { 'X-Detector' => $detector[$_] }) for 0 .. $#clients;
        for my $i (0 .. $#clients) {
            my $fault = Test::Tmpl::fault_of($clients[$i]->read_response('GET'), $detector[$i], $site, $n + $i);
            push @wrong, "$detector[$i], page " . ($n + $i) . ": $fault" if defined $fault;
        }
    }
    return (join("\n", @wrong), time() - $start);
}

sub failures {
    my ($httpd) = @_;
    return $httpd->counted('/server-status')->{'store-failures'};
}

# At most a few requests wait for a store that does not answer.
sub check_load {
    my ($name, $httpd, $first) = @_;
    my $before = failures($httpd);
    my ($wrong, $seconds) = load($httpd, $first);
    is $wrong, '', "$name: each response is right and reports the failure";
    note sprintf '%s: %d requests in %.2f s', $name, $REQUESTS, $seconds;
    # three times the four requests in flight, as a child's breaker opens with its third late call,
    # and the breaker's trials, one a second in each child
    my $children = children($httpd->{pid});
    cmp_ok failures($httpd) - $before, '<=', 3 * (4 + $children) + $children * (1 + int $seconds), "$name: few requests have waited for TmplTimeout";
    my $lines = () = $httpd->log_text =~ /\[tmpl:(?:warn|error)\]/g;
    ok $lines >= 1 && $lines <= 20, "$name: $lines lines in the log";
    return;
}

my $conf = $Test::Tmpl::BY_FIELD . <<"END";
TmplMode strip
TmplTimeout ${TIMEOUT}s
ProxyPass /server-status !
ProxyPass / ${\ $backend->url}/
<Location /server-status>
    SetHandler tmpl-status
    TmplMode off
</Location>
END
subtest 'SIGSTOP' => sub {
    my $httpd = httpd(conf => "${conf}TmplStore " . $redis->unix_uri, no_store => 1);
    $httpd->expect_log(qr/\[tmpl:warn\]/);
    # on a busy machine a reply may take longer than TmplTimeout
    ok wait_for { ($httpd->visit(1 .. 7))[6]->says('pages') eq 7 }, 'pages are learnt';
    $redis->stop;
    check_load('stopped', $httpd, 100);
    $redis->continue;
    ok wait_for { $httpd->get('/page/8')->says('state') eq 'warm' }, 'continued: the store is used again';
    # each child has its own breaker
    ok wait_for { ($httpd->get('/page/9')->says('pages') || 0) > 6 }, 'what was learnt before is kept';
    $httpd->finish;
};

# The store is asked whether the decision holds and, for the lists, when the page has changed.
subtest 'a page that the decision cache knows waits for TmplTimeout once' => sub {
    my $httpd = httpd(conf => "${conf}TmplDocuments on\n" . Test::Tmpl::Httpd::one_child() . 'TmplStore ' . $redis->unix_uri, no_store => 1);
    $httpd->expect_log(qr/\[tmpl:warn\]/);
    ok wait_for { $httpd->get('/page/1')->says('cache') eq 'hit' }, 'the page is in the cache';
    $redis->stop;
    my $before = failures($httpd);
    is $httpd->get('/page/1')->says('cache'), 'hit', 'its decision is used';
    is failures($httpd) - $before, 1, 'one look-up failed';
    $redis->continue;
    $httpd->finish;
};

my ($hole, $keep) = Test::Tmpl::Redis::black_hole();
my %SILENT = ('black hole' => $hole, 'accepts and says nothing' => Test::Tmpl::Redis::parrot(''));
for my $name (sort keys %SILENT) {
    subtest $name => sub {
        my $httpd = httpd(conf => "${conf}TmplStore redis://127.0.0.1:$SILENT{$name}/0", no_store => 1);
        $httpd->expect_log(qr/\[tmpl:warn\]/);
        check_load($name, $httpd, 1);
        $httpd->finish;
    };
}

done_testing;
