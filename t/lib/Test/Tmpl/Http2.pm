# SPDX-License-Identifier: Apache-2.0
package Test::Tmpl::Http2;

# As much of HTTP/2 (RFC 9113, prior knowledge) as it takes to have many requests under way at once on
# one connection. Header blocks of answers are not decoded, but for a status of 200.

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

# Asks for all targets at once; returns [ok, body] for each: ok if it was a whole answer with 200.
sub get_all {
    my ($port, @targets) = @_;
    my $socket = IO::Socket::INET->new(PeerAddr => '127.0.0.1', PeerPort => $port) or die "connect: $!";
    my $window = pack 'N', 0x3fffffff;
    my $out = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
        . frame($SETTINGS, 0, 0, pack 'nN', 4, 0x3fffffff) . frame($WINDOW_UPDATE, 0, 0, $window);
    my %answer;
    my $stream = -1;
    for my $target (@targets) {
        $stream += 2;
        $answer{$stream} = [0, ''];
        $out .= frame($HEADERS, $END_STREAM | $END_HEADERS, $stream, join '', map { field(@$_) }
            [':method', 'GET'], [':scheme', 'http'], [':authority', "127.0.0.1:$port"], [':path', $target]);
    }
    syswrite $socket, $out;
    read_answers($socket, \%answer);
    return map { $answer{$_} } sort { $a <=> $b } keys %answer;
}

sub read_answers {
    my ($socket, $answer) = @_;
    my %open = map { $_ => 1 } keys %$answer;
    my ($in, %status) = ('');
    while (%open) {
        IO::Select->new($socket)->can_read(120) or return;
        sysread($socket, $in, 65_536, length $in) or return;
        while (length $in >= 9 && length $in >= 9 + unpack 'N', "\0" . substr $in, 0, 3) {
            my ($type, $flags, $stream) = unpack 'CCN', substr $in, 3, 6;
            my $length = unpack 'N', "\0" . substr $in, 0, 3;
            my $payload = substr $in, 9, $length;
            substr $in, 0, 9 + $length, '';
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
