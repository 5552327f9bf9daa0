# SPDX-License-Identifier: Apache-2.0

# If the mode depends on fields of the request, Vary names these fields, in every mode; otherwise no
# Vary is added.

use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::Tmpl;

my $site = site();
my $backend = backend { $site->answer(@_) };
my $httpd = proxy($backend, conf => <<'END');
TmplMode strip
<If "req('X-Plain') == 'yes'">
    TmplMode off
</If>
END
$httpd->visit(1 .. 6);
my $res = $httpd->get('/page/7');
same_bytes($res->body, $site->stripped(7), 'without the field: stripped');
like $res->header('Vary') // '', qr/\bX-Plain\b/i, 'Vary names the field';
$res = $httpd->get('/page/7', headers => { 'X-Plain' => 'yes' });
same_bytes($res->body, $site->page(7), 'with the field: unchanged');
like $res->header('Vary') // '', qr/\bX-Plain\b/i, 'Vary names the field';
$httpd->finish;

# A page that passes because no mode is set must not be served from a cache to a client for which a
# mode is set: it has Vary, too. A server in which no request has a mode gets no Vary.
my $asked = proxy($backend, conf => <<"END");
<VirtualHost *>
    ServerName wants.example
    ProxyPass / ${\ $backend->url}/
    <If "req('X-Clean') == 'yes'">
        TmplMode strip
    </If>
</VirtualHost>
<VirtualHost *>
    ServerName other.example
    ProxyPass / ${\ $backend->url}/
    <If "req('X-Clean') == 'yes'">
        Header set X-Seen yes
    </If>
</VirtualHost>
END
my %wants = (Host => 'wants.example', 'X-Clean' => 'yes');
$asked->get("/page/$_", headers => \%wants) for 1 .. 6;
$res = $asked->get('/page/7', headers => \%wants);
same_bytes($res->body, $site->stripped(7), 'a request with a mode: stripped');
like $res->header('Vary') // '', qr/\bX-Clean\b/i, 'Vary names the field';
$res = $asked->get('/page/7', headers => { Host => 'wants.example' });
same_bytes($res->body, $site->page(7), 'a request without a mode: unchanged');
like $res->header('Vary') // '', qr/\bX-Clean\b/i, 'Vary names the field';
$res = $asked->get('/page/7', headers => { Host => 'other.example' });
is $res->header('Vary'), undef, 'a server without a mode: no Vary';
$asked->finish;

# An internal redirect, by mod_rewrite or mod_dir, evaluates <If> again; Vary names the field once.
{
    my $local = Test::Tmpl::Httpd->new(modules => ['rewrite'], conf => <<'END');
TmplMode strip
<Directory "@ROOT@/htdocs">
    Require all granted
    DirectoryIndex index.html
    RewriteEngine on
    RewriteRule ^again/(.*)$ /page/$1.html [L]
</Directory>
<If "req('X-Plain') == 'yes'">
    TmplMode off
</If>
END
    my $htdocs = $local->root . '/htdocs';
    mkdir "$htdocs/$_" for qw(page again dir);
    spit("$htdocs/$_.html", $site->page(7)) for qw(page/7 dir/index);
    $local->start;
    for my $target (qw(/page/7.html /again/7 /dir/)) {
        my $answer = $local->get($target);
        is $answer->status, 200, "$target: 200";
        is scalar(() = join(',', $answer->header_values('Vary')) =~ /X-Plain/gi), 1, "$target: Vary names the field once";
    }
    $local->finish;
}

my $plain = proxy($backend, conf => "TmplMode strip\nTmplLearn \"req('X-Learn') != 'no'\"\nTmplSiteKey \"%{HTTP_HOST}\"");
my @answers = $plain->visit(1 .. 7);
same_bytes($answers[6]->body, $site->stripped(7), 'a mode that does not depend on the request: stripped');
is $answers[6]->header('Vary'), undef, 'a mode that does not depend on the request: no Vary';
$plain->finish;

done_testing;
