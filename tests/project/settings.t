#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# shared/settings.h is the only list of settings: docs/directives.md, conf/tmpl-reference.conf and
# docs/mod_tmpl.5 agree with it, and tmplctl has each option that it names. docs/settings reports an
# edit of any of these files.
use strict;
use warnings;

use Cwd qw(abs_path);
use File::Basename qw(dirname);
use File::Path qw(make_path);
use File::Temp qw(tempdir);
use Test::More;

my $root = abs_path(dirname(__FILE__) . '/../..');
my @files = qw(shared/settings.h shared/rewrite/rewrite.h shared/detect/parts.h docs/directives.md conf/tmpl-reference.conf
    docs/mod_tmpl.5 docs/indexing.md docs/settings);

sub slurp {
    my ($name) = @_;
    open my $f, '<', $name or BAIL_OUT("$name: $!");
    local $/;
    return scalar <$f>;
}

subtest 'documents' => sub {
    my $said = qx("$root/docs/settings" 2>&1);
    is($said, '', 'they say what shared/settings.h says');
    is($?, 0, 'and docs/settings succeeds');
};

# Each case edits a copy of one file.
subtest 'an edit is noticed' => sub {
    for my $case (
        ['shared/settings.h', '"2", "64"', '"2", "65"', 'a range'],
        ['shared/settings.h', '"400 20"', '"400 21"', 'a default'],
        ['shared/settings.h', '"the longest wait for the store"', '"the wait for the store"', 'a sentence'],
        ['shared/settings.h', 'X(timeout, "TmplTimeout", NULL,', 'X(timeout, "TmplTimeout", 7,', 'a row that cannot be read'],
        ['docs/directives.md', '`TmplTimeout`', '`TmplTimeouts`', 'the table of directives'],
        ['docs/directives.md', '## For research', '## For students', 'a heading of a table'],
        ['shared/settings.h', 'TMPL_NO_OPT, RESEARCH,', 'TMPL_NO_OPT, TUNE,', 'a setting in another table'],
        ['shared/settings.h', 'TMPL_NO_OPT, RESEARCH,', 'TMPL_NO_OPT, TOY,', 'a table that there is not'],
        ['conf/tmpl-reference.conf', 'Default: 8M', 'Default: 9M', 'the reference'],
        ['conf/tmpl-reference.conf', "\nTmplMaxBody 8M", "\nTmplMaxBody 9M", 'what the reference sets'],
        ['docs/mod_tmpl.5', 'Default: 8M', 'Default: 9M', 'the man page'],
        ['shared/rewrite/rewrite.h', '"Pagefind"', '"Pagelost"', 'who reads a preset'],
        ['shared/rewrite/rewrite.h', 'X("udm"', 'X("mdu"', 'the name of a preset'],
        ['shared/detect/parts.h', 'X(QA, "qa"', 'X(QA, "aq"', 'the name of a part'],
        ['docs/indexing.md', '| `notice` | dialogs, cookie', '| `notice` | cookie', 'the table of parts'],
        ['docs/indexing.md', '| `elastic` |', '| `plastic` |', 'the table of presets'],
    ) {
        my ($file, $from, $to, $what) = @$case;
        my $dir = tempdir(CLEANUP => 1);
        make_path(map { "$dir/$_" } qw(shared/rewrite shared/detect conf docs));
        for my $name (@files) {
            my $text = slurp("$root/$name");
            $name eq $file and $text =~ s/\Q$from\E/$to/ || fail("$file has no $from");
            open my $f, '>', "$dir/$name" or die "$name: $!";
            print $f $text;
            close $f or die "$name: $!";
        }
        my $said = qx(perl "$dir/docs/settings" 2>&1);
        isnt($?, 0, $what);
        like($said, qr/\w/, 'and it says where');
    }
};

subtest 'tmplctl' => sub {
    my %option = slurp("$root/shared/settings.h") =~ /X\((\w+), "\w+", "([\w-]+)"/g;
    my %has = map { $_ => 1 } slurp("$root/tmplctl/options.c") =~ /^ +SETTING\((\w+),/mg;
    is_deeply([sort keys %has], [sort keys %option], 'has those settings that have an option, and no others');
};

done_testing;
