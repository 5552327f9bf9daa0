# SPDX-License-Identifier: Apache-2.0
package Demo::Servers;

# The servers of the demo: each is a child of the demo, in the foreground, with its own directory
# below one temporary directory, on a free port of 127.0.0.1. When the demo ends, for any reason, it
# ends them by their process ids and removes the directory.

use strict;
use warnings;

use Exporter 'import';
use File::Path qw(remove_tree);
use File::Temp qw(tempdir);
use IO::Socket::INET;
use IO::Socket::UNIX;
use POSIX qw(WNOHANG);
use Time::HiRes qw(sleep time);

our @EXPORT_OK = qw(directory start_httpd start_redis dead_server spit slurp);

my $httpd = '/usr/sbin/apache2';
my $modules = '/usr/lib/apache2/modules';
my $redis = '/usr/bin/redis-server';

my $owner = $$;
my $directory;
my @running;    # of { name, pid, dir }, the oldest first

# A signal ends the demo by exit, so that END runs.
$SIG{$_} = sub { exit 130 } for qw(INT TERM HUP PIPE);

sub spit {
    my ($file, $text) = @_;
    open my $out, '>:raw', $file or die "$file: $!\n";
    print {$out} $text;
    close $out or die "$file: $!\n";
    return;
}

sub slurp {
    my ($file) = @_;
    open my $in, '<:raw', $file or return '';
    local $/;
    return readline($in) // '';
}

# The temporary directory. The server's user needs search permission.
sub directory {
    if (!defined $directory) {
        $directory = tempdir('tmpl-demo-XXXXXX', TMPDIR => 1);
        chmod 0755, $directory;
    }
    return $directory;
}

sub spawn {
    my ($name, $dir, @command) = @_;
    my $pid = fork() // die "fork: $!\n";
    if ($pid == 0) {
        # a process group of its own: only the demo gets Ctrl-C, and it ends the servers in order
        setpgrp(0, 0);
        $SIG{$_} = 'DEFAULT' for qw(INT TERM HUP PIPE);
        open STDIN, '<', '/dev/null';
        open STDOUT, '>', "$dir/output";
        open STDERR, '>&', \*STDOUT;
        exec { $command[0] } @command or print STDERR "$command[0]: $!\n";
        POSIX::_exit(127);
    }
    my $server = { name => $name, pid => $pid, dir => $dir };
    push @running, $server;
    return $server;
}

sub alive {
    my ($server) = @_;
    return 1 if waitpid($server->{pid}, WNOHANG) == 0;
    @running = grep { $_ != $server } @running;
    return 0;
}

# Waits until the condition is true; returns false if the server ends first.
sub comes_up {
    my ($server, $condition) = @_;
    my $end = time() + 120;
    while (time() < $end && alive($server)) {
        return 1 if $condition->();
        sleep 0.02;
    }
    return 0;
}

sub end_server {
    my ($server) = @_;
    my $end = time() + 60;
    kill 'TERM', $server->{pid};
    while (alive($server)) {
        if (time() > $end) {
            kill 'KILL', -$server->{pid}, $server->{pid};
            waitpid $server->{pid}, 0;
            last;
        }
        sleep 0.02;
    }
    return;
}

# The name of a server that has ended unexpectedly.
sub dead_server {
    for my $server (my @all = @running) {
        return $server->{name} if !alive($server);
    }
    return;
}

# The wanted port if it is free, else a port that the system chooses. Another process may take the port
# before the demo uses it.
sub free_port {
    my ($wish) = @_;
    for my $port ($wish, 0) {
        my $socket = IO::Socket::INET->new(
            LocalAddr => '127.0.0.1', LocalPort => $port, Listen => 1, ReuseAddr => 1);
        return $socket->sockport if $socket;
    }
    die "no port of 127.0.0.1 is free: $!\n";
}

# User and group of httpd's children if the demo runs as root.
sub user_lines {
    return '' if $> != 0;
    my ($user) = grep { defined getpwnam $_ } qw(www-data nobody);
    my $group = getgrgid((getpwnam $user)[3]);
    return "User $user\nGroup $group\n";
}

sub httpd_conf {
    my ($dir, $port, $names, $conf) = @_;
    my $load = join '',
        map { qq{LoadModule ${_}_module "$modules/mod_$_.so"\n} } qw(mpm_event authz_core), @$names;
    return <<"END" . user_lines() . $load . $conf;
ServerRoot "$dir"
ServerName manual.example
PidFile "$dir/pid"
DefaultRuntimeDir "$dir"
ErrorLog "$dir/error.log"
LogLevel warn
Listen 127.0.0.1:$port
END
}

# Starts an httpd with the modules @$names and the configuration $conf; returns its port.
sub start_httpd {
    my ($name, $wish, $names, $conf) = @_;
    -x $httpd or die "there is no $httpd: apt-get install apache2-bin\n";
    my $dir = directory() . "/$name";
    mkdir $dir or die "$dir: $!\n";
    my ($server, $said);
    for (1 .. 5) {
        my $port = free_port($wish);
        spit("$dir/httpd.conf", httpd_conf($dir, $port, $names, $conf));
        $server = spawn($name, $dir, $httpd, '-DFOREGROUND', '-f', "$dir/httpd.conf");
        # httpd writes its pid file when it listens
        return $port if comes_up($server, sub { slurp("$dir/pid") =~ /^$server->{pid}$/m });
        end_server($server) if alive($server);
        $said = slurp("$dir/output") . slurp("$dir/error.log");
        last if $said !~ /could not bind to address/;
        unlink "$dir/error.log";
        $wish = 0;
    }
    die "the $name does not start:\n$said\n";
}

# Starts a redis-server that listens on a unix socket only; returns its path.
sub start_redis {
    -x $redis or die "there is no $redis: apt-get install redis-server\n";
    my $dir = directory() . '/redis';
    mkdir $dir or die "$dir: $!\n";
    my %options = (
        port => 0, unixsocket => "$dir/socket", unixsocketperm => 777, dir => $dir, save => '""',
        appendonly => 'no', daemonize => 'no',
    );
    spit("$dir/redis.conf", join '', map { "$_ $options{$_}\n" } sort keys %options);
    my $server = spawn('redis-server', $dir, $redis, "$dir/redis.conf");
    my $up = comes_up($server, sub { IO::Socket::UNIX->new(Peer => $options{unixsocket}) });
    $up or die "redis-server does not start:\n", slurp("$dir/output"), "\n";
    return $options{unixsocket};
}

END {
    if ($$ == $owner) {
        # die would exit with the number of the last error
        my $status = $? == 0 || $? == 130 ? $? : 1;
        local $SIG{$_} = 'IGNORE' for qw(INT TERM HUP PIPE);
        end_server($_) for reverse my @all = @running;
        remove_tree($directory) if defined $directory;
        $? = $status;
    }
}

1;
