# SPDX-License-Identifier: Apache-2.0

# Every fault of a store while four clients, each in its own process, request pages. A response is
# the page as the backend sent it or the page without its template, nothing else. The default
# detector judges pages without the store if the store fails. Few requests are delayed: the failures
# of the store after the fault are at most the requests that were in flight (three times as many if the
# store does not answer, because a child's breaker opens with its third late call), plus the breaker's
# trials, one a second in each child. TmplTimeout is short for a store that does not answer.
# Otherwise it is so long that even a busy machine does not reach it, so that no other failure is
# counted. How much longer requests take than with a working store is printed but not tested: it
# depends on the machine.

use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::Tmpl;
use List::Util qw(max sum);
use Time::HiRes qw(clock_gettime CLOCK_MONOTONIC);

my $SHORT = 100;      # ms, TmplTimeout for a store that does not answer
my $LONG = 10_000;    # ms, for other stores
my $CLIENTS = 4;
my $BEFORE = 15;      # responses to each client before the store fails
my $AFTER = 60;       # and after that

# Pages from 1000 on have so much text of their own that a small store is soon full.
my $site = site(large => 300, extra => sub {
    my ($n) = @_;
    return $n < 1000 ? '' : join '', map { "<p>Line $n.$_</p>" } 1 .. 300;
});
my $backend = backend { $site->answer(@_) };

sub now { return clock_gettime(CLOCK_MONOTONIC) }

# One client: requests pages until the file exists, and writes a line for each: milliseconds, 1 if
# the response was wrong, the decline (or -), whether the page was learnt, and 0 if the store did
# not answer (or -).
sub ask {
    my ($httpd, $number, $first, $until, $lines) = @_;
    open my $out, '>>', $lines or die "$lines: $!";
    my $client = $httpd->client;
    for (my $i = 0; !-e $until; $i++) {
        my $n = $first + $i * $CLIENTS + $number;
        my $start = now();
        my $res = $client->get("/page/$n");
        my $ms = 1000 * (now() - $start);
        my $wrong = $res->status != 200 || !$res->complete
            || $res->body ne $site->page($n) && $res->body ne $site->stripped($n);
        syswrite $out, sprintf "%.3f %d %s\n", $ms, $wrong,
            join ' ', map { $_ eq '' ? '-' : $_ } map { $res->says($_) } qw(declined learned store);
        $client->connect if !$res->complete;
    }
    return;
}

# The responses so far: a list of lines for each client.
sub answers { return map { [split /\n/, -e $_ ? slurp($_) : ''] } @_ }

# Waits until each client has that many responses, as long as more arrive.
sub wait_for_answers {
    my ($files, @counts) = @_;
    my ($done, $before, $have) = (0, -1, 0);
    while (!$done && $have > $before) {
        $before = $have;
        $done = wait_for {
            my @have = map { scalar @$_ } answers(@$files);
            $have = sum(@have);
            !grep { $have[$_] < $counts[$_] } 0 .. $#have;
        };
    }
    return $done;
}

sub counters {
    my ($httpd) = @_;
    return $httpd->counted('/server-status');
}

