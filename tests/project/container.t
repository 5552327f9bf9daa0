#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# The variables of the container: docs/packages.md has those of the image, with their defaults, and compose.yaml
# knows no others. Image and compose file agree about the health check and the stop. tests/packages/container.t
# runs the image.
use strict;
use warnings;

use Cwd qw(abs_path);
use File::Basename qw(dirname);
use Test::More;

my $root = abs_path(dirname(__FILE__) . '/../..');

sub slurp {
    my ($name) = @_;
    open my $f, '<:encoding(UTF-8)', "$root/$name" or BAIL_OUT("$name: $!");
    local $/;
    return scalar <$f>;
}

my $image = slurp('container/Containerfile') =~ s/^#.*\n//gmr;
my $compose = slurp('container/compose.yaml');
my ($stage) = $image =~ /.*^(FROM .*)/ms;
my %default = $stage =~ /(?<=[ ])([A-Z_]+)=(\S*)/g;
delete $default{DEBIAN_FRONTEND};
ok(exists $default{MODE}, 'the image has defaults');

my %told = slurp('docs/packages.md') =~ /^\| `([A-Z_]+)` \| `?([^`|]*)`? \| /mg;
is(delete $told{BACKEND}, 'none', 'docs/packages.md: BACKEND has no default');
is_deeply([sort keys %told], [sort keys %default], 'docs/packages.md has the variables of the image');
is($told{$_}, $default{$_}, "docs/packages.md: the default of $_") for grep { $default{$_} ne '' } sort keys %default;

my ($environment) = $compose =~ /^    environment:\n((?:      - .*\n)+)/m;
ok(exists $default{$_} || $_ eq 'BACKEND', "compose.yaml: $_ is a variable of the image") for $environment =~ /- (\w+)/g;
my ($signal) = $image =~ /^STOPSIGNAL (\w+)/m;
like($compose, qr/^    stop_signal: \Q$signal\E$/m, 'the stop is the same');
my ($options, $check) = $image =~ /^HEALTHCHECK (.*) CMD \["(.*)"\]/m;
like($compose, qr/test: \["CMD", "\Q$check\E"\]/, 'the health check is the same');
like($compose, qr/^      \Q@{[ $1 =~ s{-}{_}r ]}\E: $2$/m, "its $1 is the same") while $options =~ /--([\w-]+)=(\w+)/g;

done_testing;
