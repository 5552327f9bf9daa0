#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# Libraries that tmplctl loads when it needs them (tmplctl/library.h): commands that need none run
# without them, those that need one name it, and threads may need it at the same time.
use strict;
use warnings;

use FindBin;
use Test::More;

use lib "$FindBin::Bin/../lib", "$FindBin::Bin/../../t/lib";
use Tmplctl;

my @late = qw(libxml2.so.2 libxml2.so.16 libssl.so.3 libcurl.so.4);
mkdir 'none' or die $!;
spew("none/$_", 'no library') for @late;
my @clean = (qw(clean --site s --detector auto), @pages);
my @tls = qw(stats --store rediss://127.0.0.1:9/0);

subtest 'without them' => sub {
    local $ENV{LD_LIBRARY_PATH} = "$dir/none";
    like((run('--version'))[1], qr/^tmplctl [\d.]+\n\z/, '--version');
    for my $mode (qw(strip annotate highlight blocks fingerprint)) {
        my ($code, $out, $err) = run(@clean, '--mode', $mode, '--out', "without-$mode");
        is("$code $err", '0 ', "$mode runs");
    }
    my ($code, $out, $err) = run(@clean, qw(--mode markdown --out without-markdown));
    is($code, 1, 'markdown: exit code');
    like($err, qr/^tmplctl: .*\blibxml2\.so\.\d+/, 'markdown: the message');
    ($code, $out, $err) = run(@tls);
    is($code, 1, 'TLS: exit code');
    like($err, qr/^tmplctl: .*(?:\blibssl\.so\.\d+|this build has no TLS)/, 'TLS: the message');
};

subtest 'with them' => sub {
    for my $mode (qw(strip annotate highlight blocks fingerprint markdown)) {
        my ($code, $out, $err) = run(@clean, qw(--jobs 1 --mode), $mode, '--out', "with-$mode");
        is("$code $err", '0 ', "$mode runs");
        is(qx(cat with-$mode/*), qx(cat without-$mode/*), "$mode: the same output") if $mode ne 'markdown';
    }
    is((run(@clean, qw(--jobs 8 --mode markdown --out threads)))[0], 0, 'markdown by threads');
    is(qx(cat threads/*), qx(cat with-markdown/*), 'gives the same');
    my ($code, $out, $err) = run(@tls);
    is($code, 1, 'TLS to a port without a server: exit code');
    unlike($err, qr/libssl/, 'all functions of OpenSSL are found');
};

done_testing;
