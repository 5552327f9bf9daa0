# SPDX-License-Identifier: Apache-2.0
"""tmplctl clean on pages of a corpus."""
import os
import subprocess


def model_of(key):
    """Options: the model of MODELS=DIR, written by auto-folds, that has not seen the site; without MODELS none."""
    models = os.environ.get('MODELS')
    return ['--model', os.path.join(models, key + '.model')] if models else []


def clean(tmplctl, mode, key, out, paths, *options):
    """Writes out/NAME.html or out/NAME.txt for the pages of a site, in this order, with a new table."""
    subprocess.run([tmplctl, 'clean', '--mode', mode, '--site', key, '--out', out, *options, '-'], check=True,
                   input='\n'.join(paths) + '\n', text=True, stdout=subprocess.DEVNULL)
