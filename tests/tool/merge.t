#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# tmplctl clean -m keys and tmplctl merge: pages that are read in parts and in any order give the verdicts of the whole;
# tables are added, and what two of them have counted does not count twice.
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

# Writes files of keys, and merges them into a new store.
my $stores = 0;
sub merged { return merged_so('--freeze', @_) }

sub merged_so {
    my ($how, @parts) = @_;
    my $store = 'lmdb:m' . ++$stores;
    spew("part$_", $parts[$_]) for 0 .. $#parts;
    my ($code, $out, $err) = run('merge', $how, '-o', $store, map { "part$_" } 0 .. $#parts);
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
    my ($code, $out, $err) = feed($lines, qw(merge --secret hush -o lmdb:in -));
    is("$code $out$err", "0 3 sites merged\n", 'from standard input');
    ($code, $out, $err) = feed($lines, qw(merge -o lmdb:in2 -));
    is($code, 1, 'without the secret');
    like($err, qr/^tmplctl: merge: \(standard input\): line 1: the keys were made with another secret than the table of lmdb:in2:/, 'the message');
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

# The table as lines without its head, and the number of documents.
sub table { my ($store) = @_; my ($head, @lines) = split /^/, (run('export', '--store', $store, 's'))[1]; return ($head =~ /"pages": (\d+)/, join '', @lines) }

subtest 'tables are added' => sub {
    # incremental: without layout paths, and without copies: what is counted does not depend on the order
    spew("only/$_.html", page($_)) for mkdir('only') ? 1 .. 9 : ();
    my @of = map { [map { "only/$_.html" } @$_] } [1 .. 2], [3 .. 6], [7 .. 9], [1 .. 9];
    my @store = map { "lmdb:t$_" } qw(a b c all);
    my $secret = 'x';
    clean('text', "to", '--secret', $secret, '--store', $store[$_], @{ $of[$_] }) for 0 .. 3;
    my @merge = ('merge', '--secret', $secret, '-o');
    my %is;
    for my $way ([qw(0 1 2)], [qw(2 1 0)], [qw(1 0 2)]) {
        my ($x, $y, $z) = @store[@$way];
        run(@merge, "lmdb:all@$way", $x, $y, $z);
        run(@merge, "lmdb:l@$way", $x, $y);
        run(@merge, "lmdb:l@$way", "lmdb:l@$way", $z);
        $is{ join ' ', table($_) }++ for "lmdb:all@$way", "lmdb:l@$way";
    }
    is(scalar keys %is, 1, 'in any order, and one after the other');
    my ($pages, $lines) = table('lmdb:all0 1 2');
    my ($whole, $want) = table($store[3]);
    is($pages, 9, 'all documents');
    # last: of the parts, or of the whole
    s/"last": \d+// for my ($l, $w) = (join('', map { s/"last": \d+, |, "last": \d+//r } split /^/, $lines), join '', map { s/"last": \d+, |, "last": \d+//r } split /^/, $want);
    my $seen = sub { return join '', map { s/"seen": \[(.*)\]/'"seen": [' . join(', ', sort { $a <=> $b } split ', ', $1) . ']'/er } split /^/, $_[0] };
    is($seen->($l), $seen->($w), 'with the counts of the whole');

    my ($code, $out, $err) = run(@merge, 'lmdb:twice', 'lmdb:all0 1 2', 'lmdb:all0 1 2');
    like($err, qr/s: 50 % of the documents are in more than one table: counts are estimated/, 'a table and itself: said');
    is(join(' ', table('lmdb:twice')), "$pages $lines", 'does not count twice');
    spew('export', (run(qw(export --store), $store[0], 's'))[1]);
    ($code, $out, $err) = run(@merge, 'lmdb:mixed', 'export', $store[1], $store[2]);
    is(join(' ', table('lmdb:mixed')), "$pages $lines", 'an export, and stores') or diag $err;
    # two proxies, each with documents of its own and some that both have
    clean('text', 'to', '--secret', $secret, '--store', 'lmdb:x', map { "only/$_.html" } 1 .. 6);
    clean('text', 'to', '--secret', $secret, '--store', 'lmdb:y', map { "only/$_.html" } 4 .. 9);
    run(@merge, 'lmdb:x', 'lmdb:x', 'lmdb:y');
    is((table('lmdb:x'))[0], 9, 'documents that both have count once');
    run(@merge, 'lmdb:y', 'lmdb:x', 'lmdb:y');
    is((table('lmdb:y'))[0], 9, 'also on the way back');
    run(qw(clean -m text --site s --out o --store lmdb:foreign), $files[0]);
    ($code, $out, $err) = run(qw(merge -o lmdb:f lmdb:foreign), $store[0]);
    is($code, 1, 'tables with different secrets');
    like($err, qr/^tmplctl: merge: lmdb:ta has another secret than lmdb:foreign, so none of their keys are equal/, 'the message');
};

spew('empty', '');
# Of each listed document the one that changed last stays, or of two with one date the one that was seen last.
subtest 'listed documents' => sub {
    my $table = sub {
        my ($name, %head) = @_;
        my $lines = join '', map {
            my ($address, $changed, $day) = @$_;
            qq({"kind": "listed", "address": "$address", "title": "$name", "day": $day, "first": 5, "changed": $changed, "text": 7, "layout": 8, )
                . qq("fingerprint": "00000000000000aa"}\n)
        } @{ $head{listed} };
        my $n = @{ $head{listed} };
        spew($name, qq({"format": "tmpl-table", "version": 1, "site": "s", "pages": 3, "table_version": 5, "entries": 0, "secret": "same", )
                . qq("listed": $n, "since": $head{since}, "edition": $head{edition}, "evicted": $head{evicted}}\n$lines));
        return $name;
    };
    my $one = $table->('one', since => 9, edition => 6, evicted => 'false', listed => [['/a', 3, 20], ['/both', 3, 20], ['/day', 4, 20]]);
    my $two = $table->('two', since => 4, edition => 2, evicted => 'true', listed => [['/b', 0, 20], ['/both', 8, 10], ['/bo', 1, 1], ['/day', 4, 21]]);
    for my $order ([$one, $two], [$two, $one]) {
        my $store = 'lmdb:listed' . ++$stores;
        my ($code, $out, $err) = run('merge', '-o', $store, @$order);
        is($code, 0, "merge @$order") or diag $err;
        my ($head, @lines) = split /^/, (run('export', '--store', $store, 's'))[1];
        like($head, qr/"listed": 5, "since": 4, "edition": 7, "evicted": true/, 'the head');
        is(join(' ', map { join ':', /"address": "(.*?)", "title": "(.*?)"/ } @lines), '/a:one /b:two /bo:two /both:two /day:two', 'the list');
    }
};

is(system("ulimit -Sn 100; $tool merge -o lmdb:many " . 'empty ' x 200 . '>/dev/null'), 0, 'more inputs than the soft limit of open files');

usage_is(['merge', 'x'], qr/--out URI is missing/, 'no output');
usage_is([qw(merge -o dir x)], qr/--out: a store is lmdb:DIR/, 'an output that is no store');
my ($code, undef, $err) = run(qw(merge -o lmdb:none missing));
is("$code $err", "1 tmplctl: merge: missing: No such file or directory\n", 'a missing file');
($code, undef, $err) = run(qw(merge -o lmdb:none lmdb:missing));
like("$code $err", qr/^1 tmplctl: merge: lmdb:missing: no store found/, 'a missing store');
($code, undef, $err) = run(qw(merge -o lmdb:none .));
is("$code $err", "1 tmplctl: merge: .: cannot read\n", 'a directory');
ok(!-e 'none', 'makes no output');

done_testing;
