#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# tmplctl/tmplctl.bash proposes what tmplctl --help names: commands, options and their values.
use strict;
use warnings;

use FindBin;
use Test::More;

use lib "$FindBin::Bin/../lib", "$FindBin::Bin/../../t/lib";
use Tmplctl;

my $bash = 'source "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _tmplctl; echo "${COMPREPLY[*]}"';

# What bash proposes behind these words; the last one is being typed.
sub proposed {
    open my $out, '-|', 'bash', '-c', $bash, "$root/tmplctl/tmplctl.bash", $tool, @_ or die "bash: $!";
    chomp(my $words = <$out> // '');
    close $out or die "bash failed: @_";
    return $words;
}

my @commands = (run('--help'))[1] =~ /^  ([a-z]+) /mg;
ok(@commands > 8, 'tmplctl has commands');
is(proposed(''), "@commands --help --version", 'commands');
is(proposed('exp'), 'explain export', 'commands that begin so');
for my $command (@commands) {
    my @options = (run($command, '--help'))[1] =~ /^  (?:-\w, |    )(--[a-z-]+)/mg;
    is(proposed($command, '--'), "@options", "options of $command");
}

my %values = (
    'clean --mode' => 'annotate strip highlight text json fingerprint',
    'clean -d' => 'incremental style pagelevel auto',
    'explain --comments' => 'judge keep drop',
    'warm --smoothing' => 'off max min on',
    'stats --sort' => 'site pages entries live template bytes version',
);
is(proposed(split(/ /), ''), $values{$_}, $_) for sort keys %values;
is(proposed('clean', '--mode', 's'), 'strip', 'values that begin so');
is(proposed(@$_), '', "@$_: names of files") for ['clean', '--out', ''], ['clean', ''], ['nonsense', '-'];

done_testing;
