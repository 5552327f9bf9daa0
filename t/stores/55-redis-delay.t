# SPDX-License-Identifier: Apache-2.0

# With TmplLearnDelay a process judges pages by counts that it read from Redis up to that time ago.
# It reads rarely, sees what other processes learn with that delay, and what it learns itself at
# once. The first page that has to read shows that Redis has ended.

use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::Tmpl;

my $redis = redis();
my $site = site();
# /wide/N has a story and a hundred lines of its own, so the site has more buckets than one page needs
my $backend = backend {
    my ($connection, $request) = @_;
    my ($n) = $request->{target} =~ m{/wide/(\d+)} or return $site->answer(@_);
    my $html = $site->page("9$n") =~ s{</article>}{join '', (map { "<p>Line $n.$_</p>" } 1 .. 100), '</article>'}er;
    return $connection->respond(200, { 'Content-Type' => 'text/html' }, $html);
};
# one process each, because each process reads at its own time
my $one = Test::Tmpl::Httpd::one_child();

sub with_redis {
    my ($more) = @_;
    my $httpd = proxy($backend, detector => 'incremental', no_store => 1,
        conf => "${one}TmplMode strip\nTmplStore " . $redis->unix_uri . "\n$more\n");
    return $httpd;
}

sub asked {
    my ($calls) = $redis->command('INFO', 'commandstats') =~ /^cmdstat_hmget:calls=(\d+)/m;
    return $calls // 0;
}

# Requests a page until it reports that many documents.
sub sees {
    my ($httpd, $page, $pages) = @_;
    return wait_for { $httpd->get("/page/$page")->says('pages') == $pages };
}

my $writer = with_redis('TmplLearnDelay 0');
my $pages = 20;
$writer->visit(1 .. $pages);

# Documents that no process has learnt.
sub new_pages { return map { ++$pages } 1 .. $_[0] }

# What code returns for a server with that configuration, before the counts that it keeps for ten
# seconds are too old.
sub within_delay {
    my ($conf, $code) = @_;
    my ($is) = within(10, sub {
        my $httpd = with_redis("TmplLearnDelay 10s\n$conf");
        my $is = $code->($httpd);
        $httpd->finish;
        return $is;
    });
    return $is;
}

subtest 'seldom asked, and of the same moment' => sub {
    my $is = within_delay('TmplLearn off', sub {
        my ($httpd) = @_;
        $httpd->visit(1 .. 10);
        my ($known, $before) = ($pages, asked());
        $httpd->visit(map { 1 .. 10 } 1 .. 5);
        my %is = (asked => asked() - $before, body => $httpd->get('/page/3')->body);
        $writer->visit(new_pages(2));
        $is{others} = $httpd->get('/page/3')->says('pages') - $known;
        return \%is;
    });
    is $is->{asked}, 0, 'fifty pages whose counts are kept: Redis is not read';
    same_bytes($is->{body}, $site->stripped(3), 'these pages are stripped');
    is $is->{others}, 0, 'what another process has learnt is not seen yet';
    is $writer->get('/page/3')->says('pages'), $pages, 'that process sees what it has learnt';
};

subtest 'until the delay is over' => sub {
    my $httpd = with_redis("TmplLearnDelay 50ms\nTmplLearn off");
    $httpd->visit(1 .. 10);
    $writer->visit(new_pages(2));
    ok sees($httpd, 3, $pages), 'what another process has learnt is seen later';
    $httpd->finish;
};

subtest 'what it has learnt itself' => sub {
    my $own = 1000;
    my $is = within_delay("<LocationMatch ^/page/1\\d{3}>\nTmplLearnDelay 0\n</LocationMatch>", sub {
        my ($httpd) = @_;
        $httpd->visit(1 .. 10);
        my $known = $pages;
        $writer->visit(new_pages(1));
        my @seen = map { $httpd->get("/page/$_")->says('pages') - $known } 3, $own++, 3;
        # the page at $own is a document, too
        $pages++;
        return \@seen;
    });
    is $is->[0], 0, 'what another process has learnt is not seen';
    is $is->[1], 2, 'a page that is learnt at once is counted after all others';
    is $is->[2], 2, 'it is seen, with the counts that were read for it';
};

subtest 'Redis is gone' => sub {
    $writer->get("/wide/$_") for 1 .. 20;
    # at first Redis only does not reply, so the module tries again
    my ($httpd, $res) = within(10, sub {
        $redis->continue;
        my $httpd = with_redis("TmplLearnDelay 10s\nTmplLearn off");
        $httpd->visit(1 .. 3);
        $redis->stop;
        return ($httpd, $httpd->get('/page/3'));
    });
    $redis->kill9;
    $httpd->expect_log(qr/\[T01[12]\]/);
    same_bytes($res->body, $site->stripped(3), 'a page whose counts are kept is stripped');
    is $httpd->get('/wide/99')->says('declined'), 'store', 'a page that needs the store is declined';
    is $httpd->get('/page/30')->says('declined'), 'store', 'after that every other page is declined';
    same_bytes($httpd->get('/page/30')->body, $site->page(30), 'declined pages pass unchanged');
    is $httpd->get('/page/3')->says('cache'), 'hit', 'a page whose decision is kept stays as it was';
    $redis->start;
    ok wait_for { my $res = $httpd->get('/page/3'); !$res->says('declined') && $res->says('state') eq 'cold' },
        'Redis is read again after it was started';
    $httpd->finish;
};

$writer->expect_log(qr/\[T01[12]\]/);
$writer->finish;
done_testing;
