# SPDX-License-Identifier: Apache-2.0

# conf/grafana-dashboard.json and conf/prometheus-alerts.yml at a real Prometheus that scrapes a proxy in trouble:
# pages are declined, a table is full, another one forgets sites, pages are lost, and Redis hangs. Each alert is
# raised, and each expression of the dashboard has data. The metrics have every name that the two files use.

use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::Tmpl;

use HTTP::Tiny;
use JSON::PP qw(decode_json);

my $conf = "$FindBin::Bin/../../conf";
my $rules = slurp("$conf/prometheus-alerts.yml");
my $dashboard = decode_json(slurp("$conf/grafana-dashboard.json"));
my @panels = grep { $_->{type} ne 'row' } @{ $dashboard->{panels} };
my @expressions = map { my $panel = $_; map { [$panel->{title}, $_->{expr}] } @{ $panel->{targets} } } @panels;

my $redis = redis();
my $site = site();
my $backend = backend {
    my ($connection, $request) = @_;
    my ($kind, $n) = $request->{target} =~ m{^/(\w+)/(\d+)};
    my $lines = $kind eq 'full' ? 3000 : 3;
    my $html = $site->page($n) =~ s{</article>}{join '', (map { "<p>Line $n.$_</p>" } 1 .. $lines), '</article>'}er;
    return $connection->respond(200, { 'Content-Type' => 'text/html' . ($kind eq 'declined' ? '; charset=utf-16' : '') }, $html);
};
my $redis_uri = $redis->unix_uri;
my $httpd = Test::Tmpl::Httpd->new(conf => 'ProxyPass / ' . $backend->url . <<"END")->start;
/
TmplMode strip
TmplSiteKey "%{HTTP_HOST}"
TmplLearnDelay 100ms
<Location /tmpl-status>
    ProxyPass !
    SetHandler tmpl-status
</Location>
<Location /full>
    TmplStore "lmdb:\@ROOT\@/store/full?size=1M"
</Location>
<Location /few>
    TmplStore "lmdb:\@ROOT\@/store/few?sites=2"
</Location>
<Location /redis>
    TmplStore "$redis_uri"
    TmplTimeout 200ms
    TmplLearnDelay 2s
</Location>
END
$httpd->expect_log(qr/\[T0(?:11|12|13|17|25)\]/);

sub metrics { return $httpd->get('/tmpl-status/metrics')->body }

subtest 'names' => sub {
    my %known = map { $_ => 1 } metrics() =~ /^(tmpl_\w+)/mg;
    my %used;
    for (map({ $_->[1] } @expressions), $rules =~ /^ +expr: (\S.*|(?:\|\n(?: {10,}.*\n)+))/mg) {
        $used{$_} = 1 for /(?<![\w:])(tmpl_\w+)/g;
    }
    cmp_ok scalar keys %used, '>', 20, 'dashboard and alerts use metrics';
    is_deeply [grep { !$known{$_} } sort keys %used], [], 'which the status handler has';
};

subtest 'dashboard' => sub {
    is_deeply [grep { $_->{datasource}{uid} ne '${datasource}' } @panels, map { @{ $_->{targets} } } @panels], [],
        'the data source is chosen at the import';
    is join(' ', map { $_->{name} } @{ $dashboard->{templating}{list} }), 'datasource instance', 'by a variable';
    my %ids = map { $_->{id} => 1 } @{ $dashboard->{panels} };
    is scalar keys %ids, scalar @{ $dashboard->{panels} }, 'each panel has an id';
};

my $prometheus = (grep { -x } map { "$_/prometheus" } split /:/, $ENV{PATH})[0];
if (!defined $prometheus) {
    SKIP: { skip 'prometheus is missing (package prometheus)', 1 }
    $httpd->finish;
    done_testing;
    exit;
}

