# SPDX-License-Identifier: Apache-2.0

# A script that hangs is given up after httpd's Timeout, whether its page is held or only read: no thread waits for it
# any longer.

use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::Tmpl;

my $module = Test::Tmpl::Httpd::mpm() eq 'prefork' ? 'cgi' : 'cgid';
plan skip_all => "no mod_$module" if !Test::Tmpl::Httpd::has_module($module);

my $dir = temp_dir();
my $httpd = Test::Tmpl::Httpd->new(modules => [$module], conf => <<"END");
Timeout 1
TmplMaxWait 10ms
ScriptAlias /strip/ "\@ROOT\@/htdocs/"
ScriptAlias /learn/ "\@ROOT\@/htdocs/"
@{[ $module eq 'cgid' ? 'ScriptSock "@ROOT@/run/cgid"' : '' ]}
CustomLog "\@ROOT\@/ended.log" "%U%q"
<Directory "\@ROOT\@/htdocs">
    Require all granted
    Options +ExecCGI
</Directory>
<Location /strip/>
    TmplMode strip
</Location>
<Location /learn/>
    TmplMode learn
</Location>
END
# It hangs until there is a file.
my $script = spit($httpd->root . '/htdocs/script', <<"END");
#!$^X
use lib '$FindBin::Bin/../lib';
use Test::Tmpl::Process qw(wait_for);
\$| = 1;
print "Content-Type: text/html\\n\\n";
print "<p>the beginning" if \$ENV{QUERY_STRING} eq 'behind';
wait_for { -e "$dir/end" };
END
chmod 0755, $script;
# of mod_cgi and mod_cgid: that the script has timed out
$httpd->expect_log(qr/\[(?:cgid?|core|http):(?:error|warn)\]/);
$httpd->start;

for my $mode (qw(learn strip)) {
    for my $where (qw(before behind)) {
        my $client = $httpd->client;
        $client->send_request("/$mode/script?$where", headers => { Connection => 'close' });
        ok $client->comes('the beginning'), "$mode, $where: what there is comes" if $where eq 'behind';
        1 while $client->more;
        ok wait_for { slurp($httpd->root . '/ended.log') =~ m{^/$mode/script\?$where$}m },
            "$mode, $where: the request ends while the script hangs";
    }
}
spit("$dir/end", '');
$httpd->finish;
done_testing;
