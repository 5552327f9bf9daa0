#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
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

my $crawl = "$root/examples/crawl";
my @hosts = qw(a.example b.example a.example.org);
my @shards = map { "shard$_.warc" } 1 .. 8;

sub record {
    my ($url, $html) = @_;
    my $http = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n$html";
    return "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: $url\r\nWARC-Date: 2026-01-01T00:00:00Z\r\n"
        . "WARC-Record-ID: <urn:x:$url>\r\nContent-Type: application/http; msgtype=response\r\n"
        . 'Content-Length: ' . length($http) . "\r\n\r\n$http\r\n\r\n";
}
for my $i (0 .. $#shards) {
    spew($shards[$i], join '', map { my $p = $_; map { record("http://$_/$p", page($p, "<p>$_ says $p.</p>")) } @hosts } 4 * $i .. 4 * $i + 3);
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
mkdir 'mr';
my %pairs;
for my $shard (reverse @shards) {
    push @{ $pairs{ /^a\.example\t/ ? 1 : 0 } }, $_ for split /^/, `echo $shard | $crawl/mapper`;
}
spew("pairs$_", join '', @{ $pairs{$_} }) for 0, 1;
my @stores = map { `WORK=$dir/mr TASK_PARTITION=$_ $crawl/reducer <pairs$_` =~ s/\n//r } 0, 1, 1;
is(in_work('mr', "$crawl/merge", map { "'$_'" } @stores[0, 1]), 0, 'mappers and reducers') or diag slurp('mr.log');
in_work('mr', "$crawl/judge", $_) for @shards;
is(texts('mr'), $whole, 'the same texts');

done_testing;
