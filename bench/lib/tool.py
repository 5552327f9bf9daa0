# SPDX-License-Identifier: Apache-2.0
"""tmplctl clean on pages of a corpus."""
import os
import subprocess


def model_of(key, models=os.environ.get('MODELS')):
    """Options: the model of a directory that auto-folds wrote, which has not seen the site; without it none."""
    return ['--model', os.path.join(models, key + '.model')] if models else []


def clean(tmplctl, mode, key, out, paths, *options):
    """Writes out/NAME.html, .txt or .json for the pages of a site, in this order, with a new table."""
    subprocess.run([tmplctl, 'clean', '--mode', mode, '--site', key, '--out', out, *options, '--files-from', '-'], check=True,
                   input='\n'.join(paths) + '\n', text=True, stdout=subprocess.DEVNULL)
