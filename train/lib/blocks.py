# SPDX-License-Identifier: Apache-2.0
"""Leaf blocks of a corpus: their features, their labels, and boosted trees fitted to them.

Shared by crossval, auto-train, auto-folds and auto-accuracy. Rows come from
build/train/trees/features, which sees the first pages of a site once, in order, through a real
store; labels from gold/*.tsv. Needs Debian's python3-lxml, python3-numpy and python3-xgboost.
"""
import bisect
import collections
import hashlib
import html
import json
import multiprocessing
import os
import subprocess
import tempfile
import zlib

# a process that OpenMP has given threads must not fork: the pools below would wait for ever
os.environ['OMP_NUM_THREADS'] = '1'

import numpy as np
import xgboost

import scorer as scores
from pages import FIRST, keys_of

# At most so many gold words may lie between a block and the block before it.
REACH = 3000
# Approximate number of rows of a page for training; fewer for sites that weigh less than 1. Rows are drawn by their
# weight, so that sums stay right.
ROWS = 40
# Each page is seen in the scorer's order, in another order, and as if it were the site's first. The page
# of a site of one page is seen as the first only, but with more rows.
VIEWS = (('0', 1.), ('1', 1.), ('cold', .5))
ALONE = (('cold', 1.),)
# Made sites weigh little: so many of their pages are read to train, in two views.
MADE = {'apps': 12}
VIEWS_MADE = (('0', 1.), ('cold', .5))
ROWS_ALONE = 160
TREES = {'objective': 'binary:logistic', 'tree_method': 'hist', 'grow_policy': 'lossguide', 'max_depth': 0,
         'lambda': 5., 'min_child_weight': 3., 'colsample_bytree': .3, 'max_bin': 128, 'seed': 1, 'base_score': .5,
         'nthread': 1, 'max_leaves': 15}
# The first trees, and the last trees, which also see what the first trees say of the page.
FIRST_TREES = {'rounds': 60, 'eta': .15}
LAST_TREES = {'rounds': 200, 'eta': .08, 'max_leaves': 31}
# Sites are dealt into parts: to train the last trees, a site is judged by first trees of the other parts.
PARTS = 4
THRESHOLD = .5
# The weight of a site, by its data set. People labelled dragnet text by text: comments, bylines and
# titles are content there. debian-sites has many similar sites, app-sites are made, wcxb has a
# thousand sites of one page, and each page whose parts are labelled (train/labels/gold) is a site, and so is
# each page whose facts are known (train/labels/facts) and each copy with foreign prose (train/labels/prose;
# docs/lab/accuracy.md).
BY_PART = ('strings', 'readability-pages')
WEIGHTS = {'dragnet': 5, 'deb2': .25, 'apps': .1, 'wcxb': .25, 'recipes': .1, 'news': .2, 'prose': .15} | {
    name: .2 for name in BY_PART}

# The rows of a site to train on: their numbers, features, whether each is template, weights. Only these stay in memory:
# a corpus has millions of rows.
Drawn = collections.namedtuple('Drawn', 'which x is_template weight')


class Gold:
    """The gold words of a page in order, matched with its blocks one by one."""

    def __init__(self, path, scorer):
        self.words, self.labels, self.at = [], [], 0
        self.split = scorer.words
        self.places = collections.defaultdict(list)
        for label, text in scorer.gold(path):
            for w in scorer.words(text):
                self.places[w].append(len(self.words))
                self.words.append(w)
                self.labels.append(label)

    def find(self, words):
        """The position of the block's words: the next position of the first few of them."""
        for start in range(min(3, len(words))):
            places = self.places.get(words[start], [])
            want = words[start:start + 4]
            first = bisect.bisect_left(places, self.at)
            for p in places[first:first + 60]:
                if self.words[p:p + len(want)] == want:
                    return max(p - start, 0)
        return None

    def label(self, text):
        """The number of words of a block that are content, and that are template."""
        words = list(self.split(html.unescape(text)))
        counts = collections.Counter()
        start = self.find(words)
        if start is None or start - self.at > REACH:
            return 0, 0
        p = start
        for w in words:
            step = next((d for d in range(4) if p + d < len(self.words) and self.words[p + d] == w), None)
            if step is not None:
                counts[self.labels[p + step]] += 1
                p += step + 1
        self.at = min(p, len(self.words))
        return counts['C'], counts['T']


