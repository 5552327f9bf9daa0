# SPDX-License-Identifier: Apache-2.0

# TmplComments decides whether readers' comments below an article stay; TmplKeep and TmplDrop override
# TmplComments. The posts of a thread are not comments.

use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::Tmpl;

my $article = '<main>' . join('', map { "<p>Sentence $_ of the article says what it is about, and says it in as many words as it takes.</p>" } 1 .. 6)
    . '</main>';
my @comment = map { "<li><cite>Reader $_</cite><p>I have read this to its end and agree.</p></li>" } 1 .. 3;
my %PAGE = (
    '/article' => "<!DOCTYPE html><title>A</title><body>$article<ol id=comments>@comment</ol>",
    '/thread' => "<!DOCTYPE html><title>T</title><body><ol id=comments><li><cite>Author</cite>$article</li>@comment</ol>",
);
my $backend = backend {
    my ($connection, $request) = @_;
    my ($page) = $request->{target} =~ m{(/\w+)$};
    return $connection->respond(200, { 'Content-Type' => 'text/html' }, $PAGE{$page});
};
my %SAYS = (
    keep => "TmplComments keep\n    TmplRatio 0",
    drop => 'TmplComments drop',
    back => "TmplComments drop\n    TmplKeep #comments",
    away => "TmplComments keep\n    TmplDrop #comments",
);
# with ratio 1 nothing is template but what the operator names, with ratio 0 all else is
my $httpd = proxy($backend, conf => "TmplMode strip\nTmplMinKeep 0\nTmplDetector pagelevel\nTmplRatio 1\n"
    . join '', map { "<Location /$_/>\n    $SAYS{$_}\n    ProxyPass ${\ $backend->url}/\n</Location>\n" } sort keys %SAYS);

my $without = $PAGE{'/article'} =~ s{<ol.*</ol>}{}sr;
my $kept = $httpd->get('/keep/article')->body;
like $kept, qr/Reader 1.*Reader 2.*Reader 3/s, 'keep: all stay';
unlike $kept, qr/Sentence 1/, 'on a page of which all else goes';
same_bytes($httpd->get('/drop/article')->body, $without, 'drop: all go');
same_bytes($httpd->get('/back/article')->body, $PAGE{'/article'}, 'TmplKeep overrides drop');
same_bytes($httpd->get('/away/article')->body, $without, 'TmplDrop overrides keep');
same_bytes($httpd->get('/drop/thread')->body, $PAGE{'/thread'}, 'the posts of a thread stay');

$httpd->finish;
done_testing;
