# SPDX-License-Identifier: Apache-2.0
"""Labels of text nodes from selectors, and writing of the sites that debian-sites and app-sites make.

A site is DIR/NAME/{pages/*.html,gold/*.tsv,site.json}; a gold row is label (C content, T template,
I not scored), number of the block, text; one for each text node.
"""
import glob
import hashlib
import itertools
import json
import os
import re
import subprocess
import sys
import tempfile

import lxml.etree
import lxml.html
from lxml.cssselect import CSSSelector

LEAST_PAGES = 8
LEAST_WORDS = 40
MOST_BYTES = 400 * 1000
PAGE_NAME = re.compile(r'\.x?html?(\.gz)?$')
# invisible text
UNSEEN = {'script', 'style', 'noscript', 'template', 'head', 'iframe', 'object', 'svg', 'math', 'textarea', 'select'}
INLINE = set('a abbr acronym b bdi bdo big cite code del dfn em font i img input ins kbd label mark nobr q s samp small '
             'span strike strong sub sup time tt u var wbr'.split())
WORD = re.compile(r'[^\W_]+')
CHARSET = re.compile(rb'charset\s*=\s*["\']?\s*([A-Za-z0-9_\-]+)', re.I)
# scripts without spaces: a character counts as a word
UNSPACED = re.compile('[\u0e00-\u0e7f\u3040-\u9fff]')
RUNS_SHOWN = 14
PERMALINKS = {'¶', '#', '§', '\uf0c1'}


def table(path, fields):
    """The rows of a table of sites, by the names of its fields; "-" is an empty cell."""
    with open(path, encoding='utf-8') as f:
        for number, line in enumerate(f, 1):
            if line.startswith('#') or not line.strip():
                continue
            cells = ['' if c == '-' else c for c in line.rstrip('\n').split('\t')]
            if len(cells) != len(fields):
                sys.exit('%s:%d: %d fields, not %d' % (os.path.basename(path), number, len(cells), len(fields)))
            yield dict(zip(fields, cells))


def unpack(package, debs):
    """The directory of a package's files; downloaded and unpacked if it does not exist."""
    into = os.path.join(debs, package)
    if not os.path.isdir(into):
        with tempfile.TemporaryDirectory(dir=debs) as work:
            # apt's sandbox user cannot write here; without this it warns
            subprocess.run(['apt-get', '-q', '-o', 'APT::Sandbox::User=root', 'download', package], cwd=work,
                           check=True, stdout=subprocess.DEVNULL, timeout=300)
            deb, = glob.glob(os.path.join(work, '*.deb'))
            subprocess.run(['dpkg-deb', '-x', deb, os.path.join(work, 'files')], check=True)
            os.rename(os.path.join(work, 'files'), into)
    return into


def selectors(cell):
    return [lxml.etree.XPath(s[1:]) if s.startswith('=') else CSSSelector(s) for s in cell.split(';') if s]


def decode(data):
    try:
        return data.decode('utf-8')
    except UnicodeDecodeError:
        found = CHARSET.search(data[:4096])
        name = found.group(1).decode().lower() if found else 'cp1252'
        # Latin-1 is decoded as its superset windows-1252, as browsers do
        if name in ('iso-8859-1', 'latin1', 'us-ascii', 'ascii'):
            name = 'cp1252'
        try:
            return data.decode(name, 'replace')
        except LookupError:
            return data.decode('cp1252', 'replace')


def split_words(text):
    """The words of a text in lower case; of scripts without blanks, the characters."""
    for word in WORD.findall(text.lower()):
        yield from word if UNSPACED.search(word) else [word]


def count_words(text):
    return sum(1 for _ in split_words(text))


class Labels:
    """The labels of a page's elements by the selectors of a row."""

    def __init__(self, row):
        self.rules = [(label, selectors(row[field]))
                      for label, field in (('C', 'content'), ('T', 'template'), ('I', 'ignore'))]

    def of(self, root):
        marks = {}
        for label, rules in self.rules:
            for element in itertools.chain.from_iterable(rule(root) for rule in rules):
                marks[element] = label
        return marks

    def rows(self, root):
        """Gold rows of a page; empty if no selector of content matches."""
        marks = self.of(root)
        return gold_rows(root, marks) if 'C' in marks.values() else []


