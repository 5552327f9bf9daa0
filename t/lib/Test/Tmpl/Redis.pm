# SPDX-License-Identifier: Apache-2.0
package Test::Tmpl::Redis;

# A private redis-server on a unix socket and on a port of 127.0.0.1, and servers that do not answer
# as Redis does.

use strict;
use warnings;

use IO::Select;
use IO::Socket::INET;
use IO::Socket::UNIX;
use Socket qw(pack_sockaddr_in inet_aton PF_INET SOCK_STREAM);
use Test::Tmpl::Process qw(spawn end_process wait_for free_port temp_dir spit);
use Time::HiRes qw(sleep);

# TMPL_TEST_REDIS names another program, such as valkey-server
my $program = $ENV{TMPL_TEST_REDIS} // 'redis-server';

sub available {
    return (grep { -x } map { "$_/$program" } '', split(/:/, $ENV{PATH}), '/usr/bin', '/usr/local/bin')[0];
}

# %options: name => value of redis.conf; sentinel => lines of configuration: starts a sentinel
sub new {
    my ($class, %options) = @_;
    my $dir = temp_dir();
    my $sentinel = delete $options{sentinel};
    my $self = bless { dir => $dir, port => free_port(), socket => "$dir/redis.sock", options => \%options,
        sentinel => $sentinel }, $class;
    $self->start;
    return $self;
}

sub port { return $_[0]{options}{'tls-port'} // $_[0]{port} }
sub unix_uri { return "redis+unix://$_[0]{socket}" }
sub uri { return "redis://127.0.0.1:$_[0]{port}/0" }

sub start {
    my ($self) = @_;
    my %conf = (
        bind => '127.0.0.1', port => $self->{port}, unixsocket => $self->{socket}, unixsocketperm => 777,
        dir => "$self->{dir}", save => '""', appendonly => 'no', logfile => "$self->{dir}/redis.log",
        daemonize => 'no', databases => 16, %{ $self->{options} },
    );
    my $file = spit("$self->{dir}/redis.conf", join('', map { "$_ $conf{$_}\n" } sort keys %conf) . ($self->{sentinel} // ''));
    my @kind = defined $self->{sentinel} ? '--sentinel' : ();
    $self->{pid} = spawn('redis-server', sub {
        open STDOUT, '>>', "$self->{dir}/redis.out";
        open STDERR, '>&', \*STDOUT;
        exec $program, $file, @kind or die "$program: $!";
    });
    wait_for { $self->connect } or die "redis-server does not start\n";
    return;
}

sub kill9 { return end_process($_[0]{pid}, 'KILL') }
sub stop { kill 'STOP', $_[0]{pid}; return }
sub continue { kill 'CONT', $_[0]{pid}; return }

sub connect {
    my ($self) = @_;
    return IO::Socket::UNIX->new(Peer => $self->{socket});
}

# Sends a command; returns its reply, decoded: text, number, array reference. Dies on an error reply.
sub command {
    my ($self, @words) = @_;
    my $socket = $self->connect or die "redis: $!\n";
    my $auth = $self->{options}{requirepass};
    if (defined $auth) {
        print {$socket} encode('AUTH', $auth);
        reply($socket);
    }
    print {$socket} encode(@words);
    return reply($socket);
}

sub encode {
    return '*' . @_ . "\r\n" . join '', map { '$' . length($_) . "\r\n$_\r\n" } @_;
}

sub reply {
    my ($socket) = @_;
    local $/ = "\r\n";
    my $line = readline $socket;
    die "redis: no reply\n" if !defined $line;
    chomp $line;
    my $type = substr $line, 0, 1, '';
    die "redis: $line\n" if $type eq '-';
    return $line if $type eq '+' || $type eq ':';
    return undef if $line < 0;
    return [map { reply($socket) } 1 .. $line] if $type eq '*';
    read $socket, my $text, $line + 2;
    return substr $text, 0, $line;
}

# A port that accepts no connections: its backlog is full, so the kernel drops SYN packets. The
# sockets returned with it keep the backlog full.
sub black_hole {
    my $listen = IO::Socket::INET->new(LocalAddr => '127.0.0.1', LocalPort => 0, Listen => 1) or die $!;
    my $address = pack_sockaddr_in($listen->sockport, inet_aton('127.0.0.1'));
    my @fill;
    for (1 .. 8) {
        socket my $socket, PF_INET, SOCK_STREAM, 0 or die $!;
        IO::Handle::blocking($socket, 0);
        CORE::connect $socket, $address;
        push @fill, $socket;
    }
    return ($listen->sockport, [$listen, @fill]);
}

# A server that sends the same bytes ('': nothing) after every read. Returns its port.
sub parrot {
    my ($bytes) = @_;
    my $listen = IO::Socket::INET->new(
        LocalAddr => '127.0.0.1', LocalPort => 0, Listen => 64, ReuseAddr => 1) or die $!;
    my $port = $listen->sockport;
    spawn('parrot', sub {
        local $SIG{CHLD} = 'IGNORE';
        while (1) {
            my $socket = $listen->accept or next;
            next if fork;
            while (sysread $socket, my $request, 65_536) {
                syswrite $socket, $bytes if $bytes ne '';
            }
            POSIX::_exit(0);
        }
    });
    return $port;
}

# A relay to the Redis at $port, which delays each reply by $ms ms. Returns the port of the relay.
sub late {
    my ($port, $ms) = @_;
    my $listen = IO::Socket::INET->new(
        LocalAddr => '127.0.0.1', LocalPort => 0, Listen => 64, ReuseAddr => 1) or die $!;
    spawn('late', sub {
        local $SIG{CHLD} = 'IGNORE';
        while (1) {
            my $client = $listen->accept or next;
            next if fork;
            pass_on($client, IO::Socket::INET->new(PeerAddr => '127.0.0.1', PeerPort => $port), $ms / 1000);
            POSIX::_exit(0);
        }
    });
    return $listen->sockport;
}

# Relays until one side closes.
sub pass_on {
    my ($client, $server, $seconds) = @_;
    my $select = IO::Select->new($client, $server // return);
    while (1) {
        for my $from ($select->can_read) {
            sysread $from, my $bytes, 65_536 or return;
            sleep $seconds if $from == $server;
            syswrite $from == $server ? $client : $server, $bytes or return;
        }
    }
}

1;
