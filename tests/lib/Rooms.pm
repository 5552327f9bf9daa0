# SPDX-License-Identifier: Apache-2.0
#
# The rooms of the tree (docs/architecture.md, "Rooms"): tests/project/structure.t holds what their files
# include, bench/lines counts them, bench/climbs follows their calls.
package Rooms;
use strict;
use warnings;

use Exporter 'import';

our @EXPORT = qw(@rooms @folders room_of);

# [its name, its folders, the rooms whose headers its files may include]
our @rooms = (
    ['core', qr{^shared(?:/(?:base|address|html|page|text|table(?:/\w+)?|feature|model|detect|cut|rewrite|fingerprint|decision))?$}, 'core'],
    ['forms', qr{^shared/(?:dom|metadata|content|markdown|data|reader)$}, 'core forms'],
    ['mod_tmpl', qr{^mod_tmpl(?:/\w+)?$}, 'core forms mod_tmpl'],
    ['tmplctl', qr{^tmplctl$}, 'core forms tmplctl'],
    ['lab', qr{^(?:shared/(?:methods(?:/\w+)?|archive)|tmplctl/lab)$}, 'core forms tmplctl lab'],
);

# The folders from the lowest to the highest.
our @folders = (
    map({ "shared/$_" } qw(base archive address html page text dom table table/memory table/lmdb table/redis feature model detect methods methods/warm cut rewrite metadata content markdown data reader fingerprint)),
    'shared', 'shared/decision', 'mod_tmpl', 'tmplctl', 'tmplctl/lab',
);

# The room of a folder; undef if it is in none.
sub room_of {
    my ($folder) = @_;
    my ($room) = grep { $folder =~ $_->[1] } @rooms;
    return $room;
}

1;
