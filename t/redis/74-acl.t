# SPDX-License-Identifier: Apache-2.0

# The users of Redis that docs/redis.md recommends: with these rights the module and tmplctl do all
# their work, and without any one of them something fails.

use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::Tmpl;
use File::Basename qw(dirname);

# The rights of the blocks of docs/redis.md: "user NAME on >PASSWORD RIGHT..."
my %rights = map { my ($user, @rights) = split; $user => \@rights }
    slurp("$FindBin::Bin/../../docs/redis.md") =~ /^ +user (\w+ on [^\n]*(?:\n {8,}[^\n]*)*)/mg;
shift @{ $_ } for values %rights;
is_deeply [sort keys %rights], [qw(admin pages)], 'docs/redis.md has two users';

my $redis = redis();
my $site = site();
my $backend = backend { $site->answer(@_) };
sub user { return $redis->command('ACL', 'SETUSER', 'pages', 'reset', 'on', '>open', grep { !/^>/ } @_) }
my $uri = 'redis://pages:open@127.0.0.1:' . $redis->port . '/1';
my $tool = $ENV{TMPLCTL} // dirname($ENV{TMPL_MODULE} // 'build/mod_tmpl.so') . '/tmplctl';

sub pages_of {
    my ($proxy) = @_;
    return join ' ', map { $_->says('pages') . $_->says('declined') } $proxy->visit(1 .. 3), $proxy->get('/page/3');
}

user(@{ $rights{pages} });
my $httpd = proxy($backend, detector => 'incremental', no_store => 1, conf => "TmplMode strip\nTmplTimeout 5s\nTmplStore $uri");
is pages_of($httpd), '1 2 3 3', 'the module learns';
$redis->command('ACL', 'LOG', 'RESET');
is scalar(@{ $redis->command('ACL', 'LOG') }), 0, 'nothing was refused';
$httpd->finish;

user(@{ $rights{admin} });
for my $command ([qw(stats)], [qw(export test.example)], [qw(forget test.example)]) {
    is system("$tool @$command --store $uri >/dev/null"), 0, "tmplctl @$command";
}

# Each command is needed: without it a page is not learnt, or the log of Redis has a refusal.
for my $right (grep { /^\+/ } @{ $rights{pages} }) {
    next if $right =~ /hdel|role|cluster|asking/;    # for many pages, Sentinel and Cluster
    $redis->command('FLUSHALL');
    $redis->command('ACL', 'LOG', 'RESET');
    user(@{ $rights{pages} }, $right =~ s/^\+/-/r);
    my $other = proxy($backend, detector => 'incremental', no_store => 1, conf => "TmplMode strip\nTmplTimeout 5s\nTmplStore $uri");
    $other->expect_log(qr/\[tmpl:warn\]/);
    my $pages = pages_of($other);
    ok $pages ne '1 2 3 3' || @{ $redis->command('ACL', 'LOG') } > 0, "$right is needed";
    $other->finish;
}
done_testing;
