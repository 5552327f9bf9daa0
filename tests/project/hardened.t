#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# The module and tmplctl are built so that a fault in memory is harder to use: addresses are random
# (PIE), tables of functions are read-only after the start (full RELRO), no page of memory, also of
# the stack, is both writable and executable, and the compiler checks stacks, copies and, on x86-64,
# jumps.
use strict;
use warnings;

use Cwd qw(abs_path);
use File::Basename qw(dirname);
use Test::More;

my $build = abs_path(dirname(__FILE__) . '/../..') . '/build';
my %file = ('mod_tmpl.so' => $ENV{TMPL_MODULE} || "$build/mod_tmpl.so", tmplctl => $ENV{TMPLCTL} || "$build/tmplctl");

sub readelf {
    my ($options, $path) = @_;
    my $said = qx(LC_ALL=C readelf -W $options '$path' 2>&1);
    die "readelf $options $path: $said\n" if $?;
    return $said;
}

plan skip_all => 'there is no readelf' if !grep { -x "$_/readelf" } split /:/, $ENV{PATH};
for my $name (sort keys %file) {
    my $path = $file{$name};
    subtest $name => sub {
        my $header = readelf('-h', $path);
        my $dynamic = readelf('-d', $path);
        my $segments = readelf('-l', $path);
        my $symbols = readelf('--dyn-syms', $path);
        like $header, qr/Type:\s+DYN /, 'it can be loaded anywhere';
        like $dynamic, qr/FLAGS_1\).*\bPIE\b/, 'as a program' if $name eq 'tmplctl';
        unlike $dynamic, qr/TEXTREL/, 'its code is never written';
        like $segments, qr/^\s*GNU_RELRO\b/m, 'RELRO';
        like $dynamic, qr/\bBIND_NOW\b|FLAGS_1\).*\bNOW\b/, 'in full: all functions are bound at start';
        like $segments, qr/^\s*GNU_STACK\s.*\sRW\s/m, 'the stack is not executable';
        unlike $segments, qr/^\s*LOAD\s.*\sRWE\s/m, 'nothing can be written and executed';
        like $symbols, qr/UND __stack_chk_fail\b/, 'stacks are checked';
        like $symbols, qr/UND __(?!stack_)\w+_chk\b/, 'copies are checked';
        # libxml2 and OpenSSL would call the functions of tmplctl/library.h in place of their own
        unlike $symbols, qr/FUNC +GLOBAL +\w+ +\d/, 'no library finds a function in it' if $name eq 'tmplctl';
    };
}
subtest 'libtmpl.a' => sub {
    my $library = dirname($file{tmplctl}) . '/libtmpl.a';
    plan skip_all => 'not x86-64' if readelf('-h', $file{tmplctl}) !~ /X86-64/;
    # only the library's objects: the C library's start files may lack the note, and then a program has none
    my @objects = split /^File: /m, readelf('-n', $library);
    is scalar(grep { /\.o\)/ && !/x86 feature: IBT, SHSTK/ } @objects), 0, 'jumps are checked';
};
done_testing;
