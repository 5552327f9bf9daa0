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
my ($REFUSED, $CANCEL) = (7, 8);    # error codes

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
    my ($self, @requests) = @_;
    return $self->answers($self->request(@requests));
}

# Sends requests, each a target or [target, { field => value }]; returns their streams.
sub request {
    my ($self, @requests) = @_;
    my ($out, @streams) = ('');
    for my $request (@requests) {
        my ($target, $fields) = ref $request ? @$request : ($request, {});
        push @streams, $self->{stream} += 2;
        $out .= frame($HEADERS, $END_STREAM | $END_HEADERS, $streams[-1], join '', map { field(@$_) }
            [':method', 'GET'], [':scheme', 'http'], [':authority', "127.0.0.1:$self->{port}"], [':path', $target],
            map { [lc, $fields->{$_}] } sort keys %$fields);
    }
    syswrite $self->{socket}, $out;
    return @streams;
}

# Takes requests back.
sub cancel {
    my ($self, @streams) = @_;
    return syswrite $self->{socket}, join '', map { frame($RST_STREAM, 0, $_, pack 'N', $CANCEL) } @streams;
}

# Reads the answers of streams: [ok, body, whether the server has refused the request and done nothing, why it
# ended before the answer was complete].
sub answers {
    my ($self, @streams) = @_;
    my %answer = map { $_ => [0, ''] } @streams;
    $self->read_answers(\%answer);
    return map { $answer{$_} } @streams;
}

sub failed {
    my ($answer, $open, $why) = @_;
    $answer->{$_}[3] = $why for keys %$open;
    return;
}

sub read_answers {
    my ($self, $answer) = @_;
    my ($socket, %status) = $self->{socket};
    my %open = map { $_ => 1 } keys %$answer;
    while (%open) {
        IO::Select->new($socket)->can_read(120) or return failed($answer, \%open, 'nothing comes');
        sysread($socket, $self->{in}, 65_536, length $self->{in}) or return failed($answer, \%open, "closed, $!");
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
            if ($type == $GOAWAY) {
                my ($last, $error) = unpack 'NN', $payload;
                return failed($answer, \%open, "GOAWAY $error") if $error != 0;
                $answer->{$_}[2] = delete $open{$_} for grep { $_ > $last } keys %open;
            }
            next if !$open{$stream};
            if ($type == $RST_STREAM) {
                delete $open{$stream};
                my $error = unpack 'N', $payload;
                @{ $answer->{$stream} }[2, 3] = ($error == $REFUSED, "RST_STREAM $error");
            }
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
