# SPDX-License-Identifier: Apache-2.0

# Redis that is late, becomes full in use, loses the store's secret; a replica that is silent or has
# lost its master. Every response is the page, or the page without its template, and all goes on when
# the trouble is over.

use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::Tmpl;

my $site = site(large => 10);
my $backend = backend { $site->answer(@_) };

# An httpd with these lines, and a site that it has learnt.
sub learnt {
    my ($conf) = @_;
    my $httpd = proxy($backend, detector => 'incremental', no_store => 1, log_level => 'info', conf => "TmplMode strip\n$conf");
    $httpd->expect_log(qr/\[tmpl:warn\]/);
    ok wait_for { $httpd->visit(1 .. 8); $httpd->get('/page/9')->body eq $site->stripped(9) }, 'a site is learnt';
    return $httpd;
}

# The responses to some pages that are neither the page nor the stripped page.
sub wrong {
    my ($httpd, @n) = @_;
    return grep { my $body = $httpd->get("/page/$_")->body; $body ne $site->page($_) && $body ne $site->stripped($_) } @n;
}

subtest 'late' => sub {
    my $redis = redis();
    my $late = Test::Tmpl::Redis::late($redis->port, 200);
    my $httpd = learnt("TmplTimeout 10s\nTmplLearnDelay 10ms\nTmplStore redis://127.0.0.1:$late/0");
    is scalar(grep { $_->says('declined') ne '' } $httpd->visit(20 .. 23)), 0, 'within TmplTimeout it is waited for';
    $httpd->finish;
    $httpd = proxy($backend, detector => 'incremental', no_store => 1, conf => "TmplMode strip\nTmplTimeout 50ms\nTmplStore redis://127.0.0.1:$late/0");
    $httpd->expect_log(qr/\[tmpl:warn\]/);
    is_deeply [wrong($httpd, 1 .. 20)], [], 'beyond it no response is wrong';
    is $httpd->get('/page/21')->says('declined'), 'store', 'and says why it is the page as it was';
    $httpd->finish;
};

# Whether the server has bytes that it has not read.
sub is_asked { my $port = sprintf '%04X', $_[0]->port; return slurp('/proc/net/tcp') =~ /^\s*\d+: \w+:$port \w+:\w+ 01 \w+:(?!0{8})/m }

# The watchdog is in a call of the second store, which fails for a batch and for two of its sites, a second each. A
# child's end waits for two seconds, and then for the pages of the first store.
subtest 'silent while a child ends' => sub {
    my $redis = redis();
    my ($first, $second) = map { $redis->uri =~ s/0$/$_/r } 0, 1;
    my $httpd = proxy($backend, detector => 'incremental', no_store => 1, conf => "TmplMode strip\nTmplTimeout 5s\n" . Test::Tmpl::Httpd::one_child()
        . "<Location /page/1>\nTmplStore $first\nTmplLearnDelay 10s\n</Location>\nTmplStore $second\nTmplLearnDelay 500ms\nTmplSiteKey \"%{QUERY_STRING}\"");
    $httpd->expect_log(qr/\[tmpl:warn\]/);
    is scalar(grep { $httpd->get($_)->says('declined') ne '' } '/page/1?A', map { "/page/2?$_" } 'A' .. 'D'), 0, 'pages wait';
    $redis->stop;
    wait_for { is_asked($redis) } or die "nobody learns\n";
    $httpd->finish;
    $redis->continue;
};

subtest 'full in use' => sub {
    my $redis = redis('maxmemory-policy' => 'noeviction');
    my $httpd = learnt("TmplTimeout 5s\nTmplLearnDelay 0\nTmplStore " . $redis->uri);
    my $pages = $httpd->get('/page/9')->says('pages');
    $redis->command('CONFIG', 'SET', 'maxmemory', 1);
    my $res = $httpd->get('/page/30');
    is $res->body, $site->stripped(30), 'what is known stays known';
    is $res->says('learned'), '0', 'nothing is learnt';
    is $res->says('pages'), $pages, 'as the count says';
    like $httpd->log_text, qr/T013/, 'the log has it';
    $redis->command('CONFIG', 'SET', 'maxmemory', 0);
    is $httpd->get('/page/31')->says('pages'), $pages + 1, 'it has room again';
    $httpd->finish;
};

