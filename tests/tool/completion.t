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
is(proposed(''), "@commands help --help --version", 'commands');
is(proposed('help', ''), "@commands", 'commands behind help');
is(proposed('help', 'exp'), 'explain export', 'commands behind help that begin so');
is(proposed('exp'), 'explain export', 'commands that begin so');
for my $command (@commands) {
    my @options = (run($command, '--help'))[1] =~ /^  (?:-\w, |    )(--[a-z-]+)/mg;
    is(proposed($command, '--'), "@options", "options of $command");
}

my %values = (
    'clean --mark' => 'data-tmpl parts pagefind elastic swiftype nosnippet googleoff htdig udm noindex stopindex',
    'clean --mode' => 'annotate strip highlight text markdown reader json blocks fingerprint keys',
    'clean -d' => 'incremental style pagelevel auto',
    'explain --parts' => 'all headline lead byline body caption facts comment review qa related notice control hidden',
    'warm --smoothing' => 'off max min on',
);
is(proposed(split(/ /), ''), $values{$_}, $_) for sort keys %values;
is(proposed('clean', '--mode', 's'), 'strip', 'values that begin so');
is(proposed(@$_), '', "@$_: names of files") for ['clean', '--out', ''], ['clean', ''], ['nonsense', '-'];

# Stores, and sites of a store.
run(qw(clean --mode text --out out --store lmdb:db --site), $_, $pages[0]) for qw(a.example b.example);
my $schemes = 'lmdb: redis:// rediss:// redis+unix:/// redis+sentinel:// redis+cluster://';
is(proposed('stats', '--store', ''), $schemes, 'stores');
is(proposed('stats', '-s', 'lmdb:d'), 'lmdb:db', 'directories');
is(proposed('stats', '--store', 'lmdb', ':', 'd'), 'db', 'directories, as an interactive bash parts words');
for my $store (['--store', 'lmdb:db'], ['-s', 'lmdb', ':', 'db']) {
    is(proposed('stats', @$store, ''), 'a.example b.example', "sites of @$store");
    is(proposed('clean', @$store, '--site', 'b'), 'b.example', "--site of @$store");
}
is(proposed('forget', ''), '', 'no store');
is(proposed('stats', '--store', 'lmdb:none', ''), '', 'a store that does not exist');
{
    local $ENV{TMPL_STORE} = 'lmdb:db';
    is(proposed($_, ''), 'a.example b.example', "$_: sites of TMPL_STORE") for qw(stats forget export import);
    is(proposed('explain', '--site', 'a'), 'a.example', 'explain --site');
    is(proposed('stats', '--store', ''), "lmdb:db $schemes", 'TMPL_STORE itself');
    run(qw(clean --mode text --out out --store lmdb:db --site), $_, $pages[0]) for '$(touch${IFS}made)', '`touch made`', 'c;d';
    is(proposed('stats', ''), 'a.example b.example', 'no name that a shell would run');
    ok(!-e 'made', 'and none is run');
}
ok(!-e 'none', 'nothing is made');

done_testing;
