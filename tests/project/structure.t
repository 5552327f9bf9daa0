#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# The structure of the tree (docs/architecture.md): folders have an order, and a file includes only
# files of its own folder or of lower folders; in the module, files have an order, too. Only one folder includes the headers of an external
# library. No code depends on the locale.
use strict;
use warnings;

use Cwd qw(abs_path);
use File::Basename qw(basename dirname);
use Test::More;

my $root = abs_path(dirname(__FILE__) . '/../..');
chdir $root or die "$root: $!";

# The folders from the lowest to the highest.
my @folders = (
    map({ "shared/$_" } qw(base archive address html page text dom table table/memory table/lmdb table/redis feature model detect methods methods/warm cut rewrite metadata content markdown data reader fingerprint)),
    'shared', 'shared/decision', 'mod_tmpl', 'tmplctl',
);
my %level = map { $folders[$_] => $_ } 0 .. $#folders;
# both have one level: mod_tmpl reports requests to status, and status asks mod_tmpl for figures
$level{"mod_tmpl/$_"} = $level{mod_tmpl} for qw(status lists);
# Published methods: the tables of detectors and of their models name them, and so does the tool, for its options and
# for tmplctl train and warm. No other file includes them.
my $names_methods = qr{^(?:shared/detect/(?:detector\.c|models\.c)|shared/methods/.*|tmplctl/(?:ctl\.h|options\.c|fetch\.h|train_cmd\.c|warm_cmd\.c))$};

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

my @files = glob '{shared,shared/*,shared/*/*,mod_tmpl,mod_tmpl/*,tmplctl}/*.[ch]';
cmp_ok(scalar @files, '>', 150, 'sources');

# For each file, its includes that are headers of this project.
my %included = map { my $file = $_; $file => [grep { $_->[1] =~ m{/.*\.h$} && -e $_->[1] } includes($file)] } @files;

subtest 'includes' => sub {
    my @wrong;
    for my $file (@files) {
        my $level = $level{ dirname($file) } // (push(@wrong, "$file: its folder is not in the table"), next);
        push @wrong, map { "$file:$_->[0]: includes $_->[1], which is higher" }
            grep { $level{ dirname($_->[1]) } > $level && !($_->[1] =~ m{^shared/methods/} && $file =~ $names_methods) }
            @{ $included{$file} };
    }
    is(join("\n", grep { my $file = $_; $file !~ $names_methods && grep { $_->[1] =~ m{^shared/methods/} } @{ $included{$file} } } @files),
        '', 'only the tables of detectors and of models, and the tool, include published methods');
    is(join("\n", @wrong), '', 'no file includes a file of a higher folder');
    is(join("\n", map { "$_->[1]" } grep { $_->[1] =~ m{^tmplctl/} } map { @{ $included{$_} } } grep { m{^mod_tmpl/} } @files),
        '', 'the module includes nothing of the tool');
    is(join("\n", map { "$_->[1]" } grep { $_->[1] =~ m{^mod_tmpl/} } map { @{ $included{$_} } } grep { m{^tmplctl/} } @files),
        '', 'the tool includes nothing of the module');
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
        'section fields page_pool ending later',                                    # settings, header fields, pools, the queue
        'accept brigade cache control health kept validators',                      # one part of a request, or of a store
        'page_links script',                                                        # a page's address, and who asks for it
        'conditions learning nobody request wait',                                  # the request, and the backend
        'child_store personal',                                                     # the stores of a child, what is learnt
        'sighting',                                                                 # what a page shows for the list
        'effect judge',                                                             # a page judged by a store
        'config tmpl_field',                                                        # what was found, as a field
        'decide headers',                                                           # whether a response is declined, its fields
        'beside filter twin',                                                       # filters
        'gate',                                                                     # the filter that takes responses
        'mod_tmpl',                                                                 # hooks
    ],
    'mod_tmpl/lists' => [
        'list',                      # the documents of a site
        'formats',
        'lists',                     # the handlers, pages that leave the list
    ],
    'mod_tmpl/status' => [
        'members shm',               # values of JSON, shared memory
        'counters', 'selectors',     # what is counted there
        'sites', 'stores',
        'in_force', 'data',          # JSON of all that
        'fill', 'admin',             # templates, what a form may change
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
    push @{ $of{ basename($_) } }, $_ for glob '{shared,shared/*,shared/*/*,mod_tmpl,mod_tmpl/*,tmplctl,tests/*,bench/*,train/*}/*.[ch]';
    is(join("\n", map { "@$_" } grep { @$_ > 1 } map { $of{$_} } sort keys %of), '', 'no two files have the same name');
    my @guards = grep { slurp($_) !~ /^#ifndef (?:TMPL|CTL|MOD)_\Q${\ uc(basename($_, '.h') =~ s{^(?:tmpl|mod_tmpl)$}{}r) }\E_?H\n/m
            && basename($_) !~ /^(?:mod_)?tmpl\.h$/ } grep { /\.h$/ } @files;
    is("@guards", '', 'header guards have the name of their file');
};

subtest 'libraries' => sub {
    for my $case (
        ['httpd', qr{^(?:httpd|(?:http|ap|util|mod|mpm)_\w+|scoreboard)\.h$}, qr{^mod_tmpl/}],
        ['zlib', qr{^zlib\.h$}, qr{^shared/(?:base|archive)/}],
        ['LMDB', qr{^lmdb\.h$}, qr{^shared/table/lmdb/}],
        ['hiredis', qr{^hiredis/}, qr{^shared/table/redis/}],
        ['libxml2', qr{^libxml/}, qr{^(?:shared/(?:text|dom|metadata|content|markdown|reader)|tmplctl)/}],
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
