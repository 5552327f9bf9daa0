# SPDX-License-Identifier: Apache-2.0

# A silent store does not delay the status pages: they come, and say which store does not answer, while
# tmplctl still waits for the same store. No page was requested before, so nothing has noticed the
# silence yet.

use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::Tmpl;
use File::Basename qw(dirname);
use JSON::PP qw(decode_json);
use Test::Tmpl::Process qw(spawn alive end_process);

my $redis = redis();
my $site = site();
my $backend = backend { $site->answer(@_) };
my $httpd = Test::Tmpl::Httpd->new(no_store => 1, conf => "ProxyPass /status !\nProxyPass / " . $backend->url . <<"END")->start;
/
TmplMode strip
TmplStore ${\ $redis->uri}
TmplSiteKey a.example
<Location /status>
    SetHandler tmpl-status
</Location>
END
my $tool = $ENV{TMPLCTL} // dirname($ENV{TMPL_MODULE} // 'build/mod_tmpl.so') . '/tmplctl';

sub json { return decode_json($httpd->get("/status?format=json&site=$_[0]")->body) }

$httpd->visit(1 .. 3);
is json('a.example')->{tables}[0]{documents}, 3, 'the store answers';
is_deeply json('a.example')->{unread}, [], 'all stores do';

$redis->stop;
my $waits = spawn('tmplctl', sub {
    open STDERR, '>', '/dev/null';
    exec $tool, 'stats', '--store', $redis->uri;
});
is $httpd->get('/status')->status, 200, 'the page of the server comes';
my $silent = json('a.example');
ok alive($waits), 'it has come before tmplctl gives up';
end_process($waits, 'KILL');
is_deeply $silent->{tables}, [], 'the site has no table now';
is $silent->{unread}[0]{store}, $redis->uri, 'for the store that cannot be read';
like $silent->{unread}[0]{why}, qr/no answer in time/, 'which is silent';
is $silent->{pages}, 3, 'all else is there';
like $httpd->get('/status?site=a.example')->body, qr/The store redis:\S+ cannot be read: [^<]*no answer in time/, 'the page says so';
is json('unknown.example')->{unread}[0]{store}, $redis->uri, 'a site that nobody has seen may be known to that store';
$redis->continue;
ok wait_for { @{ json('a.example')->{tables} } == 1 }, 'the store answers again';
$httpd->finish;
done_testing;
