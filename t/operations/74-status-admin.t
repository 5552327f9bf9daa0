# SPDX-License-Identifier: Apache-2.0

# TmplAdmin: clients that it allows may forget, freeze and unfreeze a site, only by a form of the
# site's page. Every action is logged.

use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::Tmpl;

my $site = site();
my $backend = backend { $site->answer(@_) };
my $conf = "ProxyPass /status !\nProxyPass / " . $backend->url . "/\n" . <<'END';
TmplMode strip
TmplSiteKey "%{HTTP:X-Site}"
<Location /status>
    SetHandler tmpl-status
    TmplAdmin "req('X-Role') == 'admin'"
</Location>
<Location /status/public>
    TmplAdmin false
</Location>
END
my $httpd = Test::Tmpl::Httpd->new(detector => 'incremental', conf => $conf)->start;
my $key = "a b/%\xe9&<";
my $query = 'a+b%2f%25%e9%26%3c';
$httpd->expect_log(qr/\[T032\]/);
my @admin = ('X-Role' => 'admin', 'Sec-Fetch-Site' => 'same-origin');

sub learn { return map { $httpd->get("/page/$_", headers => { 'X-Site' => $_[0] }) } @_[1 .. $#_] }
sub page { return $httpd->get("/status?site=$query", headers => { @_ ? @_ : @admin })->body }

# The fields of the form of a page.
sub form {
    my %form = page(@_) =~ /name="(store)" value="([^"]*)"/g;
    return \%form;
}

# The answer to a form that is sent; o: headers, query, method.
sub send_form {
    my ($form, %o) = @_;
    my $body = join '&', map { "$_=" . ($form->{$_} =~ s/([^\w.-])/sprintf '%%%02X', ord $1/ger) } sort keys %$form;
    my %headers = (@admin, 'Content-Type' => 'application/x-www-form-urlencoded', %{ $o{headers} // {} });
    delete $headers{$_} for grep { !defined $headers{$_} } keys %headers;
    return $httpd->get($o{target} // '/status?site=' . ($o{query} // $query), method => 'POST', body => $body, headers => \%headers);
}
sub act { my ($action, %o) = @_; return send_form({ %{ form() }, action => $action }, %o) }

learn($key, 1 .. 8);
is((learn($key, 9))[0]->says('state'), 'warm', 'a site is learnt');

subtest 'who' => sub {
    unlike page('X-Role' => 'guest'), qr/<form/, 'others see no form';
    like page(), qr/<button name="action" value="freeze">/, 'TmplAdmin shows one';
    my $form = form();
    for my $case (
        ['not allowed by TmplAdmin', qr/TmplAdmin does not allow/, headers => { 'X-Role' => undef }],
        ['where TmplAdmin is false', qr/TmplAdmin does not allow/, target => "/status/public?site=$query"],
        ['from another site', qr/of this server/, headers => { 'Sec-Fetch-Site' => 'cross-site' }],
        ['from another host of the site', qr/of this server/, headers => { 'Sec-Fetch-Site' => 'same-site' }],
        ['with the origin of another site', qr/of this server/, headers => { Origin => 'http://evil.example' }],
        ['with no origin', qr/of this server/, headers => { Origin => 'null' }],
        ['of an old browser', qr/of this server/, headers => { 'Sec-Fetch-Site' => undef }],
    ) {
        my ($name, $says, @o) = @$case;
        my $res = send_form({ %$form, action => 'forget' }, @o);
        is $res->status, 403, "$name: refused";
        like $res->body, $says, 'with a sentence';
    }
    is send_form({ %$form, action => 'forget', store => 'lmdb:/elsewhere' })->status, 404, 'of another store: refused';
    is send_form({ %$form, action => 'burn' })->status, 400, 'an action that there is not';
    is $httpd->get("/status?site=$query&action=forget", headers => {@admin})->status, 400, 'GET does nothing';
    is $httpd->get('/status', method => 'POST', body => '', headers => { @admin })->status, 400, 'nor POST without a site';
    is $httpd->get("/status?site=$query", method => 'POST', body => '', headers => { @admin })->status, 400, 'or a form';
    is $httpd->get("/status?site=$query", method => 'DELETE', headers => {@admin})->status, 405, 'or another method';
    like page(), qr/Documents<\/dt><dd>9</, 'nothing has changed';
};

subtest 'freeze' => sub {
    my $res = act('freeze', headers => { Origin => 'http://127.0.0.1:' . $httpd->port, 'Sec-Fetch-Site' => undef });
    is $res->status, 303, 'it is done';
    like $res->header('Location'), qr{/status\?site=\Q$query\E$}, 'and the site shown';
    like page(), qr/frozen, nothing is learnt.*value="unfreeze"/s, 'it is frozen';
    my @now = learn($key, 20 .. 25);
    is join(' ', map { $_->says('pages') . ' ' . $_->says('learned') } @now), join(' ', ('9 0') x 6), 'nothing is learnt';
    is $now[0]->body, $site->stripped(20), 'pages are judged as before';
    $httpd->restart;
    is((learn($key, 26))[0]->says('learned'), 0, 'nor after a restart');
    is act('unfreeze')->status, 303, 'unfrozen';
    is((learn($key, 26))[0]->says('pages'), 10, 'it is learnt again');
};

subtest 'forget' => sub {
    my $form = form();
    my $res = act('forget');
    is $res->status, 303, 'it is done';
    like $res->header('Location'), qr{/status$}, 'and all shown';
    is((learn($key, 1))[0]->says('state'), 'cold', 'the site is new');
    my $done = send_form({ %$form, action => 'forget' });
    is $done->status, 303, 'a form may be sent again';
};

my $log = $httpd->log_text;
like $log, qr/:notice\].*\[T031\] a user without a name at 127\.0\.0\.1: freeze site .* in store lmdb:\S+: done/, 'an action is logged';
like $log, qr/\[T031\].*forget site .* in store lmdb:\/elsewhere: there is no such store/, 'and one that fails';
unlike $log, qr/T031.*burn/, 'and nothing that was refused';
like $log, qr/:warn\].*\[T032\] a user without a name at 127\.0\.0\.1: refused to forget site a b.*: $_/, "a refusal is: $_"
    for 'TmplAdmin does not allow', 'The request does not say that it comes from a page of this server';
like $log, qr/\[T032\].*refused to change site a b.*: The request needs a form/, 'also without an action that there is';
unlike $log, qr/burn/, 'of which the client chose nothing';
is scalar(() = $log =~ /\[T032\]/g), 7 + 2, 'one line for each refused request';
learn($key, 1);
$httpd->graceful;
is act('freeze')->status, 303, 'after a graceful restart';
$httpd->finish;
done_testing;
