# SPDX-License-Identifier: Apache-2.0
"""The pages of a corpus, by site."""
import os

# Pages of each site that are read.
FIRST = 40


def sites_of(corpus):
    """(directory, its pages): one for each directory below corpus that contains pages."""
    for root, dirs, names in os.walk(corpus):
        dirs.sort()
        pages = sorted(os.path.join(root, n) for n in names if n.endswith('.html'))
        if pages:
            yield root, pages


def keys_of(corpus):
    """DS/SITE for each site that has gold."""
    return sorted(os.path.join(ds, site) for ds in os.listdir(corpus)
                  if os.path.isdir(os.path.join(corpus, ds)) for site in os.listdir(os.path.join(corpus, ds))
                  if os.path.isdir(os.path.join(corpus, ds, site, 'gold')))
