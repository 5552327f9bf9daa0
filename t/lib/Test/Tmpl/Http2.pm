# SPDX-License-Identifier: Apache-2.0
package Test::Tmpl::Http2;

# The part of HTTP/2 (RFC 9113, prior knowledge) that sends many concurrent requests on one
# connection. Header blocks of responses are not decoded, except for status 200.

use strict;
use warnings;

use IO::Select;
use IO::Socket::INET;

my ($DATA, $HEADERS, $RST_STREAM, $SETTINGS, $PING, $GOAWAY, $WINDOW_UPDATE) = (0, 1, 3, 4, 6, 7, 8);
my ($END_STREAM, $END_HEADERS, $PADDED, $ACK) = (1, 4, 8, 1);

sub frame {
    my ($type, $flags, $stream, $payload) = @_;
    return substr(pack('N', length $payload), 1) . pack('CCN', $type, $flags, $stream) . $payload;
}

# A literal field without indexing; names and values here are short.
sub field {
    my ($name, $value) = @_;
    return "\0" . join '', map { pack('C', length) . $_ } $name, $value;
}

# Requests all targets at once; returns [ok, body] for each target: ok is true for a complete response
# with status 200.
sub get_all {
    my ($port, @targets) = @_;
    return Test::Tmpl::Http2->new($port)->ask(@targets);
}

# Opens a connection.
sub new {
    my ($class, $port) = @_;
    my $socket = IO::Socket::INET->new(PeerAddr => '127.0.0.1', PeerPort => $port) or die "connect: $!";
    my $window = pack 'N', 0x3fffffff;
    syswrite $socket, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
        . frame($SETTINGS, 0, 0, pack 'nN', 4, 0x3fffffff) . frame($WINDOW_UPDATE, 0, 0, $window);
    return bless { socket => $socket, port => $port, stream => -1, in => '' }, $class;
}

# As get_all(), on this connection.
sub ask {
    my ($self, @targets) = @_;
    my ($out, %answer) = ('');
    for my $target (@targets) {
        my $stream = $self->{stream} += 2;
        $answer{$stream} = [0, ''];
        $out .= frame($HEADERS, $END_STREAM | $END_HEADERS, $stream, join '', map { field(@$_) }
            [':method', 'GET'], [':scheme', 'http'], [':authority', "127.0.0.1:$self->{port}"], [':path', $target]);
    }
    syswrite $self->{socket}, $out;
    $self->read_answers(\%answer);
    return map { $answer{$_} } sort { $a <=> $b } keys %answer;
}

sub read_answers {
    my ($self, $answer) = @_;
    my ($socket, %status) = $self->{socket};
    my %open = map { $_ => 1 } keys %$answer;
    while (%open) {
        IO::Select->new($socket)->can_read(120) or return;
        sysread($socket, $self->{in}, 65_536, length $self->{in}) or return;
        while (length $self->{in} >= 9 && length $self->{in} >= 9 + unpack 'N', "\0" . substr $self->{in}, 0, 3) {
            my ($type, $flags, $stream) = unpack 'CCN', substr $self->{in}, 3, 6;
            my $length = unpack 'N', "\0" . substr $self->{in}, 0, 3;
            my $payload = substr $self->{in}, 9, $length;
            substr $self->{in}, 0, 9 + $length, '';
            if ($flags & $PADDED && ($type == $DATA || $type == $HEADERS)) {
                my $pad = unpack 'C', $payload;
                $payload = substr $payload, 1, length($payload) - 1 - $pad;
            }
            syswrite $socket, frame($SETTINGS, $ACK, 0, '') if $type == $SETTINGS && !($flags & $ACK);
            syswrite $socket, frame($PING, $ACK, 0, $payload) if $type == $PING && !($flags & $ACK);
            return if $type == $GOAWAY && unpack('x4N', $payload) != 0;
            delete $open{$stream} if $type == $RST_STREAM;
            $status{$stream} //= $payload =~ /^[\x20-\x3f]*\x88/ if $type == $HEADERS;
            $answer->{$stream}[1] .= $payload if $type == $DATA;
            if (($type == $DATA || $type == $HEADERS) && $flags & $END_STREAM) {
                $answer->{$stream}[0] = $status{$stream} ? 1 : 0;
                delete $open{$stream};
            }
        }
    }
    return;
}

1;
