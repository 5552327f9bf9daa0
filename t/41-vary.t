# SPDX-License-Identifier: Apache-2.0

# When the mode depends on the request, caches are told so: the answer varies on what was looked at,
# in every mode; when it does not depend on it, no Vary is added.

use FindBin;
use lib "$FindBin::Bin/lib";
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
like $res->header('Vary') // '', qr/\bX-Plain\b/i, 'and varies on it';
$res = $httpd->get('/page/7', headers => { 'X-Plain' => 'yes' });
same_bytes($res->body, $site->page(7), 'with it: untouched');
like $res->header('Vary') // '', qr/\bX-Plain\b/i, 'and varies on it';
$httpd->finish;

my $plain = proxy($backend, conf => "TmplMode strip\nTmplLearn \"req('X-Learn') != 'no'\"\nTmplSiteKey \"%{HTTP_HOST}\"");
my @answers = $plain->visit(1 .. 7);
same_bytes($answers[6]->body, $site->stripped(7), 'a mode that does not depend on the request');
is $answers[6]->header('Vary'), undef, 'adds no Vary';
$plain->finish;

done_testing;
