#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# examples/archive/files: responses become files whose links lead to each other.
#
# examples/crawl: eight shards are learnt and judged apart, by GNU parallel, by a Slurm array (here with a stub of
# sbatch, which runs the jobs of an array one after the other) and by a mapper and reducers. The texts are those of one
# machine, also if a worker is killed.
use strict;
use warnings;

use FindBin;
use IO::Uncompress::Gunzip qw(gunzip);
use Test::More;

use lib "$FindBin::Bin/../lib", "$FindBin::Bin/../../t/lib";
use Tmplctl;
use Warc;

my $crawl = "$root/examples/crawl";
my @hosts = qw(a.example b.example a.example.org);
my @shards = map { "shard$_.warc" } 1 .. 8;

for my $i (0 .. $#shards) {
    spew($shards[$i], join '', map { my $p = $_; map { response("http://$_/$p", http(page($p, "<p>$_ says $p.</p>"), 'Content-Type' => 'text/html')) } @hosts } 4 * $i .. 4 * $i + 3);
}

# tmplctl dies of SIGKILL at its first shard 3.
mkdir 'bin';
spew('bin/tmplctl', "#!/bin/sh\ncase \"\$*\" in *shard3*) [ -e '$dir/killed' ] || { touch '$dir/killed'; kill -9 \$\$; } ;; esac\nexec '$tool' \"\$@\"\n");
spew('bin/sbatch', <<'END');
#!/bin/bash
# a stub of Slurm's sbatch: runs the jobs at once; a job that was killed is queued again
while [ $# -gt 0 ]; do
    case $1 in --array=*) array=${1#--array=} ;; --wrap) run=$2; shift ;; esac
    shift
done
for id in $(seq ${array/-/ }); do
    for try in 1 2 3; do SLURM_ARRAY_TASK_ID=$id sh -c "$run" >&2 && break; done
done
[ "$array" ] || sh -c "$run" >&2
echo 7
END
chmod 0755, 'bin/tmplctl', 'bin/sbatch';
$ENV{PATH} = "$dir/bin:$ENV{PATH}";
$ENV{SECRET} = 'hush';

# The texts of all shards, without what differs in each run.
sub texts {
    my ($work) = @_;
    return join '', map {
        gunzip($_ => \my $text, MultiStream => 1) or die $_;
        $text =~ s/^(?:WARC-(?:Record-ID|Date|Filename|Refers-To).*|Content-Length.*)$//mgr;
    } sort glob "$work/text/*.gz";
}
sub in_work { my ($work, @command) = @_; return system "WORK=$dir/$work @command >$work.log 2>&1" }

spew('killed', '');
run(qw(merge --secret hush --freeze -o lmdb:one), do { spew('keys', join '', sort split /^/, (run(qw(warc -m keys --secret hush), @shards))[1]); 'keys' });
mkdir "one.d"; mkdir "one.d/text";
run(qw(warc -m text --secret hush --store lmdb:one --frozen -o), "one.d/text/" . s/\.warc$//r . '.warc.text.warc.gz', $_) for @shards;
my $whole = texts('one.d');
like($whole, qr/a\.example says 31\./, 'content');
unlike($whole, qr/About this site/, 'and no template');

SKIP: {
    skip 'no GNU parallel', 2 if system('parallel --version >/dev/null 2>&1');
    unlink 'killed';
    is(in_work('par', "$crawl/with-parallel", @shards), 0, 'GNU parallel') or diag slurp('par.log');
    ok(-e 'killed', 'a worker was killed');
    is(texts('par'), $whole, 'the same texts');
}
unlink 'killed';
is(in_work('sl', "$crawl/with-slurm", @shards), 0, 'a Slurm array, by a stub') or diag slurp('sl.log');
ok(-e 'killed', 'a worker was killed');
is(texts('sl'), $whole, 'the same texts');

# A mapper for each shard; the pairs go to two reducers by their hosts, in any order.
my %pairs;
for my $shard (reverse @shards) {
    push @{ $pairs{ /^a\.example\t/ ? 1 : 0 } }, $_ for split /^/, `echo $shard | $crawl/mapper`;
}
spew("pairs$_", join '', @{ $pairs{$_} }) for 0, 1;
is(in_work('mr', "TASK_PARTITION=$_ $crawl/reducer <pairs$_"), 0, "reducer $_") or diag slurp('mr.log') for 0, 1, 1;
is(in_work('mr', "$crawl/merge"), 0, 'mappers and reducers') or diag slurp('mr.log');
in_work('mr', "$crawl/judge", $_) for @shards;
is(texts('mr'), $whole, 'the same texts');

# What becomes of a page's body, with other responses beside it.
sub file_with {
    my ($body, %fields) = @_;
    my @responses = (
        response('https://a.example/dir/page?x=1', http($body, 'Content-Type' => 'text/html', %fields)),
        response('https://a.example/', http('<p>Home', 'Content-Type' => 'text/html; charset=utf-8')),
        response('https://a.example/old', http('', Location => '/older', status => '301 Moved')),
        response('https://a.example/older', http('', Location => 'http://a.example', status => '302 Found')),
        response('https://a.example/p.png', http('PNG', 'Content-Type' => 'image/png')),
        response('https://b.example/p', http('PNG', 'Content-Type' => 'image/png')),
        response('https://a.example/look.php?v=2', http('@import "a.css"; p { background: url(p.png) }', 'Content-Type' => 'text/css')),
        response('https://../../up', http('up', 'Content-Type' => 'text/plain')),
        record('revisit', '', 'WARC-Target-URI' => 'https://a.example/same.png', 'WARC-Refers-To-Target-URI' => 'https://a.example/p.png'),
        response('https://a.example/none', http('not here', status => '404 Not Found')),
    );
    spew('files.warc.gz', join '', map { gz($_) } @responses);
    system('rm', '-rf', 'files');
    is(system("$root/examples/archive/files", 'files', 'files.warc.gz'), 0, 'files');
    return slurp('files/a.example/dir/page@x=1.html');
}
SKIP: {
    skip 'no python3-lxml', 1 if system('/usr/bin/python3 -c "import lxml" 2>bin/said') != 0;
    my %becomes = (
        '/p.png' => '../p.png', '//b.example/p#x' => '../../b.example/p.png#x', '?x=1' => 'page%40x%3D1.html', '/old' => '../index.html',
        '/same.png' => '../p.png', '/none' => 'https://a.example/none', '#x' => '#x', 'mailto:a@b' => 'mailto:a@b', 'http://[' => 'http://%5B',
    );
    my @links = sort keys %becomes;
    my $page = file_with(join '', map { "<a href='$_'>x</a>" } @links);
    is_deeply([$page =~ /href="([^"]*)"/g], [@becomes{@links}], 'links');
    like(file_with('<img srcset="/p.png 1x, //b.example/p 2x" data-src=/p.png integrity=x>'), qr{<img srcset="\.\./p\.png 1x, \.\./\.\./b\.example/p\.png 2x" data-src="\.\./p\.png">}, 'pictures');
    like(file_with('<base href=/><a href=p.png style="background: url(p.png)">x</a>'), qr{<a href="\.\./p\.png" style="background: url\(\.\./p\.png\)">}, 'a base, and styles');
    like(file_with(gz('<p>gzip'), 'Content-Encoding' => 'gzip'), qr/<p>gzip/, 'gzip');
    like(file_with("4\r\n<p>c\r\n6\r\nhunked\r\n0\r\n\r\n", 'Transfer-Encoding' => 'chunked'), qr/<p>chunked/, 'chunks');
    like(file_with('<p>decoded', 'Transfer-Encoding' => 'chunked', 'Content-Encoding' => 'gzip'), qr/<p>decoded/, 'fields of a body that is decoded');
    like(file_with("<p>\xe4", 'Content-Type' => 'text/html; charset=iso-8859-1'), qr/<p>\xc3\xa4/, 'a charset');
    is(slurp('files/a.example/look.php@v=2.css'), '@import "https://a.example/a.css"; p { background: url(p.png) }', 'a file of styles');
    is(join(' ', sort grep { -f } map { glob "$_/*" } glob 'files files/*'),
        'files/a.example/index.html files/a.example/look.php@v=2.css files/a.example/p.png files/b.example/p.png files/up.txt', 'all files, none elsewhere');
    # what nobody can write, read or resolve costs itself only
    my %type = ('Content-Type' => 'text/html');
    spew('odd.warc.gz', join '', map { gz($_) } (map { response($_, http('<p>x', %type)) } 'http://a.example/a%00b', 'http://a[b/x', 'http://a.example/%2e%2e/%2e%2e/up', 'http://a.example/q?/../../up'),
        response('http://a.example/moved', http('', Location => 'http://[bad', status => '301 Moved')), response('http://a.example/base', http('<base href="http://[">', %type)),
        response('http://a.example/damaged', http("\x1f\x8b\x08" . 'x' x 50, %type)), response('http://a.example/set', http("<img srcset='a\1b 1x'>", %type)),
        response('http://a.example/last', http('<p>last', %type)));
    is(system("$root/examples/archive/files odd odd.warc.gz 2>odd.err"), 0, 'odd responses');
    is(join(' ', sort grep { -f } map { glob "$_/*" } glob 'odd odd/*'), 'odd/a.example/last.html odd/a.example/q@_.._.._up.html odd/up.html', 'the others are files');
    is(join(' ', slurp('odd.err') =~ /^files: (\S+): /mg), 'http://a[b/x http://a.example/moved http://a.example/a%00b http://a.example/base http://a.example/set', 'these are named');
}

done_testing;
