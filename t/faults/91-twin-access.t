# SPDX-License-Identifier: Apache-2.0

# Public fault: what one request has set, internal redirects carry over to the next (CVE-2026-42356, CVE-2026-47360).
# PATH.md goes on as a request for PATH; where PATH.md has other rules of access than PATH, or none, a client gets as
# Markdown only what it gets as a page: by passwords of one file or of two, by users, by sessions of mod_auth_form.

use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::Tmpl;
use Digest::SHA qw(sha1);
use MIME::Base64 qw(encode_base64);

plan skip_all => 'no mod_auth_form' if grep { !Test::Tmpl::Httpd::has_module($_) } qw(auth_form session session_cookie);

my $site = site();
my $backend = backend {
    my ($connection, $request) = @_;
    return $connection->respond(404, { 'Content-Type' => 'text/html' }, 'Nothing.') if $request->{target} =~ /\.md$/;
    return $connection->respond(200, { 'Content-Type' => 'text/html' }, $site->page($request->{target} =~ m{/(\d+)$}));
};
my $FORM = "AuthType form\n AuthName form\n AuthFormProvider file\n AuthUserFile \"\@ROOT\@/users\"\n Session On\n SessionCookieName session path=/\n Require valid-user";
my $basic = sub { "AuthType Basic\n AuthName $_[0]\n AuthUserFile \"\@ROOT\@/$_[0]\"\n Require $_[1]" };

# Each row: a folder, the rules of its twins, the rules of its pages.
my @ROWS = (
    ['open', '', ''],
    ['denied', '', 'Require all denied'],
    ['password', '', $basic->('users', 'valid-user')],
    ['session', '', $FORM],
    ['user', $basic->('users', 'user reader'), $basic->('users', 'user editor')],
    ['file', $basic->('users', 'valid-user'), $basic->('others', 'valid-user')],
    ['type', $basic->('users', 'valid-user'), $FORM],
    ['types', $FORM, $basic->('users', 'valid-user')],
    ['granted', "AuthMerging Or\n Require all granted", $basic->('users', 'valid-user')],
);
my $sections = join '', map {
    my ($folder, @rules) = @$_;
    "<LocationMatch \"^/$folder/\\d+\\.md\$\">\n $rules[0]\n</LocationMatch>\n<LocationMatch \"^/$folder/\\d+\$\">\n $rules[1]\n</LocationMatch>\n"
} @ROWS;
my $httpd = Test::Tmpl::Httpd->new(
    modules => [qw(auth_basic authn_core authn_file authz_user request session session_cookie auth_form)],
    conf => 'ProxyPass / ' . $backend->url . "/\nTmplMode strip\nTmplMarkdown on\nTmplSiteKey site\n$sections"
);
# the passwords are "open"; others has one user, with another password
my $line = sub { "$_[0]:{SHA}" . encode_base64(sha1($_[1])) };
spit($httpd->root . '/users', join '', map { $line->($_, 'open') } qw(reader editor));
spit($httpd->root . '/others', $line->('reader', 'other'));
$httpd->start;
$httpd->expect_log(qr/AH01617|AH01618|AH01630|AH01631|AH01807|AH01808/);
$httpd->get("/open/$_") for 1 .. 6;

my $login = $httpd->get('/session/1', method => 'POST', body => 'httpd_username=reader&httpd_password=open',
    headers => { 'Content-Type' => 'application/x-www-form-urlencoded' });
my ($cookie) = ($login->header('Set-Cookie') // '') =~ /^(session=[^;]+)/;
ok $cookie, 'a session has begun' or diag $login->status;
my %CLIENTS = (
    nobody => {}, session => { Cookie => $cookie }, map { my $user = $_; $user => { Authorization => 'Basic ' . encode_base64($user, '') } }
    qw(reader:open editor:open reader:other),
);
$CLIENTS{both} = { %{ $CLIENTS{session} }, %{ $CLIENTS{'reader:open'} } };

my %served;
my $client = $httpd->client;
for my $row (@ROWS) {
    my $folder = $row->[0];
    # on one connection, those who may see the page before and after those who may not
    for my $who (sort(keys %CLIENTS), reverse sort keys %CLIENTS) {
        my $page = $client->get("/$folder/9", headers => $CLIENTS{$who});
        my $twin = $client->get("/$folder/9.md", headers => $CLIENTS{$who});
        my $name = "$folder, $who";
        if ($twin->status == 200) {
            is $page->status, 200, "$name: who gets the twin gets the page";
            like $twin->header('Content-Type'), qr{^text/markdown}, "$name: as Markdown";
            $served{"$folder $who"} = 1;
        }
        else {
            like $twin->status, qr/^40[13]$/, "$name: refused";
            unlike $twin->body, qr/Story|number 9/, "$name: nothing of the page";
        }
    }
}
is join(', ', sort keys %served), join(', ', sort map({ "open $_" } keys %CLIENTS),
    map({ ("password $_", "granted $_") } qw(both editor:open reader:open)), 'session both', 'session session', 'type both', 'types both'),
    'who gets twins';
$httpd->finish;
done_testing;
