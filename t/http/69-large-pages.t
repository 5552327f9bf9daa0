# SPDX-License-Identifier: Apache-2.0

# Pages of 70 KB, 300 KB, 1 MB and 8 MB in each mode, with TmplHeaders on and off, over HTTP/1 and HTTP/2,
# with each MPM, and with the access log that conf/mod_tmpl.conf suggests: no child dies, each body is right,
# and each line of the log has the fingerprint that the response's Tmpl field has. (Memory that a pool has
# given back is used again at once if it is large. With small pages only the APR of tests/httpd/apr-debug shows
# who reads it.)

use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::Tmpl;
use Test::Tmpl::Http2;
use Test::Tmpl::Pages;

my @MODES = qw(learn headers annotate strip text markdown json highlight);
my %MPMS = (event => 1, worker => 1, prefork => 0);    # whether mod_http2 works with it
my $HUGE = 50;                                         # the page of 8 MB
my $site = site(large => 10, extra => sub { $_[0] == $HUGE ? Test::Tmpl::Pages::long($_[0], 8 << 20) : '' });
my @LARGE = (4, 7, 9);
my %page = map { $_ => $site->page($_) } 1 .. 9, $HUGE;
my $FOOTER = 'Copyright 2020 by the makers';

# /MODE/FIELDS/NUMBER.html is the file NUMBER.html; FIELDS is TmplHeaders.
sub server {
    my ($mpm) = @_;
    my $sections = join '', map {
        my $mode = $_;
        my $allow = $mode eq 'highlight' ? 'TmplHighlightAllow true' : '';
        map { "<Location \"/$mode/$_/\">\n    TmplMode $mode\n    $allow\n    TmplHeaders $_\n    TmplLearn off\n</Location>\n" } qw(on off);
    } @MODES;
    my $httpd = Test::Tmpl::Httpd->new(mpm => $mpm, modules => $MPMS{$mpm} ? ['http2'] : [], conf => <<"END");
${\ ($MPMS{$mpm} ? 'Protocols h2c http/1.1' : '')}
TmplMode strip
TmplMaxBody 16M
$sections
AliasMatch "^/\\w+/(?:on|off)/(\\d+\\.html)\$" "\@ROOT\@/htdocs/\$1"
<Directory "\@ROOT\@/htdocs">
    Require all granted
</Directory>
END
    spit($httpd->root . "/htdocs/$_.html", $page{$_}) for keys %page;
    $httpd->start;
    $httpd->get("/$_.html") for 1 .. 9;
    return $httpd;
}

sub path { my ($mode, $fields, $n) = @_; return "/$mode/$fields/$n.html" }

# What is wrong with the body of page n in a mode; undef if it is right.
sub fault_of {
    my ($mode, $n, $body) = @_;
    return $body eq $page{$n} ? undef : 'not the page' if $mode eq 'learn' || $mode eq 'headers';
    return unmark($body) eq $page{$n} && $body ne $page{$n} ? undef : 'not the page and marks' if $mode eq 'annotate';
    return $body eq $site->stripped($n) ? undef : 'not stripped' if $mode eq 'strip';
    return 'the article is not there' if $body !~ /Item $n\.1 tells of/ || $body !~ /Item $n\.4 tells of/;
    # a page with too many blocks is declined
    return $body =~ /data-tmpl-is="template"/ || $body eq $page{$n} ? undef : 'nothing is shaded' if $mode eq 'highlight';
    return $body =~ /$FOOTER/ ? 'the footer is there' : undef;
}

# The fingerprint that the log has to have: that of the page, where one is made.
sub expected_print {
    my ($mode, $fields, $print, $declined) = @_;
    return '-' if $mode eq 'learn' || $declined;
    return $fields eq 'on' || $mode =~ /^(?:headers|json)$/ ? $print : '-';
}

