#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# tmplctl warc: archives in, archives out. tests/archive/judges has records of other programs.
use strict;
use warnings;

use Compress::Raw::Zlib;
use Digest::SHA;
use Fcntl qw(LOCK_EX);
use FindBin;
use JSON::PP;
use MIME::Base64;
use Test::More;

use lib "$FindBin::Bin/../lib", "$FindBin::Bin/../../t/lib";
use Test::Tmpl::Process qw(wait_for);
use Tmplctl;
use Warc;

my %html = ('Content-Type' => 'text/html');
sub warc { return run('warc', '--detector', 'incremental', @_) }

# Pages of two sites, and what --mirror makes of each site's.
my (@pages_of, %clean);
for my $site (qw(one.example two.example)) {
    mkdir $site or die $!;
    for my $i (1 .. 8) {
        my $html = page("$site $i") =~ s/this site/$site/r;
        spew("$site/$i.html", $html);
        push @pages_of, ["http://$site/$i.html", $html];
    }
}
for my $mode (qw(text strip json)) {
    for my $site (qw(one.example two.example)) {
        run('clean', '--mode', $mode, '--site', $site, '--out', "$mode-$site", '--two-pass', '--mirror', $site);
        my $suffix = { text => 'txt', strip => 'html', json => 'json' }->{$mode};
        $clean{$mode}{"http://$site/$_.html"} = slurp("$mode-$site/$_.$suffix") for 1 .. 8;
    }
}
# pages of both sites in turns
my @sorted = map { @pages_of[$_, $_ + 8] } 0 .. 7;
my @records = map { response($_->[0], http($_->[1], %html)) } @sorted;
my $info = record('warcinfo', "software: test\r\n", 'WARC-Record-ID' => '<urn:uuid:0>', 'WARC-Date' => '2026-03-01T12:00:00Z',
    'Content-Type' => 'application/warc-fields');
spew('a.warc', join '', $info, @records);
spew('a.warc.gz', join '', map { gz($_) } $info, @records);

