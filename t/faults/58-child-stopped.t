# SPDX-License-Identifier: Apache-2.0

# A child of prefork that gets its stop signal while it writes a page that is only read ends without
# a crash, although its stores are closed before the page's request.

BEGIN { $ENV{TMPL_TEST_MPM} = 'prefork' }

use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::Tmpl;
use Socket qw(SOL_SOCKET SO_RCVBUF);

plan skip_all => 'no mod_mpm_prefork' if !Test::Tmpl::Httpd::has_module('mpm_prefork');

# what cannot be written at once is written after the handler has returned
my $httpd = Test::Tmpl::Httpd->new(conf => "SendBufferSize 8192\nFlushMaxThreshold 8388608\nTmplMode learn\n");
# more than the socket buffers can hold
my $page = '<!DOCTYPE html><title>A page</title>' . join "\n", map { "<p>Words of line $_</p>" } 1 .. 150_000;
spit($httpd->root . '/htdocs/page.html', $page);
$httpd->start;
for my $round (1 .. 3) {
    my $client = Test::Tmpl::Client->new(port => $httpd->port);
    setsockopt $client->{socket}, SOL_SOCKET, SO_RCVBUF, pack 'i', 2048;
    $client->send_request('/page.html');
    ok $client->comes('Words of line 1<'), "round $round: the client has the beginning of a page";
    my @children = children($httpd->{pid});
    kill 'TERM', @children;
    ok wait_for { !grep { my $pid = $_; grep { $_ == $pid } @children } children($httpd->{pid}) }, "round $round: the child ends";
    $client->close;
    is $httpd->get('/page.html')->body, $page, "round $round: another child answers";
}
unlike $httpd->log_text, qr/exit signal/, 'no child has crashed';

$httpd->finish;
done_testing;
