# SPDX-License-Identifier: Apache-2.0

# Personal pages are not learnt: responses to requests with Authorization or of a user known by
# other means, responses with Set-Cookie, Cache-Control: private or no-store, Vary: *, responses to a
# request with a cookie that may choose pages, and to other methods than GET. They are still judged.
# TmplLearn can exclude more.

use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::Tmpl;

my $site = site();
my %ANSWER = (
    '/cookie' => { 'Set-Cookie' => 'a=b' },
    '/private' => { 'Cache-Control' => 'private' },
    '/nostore' => { 'Cache-Control' => 'max-age=0, No-Store' },
    '/vary' => { Vary => 'Accept-Encoding, cookie' },
    '/language' => { Vary => 'Accept-Language' },
    '/varyall' => { Vary => '*' },
    '/public' => { 'Cache-Control' => 'public, max-age=60' },
);
my $backend = backend {
    my ($connection, $request) = @_;
    my ($place, $n) = $request->{target} =~ m{^(/\w+)/(\d+)};
    return $connection->respond(200, { 'Content-Type' => 'text/html', %{ $ANSWER{$place} // {} } }, $site->page($n));
};
my $httpd = Test::Tmpl::Httpd->new(
    modules => [qw(auth_form session session_cookie authn_core authn_file authz_user request)], conf => <<"END");
ProxyPass / ${\ $backend->url}/
TmplMode strip
TmplSiteKey "%{req:X-Site}"
<Location /user>
    AuthType form
    AuthName pages
    AuthFormProvider file
    AuthUserFile "\@ROOT\@/users"
    Session On
    SessionCookieName login path=/
    Require valid-user
</Location>
<Location /expr>
    TmplLearn "req('X-Learn') == 'yes'"
</Location>
END
spit($httpd->root . '/users', "alice:{SHA}fEqNCco3Yq9h5ZUglD3CZJT4lBs=\n");
$httpd->start;

# The member pages after six requests to a path, which is a site of its own.
sub pages_after {
    my ($place, %o) = @_;
    my %headers = ('X-Site' => "$place @{[ %{ $o{headers} // {} } ]} " . ($o{method} // ''), %{ $o{headers} // {} });
    my @answers = map { $httpd->get("$place/$_", %o, headers => \%headers) } 1 .. 6;
    return $httpd->get("$place/7", headers => { %headers, 'X-Learn' => 'no' })->says('pages') if $place eq '/expr';
    return ($answers[-1]->says('pages') || 0);
}

is pages_after('/public'), 6, 'public pages are learnt';
is pages_after('/cookie'), 0, 'Set-Cookie';
is pages_after('/private'), 0, 'Cache-Control: private';
is pages_after('/nostore'), 0, 'Cache-Control: no-store, in any case and any place';
is pages_after('/public', headers => { Authorization => 'Basic eDp5' }), 0, 'Authorization';
my %cookie = (Cookie => 'session=alice');
is pages_after('/vary', headers => { %cookie }), 0, 'Vary: Cookie, to a request with a cookie';
is pages_after('/vary'), 6, 'Vary: Cookie without one, as many say to all, is learnt';
is pages_after('/language', headers => { %cookie }), 0, 'a cookie without Vary: backends forget to send it';
is pages_after('/public', headers => { %cookie }), 6, 'a cookie, but the response says that it is public';
is pages_after('/language', headers => { Cookie => '_ga=GA1.2.3; _ga_X9=4; cookieyes-consent=yes' }), 6,
    'cookies that count visits';
is pages_after('/language', headers => { Cookie => '_ga=1; _gallery=2' }), 0, 'one of them may choose pages';
is pages_after('/varyall'), 0, 'Vary: *';

# A session of mod_auth_form.
my %session = (Cookie => 'login=pages-user=alice&pages-pw=123456');
my $user = $httpd->get('/user/1', headers => { %session, 'X-Site' => 'user' });
is $user->status, 200, 'a user who has logged in by a form: 200';
is $user->header('Set-Cookie'), undef, 'the response has no field that marks it as personal';
is pages_after('/user', headers => { %session }), 0, 'the pages of a user who has logged in are not learnt';

is pages_after('/public', method => 'POST', body => 'x=y'), 0, 'POST';
is pages_after('/expr', headers => { 'X-Learn' => 'yes' }), 6, 'TmplLearn that is true';
is pages_after('/expr', headers => { 'X-Learn' => 'never' }), 0, 'TmplLearn that is false';

my %known = ('X-Site' => 'known');
$httpd->get("/public/$_", headers => \%known) for 1 .. 6;
for my $place (qw(cookie private)) {
    my $res = $httpd->get("/$place/9", headers => \%known);
    same_bytes($res->body, $site->stripped(9), "$place: judged and stripped");
    is $res->says('state'), 'warm', "$place: the site is warm";
    is $res->says('pages'), 6, "$place: not counted";
}

# A page that is only read is judged after it was sent. Fields that other modules changed by then
# are ignored.
subtest 'a page that is only read' => sub {
    my $reading = Test::Tmpl::Httpd->new(conf => <<"END");
TmplMode learn
TmplSiteKey "%{req:X-Site}"
<Location /private>
    Header always unset Cache-Control
    Header unset Cache-Control
</Location>
<Location /public>
    Header add Set-Cookie "route=1"
</Location>
<Location /counted>
    TmplMode strip
    TmplLearn off
</Location>
ProxyPass /static !
ProxyPass / ${\ $backend->url}/
END
    mkdir $reading->root . '/htdocs/static';
    spit($reading->root . "/htdocs/static/$_.html", $site->page($_)) for 1 .. 6;
    $reading->start;
    # a connection reads its next request after the page before was judged
    my $client = $reading->client;
    my $learnt = sub {
        my ($place, $name, %o) = @_;
        my @answers = map { $client->get("/$place/$_" . ($name // ''), headers => { 'X-Site' => $place, %{ $o{headers} // {} } }) } 1 .. 6;
        my $counted = $client->get('/counted/7', headers => { 'X-Site' => $place });
        return ($answers[-1], $counted->says('pages') || 0);
    };
    my ($res, $pages) = $learnt->('private');
    is $res->header('Cache-Control'), undef, 'mod_headers has removed Cache-Control: private';
    is $pages, 0, 'Cache-Control: private that was removed later prevents learning';
    ($res, $pages) = $learnt->('public');
    is $res->header('Set-Cookie'), 'route=1', 'mod_headers has added a Set-Cookie';
    is $pages, 6, 'a Set-Cookie that was added later does not prevent learning';
    ($res, $pages) = $learnt->('static', '.html', headers => { Range => 'bytes=0-9' });
    is $res->status, 206, 'a part of a file';
    is $pages, 6, 'the page of which a part was sent is learnt';
    $reading->finish;
};

$httpd->finish;
done_testing;