# The contents of the conversion records of an output, by URL.
sub contents {
    my ($name) = @_;
    my ($first, @rest) = records(slurp($name) // '');
    is($first->{type}, 'warcinfo', "$name: begins with warcinfo");
    return map { $_->{'WARC-Target-URI'} => $_->{content} } @rest;
}

subtest 'forms of the input' => sub {
    spew('b.warc.gz', gz(join '', $info, @records));
    spew('c.warc.gz', join '', gz(join '', $info, @records[0 .. 4]), gz(join '', @records[5 .. 15]));
    spew('a.warc.zst', join '', map { zstd($_) } $info, @records);
    spew('v.warc', join '', map { s/1\.1/1.0/r =~ s/(WARC-Target-URI: )(\S+)/$1<$2>/r } $info, @records);
    spew('lf.warc', join '', map { my ($head, $rest) = split /(?<=\r\n\r\n)/, $_, 2; $head =~ s/\r//gr . $rest } $info, @records);
    for my $in (qw(a.warc a.warc.gz b.warc.gz c.warc.gz a.warc.zst v.warc lf.warc)) {
        my ($code, $out, $err) = warc(qw(-m text -o out.warc.gz), $in);
        is("$code $err", '0 ', "$in: exit code");
        like($out, qr/^17 records: 16 pages of 2 sites, 16 edited; 0 damaged; \d+ bytes in, \d+ out; [\d.]+ s$/, "$in: the summary");
        is_deeply({ contents('out.warc.gz') }, $clean{text}, "$in: as clean --mirror makes them");
    }
    ok(!-e 'out.warc.gz.part', 'nothing else is left');
};

# The frame of a dictionary, and frames that need it.
subtest 'zstd with a dictionary' => sub {
    plan skip_all => 'there is no zstd' if system('zstd --version >zstd.version 2>&1') != 0;
    mkdir 'frames';
    spew(sprintf('frames/%02d', $_), ($info, @records)[$_]) for 0 .. 16;
    is(system('zstd -q --train -B200 --maxdict=2000 -o dictionary frames/* >zstd.log 2>&1 && zstd -q -D dictionary frames/*'), 0, 'is made') or diag slurp('zstd.log');
    my $frames = join '', map { slurp(sprintf 'frames/%02d.zst', $_) } 0 .. 16;
    my $dictionary = slurp('dictionary');
    my $file = sub { my ($bytes, $len) = @_; spew('d.warc.zst', "\x5d\x2a\x4d\x18" . pack('V', $len // length $bytes) . $bytes . $frames) };
    for my $case (['plain', $dictionary], ['compressed itself', zstd($dictionary)]) {
        $file->($case->[1]);
        my ($code, $out, $err) = warc(qw(-m text -o d.warc d.warc.zst));
        is("$code $err", '0 ', "$case->[0]: exit code");
        is_deeply({ contents('d.warc') }, $clean{text}, "$case->[0]: all pages");
    }
    my $refused = sub { return (warc(qw(-m text -o never.warc d.warc.zst)))[2] =~ s/\n.*//sr };
    $file->($dictionary, 1 << 20);
    is($refused->(), 'tmplctl: d.warc.zst: its dictionary cannot be used: the file ends within it', 'cut off');
    $file->($dictionary, 1 << 30);
    is($refused->(), 'tmplctl: d.warc.zst: its dictionary cannot be used: it has more than 16 MiB', 'too long');
    $file->("\x28\xb5\x2f\xfd" . 'x' x 100);
    is($refused->(), 'tmplctl: d.warc.zst: its dictionary cannot be used: it is damaged, or has more than 16 MiB', 'damaged');
    spew('d.warc.zst', "\x5d\x2a\x4d\x18\2\0\0\0ab" . gz($info));
    is($refused->(), 'tmplctl: d.warc.zst: its dictionary cannot be used: no frame of zstd follows', 'of gzip');
};

# libdeflate does members that are in memory whole; zlib does larger ones, and all where libdeflate is missing.
subtest 'gzip of any size' => sub {
    my $noise = join '', map { sprintf '%x', (7919 * $_ * $_ + 104729 * $_) % 0x7fffffff } 1 .. 60_000;
    my @sized = map { response("http://sized.example/$_", http(page($_) =~ s/<p>/"<!--" . substr($noise, 0, 50_000 * $_) . "--><p>"/er, %html)) } 0 .. 9;
    spew('sized.warc', join '', @sized);
    spew('sized.warc.gz', join '', map { gz($_) } @sized);
    mkdir 'bare';
    spew('bare/libdeflate.so.0', 'no library');
    warc(qw(-m text -o sized.out sized.warc));
    my %plain = contents('sized.out');
    is(scalar keys %plain, 10, 'ten pages');
    for my $path ('', "$dir/bare") {
        local $ENV{LD_LIBRARY_PATH} = $path;
        is((warc(qw(-m text -o sized.out.gz sized.warc.gz)))[2], '', "libraries of '$path'");
        is_deeply({ contents('sized.out.gz') }, \%plain, 'the same pages');
    }
};

subtest 'outputs' => sub {
    for my $mode (qw(strip json)) {
        warc('-m', $mode, qw(-o out.warc a.warc.gz));
        my %got = contents('out.warc');
        if ($mode eq 'json') {
            # the version differs: the table is another store's
            $_ = JSON::PP->new->canonical->encode({ %{ decode_json($_) }, version => 0, address => 0 }) for values %got, values %{ $clean{json} };
        }
        is_deeply(\%got, $clean{$mode}, "mode $mode");
    }
    my ($code, $out) = warc(qw(-m markdown --incremental), 'a.warc');
    is($code, 0, 'standard output') or return;
    is(scalar(records($out)), 17, 'has all records');
    warc(qw(-m text -j 3 -o threads.warc.gz a.warc.gz));
    warc(qw(-m text -j 1 -o alone.warc.gz a.warc.gz));
    is(join('', map { $_->[2] } (members(slurp('threads.warc.gz')))[1 .. 16]), join('', map { $_->[2] } (members(slurp('alone.warc.gz')))[1 .. 16]),
        'the number of threads changes nothing');

    my ($first) = grep { $_->{type} eq 'conversion' } records(slurp('alone.warc.gz'));
    my ($source) = grep { $_->{type} eq 'response' } records(slurp('a.warc'));
    is($first->{$_ eq 'WARC-Record-ID' ? 'WARC-Refers-To' : $_}, $source->{$_}, "of the source: $_") for qw(WARC-Record-ID WARC-Target-URI WARC-Date);
    is($first->{'Content-Type'}, 'text/plain; charset=utf-8', 'its type');
    like($first->{'WARC-Record-ID'}, qr/^<urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}>$/, 'its id');
    my %base32 = map { sprintf('%05b', $_) => ('A' .. 'Z', 2 .. 7)[$_] } 0 .. 31;
    is($first->{'WARC-Block-Digest'}, 'sha1:' . (unpack('B*', Digest::SHA::sha1($first->{content})) =~ s/(.{5})/$base32{$1}/gr), 'its digest');

    warc(qw(-m text -o out.jsonl a.warc));
    my @rows = map { decode_json($_) } split /\n/, slurp('out.jsonl');
    is(scalar @rows, 16, 'lines of JSON');
    is(join(' ', map { join ',', sort keys %$_ } @rows[0, 7]), join(' ', ('author,canonical,confidence,date,decline,description,fingerprint,language,modified,published,ratio,record,site,text,title,url') x 2),
        'have the same columns');
    is_deeply({ map { $_->{url} => $_->{text} } @rows }, $clean{text}, 'and the text');
    is("$rows[0]{site} $rows[0]{date} $rows[0]{title}", 'one.example 2026-03-01T12:00:00Z Title one.example 1', 'and metadata');
};

subtest 'bodies' => sub {
    my $page = page(1);
    my $chunked = join('', map { sprintf("%x;a=b\r\n%s\r\n", length, $_) } $page =~ /(.{1,100})/gs) . "0\r\n\r\n";
    my $raw = do { my $d = Compress::Raw::Zlib::Deflate->new(-WindowBits => -15, -AppendOutput => 1); $d->deflate($page, my $o); $d->flush($o); $o };
    my $zlib = do { my $d = Compress::Raw::Zlib::Deflate->new(-AppendOutput => 1); $d->deflate($page, my $o); $d->flush($o); $o };
    my $br = decode_base64('G4oAYEXdlupCO+9joKkpChcE5aqTA/bveoFWlgXUSsLcxr7nqYF4o1a+1A2KoyYNl45tcwbjTQwn+Pl7FTF5VXDjtPZEtIcM3xz/EQxBAA==');
    my @cases = (
        ['plain', $page],
        ['chunked', $chunked, 'Transfer-Encoding' => 'chunked'],
        ['gzip', gz($page), 'Content-Encoding' => 'gzip'],
        ['gzip, two members', gz(substr $page, 0, 200) . gz(substr $page, 200), 'Content-Encoding' => 'gzip'],
        ['x-gzip', gz($page), 'Content-Encoding' => 'x-gzip'],
        ['deflate, zlib', $zlib, 'Content-Encoding' => 'deflate'],
        ['deflate, bare', $raw, 'Content-Encoding' => 'deflate'],
        ['zstd', zstd($page), 'Content-Encoding' => 'zstd'],
        ['zstd, with frames to skip', join("\x50\x2a\x4d\x18\x01\0\0\0x", '', zstd(substr $page, 0, 20), zstd(substr $page, 20)), 'Content-Encoding' => 'zstd'],
        ['chunked gzip', sprintf("%x\r\n%s\r\n0\r\n\r\n", length gz($page), gz($page)), 'Transfer-Encoding' => 'chunked', 'Content-Encoding' => 'gzip'],
        ['two encodings', gz(zstd($page)), 'Content-Encoding' => 'zstd, gzip'],
        ['decoded already', $page, 'Transfer-Encoding' => 'chunked', 'Content-Encoding' => 'br'],
        ['a charset', $page, 'Content-Type' => 'text/html; charset=UTF-8'],
        ['a long charset', $page, 'Content-Type' => 'text/html; charset=' . 'x' x 100_000],
    );
    spew('bodies.warc', join '', map { my ($name, $body, @fields) = @{ $cases[$_] }; response("http://s$_/", http($body, %html, @fields)) } 0 .. $#cases);
    my ($code, $out, $err) = warc(qw(-m text -o bodies.out bodies.warc));
    is("$code $err", '0 ', 'exit code');
    warc(qw(-m strip -o strip.out bodies.warc));
    is((grep { length > 1000 } slurp('strip.out') =~ /^(Content-Type: .*)/mg), 0, 'no charset makes a long head');
    my %text = contents('bodies.out');
    like($text{"http://s$_/"}, qr/tells of thing 1/, $cases[$_][0]) for 0 .. $#cases;

    my $cut = substr gz($page x 40), 0, -100;
    spew('cut.warc', join '', response('http://a/', http($cut, %html, 'Content-Encoding' => 'gzip'), 'WARC-Truncated' => 'length'),
        response('http://b/', http(substr($chunked, 0, 300), %html, 'Transfer-Encoding' => 'chunked'), 'WARC-Truncated' => 'time'),
        response('http://c/', http($br, %html, 'Content-Encoding' => 'br')));
    my ($cut_code) = warc(qw(-m text -o cut.out --report cut.json cut.warc));
    %text = contents('cut.out');
    like($text{'http://a/'}, qr/Story number 1/, 'a body that was truncated: what there is');
    like($text{'http://b/'}, qr/Home/, 'in chunks, too');
    like($text{'http://c/'}, qr/^Brotli A story that br has packed\.$/m, 'br');

    my $five = $page;
    $five = gz($five) for 1 .. 5;
    spew('many.warc', join '', response('http://d/', http($five, %html, 'Content-Encoding' => 'gzip, gzip, gzip, gzip, gzip')),
        response('http://d/', http('x', %html, 'Content-Encoding' => ',' x (1 << 20))));
    warc(qw(-m text -o many.out --report many.json many.warc));
    is_deeply(decode_json(slurp('many.json'))->{declined}, { encoding => 2 }, 'more encodings than 4');

    my %declined = (
        status => response('http://d/', http($page, %html, status => '404 Not Found')),
        range => response('http://d/', http($page, %html, status => '206 Partial Content')),
        type => response('http://d/', http($page, 'Content-Type' => 'image/png')),
        encoding => response('http://d/', http($page =~ s/^/x/r, %html, 'Content-Encoding' => 'lzma')),
        inflate => response('http://d/', http($cut, %html, 'Content-Encoding' => 'gzip')),
        broken => response('http://d/', http(substr($chunked, 0, 300), %html, 'Transfer-Encoding' => 'chunked')),
        attachment => response('http://d/', http($page, %html, 'Content-Disposition' => 'attachment; filename=a')),
        empty => response('http://d/', http('', %html)),
        'too-large' => response('http://d/', http(' ' x (9 << 20), %html)),
    );
    spew('declined.warc', join '', values %declined, response('http://d/', 'no HTTP'), response('urn:x:y', http($page, %html)),
        record('resource', $page, 'WARC-Target-URI' => 'http://d/r', 'Content-Type' => 'text/html', 'WARC-Date' => '2026-03-01T12:00:00Z'),
        record('request', 'GET / HTTP/1.1', 'Content-Type' => 'application/http; msgtype=request'));
    my ($declined_code, $summary, $said) = warc(qw(-m text -o declined.out --report - declined.warc));
    is("$declined_code $said", '0 ', 'exit code of declined pages');
    my $report = decode_json($summary);
    is_deeply($report->{declined}, { map { $_ => $_ eq 'broken' ? 3 : 1 } keys %declined }, 'why pages are declined');
    is(join(' ', map { $report->{$_} } qw(records responses pages written)), '13 12 1 1', 'counts');
    like({ contents('declined.out') }->{'http://d/r'}, qr/Title 1/, 'a resource is a page');
};

subtest 'responses edited' => sub {
    my $png = response('http://one.example/a.png', http("\x89PNG" x 1000, 'Content-Type' => 'image/png', 'X-Kept' => 'yes'));
    my $long = response('http://one.example/film', http('x' x (17 << 20), 'Content-Type' => 'video/mp4'));
    my $request = record('request', "GET / HTTP/1.1\r\n\r\n", 'WARC-Target-URI' => 'http://one.example/', 'Content-Type' => 'application/http; msgtype=request');
    my $field = "Content-Length : 999\r\n";
    (my $spaced = $records[1]) =~ s/(?=Content-Type: text)/$field/;
    $spaced =~ s/(\r\nContent-Length: )(\d+)/$1 . ($2 + length $field)/e;
    spew('all.warc', join '', $info, $records[0], $spaced, @records[2 .. 15], $png, $request, $long);
    my ($code, $out, $err) = warc(qw(-m strip --responses -o all.out all.warc));
    is("$code $err", '0 ', 'exit code');
    my $bytes = slurp('all.out');
    ok(index($bytes, $_) > 0, 'as it was: ' . substr $_, 0, 30) for $info, $png, $request, $long;
    my ($first, @all) = records($bytes);
    is(scalar @all, 20, 'all records');
    my ($edited) = grep { $_->{type} eq 'response' } @all;
    my ($was) = grep { $_->{type} eq 'response' } records($records[0]);
    is($edited->{$_}, $was->{$_}, "keeps $_") for qw(WARC-Record-ID WARC-Target-URI WARC-Date Content-Type);
    my ($head, $body) = split /\r\n\r\n/, $edited->{content}, 2;
    is($body, $clean{strip}{ $edited->{'WARC-Target-URI'} }, 'and the page is stripped');
    is($head, "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: " . length $body, 'with fields that fit');
    is(scalar(() = $all[2]{content} =~ /^Content-Length/mg), 1, 'a length with a blank in front of the colon goes, too');
    $png =~ s/\r\n(?=.*\r\n\r\nHTTP)|\r\n(?=\r\nHTTP)|(?<=\n)\r\n(?=HTTP)/\n/gs;
    spew('lf.warc', $png);
    warc(qw(-m strip --responses -o lf.out lf.warc));
    is(substr(slurp('lf.out'), -length $png), $png, 'a head whose lines end in LF stays');
};

# What a damaged archive costs: the pages that are missing; its message; and whether its end is missing.
my $no_end = "it has no record, or no whole one at its end\n";
sub damage {
    my ($name, $bytes, $missing, $message, $is_cut) = @_;
    spew('bad', $bytes);
    my ($code, $out, $err) = warc(qw(-m text -o bad.out --report bad.json bad));
    is($code, $is_cut ? 1 : 0, "$name: exit code") or diag $err;
    is($err =~ s/^tmplctl: bad: //gmr, $message . ($is_cut ? $no_end : ''), "$name: the message");
    my %got = contents('bad.out');
    is(join(' ', grep { !defined $got{ $sorted[$_][0] } } 0 .. $#sorted), $missing, "$name: pages that are missing");
    is(decode_json(slurp('bad.json'))->{damaged}, () = $message =~ /\n/g, "$name: counted");
}

subtest 'damage' => sub {
    my @gz = map { gz($_) } @records;
    my $at = sub { my $n = 0; $n += length for @_; return $n };
    my ($p3, $g3) = ($at->(@records[0 .. 2]), $at->(@gz[0 .. 2]));
    my $all = $at->(@records);
    my $length = (records($records[3]))[0]{'Content-Length'};
    my $with = sub { my ($n) = @_; my @r = @records; $r[3] =~ s/Content-Length: $length/Content-Length: $n/; return @r };
    damage('cut off', substr(join('', @records), 0, -50), 15, "byte " . $at->(@records[0 .. 14]) . ": the record has "
            . ((records($records[15]))[0]{'Content-Length'} - 46) . " of its " . (records($records[15]))[0]{'Content-Length'} . " bytes\n", 1);
    damage('cut off, gzip', substr(join('', @gz), 0, -50), 15, "byte " . $at->(@gz[0 .. 14]) . ": the record is not whole, the file ends within it\n", 1);
    damage('too short', join('', $with->(20)), 3, "byte $p3: the record has more than its 20 bytes\n");
    damage('too long', join('', $with->(1000000)), 3, "byte $p3: the record has " . ($all - $p3 - length(($records[3] =~ /^(.*?\r\n\r\n)/s)[0])) . " of its 1000000 bytes\n");
    damage('a bit too long', join('', $with->($length + 8)), 3, "byte $p3: the record has more than its " . ($length + 8) . " bytes\n");
    damage('too short, gzip', join('', map { gz($_) } $with->(20)), 3, "byte $g3: the record has more than its 20 bytes\n");
    damage('too long, gzip', join('', map { gz($_) } $with->(1000000)), 3, "byte $g3: the record has " . ($length + 4) . " of its 1000000 bytes\n");
    damage('no length', join('', $with->('x')), 3, "byte $p3: the record's Content-Length is missing or no number\n");
    damage('garbage', join('', @records[0 .. 2], "garbage\r\n" x 100, @records[3 .. 15]), '', "byte $p3: no record of WARC/1.0 or 1.1 begins here\n");
    damage('garbage, gzip', join('', @gz[0 .. 2], "garbage\x1f\x8b\x08 more" x 10, @gz[3 .. 15]), '', "byte $g3: no record begins here\n");
    my @broken = @gz;
    substr($broken[3], 60, 4) = "\xff\xff\xff\xff";
    damage('a damaged member', join('', @broken), 3, "byte $g3: its compressed data is damaged\n");
    @broken = @gz;
    substr($broken[3], -8, 4) = "\0\0\0\0";
    damage('a wrong checksum', join('', @broken), 3, "byte $g3: the record is not whole, its compressed data is damaged\n");
    substr($broken[3], 60) = '';
    damage('a member cut off', join('', @broken), 3, "byte $g3: its compressed data is damaged\n");
    damage('no end of the head', $records[0] . "WARC/1.1\r\n" . "X: y\r\n" x 20000 . join('', @records[1 .. 15]), '', 'byte ' . length($records[0]) . ": the record's head has no end in 64 KiB\n");
    # what looks like records, but has no empty line: looking at each would take minutes
    spew('headless.warc', ($with->(20))[3] . "\nWARC/1.0\nWARC" x (1 << 22) . "\r\n\r\n$records[4]");
    warc(qw(-m text -o headless.out headless.warc));
    is(join(' ', keys %{ { contents('headless.out') } }), $sorted[4][0], 'a record behind begins of records');
    # 400 MB of heads without a length, of which nothing may stay in memory
    spew('heads.warc.gz', gz(join '', map { "WARC/1.1\r\nWARC-Type: $_" . 'y' x 1000 . "\r\n\r\n" } 1 .. 4000) x 100 . gz($records[4]));
    is(system("ulimit -v 300000; $tool warc -m keys heads.warc.gz >heads.keys 2>heads.err"), 0, 'heads without a length') or diag slurp('heads.err');
    is(scalar(split /\n/, slurp('heads.keys')), 1, 'the record behind them');
    my $long = response('http://one.example/film', http('x' x (17 << 20), %html));
    spew('long.warc.gz', gz(($with->(20))[3]) . gz($long));
    is((warc(qw(-m strip --responses -o long.out long.warc.gz)))[0], 0, 'damage in front of a record too long for memory: exit code');
    ok(index(slurp('long.out'), $long) > 0, 'the long one is copied');
    my %cut = ('a file' => $records[0] . substr($long, 0, -50), 'gzip' => $gz[0] . substr(gz($long), 0, -50));
    for my $name (sort keys %cut) {
        spew('long.cut', $cut{$name});
        my ($code, undef, $err) = warc(qw(-m text -o cut.out long.cut));
        is($code, 1, "$name that ends in one: exit code");
        like($err, qr/\A.*\n.*: \Q$no_end\E\z/, 'the message');
    }
    my $fake = response('http://one.example/fake', http(page(3) . "\r\n" . response('http://fake/', http(page(1), %html)), %html));
    spew('fake.warc', $fake);
    warc(qw(-m text -o fake.out fake.warc));
    is(join(' ', keys %{ { contents('fake.out') } }), 'http://one.example/fake', 'what looks like a record in a page is none');
    spew('none', 'this is no archive');
    SKIP: {
        skip 'there is no file that cannot be read', 2 if !-e '/proc/self/mem';
        my ($code, undef, $err) = warc(qw(-m text --incremental -o unread.out /proc/self/mem));
        is($code, 1, 'a file that cannot be read: exit code');
        like($err, qr{^tmplctl: /proc/self/mem: cannot read to its end: }m, 'the message');
    }
    my ($code, $out, $err) = warc(qw(-m text -o none.out none));
    is("$code $err", "1 tmplctl: none: byte 0: no record of WARC/1.0 or 1.1 begins here\ntmplctl: none: $no_end", 'no archive');
    spew('none', '');
    ($code, $out, $err) = warc(qw(-m text -o none.out none));
    is("$code $err", "1 tmplctl: none: $no_end", 'an empty file');
};

subtest 'outputs that cannot be' => sub {
    my $a = slurp('a.warc');
    my $refused = sub {
        my ($message, @args) = @_;
        my ($code, $out, $err) = warc(qw(-m text), @args, 'a.warc');
        is($code, 1, "$message: exit code");
        like($err, qr/^tmplctl: warc: .*$message/, 'the message');
    };
    link 'a.warc', 'linked.warc';
    symlink 'a.warc', 'symbolic.warc';
    $refused->('linked.warc: cannot write: it is an input', qw(-o linked.warc));
    $refused->('symbolic.warc: cannot write: it exists and is not a regular file', qw(-o symbolic.warc));
    $refused->('nowhere/x: cannot write: No such file', qw(-o nowhere/x));
    $refused->('new.warc: cannot write: it is --out, too', qw(-o new.warc --report), $_) for qw(new.warc ./new.warc);
    $refused->('a.warc: cannot write: it is an input', qw(--report a.warc));
    $refused->('nowhere/x: cannot write: No such file', qw(-o new.warc --report nowhere/x));
    is(slurp('a.warc'), $a, 'the input is as it was');
    ok(!-e 'new.warc.part', 'nothing was begun');

    mkdir 'held.warc.part';
    open my $lock, '>', 'held.warc.part/lock' or die $!;
    flock $lock, LOCK_EX or die $!;
    $refused->('held.warc.part: another run is at work there', qw(-o held.warc));

    system 'mkfifo', 'pipe';
    usage_is(['warc', qw(-m text -o new.warc pipe)], qr/pipe can be read once only: name --incremental or --frozen/, 'a pipe twice');
    spew('short.warc', substr response('http://a/film', http('x' x (17 << 20))), 0, -1000);
    system "printf before >after; $tool warc -m strip --responses --incremental short.warc >>after 2>/dev/null";
    like(slurp('after'), qr/^before/, 'standard output is not cut');
    SKIP: {
        skip 'no /dev/full', 2 if !-c '/dev/full';
        spew('wide.warc', join '', map { response("http://a/$_", http(page($_), %html)) } 1 .. 200);
        my ($code, undef, $err) = redirected('>/dev/full', qw(warc -m text --incremental wide.warc));
        is($code, 1, 'standard output is full: exit code');
        like($err, qr/^tmplctl: warc: standard output: cannot write: .+\n\z/, 'the message');
    }
};

subtest 'stores' => sub {
    my ($code, $out, $err) = warc(qw(-m learn --store lmdb:tables a.warc.gz));
    is("$code $err", '0 ', 'mode learn');
    like($out, qr/^17 records: 16 pages of 2 sites, 0 edited/, 'what it did');
    is((split ' ', (run(qw(stats --store lmdb:tables one.example)))[1])[9], 8, 'the table has the pages');
    warc(qw(-m text --frozen --store lmdb:tables -o frozen.warc a.warc));
    is_deeply({ contents('frozen.warc') }, $clean{text}, '--frozen judges by it');
    mkdir 'damaged';
    spew('damaged/data.mdb', 'x' x 5000);
    like((warc(qw(-m text --frozen --store lmdb:damaged -o never.warc a.warc)))[2], qr/^tmplctl: warc: lmdb:damaged: cannot open: data\.mdb is damaged: move it away$/, 'but not by a damaged one');
    like((warc(qw(-m text --frozen --store lmdb:missing -o never.warc a.warc)))[2], qr/^tmplctl: warc: lmdb:missing: no store found/, 'nor by none');
    ($code, $out, $err) = feed(slurp('a.warc.gz'), qw(warc --detector incremental -m text --frozen --store lmdb:tables -));
    is(join('', map { $_->{content} } (records($out))[1 .. 16]), join('', map { $_->{content} } (records(slurp('frozen.warc')))[1 .. 16]), 'from standard input');
    warc(qw(-m learn --store lmdb:tables a.warc.gz));
    is((split ' ', (run(qw(stats --store lmdb:tables one.example)))[1])[9], 8, 'a page that is learnt again does not count twice');
    warc(qw(-m text --site all -o all.warc a.warc));
    unlike({ contents('all.warc') }->{'http://two.example/1.html'}, qr/^Home/m, '--site: all pages share a table');
};

subtest 'a store that is full' => sub {
    spew('full.warc', join '', map { my $n = $_; response("http://full.example/$n", http(page($n) . join('', map { "<p>Paragraph $_ is of page $n alone." } 1 .. 30), %html)) } 1 .. 1000);
    system 'sh', '-c', q{trap '' XFSZ; ulimit -f 660; exec "$@" 2>full.err}, 'sh', $tool, qw(warc -m learn --store lmdb:full --report full.json full.warc);
    is($? >> 8, 3, 'a store that is full: exit code');
    like(slurp('full.err'), qr{^tmplctl: http://full\.example/\d+: store: lmdb:.*\n\z}, 'one message, for the first page that is not learnt');
    my $full = decode_json(slurp('full.json'));
    is("$full->{records} " . ($full->{learnt} + $full->{store_failures}), '1000 1000', 'a page is learnt, or a failure');
};

# A run that is killed, at any time, goes on with the input that was not read to its end.
subtest 'a kill' => sub {
    many();
    my @many = map { "many$_.warc.gz" } 0 .. 19;
    for my $i (0 .. $#many) {
        spew($many[$i], join '', map { gz(response("http://many.example/$_.html", http(slurp("many/$_.html"), %html))) } 150 * $i + 1 .. 150 * $i + 150);
    }
    my @args = (qw(warc -m text -j 2 -o), 'killed.warc.gz', (@many) x 2);
    my ($kills, $code, $err) = (0);
    for my $signal (qw(KILL KILL TERM)) {
        my $pid = fork // die $!;
        if ($pid == 0) {
            open STDERR, '>', 'killed.err';
            open STDOUT, '>', '/dev/null';
            exec $tool, @args;
            exit 1;
        }
        # at its begin, and behind an input
        for (1, 2) {
            my $before = slurp('killed.warc.gz.part/state') // '';
            wait_for { (slurp('killed.warc.gz.part/state') // $before) ne $before || -e 'killed.warc.gz' };
        }
        kill $signal, $pid;
        waitpid $pid, 0;
        next if ($? & 127) == 0;
        is((run(@args, '--min-df', 9))[0], 1, 'with other options it does not go on') if $kills++ == 0;
    }
    cmp_ok($kills, '>', 0, 'it was killed');
    my ($whole) = run(@args);
    is($whole, 0, 'and ended');
    is((run(qw(warc -m text -o whole.warc.gz), (@many) x 2))[0], 0, 'a run at once');
    my ($killed, $at_once) = map { my @m = members(slurp($_)); join '', map { $_->[2] } @m[1 .. $#m] } qw(killed.warc.gz whole.warc.gz);
    ok($killed eq $at_once, 'gives the same records');

    mkdir 'other.warc.part';
    spew('other.warc.part/state', 'another');
    ($code, my $out, $err) = warc(qw(-m text -o other.warc a.warc));
    is($code, 1, 'what another run left: exit code');
    like($err, qr/^tmplctl: warc: other\.warc\.part/, 'the message');
};

usage_is(['warc', '-', '-'], qr/^tmplctl: warc: standard input can be read once only$/m, 'standard input twice');
usage_is(['warc', qw(-m text -o a?b.warc a.warc)], qr/--out with a "\?" needs --store/, 'a name that ends the name of a store');
usage_is(['warc', qw(-m text --frozen a.warc)], qr/--frozen needs --store/, 'no store to judge by');
usage_is(['warc', qw(-m learn a.warc)], qr/--mode learn needs --store/, 'no store to fill');
usage_is(['warc', qw(-m text --responses a.warc)], qr/--responses needs mode strip or annotate/, 'responses as text');
usage_is(['warc', qw(-m blocks a.warc)], qr/--mode: blocks is for clean/, 'a mode of clean alone');
usage_is(['warc', qw(-m text -)], qr/standard input can be read once only: name --incremental or --frozen/, 'standard input twice');
usage_is(['warc', qw(-m words a.warc)], qr/--mode: "words" is not one of /, 'an unknown mode');
usage_is(['warc', qw(-m text missing.warc)], qr/^tmplctl: warc: missing\.warc: No such file or directory$/m, 'a missing file');
usage_is(['warc', qw(-m text)], qr/^tmplctl: warc: WARC\.\.\. is missing$/m, 'no file');

done_testing;
