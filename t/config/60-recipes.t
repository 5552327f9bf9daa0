# SPDX-License-Identifier: Apache-2.0

# The recipes in conf/ do what they say, end to end: the cleaning reverse proxy, the reader's pages, the
# crawler's proxy. The reference file of all directives is accepted and changes nothing, and the shipped
# default configuration leaves pages alone.

use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::Tmpl;
use Compress::Zlib ();

my $conf = "$FindBin::Bin/../../conf";
plan skip_all => 'no conf/' if !-e "$conf/reverse-proxy.conf";

my $site = site();
my $backend = backend {
    my ($connection, $request) = @_;
    $request->{target} =~ s{^/account}{};
    return $connection->respond(200, { 'Content-Type' => 'text/html', Tmpl => 'state=warm, ratio=0.5' }, '<frameset><!--tmpl-->')
        if $request->{target} eq '/forged';
    return $site->answer($connection, $request);
};

# A server with that recipe, which listens on a port of its own.
sub recipe {
    my ($name, $more) = @_;
    my $port = free_port();
    my $httpd = httpd(conf => "Define TMPL_LISTEN $port\nDefine TMPL_BACKEND " . $backend->url
        . "\n" . ($more // '') . "\nInclude \"$conf/$name.conf\"\n");
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
    my $html = $get->('/page/7')->body;
    same_bytes($html, $site->stripped(7), 'template is removed');
    isnt index($html, $site->piece(7, 'article')), -1, 'the article is all there';
    same_bytes(gunzipped($get->('/page/7', 'Accept-Encoding' => 'gzip')), $site->stripped(7), 'the same page');
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

subtest 'mod_tmpl.conf' => sub {
    my $shipped = slurp("$conf/mod_tmpl.conf") =~ s{lmdb:\S+}{lmdb:\@ROOT\@/shipped}r;
    my $httpd = httpd(bare => 1, conf => $shipped . 'ProxyPass / ' . $backend->url . '/');
    my $res = ($httpd->visit(1 .. 7))[6];
    same_bytes($res->body, $site->page(7), 'pages pass');
    is $res->header('Tmpl'), undef, 'without a Tmpl field';
    $httpd->finish;
};

done_testing;
