#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""bench/speed/batch: python3-readability. Lines of IN, tab, OUT on standard input."""
import logging
import sys

import lxml.html
from readability import Document

logging.disable(logging.CRITICAL)
for line in sys.stdin:
    if '\t' not in line:
        continue
    source, target = line.rstrip('\n').split('\t')
    try:
        with open(source, 'rb') as f:
            document = Document(f.read())
        text = document.title() + '\n' + lxml.html.fromstring(document.summary()).text_content()
    except Exception:                           # a page that Readability cannot parse
        text = ''
    with open(target, 'w', encoding='utf-8', errors='replace') as f:
        f.write(text)
