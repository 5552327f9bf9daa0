#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
#
# Threads as software for forums and mail archives writes them, one made page each: the author and the date of the
# thread are those of its first post, and each post has its own.
use strict;
use warnings;

use FindBin;
use JSON::PP qw(decode_json);
use Test::More;

use lib "$FindBin::Bin/../lib", "$FindBin::Bin/../../t/lib";
use Tmplctl;

my @posts = ('ann 2026-01-22', 'bo_78 2026-01-23', 'cem 2026-01-25');
my @mails = ('Ann Lee 2026-01-22', 'Bo Chen 2026-01-23', 'Cem Demir 2026-01-25');

# The posts of a page; the first one is the thread's. An archive's page with one message has no records.
my %pages = (
    (map { $_ => \@posts } qw(discourse invision mybb phpbb vbulletin xenforo)),
    hyperkitty             => \@mails,
    mailman                => ['Ann Lee 2026-01-22'],
    'public-inbox-message' => ['Ann Lee 2026-01-22'],
);

for my $name (sort keys %pages) {
    my ($code, $out) = feed_as_is(slurp("$root/tests/tool/threads/$name.html"), 'clean', '--mode', 'json', '--site', 's');
    my $page = decode_json($out);
    my @records = map { @{ $_->{items} } } @{ $page->{records} };
    my $posts = $pages{$name};
    is(join(' ', @{ $page->{author} // [] }, substr($page->{published} // '', 0, 10)), $posts->[0], "$name: the first post's author and date");
    is_deeply([map { "$_->{author} " . substr($_->{date}, 0, 10) } @records], @$posts > 1 ? $posts : [], "$name: each post's");
    is($page->{title}, ($name eq 'vbulletin' ? 'Thread: ' : $name eq 'mailman' ? '[Boats] ' : '') . 'How to fix a loose mast step', "$name: title");
}

done_testing;
