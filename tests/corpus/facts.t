#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# Pages for training: gold of pages whose facts are known as strings, copies with foreign prose that is not scored, and
# folds that keep a copy with its page. Needs python3-lxml.
use strict;
use warnings;
use Cwd qw(abs_path);
use File::Basename qw(dirname);
use File::Path qw(make_path);
use File::Temp qw(tempdir);
use JSON::PP qw(encode_json);
use Test::More;

my $root = abs_path(dirname(__FILE__) . '/../..');
my $build = "$root/build";
plan skip_all => 'there is no python3-lxml' if system("/usr/bin/python3 -c 'import lxml.html' 2>/dev/null");
my $dir = tempdir(CLEANUP => 1);
$ENV{PYTHONDONTWRITEBYTECODE} = 1;

sub spit {
    my ($path, $text) = @_;
    make_path(dirname($path));
    open my $file, '>', $path or die "$path: $!";
    print $file $text;
    close $file;
}

sub slurp {
    my ($path) = @_;
    open my $file, '<', $path or die "$path: $!";
    local $/;
    return scalar <$file>;
}

sub labels_of {
    return join '', map { /^(\w)/ } split /\n/, slurp($_[0]);
}

# a recipe: what holds its facts is content, what nobody labelled is not scored
my @method = map { "Step $_: stir the soup of peas with the old wooden spoon until it is thick and smells of summer and of rain." } 1 .. 4;
spit("$dir/pages/html/soup.html", '<title>Pea soup</title><body><nav><ul>' . '<li><a href=/>Home page</a><li><a href=/a>About us all</a>' x 6
        . "</ul></nav><main><h1>Pea soup of the coast</h1><p>A story of my aunt</p><ul><li>200 g dried peas<li>salt</ul>"
        . join('', map { "<p>$_</p>" } @method) . '</main>');
spit("$dir/pages/gold.json", encode_json({ soup => { host => 'e.org', title => ['Pea soup of the coast'], ingredients => ['200 g dried peas', 'salt'], instructions => \@method } }));
like qx('$root/train/labels/facts' '$build/tmplctl' '$build/train/labels/part_blocks' recipes '$dir/pages' '$dir/out' 2>&1), qr/: 1 pages, /, 'a recipe';
my $gold = slurp("$dir/out/recipes/e.org--soup/gold/page.tsv");
like $gold, qr/^C\t\d+\t\Q$_\E/m, "content: $_" for 'Pea soup of the coast', '200 g dried peas', 'salt', $method[3];
like $gold, qr/^I\t\d+\tA story of my aunt/m, 'a text that nobody labelled is not scored';
unlike $gold, qr/^C\t\d+\tHome page/m, 'a menu is not content';

# copies: what is inserted is not scored, all else as before
my $scorer = "$dir/score.py";
spit($scorer, <<'END');
import os
def order(site): return sorted(f[:-4] for f in os.listdir(os.path.join(site, 'gold')))
def gold(path): return [(row[0], row[2]) for row in (line.rstrip('\n').split('\t') for line in open(path))]
END
for my $site (qw(one two thread)) {
    my @prose = map { "Paragraph $_ of site $site tells of boats and of the harbour, of the rain in the evening and of those who wait for them to come home." } 1 .. 6;
    spit("$dir/corpus/ds/$site/pages/a.html", '<body><nav>Menu</nav>' . join('', map { "<p>$_</p>" } @prose) . '</body>');
    spit("$dir/corpus/ds/$site/gold/a.tsv", "T\t1\tMenu\n" . join '', map { "C\t2\t$_\n" } @prose);
    spit("$dir/corpus/ds/$site/site.json", $site eq 'thread' ? '{"types": {"a": "forum"}}' : '{}');
}
like qx('$root/train/labels/prose' '$scorer' '$dir/corpus' '$dir/out' 1 2>&1), qr/: 2 copies$/, 'copies of pages, but of no thread';
my $labels = labels_of("$dir/out/prose/ds--one--a/gold/page.tsv");
like $labels, qr/^TC{6}I+$/, 'the inserted prose is not scored';
my $page = slurp("$dir/out/prose/ds--one--a/pages/page.html");
like $page, qr{of site (?:two|thread) }, 'the prose is of another site';
is $page =~ s{<(div|section)\b.*</\1>}{}sr, slurp("$dir/corpus/ds/one/pages/a.html"), 'the rest of the page is as it was';

# folds
is qx(cd '$dir' && /usr/bin/python3 -c "
import sys
sys.path[:0] = ['$root/train/lib', '$root/bench/lib']
import blocks
keys = ['ds/one', 'ds/two', 'prose/ds--one--a', 'recipes/e.org--1', 'recipes/e.org--2', 'recipes/f.org--1']
print(all({'ds/one', 'prose/ds--one--a'} <= set(test) or not {'ds/one', 'prose/ds--one--a'} & set(test) for _, test in blocks.folds_of(keys, 2)),
      all({'recipes/e.org--1', 'recipes/e.org--2'} <= set(test) or not {'recipes/e.org--1', 'recipes/e.org--2'} & set(test) for _, test in blocks.folds_of(keys, 2)))
" 2>&1), "True True\n", 'a copy is in the fold of its page, pages of a host are in one fold' if !system("/usr/bin/python3 -c 'import xgboost' 2>/dev/null");

done_testing;
