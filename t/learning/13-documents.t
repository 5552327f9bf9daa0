# SPDX-License-Identifier: Apache-2.0

# Document frequency counts documents, not requests. A page that is requested a hundred times, with
# twenty variants of tracking parameters, or with many URLs and one canonical link is one document,
# even if it shows a counter that differs each time: its content never becomes template.

use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::Tmpl;

my $site = site();

# /visit/N is page N with a text that differs for each request, a long one with fresh=yes;
# ?canonical=URL adds a canonical link.
my $backend = backend {
    my ($connection, $request) = @_;
    return $site->answer(@_) if $request->{target} !~ m{^(?:/key)?/visit/(\d+)};
    my $html = $site->page($1);
    my $visit = join ' ', 'Served', time, $$, $request->{target} =~ s/\W/ /gr;
    $visit = join ' ', map { "$visit $_" } 1 .. 40 if $request->{target} =~ /fresh=yes/;
    $html =~ s{</main>}{<div>$visit</div></main>};
    my ($canonical) = $request->{target} =~ /canonical=([^&]*)/;
    $html =~ s{</head>}{<link rel="canonical" href="$canonical"></head>} if defined $canonical;
    return $connection->respond(200, { 'Content-Type' => 'text/html' }, $html);
};

my $httpd = proxy($backend, detector => 'incremental', conf => <<'END');
TmplMode strip
TmplSiteKey %{req:X-Site}
<Location /key>
    TmplPageKey %{REQUEST_URI}
</Location>
END
my $get = sub {
    my ($name, $target) = @_;
    return $httpd->get($target, headers => { 'X-Site' => $name });
};
my $article = $site->piece(7, 'article');

subtest 'the same address, a hundred times' => sub {
    my @answers = map { $get->('same', '/page/7') } 1 .. 100;
    is scalar(grep { $_->body eq $site->page(7) } @answers), 100, 'the page is unchanged each time';
    is $answers[-1]->says('pages'), 1, 'one document';
};

subtest 'on a site that is known' => sub {
    $get->('known', "/page/$_") for 11 .. 16;
    my @answers = map { $get->('known', '/page/7') } 1 .. 100;
    is scalar(grep { $_->body eq $site->stripped(7) } @answers), 100, 'the article is complete each time';
    is $answers[-1]->says('pages'), 7, 'seven documents';
};

subtest 'tracking parameters' => sub {
    my @variants = map { ("utm_source=s$_&utm_medium=m", "gclid=g$_", "fbclid=f$_", "PHPSESSID=deadbeef0$_") } 1 .. 5;
    my @answers = map { $get->('tracking', "/visit/7?$_") } @variants;
    is scalar(grep { index($_->body, $article) >= 0 } @answers), 20, 'the article is kept for 20 variants';
    is $answers[-1]->says('pages'), 1, 'one document';
    is $get->('tracking', '/visit/8?utm_source=s1')->says('pages'), 2, 'another path is another document';
};

subtest 'order of the parameters' => sub {
    $get->('order', '/visit/7?a=1&b=2&fresh=yes');
    is $get->('order', '/visit/7?fresh=yes&b=2&a=1')->says('pages'), 1, 'another order of parameters is the same document';
    is $get->('order', '/visit/7?a=2&b=1&fresh=yes')->says('pages'), 2, 'other values of parameters are another document';
};

subtest 'escapes' => sub {
    $get->('escapes', '/visit/7~?fresh=yes');
    is $get->('escapes', '/visit/7%7e?fresh=yes')->says('pages'), 1, 'an escape of a character that needs none: the same document';
    is $get->('escapes', '/visit/7~%3ffresh=yes')->says('pages'), 2, 'an escaped ? begins no query: another document';
};

subtest 'canonical links' => sub {
    my @answers = map { $get->('canonical', "/visit/7?id=$_&canonical=/story/seven") } 1 .. 20;
    is scalar(grep { index($_->body, $article) >= 0 } @answers), 20, 'the article is kept for 20 URLs';
    is $answers[-1]->says('pages'), 1, 'one document';
};

# The canonical link has the public name of the site, which may differ from the proxy's name and
# from Host.
subtest 'canonical links with a host' => sub {
    my @hosts = ('test.example', 'www.origin.example', map { "x$_.example" } 1 .. 8);
    my $canonical = 'canonical=http://www.origin.example/story/seven';
    my @answers = map {
        $httpd->get("/visit/7?id=$_&$canonical", headers => { 'X-Site' => 'host', Host => $_ })
    } @hosts;
    is scalar(grep { index($_->body, $article) >= 0 } @answers), 10, 'the article is kept for any Host';
    is $answers[-1]->says('pages'), 1, 'one document';
    my $same = $get->('host', '/visit/7?canonical=HTTPS://WWW.origin.example:443/story/seven?utm_source=x');
    is $same->says('pages'), 1, 'scheme, port, case of the host and tracking parameters do not matter';
    my $other = $get->('host', '/visit/7?fresh=yes&canonical=http://other.example/story/seven');
    is $other->says('pages'), 2, 'another host is another document';
};

subtest 'one canonical link on all pages, by mistake' => sub {
    my @answers = map { $get->('mistake', "/visit/$_?canonical=http://www.origin.example/") } 1 .. 8;
    is $answers[-1]->says('pages'), 1, 'one document';
    is $answers[-1]->says('template'), 0, 'the site is not learnt: no template';
    @answers = map { $get->('mistake by key', "/key/visit/$_?canonical=http://www.origin.example/") } 1 .. 8;
    is $answers[-1]->says('pages'), 8, 'with TmplPageKey each page is a document';
    isnt $answers[-1]->says('template'), 0, 'with TmplPageKey the site is learnt';
};

subtest 'equal text' => sub {
    my @answers = map { $get->('text', "/page/7?id=$_") } 1 .. 20;
    is $answers[-1]->says('pages'), 1, 'many URLs of one page are one document';
    same_bytes($answers[-1]->body, $site->page(7), 'the page is unchanged');
};

# Made-up URLs of one page, whose text hardly differs: t/learning/49-near-copies.t.
subtest 'addresses that do differ' => sub {
    my @answers = map { $get->('differ', "/visit/7?id=$_&fresh=yes") } 1 .. 8;
    is $answers[-1]->says('pages'), 8, 'URLs of pages whose text differs a lot are documents';
    is index($answers[-1]->body, $article), -1, 'their common text is template, so this test can fail';
};

$httpd->finish;
done_testing;
