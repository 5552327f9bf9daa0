# SPDX-License-Identifier: Apache-2.0

# The status page: one page that loads nothing, has no script, and works under the policy that is sent
# with it. Strings that pages, clients and backends choose come out as text. No password is shown.

use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::Tmpl;

my $markup = q{<script>alert("1")</script>&amp;'};
my $escaped = qr/&lt;script&gt;alert\(&quot;1&quot;\)&lt;\/script&gt;&amp;amp;'/;

my $site = site();
my $backend = backend {
    my ($connection, $request) = @_;
    return $connection->respond(200, { 'Content-Type' => 'text/html' }, '<p>' . '<div><x"y>' x 600) if $request->{target} =~ m{^/deep};
    return $connection->respond(200, { 'Content-Type' => 'text/html', 'Content-Disposition' => 'attachment' }, 'x')
        if $request->{target} =~ m{^/file};
    return $site->answer(@_);
};
my $conf = "ProxyPass /status !\nProxyPass / " . $backend->url . "/\n" . <<'END';
TmplMode strip
TmplSiteKey "%{HTTP:X-Site}"
TmplSecret open-sesame
<Location /status>
    SetHandler tmpl-status
</Location>
<Location /other>
    TmplStore redis://somebody:pa55w0rd@127.0.0.1:1/0
    TmplKeep "p[title='<b>']"
    TmplAdmin "req('X-Key') == 'admin-word'"
    TmplHighlightAllow "req('X-Key') == 'look-word'"
    TmplLearn "req('X-Key') == 'learn-word'"
</Location>
<Location /another>
    TmplStore redis://another:pa55w0rd@127.0.0.1:1/0
    <If "req('X-Key') == 'if-word'">
        TmplMinDF 8
    </If>
</Location>
<VirtualHost *:*>
    ServerName second.example
    TmplMinDF 7
    <LocationMatch "^/a<b">
        TmplMinKeep 3%
    </LocationMatch>
</VirtualHost>
END
my $httpd = httpd(conf => $conf);
sub page { return $httpd->get('/status' . ($_[0] // '')) }

my $empty = page();
is $empty->status, 200, 'a page before there is anything to show';
like $empty->body, qr/No site has been seen yet/, 'says so';

my %to = (headers => { 'X-Site' => $markup });
$httpd->get("/page/$_", %to) for 1 .. 8;
$httpd->get('/page/9?q=' . $markup, %to);
$httpd->get('/deep?<b>', %to);
$httpd->get('/file', %to);
my $res = page();
my $html = $res->body;

subtest 'alone' => sub {
    like $res->header('Content-Type'), qr{^text/html; charset=utf-8$}i, 'HTML';
    my $policy = $res->header('Content-Security-Policy');
    my ($nonce) = $policy =~ /^default-src 'none'; style-src 'nonce-([0-9a-f]{32})'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'$/;
    ok $nonce, "its policy: $policy";
    like $html, qr/<style nonce="\Q$nonce\E">/, 'allows its own style';
    unlike page()->header('Content-Security-Policy'), qr/\Q$nonce\E/, 'another response has another nonce';
    is $res->header('X-Content-Type-Options'), 'nosniff', 'nosniff';
    is $res->header('Cache-Control'), 'no-store', 'no-store';
    my ($found) = $html =~ s/<style.*?<\/style>//sr =~ /(<script|<link|<img|<iframe|\son\w+="|style="|javascript:|url\(|\@import|https?:\/\/)/i;
    is $found, undef, 'no script, nothing from elsewhere';
};

subtest 'sections' => sub {
    for my $heading ('Sites by traffic', 'Last decisions', 'Declines by reason', 'Stores, learner, cache', 'Time by stage') {
        like $html, qr{<h2 id="[\w-]+">\Q$heading\E</h2>}, $heading;
    }
    like $html, qr{declined: <b>too-deep</b></td>}, 'a decline';
    like $html, qr{elements nest deeper than the limit</td>\s*<td>look for elements that are never closed}, 'why, and what to do';
};

subtest 'texts are no markup' => sub {
    my ($one) = grep { $_ } map { s/<style.*?<\/style>//sr } $html;
    like $one, $escaped, 'the key of a site';
    like $one, qr{/page/9\?q=%3Cscript%3Ealert\(%221%22\)%3C/script%3E&amp;amp;'}, 'a path';
    unlike $one, qr/<script|<b>'|<x"/, 'no tag of theirs';
    my ($query) = $one =~ /\?site=([^"]*)"/;
    my $about = page("?site=$query")->body;
    like $about, qr{<h1>Site $escaped</h1>}, 'a heading';
    like $about, qr{<title>Site $escaped}, 'a title';
    unlike $about, qr/<script/, 'no script';
};

subtest 'the filter' => sub {
    my ($decisions) = page('?declined=too-deep')->body =~ m{<section id="decisions".*?(<tbody>.*?</tbody>)}s;
    is scalar(() = $decisions =~ /<tr>/g), 1, 'one decision';
    like page('?declined=too-deep')->body, qr/<option value="too-deep" selected>/, 'the choice is shown';
    ($decisions) = page('?declined=any')->body =~ m{<section id="decisions".*?(<tbody>.*?</tbody>)}s;
    is scalar(() = $decisions =~ /declined: <b>/g), scalar(() = $decisions =~ /<tr>/g), 'declined ones only';
    my $wrong = page('?declined=<b>');
    is $wrong->status, 400, 'a reason that there is not';
    like $wrong->body, qr/any, or a reason/, 'what there is';
};

subtest 'what the configuration names' => sub {
    my ($stores) = $html =~ m{<section id="stores".*?</section>}s ? $& : '';
    like $stores, qr{redis://\.\.\.\@127\.0\.0\.1:1/0\b(?! \()}, 'a store without its password';
    like $stores, qr{redis://\.\.\.\@127\.0\.0\.1:1/0 \(2\)}, 'one that differs in what is not shown by a number';
    unlike $_, qr/pa55w0rd|open-sesame|admin-word|look-word|learn-word|if-word/, 'nothing that is secret' for $html, page('?format=json')->body;
};

$httpd->expect_log(qr/T011/);
$httpd->finish;
done_testing;
