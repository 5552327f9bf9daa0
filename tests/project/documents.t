#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# README.md shows what make demo prints. docs/architecture.md shows the folders that exist; it and
# docs/design.md name only files that exist. Documents are few and short, and their links lead somewhere.
# Lines of prose keep to 120 columns, comments in C to 100. readme.t compares README.md with the code.
# Of docs/lab, the notebook, words are counted apart, and links and columns are read.
use strict;
use warnings;

use Cwd qw(abs_path);
use File::Basename qw(dirname);
use File::Find qw(find);
use Test::More;

my $root = abs_path(dirname(__FILE__) . '/../..');
chdir $root or BAIL_OUT("$root: $!");

sub slurp {
    my ($name) = @_;
    open my $f, '<:encoding(UTF-8)', $name or BAIL_OUT("$name: $!");
    local $/;
    return scalar <$f>;
}

sub slurp_bytes {
    my ($name) = @_;
    open my $f, '<', $name or BAIL_OUT("$name: $!");
    local $/;
    return scalar(<$f>) // '';
}

# demo/run compares its own output with demo/expected.txt.
subtest 'the page of make demo' => sub {
    my ($page) = slurp('README.md') =~ /^## A page before and after\n.*?```text\n(.*?)```/ms;
    is($page, slurp('demo/expected.txt'), 'README shows demo/expected.txt');
};

subtest 'folders' => sub {
    my ($tree) = slurp('docs/architecture.md') =~ /^## Folders\n.*?```\n(.*?)```/ms;
    my %shown = map { $_ => 1 } ($tree // '') =~ /^(\S+)/mg;
    ok(-e $_, "docs/architecture.md: $_ exists") for sort keys %shown;
    ok($shown{$_}, "docs/architecture.md shows $_") for map { "$_/" } grep { -d } glob 'shared/*';
    my @read = map { /^\| `([^`]+)` \|/ } split /\n/, slurp('docs/architecture.md');
    ok(@read > 5, 'docs/architecture.md names files to read first');
    my %named = map { $_ => 1 } map { slurp($_) =~ m{\b(\w+/[\w/]+\.[cht])\b}g } 'docs/architecture.md', 'docs/design.md';
    push @read, map { -e "shared/$_" ? "shared/$_" : $_ } sort keys %named;
    ok(-e $_, "$_ exists") for @read;
};

# The status page shows the same advice.
subtest 'advice about declines' => sub {
    my ($rows) = slurp('shared/base/tmpl.h') =~ /^#define TMPL_DECLINES\(X\)(.*?)^\s*$/ms;
    $rows =~ s/\s*\\\n\s*/ /g;
    my $string = qr/((?:"(?:[^"\\]|\\.)*"\s*)+)/;
    my %advice = map { s/"\s*"//gr =~ s/^"|"\s*$//gr } map { my ($name, $text) = @$_; ($name, $text) }
        map { [/^"([\w-]+)", $string, $string$/ ? ($1, $3) : ()] } $rows =~ /X\([A-Z_]+, ((?:[^()"]|"[^"]*")*)\)/g;
    my %shown = slurp('docs/troubleshooting.md') =~ /^\| ([\w-]+) \| .* \| (.*) \|$/mg;
    delete $advice{none};
    cmp_ok(scalar keys %advice, '>', 15, 'reasons');
    is($shown{$_}, $advice{$_}, "docs/troubleshooting.md: $_") for sort keys %advice;
};

# What is added takes the place of something.
subtest 'length' => sub {
    my %words = map { my $name = $_; $name => scalar(my @words = split ' ', slurp($name)) } 'README.md', glob 'docs/*.md';
    my $all = 0;
    $all += $_ for values %words;
    cmp_ok(scalar keys %words, '<=', 16, 'documents');
    cmp_ok($all, '<=', 32_000, 'words of all documents');
    cmp_ok($words{'README.md'}, '<=', 1300, 'words of README.md');
    my @lab = map { split ' ', slurp($_) } glob 'docs/lab/*.md';
    cmp_ok(scalar @lab, '<=', 36_000, 'words of docs/lab');
};

# The anchors that GitHub gives to the headings of a text.
sub anchors {
    my ($text) = @_;
    my (%seen, %anchor);
    for my $heading ($text =~ s/^```.*?^```$//gmsr =~ /^#+ +(.*)$/mg) {
        my $name = lc($heading =~ s/\[([^\]]*)\]\([^)]*\)/$1/gr) =~ s/[^\w -]//gr =~ tr/ /-/r;
        $anchor{ $seen{$name}++ ? "$name-" . ($seen{$name} - 1) : $name } = 1;
    }
    return \%anchor;
}

subtest 'links' => sub {
    for my $name (qw(README.md SECURITY.md CHANGELOG.md), glob 'docs/*.md docs/lab/*.md') {
        my $text = slurp($name) =~ s/^```.*?^```$//gmsr =~ s/`[^`\n]*`//gr;
        my @dead;
        for my $link ($text =~ /\]\(([^)\s]+)\)/g) {
            my ($file, $anchor) = $link =~ /^([^#]*)#?(.*)$/;
            next if $file =~ /^https?:/;
            my $to = $file eq '' ? $name : dirname($name) . "/$file";
            push @dead, $link if !-e $to || $anchor ne '' && !anchors(slurp($to))->{$anchor};
        }
        is("@dead", '', "$name: no dead links");
    }
};

subtest 'documents that sources name' => sub {
    my %named;
    my @folders = grep { -d } qw(shared mod_tmpl tmplctl tests t bench train conf make debian container demo);
    find({ no_chdir => 1, wanted => sub {
        return if !-f || -B;
        my $file = $_;
        push @{ $named{$_} }, $file for slurp_bytes($file) =~ m{(?<![\w/])docs/(?:lab/)?[\w-]+\.(?:md|[15])(?!\w)}g;
    } }, @folders);
    cmp_ok(scalar keys %named, '>', 5, 'documents');
    ok(-e $_, "$_, which @{ $named{$_} }[0] names") for sort keys %named;
};

# Tables, listings and addresses cannot be wrapped.
subtest 'columns' => sub {
    for my $name ('README.md', 'CHANGELOG.md', glob 'docs/*.md docs/lab/*.md') {
        my $text = slurp($name) =~ s/^```.*?^```$//gmsr;
        my @long = grep { length > 120 && !/^\||^    |^\S*$/ } split /\n/, $text;
        is(join("\n", @long), '', "$name: lines of prose");
    }
    # only comments: clang-format checks the code
    for my $name (glob '{shared,shared/*,shared/*/*,mod_tmpl,mod_tmpl/*,tmplctl,tmplctl/*,tests/*,bench/*,train/*}/*.[ch]') {
        my @long = grep { length > 100 } slurp($name) =~ m{^ */?\*.*$}mg;
        is(join("\n", @long), '', "$name: comments") if @long;
    }
};

done_testing;
