#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# The structure of the tree (docs/architecture.md): rooms include only those that they may; folders have an order, and
# a file includes only files of its own folder or of lower folders; in the module, files have an order, too. Only one
# folder includes the headers of an external library. No code depends on the locale.
use strict;
use warnings;

use Cwd qw(abs_path);
use File::Basename qw(basename dirname);
use FindBin;
use Test::More;

use lib "$FindBin::Bin/../lib";
use Rooms;

my $root = abs_path(dirname(__FILE__) . '/../..');
chdir $root or die "$root: $!";

# levels of folders
my %level = map { $folders[$_] => $_ } 0 .. $#folders;
# both have one level: mod_tmpl reports requests to status, and status asks mod_tmpl for figures
$level{"mod_tmpl/$_"} = $level{mod_tmpl} for qw(status lists);
# "file: header" of another room or of a higher folder that a file may include:
# the tables of detectors and of models name the published methods,
my $names_methods = qr{^shared/detect/detector\.c: shared/methods/\w+\.h$};
# body.c makes all forms, and selectors that are XPath need a tree.
my $uses_forms = qr{^shared/(?:body\.c: shared/(?:data|markdown|reader)/\w+\.h|(?:settings|cut/guards)\.c: shared/dom/xpath\.h)$};

sub slurp {
    my ($file) = @_;
    open my $in, '<', $file or die "$file: $!";
    local $/;
    return scalar <$in>;
}

