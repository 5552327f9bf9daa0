# SPDX-License-Identifier: Apache-2.0
"""
What builders of crawlers do by hand: text that many pages of a site have is cut. Each function takes the pages of
a site as lists of text nodes (parent, .., text), knows all of them, and returns the text that is left of each.
"""
import collections
import math

from text_nodes import BLOCKS, LINES, pieces

SHINGLE = 6             # words
SHINGLE_SHARE = .5      # of the pages
LEAST_RUN = 12          # words


def without_frequent(pages, tags, is_template):
    """Cuts each piece of text whose DF is_template(df, pages) says."""
    texts = [list(pieces(page, tags)) for page in pages]
    df = collections.Counter(piece for page in texts for piece in set(page))
    return ['\n'.join(piece for piece in page if not is_template(df[piece], len(pages))) for page in texts]


def paragraphs(pages):
    return without_frequent(pages, LINES, lambda df, n: df > n / 2)


def blocks(pages):
    return without_frequent(pages, BLOCKS, lambda df, n: df >= max(2, .3 * n))


def shingles(pages):
    """Cuts runs of words that shingles on half of the pages cover."""
    texts = [[word for *_, text in page for word in text.split()] for page in pages]
    shingled = [[tuple(words[i:i + SHINGLE]) for i in range(len(words) - SHINGLE + 1)] for words in texts]
    df = collections.Counter(shingle for page in shingled for shingle in set(page))
    least = max(2, math.ceil(SHINGLE_SHARE * len(pages)))
    return [' '.join(uncovered(words, [df[shingle] >= least for shingle in page]))
            for words, page in zip(texts, shingled)]


def uncovered(words, frequent):
    """The words outside of runs of LEAST_RUN and more that frequent shingles cover."""
    left, run, until = [], [], 0
    for i, word in enumerate(words):
        if i < len(frequent) and frequent[i]:
            until = i + SHINGLE
        if i < until:
            run.append(word)
            continue
        left += run if len(run) < LEAST_RUN else []
        run = []
        left.append(word)
    return left + (run if len(run) < LEAST_RUN else [])


METHODS = {'paragraphs, DF > 50 %': paragraphs, 'blocks, DF >= 30 %': blocks, 'shingles of 6, DF >= 50 %': shingles}
