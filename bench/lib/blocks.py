# SPDX-License-Identifier: Apache-2.0
"""Leaf blocks of a corpus: their features, their labels, and boosted trees fitted to them.

Shared by crossval, auto-train, auto-folds and auto-accuracy. Rows come from
build/bench/train/features, which sees the first pages of a site once, in order, through a real
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

import numpy as np
import xgboost

import scorer as scores

FIRST = 40
# How many gold words a block may skip to find its own.
REACH = 3000
# Approximate number of rows of a page for training: drawn by their weight, so that sums stay right.
ROWS = 40
# Each page is seen in the scorer's order, in another order, and as if it were the site's first.
VIEWS = (('as seen', 0, 1.), ('as seen', 1, 1.), ('cold', 0, .5))
TREES = {'rounds': 200, 'objective': 'binary:logistic', 'tree_method': 'hist', 'grow_policy': 'lossguide',
         'max_leaves': 15, 'max_depth': 0, 'eta': .07, 'lambda': 5., 'min_child_weight': 3., 'colsample_bytree': .3,
         'max_bin': 128, 'seed': 1, 'base_score': .5, 'nthread': 1}
THRESHOLD = .5
# The weight of a site, by its data set. People labelled dragnet text by text: comments, bylines and
# titles are content there. debian-sites has many similar sites (docs/accuracy.md).
WEIGHTS = {'dragnet': 5, 'deb2': .25}
# The data set that debian-sites writes.
MORE = 'deb2/'


def keys_of(corpus):
    """DS/SITE for each site that has gold."""
    return sorted(os.path.join(ds, site) for ds in os.listdir(corpus)
                  if os.path.isdir(os.path.join(corpus, ds)) for site in os.listdir(os.path.join(corpus, ds))
                  if os.path.isdir(os.path.join(corpus, ds, site, 'gold')))


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
    """The sites of some directories DIR/DS/SITE, read once: sites[key][seed] is (rows, labels, page of each row)."""

    def __init__(self, dirs, scorer, features, seeds=(0, 1)):
        self.scorer, self.features = scores.load(scorer), features
        lines = subprocess.run([features], check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines()
        self.names, groups = zip(*(line.split('\t') for line in lines))
        self.groups = np.array(groups)
        self.dirs = {key: os.path.join(d, key) for d in dirs for key in keys_of(d)}
        tasks = [(key, seed) for key in sorted(self.dirs) for seed in seeds]
        self.sites = collections.defaultdict(dict)
        # the forked processes find the reader by this name
        global reader
        reader = self
        with multiprocessing.get_context('fork').Pool() as pool:
            for (key, seed), read in zip(tasks, pool.map(read_site, tasks, chunksize=1)):
                self.sites[key][seed] = read

    def order(self, key, seed):
        order = self.scorer.order(self.dirs[key])
        if seed > 0:
            order = sorted(order, key=lambda name: hashlib.md5((str(seed) + name).encode()).hexdigest())
        return [os.path.join(self.dirs[key], 'pages', name + '.html') for name in order][:FIRST]

    def read(self, key, seed):
        with tempfile.TemporaryDirectory() as d:
            rows, texts = os.path.join(d, 'rows'), os.path.join(d, 'texts')
            os.mkdir(os.path.join(d, 'store'))
            subprocess.run([self.features, os.path.join(d, 'store'), 'site', rows, texts], check=True,
                           input='\n'.join(self.order(key, seed)) + '\n', text=True)
            x = np.fromfile(rows, dtype=np.float32).reshape(-1, len(self.names))
            return (x, *self.read_labels(texts))

    def read_labels(self, texts):
        labels, page_of, page, gold = [], [], -1, None
        with open(texts, 'rb') as f:
            for line in f:
                kind, rest = line.rstrip(b'\n').split(b'\t', 1)
                if kind == b'P':
                    path = rest.split(b'\t')[0].decode()
                    gold = Gold(path.replace('/pages/', '/gold/')[:-len('.html')] + '.tsv', self.scorer)
                    decode = self.decoder(path)
                    page += 1
                else:
                    labels.append(gold.label(decode(rest)))
                    page_of.append(page)
        return np.array(labels, dtype=np.float32).reshape(-1, 2), np.array(page_of)

    def decoder(self, path):
        """A function that decodes blocks as the scorer decodes their page."""
        with open(path, 'rb') as f:
            whole = f.read()
        if self.scorer.decode(whole).encode('utf-8') == whole:
            return lambda block: block.decode('utf-8', 'replace')
        return lambda block: self.scorer.decode(whole[:4096] + b'\x00\xff' + block).split('\x00', 1)[1][1:]

    def cold(self, x):
        """The rows as on a cold site."""
        x = x.copy()
        x[:, self.groups == 'SITE'] = 0
        return x

    def without_disputes(self, x, labels, people):
        """
        Comments below an article, and its byline, are content in some data sets and template in others. For training
        they are content: rows labelled template are left out.
        """
        column = {name: x[:, self.names.index(name)]
                  for name in ('named-comment', 'named-about', 'free', 'words', 'linked', 'long-near')}
        comment = (column['named-comment'] >= .2) & (column['free'] >= np.log(5))
        byline = ((column['named-about'] >= .3) & (column['words'] <= np.log(16)) & (column['linked'] < .8) &
                  (column['long-near'] >= .2) & (not people))
        return np.where(((comment | byline) & (labels[:, 1] > labels[:, 0]))[:, None], 0, labels)

    def training_rows(self, keys):
        """Rows, whether each is template, and weights, for the sites with these keys in all views."""
        rng = np.random.RandomState(0)
        parts = []
        for key in keys:
            for view, seed, factor in VIEWS:
                x, labels, page_of = self.sites[key][seed]
                labels = self.without_disputes(x, labels, key.startswith('dragnet/'))
                w = weights(labels, page_of)
                chance = np.where(w > 0, np.clip(w * len(np.unique(page_of)) * ROWS, .02, 1), 0)
                drawn = rng.rand(len(w)) < chance
                x = x[drawn]
                parts.append((self.cold(x) if view == 'cold' else x, (labels[:, 1] > labels[:, 0])[drawn],
                              w[drawn] / chance[drawn] * factor * WEIGHTS.get(key.split('/')[0], 1)))
        return [np.concatenate(column) for column in zip(*parts)]


def read_site(task):
    return reader.read(*task)


def weights(labels, page_of):
    """All sites have the same weight, and all pages of a site; a block weighs by its number of words."""
    w = labels.sum(axis=1) ** .8
    if len(w) == 0:
        return w
    pages = np.bincount(page_of, weights=w)
    return np.where(w > 0, w / np.maximum(pages[page_of], 1e-9), 0) / len(pages)


def fit(x, y, w):
    params = dict(TREES)
    rounds = params.pop('rounds')
    return xgboost.train(params, xgboost.DMatrix(x, label=y, weight=w / w.mean()), rounds)


def judge(model, x):
    return model.predict(xgboost.DMatrix(x))


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
            # left is x < limit here, and x <= limit in the file
            limit = np.nextafter(np.float32(n['split_condition']), np.float32(-np.inf))
            lines.append('split %s %.9g %d %d' % (names[int(n['split'][1:])], limit, number[n['yes']], number[n['no']]))
    return lines


def write(model, names, path, provenance, threshold=THRESHOLD):
    with open(path, 'w', encoding='utf-8') as out:
        for line in provenance:
            out.write('# %s\n' % line)
        out.write('tmpl-trees 1\nthreshold %g\nbias 0\n' % threshold)
        for dump in model.get_dump(dump_format='json'):
            lines = lines_of(json.loads(dump), names)
            out.write('tree %d\n%s\n' % (len(lines), '\n'.join(lines)))
        out.write('end\n')


def models_of_folds(corpus, folds, path):
    """Writes path(n), the model that has not seen the sites of fold n; yields it and these sites."""
    for n, (train, test) in enumerate(folds_of(sorted(corpus.sites), folds)):
        write(fit(*corpus.training_rows(train)), corpus.names, path(n), [],
              float(os.environ.get('THRESHOLD', THRESHOLD)))
        yield path(n), test


def folds_of(keys, folds):
    """
    (sites to train on, sites to judge) of each fold: the sites are dealt into that many folds. "sets": a fold
    is a data set, so that a model judges sites of a source that it has not seen.
    """
    if folds == 'sets':
        fold = {k: k.split('/')[0] for k in keys}
    else:
        fold = {}
        # debian-sites separately, so that the folds of the other sites do not depend on them
        for own in ([k for k in keys if not k.startswith(MORE)], [k for k in keys if k.startswith(MORE)]):
            fold.update(zip(np.random.RandomState(1).permutation(own), (i % int(folds) for i in range(len(own)))))
    return [([k for k in keys if fold[k] != f], [k for k in keys if fold[k] == f]) for f in sorted(set(fold.values()))]
