# SPDX-License-Identifier: Apache-2.0

# Each row of docs/troubleshooting.md: a page for every reason passes unchanged, with the reason in its
# Tmpl field, in the log and in the counters. The table %FAULT below names the test of each fault of
# a store.

use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::Tmpl;
use Compress::Zlib ();

my $doc = slurp("$FindBin::Bin/../../docs/troubleshooting.md");

# The first cells of the table whose first line starts with $head.
sub rows {
    my ($head) = @_;
    my ($table) = $doc =~ /^\| \Q$head\E \|.*\n\|[-|]+\|\n((?:\|.*\n)+)/m;
    return ($table // '') =~ /^\| (.*?) \|/mg;
}

# For each reason, at /NAME: a body and further fields of the response.
my %HTML = ('Content-Type' => 'text/html');
my %PAGE = (
    status => ['<p>gone', Status => 404],
    range => ['<p>a part', 'Content-Range' => 'bytes 0-7/8'],
    type => ['<p>XML', 'Content-Type' => 'application/xhtml+xml'],
    encoding => ['no zstd', 'Content-Encoding' => 'compress'],
    'no-transform' => ['<p>as it is', 'Cache-Control' => 'no-transform'],
    attachment => ['<p>a file', 'Content-Disposition' => 'attachment'],
    backend => ['<p>as the backend wants', 'Tmpl-Control' => 'off'],
    fragment => ['<button>Save</button>'],
    'too-large' => ['<p>' . 'x' x 1024],
    inflate => [Compress::Zlib::memGzip('<p>one') . Compress::Zlib::memGzip('<p>two'), 'Content-Encoding' => 'gzip'],
    empty => ['<p></p> &nbsp;'],
    charset => ["<p>\x{41}", 'Content-Type' => 'text/html; charset=utf-16'],
    frameset => ['<frameset><frame></frameset>'],
    plaintext => ['<p>a<plaintext>b'],
    'too-deep' => ['<div>' x 600 . 'a' . '</div>' x 600],
    'too-many' => ['<li>x' x 60_000],
    store => ['<p>a page'],
    'min-keep' => ['<div>a page</div>'],
    'min-confidence' => ['<div>a page</div><p>of two parts</p>'],
    xpath => ['<p>x</p>' x 2_000],
    markdown => ['<base href=http://long.example/' . 'x' x 200 . '/><p>' . join('', map { "<a href=a$_>b</a> " } 1 .. 5_000)],
);
my %DIRECTIVES = (
    'too-large' => 'TmplMaxBody 1024',
    slow => 'TmplMaxWait 10ms',
    store => "TmplDetector incremental\nTmplStore lmdb:\@ROOT\@/store/no/such",
    'min-keep' => "TmplDrop div\nTmplMinKeep 1",
    'min-confidence' => "TmplDrop div\nTmplMinConfidence 1",
    xpath => 'TmplDrop "xpath://p[count(preceding::p[count(following::p) > 3]) > 3]"',
    markdown => "TmplMode markdown\nTmplKeep p",
);
my $backend = backend {
    my ($connection, $request) = @_;
    my ($name) = $request->{target} =~ m{^/([\w-]+)};
    if ($name eq 'slow') {
        $connection->head(200, { %HTML, 'Content-Length' => length '<p>not now' });
        $connection->send('<p>not');
        $connection->wait_until('slow');
        return $connection->send(' now');
    }
    if ($name eq 'broken') {
        $connection->respond(200, { %HTML, 'Content-Length' => 100 }, '<p>cut');
        return $connection->close;
    }
    my ($body, %fields) = @{ $PAGE{$name} };
    my $status = delete $fields{Status} // 200;
    return $connection->respond($status, { %HTML, %fields }, $body);
};
my $locations = join '', map { "<Location /$_>\n$DIRECTIVES{$_}\n</Location>\n" } sort keys %DIRECTIVES;
my $httpd = Test::Tmpl::Httpd->new(modules => ['include'], conf => <<"END");
TmplMode strip
$locations
<Location /local>
    ProxyPass !
    SetOutputFilter INCLUDES
</Location>
<Location /counters>
    ProxyPass !
    SetHandler tmpl-status
    TmplMode off
</Location>
<Directory "\@ROOT\@/htdocs">
    Require all granted
    Options +Includes
</Directory>
ProxyPass / ${\ $backend->url}/
END
mkdir $httpd->root . '/htdocs/local';
spit($httpd->root . '/htdocs/local/whole.html', '<p>whole <!--#include virtual="part.html" --></p>');
spit($httpd->root . '/htdocs/local/part.html', 'and part');
$httpd->expect_log(qr/\[T0(?:01|11)\]/, qr/\[proxy(?:_http)?:error\]/);
$httpd->start;

# reason => count, for counters above 0
sub counters {
    my $count = $httpd->counted('/counters');
    return { map { s/^declined-//r => $count->{$_} } grep { /^declined-/ } keys %$count };
}

my @reasons = rows('reason');
is_deeply [sort @reasons], [sort keys %{ counters() }], 'docs/troubleshooting.md has the reasons that are counted';
is_deeply [sort @reasons], [sort 'subrequest', 'broken', 'slow', keys %PAGE], 'each reason has a page in this test';
for my $reason (sort keys %PAGE) {
    my $res = $httpd->get("/$reason", headers => $reason eq 'fragment' ? { 'HX-Request' => 'true' } : {});
    same_bytes($res->body, $PAGE{$reason}[0], "$reason: unchanged");
    is $res->says('declined'), $reason eq 'type' ? '' : $reason, "$reason: reason in the Tmpl field";
}
my $client = $httpd->client;
$client->send_request('/slow');
ok $client->comes('<p>not'), 'slow: the client gets the beginning before the end is sent';
$backend->allow('slow');
my $slow = $client->read_response('GET');
same_bytes($slow->body, '<p>not now', 'slow: unchanged');
is $slow->says('declined'), 'slow', 'slow: reason in the Tmpl field';
my $broken = $httpd->get('/broken');
ok !$broken->complete || $broken->status >= 500, 'broken: the client sees an error or an incomplete response';
same_bytes($httpd->get('/local/whole.html')->body, '<p>whole and part</p>', 'subrequest: a page with a part');
my $count = counters();
for my $reason (sort @reasons) {
    is $count->{$reason}, 1, "$reason: counted once";
    is scalar(() = $httpd->log_text =~ /\[tmpl:debug\].*declined: \Q$reason\E: /g), 1, "$reason: logged at level debug";
}
$httpd->finish;

# The second table: the files that test each row, and a string of the test.
my %FAULT = (
    'Redis absent at start, killed, stopped, a black hole, wrong password, garbage replies' => {
        '25-store-down.t' => ['$redis->kill9'], '50-redis-silent.t' => ['black hole'],
        '51-redis-refuses.t' => ['wrong password', 'garbage: $name'],
        '53-faults-under-load.t' => ['Redis absent at start', 'Redis killed', 'Redis stopped', 'Redis, wrong password',
            'Redis, an address that swallows all', 'Redis replies with garbage: $_'],
    },
    'Redis restarted empty' =>
        { '18-redis-restart.t' => ['started again, empty'], '53-faults-under-load.t' => ['Redis restarted empty'] },
    'Redis a read-only replica, or out of memory' => { '51-redis-refuses.t' => ['a replica that takes no writes', 'no memory left'] },
    'one server of a Redis Cluster killed, stopped or refusing' => { '70-cluster.t' => ['a master is killed'] },
    'slots of a Redis Cluster move' => { '70-cluster.t' => ['slots move under load'] },
    'Sentinel elects another master' => { '71-sentinel.t' => [q{survived('killed'}] },
    'the replica of TmplStoreRead' => { '73-replica.t' => ['the replica is killed: the master is asked'] },
    'LMDB\'s directory missing or unwritable' => { '52-lmdb-faults.t' => ['a parent that is a file', 'without the right to write'] },
    'LMDB\'s file damaged or cut short when httpd starts' => { '52-lmdb-faults.t' => ['bytes of garbage', 'a file cut short'] },
    'LMDB\'s file damaged in use: other programs write into it, or cut it short' => {},    # nothing is promised
    'LMDB\'s file or directory removed or replaced in use' => { '52-lmdb-faults.t' => ['is removed in use'] },
    'a site\'s name of more than 255 bytes (TmplSiteKey)' => { '14-site-key.t' => ['a name of 256 bytes'] },
    'the disk of LMDB full, or its file, where no other site may be forgotten' =>
        { '52-lmdb-faults.t' => ['a disk that fills up'], '53-faults-under-load.t' => ['LMDB, its map full'] },
    'LMDB has as many sites as it may, or its file is nearly full' =>
        { '64-lmdb-limits.t' => ['as many sites as it may have', 'a file that is nearly full'] },
    'LMDB\'s disk fails to write into the existing file' => { '53-faults-under-load.t' => ['LMDB, its file may not grow'] },
    'any of these, for pages whose counts were read from Redis within TmplLearnDelay' =>
        { '55-redis-delay.t' => ['a page that needs the store is declined'] },
    'any of these while pages wait to be learnt (TmplLearnDelay)' =>
        { '46-learn-later.t' => ['a store that is full', 'a Redis that is killed and comes back', 'a Redis that is stopped at the end'] },
);
is_deeply [sort(rows('fault'))], [sort keys %FAULT], 'docs/troubleshooting.md lists the faults that are tested';
for my $fault (sort keys %FAULT) {
    for my $file (sort keys %{ $FAULT{$fault} }) {
        my $text = slurp(glob "$FindBin::Bin/../*/$file");
        isnt index($text, $_), -1, "$fault: $file tests \"$_\"" for @{ $FAULT{$fault}{$file} };
    }
}

done_testing;
