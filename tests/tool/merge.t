#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# tmplctl clean -m keys and tmplctl merge: pages that are read in parts and in any order give the verdicts of the whole.
use strict;
use warnings;

use FindBin;
use List::Util qw(shuffle);
use Test::More;

use lib "$FindBin::Bin/../lib", "$FindBin::Bin/../../t/lib";
use Tmplctl;

# Sections with menus of their own, articles that quote each other, copies of articles with a clock.
my @site = map {
    my $section = qw(news sport arts)[$_ % 3];
    my $menu = join '', map { qq(<li><a href="/$section/$_">All about $section number $_</a></li>) } 1 .. 6;
    my $of = $_ % 5 ? $_ : $_ - 1;
    my $text = join '', map { "<p>Article $of says in its paragraph $_ what nobody has said before, at some length.</p>" } 1 .. 4;
    my $quote = $_ % 7 ? '' : '<p>' . 'Somebody said this in many a place, and it is quoted here and there again. ' x 2 . '</p>';
    page($_, "<ul>$menu</ul>$text$quote<p>Printed at $_ o'clock.</p>");
} 1 .. 45;
mkdir 'site';
my @files = map { sprintf 'site/%02d.html', $_ } 1 .. @site;
spew($files[$_], $site[$_]) for 0 .. $#site;

sub keys_of { my ($detector, @pages) = @_; return (run('clean', '-m', 'keys', '--detector', $detector, '--site', 's', @pages))[1] }
sub sorted { return join '', sort split /^/, join '', @_ }

# Merges files of keys into a new store.
my $stores = 0;
sub merged { return merged_so('--freeze', @_) }

sub merged_so {
    my ($how, @parts) = @_;
    my $store = 'lmdb:m' . ++$stores;
    spew("part$_", $parts[$_]) for 0 .. $#parts;
    is(system('LC_ALL=C sort -m -u ' . join(' ', map { "part$_" } 0 .. $#parts) . ' >whole'), 0, 'sort');
    my ($code, $out, $err) = run('merge', $how, '-o', $store, 'whole');
    is($code, 0, 'merge') or diag $err;
    return $store;
}

# All pages as they are judged by a store, which must not change.
sub judged {
    my ($detector, $store) = @_;
    my $before = (run('export', '--store', $store, 's'))[1];
    unlink glob 'judged/*';
    my ($code, undef, $err) = clean('annotate', 'judged', '--detector', $detector, '--store', $store, @files);
    is($code, 0, 'clean') or diag $err;
    ok((run('export', '--store', $store, 's'))[1] eq $before, 'a frozen table does not change');
    return join '', map { slurp($_) } sort glob 'judged/*';
}

srand($ENV{SEED} // 1);
for my $detector (qw(incremental style pagelevel auto)) {
    subtest "$detector: parts in any order are the whole" => sub {
        my $all = keys_of($detector, @files);
        is(scalar(split /^/, $all), @files, 'a line for each page');
        my $whole = judged($detector, merged(sorted($all)));
        like($whole, qr/data-tmpl/, 'there is template');
        my $lean = merged_so('--lean', sorted($all));
        ok(judged($detector, $lean) eq $whole, 'the same without what only learning needs');
        unlike((run('export', '--store', $lean, 's'))[1], qr/"document"|"segment".*"df": 1,/, 'which is left out');
        for my $n (2, 3, 7) {
            my @part;
            push @{ $part[rand $n] }, $_ for shuffle(@files), shuffle(@files[3 .. 6]);    # four pages may be in two parts
            my @lines = shuffle map { sorted(keys_of($detector, @$_)) } grep { $_ } @part;
            ok(judged($detector, merged(@lines)) eq $whole, "$n parts");
            my $some = sorted(@lines[0, 1]);
            ok(judged($detector, merged($some, @lines[2 .. $#lines])) eq $whole, "$n parts, two of them in one file");
        }
    };
}

subtest 'standard input, a secret, and sites in between' => sub {
    my $lines = sorted(map { (run(qw(clean -m keys --secret hush --site), $_, @files[0 .. 9]))[1] } 'a', 'a.b', 'b');
    my ($code, $out, $err) = feed($lines, qw(merge --secret hush --store lmdb:in -));
    like("$code $out$err", qr/^0 3 sites merged\ntmplctl: merge: lmdb:in is a new store/, 'from standard input');
    ($code, $out, $err) = feed($lines, qw(merge -o lmdb:in2 -));
    is($code, 1, 'without the secret');
    like($err, qr/^tmplctl: merge: \(standard input\): line 1: the keys were made with another secret than the table of lmdb:in2:/m, 'the message');
    ($code, $out, $err) = feed(join('', reverse split /^/, $lines), qw(merge --secret hush -o lmdb:in3 -));
    is($code, 1, 'not sorted');
    like($err, qr/line 2 is not in order: LC_ALL=C sort -u the file\n/, 'the message');
    my @bad = ("x\n" => qr/line 1: no keys of a page/, $lines =~ s/\t1\t/\t2\t/r => qr/line 1: its format is not 1/,
        $lines =~ s/\A(.{60})./$1/r => qr/line 1: the keys of the page are damaged/, "\n" => qr/line 1: no keys/);
    while (my ($input, $like) = splice @bad, 0, 2) {
        ($code, $out, $err) = feed($input, qw(merge --secret hush -o lmdb:bad -));
        is($code, 1, 'a bad line');
        like($err, $like, 'the message');
    }
    # keys by the secret of a store may be merged into it
    run(qw(clean -m text --site old --out o --store lmdb:own), $files[0]);
    spew('own.keys', sorted((run(qw(clean -m keys --site new --store lmdb:own), @files[0 .. 9]))[1]));
    ($code, $out, $err) = run(qw(merge -o lmdb:own own.keys));
    is("$code $out", "0 1 sites merged\n" =~ s/sites/site/r, 'into a store with sites') or diag $err;
    like((run(qw(stats --store lmdb:own)))[1], qr/^new +\d.*\nold +1 /m, 'which keeps them');
};

usage_is(['merge', 'x'], qr/^tmplctl: merge: no store given: use --store URI or set TMPL_STORE$/m, 'no store');
usage_is([qw(merge -o dir x)], qr/--out: a store is lmdb:DIR/, 'an output that is no store');
my ($code, undef, $err) = run(qw(merge -o lmdb:none missing));
is("$code $err", "1 tmplctl: merge: missing: No such file or directory\n", 'a missing file');
spew('export', (run(qw(export --store lmdb:own old)))[1] =~ s/.*\n//r);
($code, undef, $err) = run(qw(merge -o lmdb:new export));
like("$code $err", qr/^1 .*^tmplctl: merge: export: line \d+/ms, 'an export');
($code, undef, $err) = run(qw(merge -o lmdb:none .));
is("$code $err", "1 tmplctl: merge: .: Is a directory\n", 'a directory');
ok(!-e 'none', 'makes no output');

done_testing;
