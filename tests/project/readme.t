#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# README.md and docs/directives.md agree with the code: the members of the Tmpl field are those of
# mod_tmpl/headers.c, and the make commands are targets of the Makefiles. make help lists every target. A
# target that measures pages does nothing without pages. Figures are those of docs/measurements.md. What
# links name is installed.
use strict;
use warnings;

use Cwd qw(abs_path);
use File::Basename qw(dirname);
use File::Temp qw(tempdir);
use Test::More;

my $root = abs_path(dirname(__FILE__) . '/../..');

sub slurp {
    my ($name) = @_;
    open my $f, '<:encoding(UTF-8)', "$root/$name" or BAIL_OUT("$name: $!");
    local $/;
    return scalar <$f>;
}

my $readme = slurp('README.md');
my $directives = slurp('docs/directives.md');

# The rows of the table whose first line starts with $head, as lists of cells without backticks.
sub table {
    my ($head) = @_;
    my ($table) = $directives =~ /^\| *\Q$head\E *\|.*\n\|[-| ]+\|\n((?:\|.*\n)+)/m;
    return map { [map { s/`|^ +| +$//gr } grep { length } split /\|/] } split /\n/, $table // '';
}

# tests/project/settings.t compares the table of directives.
subtest 'directives' => sub {
    like($directives, qr/valid in the server/, 'docs/directives.md says where directives are valid');
    like(slurp('mod_tmpl/config.c'), qr/TMPL_CONTEXT \(RSRC_CONF \| ACCESS_CONF\)/, 'mod_tmpl/config.c allows them there');
};

subtest 'the Tmpl field' => sub {
    my ($code) = slurp('mod_tmpl/headers.c') =~ /^static void say_judged(.*?)^static void note_share/ms;
    $code =~ s/%s(?=\w)/ /g;
    my @parts = ($code // '') =~ /(\w+)=[%?i\\(@]/g;
    ok(@parts > 0, 'headers.c has parts');
    is_deeply([sort map { $_->[0] } table('Part')], [sort @parts], 'docs/directives.md explains each part');
};

subtest 'commands' => sub {
    my %target = map { $_ => 1 } map { split } map { slurp($_) =~ s/\\\n//gr =~ /^\.PHONY: *(.*)$/mg } qw(Makefile make/packages.mk tests/Makefile bench/Makefile);
    my %called = map { $_ => 1 } $readme =~ /(?:`|^    |&& )make ([a-z0-9-]+)/mg;
    ok($called{$_}, "README has make $_") for qw(demo check install);
    ok($target{$_}, "make $_ is a target") for sort keys %called;
    my %helped = map { $_ => 1 } qx(make -s -C "$root" help) =~ /^  make ([a-z0-9-]+)/mg;
    # units is a part of check-units, release-checks of release-check
    ok($helped{$_}, "make help has $_") for grep { !/^(?:units|release-checks)$/ } sort keys %target;
};

subtest 'figures' => sub {
    my ($kept, $cut) = slurp('docs/measurements.md') =~ /^\| auto, dev \| (\.\d+) \| (\.\d+) \|/m;
    my ($says_kept, $says_cut) = $readme =~ /keeps ([\d.]+) % of the content, without comments, and cuts (\d+) % of the\s+template/;
    is($says_kept, sprintf('%.1f', 100 * $kept), "content kept is that of docs/measurements.md, $kept");
    is($says_cut, sprintf('%.0f', 100 * $cut), "template cut is that of docs/measurements.md, $cut");
};

# Only the last line of the recipe runs. No program is built, so without pages the line must end
# before it uses a program.
subtest 'without a corpus' => sub {
    my %needs = qx(make -s -C "$root" help) =~ /^  make ([a-z0-9-]+) .*?\b(CORPUS|SITE_DIR)=DIR(?!\])/mg;
    delete $needs{'auto-train'};    # fails without pages: it has to write a file
    cmp_ok(scalar(keys %needs), '>', 10, 'commands that measure pages');
    for my $target (sort keys %needs) {
        for my $case (
            ['', 0, "$target: skipped, no pages given: make $target $needs{$target}=DIR\n"],
            ['/no/such', 2, "$target: $needs{$target}: /no/such is not a directory\n"],
        ) {
            my ($value, $code, $says) = @$case;
            my $recipe = qx(make -n -s -C "$root" $target $needs{$target}=$value 2>&1);
            my ($line) = $recipe =~ /^(test -n .*)\z/ms;
            is(scalar(qx(($line) 2>&1)), $says, "make $target $needs{$target}=$value says why");
            is($? >> 8, $code, 'it fails only for a wrong directory');
        }
    }
};

# Nothing is built: the test installs empty files as the module and the tool.
subtest 'installed' => sub {
    my $dir = tempdir(CLEANUP => 1);
    my $make = qq(make -s -C "$root" -o counted-all BUILD="$dir/build" DESTDIR="$dir/to" PREFIX=/usr APXS=false MODULE_DIR=/modules);
    system qq(mkdir -p "$dir/build" && cd "$dir/build" && touch mod_tmpl.so tmplctl) and die;
    is(system("$make install >&2"), 0, 'make install');
    for my $text (map { substr $_, length $root } glob "$root/README.md $root/docs/*.md $root/docs/lab/*.md") {
        my $at = "$dir/to/usr/share/doc/mod_tmpl$text";
        for my $link (slurp(substr $text, 1) =~ /\]\(([^)#:]+)/g) {
            my $there = $link =~ m{([^/]+)\.([15])$} ? "$dir/to/usr/share/man/man$2/$1.$2" : dirname($at) . "/$link";
            ok(-e $at && -e $there, "$text: $link is installed");
        }
    }
    is(system("$make uninstall"), 0, 'make uninstall');
    is(qx(find "$dir/to" -type f), '', 'no file is left');
    ok(!-e "$dir/to/usr/share/doc/mod_tmpl", 'no directory of documents is left');
};

done_testing;