# The rules with times that a test can wait for: 5 minutes become 2.5 seconds. offset stays: nothing is known of the day
# before.
my %SECONDS = (s => 1, m => 60, h => 3600, d => 86400);
my $short = $rules =~ s{(\bfor: |\[)(\d+)([smhd])\b}{$1 . $2 * $SECONDS{$3} * 1000 / 120 . 'ms'}ger;
my $dir = temp_dir();
my $port = free_port();
my $nobody = free_port();
spit("$dir/alerts.yml", $short);
spit("$dir/prometheus.yml", <<"END");
global: { scrape_interval: 500ms, scrape_timeout: 500ms, evaluation_interval: 500ms }
rule_files: [alerts.yml]
scrape_configs:
  - job_name: tmpl
    metrics_path: /tmpl-status/metrics
    static_configs: [{ targets: ['127.0.0.1:@{[$httpd->port]}', '127.0.0.1:$nobody'] }]
END
spawn('prometheus', sub {
    open STDOUT, '>', "$dir/out" or die $!;
    open STDERR, '>&', \*STDOUT;
    exec $prometheus, "--config.file=$dir/prometheus.yml", "--storage.tsdb.path=$dir/data", "--web.listen-address=127.0.0.1:$port",
        '--log.level=warn' or die "$prometheus: $!";
});

my $http = HTTP::Tiny->new(timeout => 30, proxy => undef, http_proxy => undef);

# The data of an answer of Prometheus; undef if it did not answer.
sub ask {
    my ($path, %form) = @_;
    my $url = "http://127.0.0.1:$port/api/v1/$path";
    my $res = %form ? $http->post_form($url, \%form) : $http->get($url);
    diag("$path $form{query}: $res->{content}") if $res->{status} == 400;
    return $res->{success} ? decode_json($res->{content})->{data} : undef;
}
wait_for { ask('alerts') } or die "prometheus does not start: " . slurp("$dir/out");

my $n = 0;
my %fired;    # alert => its labels

# /few: three sites in a store of two
sub few { $httpd->get("/few/$n", host => "$_.example") for 1 .. 3; return }

# Visits the paths, and pages that are declined; returns whether all alerts named have been raised.
sub trouble {
    my ($paths, @alerts) = @_;
    $httpd->get("$_/" . ++$n) for @$paths, ('/declined') x 3;
    few() if !$fired{TmplSitesForgotten};
    $fired{ $_->{labels}{alertname} } = $_->{labels} for grep { $_->{state} eq 'firing' } @{ (ask('alerts') // {})->{alerts} // [] };
    return !grep { !$fired{$_} } @alerts;
}

ok wait_for { trouble(['/page', '/full'], qw(TmplPagesLost TmplTableFull)) }, 'a full table: pages are lost';
is $fired{TmplPagesLost}{reason}, 'full', 'and why';
like $fired{TmplTableFull}{store}, qr{^lmdb:.*/full$}, 'and where';
ok wait_for { trouble(['/page'], qw(TmplTableNearlyFull TmplSitesForgotten TmplDeclinesRise TmplNoScrape)) },
    'also it is nearly full, another one forgets sites, declines rise, and a target does not answer' or diag explain \%fired;
like $fired{TmplSitesForgotten}{store}, qr{/few$}, 'the one with few sites';
is $fired{TmplNoScrape}{instance}, "127.0.0.1:$nobody", 'the target that there is not';

# each expression, as Grafana sends it
my @silent = @expressions;
wait_for {
    trouble(['/page', '/redis']);
    @silent = grep {
        my $expr = $_->[1] =~ s/\$__rate_interval/4s/gr =~ s/\$instance/.*/gr;
        !@{ (ask('query', query => $expr) // {})->{result} // [] };
    } @silent;
    !@silent;
};
is join("\n", map { "$_->[0]: $_->[1]" } @silent), '', 'each expression of the dashboard has data';

# on a busy machine a reply of Redis may take longer than TmplTimeout
my $failed = $httpd->log_text =~ /T011/;
ok $failed || !$fired{$_}, "$_: not yet" for qw(TmplStoreDown TmplLearningStalls);
ok wait_for {
    $redis->continue;
    $httpd->get('/redis/' . ++$n) for 1 .. 4;
    $redis->stop;
    metrics() =~ /^tmpl_learn_waiting_pages [1-9]/m;
}, 'Redis hangs while pages wait';
ok wait_for { trouble(['/redis'], qw(TmplStoreDown TmplBreakerOpen TmplLearningStalls)) }, 'the store is down, and learning stalls'
    or diag explain \%fired;
like $fired{TmplStoreDown}{store}, qr/^redis/, 'it is Redis';
is_deeply [sort keys %fired], [sort $rules =~ /^ +- alert: (\w+)$/mg], 'each alert was raised';
$redis->continue;
$httpd->finish;
done_testing;
