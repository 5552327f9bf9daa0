# SPDX-License-Identifier: Apache-2.0

# conf/nginx.conf with Debian's nginx in front, and conf/agents.conf in httpd: people get the site's own pages
# without httpd, agents get Markdown, a crawler that is named gets what its section sends. nginx keeps the forms
# apart, asks again by the tag of mod_tmpl, and lets the site answer when httpd is down.

use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::Tmpl;
use Test::Tmpl::Process qw(server_user);
use IO::Socket::INET;

my ($nginx) = grep { -x } map { "$_/nginx" } qw(/usr/sbin /usr/local/sbin), split /:/, $ENV{PATH};
plan skip_all => 'no nginx' if !$nginx;

my $site = site();
my $backend = backend {
    my ($connection, $request) = @_;
    my ($n) = $request->{target} =~ m{^/page/(\d+)$} or return $connection->respond(404, { 'Content-Type' => 'text/html' }, '<p>No such page</p>');
    return $connection->head(304, { ETag => '"own"' }) if ($request->{headers}{'if-none-match'} // '') eq '"own"';
    my $html = $site->page($n) =~ s{All rights}{ Time::HiRes::time() . ' All rights' }er;
    return $connection->respond(200, { 'Content-Type' => 'text/html', ETag => '"own"', 'Cache-Control' => $n < 50 ? 'max-age=1' : 'max-age=600' }, $html);
};
my ($listen, $agents, $crawlers) = map { free_port() } 1 .. 3;
my $conf = "$FindBin::Bin/../../conf";
my $httpd = httpd(conf => "Define TMPL_LISTEN $agents\nDefine TMPL_BACKEND ${\ $backend->url}\nDefine TMPL_NAME https://www.example.org\n"
    . "Include \"$conf/agents.conf\"\nListen $crawlers\n<VirtualHost *:$crawlers>\nServerName https://www.example.org\n"
    . "ProxyPass / ${\ $backend->url}/\nTmplMode strip\n</VirtualHost>\n");

my $dir = temp_dir();
give_to_server($dir);
my ($address) = $backend->url =~ m{//(.*)};
my $recipe = slurp("$conf/nginx.conf") =~ s/127\.0\.0\.1:8080/$address/gr =~ s/127\.0\.0\.1:8081/127.0.0.1:$agents/r
    =~ s/127\.0\.0\.1:8082/127.0.0.1:$crawlers/r =~ s/listen 80;/listen 127.0.0.1:$listen;/r =~ s{/var/lib/nginx/tmpl}{$dir/cache}r
    =~ s/#(~\*\\bmy-crawler)/$1/r;
my $temp = join '', map { "    ${_}_temp_path $dir/$_;\n" } qw(client_body proxy fastcgi uwsgi scgi);
my $user = $> == 0 ? 'user ' . server_user() . ";\n" : '';
spit("$dir/nginx.conf", "daemon off;\nworker_processes 2;\npid $dir/pid;\nerror_log $dir/error.log;\n${user}events {}\nhttp {\n    access_log off;\n$temp$recipe}\n");
my $server = spawn('nginx', sub { exec $nginx, '-p', $dir, '-e', "$dir/error.log", '-c', "$dir/nginx.conf" or die "nginx: $!" });
wait_for { IO::Socket::INET->new(PeerAddr => '127.0.0.1', PeerPort => $listen) } or die slurp("$dir/error.log");

sub get {
    my ($target, %headers) = @_;
    return Test::Tmpl::Client->new(port => $listen)->get($target, headers => { Host => 'www.example.org', %headers });
}
my $asked = sub { scalar grep { $_->{target} eq $_[0] } $backend->requests };
my %markdown = (Accept => 'text/markdown, text/html;q=0.9');

get("/page/$_", %markdown) for 1 .. 6;

my $res = get('/page/7', Accept => 'text/html,*/*;q=0.8');
like $res->body, qr/<nav>/, 'people get the page of the site';
is $res->header('ETag'), '"own"', 'with its own tag';
is $res->header($_), undef, "and no $_ of httpd" for qw(Tmpl X-Cache);
is $res->header('Vary'), 'Accept', 'and Vary for other caches';
is get('/page/7', 'If-None-Match' => '"own"')->status, 304, 'whose conditions reach it';

$res = get('/page/77', %markdown);
is $res->header('Content-Type'), 'text/markdown; charset=utf-8', 'agents get Markdown';
like $res->body, qr/^# Story number 77/m, 'the article';
my $before = $asked->('/page/77');
my $hit = get('/page/77', %markdown);
is $hit->header('X-Cache'), 'HIT', 'once more: from the cache';
same_bytes($hit->body, $res->body, 'the same');
is $asked->('/page/77'), $before, 'the site is not asked';
is get('/page/77', %markdown, 'If-None-Match' => $res->header('ETag'))->status, 304, 'nginx answers conditions, too';
my $html = get('/page/77', Accept => 'text/html;q=0.9, text/markdown;q=0.5');
like $html->header('Content-Type') . $html->body, qr/^text\/html.*<nav>/s, 'who names Markdown and prefers HTML gets HTML';
is get('/page/77', %markdown)->header('X-Cache'), 'HIT', 'and the Markdown is still there';
like get('/page/77')->body, qr/<nav>/, 'people still get the page';
my %json = (Accept => 'application/json, text/plain;q=0.5');
is get('/page/77', %json)->header('Content-Type'), 'application/json', 'JSON for who asks for it';
is get('/page/77', %json)->header('X-Cache'), 'HIT', 'from the cache';
is get('/page/77', %markdown)->header('X-Cache'), 'HIT', 'beside the Markdown';
like get('/page/77.md')->body, qr/^# Story number 77/m, 'PATH.md';
my $gzip = get('/page/77', %markdown, 'Accept-Encoding' => 'gzip');
is $gzip->header('Content-Encoding'), 'gzip', 'nginx compresses';
like $gzip->header('ETag'), qr{^W/"\w{32}-tmpl-markdown"$}, 'and makes the tag weak';
is get('/page/77', %markdown, 'Accept-Encoding' => 'gzip', 'If-None-Match' => $gzip->header('ETag'))->status, 304, 'which matches';

# the footer of the site has a clock
my $first = get('/page/8', %markdown);
$before = $asked->('/page/8');
wait_for { $res = get('/page/8', %markdown); $res->header('X-Cache') ne 'HIT' };
is $res->header('X-Cache'), 'REVALIDATED', 'a copy that is too old is asked for again, and httpd says 304';
is $asked->('/page/8'), $before + 1, 'httpd asks the site';
same_bytes($res->body, $first->body, 'the same Markdown');

my $stripped = get('/page/77', 'User-Agent' => 'my-crawler/1.0');
like $stripped->header('Tmpl'), qr/state=warm/, 'a crawler that is named goes to its section';
unlike $stripped->body, qr/<nav>/, 'which strips';
like get('/page/77', %markdown)->body, qr/^# Story/m, 'in a copy of its own';

$httpd->finish;
$res = get('/page/9', %markdown);
is $res->status . ' ' . $res->header('Content-Type'), '200 text/html', 'httpd is down: the page of the site';
is get('/page/9', %markdown)->header('X-Cache'), 'MISS', 'which is not kept';

end_process($server);
is join('', grep { !/connect\(\) failed/ } slurp("$dir/error.log") =~ /^.*\[(?:error|crit|alert|emerg)\].*$/mg), '', 'nothing else in the log of nginx';
done_testing;