# The includes of a file: [line, name]; names of files of this project have their folder.
sub includes {
    my ($file) = @_;
    open my $in, '<', $file or die "$file: $!";
    my @found;
    while (my $line = <$in>) {
        my ($quote, $name) = $line =~ /^#\s*include ([<"])([^>"]+)/ or next;
        my $here = dirname($file) . "/$name";
        my ($of) = grep { -e } "shared/$name", $here, "mod_tmpl/$name";
        push @found, [$., $quote eq '<' ? $name : $of // $here];
    }
    return @found;
}

my @files = glob '{shared,shared/*,shared/*/*,mod_tmpl,mod_tmpl/*,tmplctl,tmplctl/*}/*.[ch]';
cmp_ok(scalar @files, '>', 150, 'sources');

# For each file, its includes that are headers of this project.
my %included = map { my $file = $_; $file => [grep { $_->[1] =~ m{/.*\.h$} && -e $_->[1] } includes($file)] } @files;

subtest 'includes' => sub {
    my @wrong;
    for my $file (@files) {
        my $level = $level{ dirname($file) } // (push(@wrong, "$file: its folder is not in the table"), next);
        push @wrong, map { "$file:$_->[0]: includes $_->[1], which is higher" }
            grep { $level{ dirname($_->[1]) } > $level && "$file: $_->[1]" !~ $names_methods }
            @{ $included{$file} };
    }
    is(join("\n", @wrong), '', 'no file includes a file of a higher folder');
};

subtest 'rooms' => sub {
    my (@wrong, %has_files);
    for my $file (@files) {
        my $room = room_of(dirname($file)) // (push(@wrong, "$file: its folder is in no room"), next);
        $has_files{ $room->[0] } = 1;
        for my $include (@{ $included{$file} }) {
            my $of = room_of(dirname($include->[1])) // next;
            next if " $room->[2] " =~ / $of->[0] / || "$file: $include->[1]" =~ /$names_methods|$uses_forms/;
            push @wrong, "$file:$include->[0]: includes $include->[1], of the room $of->[0]";
        }
        push @wrong, map { "$file:$_->[0]: a form includes $_->[1]" } grep { $_->[1] =~ m{^shared/(?:table|model)/} } @{ $included{$file} }
            if $room->[0] eq 'forms';
    }
    is(join("\n", @wrong), '', 'no file includes a file of a room that it may not use');
    is(join(' ', sort keys %has_files), join(' ', sort map { $_->[0] } @rooms), 'each room has files');
};

# No header may include itself through others. The test removes headers that include no remaining
# header, again and again; none may be left.
subtest 'no circle of headers' => sub {
    my @left = grep { /\.h$/ } @files;
    my %done;
    while (my @lowest = grep { !grep { !$done{ $_->[1] } } @{ $included{$_} } } @left) {
        $done{$_} = 1 for @lowest;
        @left = grep { !$done{$_} } @left;
    }
    is("@left", '', 'no header is in a circle');
};

# The layers of the folders of the module, from the lowest to the highest: a file includes files of
# lower layers of its folder. X.c and X.h are one file; but mod_tmpl.h is below all others, and
# mod_tmpl.c above them.
my %layers = (
    mod_tmpl => [
        'mod_tmpl.h messages',                                                      # records, what is logged
        'filters section fields page_pool stopping learn_queue',                    # settings, header fields, pools, the queue
        'brigade',                                                                  # the data of a page
        'accept control health validators',                                         # one part of a request, or of a store
        'page_links',                                                               # a page's address
        'cache',                                                                    # decisions
        'learner request wait',                                                     # the request, and the backend
        'child_store personal',                                                     # the stores of a child, what is learnt
        'listed_page',                                                              # what a page shows for the list
        'config_check judge',                                                       # a page judged by a store
        'config headers',                                                           # the fields of a response
        'decide',                                                                   # whether a response is declined
        'filter tee twin',                                                          # filters
        'gate',                                                                     # the filter that takes responses
        'mod_tmpl',                                                                 # hooks
    ],
    'mod_tmpl/lists' => [
        'formats',                   # the documents of a site, as text
        'lists',                     # the handlers
    ],
    'mod_tmpl/status' => [
        'counters',                  # shared memory, what is counted there, values of JSON
        'sites', 'stores',
        'data',                      # JSON of all that
        'fill',                      # templates
        'handler',
        'report',                    # what reports a page
    ],
);

# The name of a file in the layers.
sub in_layers {
    my ($file) = @_;
    return $file =~ m{^mod_tmpl/mod_tmpl\.h$} ? 'mod_tmpl.h' : $file =~ s{^.*/(\w+)\.[ch]$}{$1}r;
}

for my $folder (sort keys %layers) {
    subtest "layers of $folder" => sub {
        my (%layer, %is_there);
        for my $level (0 .. $#{ $layers{$folder} }) {
            $layer{$_} = $level for split ' ', $layers{$folder}[$level];
        }
        my @wrong;
        for my $file (grep { dirname($_) eq $folder } @files) {
            my $name = in_layers($file);
            $is_there{$name} = 1;
            push(@wrong, "$file: not in the layers"), next if !defined $layer{$name};
            push @wrong, map { "$file:$_->[0]: includes $_->[1], which is not lower" }
                grep { in_layers($_->[1]) ne $name && ($layer{ in_layers($_->[1]) } // -1) >= $layer{$name} }
                grep { dirname($_->[1]) eq $folder } @{ $included{$file} };
        }
        is(join("\n", @wrong), '', 'each file includes files of lower layers');
        is(join(' ', grep { !$is_there{$_} } sort keys %layer), '', 'each file of the layers exists');
    };
}

# Both folders of the module together.
subtest 'no circle of files in the module' => sub {
    my %uses;
    for my $file (grep { m{^mod_tmpl/} } @files) {
        my $name = in_layers($file);
        $uses{$name}{$_} = 1 for grep { $_ ne $name } map { in_layers($_->[1]) } grep { $_->[1] =~ m{^mod_tmpl/} } @{ $included{$file} };
        $uses{$name} //= {};
    }
    while (my @lowest = grep { !grep { $uses{$_} } keys %{ $uses{$_} } } keys %uses) {
        delete @uses{@lowest};
    }
    is(join(' ', sort keys %uses), '', 'no file is in a circle');
};

subtest 'names' => sub {
    my %of;
    push @{ $of{ basename($_) } }, $_ for glob '{shared,shared/*,shared/*/*,mod_tmpl,mod_tmpl/*,tmplctl,tmplctl/*,tests/*,bench/*,train/*}/*.[ch]';
    is(join("\n", map { "@$_" } grep { @$_ > 1 } map { $of{$_} } sort keys %of), '', 'no two files have the same name');
    my @guards = grep { slurp($_) !~ /^#ifndef (?:TMPL|CTL|MOD)_\Q${\ uc(basename($_, '.h') =~ s{^(?:tmpl|mod_tmpl)$}{}r) }\E_?H\n/m
            && basename($_) !~ /^(?:mod_)?tmpl\.h$/ } grep { /\.h$/ } @files;
    is("@guards", '', 'header guards have the name of their file');
};

subtest 'libraries' => sub {
    for my $case (
        ['httpd', qr{^(?:httpd|(?:http|ap|util|mod|mpm)_\w+|scoreboard)\.h$}, qr{^mod_tmpl/}],
        ['zlib', qr{^zlib\.h$}, qr{^shared/(?:base|archive)/}],
        ['brotli', qr{^brotli/}, qr{^shared/base/}],
        ['zstd', qr{^zstd\.h$}, qr{^shared/base/}],
        ['LMDB', qr{^lmdb\.h$}, qr{^shared/table/lmdb/}],
        ['hiredis', qr{^hiredis/}, qr{^shared/table/redis/}],
        ['libxml2', qr{^libxml/}, qr{^(?:shared/(?:dom|metadata|content|markdown|reader)|tmplctl)/}],
        ['OpenSSL', qr{^openssl/}, qr{^(?:shared/table/redis|tmplctl)/}],
        ['curl', qr{^curl/}, qr{^tmplctl/}],
        ['jansson', qr{^jansson}, qr{^(?:mod_tmpl/status|tmplctl)/|^shared/(?:table/export_file|metadata/linked_data)\.c$}],
    ) {
        my ($library, $header, $for) = @$case;
        my @who = grep { my $file = $_; grep { $_->[1] =~ $header } includes($file) } @files;
        ok(@who > 0, "$library: a file includes it");
        is(join("\n", grep { !/$for/ } @who), '', "$library: no file of another folder includes it");
    }
};

subtest 'no locale' => sub {
    my $asks = qr/strn?casecmp|(?:apr_|ap_)?(?:is(?:alnum|alpha|lower|upper|punct|print|space)|to(?:lower|upper))/;
    my @found;
    for my $file (@files) {
        open my $in, '<', $file or die "$file: $!";
        while (my $line = <$in>) {
            push @found, "$file:$.: $1" if $line =~ /(?<!\w)($asks)\((?!\))/;
        }
    }
    is(join("\n", @found), '', 'base/ascii.h classifies letters, apr_cstr_casecmpn() compares names');
};

done_testing;
