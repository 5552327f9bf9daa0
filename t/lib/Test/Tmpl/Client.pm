# SPDX-License-Identifier: Apache-2.0
package Test::Tmpl::Client;

# A raw HTTP/1.x client. It keeps the response byte for byte: the body without its transfer coding
# but with its content coding, and whether the body is complete.
#
# Environment: TMPL_TEST_FIELDS (a file; the Tmpl field of each response is appended to it as a line).

use strict;
use warnings;

use IO::Select;
use IO::Socket::INET;
use Time::HiRes qw(time);

# port => of 127.0.0.1; host => value of the Host field, default 127.0.0.1:port
sub new {
    my ($class, %args) = @_;
    my $self = bless {
        port => $args{port},
        host => $args{host} // "127.0.0.1:$args{port}",
        timeout => $args{timeout} // 120,    # seconds; the machine may be busy
        buffer => '',
    }, $class;
    $self->connect;
    return $self;
}

sub connect {
    my ($self) = @_;
    $self->{buffer} = '';
    $self->{answers} = 0;
    $self->{socket} = IO::Socket::INET->new(
        PeerAddr => '127.0.0.1', PeerPort => $self->{port}, Timeout => $self->{timeout}
    );
    return $self->{socket};
}

sub close {
    my ($self) = @_;
    close delete $self->{socket} if $self->{socket};
    return;
}

