# SPDX-License-Identifier: Apache-2.0

# The key of a site is the server's canonical name, so a forged Host makes no new table; TmplSiteKey
# and TmplPageKey change the keys. Sites do not share what they learn.

use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::Tmpl;

my $site = site();
my $backend = backend { $site->answer(@_) };
# pictures between texts that the model takes for template
my $sentences = join ' ', ('This is a sentence of an article, and it is not on another page.') x 5;
my $pictures = "<!DOCTYPE html><title>A title</title><h1>A title</h1><p>$sentences</p><nav><ul class=\"menu\">"
    . join('', map { "<li><img src=\"$_.gif\"> <a href=\"/$_\">$_</a></li>" } qw(Home News Sport Weather Contact Search))
    . "</ul></nav><p>$sentences Last.</p>";
my $illustrated = backend { $_[0]->respond(200, { 'Content-Type' => 'text/html' }, $pictures) };
my $url = $backend->url;
my $httpd = proxy($backend, conf => <<"END");
TmplMode strip
<Location /byhost/>
    ProxyPass $url/
    TmplSiteKey "by %{HTTP_HOST}"
</Location>
<Location /long/>
    ProxyPass $url/
    TmplSiteKey "%{req:X-Site}"
    <If "req('X-Detector') == 'incremental'">
        TmplDetector incremental
    </If>
</Location>
<Location /pictures>
    ProxyPass ${\ $illustrated->url}/
    TmplSiteKey "%{HTTP_HOST}"
</Location>
<Location /bykey/>
    ProxyPass $url/
    TmplSiteKey bykey
    TmplPageKey "%{req:X-Document}"
</Location>
<VirtualHost *:\@PORT\@>
    ServerName one.example
    ServerAlias test.example 127.0.0.1 *.forged.example
    ProxyPass / $url/
</VirtualHost>
<VirtualHost *:\@PORT\@>
    ServerName two.example
    ProxyPass / $url/
</VirtualHost>
END

my @answers = map { $httpd->get("/page/$_", host => "host$_.forged.example") } 1 .. 6;
is $answers[-1]->says('pages'), 6, 'six forged Hosts, one site';
same_bytes($answers[-1]->body, $site->stripped(6), 'six forged Hosts: the site is learnt');
is $httpd->get('/page/1', host => 'two.example')->says('state'), 'cold', 'another virtual host is another site';

@answers = map { $httpd->get("/byhost/page/$_", host => $_ % 2 ? 'a.forged.example' : 'b.forged.example') } 1 .. 6;
is join(' ', map { $_->says('pages') } @answers), '1 1 2 2 3 3', 'TmplSiteKey from the Host: two sites';

my $ask = sub { $httpd->get("/bykey/page/$_[0]", headers => { 'X-Document' => $_[1] })->says('pages') };
is join(' ', map { $ask->($_, 'same') } 1 .. 6), '1 1 1 1 1 1', 'TmplPageKey: one document with six URLs';
is $ask->(7, 'other'), 2, 'another key, another document';

# A name that no store accepts is not a failure of the store: only the pages of that site are
# affected, and the log has few lines.
for my $detector (qw(incremental auto)) {
    my %headers = ('X-Site' => 'x' x 256, 'X-Detector' => $detector);
    my @faults = grep { defined } map {
        Test::Tmpl::fault_of($httpd->get("/long/page/$_", headers => \%headers), $detector, $site, $_)
    } 1 .. 20;
    is join("\n", @faults), '', "a name of 256 bytes: $detector acts as without a store";
}
my @pictured = map { $httpd->get('/pictures', host => $_) } 'a.forged.example', 'x' x 256;
is $pictured[1]->status, 200, 'a Host of 256 bytes, and a page with pictures';
is $pictured[1]->says('store'), 0, 'a Host of 256 bytes: judged without the store';
like $pictured[0]->body, qr/Last\.<\/p>\z/, 'the first page of another site is complete';
isnt $pictured[0]->body, $pictures, 'the first page of another site is stripped';
same_bytes($pictured[1]->body, $pictured[0]->body, 'a Host of 256 bytes: the same page');
is $httpd->get('/long/page/1', headers => { 'X-Site' => 'x' x 255 })->says('state'), 'cold', '255 bytes: accepted';
like $httpd->log_text, qr/\[tmpl:warn\].*\[T015\].*256 bytes/, 'the log reports the long name';
unlike $httpd->log_text, qr/T011/, 'the log reports no failure of a store';
$httpd->expect_log(qr/T015/);
$httpd->finish;

# An expression that fails: httpd logs it each time, and the page counts for the server's default
# site.
my $failing = proxy($backend, conf => "TmplMode headers\nTmplSiteKey \"%{file:/nowhere}\"\n<Location /page/4>\nTmplSiteKey test.example\n</Location>");
is $failing->get("/page/$_")->says('pages'), $_, "an expression that fails: page $_" for 1 .. 3;
is $failing->get('/page/4')->says('pages'), 4, 'is one of the site by ServerName';
is_deeply [map { /failed: (.*)/ ? $1 : $_ } grep { /error\]/ } split /\n/, $failing->log_text],
    [('Cannot open file /nowhere') x 3], 'one line in the log for each failure';
$failing->expect_log(qr/Cannot open file/);
$failing->finish;
done_testing;
