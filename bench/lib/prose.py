# SPDX-License-Identifier: Apache-2.0
"""Foreign prose: paragraphs of the pages of a corpus, and where in a page a comment may stand."""
import html
import os
import random
import re

from pages import keys_of

# a row of content of so many words is a paragraph of prose
PROSE_LEAST = 18
# pages of a site whose prose is taken
FIRST = 10


def content(scorer, corpus, key, name):
    return [text for label, text in scorer.gold(os.path.join(corpus, key, 'gold', name + '.tsv')) if label == 'C']


def prose_all(scorer, corpus):
    """The paragraphs of the first pages of each site, with the site."""
    found = [(key, [text for text in content(scorer, corpus, key, name) if len(text.split()) >= PROSE_LEAST])
             for key in keys_of(corpus) for name in scorer.order(os.path.join(corpus, key))[:FIRST]]
    return [row for row in found if len(row[1]) > 4]


def prose_of(pages_of_prose, key, size, seed=''):
    """Paragraphs of other sites, so many bytes."""
    rng, found = random.Random(key + seed), []
    while size > 0:
        other, paragraphs = rng.choice(pages_of_prose)
        if other == key:
            continue
        first = rng.randrange(len(paragraphs))
        for text in paragraphs[first:first + 12]:
            if size > 0:
                found.append(text[:size])
                size -= len(text)
    return found


def paragraphs_of(texts):
    return ''.join('<p>%s</p>' % html.escape(text) for text in texts)


def places(page, texts):
    """Where the element ends that has the end of the content (else where body ends), and where body ends."""
    body = page.rfind(b'</body>')
    body = body if body >= 0 else len(page)
    last = next((text for text in reversed(texts) if len(text) > 20), None)
    at = last and page.rfind(html.escape(last, quote=False)[-30:].encode())
    end = re.compile(rb'</(?:p|div|section|article|ul|ol|table|h\d)>').search(page, at) if at and at > 0 else None
    return {'content': end.end() if end else body, 'body': body}
