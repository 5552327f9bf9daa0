#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# Every detector is documented in the places that docs/lab/detector.md lists, and a test runs it in httpd.
use strict;
use warnings;

use Cwd qw(abs_path);
use File::Basename qw(dirname);
use Test::More;

my $root = abs_path(dirname(__FILE__) . '/../..');

sub slurp {
    my ($file) = @_;
    open my $in, '<', "$root/$file" or die "$file: $!";
    local $/;
    return scalar <$in>;
}

my @detectors = slurp('shared/detect/detector.h') =~ /^ {4}X\([A-Z]\w*, "(\w+)", TMPL_NEED_/mg;
cmp_ok(scalar @detectors, '>', 3, 'detectors');

for my $name (@detectors) {
    for my $case (
        ['docs/directives.md', qr/^\| `TmplDetector` \|.*\b$name\b/m],
        ['conf/tmpl-reference.conf', qr/^#   $name  /m],
        ['docs/tmplctl.1', qr/^\.B $name\n/m],
        ['shared/detect/verdict.h', qr/^ \*   $name /m],
        ['t/judging/45-detectors.t', qr/'TmplDetector $name'/],
    ) {
        my ($file, $there) = @$case;
        ok(slurp($file) =~ $there, "$file names detector $name");
    }
}

done_testing;
