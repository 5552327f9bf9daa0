# SPDX-License-Identifier: Apache-2.0

# The Tmpl response field is a valid RFC 9651 dictionary with the site's state and the result;
# Server-Timing has the filter's time. Mode headers never changes the body. With TmplHeaders off
# neither field is sent.

use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::Tmpl;

my $site = site(large => 10);
my $backend = backend { $site->answer(@_) };
my $httpd = proxy($backend, conf => <<'END');
TmplMode headers
<Location /page/30>
    TmplHeaders off
</Location>
<Location /page/40>
    TmplMode off
</Location>
<Location /page/50>
    TmplDetector incremental
    TmplSiteKey another.example
</Location>
END

my @answers = $httpd->visit(1 .. 7);
same_bytes($answers[$_]->body, $site->page($_ + 1), 'page ' . ($_ + 1) . ' is unchanged') for 0 .. $#answers;
is state_of(@answers), 'cold learning learning learning warm warm warm', 'states';
is join(' ', map { $_->says('pages') } @answers), '1 2 3 4 5 6 7', 'pages seen';

my $said = $answers[6]->tmpl;
is $said->{detector}, 'auto', 'the default detector';
cmp_ok $said->{template}, '>=', 3, 'template blocks: header, sidebar, footer at least';
cmp_ok $said->{blocks}, '>', $said->{template}, 'blocks that are not template';
ok $said->{ratio} > 0 && $said->{ratio} < 1, 'ratio is within 0 and 1' or diag explain $said;
ok $said->{confidence} > 0 && $said->{confidence} <= 1, 'confidence is within 0 and 1' or diag explain $said;
ok !exists $said->{declined}, 'not declined';
my $first = $httpd->get('/page/50')->tmpl;
is $first->{detector}, 'incremental', 'another detector';
is $first->{template}, 0, 'incremental finds no template on the first page';
cmp_ok $first->{ratio}, '==', 0, 'incremental: ratio 0 on the first page';
is scalar(() = $answers[6]->header_values("Tmpl")), 1, 'one field';

like $answers[6]->header('Server-Timing'), qr/^tmpl;(?:.*;)?dur=\d+(\.\d+)?/, 'Server-Timing';
is $httpd->get('/no-such')->says('declined'), 'status', 'the reason of a decline';

my $off = $httpd->get('/page/30');
is $off->header($_), undef, "TmplHeaders off: no $_" for qw(Tmpl Server-Timing);
$off = $httpd->get('/page/40');
is $off->header($_), undef, "TmplMode off: no $_" for qw(Tmpl Server-Timing);

$httpd->finish;
done_testing;
