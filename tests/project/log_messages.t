#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# docs/troubleshooting.md lists the messages of mod_tmpl/messages.h with the levels at which the sources log
# them. The module logs nothing else.
use strict;
use warnings;

use Cwd qw(abs_path);
use File::Basename qw(dirname);
use Test::More;

my $root = abs_path(dirname(__FILE__) . '/../..');
chdir $root or die "$root: $!";

sub slurp {
    my ($name) = @_;
    open my $f, '<', $name or BAIL_OUT("$name: $!");
    local $/;
    return scalar <$f>;
}

# The format of each message; APR's conversions are one letter.
my $header = slurp('mod_tmpl/messages.h') =~ s/\\\n/ /gr;
my %format;
while ($header =~ /^#define (TMPL_LOG_\w+) +(.*)$/mg) {
    my ($name, $text) = ($1, $2);
    $text =~ s/\bAPR_\w+_FMT\b/"d"/g;
    $format{$name} = join '', $text =~ /"([^"]*)"/g;
}

# The level of each message, from the calls that log it.
my (%level, %other);
for my $file (glob 'mod_tmpl/{,*/}*.c') {
    my $source = slurp($file);
    while ($source =~ /\bAPLOG_(ERR|WARNING|NOTICE|INFO|DEBUG|TRACE1)\b(?:(?!\bAPLOG_).)*?\b(TMPL_LOG_\w+)/sg) {
        $level{$2}{$1} = $file;
    }
    # every call, up to its format
    while ($source =~ /\bap_log_[rp]?error\(APLOG_MARK, (.*?)[;]/sg) {
        $other{$file} = $1 if $1 !~ /TMPL_LOG_/;
    }
}
my %word = (ERR => 'error', WARNING => 'warning', NOTICE => 'notice', INFO => 'info', DEBUG => 'debug', TRACE1 => 'trace1');

my @rows = map { [map { s/^ +| +$//gr } split /\|/, $_ =~ s/^\|//r] } slurp('docs/troubleshooting.md') =~ /^(\| T\d+ \|.*)$/mg;
my %row = map { $_->[0] => $_ } @rows;

subtest 'messages' => sub {
    cmp_ok(scalar keys %format, '>', 10, 'mod_tmpl/messages.h has some');
    my %seen;
    for my $name (sort { $format{$a} cmp $format{$b} } keys %format) {
        my ($number, $text) = $format{$name} =~ /^tmpl: \[(T\d{3})\] (.+)$/ or fail("$name has no number"), next;
        ok(!$seen{$number}++, "$number is the number of $name only");
        is(join(' ', map { $word{$_} } sort keys %{ $level{$name} // {} }), $row{$number}[1] // '(no row)', "$number: its level");
        # %s and the like stand for words in capitals
        my $pattern = join '[A-Z]+', map { quotemeta } split /%[-.\d]*[sdu]/, $text, -1;
        like($row{$number}[2] // '', qr/^$pattern$/, "$number: its text");
        ok(length($row{$number}[3] // '') && length($row{$number}[4] // ''), "$number: its meaning, and what to do");
    }
    is(join(' ', map { $_->[0] } @rows), join(' ', sort keys %seen), 'no others, in the order of their numbers');
};

subtest 'sources' => sub {
    is(join("\n", map { "$_: $other{$_}" } sort keys %other), '', 'each line that is logged is one of them');
};

done_testing;
