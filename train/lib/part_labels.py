# SPDX-License-Identifier: Apache-2.0
"""Labels of parts: the answers of readers, and the files train/labels/*.tsv.

A file has a line "P", page, number of blocks for each page, and below it a line for each block that is not template:
number, hash of the block's text, part; separated by tabs. A page is its path in its corpus without "pages/" and
".html".
"""
import json
import os
import shutil
import subprocess

PARTS = ('template headline lead byline body caption facts comment review qa related notice control hidden').split()


def read_answers(paths, n):
    """The part of each of n blocks, by answers: lines "FIRST-LAST part" or "N part"; a later line wins."""
    parts = ['template'] * n
    for path in paths:
        with open(path, encoding='utf-8') as f:
            for line in filter(str.strip, f):
                blocks, _, part = line.strip().partition(' ')
                first, _, last = blocks.partition('-')
                if part not in PARTS or int(last or first) >= n:
                    raise ValueError('%s: %s: a range of blocks below %d, and a part' % (path, line.strip(), n))
                for block in range(int(first), int(last or first) + 1):
                    parts[block] = part
    return parts


def blocks_of(program, paths):
    """(path, [(hash, elements, share in links, text)..]) of each page, by part_blocks."""
    for first in range(0, len(paths), 100):
        out = subprocess.run([program, *paths[first:first + 100]], stdout=subprocess.PIPE, check=True).stdout
        path, blocks = None, []
        for line in out.decode('utf-8', 'replace').split('\n'):
            cells = line.split('\t')
            if cells[0] == 'P':
                if path:
                    yield path, blocks
                path, blocks = cells[1], []
            elif cells[0] == 'B':
                blocks.append((cells[1], cells[2], int(cells[3]), cells[4]))
        if path:
            yield path, blocks


def file_of(corpus, page):
    """The file of a page of a corpus, or None."""
    ways = (os.path.join(corpus, os.path.dirname(page), 'pages', os.path.basename(page) + '.html'),
            os.path.join(corpus, page + '.html'))
    return next((path for path in ways if os.path.isfile(path)), None)


def read_labels(path):
    """{page: (number of blocks, {number: (hash, part)})}"""
    pages = {}
    with open(path, encoding='utf-8') as f:
        for line in f:
            cells = line.rstrip('\n').split('\t')
            if cells[0] == 'P':
                labelled = {}
                pages[cells[1]] = int(cells[2]), labelled
            else:
                labelled[int(cells[0])] = cells[1], cells[2]
    return pages


def write_labels(path, pages):
    """pages: {page: [(hash, part) of each block]}"""
    with open(path, 'w', encoding='utf-8') as out:
        for page in sorted(pages):
            out.write('P\t%s\t%d\n' % (page, len(pages[page])))
            for n, (text, part) in enumerate(pages[page]):
                if part != 'template':
                    out.write('%d\t%s\t%s\n' % (n, text, part))


def write_site(site, path, rows):
    """Writes a site of one page: path with its gold rows (label, block, text)."""
    for folder in ('pages', 'gold'):
        os.makedirs(os.path.join(site, folder), exist_ok=True)
    shutil.copy(path, os.path.join(site, 'pages', 'page.html'))
    with open(os.path.join(site, 'gold', 'page.tsv'), 'w', encoding='utf-8') as out:
        out.writelines('%s\t%d\t%s\n' % row for row in rows)
    with open(os.path.join(site, 'site.json'), 'w', encoding='utf-8') as out:
        json.dump({'name': os.path.basename(site), 'pages': 1}, out)
