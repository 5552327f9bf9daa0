#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# Pages of mode reader, as tmplctl writes them, in Chromium: axe-core finds no violation, light, dark and on
# a phone; nothing but tables, formulas and the like in their boxes is wider than the window; no request
# but for pictures leaves the page; it can be printed. parse5 reads without an error what was meant, no
# element or attribute beside those of a table, one h1, no level of headings left out, no lost link.
#
# The pages are some of t/pages and one with everything. With CORPUS=DIR: PAGES (40) of that corpus, of all types
# in turn. SHOTS=DIR gets pictures and PDF files.
use strict;
use warnings;

use FindBin;
use lib $FindBin::Bin, "$FindBin::Bin/../../t/lib";
use Browser;
use File::Basename qw(basename dirname);
use File::Temp;
use JSON::PP;
use Test::More;
use Test::Tmpl::Process qw(slurp spit);

needed();
my $build = $ENV{BUILD} // "$FindBin::Bin/../../build";
my $node_dir = $ENV{NODE_BROWSER} // "$build/node-browser";
my $dir = File::Temp->newdir('tmpl-reader-XXXXXX', TMPDIR => 1);

# Pages of a corpus, of each type of its site.json files as many.
sub drawn {
    my ($corpus, $n) = @_;
    my %of;
    for my $file (sort glob "$corpus/*/*/site.json") {
        my $types = decode_json(slurp($file))->{types} // {};
        push @{ $of{ $types->{$_} } }, dirname($file) . "/pages/$_.html" for sort keys %$types;
    }
    my @drawn;
    for my $i (0 .. $n - 1) {
        my @types = sort grep { @{ $of{$_} } } keys %of or last;
        my $type = $types[$i % @types];
        my $nth = int $i / @types;
        my $pages = $of{$type};
        push @drawn, [$type, $pages->[$nth * @$pages * @types / $n]];
    }
    return @drawn;
}

my @pages = $ENV{CORPUS} ? drawn($ENV{CORPUS}, $ENV{PAGES} // 40)
    : map { [own => $_] } "$FindBin::Bin/reader.html", map { "$FindBin::Bin/../../t/pages/$_.html" } qw(news shop thread);
my (@files, @views, @names);
for my $i (0 .. $#pages) {
    my ($type, $page) = @{ $pages[$i] };
    my $name = sprintf '%02d-%s-%s', $i, $type, basename($page, '.html');
    my $file = "$dir/$name.html";
    my ($host) = $page =~ m{([^/]+)/pages/};
    is(system("'$build/tmplctl' clean -m reader --site '" . ($host // 'reader.example') . "' '$page' >'$file'"), 0, "$name: tmplctl");
    push @files, $file;
    # cards with a line between them
    my $ruled = '[...document.querySelectorAll("li")].filter((e) => parseFloat(getComputedStyle(e).borderTopWidth) > 0).map((e) => e.innerText.trim().split("\n")[0]).join(", ")';
    my $shot = defined $ENV{SHOTS} ? "$ENV{SHOTS}/$name" : undef;
    for my $view ([light => {}], [dark => { dark => 1 }], [phone => { width => 400, dark => $i % 2 }], [print => { print => 1, width => 700 }]) {
        my ($as, $with) = @$view;
        push @views, { url => "file://$file", alone => 1, evaluate => $ruled, %$with, $as eq 'print' ? (pdf => $shot ? "$shot.pdf" : "$dir/print.pdf") : (axe => 1),
            $shot ? (shot => "$shot-$as.png", whole => $as ne 'light') : () };
        push @names, "$name, $as";
    }
}
mkdir $ENV{SHOTS} if defined $ENV{SHOTS};

open my $said, '-|', 'node', '--stack-size=4000', "$FindBin::Bin/reader.mjs", $node_dir, @files or die "node: $!\n";
my @read = map { decode_json($_) } readline $said;
ok(close $said, 'parse5');
for my $page (@read) {
    my @levels = @{ $page->{levels} };
    my @gaps = grep { $levels[$_] > $levels[$_ - 1] + 1 } 1 .. $#levels;
    is_deeply([@$page{qw(errors strange lost differs)}, scalar grep({ $_ == 1 } @levels), scalar @gaps], [[], [], [], '', 1, 0], basename($page->{file}))
        or diag explain $page;
}
my %has_language = map { $_ => slurp($_) =~ /<html lang=/ ? 1 : 0 } @files;
my @results = look(@views);
for my $i (0 .. $#results) {
    my $result = $results[$i];
    # a page that does not say its language
    $result->{axe} = [grep { $_->{id} ne 'html-has-lang' } @{ $result->{axe} // [] }] if !$has_language{ $views[$i]{url} =~ s{file://}{}r };
    clean($result, $names[$i]);
    is_deeply($result->{asked}, [], "$names[$i]: no request");
    is($result->{value}, 'Roggen, Dinkel', "$names[$i]: two cards are ruled, and a table of contents is not") if $names[$i] =~ /reader, /;
}
done_testing;
