#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# make demo does what README.md shows, with the module as it is built: a page that differs from demo/expected.txt fails.
# What takes long is counted in place of a line for each file, and groups of "make check" that skip all say so.
use strict;
use warnings;

use File::Temp qw(tempdir);
use FindBin;
use Test::More;

chdir "$FindBin::Bin/../.." or die "$!\n";

delete $ENV{VERBOSE};
subtest 'demo/counted' => sub {
    my $lines = q{for i in 1 2 3 4 5 6 7 8; do echo "  CC file$i"; done};
    is(qx(demo/counted files 8 '^  CC ' sh -c '$lines; echo done'), join('', map { "  files: $_ of 8\n" } 2, 4, 6, 8), 'quarters');
    is(qx(demo/counted files '(\\d+) in all' '^  CC ' sh -c 'echo 4 in all; $lines'), join('', map { "  files: $_ of 4\n" } 1 .. 4), 'a total that the output names');
    is(qx(demo/counted files 0 '^  CC ' echo nothing to do), '', 'nothing to count');
    my $said = qx(demo/counted files 80 '^  CC ' sh -c '$lines; echo because >&2; exit 3');
    is($? >> 8, 3, 'a failure: its exit status');
    like($said, qr/file1\n.*file8\nbecause\n\z/s, 'and all that it said');
    like(qx(VERBOSE=1 demo/counted files 8 '^  CC ' sh -c '$lines'), qr/\A  CC file1\n.*  CC file8\n\z/s, 'VERBOSE=1: each line');
};

subtest 'tests/check' => sub {
    my $make = tempdir(CLEANUP => 1) . '/make';
    open my $f, '>', $make or die "$make: $!\n";
    print $f <<'END';
#!/bin/sh
for group; do :; done
case $group in
    check-none) echo 'tests/browser/reader.t .. skipped: there is no node'; echo 'Result: NOTESTS' ;;
    check-some) echo 'a.t .. skipped: no'; echo 'Result: NOTESTS'; echo 'b.t .. ok'; echo 'Result: PASS' ;;
esac
END
    close $f;
    chmod 0755, $make;
    my $said = qx(MAKE=$make JOBS=1 tests/check check-none check-some);
    like($said, qr/^check-none +skipped /m, 'a group of which all is skipped');
    like($said, qr/^check-some +passed /m, 'a group of which something is');
};

if (!-d '/usr/share/doc/apache2-doc/manual') {
    done_testing;
    exit;
}
my $said = qx(BUILD="${\ ($ENV{BUILD} // 'build')}" DEMO_WAIT=no demo/run 2>&1);
is($?, 0, 'the page is as in demo/expected.txt') or diag $said;
like($said, qr/^demo, step 3 of 4: .*^demo, step 4 of 4: /ms, 'in steps');
like($said, qr/^navigation: \d+ before, 0 after; .*: ok$/m, 'without navigation, with its article');
done_testing;
