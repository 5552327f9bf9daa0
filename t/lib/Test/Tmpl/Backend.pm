# SPDX-License-Identifier: Apache-2.0
package Test::Tmpl::Backend;

# A scripted HTTP server, one process for each connection. A callback gets the connection and the
# request and sends any bytes, well-formed or not. Requests are recorded unless quiet => 1.

use strict;
use warnings;

use IO::Socket::INET;
use JSON::PP;
use Socket qw(IPPROTO_TCP TCP_NODELAY);
use Test::Tmpl::Process qw(spawn end_process wait_for temp_dir slurp spit);

my $json = JSON::PP->new->canonical->latin1;

# new($callback): callback->($connection, \%request); request has method, target, version, headers
# (lower-case name => value), body. A callback that ends the connection calls $connection->close.
sub new {
    my ($class, $callback, %args) = @_;
    my $listen = IO::Socket::INET->new(
        LocalAddr => '127.0.0.1', LocalPort => $args{port} // 0, Listen => 128, ReuseAddr => 1
    ) or die "listen: $!";
    my $dir = temp_dir();
    mkdir "$dir/allowed" or die "$dir/allowed: $!";
    my $self = bless { port => $listen->sockport, dir => $dir, log => $args{quiet} ? '/dev/null' : "$dir/requests" }, $class;
    open my $log, '>>', $self->{log} or die "$self->{log}: $!";
    $self->{pid} = spawn('backend', sub { serve($listen, $callback, $log, "$dir/allowed") });
    close $listen;
    return $self;
}

sub port { return $_[0]{port} }
sub url { return "http://127.0.0.1:$_[0]{port}" }
sub stop { return end_process($_[0]{pid}, 'KILL') }

# The requests so far, in the order of their arrival.
sub requests {
    my ($self) = @_;
    return map { $json->decode($_) } split /\n/, slurp($self->{log});
}

# Ends the backend's wait_until($what).
sub allow {
    my ($self, $what) = @_;
    return spit("$self->{dir}/allowed/$what", '');
}

sub serve {
    my ($listen, $callback, $log, $allowed) = @_;
    local $SIG{CHLD} = 'IGNORE';
    while (1) {
        my $socket = $listen->accept or next;
        my $pid = fork();
        next if $pid || !defined $pid;
        close $listen;
        setsockopt $socket, IPPROTO_TCP, TCP_NODELAY, 1;
        my $connection = bless { socket => $socket, buffer => '', allowed => $allowed }, 'Test::Tmpl::Backend::Connection';
        while (my $request = $connection->read_request) {
            syswrite $log, $json->encode($request) . "\n";
            $callback->($connection, $request);
            last if !$connection->{socket};
        }
        POSIX::_exit(0);
    }
}

package Test::Tmpl::Backend::Connection;

use strict;
use warnings;

use Socket qw(SOL_SOCKET SO_LINGER);
use Time::HiRes ();

sub read_request {
    my ($self) = @_;
    while ($self->{buffer} !~ /\r\n\r\n/) {
        sysread($self->{socket}, $self->{buffer}, 65_536, length $self->{buffer}) or return;
    }
    $self->{buffer} =~ s/^(.*?)\r\n\r\n//s;
    my ($line, @fields) = split /\r\n/, $1;
    my ($method, $target, $version) = split / /, $line;
    my %headers;
    for (@fields) {
        my ($name, $value) = /^([^:]+):\s*(.*)$/ or next;
        $headers{ lc $name } = exists $headers{ lc $name } ? "$headers{lc $name}, $value" : $value;
    }
    my $length = $headers{'content-length'} // 0;
    while (length $self->{buffer} < $length) {
        sysread($self->{socket}, $self->{buffer}, 65_536, length $self->{buffer}) or return;
    }
    my $body = substr $self->{buffer}, 0, $length, '';
    $self->{method} = $method;
    return { method => $method, target => $target, version => $version, headers => \%headers, body => $body };
}

# Sends raw bytes.
sub send {
    my ($self, $bytes) = @_;
    while (length $bytes) {
        my $n = syswrite $self->{socket}, $bytes or return 0;
        substr $bytes, 0, $n, '';
    }
    return 1;
}

my %REASON = (200 => 'OK', 204 => 'No Content', 206 => 'Partial Content', 304 => 'Not Modified');

# Sends the status line, the fields and the empty line.
sub head {
    my ($self, $status, $headers) = @_;
    my $text = "HTTP/1.1 $status " . ($REASON{$status} // 'Whatever') . "\r\n";
    for my $name (sort keys %$headers) {
        $text .= "$name: $_\r\n" for ref $headers->{$name} ? @{ $headers->{$name} } : $headers->{$name};
    }
    return $self->send("$text\r\n");
}

# Sends a complete response with Content-Length, or to HEAD its fields. Without a body (undef) it has no
# Content-Length.
sub respond {
    my ($self, $status, $headers, $body) = @_;
    my %headers = %$headers;
    $headers{'Content-Length'} //= length $body if defined $body;
    $self->head($status, \%headers);
    return $self->{method} eq 'HEAD' || $self->send($body // '');
}

# Sends a complete chunked response; each piece is one chunk and one write. The backend waits until the
# peer has received a piece before it sends the next piece, so that pieces usually arrive alone. No
# test may depend on it: a busy peer may read two pieces at a time.
sub respond_chunked {
    my ($self, $status, $headers, @pieces) = @_;
    $self->head($status, { %$headers, 'Transfer-Encoding' => 'chunked' });
    return 1 if $self->{method} eq 'HEAD';
    for my $piece (@pieces) {
        next if $piece eq '';
        $self->chunk($piece);
        $self->drain;
    }
    return $self->send("0\r\n\r\n");
}

sub chunk {
    my ($self, $piece) = @_;
    return $self->send(sprintf "%x\r\n%s\r\n", length $piece, $piece);
}

# Waits until the test calls allow($what); closes the connection if the test never does.
sub wait_until {
    my ($self, $what) = @_;
    return Test::Tmpl::Process::wait_for { -e "$self->{allowed}/$what" } || POSIX::_exit(1);
}

# Waits until the peer has acknowledged all bytes (SIOCOUTQ), with a limit. The kernel has no event
# for this: a socket is writable long before. So drain() polls; it polls often, because there are many
# pieces.
sub drain {
    my ($self) = @_;
    for (1 .. 200) {
        my $left = pack 'i', 0;
        ioctl $self->{socket}, 0x5411, $left or return;
        return if unpack('i', $left) == 0;
        Time::HiRes::sleep(0.0005);
    }
    return;
}

# Closes the connection, or resets it.
sub close {
    my ($self) = @_;
    CORE::close(delete $self->{socket});
    return;
}

sub reset {
    my ($self) = @_;
    setsockopt $self->{socket}, SOL_SOCKET, SO_LINGER, pack 'ii', 1, 0;
    return $self->close;
}

1;