# What allkeys-* may do, and somebody who deletes keys by hand.
subtest 'the secret is lost' => sub {
    my $key = 'tmpl:6:secret';
    my $redis = redis();
    # one child: another one may not have asked for the secret yet, and would draw its own
    my $one = Test::Tmpl::Httpd::one_child();
    my $httpd = learnt("${one}TmplTimeout 5s\nTmplStore " . $redis->uri);
    my $secret = $redis->command('GET', $key);
    $redis->command('DEL', $key);
    my $n = 100;
    ok wait_for { $httpd->get('/page/' . $n++); $redis->command('EXISTS', $key) }, 'a process that knows it puts it back';
    is $redis->command('GET', $key), $secret, 'it is the same';
    is $httpd->get('/page/10')->body, $site->stripped(10), 'the site is known';
    $httpd->stop;
    $redis->command('DEL', $key);
    $httpd->start;
    is_deeply [wrong($httpd, 10 .. 14)], [], 'a process that does not know it draws another: no response is wrong';
    isnt $redis->command('GET', $key), $secret, 'there is another secret';
    ok wait_for { $httpd->visit(1 .. 8); $httpd->get('/page/9')->body eq $site->stripped(9) }, 'the site is learnt anew';
    $httpd->finish;

    $httpd = learnt("TmplSecret 0123456789abcdef\nTmplTimeout 5s\nTmplStore " . $redis->uri . "\nTmplSiteKey chosen.example");
    $httpd->stop;
    $redis->command('DEL', $key);
    $httpd->start;
    is $httpd->get('/page/10')->body, $site->stripped(10), 'with TmplSecret the loss is harmless';
    $httpd->finish;
};

subtest 'a replica in trouble' => sub {
    my $master = redis('repl-diskless-sync-delay' => 0);
    my $replica = redis(replicaof => '127.0.0.1 ' . $master->port, 'replica-serve-stale-data' => 'no');
    my $linked = sub { $replica->command('INFO', 'replication') =~ /master_link_status:up/ };
    wait_for { $linked->() } or die "the replica does not find its master\n";
    my $httpd = learnt("TmplTimeout 200ms\nTmplLearnDelay 1ms\nTmplStore " . $master->uri . "\nTmplStoreRead " . $replica->uri
        . "\n<Location /server-status>\nProxyPass !\nSetHandler tmpl-status\nTmplMode off\n</Location>");
    my $asked = sub { $_[0]->command('INFO', 'commandstats') =~ /cmdstat_hmget:calls=(\d+)/ ? $1 : 0 };
    my $stripped = sub { my ($n) = @_; wait_for { $httpd->get("/page/$n")->body eq $site->stripped($n) } };

    $replica->stop;
    is_deeply [wrong($httpd, 40 .. 45)], [], 'silent: no response is wrong';
    my $before = $asked->($master);
    ok $stripped->(10), 'silent: the master is asked';
    cmp_ok $asked->($master), '>', $before, 'by look-ups';
    $replica->continue;
    ok wait_for { my $is = $asked->($replica); $httpd->get('/page/11'); $asked->($replica) > $is }, 'it is asked again';

    # its master is not there any more: it refuses all reads
    $replica->command('CONFIG', 'SET', 'masterauth', 'wrong');
    $replica->command('REPLICAOF', '127.0.0.1', free_port());
    wait_for { !$linked->() } or die "the replica has its master still\n";
    is_deeply [wrong($httpd, 50 .. 55)], [], 'without its master: no response is wrong';
    ok $stripped->(12), 'without its master: the master is asked';
    # a child that still keeps away from the replica does not notice
    ok wait_for { $httpd->get('/page/12'); $httpd->log_text =~ /the replica has lost its master/ }, 'the log says why';

    # it serves what it had
    $replica->command('CONFIG', 'SET', 'replica-serve-stale-data', 'yes');
    my $pages = sub { $httpd->get("/page/$_[0]")->says('pages') || 0 };
    ok wait_for { my $is = $asked->($replica); $httpd->get('/page/13'); $asked->($replica) > $is }, 'stale: it is asked';
    $httpd->visit(60 .. 65) for 1 .. 3;
    ok $stripped->(60), 'stale: pages are judged by what it had';
    $replica->command('REPLICAOF', '127.0.0.1', $master->port);
    $replica->command('CONFIG', 'SET', 'masterauth', '');
    ok wait_for { $linked->() }, 'it finds its master';
    ok wait_for { $pages->(60) > 0 }, 'and is asked again';

    # a page that was judged without the store is learnt at a later visit
    my $settled = sub {
        my %count = %{ $httpd->counted('/server-status') };
        my ($written, $read) = map { $_->command('INFO', 'replication') =~ /^master_repl_offset:(\d+)/m } $master, $replica;
        return $count{'learn-later'} == $count{'learn-done'} && $read == $written;
    };
    ok wait_for { !grep { $_->says('learned') ne '1' } $httpd->visit(60 .. 65) }, 'all pages are learnt';
    ok wait_for { $settled->() }, 'and nothing waits';
    my $is = $pages->(60);
    $httpd->visit(60 .. 65) for 1 .. 3;
    ok wait_for { $settled->() }, 'nor after they were visited again';
    is $pages->(60), $is, 'and each page counts once';
    $httpd->finish;
};
done_testing;
