# SPDX-License-Identifier: Apache-2.0

# The metrics are valid: promtool reads them without a complaint, with a site whose name has quotes,
# markup, a newline and bytes that are not UTF-8. No label has a site unless
# TmplMetricsSites names it. Counters are those of JSON, and survive a graceful restart.

use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::Tmpl;

use JSON::PP qw(decode_json);

my $promtool = (grep { -x } map { "$_/promtool" } split /:/, $ENV{PATH})[0];
my $site = site();
my $backend = backend { $site->answer(@_) };
my $odd = qq(<b>"odd"</b> \\ \xE9);
my $conf = <<'END';
TmplMode strip
TmplSiteKey "%{unescape:%{HTTP:X-Site}}"
TmplCache shmcb
<Location /tmpl-status>
    SetHandler tmpl-status
</Location>
END
my $named = q(TmplMetricsSites a.example never.example a.example ") . ($odd =~ s/([\\"])/\\$1/gr) . qq("\n);
my $httpd = Test::Tmpl::Httpd->new(
    modules => ['socache_shmcb'], conf => "ProxyPass /tmpl-status !\nProxyPass / " . $backend->url . "/\n$named$conf"
)->start;

sub metrics { return $httpd->get('/tmpl-status/metrics', @_) }

# The value of a metric with its labels.
sub value {
    my ($text, $name) = @_;
    return $text =~ /^\Q$name\E (\S+)$/m ? $1 : undef;
}

my %quoted = ('a.example' => 'a.example', $odd => $odd =~ s{([^A-Za-z0-9/])}{sprintf "%%%02X", ord $1}ger, "new\nline" => 'new%0Aline');
for my $key (values %quoted) {
    $httpd->get("/page/$_", headers => { 'X-Site' => $key }) for 1 .. 8, 8;
}
$httpd->get('/no-such');
my $res = metrics();
my $text = $res->body;
is $res->header('Content-Type'), 'text/plain; version=0.0.4; charset=utf-8', 'Prometheus text by default';
my $json = decode_json($httpd->get('/tmpl-status?format=json')->body);
is value($text, 'tmpl_pages_total{mode="strip"}'), 27, 'pages';
is value($text, 'tmpl_pages_total{mode="learn"}'), 0, 'modes that are not used have a zero';
is value($text, 'tmpl_declined_total{reason="status"}'), 1, 'declines';
is value($text, 'tmpl_input_bytes_total'), $json->{counters}{'bytes-in'}, 'bytes of pages';
is value($text, 'tmpl_removed_bytes_total'), $json->{counters}{'bytes-in'} - $json->{counters}{'bytes-out'}, 'bytes removed';
is value($text, 'tmpl_cache_total{result="hit"}'), $json->{counters}{'cache-hit'}, 'the cache';
is value($text, "tmpl_$_"), $json->{$_}, "$_ as in JSON" for qw(cache_entries cache_bytes cache_max_bytes);
is value($text, 'tmpl_page_seconds_count'), 27, 'times';
is value($text, 'tmpl_page_seconds_bucket{le="+Inf"}'), 27, 'all of them in the last bucket';
cmp_ok value($text, 'tmpl_stage_seconds_count{stage="read"}'), '<=', 27, 'stages';
like $text, qr/^tmpl_breaker_open\{store="lmdb:[^"]*",purpose="look-up"\} 0$/m, 'no breaker is open';
is value($text, 'tmpl_learn_waiting_pages'), 0, 'nothing waits';
my ($store) = $text =~ /^tmpl_store_sites(\{store="lmdb:[^"]*"\}) 3$/m;
ok defined $store, 'three sites are learnt';
is value($text, "tmpl_store_max_sites$store"), 10_000, 'of so many';
is value($text, "tmpl_store_max_bytes$store"), $json->{stores}[0]{max_bytes}, 'the limit of the file';
cmp_ok value($text, "tmpl_store_used_bytes$store"), '<', value($text, "tmpl_store_max_bytes$store"), 'which is not reached';
cmp_ok value($text, "tmpl_store_used_bytes$store"), '>', 0, 'though something is used';
is value($text, "tmpl_store_full$store"), 0, 'no child found it full';
is value($text, 'tmpl_sites{state="warm"}'), 3, 'all of them are warm';
is value($text, 'tmpl_sites{state="cold"}'), 0, 'none is cold';
is value($text, 'tmpl_sites_frozen'), 0, 'or frozen';
is_deeply $json->{sites_by_state}, { cold => 0, learning => 0, warm => 3 }, 'as JSON says';
for my $share ('template', 'confidence') {
    my ($of) = grep { $_->{share} eq $share } @{ $json->{shares} };
    my $name = "tmpl_page_${share}_ratio";
    cmp_ok value($text, "${name}_count"), '>', 10, "$share of judged pages";
    is value($text, "${name}_count"), $of->{count}, 'as many as in JSON';
    is value($text, qq(${name}_bucket{le="+Inf"})), $of->{count}, 'all of them in the last bucket';
    cmp_ok value($text, "${name}_sum"), '<=', $of->{count}, 'none is more than 1';
}
cmp_ok abs(value($text, 'tmpl_start_time_seconds') - $^T), '<', 600, 'counting began just now';
is value($text, 'tmpl_site_pages_total{site="a.example"}'), 9, 'a site that was named';
is scalar(() = $text =~ /^tmpl_site_pages_total\{site="a\.example"\}/mg), 1, 'once, though it was named twice';
is value($text, 'tmpl_site_declined_total{site="a.example"}'), 0, 'and its declines';
cmp_ok value($text, 'tmpl_site_removed_ratio{site="a.example"}'), '>', 0.1, 'and the share that was removed';
is value($text, 'tmpl_site_pages_total{site="never.example"}'), 0, 'a named site that was not seen';
is value($text, qq(tmpl_site_pages_total{site="<b>\\"odd\\"</b> \\\\ \xEF\xBF\xBD"})), 9, 'a site of any bytes';
unlike $text, qr/new/, 'no other site';
unlike $text, qr{/page/}, 'no path';

SKIP: {
    skip 'promtool is missing (package prometheus)', 2 if !defined $promtool;
    my $file = Test::Tmpl::Process::spit($httpd->root . '/metrics.txt', $text);
    my $said = qx($promtool check metrics <"$file" 2>&1);
    is $?, 0, 'promtool reads them';
    is $said, '', 'and has no complaint';
}

$httpd->graceful;
my $after = metrics()->body;
is value($after, $_), value($text, $_), "$_ survives a graceful restart"
    for 'tmpl_pages_total{mode="strip"}', 'tmpl_page_seconds_sum', 'tmpl_declined_total{reason="status"}', 'tmpl_site_pages_total{site="a.example"}',
    'tmpl_start_time_seconds', 'tmpl_page_confidence_ratio_sum', 'tmpl_sites{state="warm"}';
$httpd->finish;
done_testing;
