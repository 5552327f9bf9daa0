# SPDX-License-Identifier: Apache-2.0
"""
The word F1 of web content benchmarks: words are \\w+ in lower case, compared as bags. The reference is the text
of a page's C rows; all other words that a tool keeps, of I and U rows also, count against its precision.
"""
import collections
import json
import os
import re

MEASURES = ('F1', 'precision', 'recall')


def bag(texts):
    """The bag of words of some texts."""
    return collections.Counter(word for text in texts for word in re.findall(r'\w+', text.lower()))


def reference(rows):
    """The bag of a page's gold rows (label, text)."""
    return bag(text for label, text in rows if label == 'C')


def figures(kept, wanted):
    """F1, precision and recall of the bag of words kept against the reference."""
    hit = sum((kept & wanted).values())
    precision = hit / kept.total() if hit else 0.
    recall = hit / wanted.total() if hit else 0.
    return 2 * precision * recall / (precision + recall) if hit else 0., precision, recall


def types_of(site):
    """The type of each page of CORPUS/DS/SITE by its name, as a function; without types, the data set."""
    types = {}
    if os.path.exists(os.path.join(site, 'site.json')):
        with open(os.path.join(site, 'site.json'), encoding='utf-8') as f:
            types = json.load(f).get('types')
    types = types if isinstance(types, dict) else {}
    return lambda name: types.get(name) or os.path.basename(os.path.dirname(site))


def table(pages):
    """Prints the means of pages, a list of (type, figures): of all and of each type."""
    print('%-16s %6s' % ('', 'pages') + ' %9s' * 3 % MEASURES)
    for kind in [None] + sorted({k for k, _ in pages}):
        rows = [f for k, f in pages if kind in (None, k)]
        means = tuple(sum(column) / len(rows) for column in zip(*rows))
        print('%-16s %6d' % (kind or 'all', len(rows)) + ' %9.4f' * 3 % means)
