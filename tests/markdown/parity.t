#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# The Markdown of the pages in t/pages, and of httpd's manual, has the words, headings, links, cells and lines of code
# of the stripped pages.
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

# Footnotes as publishers write them: micromark must read them as cmark-gfm does.
my $text = 'words that tell of the harbour and of the boats in it, one after the other, until the evening comes.';
my @NOTES = (
    ['<sup><a href="#n1" id="r1">1</a></sup>', '<ol><li id="n1">First <em>note</em>. <a href="#r1">back</a></li></ol>'],
    ['<a href="#n1" id="r1"><sup>[1]</sup></a>', '<p id="n1">[<a href="#r1">1</a>] First note.</p>'],
    ['<sup><a href="#n1" id="r1">*</a></sup>', '<div id="n1"><p>First note.</p><p>More of it.</p><ul><li>a</li><li>b</li></ul></div>'],
    ['<a class="footnote" href="#n1">a</a>', '<div id="n1"><p>First note:</p><pre>code  of it</pre></div>'],
    ['<sup>[<a href="#gone">1</a>]</sup><sup><a href="#n1">1</a></sup>', '<p id="n1">First note.</p>'],
    ['<sup><a href="#n1">1</a>, <a href="#n2">2</a></sup>', '<dl><dt id="n1">1</dt><dd>First [^2]: note</dd><dt id="n2">2</dt><dd>Second</dd></dl>'],
);
mkdir "$dir/notes" or die "$dir/notes: $!";
for my $n (0 .. $#NOTES) {
    open my $page, '>', "$dir/notes/$n.html" or die "$dir/notes/$n.html: $!";
    print $page "<!DOCTYPE html><title>Boats</title><body><article><h1>Boats</h1><p>The $n. $text$NOTES[$n][0] In $n other $text</p><p>And $n more $text</p>$NOTES[$n][1]</article>";
    close $page or die "$dir/notes/$n.html: $!";
}
$ENV{NODE_MARKDOWN} //= "$FindBin::Bin/../../build/node-markdown";
my $noted = qx('$parity' -v '$tmplctl' '$dir/notes' 2>&1);
is($?, 0, 'footnotes') or diag($noted);
like($noted, qr/^${\ scalar @NOTES} with footnotes/m, 'all have some');
SKIP: {
    skip('no micromark, as there is no npm: make deps-browser', 1) if !-d "$ENV{NODE_MARKDOWN}/node_modules/micromark";
    like($noted, qr/micromark has read, too$/m, 'micromark has read them');
}

# Code as highlighters write it: each word, line or indentation may be an element.
my @CODE = (
    '<pre><code><span class="k">if</span> <span class="n">a</span><span>:</span>'."\n".'    <span class="n">b</span>'."\n\n".'<span>c</span></code></pre>',
    '<pre>'."\n".'<div class="line"><i>one</i></div><div class="line">  <i>two</i></div>three</pre>',
    '<div class="language-c"><pre><span class="line"><b>x</b></span><br>  <span class="line"><b>y</b>&nbsp; <b>z</b></span></pre></div>',
);
mkdir "$dir/code" or die "$dir/code: $!";
for my $n (0 .. $#CODE) {
    open my $page, '>', "$dir/code/$n.html" or die "$dir/code/$n.html: $!";
    print $page "<!DOCTYPE html><title>Boats</title><body><article><h1>Boats</h1><p>The $n. $text</p>$CODE[$n]</article>";
    close $page or die "$dir/code/$n.html: $!";
}
my $coded = qx('$parity' -v '$tmplctl' '$dir/code' 2>&1);
is($?, 0, 'lines of code') or diag($coded);

# The test must see a difference: a tool that writes other words, or other lines of code.
sub false_tool {
    my ($change) = @_;
    my $false = "$dir/false";
    open my $out, '>', $false or die "$false: $!";
    print $out qq(#!/bin/sh\n'$tmplctl' "\$@" || exit\nfor last; do :; done\nwhile [ "\$1" != --out ]; do shift; done\n)
        . qq(for f in "\$2"/*.md; do $change; done\n);
    close $out or die "$false: $!";
    chmod 0755, $false;
    return $false;
}
my $false = false_tool('echo other >>"$f"');
my $said = qx('$parity' '$false' '$FindBin::Bin/../../t/pages' 2>&1);
isnt($?, 0, 'it fails for other words');
like($said, qr/ words:-0\+1/, 'and names them');
$false = false_tool(q(sed -i 's/^  *//' "$f"));
$said = qx('$parity' '$false' '$dir/code' 2>&1);
isnt($?, 0, 'it fails for code without indentation');
like($said, qr/ codes:-1\+1$/m, 'and names it');
done_testing;
