# SPDX-License-Identifier: Apache-2.0

# A site gets another template: one line in the log, a mark in the status page, a metric, all over all children;
# when the new template is known, one line again. A stable site, pages that are not learnt, and a site that has
# just begun cause no alarm.

use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::Tmpl;
use JSON::PP qw(decode_json);

my ($old, $new) = (site(), site(name => 'The New Tribune'));

sub redesigned {
    my ($n) = @_;
    my $html = $new->page($n) =~ s{<(/?)(?:header|aside|footer|main|article)\b[^>]*>}{<$1div>}gr =~ s{<(/?)nav>}{<$1p>}gr;
    return $html =~ s{<body>}{<body class="new"><div id="all"><div class="columns">}r =~ s{</body>}{</div></div></body>}r;
}
my $backend = backend {
    my ($connection, $request) = @_;
    my ($n) = $request->{target} =~ m{^/page/(\d+)};
    my $html = $n < 1000 ? $old->page($n) : redesigned($n);
    $connection->respond(200, { 'Content-Type' => 'text/html' }, $html);
};
my $httpd = Test::Tmpl::Httpd->new(conf => "ProxyPass /tmpl-status !\nProxyPass / " . $backend->url . <<'END')->start;
/
TmplMode strip
TmplSiteKey "%{HTTP:X-Site}"
<Location /tmpl-status>
    SetHandler tmpl-status
</Location>
END
my $get = sub { my ($site, @n) = @_; $httpd->get("/page/$_", headers => { 'X-Site' => $site }) for @n };
my $lines = sub { return scalar grep { /\[$_[0]\] site \Q$_[1]\E:/ } split /\n/, $httpd->log_text };
my $status = sub { return decode_json($httpd->get("/tmpl-status?format=json&site=$_[0]")->body) };
my $metric = sub { return $httpd->get('/tmpl-status/metrics')->body =~ /^tmpl_sites_changed (\d+)$/m ? $1 : undef };

$get->('a.example', 1 .. 40);
is $lines->('T026', 'a.example'), 0, 'a stable site: no alarm';
is $status->('a.example')->{template_changed}, undef, 'nor a mark';

$get->('a.example', 1001 .. 1003);
is $lines->('T026', 'a.example'), 0, 'three pages are no new template';
$get->('a.example', 1004);
$httpd->expect_log(qr/T026/);
is $lines->('T026', 'a.example'), 1, 'the fourth one is';
ok $status->('a.example')->{template_changed} > time - 60, 'the status says since when';
is $metric->(), 1, 'the metric counts the site';
like $httpd->get('/tmpl-status')->body, qr/warm, new template/, 'the page marks it';
like $httpd->get('/tmpl-status?site=a.example')->body, qr/New template since/, 'and so does its own page';

$get->('a.example', 1005 .. 1007);
is $lines->('T027', 'a.example'), 0, 'three pages that are known are not enough';
$get->('a.example', 1008);
is $lines->('T027', 'a.example'), 1, 'the fourth one is: the new template is known';
is $status->('a.example')->{template_changed}, undef, 'no mark any more';
is $metric->(), 0, 'the metric, too';
$get->('a.example', 1009 .. 1030);
is $lines->($_, 'a.example'), 1, "one line $_" for qw(T026 T027);

# a site that had too few pages, and pages that are not learnt
$get->('b.example', 1 .. 6, 1001 .. 1012);
is $lines->('T026', 'b.example'), 0, 'a site that has just begun: no alarm';
$get->('c.example', 1 .. 20);
$httpd->get("/page/$_", headers => { 'X-Site' => 'c.example', Authorization => 'Basic YTpi' }) for 1001 .. 1012;
is $lines->('T026', 'c.example'), 0, 'pages of one person: no alarm';
$get->('c.example', (1001) x 8);
is $lines->('T026', 'c.example'), 0, 'one odd page, again and again: no alarm';

$httpd->finish;
done_testing;
