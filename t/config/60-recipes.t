# SPDX-License-Identifier: Apache-2.0

# The recipes in conf/ do what they say, end to end: the cleaning reverse proxy, the reader's pages, the
# crawler's proxy. The reference file of all directives is accepted and changes nothing, and the shipped
# default configuration leaves pages alone.

use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::Tmpl;
use Compress::Zlib ();
use File::Basename qw(basename);

my $conf = "$FindBin::Bin/../../conf";
plan skip_all => 'no conf/' if !-e "$conf/reverse-proxy.conf";

my $site = site();
my $backend = backend {
    my ($connection, $request) = @_;
    $request->{target} =~ s{^/account}{};
    return $connection->respond(200, { 'Content-Type' => 'text/html', Tmpl => 'state=warm, ratio=0.5' }, '<frameset><!--tmpl-->')
        if $request->{target} eq '/forged';
    return $connection->respond(200, { 'Content-Type' => 'text/html' }, "<title>Echo</title><article><h1>Echo</h1><p>" . 'Some text. ' x 30 . "<p>asked: $request->{target}.</article>")
        if $request->{target} =~ m{^/echo};
    return $site->answer($connection, $request);
};

# A server with that recipe, a name or a file, which listens on a port of its own.
sub recipe {
    my ($name, $more) = @_;
    my $port = free_port();
    my $httpd = httpd(modules => ['rewrite'], conf => "Define TMPL_LISTEN $port\nDefine TMPL_BACKEND " . $backend->url
        . "\n" . ($more // '') . "\nInclude \"" . ($name =~ m{^/} ? $name : "$conf/$name.conf") . "\"\n");
    my $get = sub {
        my ($target, %headers) = @_;
        my $client = Test::Tmpl::Client->new(port => $port);
        return $client->get($target, headers => \%headers);
    };
    $get->("/page/$_") for 1 .. 6;
    return ($httpd, $get);
}

# The page in an answer that is gzipped.
sub gunzipped {
    my ($res) = @_;
    is $res->header('Content-Encoding'), 'gzip', 'compressed for a client that accepts it';
    return Compress::Zlib::memGunzip(my $copy = $res->body) // 'not gzip';
}

subtest 'reverse-proxy.conf' => sub {
    my ($httpd, $get) = recipe('reverse-proxy');
    same_bytes($get->('/page/7')->body, $site->stripped(7), 'template is removed');
    same_bytes($get->('/account/page/7')->body, $site->page(7), 'a private place is left alone');
    same_bytes(gunzipped($get->('/page/7', 'Accept-Encoding' => 'gzip')), $site->stripped(7), 'the same page');
    $httpd->finish;
};

subtest 'reader.conf' => sub {
    my ($httpd, $get) = recipe('reader');
    same_bytes($get->('/page/7')->body, $site->page(7), 'the page itself');
    my $view = $get->('/page/7?reader');
    like $view->body, qr/<main>.*<h1>Story number 7/s, 'the reader view';
    for my $row (['/echo?reader', ''], ['/echo?reader=1', ''], ['/echo?reader&x=1', '?x=1'], ['/echo?x=1&reader', '?x=1'], ['/echo?a&reader=&b', '?a&amp;b'],
        ['/reader/echo?x', '?x'], ['/reader/echo', '']) {
        my ($target, $query) = @$row;
        my $res = $get->($target);
        like $res->body, qr/<main>.*asked: \Q\/echo$query\E\./s, "$target: what the backend is asked for";
        is_deeply [grep { /reader\b(?!\.example)/ } $res->header('Link') // '', $res->body =~ /href="([^"]*)"/g], [], "$target: links to the page itself";
    }
    like $get->('/echo?readers=1')->body, qr/^<title>Echo.*asked: \/echo\?readers=1\./, 'another parameter is the page\'s';
    is gunzipped($get->('/page/7?reader', 'Accept-Encoding' => 'gzip')), $view->body, 'compressed';
    $httpd->finish;
};

subtest 'indexer.conf' => sub {
    my ($httpd, $get) = recipe('indexer');
    my $res = $get->('/page/7');
    isnt $res->body, $site->page(7), 'marks';
    same_bytes(unmark($res->body), $site->page(7), 'and nothing else');
    is $res->says('state'), 'warm', 'with a Tmpl field';
    cmp_ok $res->says('ratio'), '>', 0, 'that says how much is template';
    my $other = $get->('/forged');
    is $other->says('declined'), 'frameset', 'or that marks in the page are not of the recipe';
    is $other->says('state'), '', 'whatever the backend says';
    $httpd->finish;
    ($httpd, $get) = recipe('indexer', 'Define TMPL_MARKS "pagefind htdig"');
    my $html = $get->('/page/7')->body;
    like $html, qr/<!--htdig_noindex--><header id="top" data-pagefind-ignore="">/, 'marks that others read';
    same_bytes($html =~ s/<!--\/?htdig_noindex-->| data-pagefind-ignore=""//gr, $site->page(7), 'and nothing else');
    $httpd->finish;
};

subtest 'changes.conf' => sub {
    my ($httpd, $get) = recipe('changes');
    same_bytes($get->('/page/7')->body, $site->page(7), 'pages are unchanged');
    ok wait_for { $get->('/sitemap.xml')->body =~ m{<loc>http://changes\.example/page/7</loc>} }, 'a sitemap';
    like $get->('/llms.txt')->body, qr{^- \[Page 7 of .*\]\(http://changes\.example/page/7\)$}m, 'llms.txt';
    like $get->('/sitemap.md')->body, qr{^## /page/$}m, 'sitemap.md';
    like $get->('/feed.atom')->body, qr{^<feed }m, 'a feed';
    $httpd->finish;
};

subtest 'agents.conf' => sub {
    my ($httpd, $get) = recipe('agents');
    my $html = $get->('/page/7', Accept => 'text/html, */*;q=0.8');
    same_bytes($html->body, $site->page(7), 'readers get the page');
    is $html->header('Link'), '<http://agents.example/page/7.md>; rel="alternate"; type="text/markdown", '
        . '<http://agents.example/page/7>; rel="alternate"; type="application/json"', 'with links to its twin and to JSON';
    is $html->header('Vary'), 'Accept,Accept-Encoding', 'and Vary';
    my $res = $get->('/page/7', Accept => 'text/markdown');
    is $res->header('Content-Type'), 'text/markdown; charset=utf-8', 'agents get Markdown';
    like $res->body, qr/^# Story number 7 about/m, 'the article';
    unlike $res->body, qr/Ferries|Copyright/, 'without template';
    like gunzipped($get->('/page/7', Accept => 'text/markdown', 'Accept-Encoding' => 'gzip')), qr/^# Story/m, 'the same';
    like gunzipped($get->('/page/7', Accept => 'application/json', 'Accept-Encoding' => 'gzip')), qr/\A\{"schema":1,.*Story number 7/, 'programs get JSON';
    my $twin = $get->('/page/7.md');
    same_bytes($twin->body, $res->body, 'the twin');
    is $twin->header('X-Robots-Tag'), 'noindex', 'is not for an index';
    like gunzipped($get->('/page/7.md', 'Accept-Encoding' => 'gzip')), qr/^# Story/m, 'the same';
    for my $answer ($html, $res, $twin) {
        is $answer->header('Content-Signal'), 'search=yes, ai-input=yes, ai-train=no', 'Content-Signal';
        is $answer->header('Content-Usage'), 'train-ai=n', 'Content-Usage';
    }
    is $get->('/page/7', 'User-Agent' => 'ChatGPT-User/1.0')->header('Content-Type'), 'text/html', 'no switch by user agent';
    $httpd->finish;
    ($httpd, $get) = recipe('agents', 'Define TMPL_NAME https://www.example.org');
    is $get->('/page/7.md')->header('Link'), '<https://www.example.org/page/7>; rel="canonical"', 'a name with https';
    $httpd->finish;
};

# The lines that are comments.
subtest 'agents.conf, all of it' => sub {
    my $dir = temp_dir();
    my $whole = "$dir/whole.conf";
    spit($whole, slurp("$conf/agents.conf") =~ s/^( +)#(?=Header|<|    Tmpl)/$1/gmr);
    my ($httpd, $get) = recipe($whole);
    is $get->('/page/7.md')->header('X-Robots-Tag'), 'all', 'twins are for an index';
    # Each row: User-Agent, Accept, whether the answer is Markdown.
    for my $row (
        ['Mozilla/5.0; compatible; ChatGPT-User/1.0; +https://openai.com/bot', '*/*', 1], ['ChatGPT-User/1.0', undef, 1], ['Claude-User', '*/*', 1],
        ['Perplexity-User/1.0', '*/*', 1], ['ChatGPT-User/1.0', 'text/html', 0], ['ChatGPT-User/1.0', 'text/html, */*', 0],
        ['Mozilla/5.0 (compatible; Googlebot/2.1)', '*/*', 0], ['curl/8.0', '*/*', 0], [undef, '*/*', 0], ['Firefox', 'text/html,*/*;q=0.8', 0],
    ) {
        my ($agent, $accept, $markdown) = @$row;
        my $name = join ', ', map { $_ // 'none' } $agent, $accept;
        my $res = $get->('/page/7', 'User-Agent' => $agent, Accept => $accept);
        like $res->header('Content-Type'), $markdown ? qr{^text/markdown} : qr{^text/html}, $name;
        # with another Accept the answer does not depend on User-Agent
        is $res->header('Vary') =~ /\bUser-Agent\b/i ? 1 : 0, ($accept // '') =~ /html/ ? 0 : 1, "$name: Vary names User-Agent";
        like $res->header('Vary'), qr/\bAccept\b(?!-)/i, "$name: and Accept";
    }
    $httpd->finish;
};

subtest 'site.conf' => sub {
    my ($httpd, $get) = recipe('site', 'Define TMPL_NAME www.example.org');
    my $page = $get->('/page/7', Accept => 'text/html');
    same_bytes($page->body, $site->page(7), 'readers get the page');
    is $page->says('state'), 'warm', 'with a Tmpl field';
    like $get->('/page/7?reader')->body, qr/<main>.*<h1>Story number 7/s, 'the reader view';
    like $get->($_->[0], Accept => $_->[1])->body, $_->[2], "$_->[0], $_->[1]"
        for ['/page/7.md', '*/*', qr/^# Story number 7/m], ['/page/7', 'text/markdown', qr/^# Story number 7/m], ['/page/7', 'application/json', qr/\A\{"schema":1,/];
    ok wait_for { $get->('/sitemap.md')->body =~ m{http://www\.example\.org/page/7\b} }, 'a sitemap';
    like $get->('/llms.txt')->body, qr{^- \[Page 7}m, 'llms.txt';
    like $get->('/feed.atom')->body, qr{^<feed }m, 'a feed';
    like $get->('/tmpl-status')->body, qr/www\.example\.org/, 'the status';
    $httpd->finish;
    my $dir = temp_dir();
    my $strip = "$dir/strip.conf";
    spit($strip, slurp("$conf/site.conf") =~ s/^ +TmplMode headers/TmplMode strip/mr);
    ($httpd, $get) = recipe($strip);
    same_bytes($get->('/page/7')->body, $site->stripped(7), 'with TmplMode strip');
    $httpd->finish;
};

subtest 'all recipes in one server' => sub {
    my @recipes = grep { !m{/(?:mod_tmpl|tmpl-reference|nginx)\.conf$} } glob "$conf/*.conf";
    cmp_ok scalar(@recipes), '>=', 6, 'recipes';
    my $includes = join '', map { qq(Include "$_"\n) } @recipes;
    my ($ok, $said) = Test::Tmpl::Httpd->new(bare => 1, modules => ['rewrite'], conf => $includes)->configtest;
    ok $ok, 'are accepted' or diag $said;
    my (%port, %name);
    for my $text (map { slurp($_) } @recipes) {
        $port{ $text =~ /Define TMPL_LISTEN (\d+)/ ? $1 : '' }++;
        my ($name) = $text =~ /Define TMPL_NAME (\S+)/;
        $name{ $name // ($text =~ /ServerName (\S+)/)[0] }++;
    }
    is_deeply [grep { $_ > 1 } values %port, values %name], [], 'each has a port and a name of its own';
};

# docs/packages.md: they still load, and say the same
subtest 'configurations of former versions' => sub {
    my @confs = glob "$FindBin::Bin/../../tests/compatibility/*/tmpl.conf";
    ok(@confs > 0, 'there are some');
    for my $former (@confs) {
        my ($ok, $said) = Test::Tmpl::Httpd->new(bare => 1, conf => "Include \"$former\"")->configtest;
        ok($ok, "$former loads") or diag $said;
    }
};

subtest 'tmpl-reference.conf' => sub {
    my $reference = slurp("$conf/tmpl-reference.conf");
    for my $directive (slurp("$FindBin::Bin/../../shared/settings.h") =~ /^ *X\(\w+, "(\w+)"/mg) {
        like $reference, qr/^(?:# Example: )?$directive /m, "has $directive";
    }
    my ($ok, $said) = Test::Tmpl::Httpd->new(bare => 1, conf => "Include \"$conf/tmpl-reference.conf\"")->configtest;
    ok $ok, 'is accepted as it is' or diag $said;
    my $examples = join '', map { "$_\n" } $reference =~ /^# Example: (.*)$/mg;
    ok $examples =~ s{/etc/apache2/tmpl-auto\.model}{$FindBin::Bin/../../models/auto.model}, 'an example names a model';
    # TmplCache's example names a cache of httpd's
    ($ok, $said) = Test::Tmpl::Httpd->new(bare => 1, modules => ['socache_shmcb'], conf => $examples)->configtest;
    ok $ok, 'and so are its examples' or diag $said;
};

# contributing.md shows a directive that does not exist
subtest 'lines for httpd in documents' => sub {
    my @modules = qw(rewrite ssl authn_core auth_basic authn_file authz_user cache cache_disk);
    my $blocks = 0;
    for my $file (grep { !/contributing/ } glob "$FindBin::Bin/../../README.md $FindBin::Bin/../../docs/*.md") {
        my $text = slurp($file);
        my @found = ($text =~ /^```apache\n(.*?)^```/msg, $text =~ /^\n((?:    (?:<[A-Z]|Tmpl\w+ |CustomLog )[^\n]*\n)(?:    [^\n]*\n)*)/mg);
        $blocks += @found;
        for my $lines (map { s{/etc/ssl/redis-ca\.pem}{/etc/ssl/certs/ca-certificates.crt}r } @found) {
            my ($ok, $said) = Test::Tmpl::Httpd->new(bare => 1, no_store => 1, modules => [@modules], conf => $lines)->configtest;
            ok $ok, basename($file) . ': ' . (split /\n/, $lines)[0] or diag $said, $lines;
        }
    }
    cmp_ok $blocks, '>=', 15, 'blocks of lines';
};

subtest 'mod_tmpl.conf' => sub {
    my $shipped = slurp("$conf/mod_tmpl.conf") =~ s{lmdb:\S+}{lmdb:\@ROOT\@/shipped}r;
    my $httpd = httpd(bare => 1, conf => $shipped . 'ProxyPass / ' . $backend->url . '/');
    my $res = ($httpd->visit(1 .. 7))[6];
    same_bytes($res->body, $site->page(7), 'pages pass');
    is $res->header('Tmpl'), undef, 'without a Tmpl field';
    $httpd->finish;
};

# Files of httpd itself, as on a new server.
subtest 'mod_tmpl.conf, three lines uncommented' => sub {
    my $shipped = slurp("$conf/mod_tmpl.conf") =~ s{lmdb:\S+}{lmdb:\@ROOT\@/shipped}r;
    is $shipped =~ s/^    #(?=Tmpl)/    /mg, 3, 'there are three';
    my $httpd = Test::Tmpl::Httpd->new(bare => 1, modules => ['socache_shmcb'], conf => $shipped);
    for my $n (1 .. 7) {
        open my $file, '>', $httpd->root . "/htdocs/page$n.html" or die "page$n.html: $!";
        print $file $site->page($n);
        close $file;
    }
    $httpd->start;
    my $res = (map { $httpd->get("/page$_.html") } 1 .. 7)[6];
    same_bytes($res->body, $site->page(7), 'pages stay');
    like $res->header('Tmpl'), qr/template=[1-9]/, 'with the field';
    like $httpd->get('/page7.html?tmpl')->body, qr/data-tmpl-is=template.*data-tmpl-is=content/s, '?tmpl shows what is what';
    my $markdown = $httpd->get('/page7.md');
    like $markdown->header('Content-Type'), qr{^text/markdown}, 'in place of .html, .md is Markdown';
    is $httpd->get('/page7.html.md')->body, $markdown->body, 'and so it is behind it';
    $httpd->finish;
};

done_testing;
