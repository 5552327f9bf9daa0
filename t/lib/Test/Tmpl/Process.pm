# SPDX-License-Identifier: Apache-2.0
package Test::Tmpl::Process;

# The base of the harness: processes that end with the test, temporary directories, ports, and
# waiting for a condition instead of a fixed time.
#
# Every process started here has its own process group. It is ended by its id when the test ends,
# dies or is interrupted.

use strict;
use warnings;

use Exporter 'import';
use Fcntl qw(:flock);
use File::Path qw(make_path);
use File::Temp ();
use IO::Socket::INET;
use POSIX qw(:sys_wait_h);
use Time::HiRes qw(sleep time);

our @EXPORT_OK = qw(spawn end_process alive children wait_for free_port temp_dir slurp spit give_to_server
    server_user memory_of cpu_of);

my $owner = $$;
my %running;       # pid => name
my @port_locks;    # kept open: they hold the ports for this test

my $patience = $ENV{TMPL_TEST_PATIENCE} // 180;    # seconds; valgrind on a busy machine needs more

$SIG{PIPE} = 'IGNORE';
for my $signal (qw(INT TERM HUP)) {
    $SIG{$signal} = sub { exit 1 };
}
$SIG{ALRM} = sub { die "the test took too long\n" };

# Ends a test that hangs; a busy machine may need minutes. A test of many parts sets the limit anew for
# each part.
sub set_limit { return alarm($ENV{TMPL_TEST_LIMIT} // 900) }
set_limit();

# Calls the condition until it returns a true value, and returns this value; returns false after $seconds
# ($patience) seconds. It polls, because a condition is about other processes, their logs and sockets: no
# single event covers these.
sub wait_for(&;$) {
    my ($condition, $seconds) = @_;
    my $end = time() + ($seconds // $patience);
    while (1) {
        my $result = $condition->();
        return $result if $result;
        return $result if time() > $end;
        sleep 0.01;
    }
}

# Runs code in a new process (which may exec); returns its pid.
sub spawn {
    my ($name, $code) = @_;
    my $pid = fork() // die "fork: $!";
    if ($pid == 0) {
        setpgrp(0, 0);
        $SIG{$_} = 'DEFAULT' for qw(INT TERM HUP ALRM);
        alarm(0);
        eval { $code->(); 1 } or print STDERR "$name: $@";
        POSIX::_exit($@ ? 1 : 0);
    }
    setpgrp($pid, $pid);
    $running{$pid} = $name;
    return $pid;
}

# Whether a child of the test still runs.
sub alive {
    my ($pid) = @_;
    return 0 if !$running{$pid};
    return 1 if waitpid($pid, WNOHANG) == 0;
    delete $running{$pid};
    return 0;
}

# The pids of all running processes for which condition->($parent, $group) holds.
sub processes {
    my ($condition) = @_;
    my @pids;
    for my $stat (glob '/proc/[0-9]*/stat') {
        open my $in, '<', $stat or next;    # the process has just ended
        my ($pid, $state, $parent, $group, $threads) =
            (<$in> // '') =~ /^(\d+) \(.*\) (\S) (\d+) (\d+)(?: -?\d+){14} (\d+)/ or next;
        # the other threads of a killed process may hold its sockets a little longer than its first one
        push @pids, $pid if ($state ne 'Z' || $threads > 1) && $condition->($parent, $group);
    }
    return @pids;
}

sub children {
    my ($pid) = @_;
    return processes(sub { $_[0] == $pid });
}

# The memory of a process in bytes: field VmRSS, RssAnon or VmHWM of proc_pid_status(5).
sub memory_of {
    my ($pid, $field) = @_;
    my ($kb) = slurp("/proc/$pid/status") =~ /^\Q$field\E:\s+(\d+)/m or die "no $field in /proc/$pid/status\n";
    return $kb << 10;
}

# CPU seconds that processes have used.
sub cpu_of {
    my $ticks = 0;
    for my $pid (@_) {
        my @field = split ' ', slurp("/proc/$pid/stat") =~ s/^.*\) //r;
        $ticks += $field[11] + $field[12];
    }
    return $ticks / POSIX::sysconf(POSIX::_SC_CLK_TCK());
}

# Ends a process started with spawn and the rest of its group; returns when the process has ended.
sub end_process {
    my ($pid, $signal) = @_;
    return if !$running{$pid};
    kill $signal // 'TERM', $pid;
    kill 'CONT', $pid;
    wait_for { !alive($pid) }
        or do { kill 'KILL', $pid; waitpid $pid, 0; delete $running{$pid} };
    kill 'KILL', -$pid;
    wait_for { !processes(sub { $_[1] == $pid }) } if ($signal // '') eq 'KILL';
    return;
}

END {
    if ($$ == $owner) {
        my $status = $?;    # waitpid sets it
        alarm(0);
        local $SIG{INT} = local $SIG{TERM} = local $SIG{HUP} = 'IGNORE';
        end_process($_) for keys %running;
        $? = $status;
    }
}

# A port of 127.0.0.1 below the ephemeral range, which a file lock reserves for this test.
sub free_port {
    my $dir = File::Spec->tmpdir . "/tmpl-test-ports.$>";
    make_path($dir);
    for (1 .. 1000) {
        my $port = 10_000 + int rand 20_000;
        open my $lock, '>', "$dir/$port" or die "$dir/$port: $!";
        next if !flock $lock, LOCK_EX | LOCK_NB;
        my $probe = IO::Socket::INET->new(
            LocalAddr => '127.0.0.1', LocalPort => $port, Listen => 1, ReuseAddr => 1
        ) or next;
        close $probe;
        push @port_locks, $lock;
        return $port;
    }
    die "no free port\n";
}

# The user that httpd's children run as when the test runs as root; undef otherwise.
sub server_user {
    return undef if $> != 0;
    return (grep { defined getpwnam $_ } qw(www-data nobody))[0];
}

# A directory that is removed when the test ends. The server's user has search permission.
sub temp_dir {
    my $dir = File::Temp->newdir('tmpl-test-XXXXXX', TMPDIR => 1, CLEANUP => 1);
    chmod 0755, "$dir";
    return $dir;
}

# Makes the server's user the owner of a file or directory.
sub give_to_server {
    my ($path) = @_;
    my $user = server_user() or return $path;
    my (undef, undef, $uid, $gid) = getpwnam $user;
    chown $uid, $gid, $path or die "chown $path: $!";
    return $path;
}

sub slurp {
    my ($file) = @_;
    open my $in, '<:raw', $file or die "$file: $!";
    local $/;
    return scalar(<$in>) // '';
}

sub spit {
    my ($file, $text) = @_;
    open my $out, '>:raw', $file or die "$file: $!";
    print {$out} $text;
    close $out or die "$file: $!";
    return $file;
}

1;
