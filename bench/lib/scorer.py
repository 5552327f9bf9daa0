# SPDX-License-Identifier: Apache-2.0
"""The program that scores pages, as a module: order, gold, words, score_page and other functions."""
import importlib.util
import os
import sys


def load(path):
    if not os.path.isfile(path):
        sys.exit('%s: SCORER: there is no %s' % (os.path.basename(sys.argv[0]), path))
    spec = importlib.util.spec_from_file_location('score', path)
    scorer = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(scorer)
    return scorer
