#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# A name has one definition: no two files define a type of the same name, or a function of the same name that is not
# static. So grep finds what a call means; a static function has the plainest name in its file.
use strict;
use warnings;

use Cwd qw(abs_path);
use File::Basename qw(dirname);
use Test::More;

my $root = abs_path(dirname(__FILE__) . '/../..');
chdir $root or die "$root: $!";

my @files = glob '{shared,shared/*,shared/*/*,mod_tmpl,mod_tmpl/*,tmplctl,tmplctl/*}/*.[ch]';
cmp_ok(scalar @files, '>', 50, 'sources');

# The file of each name: { name => { file => 1 } }.
my (%types, %functions);
for my $file (@files) {
    open my $in, '<', $file or die "$file: $!";
    my $source = do { local $/; <$in> };
    $source =~ s{/\*.*?\*/}{ }gs;
    $source =~ s/\\\n/ /g;
    # typedef struct { ... } name; typedef int name(...); typedef int (*name)(...);
    while ($source =~ /^typedef\b(?:[^;{]|(\{(?:[^{}]|(?1))*\}))*;/mg) {
        my $text = $& =~ s/\{.*\}//sr =~ s/__attribute__ *(\((?:[^()]|(?1))*\))//r;
        my ($name) = $text =~ /\(\*(\w+)\)/ ? $1 : $text =~ /(\w+)\s*(?:\(.*\)|\[.*\])?\s*;$/s;
        $types{$name}{$file} = 1;
    }
    # a definition has its body behind its arguments; macros that define functions are not read
    while ($source =~ /^(?!#|typedef|else|static |struct \w+ \{|enum)[a-z][^;={}#]*?\b(\w+)(\((?:[^()]|(?2))*\))\s*\{/mg) {
        $functions{$1}{$file} = 1;
    }
}
cmp_ok(scalar keys %types, '>', 50, 'types');
cmp_ok(scalar keys %functions, '>', 300, 'functions');

for my $case (['type', \%types], ['function', \%functions]) {
    my ($what, $of) = @$case;
    is(join("\n", map { "$_: " . join(' ', sort keys %{ $of->{$_} }) } grep { keys %{ $of->{$_} } > 1 } sort keys %$of),
        '', "no $what has a name that another file gives to a $what, too");
}

done_testing;
