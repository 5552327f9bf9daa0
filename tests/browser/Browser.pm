# SPDX-License-Identifier: Apache-2.0
package Browser;

# Pages in Debian's chromium, driven by playwright-core. make check-browser installs the npm packages
# of package-lock.json into BUILD/node-browser.
#
#   needed();                    skips the test if the browser cannot be used, and says why;
#                                fails it where TMPL_TEST_BROWSER is "must", as in CI
#   @results = look(@views);     what the browser sees of each view
#   clean($result, $name, %o);   tests: status 200, nothing on the console, no violation of axe's
#                                rules if the view had axe, no horizontal scroll of the page
#
# A view: { url => , and if other than this:
#   width => 1280, height => 900, dark => 0, script => 1 (JavaScript), print => 0, headers => {},
#   press => [keys], press_on => a selector of what is clicked, evaluate => an expression of JavaScript, click => a selector of what leads to
#   another page, shot => a file for the picture, whole => 1: all of the page instead of the window,
#   axe => 1 or [tags of rules] (needs script), pdf => a file for the page as it is printed,
#   alone => 1: a picture stands for all pictures, and no other request is answered }
# A result: { status => , headers => {}, asked => [requests that were not answered], overflow => pixels by which the page is wider than the
#   window, said => [errors and warnings on the console, failed requests], value => of evaluate,
#   after => { url =>, text => } of click, axe => [{ id =>, help =>, where => [selectors] }] }

use strict;
use warnings;

use Cwd qw(abs_path);
use Exporter qw(import);
use File::Basename qw(dirname);
use File::Temp;
use JSON::PP;
use Test::More ();

our @EXPORT = qw(needed look clean);

my $here = abs_path(dirname(__FILE__));
my $chromium = $ENV{CHROMIUM} // 'chromium';

sub node_dir { return $ENV{NODE_BROWSER} // ($ENV{BUILD} // "$here/../../build") . '/node-browser' }

# Why the browser cannot be used, or undef.
sub lacking {
    for my $program ('node', $chromium) {
        return "there is no $program: make deps-browser" if system("command -v '$program' >/dev/null 2>&1") != 0;
    }
    return node_dir() . ' lacks playwright-core and axe-core: make check-browser installs them with npm'
        if grep { !-d node_dir() . "/node_modules/$_" } qw(playwright-core axe-core);
    return;
}

sub needed {
    my $lacking = lacking() // return;
    Test::More::BAIL_OUT($lacking) if ($ENV{TMPL_TEST_BROWSER} // '') eq 'must';
    Test::More::plan(skip_all => $lacking);
    return;
}

sub look {
    my (@views) = @_;
    my $json = JSON::PP->new->utf8->canonical;
    for my $view (@views) {
        $view->{$_} = $view->{$_} ? JSON::PP::true : JSON::PP::false for grep { exists $view->{$_} } qw(dark script print whole alone);
        $view->{axe} = JSON::PP::true if $view->{axe} && !ref $view->{axe};
    }
    my $file = File::Temp->new;
    print {$file} $json->encode(\@views);
    close $file or die "$file: $!\n";
    local $ENV{CHROMIUM} = `command -v '$chromium'` =~ s/\n//r;
    my $said = `node '$here/look.mjs' '@{[node_dir()]}' <'$file'`;
    die "look.mjs: exit status $?\n" if $? != 0;
    return @{ $json->decode($said) };
}

# wide => 1: the page may be wider than the window.
sub clean {
    my ($result, $name, %o) = @_;
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    my @wrong = $result->{status} == 200 ? () : "status $result->{status}";
    push @wrong, @{ $result->{said} };
    push @wrong, map { "$_->{id}: $_->{help}: @{ $_->{where} }" } @{ $result->{axe} // [] };
    push @wrong, "$result->{overflow} pixels wider than the window" if $result->{overflow} > 0 && !$o{wide};
    return Test::More::is(join("\n", @wrong), '', $name);
}

1;
