#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# tmplctl clean --mirror: the tree that wget -r leaves, with an index.html in every directory.
use strict;
use warnings;

use File::Path qw(make_path);
use FindBin;
use JSON::PP;
use Test::More;

use lib "$FindBin::Bin/../lib", "$FindBin::Bin/../../t/lib";
use Tmplctl;

my %mirror = ('index.html' => 1, 'news/index.html' => 2, 'news/2024/index.html' => 3, 'about' => 4, 'about.html' => 5, 'list?page=2' => 6,
    'a b.htm' => 7, 'x.xhtml' => 8);
make_path('www.example.org/news/2024', 'www.example.org/css');
spew("www.example.org/$_", page($mirror{$_})) for keys %mirror;
spew('www.example.org/about', "\xef\xbb\xbf\n<!-- x -->\n<!-- y --> " . page(4));
spew('www.example.org/robots.txt', "User-agent: *\n");
spew('www.example.org/css/a.css', 'p { color: red }');
spew('www.example.org/tiny', '');
sub mirrored { my ($mode, $out, @rest) = @_; return run('clean', '--mode', $mode, '--site', 's', '--out', $out, '--mirror', @rest) }
sub tree {
    my ($dir) = @_;
    return join ' ', sort map { s{^\Q$dir\E/}{}r } grep { -f } map { glob "'$_'/{,.}*" } $dir, glob("'$dir'/*"), glob("'$dir'/*/*");
}

my ($code, $out, $err) = mirrored('strip', 'out', 'www.example.org', '-2');
is($code, 0, 'exit code') or diag $err;
like($out, qr/^8 pages: 8 edited, 0 declined; 0 failed/, 'all pages');
is($err, '', 'no message');
is(tree('out'), join(' ', sort keys %mirror), 'strip keeps the tree and the names');
for my $name (sort keys %mirror) {
    my $html = slurp("out/$name");
    like($html, qr/<h1>Title $mirror{$name}</, "$name: its page");
    unlike($html, qr/Copyright/, "$name: is stripped");
}

($code, $out, $err) = mirrored('text', 'text', 'www.example.org/', '-2');
is($code, 0, 'text') or diag $err;
is(tree('text'), join(' ', sort 'index.txt', 'news/index.txt', 'news/2024/index.txt', 'about.txt', 'about.html.txt', 'list?page=2.txt', 'a b.txt', 'x.txt'),
    'names of texts; of two with one name the second keeps its whole name');
like(slurp('text/about.txt'), qr/^Title 4 /, 'the first');
like(slurp('text/about.html.txt'), qr/^Title 5 /, 'the second');

my %address = ('index' => '/', 'news/index' => '/news/', 'news/2024/index' => '/news/2024/', 'about' => '/about', 'about.html' => '/about.html',
    'list?page=2' => '/list?page=2', 'a b' => '/a%20b.htm', 'x' => '/x.xhtml');
mirrored('blocks', 'json', 'www.example.org', '-j', 3);
mirrored('fingerprint', 'prints', 'www.example.org');
like((run(qw(clean -m keys --site s --mirror www.example.org)))[1], qr/\A(?:s\t\S+\t\S+\t1\t\S+\t\S+\n){${\scalar keys %mirror}}\z/, 'keys of a mirror, without --out');
for my $name (sort keys %address) {
    my $page = decode_json(slurp("json/$name.json"));
    is($page->{address}, $address{$name}, "$name: its address");
    like($page->{file}, qr{^www\.example\.org/}, "$name: its file");
    like(slurp("prints/$name.txt"), qr/^[0-9a-f]{16}  \Q$address{$name}\E\n\z/, "$name: in the line of its fingerprint");
}

# Documents are counted by address, as a proxy counts them: the canonical one, if the page names it.
spew("canonical$_.html", page(1) =~ s/<title>/<link rel=canonical href="\/one"><title>/r =~ s/Story/Story $_ of so many/r) for 1 .. 3;
make_path('canonical');
rename "canonical$_.html", "canonical/$_.html" for 1 .. 3;
run(qw(clean --mode text --site c --out out2 --store lmdb:db --mirror canonical));
is((split ' ', (run(qw(stats --store lmdb:db c)))[1])[9], 1, 'three addresses of one page are one document');

# Outputs below the mirror are no pages of it.
make_path('inside');
spew("inside/$_.html", page($_)) for 1 .. 6;
for my $time (1, 2) {
    ($code, $out) = mirrored('strip', 'inside/clean', 'inside');
    like($out, qr/^6 pages: /, "outputs below the mirror, time $time");
}
($code, $out, $err) = mirrored('strip', 'inside', 'inside');
is($code, 2, 'outputs over the mirror');
like($err, qr{would overwrite the input inside/1\.html: choose another --out DIR}, 'the message');

# A file where a directory must be made.
spew('blocked', '') if !-e 'blocked';
make_path('taken');
spew('taken/news', 'x');
($code, $out, $err) = mirrored('strip', 'taken', 'www.example.org');
is($code, 1, 'a file stands where a directory must be: exit code');
like($err, qr{^tmplctl: www\.example\.org/news/index\.html: cannot write taken/news/index\.html: cannot make its directory: }m, 'the message');
like($out, qr/^6 pages: .* 2 failed/, 'the other pages are written');

make_path('nothing/here');
spew('nothing/here/a.css', 'p { }');
usage_is(['clean', qw(--mode strip --site s --out never --mirror nothing)],
    qr/^tmplctl: clean: nothing: no pages in this directory: no \.html, \.htm, \.shtml or \.xhtml, and no file that begins like HTML$/m, 'no pages');
usage_is(['clean', qw(--mode strip --site s --out never --mirror missing)], qr/^tmplctl: clean: missing: No such file or directory$/m, 'no mirror');
usage_is(['clean', qw(--mode strip --site s --out never --mirror), $pages[0]], qr/clean: \Q$pages[0]\E: no pages in this directory/, 'a file');
usage_is(['clean', qw(--mode strip --site s --out never --mirror www.example.org), @$_],
    qr/^tmplctl: clean: --mirror takes all pages of www\.example\.org: name no FILE and no LIST beside it$/m, "a mirror and @$_")
    for [$pages[0]], ['--files-from', 'list'];
ok(!-e 'never', 'nothing was written');

done_testing;
