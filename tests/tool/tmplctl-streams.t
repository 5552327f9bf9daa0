#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# tmplctl's surroundings: streams that are closed or full, names of any bytes, special files, signals, terminals.
use strict;
use warnings;

use FindBin;
use IPC::Open3;
use JSON::PP;
use POSIX ();
use Symbol qw(gensym);
use Test::More;

use lib "$FindBin::Bin/../lib", "$FindBin::Bin/../../t/lib";
use Tmplctl;
use Test::Tmpl::Process qw(spawn wait_for);

# Where standard output or error is closed, the next file that is opened would get its number.
subtest 'closed streams' => sub {
    my @args = (qw(clean --mode strip --detector incremental --secret streams --site s --out closed --store));
    my ($code, $out, $err) = redirected('2>&-', @args, 'lmdb:closed1', 'missing.html', @pages);
    is($code, 1, 'standard error: exit code');
    like($out, qr/^12 pages: 8 edited, 0 declined; 1 failed;/, 'standard error: the summary');
    is_deeply([grep { slurp($_) =~ /missing/ } glob 'closed1/*'], [], 'standard error: no message in the store');
    redirected('', @args, 'lmdb:closed2', @pages);
    # each store has a secret of its own, which --secret replaces for the keys
    my $table_of = sub { (run(qw(export --store), $_[0], 's'))[1] =~ s/, "secret": "\w+"//r };
    my $table = $table_of->('lmdb:closed2');
    is($table_of->('lmdb:closed1'), $table, 'standard error: the same table');
    for my $command (['export', 's'], ['stats']) {
        ($code, $out, $err) = redirected('>&-', @$command, '--store', 'lmdb:closed1');
        is($code, 1, "standard output, $command->[0]: exit code");
        like($err, qr/standard output: (?:Bad file descriptor|cannot write)$/, 'the message');
    }
    ($code, $out, $err) = redirected('<&-', qw(import --store lmdb:closed1 s));
    is($code, 1, 'standard input, import: exit code');
    is($err, "tmplctl: import: s: standard input: Bad file descriptor\n", 'the message');
    ($code, $out, $err) = redirected('<&-', @args, 'lmdb:closed1', '--files-from', '-');
    is($code, 2, 'standard input, a list of files: exit code');
    like($err, qr/^tmplctl: \(standard input\):.* Bad file descriptor$/, 'the message');
    is($table_of->('lmdb:closed1'), $table, 'and the store is unchanged');
};

subtest 'standard output is full' => sub {
    plan skip_all => 'no /dev/full' if !-c '/dev/full';
    my @args = (qw(--detector incremental --site s --store lmdb:closed1));
    for my $command (['--help'], ['clean', '--help'], ['explain', @args, $pages[0]], ['stats', @args[4, 5]], ['export', @args[4, 5], 's'],
        ['clean', qw(--mode text --out full), @args, @pages]) {
        my ($code, undef, $err) = redirected('>/dev/full', @$command);
        is($code, 1, "$command->[0]: exit code");
        like($err, qr/^tmplctl: .*standard output: .+\n\z/, "$command->[0]: the message");
    }
    is(names('full') =~ tr/ //, $n - 1, 'pages are written without the summary');
};

subtest 'control characters in names' => sub {
    my $name = "new\nline\e[31m\\";
    spew("$name.html", page(1));
    my ($code, $out, $err) = clean('fingerprint', 'control', "$name.html", "none\n\x7f\xc2\x9b\xc3\xa9");
    is($code, 1, 'exit code');
    is($err, "tmplctl: none\\x0a\\x7f\\xc2\\x9b\xc3\xa9: No such file or directory\n", 'a message is one line without control characters');
    like(slurp("control/$name.txt"), qr/^\\[0-9a-f]{16}  new\\nline\e\[31m\\\\\.html\n\z/, 'a fingerprint\'s line, as sha256sum writes it');
    clean('blocks', 'control', "$name.html");
    is(decode_json(slurp("control/$name.json"))->{file}, "$name.html", 'JSON');
    run(qw(clean --mode text --out control --store lmdb:control), '--site', $name, "$name.html");
    ($code, $out) = run(qw(stats --store lmdb:control));
    like($out, qr/\A.*\nnew\\x0aline\\x1b\[31m\\ +1 .*\n\z/, 'a row of stats');
    ($code) = run(qw(forget --store lmdb:control), $name);
    is($code, 0, 'other commands take the name itself');
};

subtest 'columns' => sub {
    my ($code, $out) = run('--help');
    my %at = map { /^(  \w+ +(?:[[A-Z]\S+ +)?)[a-z]/ ? (length $1 => 1) : () } split /\n/, $out;
    is(scalar keys %at, 1, 'summaries of commands begin in one column') or diag $out;
    run(qw(clean --mode text --out columns --store lmdb:columns), '--site', $_, $pages[0])
        for "m\xc3\xbcnchen.example", "bytes\xff.example", 'plain.example';
    ($code, $out) = run(qw(stats --store lmdb:columns));
    %at = map { /^(\S+ +\S+)/ ? (length($1 =~ s/\xc3\xbc/u/r) => 1) : () } split /\n/, $out;
    is(scalar keys %at, 1, 'figures are aligned, whatever characters a name has') or diag $out;
};

subtest 'special files are not replaced' => sub {
    mkdir 'special';
    POSIX::mkfifo('special/p01.html', 0600) or die $!;
    symlink 'p01.html', 'special/p02.html' or die $!;
    my ($code, $out, $err) = clean('strip', 'special', @pages[0 .. 2]);
    is($code, 1, 'exit code');
    like($out, qr/^1 page: .* 2 failed;/, 'the summary');
    is($err, join('', map { "tmplctl: $_: cannot write " . s/pages/special/r . ": it exists and is not a regular file\n" } @pages[0, 1]), 'the messages');
    ok(-p 'special/p01.html' && -l 'special/p02.html', 'they are unchanged');
};

# A command that waits for input has nothing to finish.
subtest 'signals while input is awaited' => sub {
    for my $args ([qw(import --store lmdb:closed1 s)], [clean_args('strip', 'never'), '--files-from', '-'], [clean_args('strip', 'never'), '-']) {
        pipe my $in, my $out or die $!;
        my $pid = spawn($args->[0], sub { open STDIN, '<&', $in; close $out; exec $tool, @$args });
        syswrite $out, '{';
        close $in;
        # FIONREAD: bytes not yet read
        ok(wait_for { my $left = pack 'i', 1; ioctl($out, 0x541B, $left) && unpack('i', $left) == 0 }, "$args->[0]: it reads");
        kill 'INT', $pid;
        ok(wait_for { waitpid($pid, POSIX::WNOHANG()) == $pid }, "$args->[0]: it ends");
        is($? & 127, POSIX::SIGINT(), "$args->[0]: by the signal");
    }
};

subtest 'signals' => sub {
    many();
    for my $signal (qw(INT TERM)) {
        my ($out, $said, $tries);
        # a run may end before its signal comes: then try another
        do {
            $out = "many-$signal-" . ++$tries;
            my $pid = open3(my $in, my $o, my $e = gensym, $tool, clean_args('strip', $out), '-2', '-j',
                { INT => 1, TERM => 4 }->{$signal}, map { "many/$_.html" } 1 .. 3000);
            ok(wait_for { -d $out }, "$signal: it has begun");
            kill $signal, $pid;
            $said = do { local $/; <$e> };
            waitpid $pid, 0;
        } until $? & 127 || $tries == 30;
        is($? & 127, { INT => 2, TERM => 15 }->{$signal}, "$signal: the signal ends it");
        like($said, qr/interrupted: \d+ of 3000/, "$signal: it prints how far it came");
        opendir(my $d, $out) or die $!;
        is(scalar(grep { /^\.tmplctl/ } readdir $d), 0, "$signal: no temporary file is left");
    }
};

SKIP: {
    my ($script) = grep { -x } map { "$_/script" } split /:/, $ENV{PATH};
    skip 'no script(1) for a terminal', 1 unless defined $script;
    my $probe = `LC_ALL=C $script -qec true /dev/null </dev/null 2>&1`;
    skip "no terminal: $1", 1 if $probe =~ /(failed to create pseudo-terminal.*)/;
    subtest 'on a terminal' => sub {
        my $command = join ' ', $tool, clean_args('strip', 'tty'), qw(--detector incremental), @pages, 'missing.html';
        my $out = `$script -qec "$command" /dev/null </dev/null 2>&1`;
        like($out, qr/\A\r\e\[K\e\[\?7lcleaning: 1\/13\e\[\?7h/, 'a line of progress');
        like($out, qr/\e\[Ktmplctl: missing\.html/, 'is erased for messages');
        like($out, qr/^12 pages: 8 edited/m, 'and gone before the summary');
        run(clean_args('strip', 'tty'), qw(--store lmdb:tty-store), @pages);
        my $sites = (run(qw(export --store lmdb:tty-store --all)))[1];
        spew('tty.jsonl', $sites);
        spew('tty.keys', (run(qw(clean -m keys --secret x --site s), $pages[0]))[1]);
        my %shows = (
            'export --store lmdb:tty-store --all >tty.out' => 'exporting: 0/1 sites',
            'import --store lmdb:tty-store2 <tty.jsonl' => 'importing: 0 sites',
            'check --store lmdb:tty-store' => 'reading lmdb:tty-store',
            'merge --secret x --store lmdb:tty-store3 tty.keys' => 'merging: 0 sites, 1 lines',
            'warm --store lmdb:tty-store4 http://127.0.0.1:9/' => 'loading: robots.txt of 127.0.0.1',
        );
        for my $args (sort keys %shows) {
            my $shown = `$script -qec "$tool $args" /dev/null </dev/null 2>&1`;
            like($shown, qr/\A(?:tmplctl: .* is a new store.*\n)?\r\e\[K\e\[\?7l\Q$shows{$args}\E\e\[\?7h.*\r\e\[K/s, "$args: progress, and it goes");
            unlike(`$tool $args 2>&1 >/dev/null </dev/null`, qr/\Q$shows{$args}\E/, 'which a file does not get') if $args !~ /import/;
        }
    };
}

done_testing();
