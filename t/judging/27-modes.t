# SPDX-License-Identifier: Apache-2.0

# Each mode does one thing more than the one before it: off nothing, learn counts, headers sends the
# Tmpl field, annotate marks, strip cuts. Only the last two change a body, and their validators show
# that.

use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::Tmpl;

my $site = site(large => 10);
my $backend = backend {
    my ($connection, $request) = @_;
    $request->{target} =~ s{^/\w+/page}{/page};
    return $site->answer($connection, $request);
};
my @MODES = qw(off learn headers annotate strip);
my $httpd = proxy($backend, conf => "TmplMode strip\n" . join '', map {
    "<Location /$_/>\n    TmplMode $_\n    TmplSiteKey $_\n</Location>\n<Location /look$_/>\n    TmplSiteKey $_\n    TmplLearn false\n</Location>\n"
} @MODES);

my %last = map { my $mode = $_; $mode => (map { $httpd->get("/$mode/page/$_") } 1 .. 9)[8] } @MODES;
same_bytes($last{$_}->body, $site->page(9), "$_: the body is unchanged") for qw(off learn headers);
isnt $last{annotate}->body, $site->page(9), 'annotate: the body is changed';
same_bytes(unmark($last{annotate}->body), $site->page(9), 'annotate: by marks only');
same_bytes($last{strip}->body, $site->stripped(9), 'strip: the template is removed');
is $last{$_}->header('Tmpl'), undef, "$_: no Tmpl field" for qw(off learn);
is $last{$_}->says('state'), 'warm', "$_: the Tmpl field says warm" for qw(headers annotate strip);

# mode learn holds no page: a page is learnt after its client has it
for my $mode (@MODES) {
    my $want = $mode eq 'off' ? 0 : 9;
    my $pages;
    wait_for { ($pages = $httpd->get("/look$mode/page/10")->says('pages')) == $want };
    is $pages, $want, "$mode: " . ($want ? 'nine pages' : 'nothing') . ' learnt';
}

$httpd->finish;
done_testing;