class Corpus:
    """
    The sites of some directories DIR/DS/SITE. For each site and view labels[key, view] has the words of all blocks
    (content, template) and their pages, drawn[key, view] the rows to train on (Drawn). Features of the group without
    are 0.
    """

    def __init__(self, dirs, scorer, features, views=None, without=None):
        self.scorer, self.features, self.without = scores.load(scorer), features, without
        lines = subprocess.run([features], check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines()
        self.names, groups = zip(*(line.split('\t') for line in lines))
        self.groups = np.array(groups)
        self.dirs = {key: os.path.join(d, key) for d in dirs for key in keys_of(d)}
        self.views = {key: views if views is not None else self.views_of(key) for key in self.dirs}
        self.labels, self.drawn = {}, {}
        for views in self.read_all(read_site, sorted(self.dirs)):
            for task, labels, drawn in views:
                self.labels[task] = labels
                self.drawn[task] = drawn

    def read_all(self, function, tasks):
        # the forked processes find the reader by this name
        global reader
        reader = self
        with multiprocessing.get_context('fork').Pool() as pool:
            return pool.map(function, tasks, chunksize=1)

    def views_of(self, key):
        """The views of a site, with their weights."""
        if key.split('/')[0] in MADE:
            return dict(VIEWS_MADE)
        return dict(VIEWS if len(self.scorer.order(self.dirs[key])) > 1 else ALONE)

    def order(self, key, view):
        order = self.scorer.order(self.dirs[key])
        if view == '1':
            order = sorted(order, key=lambda name: hashlib.md5((view + name).encode()).hexdigest())
        return [os.path.join(self.dirs[key], 'pages', name + '.html') for name in order][:FIRST]

    def dump(self, key, view, model, then):
        """then(rows, texts): the features of a site; by the first trees of a model, if there is one."""
        with tempfile.TemporaryDirectory() as d:
            rows, texts = os.path.join(d, 'rows'), os.path.join(d, 'texts')
            os.mkdir(os.path.join(d, 'store'))
            subprocess.run([self.features, os.path.join(d, 'store'), '-' if view == 'cold' else 'site', rows, texts,
                            *([model] if model else [])], check=True,
                           input='\n'.join(self.order(key, view)[:MADE.get(key.split('/')[0])]) + '\n', text=True)
            x = np.fromfile(rows, dtype=np.float32).reshape(-1, len(self.names))
            x[:, self.groups == self.without] = 0
            return then(x, texts)

    def read_labels(self, texts, known):
        """The words of blocks and their pages; known has the labels of pages that an earlier view had."""
        labels, page_of, page, gold = [], [], -1, None
        with open(texts, 'rb') as f:
            for line in f:
                kind, rest = line.rstrip(b'\n').split(b'\t', 1)
                if kind == b'P':
                    path = rest.split(b'\t')[0].decode()
                    of_page = known.setdefault(path, [])
                    is_known = len(of_page) > 0
                    page += 1
                    if is_known:
                        labels += of_page
                        page_of += [page] * len(of_page)
                        continue
                    gold = Gold(path.replace('/pages/', '/gold/')[:-len('.html')] + '.tsv', self.scorer)
                    decode = self.decoder(path)
                elif not is_known:
                    of_page.append(gold.label(decode(rest)))
                    labels.append(of_page[-1])
                    page_of.append(page)
        return np.array(labels, dtype=np.float32).reshape(-1, 2), np.array(page_of)

    def decoder(self, path):
        """A function that decodes blocks as the scorer decodes their page."""
        with open(path, 'rb') as f:
            whole = f.read()
        if self.scorer.decode(whole).encode('utf-8') == whole:
            return lambda block: block.decode('utf-8', 'replace')
        return lambda block: self.scorer.decode(whole[:4096] + b'\x00\xff' + block).split('\x00', 1)[1][1:]

    def without_disputes(self, x, labels, key):
        """
        Comments below an article, and its byline, are content in some data sets and template in others. For training
        they are content: rows labelled template are left out; but where pages of all kinds were labelled (wcxb),
        comments may be template, as docs/lab/accuracy.md says. Labels of parts have no such disputes.
        """
        if key.split('/')[0] in BY_PART:
            return labels
        column = {name: x[:, self.names.index(name)]
                  for name in ('named-comment', 'named-about', 'free', 'words', 'linked', 'long-near')}
        comment = (column['named-comment'] >= .2) & (column['free'] >= 4) & (not key.startswith('wcxb/'))
        byline = ((column['named-about'] >= .3) & (column['words'] <= 15) & (column['linked'] < .8) &
                  (column['long-near'] >= .2) & (not key.startswith('dragnet/')))
        return np.where(((comment | byline) & (labels[:, 1] > labels[:, 0]))[:, None], 0, labels)

    def draw(self, key, view, x, labels, page_of):
        """The rows of a site to train on."""
        rng = np.random.RandomState(zlib.crc32((key + view).encode()))
        labels = self.without_disputes(x, labels, key)
        w, site = weights(labels, page_of), WEIGHTS.get(key.split('/')[0], 1)
        most = ROWS_ALONE if len(self.views[key]) == 1 else ROWS * min(site, 1)
        chance = np.where(w > 0, np.clip(w * len(np.unique(page_of)) * most, .02 * min(site, 1), 1), 0)
        which = np.flatnonzero(rng.rand(len(w)) < chance)
        return Drawn(which, x[which], (labels[:, 1] > labels[:, 0])[which],
                     (w[which] / chance[which] * self.views[key][view] * site))

    def training_rows(self, keys, rows=None):
        """The rows of sites to train on, whether each is template, and weights; with rows[key, view] as features."""
        tasks = [(key, view) for key in keys for view in self.views[key]]
        drawn = [self.drawn[task] for task in tasks]
        return (np.concatenate([d.x for d in drawn] if rows is None else [rows[task] for task in tasks]),
                np.concatenate([d.is_template for d in drawn]), np.concatenate([d.weight for d in drawn]))

    def fit(self, keys):
        """(first trees, last trees) of the sites with these keys."""
        with tempfile.TemporaryDirectory() as d:
            parts = [[key for i, key in enumerate(keys) if i % PARTS == part] for part in range(PARTS)]
            models = self.read_all(fit_first, [(keys, None)] + [(keys, part) for part in parts])
            paths = {}
            for n, (part, model) in enumerate(zip(parts, models[1:])):
                path = os.path.join(d, str(n))
                write((model, None), self.names, path, [])
                paths.update((key, path) for key in part)
            tasks = [(key, view, paths[key]) for key in keys for view in self.views[key]]
            rows = {task[:2]: x for task, x in zip(tasks, self.read_all(read_drawn, tasks))}
        return models[0], fit(*self.training_rows(keys, rows), LAST_TREES)


    def judge(self, models, keys):
        """The templateness of all blocks of each site, in its first view."""
        with tempfile.TemporaryDirectory() as d:
            path = os.path.join(d, 'model')
            write((models[0], None), self.names, path, [])
            tasks = [(key, next(iter(self.views[key])), path) for key in keys]
            return {task[0]: models[1].predict(xgboost.DMatrix(x)) if len(x) > 0 else np.zeros(0)
                    for task, x in zip(tasks, self.read_all(read_rows, tasks))}


def fit_first(task):
    """First trees of the sites, but those of one part."""
    keys, part = task
    return fit(*reader.training_rows([key for key in keys if part is None or key not in part]), FIRST_TREES)


def read_site(key):
    """((key, view), labels, drawn rows) of each view of a site."""
    known = {}

    def read(view, x, texts):
        labels = reader.read_labels(texts, known)
        return (key, view), labels, reader.draw(key, view, x, *labels)
    return [reader.dump(key, view, None, lambda x, texts, view=view: read(view, x, texts))
            for view in reader.views[key]]


def read_drawn(task):
    """The features of the rows that were drawn, by other first trees."""
    return reader.dump(*task, lambda x, _: x[reader.drawn[task[:2]].which])


def read_rows(task):
    return reader.dump(*task, lambda x, _: x)


def weights(labels, page_of):
    """All sites have the same weight, and all pages of a site; a block weighs by its number of words."""
    w = labels.sum(axis=1) ** .8
    if len(w) == 0:
        return w
    pages = np.bincount(page_of, weights=w)
    return np.where(w > 0, w / np.maximum(pages[page_of], 1e-9), 0) / len(pages)


def fit(x, y, w, trees):
    params = TREES | trees
    rounds = params.pop('rounds')
    return xgboost.train(params, xgboost.DMatrix(x, label=y, weight=w / w.mean()), rounds)


def lines_of(node, names):
    """The nodes of a tree as lines, each before its children."""
    nodes, lines = [node], []
    for n in nodes:
        nodes.extend(n.get('children', ()))
    number = {n['nodeid']: i for i, n in enumerate(nodes)}
    for n in nodes:
        if 'leaf' in n:
            lines.append('leaf %.6g' % n['leaf'])
        else:
            # xgboost goes left if x < limit, the file's format if x <= limit
            limit = np.nextafter(np.float32(n['split_condition']), np.float32(-np.inf))
            lines.append('split %s %.9g %d %d' % (names[int(n['split'][1:])], limit, number[n['yes']], number[n['no']]))
    return lines


def write(models, names, path, provenance, threshold=THRESHOLD):
    """models: (first trees, last trees or None)."""
    with open(path, 'w', encoding='utf-8') as out:
        for line in provenance:
            out.write('# %s\n' % line)
        out.write('tmpl-trees 2\nthreshold %g\nbias 0\n' % threshold)
        for n, model in enumerate(m for m in models if m is not None):
            if n > 0:
                out.write('last\n')
            for dump in model.get_dump(dump_format='json'):
                lines = lines_of(json.loads(dump), names)
                out.write('tree %d\n%s\n' % (len(lines), '\n'.join(lines)))
        out.write('end\n')


def models_of_folds(corpus, folds, path):
    """Writes path(n), the model that has not seen the sites of fold n; yields it and these sites."""
    for n, (train, test) in enumerate(folds_of(sorted(corpus.dirs), folds)):
        write(corpus.fit(train), corpus.names, path(n), [], float(os.environ.get('THRESHOLD', THRESHOLD)))
        yield path(n), test


def origin_of(key, keys):
    """What is dealt into folds: a site; for a copy DS--SITE--PAGE (train/labels/prose) the site, for HOST--ID the host."""
    source, name = key.split('/')
    copied = '/'.join(name.split('--')[:2])
    return copied if copied in keys else source + '/' + name.split('--')[0]


def folds_of(keys, folds):
    """
    (sites to train on, sites to judge) of each fold: the sites are dealt into that many folds, all sites of one origin
    into the same. "sets": a fold is a data set, so that a model judges sites of a source that it has not seen.
    """
    known = set(keys)
    origin = {k: origin_of(k, known) for k in keys}
    fold = {}
    for source in sorted({o.split('/')[0] for o in origin.values()}):
        own = sorted({o for o in origin.values() if o.split('/')[0] == source})
        fold.update((o, source) if folds == 'sets' else (o, i % int(folds))
                    for i, o in enumerate(np.random.RandomState(1).permutation(own)))
    fold = {k: fold[o] for k, o in origin.items()}
    return [([k for k in keys if fold[k] != f], [k for k in keys if fold[k] == f]) for f in sorted(set(fold.values()))]
