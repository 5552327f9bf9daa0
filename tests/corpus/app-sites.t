#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# Sites for training: labels of text by selectors, sites that train/corpus/apps makes, and sites that
# are written completely or not at all. The texts are this test's own: no package is downloaded.
# Needs python3-lxml and python3-cssselect.
use strict;
use warnings;
use Cwd qw(abs_path);
use File::Basename qw(dirname);
use File::Temp qw(tempdir);
use Test::More;

my $root = abs_path(dirname(__FILE__) . '/../..');
plan skip_all => 'there is no python3-lxml or no python3-cssselect'
    if system("/usr/bin/python3 -c 'import lxml.html, cssselect' 2>/dev/null");
my $dir = tempdir(CLEANUP => 1);

sub python {
    my ($script) = @_;
    open my $file, '>', "$dir/script.py" or die;
    print $file "import sys\nsys.path[:0] = ['$root/train/lib', '$root/train/corpus/apps']\n$script";
    close $file;
    return scalar qx(cd $dir && PYTHONDONTWRITEBYTECODE=1 /usr/bin/python3 script.py 2>&1);
}

is(python(<<'END'), <<'END', 'the nearest ancestor that a selector matches labels a text');
import labels
row = dict(content='main', template='nav;=//p[.="Next"]', ignore='.toc')
page = b'<body>Top<main><h1>A <b>title</b></h1><nav>Menu<i class=toc>In</i></nav><p>Next</p>Text<script>no</script></main>End'
for line in labels.Labels(row).rows(labels.parse(page)):
    print('%s %d %s' % line)
print(labels.Labels(row).rows(labels.parse(b'<p>Nothing is content</p>')))
END
T 1 Top
C 2 A
C 2 title
T 3 Menu
I 3 In
T 4 Next
C 5 Text
T 6 End
[]
END

my $source = <<'END';
import collections, importlib, re
import labels, parts

class Source:
    def __init__(self):
        texts = ['Text number %d has some words and ends here.' % i for i in range(400)]
        self.posts = self.paragraphs = self.headlines = {'en': texts, 'de': texts}
        self.entries = {'en': [('Entry %d' % i, texts[i:i + 2]) for i in range(300)]}
        self.entries['de'] = self.entries['en']

def pages(kind, number=1, lang='en', legacy=False):
    return list(importlib.import_module(kind).pages(parts.Site('%s-%d' % (kind, number), lang, Source(), legacy)))
END

for my $kind (qw(shop forum listing service magazine)) {
    is(python($source . "kind = '$kind'\n" . <<'END'), "", "$kind: labels are those of the page's text");
for number, lang, legacy in ((1, 'en', False), (2, 'de', True)):
    made = pages(kind, number, lang, legacy)
    for name, data, rows in made:
        told = labels.gold_rows(labels.parse(data), {})
        if [(b, t) for _, b, t in rows] != [(b, t) for _, b, t in told]:
            print(number, name, 'other text than the page')
        if b'data-gold' in data:
            print(number, name, 'the label is in the page')
        if not {'C', 'T'} <= {label for label, _, _ in rows}:
            print(number, name, 'no content or no template')
        title = labels.parse(data).find('.//title').text
        if not any(label == 'C' and len(text) > 2 and text in title for label, _, text in rows):
            print(number, name, 'the title is not content')
        if any(label == 'C' and text.startswith('©') for label, _, text in rows):
            print(number, name, 'the footer is content')
    if len(made) != 40 or len({data for _, data, _ in made}) != 40:
        print(number, len(made), 'pages are not 40 different ones')
END
}

is(python($source . <<'END'), "True\nTrue\n", 'the same name gives the same site, another name another one');
print(pages('shop', 5) == pages('shop', 5))
print(pages('shop', 5)[0][1] != pages('shop', 6)[0][1])
END

is(python($source . <<'END'), <<'END', 'a site is written completely or not at all');
import os
os.mkdir('out')
words = ' '.join('word%d' % i for i in range(50))
def some(count, fail=None):
    for i in range(count):
        if i == fail:
            raise ValueError('no page %d' % i)
        yield 'a/%d.html' % i, b'<p>%d' % i, [('C', 1, '%s page%d' % (words, i))]
for name, found in (('few', some(3)), ('broken', some(20, 5)), ('good', some(20))):
    try:
        labels.write_site('out', name, found, 10, dict(lang='en'))
    except ValueError as e:
        print(e)
print(os.listdir('out'), len(os.listdir('out/good/pages')), sorted(os.listdir('out/good')), os.listdir('out/good/gold')[0][-4:])
END
3 pages only; left out: {}
no page 5
good                          10 pages; left out: {}
['good'] 10 ['gold', 'pages', 'site.json'] .tsv
END

done_testing;
