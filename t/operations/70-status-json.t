# SPDX-License-Identifier: Apache-2.0

# SetHandler tmpl-status: pages judged and declined, as JSON. An unknown request gets status 400 or 404
# and a list of the known requests. Text that pages and clients choose comes out as it went in.

use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::Tmpl;

use JSON::PP qw(decode_json);

my $site = site();
my $deep = '<p>text</p>' . '<div>' x 600 . 'deep' . '</div>' x 600;
my $backend = backend {
    my ($connection, $request) = @_;
    my $target = $request->{target};
    my $page = "<!doctype html>\n<title>t</title>\n$deep";
    return $connection->respond(200, { 'Content-Type' => 'text/html' }, $page) if $target =~ m{^/deep};
    return $connection->respond(200, { 'Content-Type' => 'image/png' }, 'x') if $target =~ m{^/image};
    $request->{target} =~ s{^/(?:beside|marked)}{};
    return $site->answer($connection, $request);
};
# The status has a mode, and a store of its own: both are ignored.
my $conf = <<'END';
TmplMode strip
TmplSiteKey "%{HTTP:X-Site}"
LogFormat "%{tmpl-state}n %{tmpl-ratio}n %{tmpl-declined}n %{tmpl-ms}n %{tmpl-confidence}n %{tmpl-fingerprint}n" tmpl
CustomLog "@ROOT@/logs.txt" tmpl
<Location /deep>
    TmplDetector incremental
</Location>
<Location /beside>
    TmplMode learn
    TmplHeaders off
</Location>
<Location /marked>
    TmplMode annotate
    TmplMark nosnippet
</Location>
<Location /ops/tmpl-status>
    SetHandler tmpl-status
</Location>
<Location /ops/slash/>
    SetHandler tmpl-status
</Location>
<LocationMatch "^/any/[a-z]+/status(/|$)">
    SetHandler tmpl-status
</LocationMatch>
END
my $status = '/ops/tmpl-status';
my $httpd = Test::Tmpl::Httpd->new(conf => "ProxyPass /ops !\nProxyPass /any !\nProxyPass / " . $backend->url . "/\n$conf")->start;

