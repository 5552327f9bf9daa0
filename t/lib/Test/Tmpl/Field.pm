# SPDX-License-Identifier: Apache-2.0
package Test::Tmpl::Field;

# A strict parser of RFC 9651 dictionaries (section 4.2.2); it dies if the field is not valid.
# Values: integers and decimals are numbers, booleans 1 and 0, strings and tokens text, inner lists
# array references. Parameters are parsed and dropped.

use strict;
use warnings;

sub dictionary {
    my ($text) = @_;
    my %members;
    for ($text) {
        die "not ASCII: $text\n" if /[^\x20-\x7e]/;
        s/^ +//;
        s/ +$//;
        pos = 0;
        die "empty\n" if $_ eq '';
        while (1) {
            my $key = key($_);
            $members{$key} = /\G=/gc ? item($_) : 1;
            parameters($_);
            last if /\G\z/gc;
            /\G[ \t]*,[ \t]*/gc or die 'a comma is missing at ' . pos($_) . ": $text\n";
            die "trailing comma: $text\n" if /\G\z/;
        }
    }
    return \%members;
}

sub key {
    return $1 if $_[0] =~ /\G([a-z*][a-z0-9_.*-]*)/gc;
    die 'no key at ' . (pos($_[0]) // 0) . ": $_[0]\n";
}

sub item {
    return inner_list($_[0]) if $_[0] =~ /\G\(/gc;
    return bare($_[0]);
}

sub bare {
    for ($_[0]) {
        return 0 + $1 if /\G(-?\d{1,12}\.\d{1,3})(?![\d.])/gc;
        return 0 + $1 if /\G(-?\d{1,15})(?![\d.])/gc;
        return $1 =~ s/\\(.)/$1/gr if /\G"((?:[\x20\x21\x23-\x5b\x5d-\x7e]|\\["\\])*)"/gc;
        return $1 if /\G([A-Za-z*][A-Za-z0-9!#\$%&'*+.^_`|~:\/-]*)/gc;
        return $1 if /\G\?([01])/gc;
        die 'no item at ' . (pos // 0) . ": $_\n";
    }
}

sub inner_list {
    my @items;
    for ($_[0]) {
        while (1) {
            /\G +/gc;
            last if /\G\)/gc;
            push @items, bare($_);
            parameters($_);
            /\G(?=[ )])/gc or die "no space in a list: $_\n";
        }
    }
    return \@items;
}

sub parameters {
    for ($_[0]) {
        while (/\G; */gc) {
            key($_);
            bare($_) if /\G=/gc;
        }
    }
    return;
}

1;
