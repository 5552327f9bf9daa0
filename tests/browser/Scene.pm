# SPDX-License-Identifier: Apache-2.0
package Scene;

# A real httpd that has something to show: httpd's manual and the pages of t/pages as two sites that
# are learnt, a site of which every page is declined, and one whose name and paths are markup.
#
#   my $httpd = Scene::start(MORE CONFIGURATION);   the status page is at /tmpl-status
#   Scene::visit($httpd);                           requests all of it but the markup
#   Scene::visit_markup($httpd);

use strict;
use warnings;

use Cwd qw(abs_path);
use File::Basename qw(basename dirname);
use lib abs_path(dirname(__FILE__)) . '/../../t/lib';
use Test::Tmpl::Httpd;
use Test::Tmpl::Process qw(slurp spit);

my $top = abs_path(dirname(__FILE__) . '/../..');
my $manual = $ENV{TMPL_TEST_MANUAL} // '/usr/share/doc/apache2-doc/manual';

# Markup that must come out as text.
our $MARKUP = q{<img src=x onerror="document.title='hurt'">&amp;'};

sub manual_pages {
    my @pages = grep { -s > 3000 } glob "$manual/en/*.html $manual/en/mod/*.html $manual/en/howto/*.html";
    return map { s{^\Q$manual\E/}{}r } @pages;
}

sub start {
    my ($conf) = @_;
    my $httpd = Test::Tmpl::Httpd->new(log_level => 'warn', modules => ['socache_shmcb'], conf => <<"END" . ($conf // ''));
TmplMode strip
TmplRecent 300
TmplCache shmcb
TmplSiteKey "%{HTTP_HOST}"
<If "-n req('X-Site')">
    TmplSiteKey "%{HTTP:X-Site}"
</If>
TmplSecret not-to-be-shown
TmplHighlightAllow "%{QUERY_STRING} == 'highlight'"
AddDefaultCharset off
AddType text/css .css
AddType image/gif .gif
Alias /manual "$manual"
<Directory "$manual">
    Require all granted
</Directory>
<Location /tmpl-status>
    SetHandler tmpl-status
</Location>
<Location /utf16>
    ForceType "text/html; charset=utf-16"
</Location>
<Location /small>
    TmplMinKeep 99%
    TmplMaxBody 1000
</Location>
END
    my $docs = $httpd->root . '/htdocs';
    system('cp', '-R', "$top/t/pages", "$docs/pages") == 0 or die "cannot copy t/pages\n";
    mkdir "$docs/$_" for qw(utf16 small);
    spit("$docs/utf16/$_.html", "<!doctype html><p>Page $_") for 1 .. 40;
    spit("$docs/small/$_.html", '<!doctype html><p>' . "Page $_ has much to say. " x 80) for 1 .. 20;
    spit("$docs/deep.html", '<!doctype html>' . '<div>' x 600 . "\n<p>Deep down");
    return $httpd->start;
}

sub visit {
    my ($httpd) = @_;
    my $get = sub { my ($host, $path) = @_; $httpd->get($path, host => $host) };
    my @manual = manual_pages();
    $get->('legacy.example', "/utf16/$_.html") for 1 .. 40;
    $get->('archive.example', "/small/$_.html") for 1 .. 20;
    $get->('shop.example', '/pages/' . basename($_)) for (glob "$top/t/pages/*.html") x 2;
    $get->('manual.example', "/manual/$_") for @manual;
    $get->('archive.example', '/deep.html');
    $get->('shop.example', '/pages/shop.html');
    $get->('manual.example', "/manual/$_") for grep { defined } @manual[0 .. 2];
    return;
}

sub visit_markup {
    my ($httpd) = @_;
    $httpd->get('/pages/news.html?q=' . $MARKUP =~ s/ /+/gr, headers => { 'X-Site' => $MARKUP }) for 1 .. 2;
    return;
}

1;
