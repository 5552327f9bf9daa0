#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# What tmplctl writes in mode json, for some pages, is what conf/page.schema.json describes.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib", "$FindBin::Bin/../../t/lib";
use Tmplctl;
use Test::More;

plan skip_all => 'there is no python3-jsonschema' if system('/usr/bin/python3 -c "import jsonschema" 2>/dev/null') != 0;
my @manual = (glob '/usr/share/doc/apache2-doc/manual/*/howto/*.html')[0 .. 11];
my $said = qx('$FindBin::Bin/schema' '$tool' @pages $root/t/pages/*.html @manual 2>&1);
is($?, 0, 'pages are valid') or diag $said;
like($said, qr/^32 pages are valid, 0 wrong, 0 have no JSON;/m, 'all of them');

# The program finds what is wrong.
spew('fake', <<'END');
#!/bin/sh
cat <<'JSON'
{"schema":1,"parts":[{"part":"bodies","text":"","markdown":""}],"records":[{"kind":"post","items":[{"kind":"post","id":0,"parent":7,"text":"","parts":[9]}]}],"links":[],"images":[],"hidden":1}
JSON
END
chmod 0755, 'fake';
$said = qx('$FindBin::Bin/schema' ./fake $pages[0] 2>&1);
is($? >> 8, 1, 'a page that is not valid');
like($said, qr/$_/, $_) for "'bodies' is not one of", "'hidden' was unexpected", 'parent 7', 'a part that is none';
done_testing;
