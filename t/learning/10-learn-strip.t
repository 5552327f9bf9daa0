# SPDX-License-Identifier: Apache-2.0

# A proxy in mode strip, with detector incremental, learns a site from the pages that pass. Until a
# segment has been on TmplMinDF pages, pages pass unchanged. From then on header, sidebar and footer
# are removed, and every other byte is as the backend sent it.

use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::Tmpl;

my $site = site();
my $backend = backend { $site->answer(@_) };
my $httpd = proxy($backend, detector => 'incremental', conf => 'TmplMode strip');

for my $n (1 .. 4) {
    my $res = $httpd->get("/page/$n");
    is $res->status, 200, "page $n: 200";
    same_bytes($res->body, $site->page($n), "page $n passes unchanged");
}
for my $n (5 .. 8, 1, 4) {
    my $res = $httpd->get("/page/$n");
    same_bytes($res->body, $site->stripped($n), "page $n: unchanged except for the template, which is removed");
    unlike $res->body, qr/Copyright|The news pages|Most read/, "page $n: no template left";
    is $res->header('Content-Length'), length $site->stripped($n), "page $n: Content-Length is right";
}

my $res = $httpd->get('/no-such-page');
is $res->status, 404, 'an error page keeps its status';
is $res->body, '<p>No such page</p>', 'a page with another status passes unchanged';

$httpd->finish;
done_testing;
