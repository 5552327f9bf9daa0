# SPDX-License-Identifier: Apache-2.0
package Test::Tmpl::Pages;

# Long texts with markup that people wrote: headings, tables, lists, listings, notes, links. They are sections
# of httpd's manual (apache2-doc); where it is not installed, the main parts of t/pages.

use strict;
use warnings;

use Cwd qw(abs_path);
use File::Basename qw(dirname);
use Test::Tmpl::Process qw(slurp);

my $own = abs_path(dirname(__FILE__) . '/../../../pages');
my $manual = '/usr/share/doc/apache2-doc/manual/en/mod';
my @OF_MANUAL = qw(core mod_rewrite mod_proxy mod_ssl mpm_common mod_log_config mod_include);

# Stands for the number in the texts: a byte that no page has.
my $NUMBER = "\1";

# The sections of a page of the manual.
sub of_manual {
    my ($html) = @_;
    $html =~ s{<div id="quickview">.*?(?=<div class="section">|<div class="directive-section">)}{}s;
    my @sections = $html =~ m{<div class="(?:directive-)?section">(.*?)</div>\s*(?=<div class="top">|<div class="bottomlang">)}gs;
    return grep { is_article($_) } @sections;
}

sub of_page { return $_[0] =~ m{<main\b[^>]*>(.*?)</main>}s ? $1 =~ s{<(script|form)\b.*?</\1>}{}gsr : () }

# Whether a section is long, has no menu, and closes the elements that it opens.
sub is_article {
    my ($html) = @_;
    return 0 if length $html < 1500 || $html =~ /<li>\s*<(?:a href="#|code>\w+<)|<script/;
    for my $name (qw(div ul ol dl table pre p)) {
        my ($open, $close) = (scalar(() = $html =~ m{<$name\b}g), scalar(() = $html =~ m{</$name>}g));
        return 0 if $open != $close;
    }
    return 1;
}

my @sections;

# All sections, without ids, each text with $NUMBER at its end.
sub sections {
    return @sections if @sections;
    my @of = -d $manual ? map { of_manual(slurp("$manual/$_.html")) } @OF_MANUAL : map { of_page(slurp($_)) } glob "$own/*.html";
    @sections = map { s/ (?:id|name)="[^"]*"//gr =~ s{([^<>\s][^<>]*?)(\s*)(?=<)}{$1 $NUMBER$2}gr } @of;
    die "no sections in $manual and $own\n" if !@sections;
    return @sections;
}

my %long;    # bytes => text with $NUMBER

# At least so many bytes. The texts have the number in them: those of two numbers have no segment in common.
sub long {
    my ($number, $bytes) = @_;
    my $text = '';
    for (my $round = 1; !defined $long{$bytes} && length $text < $bytes; $round++) {
        for my $section (sections()) {
            $text .= '<section>' . ($section =~ s/$NUMBER/$NUMBER.$round/gr) . "</section>\n" if length $text < $bytes;
        }
    }
    $long{$bytes} //= $text;
    return $long{$bytes} =~ s/$NUMBER/$number/gr;
}

1;
