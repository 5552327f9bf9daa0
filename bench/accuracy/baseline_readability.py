#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""
bench/accuracy/baselines: the title and text that python3-readability keeps of pages. Lines of IN, tab, OUT on
standard input. A page that fails, or takes longer than LIMIT seconds, is empty.
"""
import logging
import signal
import sys

import lxml.html
from readability import Document

LIMIT = 20


def late(*_):
    raise TimeoutError


logging.disable(logging.CRITICAL)
signal.signal(signal.SIGALRM, late)
for line in sys.stdin:
    source, target = line.rstrip('\n').split('\t')
    try:
        signal.alarm(LIMIT)
        with open(source, encoding='utf-8', errors='replace') as f:
            document = Document(f.read())
        # text nodes stay apart, as the scorer reads them
        text = '\n'.join([document.title(), *lxml.html.fromstring(document.summary()).xpath('//text()')])
    except Exception:                           # a page that Readability cannot parse
        text = ''
    signal.alarm(0)
    with open(target, 'w', encoding='utf-8', errors='replace') as f:
        f.write(text)
