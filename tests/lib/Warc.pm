# SPDX-License-Identifier: Apache-2.0
package Warc;

# Records of WARC, made and read, for tests of tmplctl warc. They read strictly: a record is its head, so
# many bytes as Content-Length says, and two empty lines.

use strict;
use warnings;

use Compress::Raw::Zlib;
use Exporter 'import';
use IO::Compress::Gzip qw(gzip $GzipError);

our @EXPORT = qw(record response http gz zstd members records);

# A record: its type, its content, and its other fields by name.
sub record {
    my ($type, $content, %fields) = @_;
    my $length = delete $fields{'Content-Length'} // length $content;
    my $version = delete $fields{version} // 'WARC/1.1';
    return join("\r\n", $version, "WARC-Type: $type", (map { "$_: $fields{$_}" } sort keys %fields), "Content-Length: $length", '', '')
        . "$content\r\n\r\n";
}

# A message of HTTP: its body, and its fields by name.
sub http {
    my ($body, %fields) = @_;
    my $status = delete $fields{status} // '200 OK';
    return join("\r\n", "HTTP/1.1 $status", (map { "$_: $fields{$_}" } sort keys %fields), '', '') . $body;
}

my $id = 0;

# The record of a page: its URL, its message, and fields of the record.
sub response {
    my ($url, $http, %fields) = @_;
    return record('response', $http, 'WARC-Target-URI' => $url, 'WARC-Date' => '2026-03-01T12:00:00Z',
        'WARC-Record-ID' => sprintf('<urn:uuid:00000000-0000-4000-8000-%012d>', ++$id), 'Content-Type' => 'application/http; msgtype=response',
        %fields);
}

sub gz {
    my ($bytes) = @_;
    gzip(\$bytes => \my $out, -Minimal => 1) or die $GzipError;
    return $out;
}

# A frame of zstd, which stores its bytes in raw blocks (RFC 8878, 3.1.1).
sub zstd {
    my ($bytes) = @_;
    my @blocks = $bytes =~ /(.{1,60000})/gs;
    return "\x28\xb5\x2f\xfd\xa0" . pack('V', length $bytes)
        . join('', map { substr(pack('V', length($blocks[$_]) << 3 | ($_ == $#blocks ? 1 : 0)), 0, 3) . $blocks[$_] } 0 .. $#blocks);
}

# The members of gzip: [offset, length, bytes].
sub members {
    my ($bytes) = @_;
    my @members;
    for (my $at = 0; $at < length $bytes;) {
        my $inflate = Compress::Raw::Zlib::Inflate->new(-WindowBits => WANT_GZIP) or die;
        my $rest = substr $bytes, $at;
        my $status = $inflate->inflate($rest, my $out);
        $status == Z_STREAM_END or die "byte $at: no member of gzip: $status";
        my $len = length($bytes) - length($rest) - $at;
        push @members, [$at, $len, $out];
        $at += $len;
    }
    return @members;
}

# The records of a file, plain or gzip: { head, type, its fields by name, content }.
sub records {
    my ($bytes) = @_;
    $bytes = join '', map { $_->[2] } members($bytes) if $bytes =~ /^\x1f\x8b/;
    my @records;
    while ($bytes ne '') {
        $bytes =~ s/\A(WARC\/1\.[01]\r\n(?:[^\r\n]+\r\n)+)\r\n//s or die 'no record: ' . substr($bytes, 0, 100);
        my $head = $1;
        my %fields = $head =~ /^([\w-]+): *(.*?)\r$/mg;
        my $content = substr $bytes, 0, $fields{'Content-Length'}, '';
        $bytes =~ s/\A\r\n\r\n// or die "no end behind $fields{'Content-Length'} bytes";
        push @records, { %fields, head => $head, type => $fields{'WARC-Type'}, content => $content };
    }
    return @records;
}

1;