# Starts the clients, makes the store fail (break => code), and returns the failures that were
# counted before and the responses since.
sub load {
    my ($httpd, %o) = @_;
    my $dir = temp_dir();
    my @files = map { "$dir/$_" } 1 .. $CLIENTS;
    my @pids = map {
        my $number = $_;
        spawn('client', sub { ask($httpd, $number, $o{wide} ? 1000 : 1, "$dir/end", $files[$number]) });
    } 0 .. $CLIENTS - 1;
    wait_for_answers(\@files, ($BEFORE) x $CLIENTS) or die "the clients get no responses\n";
    my $failures = counters($httpd)->{'store-failures'};
    $o{break}->($httpd) if $o{break};
    # counted only now: on a busy machine many responses arrive before the fault happens
    my @at = map { $o{break} ? scalar @$_ : 0 } answers(@files);
    wait_for_answers(\@files, map { $_ + $AFTER } @at) or die "the clients get no more responses\n";
    ok wait_for(sub { $httpd->log_text =~ $o{until} }), 'the log reports the fault' if $o{until};
    spit("$dir/end", '');
    wait_for { !grep { alive($_) } @pids } or die "a client does not end\n";
    my @answers = answers(@files);
    return ($o{break} ? $failures : 0, map { my $lines = $answers[$_]; map { [split / /] } @$lines[$at[$_] .. $#$lines] } 0 .. $#answers);
}

sub median { my @sorted = sort { $a <=> $b } @_; return $sorted[@sorted / 2] }

# What responses must report, by kind of fault.
my %SAYS = (
    store => ['store=?0', sub { $_[0][2] eq '-' && $_[0][4] eq '0' }],
    unlearnt => ['learned=?0, and that the store answered', sub { $_[0][2] eq '-' && $_[0][3] eq '0' && $_[0][4] eq '-' }],
    fine => ['nothing: the store is well', sub { $_[0][2] eq '-' && $_[0][3] ne '0' && $_[0][4] eq '-' }],
);

my %usual;    # kind of store => median of a request in ms

# says => the row of %SAYS that responses must match; pays => 0: no failure is counted; silent => 1:
# the store sends no reply, or no complete one
sub fault {
    my ($name, $store, $says, %o) = @_;
    my $timeout = $o{silent} ? $SHORT : $LONG;
    Test::Tmpl::Process::set_limit();
    subtest $name => sub {
        my $httpd = Test::Tmpl::Httpd->new(no_store => 1, log_level => 'info', ulimit => $o{ulimit}, conf =>
            "ProxyPass /server-status !\nProxyPass / " . $backend->url . <<"END");
/
TmplMode strip
TmplMinDF 2
TmplTimeout ${timeout}ms
TmplStore $store
<Location /server-status>
    SetHandler tmpl-status
    TmplMode off
</Location>
END
        $httpd->expect_log(qr/\[tmpl:(?:warn|error|crit)\]/);
        $o{spoil}->($httpd) if $o{spoil};
        $httpd->start;
        my $start = now();
        my ($before, @answers) = load($httpd, %o);
        my $seconds = now() - $start;
        is scalar(grep { $_->[1] } @answers), 0, 'no wrong response among ' . @answers;
        my ($what, $is) = @{ $SAYS{$says} };
        cmp_ok scalar(grep { $is->($_) } @answers), '>=', $o{least} // @answers / 2, "responses report: $what";
        my $failures = counters($httpd)->{'store-failures'} - $before;
        my $children = children($httpd->{pid});
        my $first = $o{silent} ? 3 * ($CLIENTS + $children) : 2 * $CLIENTS;
        my $bound = ($o{pays} // 1) ? $first + $children * (1 + int $seconds) : 0;
        cmp_ok $failures, '<=', $bound, 'requests delayed by the fault';
        my @ms = map { $_->[0] } @answers;
        my $kind = $store =~ /^(\w+)/ ? $1 : '';
        $usual{$kind} //= median(@ms);
        diag sprintf '%-40s %5d responses, %2d failures; added: median %+6.1f ms, worst %+7.1f ms; TmplTimeout %d ms',
            $name, scalar @ms, $failures, median(@ms) - $usual{$kind}, max(@ms) - $usual{$kind}, $timeout;
        $o{mend}->($httpd) if $o{mend};
        $httpd->finish;
    };
    return;
}

sub redis_faults {
    my $redis;
    my $new = sub { $redis = redis(@_); return $redis->uri };
    fault('working Redis', $new->(), 'fine');
    fault('Redis killed', $new->(), 'store', break => sub { $redis->kill9 });
    fault('Redis stopped', $new->(), 'store', silent => 1, break => sub { $redis->stop }, mend => sub { $redis->continue });
    fault('Redis restarted empty', $new->(), 'fine', least => 1, until => qr/answers again/,
        break => sub { my ($httpd) = @_; $redis->kill9; wait_for { $httpd->log_text =~ /pages are not counted/ }; $redis->start });
    fault('Redis becomes a replica', $new->(), 'unlearnt',
        break => sub { $redis->command('REPLICAOF', '127.0.0.1', 1) });
    fault('Redis runs out of memory', $new->(), 'unlearnt', pays => 0,
        break => sub { $redis->command('CONFIG', 'SET', 'maxmemory', 1) });
    my $absent = $new->();
    $redis->kill9;
    fault('Redis absent at start', $absent, 'store');
    my $port = do { $new->(requirepass => 'sesame'); $redis->port };
    fault('Redis, wrong password', "redis://default:wrong\@127.0.0.1:$port/0", 'store');
    my ($hole, $keep) = Test::Tmpl::Redis::black_hole();
    fault('Redis, an address that swallows all', "redis://127.0.0.1:$hole/0", 'store', silent => 1);
    my %PARROT = (silence => '', HTTP => "HTTP/1.1 400 Bad Request\r\n\r\n", zeros => "\0" x 100, nested => "*3\r\n*1\r\n+x\r\n:-5\r\n");
    fault("Redis replies with garbage: $_", 'redis://127.0.0.1:' . Test::Tmpl::Redis::parrot($PARROT{$_}) . '/0', 'store', silent => 1)
        for sort keys %PARROT;
    return;
}

# Makes the store's file look as if all pages of its map were used: in both meta pages the last used
# page is one of the last of the map, and the file (sparse) has that length.
sub fill_map {
    my ($file) = @_;
    my ($page, $map, $last_pg) = (4096, 1 << 30, 136);
    open my $io, '+<:raw', $file or die "$file: $!";
    for my $meta (0, 1) {
        seek $io, $meta * $page + $last_pg, 0;
        print {$io} pack 'Q<', $map / $page - 2;
    }
    close $io or die "$file: $!";
    truncate $file, $map or die "$file: $!";
    return;
}

# A server that learns and ends; returns its store.
sub learnt_store {
    my ($to) = @_;
    my $httpd = proxy($backend, conf => 'TmplMode strip');
    $httpd->visit(1 .. 6);
    $httpd->finish('learnt');
    rename $httpd->root . '/store/data.mdb', "$to/data.mdb" or die "$to: $!";
    return "$to/data.mdb";
}

sub lmdb_faults {
    my $store = 'lmdb:@ROOT@/store';
    fault('working LMDB', $store, 'fine');
    fault('LMDB, parent directory missing', 'lmdb:@ROOT@/store/no/such', 'store');
    SKIP: {
        skip 'not root: the server has no other user whose permission could be removed', 1 if !defined Test::Tmpl::Process::server_user();
        fault('LMDB, a directory to read only', $store, 'store',
            spoil => sub { chown 0, 0, $_[0]->root . '/store'; chmod 0755, $_[0]->root . '/store' });
    }
    fault('LMDB, its file garbage', $store, 'fine', pays => 0, spoil => sub {
        give_to_server(spit($_[0]->root . '/store/data.mdb', join '', map { chr($_ * 131 % 251) } 1 .. 65_536));
    });
    fault('LMDB, its file may not grow', $store, 'unlearnt', pays => 0, least => 1,
        wide => 1, ulimit => '-f 1024', until => qr/takes no writes, nothing new is learnt/);
    SKIP: {
        skip 'the test knows the meta page only of 64 bit little endian', 1 if pack('J', 1) ne pack('Q<', 1);
        fault('LMDB, its map full', $store, 'unlearnt', pays => 0, least => 1,
            until => qr/takes no writes, nothing new is learnt: .*the map is full/,
            spoil => sub { fill_map(learnt_store($_[0]->root . '/store')) },
            mend => sub {
                my ($httpd) = @_;
                # the file may have had free pages for some more
                cmp_ok $httpd->get('/page/7')->says('pages'), '>=', 6, 'what was learnt before the fault is used';
                is -s $httpd->root . '/store/data.mdb', 1 << 30, 'the file has not grown';
            });
    }
    return;
}

redis_faults() if Test::Tmpl::Redis::available();
SKIP: { skip 'no redis-server', 1 if !Test::Tmpl::Redis::available() }
lmdb_faults();
done_testing;