# Requests all these pages over HTTP/1, each with all settings. Returns { path => body } and
# { path => the fingerprint that the log has to have }.
sub over_http1 {
    my ($httpd, @n) = @_;
    my (%body, %print, @wrong);
    my $client = $httpd->client;
    for my $n (@n) {
        my $print = $client->get(path('headers', 'on', $n))->says('fingerprint');
        push @wrong, "page $n has no fingerprint" if $print !~ /^[0-9a-f]{16}$/;
        for my $mode (@MODES) {
            my $declined;
            for my $fields ($n == $HUGE ? 'on' : qw(on off)) {
                my $path = path($mode, $fields, $n);
                my $res = $client->get($path);
                my $fault = $res->status != 200 || !$res->complete ? 'not a whole response' : fault_of($mode, $n, $res->body);
                $declined //= $res->says('declined') ne '';
                $print{$path} = expected_print($mode, $fields, $print, $declined);
                my $said = $fields eq 'on' && $res->says('fingerprint') || '-';
                $fault //= "the field says $said" if $mode ne 'learn' && $fields eq 'on' && $said ne $print{$path};
                push @wrong, "$path: $fault" if defined $fault;
                $body{$path} = $res->body;
            }
        }
    }
    is join("\n", @wrong), '', 'HTTP/1: each response is right';
    return (\%body, \%print);
}

# All at once on one connection.
sub over_http2 {
    my ($httpd, $body) = @_;
    my @paths = sort keys %$body;
    my @answers = Test::Tmpl::Http2::get_all($httpd->port, @paths);
    my @wrong = grep { !$answers[$_][0] || $answers[$_][1] ne $body->{ $paths[$_] } } 0 .. $#paths;
    is join(' ', map { $paths[$_] } @wrong), '', 'HTTP/2, many streams: the same responses';
    return;
}

# The program of nghttp2, with four connections of twenty streams.
sub by_h2load {
    my ($httpd, @paths) = @_;
    SKIP: {
        skip 'no h2load (nghttp2-client)', 1 if !grep { -x "$_/h2load" } split /:/, $ENV{PATH};
        my $dir = temp_dir();
        my $list = spit("$dir/list", join '', map { 'http://127.0.0.1:' . $httpd->port . "$_\n" } @paths);
        my $n = 2 * @paths;
        my $said = `h2load -n $n -c 4 -m 20 -i $list 2>&1`;
        like $said, qr/$n total, $n started, $n done, $n succeeded, 0 failed, 0 errored/, 'h2load: all requests succeed' or diag $said;
    }
    return;
}

# with sanitizers one MPM, as for all tests
for my $mpm ($ENV{TMPL_TEST_MPM} // ($ENV{TMPL_TEST_PRELOAD} ? 'event' : sort keys %MPMS)) {
    Test::Tmpl::Process::set_limit();
    subtest $mpm => sub {
        plan skip_all => "no mod_mpm_$mpm" if !Test::Tmpl::Httpd::has_module("mpm_$mpm");
        my $httpd = server($mpm);
        my ($body, $print) = over_http1($httpd, @LARGE);
        my ($huge_body, $huge_print) = $mpm eq 'event' ? over_http1($httpd, $HUGE) : ({}, {});
        if ($MPMS{$mpm} && Test::Tmpl::Httpd::has_module('http2')) {
            over_http2($httpd, $body);
            over_http2($httpd, { map { $_ => $huge_body->{$_} } grep { m{^/strip/} } keys %$huge_body });
            by_h2load($httpd, keys %$body);
        }
        $httpd->finish('no child died, and each line of the log is well-formed');
        my %want = (%$print, %$huge_print);
        my @lines = map { $_->{'"%r"'} =~ m{ (/\w+/\S+) } ? [$1, $_->{'%{tmpl-fingerprint}n'}] : () } $httpd->access;
        cmp_ok scalar @lines, '>=', keys %want, 'the log has all requests';
        is join("\n", map { "$_->[0]: $_->[1]" } grep { $_->[1] ne $want{ $_->[0] } } @lines), '', 'each with its fingerprint';
    };
}

done_testing;
