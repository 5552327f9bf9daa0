# SPDX-License-Identifier: Apache-2.0

# The operator overrides the detector: elements that TmplKeep selects stay although they are
# template, elements that TmplDrop selects are cut although they are not, and a page of which less
# than TmplMinKeep would remain is not changed.

use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::Tmpl;

my $site = site();
my $backend = backend {
    my ($connection, $request) = @_;
    $request->{target} =~ s{^/\w+/page}{/page};
    return $site->answer($connection, $request);
};
my %PLACE = (
    tag => ['TmplKeep aside', qw(header footer)],
    xpath => ['TmplKeep "xpath://aside[@class=\'side\']/ul/.."', qw(header footer)],
    class => ['TmplKeep .side', qw(header footer)],
    id => ['TmplKeep "#top"', qw(aside footer)],
    attribute => ['TmplKeep [class=side]', qw(header footer)],
    compound => ['TmplKeep aside.side', qw(header footer)],
    nomatch => ['TmplKeep aside.other', qw(header aside footer)],
    several => ["TmplKeep aside\n    TmplKeep footer", 'header'],
    minkeep => ['TmplMinKeep 0.95'],
    little => ['TmplMinKeep 0.01', qw(header aside footer)],
);
my $httpd = proxy($backend, conf => "TmplMode strip\nTmplMinKeep 0\n"
    . join '', map { "<Location /$_/>\n    $PLACE{$_}[0]\n</Location>\n" } sort keys %PLACE);
$httpd->visit(1 .. 6);

# On a cold site only TmplDrop has an effect.
for my $selector ('aside', '"xpath:/html/body/aside"', '.side', '[class=side]', '"aside[class=side].side"') {
    my $cold = proxy($backend, detector => 'incremental', conf => "TmplMode strip\nTmplDrop $selector");
    same_bytes($cold->get('/page/1')->body, $site->page(1, 'aside'), "TmplDrop $selector, first page");
    $cold->finish;
}

for my $name (sort keys %PLACE) {
    my ($line, @gone) = @{ $PLACE{$name} };
    same_bytes($httpd->get("/$name/page/6")->body, $site->page(6, @gone), $line =~ s/\n */, /gr);
}
is $httpd->get('/minkeep/page/6')->says('declined'), 'min-keep', 'too little remains: declined=min-keep';

$httpd->finish;
done_testing;
