# SPDX-License-Identifier: Apache-2.0

# AllowOverrideList can allow directives of sections in .htaccess files, which requests read. Directives
# that change something that all requests share are refused there.

use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::Tmpl;

my @refused = ('TmplMode annotate', 'TmplKeep aside', 'TmplDrop aside', 'TmplStore lmdb:other', 'TmplStoreRead lmdb:other', 'TmplCache none');
my $names = join ' ', map { /^(\w+)/ } @refused;
my $httpd = Test::Tmpl::Httpd->new(conf => <<"END");
TmplMode strip
<Directory "\@ROOT\@/htdocs">
    Require all granted
    AllowOverride None
    AllowOverrideList $names
</Directory>
END
spit($httpd->root . '/htdocs/page.html', site()->page(1));
$httpd->expect_log(qr/\[core:alert\].*\.htaccess: \w+ cannot occur within htaccess files/);
$httpd->start;
is $httpd->get('/page.html')->status, 200, 'without .htaccess';
for my $line (@refused) {
    spit($httpd->root . '/htdocs/.htaccess', "$line\n");
    is $httpd->get('/page.html')->status, 500, "$line: refused";
}
unlink $httpd->root . '/htdocs/.htaccess';
is $httpd->get('/page.html')->status, 200, 'without it again';
$httpd->finish;
done_testing;
