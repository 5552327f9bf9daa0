# SPDX-License-Identifier: Apache-2.0

# The users of Redis that docs/stores.md recommends: with these rights the module and tmplctl do all
# their work, and if any one right is missing no page is learnt. Stored counts are still used.

use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::Tmpl;
use File::Basename qw(dirname);

# The rights of the blocks of docs/stores.md: "user NAME on >PASSWORD RIGHT..."
my %rights = map { my ($user, @rights) = split; $user => \@rights }
    slurp("$FindBin::Bin/../../docs/stores.md") =~ /^ +user (\w+ on [^\n]*(?:\n {8,}[^\n]*)*)/mg;
shift @{ $_ } for values %rights;
is_deeply [sort keys %rights], [qw(admin pages)], 'docs/stores.md has two users';

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

# Each command is needed: without it nothing at all is learnt, and the log names it.
for my $right (grep { /^\+/ } @{ $rights{pages} }) {
    next if $right =~ /hdel|cluster|asking/;    # for many pages, Sentinel and Cluster
    $redis->command('FLUSHALL');
    user(@{ $rights{pages} }, $right =~ s/^\+/-/r);
    my $other = proxy($backend, detector => 'incremental', no_store => 1, conf => "TmplMode strip\nTmplTimeout 5s\nTmplStore $uri");
    $other->expect_log(qr/\[tmpl:warn\]/);
    like pages_of($other), qr/^(?:(?:0|store) ?){4}$/, "$right is needed";
    is_deeply [grep { /\{/ } @{ $redis->command('KEYS', '*') }], [], 'no site is written';
    like $other->log_text, qr/T01[13]\].*NOPERM.*'\Q${\ substr $right, 1}\E'/, 'the log names it';
    $other->finish;
}

# A right to write that is taken away in use: the site is judged by what is stored, as in a full store.
for my $right (qw(watch multi exec hset expire)) {
    $redis->command('FLUSHALL');
    user(@{ $rights{pages} });
    my $other = proxy($backend, detector => 'incremental', no_store => 1, conf => "TmplMode strip\nTmplLearnDelay 0\nTmplTimeout 5s\nTmplStore $uri");
    $other->expect_log(qr/\[tmpl:warn\]/);
    ok wait_for { $other->visit(1 .. 8); $other->get('/page/9')->body eq $site->stripped(9) }, 'a site is learnt';
    user(@{ $rights{pages} }, "-$right");
    my @answers = $other->visit(30 .. 33);
    is join(' ', map { $_->says('declined') . $_->says('learned') } @answers), '0 0 0 0', "without +$right nothing is learnt";
    same_bytes($answers[0]->body, $site->stripped(30), 'what is stored is used');
    like $other->log_text, qr/T013\].*NOPERM.*'$right'/, 'the log names the right';
    user(@{ $rights{pages} });
    is $other->get('/page/34')->says('learned'), '1', 'with it pages are learnt at once';
    $other->finish;
}

# EXEC by another name: the server goes on to wait for it, so the connection is of no use to anybody.
my $renamed = redis();
my $conf = "TmplMode strip\nTmplLearnDelay 0\nTmplTimeout 5s\nTmplStore " . $renamed->uri;
my $other = proxy($backend, detector => 'incremental', no_store => 1, conf => $conf);
$other->expect_log(qr/\[tmpl:warn\]/);
ok wait_for { $other->visit(1 .. 8); $other->get('/page/9')->body eq $site->stripped(9) }, 'a site is learnt';
$renamed->command('SAVE');
$renamed->kill9;
$renamed->{options}{'rename-command'} = 'EXEC ""';
$renamed->start;
is join(' ', map { $_->says('declined') . $_->says('learned') } $other->visit(30 .. 33)), '0 0 0 0', 'without EXEC nothing is learnt';
same_bytes($other->get('/page/34')->body, $site->stripped(34), 'what is stored is used');
unlike $other->log_text, qr/T011/, 'and the store does not fail';
$other->finish;
done_testing;
