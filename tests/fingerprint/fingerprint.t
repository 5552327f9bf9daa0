#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# docs/fingerprint.md is exact: from the text that tmplctl prints, its Python program computes the
# fingerprint that tmplctl prints, for pages in many scripts and charsets; and both compute its test
# vectors.
use strict;
use warnings;

use Cwd qw(abs_path);
use Encode qw(decode encode);
use File::Basename qw(dirname);
use File::Temp qw(tempdir);
use FindBin;
use JSON::PP;
use Test::More;

use lib "$FindBin::Bin/../../t/lib";
use Test::Tmpl::Process qw(slurp spit);

my $root = abs_path(dirname(__FILE__) . '/../..');
my $tool = abs_path($ENV{TMPLCTL} // "$root/" . ($ENV{BUILD} // 'build') . '/tmplctl');
plan skip_all => 'there is no tmplctl: run make first' unless defined $tool && -x $tool;

my $dir = tempdir(CLEANUP => 1);
chdir $dir or die $!;
mkdir 'pages' or die $!;
delete $ENV{TMPL_STORE};

my $document = slurp("$root/docs/fingerprint.md");
my ($program) = $document =~ /^```python\n(.*?)^```/ms;
ok defined $program, 'the document has a program';
spit('document.py', $program . <<'END');

import sys
for name in sys.stdin.read().split():
    with open(name, encoding='utf-8', newline='') as f:
        print(fingerprint(f.read()))
END
spit('vectors.py', $program . <<'END');

import sys
print('%016x' % hash_numbers(hash_word(word) for word in words_of(sys.argv[1])))
for text in sys.argv[2:]:
    print(fingerprint(text) if ' ' in text or len(text) > 16 else '%016x' % hash_word(text.encode()))
END
my %vector = $document =~ /^\| `(.*)` \| ([0-9a-f]{16}) \|$/mg;
my ($shingle, $its_hash) = $document =~ /^The hash of the shingle "(.*)" is ([0-9a-f]{16})\.$/m;

# Texts that have little in common.
my %TEXT = (
    english => 'The ferry to the northern islands leaves at six in the morning, at noon, and at four; it does not '
        . "leave on Sundays. DON'T run: the gang\x{2019}s plank is wet &amp; steep &mdash; caf&eacute; open.",
    polish => "Za\x{17c}\x{f3}\x{142}\x{107} g\x{119}\x{15b}l\x{105} ja\x{17a}\x{144}, " x 3
        . join(' ', map { "s\x{142}owo$_" } 1 .. 30),
    russian => join(' ', map { "\x{41f}\x{440}\x{438}\x{432}\x{435}\x{442}$_, \x{43c}\x{438}\x{440}" } 1 .. 20),
    japanese => "\x{65e5}\x{672c}\x{8a9e}\x{306e}\x{6587}\x{7ae0}\x{3001}\x{30ab}\x{30bf}\x{30ab}\x{30ca}\x{30fb}\x{8868}\x{793a}"
        . "\x{3002}Apache 2.4\x{3067}\x{3059}httpd\x{3002}\x{3005}\x{3007}\x{ff76}\x{ff85}\x{ff01}",
    thai => "\x{e20}\x{e32}\x{e29}\x{e32}\x{e44}\x{e17}\x{e22}\x{e40}\x{e02}\x{e35}\x{e22}\x{e19}\x{e15}\x{e34}\x{e14}\x{e01}\x{e31}\x{e19}",
    hindi => join(' ', map { "\x{928}\x{92e}\x{938}\x{94d}\x{924}\x{947}$_\x{964}" } 1 .. 20),
    arabic => join(' ', map { "\x{645}\x{631}\x{62d}\x{628}\x{627}$_\x{60c}" } 1 .. 20),
    korean => join(' ', map { "\x{d55c}\x{ad6d}\x{c5b4}$_" } 1 .. 20),
    signs => join(' ', map { my $c = $_; map { "w" . chr($c + $_) } 0 .. 15 } 0x80, 0xa0, 0xb0, 0xd0, 0xf0, 0x2010, 0x20a0,
        0x2100, 0x2190, 0x3000, 0x3020, 0x30f0, 0xfe10, 0xfef0, 0xff00, 0xff10, 0xff30, 0xff60, 0xff90, 0xffe0, 0x1f600, 0x20000),
    # longer than the buffer of a sketch, with words longer than the buffer
    long => join(' ', map { ('x' x ($_ * 7 % 3000)) . $_ } 1 .. 400),
    repeated => 'one and the same sentence again and again, ' x 50,
    # with the five words of every page: as many words as a fingerprint needs, and one fewer
    least => join(' ', map { "w$_" } 1 .. 11),
    few => join(' ', map { "w$_" } 1 .. 10),
    mark => "\x{feff}" . join("\x{feff} ", map { "v\x{feff}$_" } 1 .. 20),
);
my @CHARSET = (
    (map { [$_, 'utf-8'] } sort keys %TEXT),
    ['polish', 'iso-8859-2'], ['polish', 'windows-1250'], ['russian', 'koi8-r'], ['russian', 'windows-1251'], ['korean', 'euc-kr'],
);

sub markup {
    my ($text, $charset) = @_;
    return "<!DOCTYPE html><meta charset=\"$charset\"><title>t</title><body><div><p>" . join(
        '</p><p>', split /(?<=[,;:]) /, $text) . '</p></div><div><p>A <b>cen</b>tre<br>line&nbsp;end<img src="x.png">more</p></div>';
}

for (@CHARSET) {
    my ($name, $charset) = @$_;
    spit("pages/$name-$charset.html", encode($charset, markup($TEXT{$name}, $charset)));
}
# declined: no fingerprint
spit('pages/utf16.html', "\xff\xfe" . encode('UTF-16LE', markup($TEXT{english}, 'utf-16')));
my @pages = sort glob 'pages/*.html';

for my $mode (qw(text blocks fingerprint)) {
    # a declined page has no text
    is system("$tool clean --mode $mode --site s --keep div --out $mode @pages >/dev/null") >> 8, $mode eq 'text' ? 1 : 0, "--mode $mode";
}
my @names = map { m{/(.*)\.html} } @pages;
open my $list, '>', 'list' or die $!;
print $list "text/$_.txt\n" for @names;
close $list or die $!;
my @document = split /\n/, `/usr/bin/python3 document.py <list`;
is $?, 0, 'the program runs';

my @vectors = sort keys %vector;
open my $computed, '-|', '/usr/bin/python3', 'vectors.py', $shingle, @vectors or die $!;
is_deeply [map { s/\n//r } <$computed>], [$its_hash, @vector{@vectors}], 'the program computes the test vectors';
my @texts = grep { length decode('UTF-8', $_) > 16 } @vectors;
cmp_ok scalar @texts, '>=', 3, 'some of them are texts';
for my $i (0 .. $#texts) {
    spit("vector$i.html", "<!DOCTYPE html><meta charset=utf-8><p>$texts[$i]");
    is qx($tool clean --mode fingerprint --site s vector$i.html), "$vector{$texts[$i]}  vector$i.html\n", "tmplctl, too: text $i";
}

my %print;
for my $i (0 .. $#names) {
    my $name = $names[$i];
    my $expected = $name eq 'utf16' || $document[$i] eq 'None' ? undef : $document[$i];
    my $json = decode_json(slurp("blocks/$name.json"));
    is $json->{fingerprint}, $expected, "$name: the document's is tmplctl's" or next;
    is slurp("fingerprint/$name.txt"), ($expected // '-') . "  pages/$name.html\n", "$name: as a line";
    $print{$name} = $expected;
}
is $print{"$_->[0]-$_->[1]"}, $print{"$_->[0]-utf-8"}, "$_->[0]: $_->[1] is as UTF-8" for @CHARSET;
ok defined $print{'english-utf-8'} && defined $print{'japanese-utf-8'}, 'there are fingerprints';
ok defined $print{'least-utf-8'}, 'of 16 words too';
ok !defined $print{$_}, "none for $_" for qw(utf16 few-utf-8);

sub distance {
    my ($one, $other) = @_;
    return scalar grep { $_ } split //, unpack 'b*', pack('H*', $one) ^ pack('H*', $other);
}
my @far = grep { distance($print{'english-utf-8'}, $print{$_}) <= 16 } grep { defined $print{$_} && !/english/ } @names;
is "@far", '', 'different texts are more than 16 bits apart';

done_testing;
