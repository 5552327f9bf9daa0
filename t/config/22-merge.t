# SPDX-License-Identifier: Apache-2.0

# Every directive that may stand in a section works in the server, a virtual host, a Location, a Directory and
# an If. The nearest section counts; settings that it does not set are inherited, and a setting that was turned
# on can be turned off again. The test observes what the server does.

use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::Tmpl;

my $site = site();
my $backend = backend {
    my ($connection, $request) = @_;
    $request->{target} =~ s{^/x/[^/]+}{};
    return $site->answer($connection, $request);
};
my $url = $backend->url;

# Each row: a name, lines in the server, lines in its <Location /x/NAME>, and what to expect of the
# answers to pages 1 .. 8 there: a function of them that is true. Each has a site of its own.
my $models = "$FindBin::Bin/../../tests/models";
my $warm_at = sub {
    my ($n) = @_;
    return sub { ($_[$n - 2]->says('state') // '') ne 'warm' && $_[$n - 1]->says('state') eq 'warm' };
};
my $body = sub {
    my (@without) = @_;
    return sub { $_[7]->body eq $site->page(8, @without) };
};
my $first = sub {
    my (@without) = @_;
    return sub { $_[0]->body eq $site->page(1, @without) };
};
my @template = qw(header aside footer);
# what tests/models/one.trees leaves: no links, and nothing that heads them
my $linkless = $body->(qw(header aside));
my $stripped = $body->(@template);
my $untouched = $body->();
# what is said holds for this detector alone, or would not show on a first page with another
my $strip = "TmplDetector incremental\nTmplMode strip";
# what waits ten seconds to be learnt is tried within these (the row's last column), each time on a site of its own
my $try = 'TmplSiteKey %{req:X-Try}';
my @rows = (
    ['mode-inherited', 'TmplMode strip', '', $stripped],
    ['mode-off', 'TmplMode strip', 'TmplMode off', $untouched],
    ['mode-on', 'TmplMode off', 'TmplMode strip', $stripped],
    ['mode-headers', 'TmplMode strip', 'TmplMode headers', sub { $untouched->(@_) && $_[7]->says('state') eq 'warm' }],
    ['highlight-inherited', "TmplMode strip\nTmplHighlightAllow true", '', sub { $_[0]->body =~ /data-tmpl-is=/ }],
    ['highlight-nearest', "TmplMode strip\nTmplHighlightAllow true", 'TmplHighlightAllow false', $stripped],
    ['mindf-inherited', "TmplMode strip\nTmplMinDF 3", '', $warm_at->(3)],
    ['mindf-nearest', "TmplMode strip\nTmplMinDF 3", 'TmplMinDF 7', $warm_at->(7)],
    ['mindf-default', 'TmplMode strip', 'TmplMinDF 5', $warm_at->(5)],
    ['headers-off', 'TmplMode strip', 'TmplHeaders off', sub { !defined $_[7]->header('Tmpl') && $stripped->(@_) }],
    ['headers-on', "TmplMode strip\nTmplHeaders off", 'TmplHeaders on', sub { defined $_[7]->header('Tmpl') }],
    ['headers-kept-off', "TmplMode strip\nTmplHeaders off", 'TmplRatio 0.7', sub { !defined $_[7]->header('Tmpl') }],
    ['ratio-inherited', "TmplMode strip\nTmplParts all\nTmplRatio 1", '', $untouched],
    ['ratio-nearest', "TmplMode strip\nTmplRatio 1", 'TmplRatio 0.7', $stripped],
    ['maxbody-inherited', "TmplMode strip\nTmplMaxBody 1024", '', sub { $_[7]->says('declined') eq 'too-large' }],
    ['maxbody-nearest', "TmplMode strip\nTmplMaxBody 1024", 'TmplMaxBody 65536', $stripped],
    ['parts-inherited', "TmplMode strip\nTmplMinKeep 0\nTmplDetector auto\nTmplParts -body", '', sub { $_[0]->header('Tmpl') =~ / parts=\(body\)/ }],
    ['parts-changed', "TmplMode strip\nTmplMinKeep 0\nTmplDetector auto\nTmplParts -body", 'TmplParts +body', sub { $_[0]->header('Tmpl') !~ / parts=/ }],
    ['keep-inherited', "TmplMode strip\nTmplKeep aside", '', $body->(qw(header footer))],
    ['keep-here', 'TmplMode strip', 'TmplKeep footer', $body->(qw(header aside))],
    ['drop-inherited', "$strip\nTmplDrop aside", '', $first->('aside')],
    ['drop-here', $strip, 'TmplDrop aside', $first->('aside')],
    ['drop-added', "$strip\nTmplDrop aside", 'TmplDrop footer', $first->(qw(aside footer))],
    ['keep-added', "TmplMode strip\nTmplKeep aside", 'TmplKeep footer', $body->('header')],
    ['minkeep-inherited', "TmplMode strip\nTmplMinKeep 0.99", '', sub { $_[7]->says('declined') eq 'min-keep' }],
    ['minkeep-nearest', "TmplMode strip\nTmplMinKeep 0.99", 'TmplMinKeep 0', $stripped],
    ['mark-inherited', "TmplMode annotate\nTmplMark elastic", '', sub { $_[7]->body =~ /<footer data-elastic-exclude="">/ }],
    ['mark-nearest', "TmplMode annotate\nTmplMark elastic", 'TmplMark udm pagefind',
        sub { $_[7]->body =~ /<!--UdmComment--><aside/ && $_[7]->body =~ /<footer data-pagefind-ignore="">/ && $_[7]->body !~ /elastic/ }],
    ['minconfidence-inherited', "TmplMode strip\nTmplMinConfidence 1", '', sub { $_[7]->says('declined') eq 'min-confidence' }],
    ['minconfidence-nearest', "TmplMode strip\nTmplMinConfidence 1", 'TmplMinConfidence 0', $stripped],
    ['learn-inherited', "TmplMode strip\nTmplLearn false", '', sub { $_[7]->says('state') eq 'cold' }],
    ['learn-nearest', "TmplMode strip\nTmplLearn false", 'TmplLearn true', $stripped],
    ['pagekey-inherited', "TmplMode strip\nTmplPageKey one", '', sub { $_[7]->says('pages') == 1 }],
    ['pagekey-nearest', "TmplMode strip\nTmplPageKey one", 'TmplPageKey "%{REQUEST_URI}"', $stripped],
    ['separators-inherited', "$strip\nTmplSeparators table", '', $untouched],
    ['separators-nearest', "$strip\nTmplSeparators table",
        'TmplSeparators "table div section article nav header footer aside main form ul ol dl"', $stripped],
    ['detector-inherited', "TmplMode strip\nTmplDetector pagelevel", '', sub { $_[7]->says('detector') eq 'pagelevel' }],
    ['detector-nearest', "TmplMode strip\nTmplDetector pagelevel", 'TmplDetector incremental', $stripped],
    ['model-inherited', "TmplMode strip\nTmplDetector auto\nTmplModel $models/one.trees", '', $linkless],
    ['model-nearest', "TmplMode strip\nTmplDetector auto\nTmplModel $models/one.trees", "TmplModel $models/all.trees",
        sub { $_[7]->says('declined') eq 'min-keep' }],
    ['smoothing-here', "TmplMode strip\nTmplDetector pagelevel", 'TmplSmoothing on', sub { $_[7]->says('detector') eq 'pagelevel' }],
    ['store-here', 'TmplMode strip', 'TmplStore lmdb:@ROOT@/store-here', $stripped],
    ['secret-here', "TmplMode strip\nTmplSecret one-secret-of-many", 'TmplSecret another-secret-of-many', $stripped],
    ['delay-inherited', "TmplMode strip\nTmplLearnDelay 10s", $try, sub { $_[7]->says('pages') == 1 }, 10],
    ['delay-nearest', "TmplMode strip\nTmplLearnDelay 10s", 'TmplLearnDelay 0', sub { $_[7]->says('pages') == 8 }],
    ['lifetime-here', "TmplMode strip\nTmplLifetime 1000 10", 'TmplLifetime 500 20', $stripped],
);

# One virtual host a row: the row's server lines are the virtual host's. What the main server says is
# inherited by all of them.
my $conf = "TmplTimeout 5s\nTmplHeaders on\n";
for my $row (@rows) {
    my ($name, $server, $location) = @$row;
    $conf .= <<"END";
<VirtualHost *:\@PORT\@>
    ServerName $name.example
    ProxyPass / $url/
    $server
    <Location /x/$name>
        $location
    </Location>
</VirtualHost>
END
}
my $httpd = Test::Tmpl::Httpd->new(conf => $conf);
mkdir $httpd->root . '/store-here';
give_to_server($httpd->root . '/store-here');
$httpd->start;
for my $row (@rows) {
    my ($name, undef, undef, $expect, $seconds) = @$row;
    my $tries = 0;
    my @answers = within($seconds // 'inf', sub {
        my %headers = ('X-Try' => ++$tries);
        return map { $httpd->get("/x/$name/page/$_", host => "$name.example", headers => \%headers) } 1 .. 8;
    });
    ok $expect->(@answers), $name or diag 'state: ', state_of(@answers), "\n", $answers[7]->header('Tmpl') // 'no Tmpl field';
}
ok -s $httpd->root . '/store-here/data.mdb', 'the Location has a store of its own';
$httpd->finish;

subtest 'main server, Directory, If' => sub {
    my $plain = Test::Tmpl::Httpd->new(conf => <<'END');
TmplMode strip
<Directory "@ROOT@/htdocs/annotate">
    TmplMode annotate
</Directory>
<Directory "@ROOT@/htdocs">
    Require all granted
    <If "%{QUERY_STRING} == 'off'">
        TmplMode off
    </If>
</Directory>
<If "%{QUERY_STRING} == 'headers'">
    TmplMode headers
</If>
END
    my $htdocs = $plain->root . '/htdocs';
    mkdir "$htdocs/$_" for qw(annotate page);
    for my $n (1 .. 8) {
        spit("$htdocs/$_/$n.html", $site->page($n)) for qw(annotate page);
    }
    $plain->start;
    my @answers = map { $plain->get("/page/$_.html") } 1 .. 8;
    same_bytes($answers[7]->body, $site->stripped(8), 'main server: strip');
    my $annotated = $plain->get('/annotate/8.html')->body;
    isnt $annotated, $site->page(8), 'Directory: marked';
    same_bytes(unmark($annotated), $site->page(8), 'Directory: annotate');
    my $res = $plain->get('/page/8.html?off');
    same_bytes($res->body, $site->page(8), 'If in Directory: off');
    is $res->header('Tmpl'), undef, 'and no header';
    $res = $plain->get('/page/8.html?headers');
    same_bytes($res->body, $site->page(8), 'If in the server: headers');
    is $res->says('state'), 'warm', 'with a header';
    $plain->finish;
};

done_testing;