def gold_rows(root, marks):
    """(label, block, text) of each text node in document order. marks: the labels of elements; a text
    has the label of its nearest ancestor with one, or T."""
    rows, block, last = [], 0, None
    stack = [(root, 'T', False)]
    while stack:
        element, label, leaving = stack.pop()
        if leaving:
            text, label = element.tail, label
        else:
            stack.append((element, label, True))
            own = marks.get(element, label)
            seen = isinstance(element.tag, str) and element.tag.lower() not in UNSEEN
            if seen:
                stack.extend((child, own, False) for child in reversed(element))
            text, label = (element.text, own) if seen else (None, own)
        if not isinstance(element.tag, str) or element.tag.lower() not in INLINE:
            last = None
        text = ' '.join((text or '').split())
        if text:
            block += last is None
            last = block
            rows.append((label, block, text))
    return rows


def parse(data):
    parser = lxml.html.HTMLParser(encoding='utf-8', huge_tree=True)
    return lxml.html.document_fromstring(decode(data).encode('utf-8'), parser=parser)


def file_name(path):
    name = re.sub(r'[^\w.-]+', '_', PAGE_NAME.sub('', path))
    return name if len(name) <= 80 else name[:70] + '_' + hashlib.md5(path.encode()).hexdigest()[:8]


def show(site, name, rows):
    print('--- %s %s' % (site, name))
    # marks of permanent links would only split the text
    runs = itertools.groupby((r for r in rows if r[2] not in PERMALINKS), key=lambda r: r[0])
    for label, run in itertools.islice(runs, RUNS_SHOWN):
        text = ' | '.join(r[2] for r in run)
        print('%s %s' % (label, text if len(text) < 240 else text[:120] + ' [...] ' + text[-110:]))


def accepted(pages, most, skipped):
    """The first pages that are not too large, not too short, and whose content is new."""
    known, taken = set(), 0
    for name, data, rows in pages:
        content = ' '.join(text for label, _, text in rows if label == 'C')
        reason = ('large' if len(data) > MOST_BYTES else 'no content' if not rows else
                  'short' if count_words(content) < LEAST_WORDS else 'repeated' if content in known else None)
        if reason:
            skipped[reason] = skipped.get(reason, 0) + 1
            continue
        known.add(content)
        yield name, data, rows
        taken += 1
        if taken == most:
            return


def write_site(out, site, pages, most, facts):
    """Writes out/site completely or not at all, from pages: (path in the site, bytes, gold rows) of
    candidates, of which it takes the first most acceptable ones. facts: further fields of site.json.
    SHOW=N in the environment prints N pages. Raises ValueError if too few pages are acceptable."""
    skipped, paths = {}, {}
    with tempfile.TemporaryDirectory(dir=out, prefix='.') as work:
        whole = os.path.join(work, 'site')
        for part in ('', 'pages', 'gold'):
            os.mkdir(os.path.join(whole, part))
        for name, data, rows in accepted(pages, most, skipped):
            key = file_name(name)
            while key in paths:
                key += '_'
            paths[key] = name
            with open(os.path.join(whole, 'pages', key + '.html'), 'wb') as f:
                f.write(data)
            with open(os.path.join(whole, 'gold', key + '.tsv'), 'w', encoding='utf-8') as f:
                f.writelines('%s\t%d\t%s\n' % r for r in rows)
            if len(paths) <= int(os.environ.get('SHOW', 0)):
                show(site, name, rows)
        if len(paths) < LEAST_PAGES:
            raise ValueError('%d pages only; left out: %s' % (len(paths), skipped))
        with open(os.path.join(whole, 'site.json'), 'w', encoding='utf-8') as f:
            json.dump(dict(name=site, **facts, pages=len(paths), skipped=skipped, path=paths), f, ensure_ascii=False,
                      indent=1)
        os.chmod(whole, 0o755)
        os.rename(whole, os.path.join(out, site))
    print('%-28s %3d pages; left out: %s' % (site, len(paths), skipped), flush=True)