# Sends a request and reads the response. Options: method, version (1.1), headers => { Name => value
# or [values] }, body. A Host field is added unless headers has one (undef: no Host at all). Opens a
# new connection if the server announced that it closes this connection, or if it closes a connection
# that was used before without a response: the MPM event may close idle connections at any moment when
# its threads are busy. (A child that died is in the error log.)
sub get {
    my ($self, $target, %o) = @_;
    $self->connect if delete $self->{closed};
    my $before = $self->{answers};
    my $res = $self->ask($target, %o);
    return $res if $res->status || !$before || $self->{buffer} ne '' || ($o{method} // 'GET') ne 'GET';
    $self->connect;
    return $self->ask($target, %o);
}

sub ask {
    my ($self, $target, %o) = @_;
    $self->send_request($target, %o) or return $self->broken('the request could not be sent');
    return $self->read_response($o{method} // 'GET');
}

sub send_request {
    my ($self, $target, %o) = @_;
    my %headers = (Host => $self->{host}, %{ $o{headers} // {} });
    my $text = sprintf "%s %s HTTP/%s\r\n", $o{method} // 'GET', $target, $o{version} // '1.1';
    for my $name (sort keys %headers) {
        my $value = $headers{$name};
        next if !defined $value;
        $text .= "$name: $_\r\n" for ref $value ? @$value : $value;
    }
    $text .= 'Content-Length: ' . length($o{body}) . "\r\n" if defined $o{body};
    return $self->send_raw("$text\r\n" . ($o{body} // ''));
}

sub send_raw {
    my ($self, $bytes) = @_;
    my $socket = $self->{socket} or return 0;
    while (length $bytes) {
        my $n = syswrite $socket, $bytes;
        return 0 if !defined $n;
        substr $bytes, 0, $n, '';
    }
    return 1;
}

sub broken {
    my ($self, $why) = @_;
    return Test::Tmpl::Response->new(status => 0, error => $why, body => '', fields => []);
}

# Reads more into the buffer; 0 at the end or after the timeout.
sub more {
    my ($self) = @_;
    my $socket = $self->{socket} or return 0;
    return 0 if !IO::Select->new($socket)->can_read($self->{timeout});
    return sysread($socket, $self->{buffer}, 65_536, length $self->{buffer}) ? 1 : 0;
}

# Reads until the response contains $bytes; returns whether it does. read_response still reads these
# bytes.
sub comes {
    my ($self, $bytes) = @_;
    while (index($self->{buffer}, $bytes) < 0) {
        $self->more or return 0;
    }
    return 1;
}

sub take {
    my ($self, $n) = @_;
    while (length $self->{buffer} < $n) {
        $self->more or return undef;
    }
    return substr $self->{buffer}, 0, $n, '';
}

sub take_line {
    my ($self) = @_;
    my $end;
    while (($end = index $self->{buffer}, "\r\n") < 0) {
        $self->more or return undef;
    }
    my $line = substr $self->{buffer}, 0, $end + 2, '';
    return substr $line, 0, -2;
}

sub read_response {
    my ($self, $method) = @_;
    my $head = $self->read_head or return $self->broken('no answer');
    $head = $self->read_head // return $self->broken('no answer') while $head->{status} =~ /^1/;
    my $res = Test::Tmpl::Response->new(%$head);
    note_field($res->header('Tmpl')) if defined $ENV{TMPL_TEST_FIELDS};
    $res->{body} = '';
    $res->{error} = $self->read_body($res, $method);
    $self->{answers}++;
    $self->{closed} = ($res->header('Connection') // '') =~ /\bclose\b/i || $res->{until_close};
    $self->close if $res->{error} || $self->{closed};
    return $res;
}

# Appends in one write, because tests of several processes append at the same time.
sub note_field {
    my $field = shift // return;
    open my $out, '>>:raw', $ENV{TMPL_TEST_FIELDS} or die "$ENV{TMPL_TEST_FIELDS}: $!";
    syswrite $out, "$field\n";
    return;
}

sub read_head {
    my ($self) = @_;
    my $line = $self->take_line // return;
    my ($version, $status, $reason) = $line =~ m{^HTTP/(1\.[01]) (\d{3}) ?(.*)$} or return;
    my @fields;
    while (length($line = $self->take_line // return)) {
        my ($name, $value) = $line =~ /^([^:\s]+):\s*(.*?)\s*$/ or return;
        push @fields, [$name, $value];
    }
    return { version => $version, status => $status, reason => $reason, fields => \@fields };
}

# Fills $res->{body}; returns the error, or undef.
sub read_body {
    my ($self, $res, $method) = @_;
    return if $method eq 'HEAD' || $res->{status} =~ /^(1..|204|304)$/;
    if (($res->header('Transfer-Encoding') // '') =~ /chunked/i) {
        return $self->read_chunks($res);
    }
    my $length = $res->header('Content-Length');
    if (defined $length) {
        my $body = $self->take($length);
        $res->{body} = $body // $self->{buffer};
        return defined $body ? undef : 'body is shorter than Content-Length';
    }
    1 while $self->more;
    $res->{body} = $self->{buffer};
    $res->{until_close} = 1;
    return;
}

sub read_chunks {
    my ($self, $res) = @_;
    while (1) {
        my $line = $self->take_line // return 'broken off at a chunk';
        my ($size) = $line =~ /^([0-9a-f]+)/i or return "bad chunk size: $line";
        last if hex $size == 0;
        my $data = $self->take(hex $size);
        $res->{body} .= $data // $self->{buffer};
        defined $data && defined $self->take(2) or return 'broken off in a chunk';
    }
    while (1) {
        my $line = $self->take_line // return 'broken off in the trailer';
        return if $line eq '';
    }
}

package Test::Tmpl::Response;

# status, version, reason, body, fields ([name, value] in order), error (undef if complete)

use strict;
use warnings;

sub new {
    my ($class, %self) = @_;
    return bless {%self}, $class;
}

sub status { return $_[0]{status} }
sub body { return $_[0]{body} }
sub error { return $_[0]{error} }
sub complete { return !defined $_[0]{error} }

# All values of a field, joined by ", "; undef if there is none.
sub header {
    my ($self, $name) = @_;
    my @values = $self->header_values($name);
    return @values ? join(', ', @values) : undef;
}

sub header_values {
    my ($self, $name) = @_;
    return map { $_->[1] } grep { lc $_->[0] eq lc $name } @{ $self->{fields} };
}

# The Tmpl field as a hash, empty without a field; dies if the field is not a valid dictionary.
sub tmpl {
    my ($self) = @_;
    my $field = $self->header('Tmpl') // return {};
    return Test::Tmpl::Field::dictionary($field);
}

# One member of the Tmpl field, '' if it is missing.
sub says {
    my ($self, $key) = @_;
    return $self->tmpl->{$key} // '';
}

1;
