# SPDX-License-Identifier: Apache-2.0
package Suite;

# Shared by the programs of tests/suites: where a suite is, and how its results with the module
# differ from those of plain httpd.
#
# A setup is how httpd was configured: "strip", or "mod_cache+strip". The setup to compare with has
# "plain" as its last word. docs/lab/correctness.md lists the differences: below the heading of the
# suite, rows of a table with tests in backquotes, setups, and the reason.

use strict;
use warnings;

use Cwd qw(abs_path);
use Exporter 'import';
use File::Basename qw(basename dirname);
use Test::Tmpl::Process qw(slurp);

our @EXPORT = qw(suite skip stop compare);

my $ROUNDS = 3;    # a busy machine: a difference is one that comes every time

# Ends the program: the suite cannot run here.
sub skip {
    print basename($0), ": skipped, @_\n";
    exit 77;
}

# The path of the suite NAME in SUITES.
sub suite {
    my ($name) = @_;
    my $path = ($ENV{SUITES} // '') . "/$name";
    return abs_path($path) if -e $path;
    skip("there is no $path: make SUITES=DIR");
}

# Stops an httpd; dies if its log has an unexpected line or a child crashed.
sub stop {
    my ($httpd) = @_;
    $httpd->stop;
    my @bad = $httpd->unexpected_lines;
    die map { "$_\n" } 'unexpected in the error log:', @bad if @bad;
    return;
}

# { "SETUP TEST" => reason }
sub listed {
    my ($suite) = @_;
    my $file = dirname(__FILE__) . '/../../docs/lab/correctness.md';
    my ($section) = slurp($file) =~ /^## \Q$suite\E\n(.*?)(?=^## |\z)/ms or die "$file has no section $suite\n";
    my %listed;
    for my $row ($section =~ /^\| (`.*) \|$/mg) {
        my ($tests, $setups, $reason) = split / \| /, $row;
        for my $setup (split /, /, $setups) {
            $listed{"$setup $_"} = $reason for $tests =~ /`([^`]+)`/g;
        }
    }
    return \%listed;
}

sub baseline { return $_[0] =~ s/[^+]+$/plain/r }

# { "SETUP TEST" => what differs }; results: { SETUP => { TEST => '' if it passed, or why it failed } }
sub differences {
    my ($results) = @_;
    my %differ;
    for my $setup (grep { $_ ne baseline($_) } keys %$results) {
        my ($with, $without) = @$results{ $setup, baseline($setup) };
        for my $test (keys %{ { %$with, %$without } }) {
            my ($is, $was) = map { $_->{$test} // 'it did not run' } $with, $without;
            next if ($is eq '') == ($was eq '');
            $differ{"$setup $test"} = $is eq '' ? "passes; plain httpd: $was" : $is;
        }
    }
    return \%differ;
}

# The differences that are not listed, and the listed differences that do not occur.
sub unexpected {
    my ($differ, $listed) = @_;
    return grep { !exists $differ->{$_} || !exists $listed->{$_} } sort keys %{ { %$differ, %$listed } };
}

# Prints the results and their differences. run->(SETUP, TESTS) runs tests again; it may be missing.
# Returns the exit status: 1 if a difference is not listed, or a listed difference does not occur.
sub compare {
    my ($suite, $results, $run) = @_;
    my $listed = listed($suite);
    my $differ = differences($results);
    for (2 .. ($run ? $ROUNDS : 0)) {
        my %again;
        for (unexpected($differ, $listed)) {
            my ($setup, $test) = split / /, $_, 2;
            $again{$_}{$test} = 1 for $setup, baseline($setup);
        }
        for my $setup (sort keys %again) {
            my $new = $run->($setup, sort keys %{ $again{$setup} });
            $results->{$setup}{$_} = $new->{$_} for keys %$new;
        }
        $differ = differences($results);
    }
    for my $setup (sort keys %$results) {
        my %tests = %{ $results->{$setup} };
        printf "%-24s %d of %d pass\n", $setup, scalar(grep { $_ eq '' } values %tests), scalar keys %tests;
    }
    my @bad = unexpected($differ, $listed);
    print "listed: $_: $differ->{$_}\n" for grep { exists $listed->{$_} } sort keys %$differ;
    print exists $differ->{$_} ? "NEW: $_: $differ->{$_}\n" : "GONE: $_: $listed->{$_}\n" for @bad;
    printf "%s: %d differences from plain httpd, %d of them not listed; %d listed that are none\n", $suite,
        scalar keys %$differ, scalar(grep { !exists $listed->{$_} } @bad), scalar(grep { !exists $differ->{$_} } @bad);
    return @bad > 0;
}

1;
