# SPDX-License-Identifier: Apache-2.0

# Each selector of TmplKeep and TmplDrop has a counter of the pages on which it matches, which shows a
# selector that never matches. The status handler shows the counters in the order of the configuration.
# They are the sums of all children, and survive a graceful restart with the same selectors.

use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::Tmpl;
use JSON::PP ();

my $site = site();
my $backend = backend { $site->answer(@_) };
my $conf = <<'END';
TmplMode strip
TmplKeep "aside.side, .nosuch"
TmplKeep aside
TmplDrop "em[title=\"a<b>\"]"
<Location /page/3>
    TmplDrop h1
    TmplKeep aside.side
</Location>
<Location /status>
    ProxyPass !
    SetHandler tmpl-status
</Location>
END
my $httpd = proxy($backend, conf => $conf);

sub counts {
    my $json = JSON::PP->new->utf8->decode($httpd->get('/status?format=json')->body);
    return join ', ', map { "$_->{directive} $_->{selector} $_->{pages}" } @{ $json->{selectors} };
}

is counts(), 'TmplKeep aside.side 0, TmplKeep .nosuch 0, TmplKeep aside 0, TmplDrop em[title="a<b>"] 0, TmplDrop h1 0',
    'none has matched; a list is several; one directive and text once';
$httpd->visit(1, 2, 2, 3);
is counts(), 'TmplKeep aside.side 4, TmplKeep .nosuch 0, TmplKeep aside 4, TmplDrop em[title="a<b>"] 0, TmplDrop h1 1',
    'pages, also of a selector in an element that another one matched';
like $httpd->get('/status/metrics')->body, qr/^tmpl_selector_pages_total\{directive="TmplDrop",selector="em\[title=\\"a<b>\\"\]"\} 0$/m,
    'as metrics';
$httpd->graceful;
$httpd->visit(4);
like counts(), qr/^TmplKeep aside\.side 5, /, 'a graceful restart keeps the counts';
$httpd->{conf} =~ s/TmplKeep aside\n/TmplKeep footer\n/;
spit($httpd->root . '/httpd.conf', $httpd->conf_text);
$httpd->graceful;
$httpd->visit(5);
is counts(), 'TmplKeep aside.side 1, TmplKeep .nosuch 0, TmplKeep footer 1, TmplDrop em[title="a<b>"] 0, TmplDrop h1 0',
    'with other selectors they begin anew';

$httpd->finish;
done_testing;
