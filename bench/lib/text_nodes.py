# SPDX-License-Identifier: Apache-2.0
"""The text nodes of a page as the scorer reads it, and the pieces of text that they make up."""
import itertools

import lxml.etree
import lxml.html

# items and cells: parts of a list or of a table
PARTS = set('li dt dd tr td th thead tbody tfoot caption'.split())
# elements that begin and end a line of text
LINES = PARTS | set('''address article aside blockquote body details div dl fieldset figcaption figure footer
    form h1 h2 h3 h4 h5 h6 header html main nav ol p pre section summary table ul'''.split())
# as LINES, but a list or a table is one piece
BLOCKS = LINES - PARTS


def text_nodes(scorer, data):
    """
    (parent element, kept, text) of each text node that the scorer reads of an annotated page, in order; kept is
    False inside of marks. A page that lxml cannot read has none.
    """
    parser = lxml.html.HTMLParser(encoding='utf-8', huge_tree=True)
    try:
        root = lxml.html.document_fromstring(scorer.decode(data).encode(), parser=parser)
    except (lxml.etree.ParserError, ValueError):
        return
    walk = lxml.etree.iterwalk(root, events=('start', 'end', 'comment', 'pi'))
    cut = marks = 0
    for event, el in walk:
        if event == 'start':
            cut += el.get('data-tmpl') is not None
            if el.tag in scorer.SKIP:
                walk.skip_subtree()
            elif el.text:
                yield el, not (cut or marks), el.text
            continue
        if event == 'end':
            cut -= el.get('data-tmpl') is not None
        elif event == 'comment':
            mark = (el.text or '').split()[:1]
            marks = max(0, marks + (mark == ['tmpl']) - (mark == ['/tmpl']))
        if el.tail and el is not root:
            yield el.getparent(), not (cut or marks), el.tail


def nearest(el, tags):
    """The nearest element with one of the tags among el and its ancestors, or None."""
    while el is not None and el.tag not in tags:
        el = el.getparent()
    return el


def pieces(nodes, tags):
    """The text of (parent, .., text) nodes in pieces, which elements of tags begin and end; white space collapsed."""
    for _, group in itertools.groupby(nodes, key=lambda node: nearest(node[0], tags)):
        text = ' '.join(word for *_, text in group for word in text.split())
        if text:
            yield text
