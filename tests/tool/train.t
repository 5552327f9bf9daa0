#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# tmplctl train, on a site that this test writes itself.
use strict;
use warnings;
use File::Temp qw(tempdir);
use POSIX qw(mkfifo);
use Test::More;

my $tmplctl = $ENV{TMPLCTL} // 'build/tmplctl';
plan skip_all => "there is no $tmplctl: run make first" unless -x $tmplctl;
my $dir = tempdir(CLEANUP => 1);

sub run {
    my $out = qx($tmplctl train @_ 2>&1);
    return ($? >> 8, $out);
}

sub slurp {
    open my $in, '<', $_[0] or return '';
    local $/;
    return scalar <$in>;
}

mkdir "$dir/site";
mkdir "$dir/site/below";
for my $n (1 .. 8) {
    open my $page, '>', "$dir/site/" . ($n > 4 ? 'below/' : '') . "$n.html" or die;
    print $page '<ul><li><a href=/a>Home</a><li><a href=/b>News</a><li><a href=/c>About us</a></ul>';
    print $page "<main><p>Page $n of words, $n times, which no other page has.<p>More, $n.</main>";
    close $page;
}
mkdir "$dir/empty";

my ($code, $out) = run('--out', "$dir/a", "$dir/site");
is($code, 0, 'a site is learnt') or diag($out);
like($out, qr/^1 site, 8 pages, \d+ nodes; 0 declined, 0 failed$/m, 'pages at any depth');
my $model = slurp("$dir/a");
like($model, qr/^tmpl-pagelevel 2\n# tmplctl train: 1 sites, 8 pages, .*\n# site \Q$dir\E\/site\n/,
    'the model names its source');
like($model, qr/^class 0 nodes 40 template 32 /m, 'text on all pages is template, other text is not');
run('-o', "$dir/b", "$dir/site");
is(slurp("$dir/b"), $model, 'equal input, equal model');

run('--pages', 4, '--out', "$dir/c", "$dir/site");
like(slurp("$dir/c"), qr/1 sites, 4 pages, /, '--pages');

for my $case (
    [1, qr/^tmplctl: train: \Q$dir\E\/empty: no pages in this directory: /m, '--out', "$dir/x", "$dir/empty"],
    [1, qr/cannot write \Q$dir\E\/none\/x: No such/,           '--out', "$dir/none/x", "$dir/site"],
    [1, qr/^tmplctl: train: cannot write \Q$dir\E\/none\/x: No such file or directory\n\z/, '--out', "$dir/none/x", "$dir/empty"],
    [2, qr/--out MODEL is missing/,           "$dir/site"],
    [2, qr/SITE_DIR\.\.\. is missing/,        '--out', "$dir/x"],
) {
    my ($want, $says, @args) = @$case;
    my ($got, $text) = run(@args);
    ok($got == $want && $text =~ $says, "refused: $says") or diag("$got: $text");
}
ok(!-e "$dir/x", 'a refused run writes nothing');

mkfifo("$dir/fifo", 0600) or die $!;
($code, $out) = run('--out', "$dir/fifo", "$dir/site");
is("$code $out", "1 tmplctl: train: cannot write $dir/fifo: it exists and is not a regular file\n", 'the model would replace a FIFO');
ok(-p "$dir/fifo", 'the FIFO is unchanged');
done_testing();
