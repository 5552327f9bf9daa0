# SPDX-License-Identifier: Apache-2.0

# Personal pages are not learnt: responses to requests with Authorization or of a user known by
# other means, with Vary: *, to a request with a cookie that may choose pages, and to other methods than
# GET. Responses with Set-Cookie, Cache-Control: private or no-store are learnt only of requests that name
# nobody. Personal pages are still judged. TmplLearn can exclude more.

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
    my %headers = ('X-Site' => "$place @{[ %{ $o{headers} // {} } ]} " . ($o{method} // $o{query} // ''), %{ $o{headers} // {} });
    my $query = delete $o{query} // '';
    my @answers = map { $httpd->get("$place/$_$query", %o, headers => \%headers) } 1 .. 6;
    return $httpd->get("$place/7", headers => { %headers, 'X-Learn' => 'no' })->says('pages') if $place eq '/expr';
    return ($answers[-1]->says('pages') || 0);
}

is pages_after('/public'), 6, 'public pages are learnt';
is pages_after('/public', headers => { Authorization => 'Basic eDp5' }), 0, 'Authorization';
my %cookie = (Cookie => 'session=alice');
my %says = ('/cookie' => 'Set-Cookie', '/private' => 'Cache-Control: private', '/nostore' => 'Cache-Control: no-store, in any case and any place');
for my $place (sort keys %says) {
    is pages_after($place), 6, "$says{$place}, to a request that names nobody, is learnt";
    is pages_after($place, headers => { Cookie => '_ga=GA1.2.3' }), 6, "$says{$place}, with a cookie that counts visits, is learnt";
    is pages_after($place, headers => { %cookie }), 0, "$says{$place}, a logged-in page";
    is pages_after($place, headers => { 'X-Api-Key' => 'a' }), 0, "$says{$place}, with a key in a field";
    is pages_after($place, query => '?token=a'), 0, "$says{$place}, a reset link";
    is pages_after($place, query => '/invite/AbC123xy'), 0, "$says{$place}, an invitation";
}
is pages_after('/public', query => '?token=a'), 6, 'an address like a secret, but the response does not say that it is private';
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
    my $res = $httpd->get("/$place/9", headers => { %known, %cookie });
    same_bytes($res->body, $site->stripped(9), "$place: judged and stripped");
    is $res->says('state'), 'warm', "$place: the site is warm";
    is $res->says('pages'), 6, "$place: not counted";
}

# A shop whose answers are private and give a cookie to everybody. An address or cookie makes a page somebody's.
subtest 'what one person reads leaves no trace' => sub {
    my $shop = backend {
        my ($connection, $request) = @_;
        my ($n) = $request->{target} =~ /(\d+)$/;
        my $own = $request->{headers}{cookie} || $request->{target} =~ /reset|invite/ ? '<p>Dear Alice, your order of three grey umbrellas is on its way.</p>'
            : $request->{target} =~ /cart/ ? '<p>Your cart is empty, and waits for what you like.</p>' : '';
        return $connection->respond(200, { 'Content-Type' => 'text/html', 'Set-Cookie' => "sid=$n", 'Cache-Control' => 'private, no-store', ETag => qq("$n") },
            $site->page($n) =~ s{</h1>}{</h1>$own}r);
    };
    my $front = proxy($shop, conf => "TmplMode strip\nTmplSiteKey \"%{req:X-Site}\"");
    my @own = ([account => 'account/', Cookie => 'sid=1'], [cart => 'cart/', Cookie => 'sid=1'], [reset => 'reset/3f9a1c7be2d84b60/'],
        [invitation => 'join?invite=Q7x&page=']);
    for my $case (@own) {
        my ($name, $path, %as) = @$case;
        $front->get("/goods/$_", headers => { 'X-Site' => $name }) for 1 .. 6;
        my @asked = map { $front->get("/$path$_", headers => { 'X-Site' => $name, %as }) } 11 .. 20;
        is $asked[9]->says('state'), 'warm', "$name: the site is warm";
        is $asked[9]->says('pages'), 6, "$name: not learnt";
        like $asked[9]->body, qr/grey umbrellas/, "$name: ten pages with one text, and it stays";
        is $asked[9]->header('Cache-Control'), 'private, no-store', "$name: caches may do what the backend allows";
    }
    my @empty = map { $front->get("/cart/$_", headers => { 'X-Site' => 'nobody' }) } 1 .. 7;
    is $empty[6]->says('pages'), 7, 'the empty cart of a new visitor is nobody\'s';
    is $empty[6]->header('Cache-Control'), 'private, no-store', 'and no cache may store it for others';
    is $empty[6]->header('Set-Cookie'), 'sid=7', 'it has its cookie';
    $front->finish;
};

