#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# docs/lab/methods.md agrees with the code: each formula names a test that exists and runs, and code
# that exists. bench/papers/paper-alarte computes its figures by the formulas.
use strict;
use warnings;

use Cwd qw(abs_path);
use File::Basename qw(dirname);
use Test::More;

my $root = abs_path(dirname(__FILE__) . '/../..');

sub slurp {
    my ($name) = @_;
    open my $f, '<:encoding(UTF-8)', "$root/$name" or return undef;
    local $/;
    return scalar <$f>;
}

my $methods = slurp('docs/lab/methods.md') // BAIL_OUT('there is no docs/lab/methods.md');

subtest 'formulas' => sub {
    my ($table) = $methods =~ /^\| formula \| code \| test \|\n\|[-| ]+\|\n((?:\|.*\n)+)/m;
    my @rows = split /\n/, $table // '';
    cmp_ok(scalar(@rows), '>', 20, 'docs/lab/methods.md has a table of formulas');
    for my $row (@rows) {
        my ($formula, $code, $tests) = $row =~ /^\| (.*) \| `(\S+)` \| (.*) \|$/ or fail("a row: $row"), next;
        ok(defined slurp($code), "$formula: $code exists");
        my ($file, @names) = $tests =~ /`([^`]+)`/g;
        my ($path) = glob "$root/tests/*/$file";
        my $text = defined $path ? slurp(substr $path, 1 + length $root) : '';
        # a function that the test program runs, or a subtest
        ok($text =~ /\b(?:CHECK\w*\(|TEST\w*\([^()]*\b)\Q$_\E\b/ || $text =~ /cmocka_unit_test\w*\(\Q$_\E\b/
            || $text =~ /^subtest '\Q$_\E'/m, "$formula: tests/$file: $_")
            for @names ? @names : "$formula has no test";
    }
};

subtest 'files' => sub {
    for my $path (sort keys %{{ map { $_ => 1 } $methods =~ m{`((?:shared|bench|tests|tmplctl)/[^` *]+)`}g }}) {
        ok(-e "$root/$path", $path);
    }
};

subtest 'recall, precision and F1 of a template' => sub {
    # 40 words of template, 60 of content; the scorer reports .75 cut and .9 kept
    my $said = qx{python3 - "$root/bench/papers/paper-alarte" 2>&1 <<'END'
import importlib.machinery, importlib.util, os, sys
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(sys.argv[1]))
loader = importlib.machinery.SourceFileLoader('alarte', sys.argv[1])
alarte = importlib.util.module_from_spec(importlib.util.spec_from_loader('alarte', loader))
loader.exec_module(alarte)
class Scorer:
    cut, kept = .75, .9
    gold = staticmethod(lambda path: [('T', 'menu ' * 40), ('C', 'text ' * 60), ('I', 'other')])
    words = staticmethod(str.split)
    kept_of_annotated = staticmethod(lambda page: None)
    def score_page(self, rows, kept):
        return {'cut': self.cut, 'kept': self.kept, 'f1': .5}
scorer = Scorer()
print(*('%.6f' % x for x in alarte.score(scorer, '/dev/null', '/dev/null')))
scorer.cut, scorer.kept = 0, 1
print(*('%.6f' % x for x in alarte.score(scorer, '/dev/null', '/dev/null')))
END
};
    # recall 30/40; precision 30/(30 + 6); their harmonic mean
    my $f1 = 2 / (40 / 30 + 36 / 30);
    is($said, sprintf("%.6f %.6f %.6f 0.500000\n0.000000 1.000000 0.000000 0.500000\n", 30 / 40, 30 / 36, $f1), 'the same as computed by hand');
};

done_testing();
