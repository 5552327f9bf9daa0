# SPDX-License-Identifier: Apache-2.0

# TmplParts says which parts of a page stay, in the server and in sections, as Options does. TmplKeep and
# TmplDrop override it. The field Tmpl says what went, marks name it, and text and Markdown are without it.

use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::Tmpl;

my $root = "$FindBin::Bin/../..";
my $main = '<main>' . join('', map { "<p>Sentence $_ of the article says what it is about, and says it in as many words as it takes.</p>" } 1 .. 6)
    . '</main>';
my @says = ('I have read this to its end, and agree with all of it.', 'Where did you find the old figures? I looked for them in vain.',
    'My neighbour tried it last year, but it did not last.');
my @comment = map { "<li><cite>Reader $_</cite><p>$says[$_ - 1]</p></li>" } 1 .. 3;
my $comments = "<ol id=comments>@comment</ol>";
my $page = "<!DOCTYPE html><title>A</title><body>$main$comments";
my $thread = "<!DOCTYPE html><title>T</title><body><ol id=comments><li><cite>Author</cite>$main</li>@comment</ol>";
my $backend = backend {
    my ($connection, $request) = @_;
    return $connection->respond(200, { 'Content-Type' => 'text/html' }, $request->{target} =~ /thread$/ ? $thread : $page);
};
my %SAYS = (
    none => '',
    body => 'TmplParts -body',
    back => "TmplParts -body\n    TmplKeep main",
    away => "TmplParts all\n    TmplDrop main",
    again => "TmplParts -body\n    TmplParts +body",
    only => 'TmplParts headline, body',
    incremental => "TmplDetector incremental\n    TmplParts -body",
    marks => "TmplParts -body\n    TmplMode annotate\n    TmplMark parts",
    text => "TmplMode text\n    TmplParts -body\n    TmplKeep cite",
    markdown => "TmplMode markdown\n    TmplParts -body\n    TmplKeep cite",
    without => 'TmplParts -comment',
    with => 'TmplParts all',
);
# by the trees all is content
my $httpd = proxy($backend, conf => "TmplMode strip\nTmplMinKeep 0\nTmplRatio 1\nTmplParts all\n"
    . join '', map { "<Location /$_/>\n    $SAYS{$_}\n    ProxyPass ${\ $backend->url}/\n</Location>\n" } sort keys %SAYS);
$httpd->expect_log(qr/T040.*TmplParts has no effect/);

sub of { my ($name, $path) = @_; return $httpd->get("/$name/" . ($path // 'page')) }

same_bytes(of('none')->body, $page, 'all is inherited');
is of('none')->says('parts'), '', 'and nothing is said of parts';
my $res = of('body');
unlike $res->body, qr/Sentence/, '-body: the main text goes';
is_deeply $res->says('parts'), ['body'], 'the field says so';
like of('back')->body, qr/\Q$main/, 'TmplKeep overrides it';
my $away = of('away');
unlike $away->body, qr/Sentence/, 'TmplDrop overrides it';
is $away->says('parts'), '', 'and what it drops is template';
same_bytes(of('again')->body, $page, 'a second line of the section changes the first');
like of('only')->body, qr/Sentence 1.*Sentence 6/s, 'body among others: it stays';
same_bytes(of('incremental')->body, $page, 'incremental knows no parts');
like of('marks')->body, qr/<main data-tmpl="body">/, 'the mark names the part';
same_bytes(of('marks')->body =~ s/ data-tmpl="\w*"|<!--\/?tmpl-->//gr, $page, 'and nothing else changes');
for my $mode (qw(text markdown)) {
    my $text = of($mode)->body;
    unlike $text, qr/Sentence/, "$mode obeys";
    like $text, qr/Reader 1/, "$mode has the rest";
}

SKIP: {
    skip 'no part but body is found', 6 if !-e "$root/shared/detect/parts_find.c";
    $res = of('without');
    same_bytes($res->body, "<!DOCTYPE html><title>A</title><body>$main", '-comment: comments go');
    is_deeply $res->says('parts'), ['comment'], 'the field says so';
    like of('only')->body, qr/^(?!.*Reader)/s, 'a set without comment: they go';
    same_bytes(of('with')->body, $page, 'all: they stay');
    same_bytes(of('without', 'thread')->body, $thread, 'the posts of a thread are no comments');
    like of('marks')->body, qr/<main data-tmpl="body">(?!.*data-tmpl).*Reader 3/s, 'what stays has no mark';
}

$httpd->finish;
done_testing;
