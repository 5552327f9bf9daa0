#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# bench/accuracy/{word-f1,kinds,baselines} on two sites of two pages that this test writes, with a
# scorer of its own: their figures are those computed by hand.
use strict;
use warnings;

use Cwd qw(abs_path);
use File::Basename qw(dirname);
use File::Path qw(make_path);
use File::Temp qw(tempdir);
use Test::More;

my $root = abs_path(dirname(__FILE__) . '/../..');
my $python = '/usr/bin/python3';
my $tmplctl = abs_path($ENV{TMPLCTL} // 'build/tmplctl');
plan skip_all => 'there is no tmplctl: run make first' unless $tmplctl && -x $tmplctl;
plan skip_all => "$python has no lxml" if system("$python -c 'import lxml.html' 2>/dev/null");
my $dir = tempdir(CLEANUP => 1);
$ENV{PYTHONDONTWRITEBYTECODE} = 1;

sub spew {
    my ($name, $text) = @_;
    make_path(dirname("$dir/$name"));
    open my $f, '>:encoding(UTF-8)', "$dir/$name" or die "$name: $!";
    print $f $text;
    close $f or die "$name: $!";
}

# The fields of each row that a program prints, by its title.
sub rows {
    my $out = qx(@_ 2>&1);
    is($?, 0, 'rc 0') or diag($out);
    return map { /^(\S.*?) {2,}(\S.*)$/ ? ($1 => [split ' ', $2]) : () } split /\n/, $out;
}

spew('score.py', <<'END');
import os, re, lxml.etree as ET
SKIP = {'head', 'script'}
def order(site): return sorted(f[:-4] for f in os.listdir(site + '/gold'))
def gold(path): return (line.rstrip('\n').split('\t')[::2] for line in open(path))
def words(text): return re.findall(r'[^\W_]+', text.lower())
def decode(data): return data.decode()
def score_page(rows, kept):
    """None without content, cut only of pages with template; precision is the number of words, in hundreds."""
    labels = [label for label, _ in rows]
    return {'kept': 1, 'cut': .25 if 'T' in labels else None, 'precision': sum(kept.values()) / 100,
            'f1': .5} if 'C' in labels else None
END

# 29 words of content, 4 of template, 3 that are not scored
spew('corpus/ds/one/pages/a.html', <<'END');
<!DOCTYPE html><html><head><title>Not read</title></head><body>
<div class="menu"><p>Home News About</p></div>
<h1>Cats sleep</h1>
<p>Old cats sleep all day long and they dream of birds and mice.</p>
<p>By Tom.</p>
<table><tr><td>Weight</td><td>4 kg</td></tr></table>
<ul><li>soft fur</li><li><p>sharp claws</p></li></ul>
<blockquote><p>Purr</p></blockquote>
<div><pre>meow 1</pre></div>
<figure><img src="a.png"><figcaption>A cat</figcaption></figure>
<script>var not = 'read';</script>
<p>Share this page</p>
<div class="menu">Imprint</div>
</body></html>
END
spew('corpus/ds/one/gold/a.tsv', join '', map { "$_\n" } "T\t1\tHome News About", "C\t2\tCats sleep",
    "C\t3\tOld cats sleep all day long and they dream of birds and mice.", "C\t4\tBy Tom.", "C\t5\tWeight", "C\t6\t4 kg",
    "C\t7\tsoft fur", "C\t8\tsharp claws", "C\t9\tPurr", "C\t10\tmeow 1", "C\t11\tA cat", "I\t12\tShare this page", "T\t13\tImprint");
# no content
spew('corpus/ds/one/pages/b.html', '<body><p>Nothing here</p></body>');
spew('corpus/ds/one/gold/b.tsv', "T\t1\tNothing here\n");
spew('corpus/ds/one/site.json', '{"types": {"a": "article", "b": "forum"}}');
# _ is a part of a word by the benchmark's rule only
spew('corpus/ds/two/pages/c.html', '<body><div>x_y Zeta</div></body>');
spew('corpus/ds/two/gold/c.tsv', "C\t1\tx_y Zeta\n");
spew('corpus/ds/two/pages/d.html', '<body><p>alpha beta</p>gamma delta</body>');
spew('corpus/ds/two/gold/d.tsv', "C\t1\talpha beta\nI\t2\tgamma delta\n");
spew('corpus/ds/two/site.json', '{}');
my $args = "$dir/corpus $dir/score.py $tmplctl";

subtest 'word F1' => sub {
    local @ENV{qw(DETECTOR CTL_OPTIONS PAGES)} = ('incremental', '--drop .menu --drop pre', "$dir/pages.txt");
    my %row = rows("$root/bench/accuracy/word-f1 $args");
    # of 29 words of content 27 are kept, and 3 others: 2 * 27 / (29 + 30)
    is_deeply($row{article}, [1, '0.9153', '0.9000', '0.9310'], 'a page of which content is cut');
    # 1 and 2 * 2 / (2 + 4)
    is_deeply($row{ds}, [2, '0.8333', '0.7500', '1.0000'], 'pages without a type have the type of their data set');
    is_deeply($row{all}, [3, '0.8606', '0.8000', '0.9770'], 'all pages have the same weight; a page without content is left out');
    ok(!exists $row{forum}, 'types without content have no row');
    open my $f, '<', "$dir/pages.txt" or die;
    is((<$f>)[0], "0.9153 0.9000 0.9310 article ds/one/a\n", 'PAGES=FILE has each page');
};

subtest 'kept by kind of element' => sub {
    system("$tmplctl clean --mode annotate --detector incremental --drop .menu --drop pre --drop td --site one"
            . " --out $dir/out/ds/one $dir/corpus/ds/one/pages/a.html >/dev/null");
    spew('out/ds/one/b.html', '<body><p>Text that gold does not have</p></body>');
    spew('out/ds/two/c.html', '<body><div data-tmpl="1">x_y Zeta</div></body>');
    spew('out/ds/two/d.html', '<body><!--tmpl 1--><p>alpha beta</p><!--/tmpl-->gamma delta</body>');
    my %row = rows("$root/bench/accuracy/kinds $dir/corpus $dir/score.py $dir/out");
    is_deeply(\%row, {
        'table cell'      => [1, 3,  '0.0000', '0.0000'],
        'pre'             => [1, 2,  '0.0000', '0.0000'],
        'list item'       => [1, 4,  '1.0000', '1.0000'],
        'blockquote'      => [1, 1,  '1.0000', '1.0000'],
        'heading'         => [1, 2,  '1.0000', '1.0000'],
        'figure'          => [1, 2,  '1.0000', '1.0000'],
        'short paragraph' => [2, 4,  '0.5000', '0.5000'],
        # 13 words of 13, none of 3
        'other'           => [2, 16, '0.8125', '0.5000'],
    }, 'words of content, share kept, mean of the sites');
    like(qx($root/bench/accuracy/kinds $dir/corpus $dir/score.py $dir/out), qr/^left out: 1 pages/m, 'other text than gold');
};

subtest 'beside other tools' => sub {
    local $ENV{TOOLS} = '';
    my %row = rows("$root/bench/accuracy/baselines $args");
    # words: 36 of site one, (3 + 4) / 2 of site two. Word F1: 2 * 29 / (29 + 36), 1, 2 * 2 / (2 + 4)
    is_deeply($row{'the whole page'}, [3, 0, qw(1.0000 0.2500 0.1975 0.5000 0.8530)], 'the scorer: means of sites; word F1: mean of pages');
    ok($row{auto}, 'auto has a row');
};

# Runs Python lines in which b is bench/accuracy/baselines and pages are Pages.
sub baselines {
    my ($code) = @_;
    spew('run.py', <<"END" . $code);
import importlib.machinery, importlib.util, os, subprocess
loader = importlib.machinery.SourceFileLoader('baselines', '$root/bench/accuracy/baselines')
b = importlib.util.module_from_spec(importlib.util.spec_from_loader('baselines', loader))
loader.exec_module(b)
scorer = b.scores.load('$dir/score.py')
pages = b.Pages('$dir/corpus', scorer, ['ds/one', 'ds/two'], 40)
END
    return scalar qx($python $dir/run.py 2>&1);
}

subtest 'a program that dies' => sub {
    is(baselines(<<"END"), "a b d\n", 'goes on with the next page');
program = r'(\$in, \$out) = /(.*)\\t(.*)/; exit 1 if \$in =~ /c.html/; open F, q(>), \$out; print F q(text)'
b.extract(pages, ['perl', '-ne', program], '$dir/texts')
print(*(name[0] for _, _, names in sorted(os.walk('$dir/texts')) for name in sorted(names)))
END
    like(baselines("b.extract(pages, ['false'], '$dir/none')"), qr/^subprocess.CalledProcessError/m, 'a program that cannot start');
};

subtest 'text that many pages have' => sub {
    is(baselines(<<'END'), <<'WANT', 'what is left of the first of four pages');
def nodes(form):
    return [list(b.text_nodes(scorer, form.format(i, i // 2).encode())) for i in range(4)]
site = nodes('<nav><ul><li>Home<li>Menu {0}</ul></nav><p>Number <b>{0}</b></p><p>Pair {1}</p><footer>Imprint</footer>')
for method in b.repeated.paragraphs, b.repeated.blocks:
    print(repr(method(site)[0]))
site = nodes('<p>a b c d e f g h i j k l {0} m n o p q r s t u v w</p>')
print(repr(b.repeated.shingles(site)[0]))
END
'Menu 0\nNumber 0\nPair 0'
'Home Menu 0\nNumber 0'
'0 m n o p q r s t u v w'
WANT
};

done_testing;
