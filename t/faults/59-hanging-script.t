# SPDX-License-Identifier: Apache-2.0

# A request whose script hangs ends after httpd's Timeout, in modes that read the page and in modes
# that hold it: it keeps no thread. A script must begin within Timeout, on a busy machine, too; so
# Timeout is long, and the requests wait for it at the same time.

use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::Tmpl;

my $dir = temp_dir();
# The script hangs until the test writes the file.
my $httpd = cgi(<<"SCRIPT", paths => [qw(strip learn)], conf => <<'CONF');
use Test::Tmpl::Process qw(wait_for);
\$| = 1;
print "Content-Type: text/html\\n\\n";
print "<p>the beginning" if \$ENV{QUERY_STRING} eq 'behind';
wait_for { -e "$dir/end" };
SCRIPT
Timeout 15
TmplMaxWait 10ms
CustomLog "@ROOT@/ended.log" "%U%q"
<Location /strip/>
    TmplMode strip
</Location>
<Location /learn/>
    TmplMode learn
</Location>
CONF
# mod_cgi and mod_cgid log that the script has timed out
$httpd->expect_log(qr/\[(?:cgid?|core|http):(?:error|warn)\]/);
$httpd->start;

my @hanging;
for my $mode (qw(learn strip)) {
    for my $where (qw(before behind)) {
        my $client = $httpd->client;
        $client->send_request("/$mode/script?$where", headers => { Connection => 'close' });
        push @hanging, [$client, $mode, $where];
    }
}
for (@hanging) {
    my ($client, $mode, $where) = @$_;
    ok $client->comes('the beginning'), "$mode, $where: the client gets what the script has written" if $where eq 'behind';
    1 while $client->more;
    ok wait_for { slurp($httpd->root . '/ended.log') =~ m{^/$mode/script\?$where$}m },
        "$mode, $where: the request ends while the script hangs";
}
spit("$dir/end", '');
$httpd->finish;
done_testing;
