#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# The Markdown of the pages in t/pages, and of httpd's manual, has the words, headings, links and cells of the
# stripped pages.
use strict;
use warnings;

use File::Temp;
use FindBin;
use Test::More;

my $parity = "$FindBin::Bin/parity";
my $tmplctl = $ENV{TMPLCTL} // "$FindBin::Bin/../../build/tmplctl";
my $dir = File::Temp->newdir('tmpl-markdown-XXXXXX', TMPDIR => 1, CLEANUP => 1);
my @manual = grep { -s > 8_000 && -s _ < 80_000 } glob '/usr/share/doc/apache2-doc/manual/en/{,howto/,mod/}*.html';
cmp_ok(scalar @manual, '>', 50, 'pages of the manual');
symlink $_, "$dir/" . s{^.*/manual/en/}{}r =~ tr{/}{-}r for @manual;

for my $pages ("$FindBin::Bin/../../t/pages", "$dir") {
    my $said = qx('$parity' -v '$tmplctl' '$pages' 2>&1);
    is($?, 0, 'Markdown says what the page says') or diag($said);
    like($said, qr/^\d+ pages: 0 differ, 0 without Markdown$/m, 'of all pages');
}

# The test must see a difference: a tool that writes other words.
my $false = "$dir/false";
open my $out, '>', $false or die "$false: $!";
print $out qq(#!/bin/sh\n'$tmplctl' "\$@" || exit\nfor last; do :; done\nwhile [ "\$1" != --out ]; do shift; done\n)
    . qq(for f in "\$2"/*.md; do echo other >>"\$f"; done\n);
close $out or die "$false: $!";
chmod 0755, $false;
my $said = qx('$parity' '$false' '$FindBin::Bin/../../t/pages' 2>&1);
isnt($?, 0, 'it fails for other words');
like($said, qr/ words:-0\+1/, 'and names them');
done_testing;