sub status { return decode_json($httpd->get("$status?format=json" . ($_[0] // ''))->body) }

my $empty = status();
is $empty->{schema_version}, 1, 'the schema has a version';
is $empty->{counters}{pages}, 0, 'nothing at first';
is_deeply $empty->{sites}, [], 'no site was seen';
is_deeply $empty->{decisions}, [], 'nothing was decided';

my @to = (headers => { 'X-Site' => 'a.example' });
$httpd->get("/page/$_", @to) for 1 .. 8;
$httpd->get('/deep?x=1', @to);
$httpd->get('/image', @to);
my $all = status();
is $all->{counters}{pages}, 8, 'eight pages judged, the declined one not among them';
is $all->{modes}{strip}, 8, 'in mode strip';
my ($too_deep) = grep { $_->{reason} eq 'too-deep' } @{ $all->{declines} };
is $too_deep->{count}, 1, 'one page declined';
like $too_deep->{text}, qr/nest/, 'with the sentence that explains it';
is scalar @{ $all->{decisions} }, 9, 'nine decisions: an image is no page';
my $declined = $all->{decisions}[0];
is $declined->{path}, '/deep?x=1', 'the last one first';
is $declined->{declined}{reason}, 'too-deep', 'its reason';
my $cut = $all->{decisions}[1];
is $cut->{declined}, undef, 'a page that was judged';
cmp_ok $cut->{template}, '>', 0, 'has template blocks';
cmp_ok $cut->{ratio}, '>', 0.1, 'a share';
cmp_ok $cut->{bytes_in}, '>', $cut->{bytes_out}, 'and fewer bytes than it had';
ok !exists $cut->{unmarked}, 'and nothing of marks, as it has none';
my ($seen) = @{ $all->{sites} };
is $seen->{site}, 'a.example', 'the site was seen';
is "$seen->{pages} $seen->{judged} $seen->{declined} $seen->{state} $seen->{documents}", '9 8 1 warm 8', 'its figures';
is $all->{declined_responses}, 2, 'with the image';
is $all->{declined_pages}, 1, 'which is no page';
is_deeply $seen->{last_pages}, { pages => 9, declined => 1, reasons => { 'too-deep' => 1 } }, 'its last pages';
for my $stage (@{ $all->{stages} }) {
    my $sum = 0;
    $sum += $_->{count} for @{ $stage->{buckets} };
    is $sum, $stage->{count}, "stage $stage->{stage}: the buckets have all times";
    my ($last) = reverse @{ $stage->{buckets} };
    is "$last->{below} $last->{below_share}", "$sum " . ($sum > 0 ? '1.0' : '0.0') =~ s/\.0$//r, 'and the last one ends them';
}
my ($total) = grep { $_->{stage} eq 'total' } @{ $all->{stages} };
is $total->{count}, 9, 'nine pages took time';

subtest 'a site' => sub {
    my $one = status('&site=a.example');
    is $one->{pages}, 9, 'its pages';
    cmp_ok $one->{template_share}, '>', 0.1, 'the share that is template';
    is $one->{tables}[0]{documents}, 8, 'what the store has';
    is scalar @{ $one->{decisions} }, 9, 'its decisions';
};

subtest 'marks' => sub {
    my $said = $httpd->get('/marked/page/3', @to)->says('unmarked');
    cmp_ok $said, '>', 0, 'this mark is not for all elements';
    cmp_ok abs(status()->{decisions}[0]{unmarked} - $said), '<', 0.001, 'the share that has none, as in the Tmpl field';
    like $httpd->get($status)->body, qr{<td>annotate, [\d.]+ % unmarked</td>}, 'and on the page';
};

subtest 'names of any bytes' => sub {
    for my $key ('<script>alert(1)</script>', '"quoted" & \\', 'a/b/../c', "caf\xE9", "caf\xC3\xA9", "tab\there", 'metrics', '100%25') {
        my $query = $key =~ s/([^A-Za-z0-9])/sprintf '%%%02X', ord $1/ger;
        $httpd->get("/page/1?$query", headers => { 'X-Site' => $key });
        my $res = $httpd->get("$status?format=json&site=$query");
        is $res->status, 200, "$query is found";
        my $one = decode_json($res->body);
        my $shown = $key;
        utf8::decode($shown) or $shown =~ s/\xE9/\x{FFFD}/;
        is $one->{site}, $shown, 'and has its name';
        is $one->{decisions}[0]{path}, '/page/1?' . $query =~ s/%2E/./gr, 'and its path';
        my $page = $httpd->get("$status?site=$query");
        is $page->status, 200, 'as a page, too';
        unlike $page->body, qr/<script>alert/, 'without markup of others';
        my $again = decode_json($httpd->get("$status?format=json&site=$one->{query}")->body);
        is $again->{query}, $one->{query}, 'its query names it again';
    }
};

subtest 'a location that is a pattern' => sub {
    my @json = (headers => { Accept => 'application/json' });
    my $at = '/any/thing/status';
    is decode_json($httpd->get($at, @json)->body)->{counters}{pages}, status()->{counters}{pages}, 'the server';
    like $httpd->get($at)->body, qr{href="\Q$at\E\?site=a\.example"}, 'links to a site';
    is decode_json($httpd->get("$at?site=a.example", @json)->body)->{site}, 'a.example', 'which it shows';
    like $httpd->get("$at/metrics")->body, qr/^tmpl_build_info/m, 'metrics';
};

subtest 'a location with a slash at its end' => sub {
    my @json = (headers => { Accept => 'application/json' });
    is decode_json($httpd->get('/ops/slash/?site=a.example', @json)->body)->{site}, 'a.example', 'a site';
    like $httpd->get('/ops/slash/')->body, qr{href="/ops/slash\?site=a\.example"}, 'links without it';
};

subtest 'another method' => sub {
    my $res = $httpd->get($status, method => 'DELETE');
    is $res->status, 405, 'is refused';
    my %allowed = map { $_ => 1 } split /, */, $res->header('Allow');
    ok $allowed{GET} && $allowed{POST} && !$allowed{DELETE}, 'with those that are allowed, in any order';
};

subtest 'what is not known' => sub {
    for my $case (
        ['?format=xml', 400, qr/no such format/], ['?x=1', 400, qr/not known/], 
        ['?site=nowhere.example', 404, qr/No site/], ['?format=metrics', 400, qr/no such format/],
        ['/metrics?site=a.example', 404, qr/no metrics/],
        ['/metrics?format=json', 400, qr/no such format/],
    ) {
        my ($target, $code, $says) = @$case;
        my $res = $httpd->get("$status$target");
        is $res->status, $code, "$target is refused";
        like $res->body, $says, 'with the reason';
        like $res->body, qr{\Q$status\E\?site=SITE}, 'and with what there is';
        like $res->header('Content-Type'), qr{^text/plain}, 'as text';
    }
    is $httpd->get($status, method => 'DELETE')->status, 405, 'DELETE is refused';
};

subtest 'fields' => sub {
    for my $target ('', '/', '?format=json', '/metrics', '?site=a.example', '?site=nowhere') {
        my $res = $httpd->get("$status$target");
        is $res->header('Cache-Control'), 'no-store', "$target must not be kept";
        is $res->header('X-Content-Type-Options'), 'nosniff', 'nor be guessed at';
        is $res->header('Tmpl'), undef, 'and is no page to judge';
        my $head = $httpd->get("$status$target", method => 'HEAD');
        is $head->status . $head->body, $res->status, 'HEAD has the same status and no body';
    }
    like $httpd->get($status, headers => { Accept => 'application/json' })->header('Content-Type'), qr/json/, 'JSON by Accept';
    like $httpd->get($status, headers => { Accept => '*/*' })->header('Content-Type'), qr/html/, 'a page else';
};

subtest 'notes for logs' => sub {
    my $log = sub { return Test::Tmpl::Process::slurp($httpd->root . '/logs.txt') };
    ok wait_for { $log->() =~ /^warm 0\.\d{3} - \d+\.\d{3} [01]\.\d{3} [0-9a-f]{16}$/m }, 'of a page that was judged';
    ok wait_for { $log->() =~ /^- - too-deep \d+\.\d{3} - -$/m }, 'of a declined one';
};

subtest 'notes of a page that was not held' => sub {
    $httpd->get('/beside/page/20', @to);
    my $log = sub { return Test::Tmpl::Process::slurp($httpd->root . '/logs.txt') };
    ok wait_for { $log->() =~ /^warm - - \d+\.\d{3} - (?:-|[0-9a-f]{16})$/m }, 'its state and its time';
    is status()->{modes}{learn}, 1, 'it is counted';
    my ($decision) = @{ status()->{decisions} };
    is "$decision->{path} $decision->{mode}", '/beside/page/20 learn', 'and kept';
};

my $before = status();
$httpd->graceful;
my $after = status();
is $after->{counters}{pages}, $before->{counters}{pages}, 'counters survive a graceful restart';
is_deeply $after->{sites}, $before->{sites}, 'sites too';
is_deeply $after->{decisions}, $before->{decisions}, 'decisions too';
is_deeply $after->{stages}, $before->{stages}, 'times too';

subtest 'another TmplRecent' => sub {
    $httpd->{conf} = "TmplRecent 2\n$httpd->{conf}";
    $httpd->command;    # writes the file
    $httpd->graceful;
    is status()->{decisions_kept}, 2, 'its number is in force';
    is_deeply status()->{decisions}, [], 'a new ring';
    is status()->{counters}{pages}, $after->{counters}{pages}, 'the counters go on';
    ok wait_for { $httpd->get('/page/9', @to); @{ status()->{decisions} } == 2 }, 'it fills, and keeps two';
    $httpd->{conf} =~ s/TmplRecent 2/TmplRecent 0/;
    $httpd->command;
    $httpd->graceful;
    is status()->{decisions_kept}, 0, 'none';
    $httpd->get('/page/9', @to);
    is_deeply status()->{decisions}, [], 'is kept';
};

$httpd->finish;
done_testing;
