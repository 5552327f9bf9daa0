# SPDX-License-Identifier: Apache-2.0

# The handlers tmpl-sitemap and tmpl-feed: sitemaps in XML, sitemap.md, llms.txt and Atom of the listed
# documents. Judged by xmllint with a schema of each, and by python3-feedparser.

use File::Basename qw(dirname);
use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::Tmpl;

my $top = "$FindBin::Bin/../..";
my $tool = $ENV{TMPLCTL} // dirname($ENV{TMPL_MODULE} // 'build/mod_tmpl.so') . '/tmplctl';
my $dir = temp_dir();
my $httpd = httpd(conf => <<'END');
TmplMode strip
TmplMarkdown on
<Location "/lists">
    SetHandler tmpl-sitemap
    SetOutputFilter DEFLATE
</Location>
<Location "/lists/feed.xml">
    SetHandler tmpl-feed
</Location>
<Location "/other">
    SetHandler tmpl-sitemap
    TmplSiteKey other
</Location>
END

# Imports documents, as [address, title, first, changed], into the httpd's store.
my $today = int(time / 86_400);
sub import_list {
    my ($site, @documents) = @_;
    my $n = @documents;
    my $head = qq({"format": "tmpl-table", "version": 1, "site": "s", "pages": 9, "table_version": 0, "entries": 0, "secret": "", )
        . qq("listed": $n, "since": 5, "edition": $n, "evicted": false}\n);
    my $line = '{"kind": "listed", "address": "%s", "title": "%s", "day": %d, "first": %d, "changed": %d, "text": 7, "layout": 3, "fingerprint": "0123456789abcdef"}' . "\n";
    spit("$dir/export", $head . join '', map { sprintf $line, @$_[0, 1], $_->[4] // $today, @$_[2, 3] } @documents);
    return system("$tool import --store lmdb:$httpd->{root}/store --secret x $site <$dir/export") == 0;
}

sub valid {
    my ($xml, $name, $schema) = @_;
    my @option = $schema =~ /xsd$/ ? '--schema' : '--relaxng';
    spit("$dir/xml", $xml);
    my $said = qx(xmllint --noout @option $top/t/schemas/$schema $dir/xml 2>&1);
    return is($said =~ s/^.* validates\n//r, '', "$name: valid by $schema");
}

# What feedparser reads, as lines.
sub read_feed {
    my ($xml) = @_;
    spit("$dir/feed", $xml);
    return [split /\n/, qx(/usr/bin/python3 -c '
import feedparser, sys
feed = feedparser.parse(sys.argv[1])
print("bozo" if feed.bozo else "well-formed", feed.version, feed.feed.title)
for e in feed.entries:
    print(e.id, e.link == e.id, e.title, e.updated, e.get("published"), e.tags[0].term)
' $dir/feed 2>&1)];
}
plan(skip_all => 'no xmllint or no python3-feedparser')
    if system('xmllint --version >/dev/null 2>&1; /usr/bin/python3 -c "import feedparser" 2>/dev/null');

# ---- an empty list ----

is $httpd->get("/lists/$_")->status, 200, "$_ of a site that is not known" for qw(sitemap.xml sitemap.md llms.txt feed.xml);
valid($httpd->get('/lists/sitemap.xml')->body, 'an empty sitemap', 'sitemap.xsd');
valid($httpd->get('/lists/feed.xml')->body, 'an empty feed', 'atom.rng');
is_deeply read_feed($httpd->get('/lists/feed.xml')->body), ['well-formed atom10 test.example'], 'a feed reader reads it';

# ---- a list ----

my $ugly = 'A & <b>\"B\"</b> ]]> \u0001 [x](y) *z* \u00fc\ufffe';
ok import_list('test.example', ['/', 'Home', 0, 0], ['/blog/a?x=1&y=2', $ugly, 0, 1_795_430_400], ['/blog/b(1)', '', 1_700_000_000, 0],
    ['/about', 'About', 1_600_000_000, 1_650_000_000], ['/old', 'Not seen for long', 0, 0, $today - 31]), 'import';
my $base = 'http://test.example';
my $sitemap = $httpd->get('/lists/sitemap.xml');
valid($sitemap->body, 'a sitemap', 'sitemap.xsd');
is_deeply [sort $sitemap->body =~ m{<url>(.*?)</url>}g],
    ["<loc>$base/</loc>", "<loc>$base/about</loc><lastmod>2022-04-15T05:20:00Z</lastmod>",
    "<loc>$base/blog/a?x=1&amp;y=2</loc><lastmod>2026-11-23T10:40:00Z</lastmod>", "<loc>$base/blog/b(1)</loc>"],
    'each document, changes dated, those not seen for a month left out';
is $sitemap->header('Content-Type'), 'application/xml; charset=utf-8', 'type of the sitemap';
my $feed = $httpd->get('/lists/feed.xml');
valid($feed->body, 'a feed', 'atom.rng');
is_deeply read_feed($feed->body), ['well-formed atom10 test.example',
    "$base/blog/a?x=1&y=2 True A & <b>\"B\"</b> ]]>  [x](y) *z* \xc3\xbc 2026-11-23T10:40:00Z None changed",
    "$base/blog/b(1) True /blog/b(1) 2023-11-14T22:13:20Z 2023-11-14T22:13:20Z new",
    "$base/about True About 2022-04-15T05:20:00Z 2020-09-13T12:26:40Z changed"], 'new and changed documents, the newest first';
is $httpd->get('/lists/llms.txt')->body, <<"END", 'llms.txt: sections by path, titles escaped';
# test.example

## /

- [Home]($base/)
- [About]($base/about): changed 2022-04-15

## /blog/

- [A \\& \\<b\\>"B"\\</b\\> \\]\\]\\>   \\[x\\](y) \\*z\\* \xc3\xbc\xef\xbf\xbe]($base/blog/a?x=1&y=2): changed 2026-11-23
- [/blog/b(1)]($base/blog/b%281%29)
END
is $httpd->get('/lists/sitemap.md')->header('Content-Type'), 'text/markdown; charset=utf-8', 'type of sitemap.md';
is $httpd->get('/other/sitemap.xml')->body =~ /<url>/ ? 'some' : 'none', 'none', 'another site has another list';

# most titles end in the name of the site
ok import_list('test.example', map { [@$_, 0, 0] } ['/', 'Home - Harbour'], ['/a', 'Nets and ropes - Harbour'], ['/b', 'About us | Harbour'], ['/c', 'Boats - ships'],
    ['/d', 'How to sail to Harbour'], ['/e', 'All our knots - Harbour'], ['/f', 'All our sails - Harbour']), 'import';
is_deeply [$httpd->get('/lists/llms.txt')->body =~ /\[(.*?)\]/g], ['Home', 'Nets and ropes', 'About us', 'Boats - ships', 'How to sail to Harbour', 'All our knots', 'All our sails'],
    'it is not in titles, but where a sentence ends in it';
ok import_list('test.example', map { [@$_, 0, 0] } ['/', 'Home - Harbour'], ['/a', 'Nets and ropes - ships'], ['/b', 'About us - boats']), 'import';
like $httpd->get('/lists/llms.txt')->body, qr/\[Home - Harbour\]/, 'other ends stay';

# ---- HTTP ----

for my $path (qw(sitemap.xml feed.xml llms.txt)) {
    my $res = $httpd->get("/lists/$path");
    my $etag = $res->header('ETag');
    my $not_modified = $httpd->get("/lists/$path", headers => { 'If-None-Match' => $etag, Connection => 'close' });
    is $not_modified->status . $not_modified->body, 304, "$path: 304 while the list is the same";
    my %as_gzip = ('Accept-Encoding' => 'gzip', Connection => 'close');
    my $gzip_tag = $httpd->get("/lists/$path", headers => \%as_gzip)->header('ETag');
    is $httpd->get("/lists/$path", headers => { %as_gzip, 'If-None-Match' => $gzip_tag })->status, 304, "$path: 304 for the compressed list, too";
    is $httpd->get("/lists/$path", headers => { 'If-None-Match' => "$etag, \"x\"", Accept => 'text/markdown' })->status, 304, "$path: 304 whatever the mode";
    my $head = $httpd->get("/lists/$path", method => 'HEAD');
    is join(' ', $head->status, $head->header('ETag'), $head->header('Content-Type'), $head->header('Cache-Control')),
        join(' ', 200, $etag, $res->header('Content-Type'), 'max-age=300'), "$path: HEAD";
    is $httpd->get("/lists/$path", method => 'POST')->status, 405, "$path: no POST";
}
is $httpd->get('/lists/sitemap.xml', headers => { 'Accept-Encoding' => 'gzip', Connection => 'close' })->header('Content-Encoding'), 'gzip', 'gzip';
is $httpd->get("/lists/sitemap.xml?part=$_")->status, 404, "no part $_" for 0, 9, 'x';
is $httpd->get('/lists/sitemap.xml', host => 'evil.example')->body =~ /evil/ ? 'evil' : 'own', 'own', 'a Host field makes no addresses';

# ---- a large list ----

my $etag = $httpd->get('/lists/sitemap.xml')->header('ETag');
ok import_list('test.example', map { ["/section/" . $_ % 7 . "/page-of-the-site-$_", "Title of page $_", 0, 1_700_000_000 + $_] } 1 .. 60_000), 'import';
isnt $httpd->get('/lists/sitemap.xml')->header('ETag'), $etag, 'another list has another tag';
my $index = $httpd->get('/lists/sitemap.xml')->body;
valid($index, 'an index', 'sitemap.xsd');
my @parts = $index =~ m{<loc>\Q$base\E(.*?)</loc>}g;
my %seen;
for my $part (@parts) {
    my $body = $httpd->get($part)->body;
    valid($body, "part $part", 'sitemap.xsd') if $part =~ /[18]$/;
    $seen{$_}++ for $body =~ m{<loc>(.*?)</loc>}g;
}
is scalar(keys %seen) . ' ' . grep({ $_ > 1 } values %seen), '60000 0', 'the parts have each document once';
is scalar(() = $httpd->get('/lists/feed.xml')->body =~ /<entry>/g), 100, 'a feed has 100 entries';
like $httpd->get('/lists/feed.xml')->body, qr{page-of-the-site-60000</id>}, 'the newest is one of them';
like $httpd->get('/lists/llms.txt')->body, qr/^59500 more documents are in the sitemap in XML\.$/m, 'llms.txt has 500';
$httpd->finish;
done_testing;