subtest 'a client certificate' => sub {
    my %there = map { my $program = $_; $program => scalar grep { -x "$_/$program" } split /:/, $ENV{PATH} } qw(curl openssl);
    plan skip_all => 'no curl, openssl or mod_ssl' if !Test::Tmpl::Httpd::has_module('ssl') || grep { !$_ } values %there;
    require Test::Tmpl::Certificates;
    my $ca = Test::Tmpl::Certificates->new;
    $ca->sign($_, 'DNS:test.example') for qw(server alice);
    my $port = free_port();
    my $tls = Test::Tmpl::Httpd->new(modules => [qw(socache_shmcb ssl)], conf => <<"END");
TmplSiteKey "%{req:X-Site}"
Listen 127.0.0.1:$port
<VirtualHost *:$port>
    ServerName test.example
    SSLEngine on
    SSLCertificateFile ${\ $ca->file('server.pem')}
    SSLCertificateKeyFile ${\ $ca->file('server.key')}
    SSLCACertificateFile ${\ $ca->file('ca.pem')}
    SSLVerifyClient optional
    TmplMode strip
    ProxyPass / ${\ $backend->url}/
</VirtualHost>
END
    $tls->expect_log(qr{\[ssl:warn\]});
    $tls->start;
    my $known = sub {
        my ($site, @options) = @_;
        my $fields;
        $fields = qx(curl -sk -D - -o /dev/null @options -H 'X-Site: $site' https://127.0.0.1:$port/private/$_) for 1 .. 3;
        return $fields =~ /pages=(\d+)/ ? $1 : 0;
    };
    is $known->('none'), 3, 'private pages without one are learnt';
    is $known->('alice', '--cert', $ca->file('alice.pem'), '--key', $ca->file('alice.key')), 0, 'with one they are not';
    $tls->finish;
};

# Should a text of one person be learnt, of pages that do not look personal, nobody sees that by what is
# cut before it is in TmplMinDF documents, the one that is judged among them.
subtest 'a text in few documents changes nothing' => sub {
    my $text = '<section><p>The grey parcel for Mrs Example of Quarry Lane has been at the office since Monday.</p></section>';
    my $said = backend {
        my ($connection, $request) = @_;
        my ($n, $with) = $request->{target} =~ m{(\d+)(x?)$};
        return $connection->respond(200, { 'Content-Type' => 'text/html', 'Cache-Control' => 'private' },
            $site->page($n) =~ s{<main>}{($with ? $text : '') . '<main>'}er);
    };
    for my $detector (qw(incremental auto)) {
        my $front = proxy($said, conf => "TmplMode strip\nTmplSiteKey \"%{req:X-Site}\"", detector => $detector);
        my $after = sub {
            my ($others, $with) = @_;
            my @at = (headers => { 'X-Site' => "after $others$with" });
            $front->get("/$_", @at) for 1 .. 12;
            $front->get('/' . (20 + $_) . $with, @at) for 1 .. $others;
            return $front->get('/50x', @at);
        };
        my ($none, $few) = ($after->(3, ''), $after->(3, 'x'));
        same_bytes($few->body, $none->body, "$detector: three documents have the text: as if none had it");
        like $few->body, qr/Quarry Lane/, "$detector: it stays";
        is $few->says('pages'), 16, "$detector: they were learnt";
        unlike $after->(4, 'x')->body, qr/Quarry Lane/, "$detector: four others have it: it is template" if $detector eq 'incremental';
        $front->finish;
    }
};

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
    my ($res, $pages) = $learnt->('private', '?token=a');
    is $res->header('Cache-Control'), undef, 'mod_headers has removed Cache-Control: private';
    is $pages, 0, 'Cache-Control: private that was removed later prevents learning';
    ($res, $pages) = $learnt->('public', '?token=a');
    is $res->header('Set-Cookie'), 'route=1', 'mod_headers has added a Set-Cookie';
    is $pages, 6, 'a Set-Cookie that was added later does not prevent learning';
    ($res, $pages) = $learnt->('static', '.html', headers => { Range => 'bytes=0-9' });
    is $res->status, 206, 'a part of a file';
    is $pages, 6, 'the page of which a part was sent is learnt';
    $reading->finish;
};

$httpd->finish;
done_testing;
