# SPDX-License-Identifier: Apache-2.0

# A backend controls the module by its field Tmpl-Control: off passes a page untouched, learn only
# learns the page, no-learn does not learn it. The environment variable no-tmpl controls it, too. No client gets the
# field, in any mode and any response, and a client's own field has no effect.

use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::Tmpl;

my $site = site();
my $backend = backend {
    my ($connection, $request) = @_;
    my ($words) = $request->{target} =~ /[?&]control=([\w,%+-]*)/;
    my ($n) = $request->{target} =~ m{/page/(\d+)};
    my ($status) = $request->{target} =~ /[?&]status=(\d+)/;
    my %fields = ('Content-Type' => 'text/html', ETag => '"x"');
    $fields{'Tmpl-Control'} = $words =~ tr/+/ /r if defined $words;
    return $connection->respond($status, \%fields, $status == 304 ? '' : 'gone') if $status;
    return $connection->respond(200, \%fields, $site->page($n));
};
my $httpd = proxy($backend, conf => <<'END');
TmplMode strip
TmplPageKey "%{REQUEST_URI}"
SetEnvIf X-Plain yes no-tmpl
<Location /page/20>
    TmplMode off
</Location>
<Location /page/21>
    TmplMode learn
</Location>
<Location /page/22>
    TmplMode headers
</Location>
<Location /page/23>
    TmplMode annotate
</Location>
END

sub field { return join ', ', $_[0]->header_values('Tmpl-Control') }
sub pages { return $httpd->get('/page/1')->says('pages') }

$httpd->visit(1 .. 6);
my $plain = $httpd->get('/page/7?control=no-learn');
same_bytes($plain->body, $site->stripped(7), 'no-learn: the page is stripped as ever');
is $plain->says('learned'), 0, 'and not learnt';
is pages(), 6, 'no new document';
is field($plain), '', 'the client does not get the field';

my $off = $httpd->get('/page/7?control=off');
same_bytes($off->body, $site->page(7), 'off: untouched');
is $off->says('declined'), 'backend', 'and the reason is the backend';
is $off->header('ETag'), '"x"', 'with its own entity tag';
is field($off), '', 'without the field';
is pages(), 6, 'nothing is learnt';

my $learn = $httpd->get('/page/7?control=learn');
same_bytes($learn->body, $site->page(7), 'learn: untouched');
is $learn->header('Tmpl'), undef, 'as in mode learn';
is $learn->header('ETag'), '"x"', 'with its own entity tag';
is field($learn), '', 'without the field';
wait_for { pages() == 7 } or fail 'learn: the page is not learnt';
is pages(), 7, 'learn: the page is learnt';

subtest 'lists and words' => sub {
    my $both = $httpd->get('/page/8?control=Learn,+NO-LEARN');
    same_bytes($both->body, $site->page(8), 'learn and no-learn: untouched');
    is pages(), 7, 'and not learnt';
    is $httpd->get("/page/8?control=$_")->says('declined'), 'backend', "$_: off goes first" for 'no-learn,off', 'learn,off', 'off,learn';
    my $unknown = $httpd->get('/page/9?control=offf,+never');
    same_bytes($unknown->body, $site->stripped(9), 'unknown words have no effect');
    is field($unknown), '', 'but are removed';
    like $httpd->log_text, qr{\[tmpl:info\].*T030\] Tmpl-Control of the backend is offf, never; words other than off, learn and no-learn have no effect}, 'and logged with what is valid';
    same_bytes($httpd->get('/page/9?control=strange,off')->body, $site->page(9), 'what is known beside them has');
};

subtest 'no client gets the field' => sub {
    my %mode = (20 => 'off', 21 => 'learn', 22 => 'headers', 23 => 'annotate');
    for my $n (sort keys %mode) {
        for my $word (qw(off learn no-learn other)) {
            is field($httpd->get("/page/$n?control=$word")), '', "mode $mode{$n}, $word";
        }
    }
    is field($httpd->client->ask('/page/24?control=off', method => 'HEAD')), '', 'HEAD';
    is field($httpd->get("/page/24?control=off&status=$_")), '', "status $_" for 304, 404, 500;
    same_bytes($httpd->get('/page/20?control=learn')->body, $site->page(20), 'mode off stays off');
};

subtest 'a 304' => sub {
    my $copy = $httpd->get('/page/24')->header('ETag');
    my @has = (headers => { 'If-None-Match' => $copy });
    is $httpd->get('/page/24?status=304', @has)->header('ETag'), $copy, 'confirms the changed copy';
    is $httpd->get('/page/24?status=304&control=off', @has)->header('ETag'), '"x"', 'off: it does not';
};

subtest 'no-tmpl' => sub {
    my $before = pages();
    $httpd->get('/page/30', headers => { 'X-Plain' => 'yes', 'Accept-Encoding' => 'br', Range => 'bytes=0-9' });
    my $asked = ($backend->requests)[-1]{headers};
    is $asked->{'accept-encoding'}, 'br', 'the backend is asked for the coding that the client wants';
    is $asked->{range}, 'bytes=0-9', 'and for the range';
    my $res = $httpd->get('/page/30', headers => { 'X-Plain' => 'yes' });
    same_bytes($res->body, $site->page(30), 'untouched');
    is $res->says('declined'), 'backend', 'the reason';
    is pages(), $before, 'not learnt';
};

subtest 'what a client says' => sub {
    my $res = $httpd->get('/page/31', headers => { 'Tmpl-Control' => 'off', 'no-tmpl' => 1 });
    same_bytes($res->body, $site->stripped(31), 'has no effect');
};

$httpd->finish;
done_testing;
