# SPDX-License-Identifier: Apache-2.0
package Demo::Columns;

# Two texts side by side, line by line. A line that is missing in the second faces an empty cell,
# and long runs of equal lines are shortened.
#
# A block that was removed no longer separates the lines around it, so they become one line. That
# line is split again if it consists of lines of the first text.

use strict;
use warnings;

use Exporter 'import';

our @EXPORT_OK = qw(columns);

# The lines of $left of which $line consists, separated by one blank; an empty list if $line is not made of them.
sub parts {
    my ($line, $left) = @_;
    my @parts;
    while (length $line) {
        my ($first) = grep { index("$line ", "$_ ") == 0 } @$left or return;
        push @parts, $first;
        $line = substr "$line ", 1 + length $first;
        $line =~ s/ $//;
    }
    return @parts;
}

sub parted {
    my ($left, $right) = @_;
    my %known = map { $_ => 1 } @$left;
    my @left = sort { length $b <=> length $a } keys %known;
    my @parted;
    for my $line (@$right) {
        my @parts = $known{$line} ? () : parts($line, \@left);
        push @parted, @parts ? @parts : $line;
    }
    return \@parted;
}

# $common[i][j]: length of the longest common subsequence of the left lines from i on and the right lines from j on.
sub common_lengths {
    my ($left, $right) = @_;
    my @common = map { [(0) x (@$right + 1)] } 0 .. @$left;
    for my $i (reverse 0 .. $#$left) {
        for my $j (reverse 0 .. $#$right) {
            my ($down, $across) = ($common[$i + 1][$j], $common[$i][$j + 1]);
            $common[$i][$j] =
                  $left->[$i] eq $right->[$j] ? $common[$i + 1][$j + 1] + 1
                : $down > $across             ? $down
                :                               $across;
        }
    }
    return \@common;
}

# Pairs of lines; one line of a pair may be undef.
sub pairs {
    my ($left, $right) = @_;
    my $common = common_lengths($left, $right);
    my ($i, $j, @pairs) = (0, 0);
    while ($i < @$left || $j < @$right) {
        if ($i < @$left && $j < @$right && $left->[$i] eq $right->[$j]) {
            push @pairs, [$left->[$i++], $right->[$j++]];
        }
        elsif ($j == @$right || $i < @$left && $common->[$i + 1][$j] >= $common->[$i][$j + 1]) {
            push @pairs, [$left->[$i++], undef];
        }
        else {
            push @pairs, [undef, $right->[$j++]];
        }
    }
    return @pairs;
}

# Shortens every run of pairs of equal lines: only its first and last pair stay, with the number of pairs between.
sub shorten {
    my (@pairs) = @_;
    my (@short, @alike);
    for my $pair (@pairs, undef) {
        if ($pair && defined $pair->[0] && defined $pair->[1]) {
            push @alike, $pair;
            next;
        }
        @alike = ($alike[0], @alike - 2, $alike[-1]) if @alike > 3;
        push @short, splice(@alike), $pair // ();
    }
    return @short;
}

sub fit {
    my ($text, $width) = @_;
    return sprintf '%-*s', $width, $text if length $text <= $width;
    return substr($text, 0, $width - 3) . '...';
}

# Returns the lines of the table. Arguments: references to two arrays of lines, and the width of one column.
sub columns {
    my ($left, $right, $width) = @_;
    return map {
        ref $_
            ? join(defined $_->[1] ? ' | ' : ' - ', map { fit($_ // '', $width) } @$_)
            : join('   ', (fit("  ($_ equal lines)", $width)) x 2)
    } shorten(pairs($left, parted($left, $right)));
}

1;
