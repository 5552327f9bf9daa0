# SPDX-License-Identifier: Apache-2.0

# With TmplLearnDelay a page is judged while its client waits and learnt later: soon, or when the
# server is restarted or stopped, or not at all if the store is full or stopped. Until then it does not
# count for other pages.

use FindBin;
use lib "$FindBin::Bin/../lib";
use Test::Tmpl;

my $site = site();
my $backend = backend { $site->answer(@_) };

# A proxy with that TmplLearnDelay, more configuration and more options.
sub waiting {
    my ($delay, $conf, %args) = @_;
    my $text = 'ProxyPass /server-status !' . "\nProxyPass / " . $backend->url . "/\nTmplMode strip\nTmplLearnDelay $delay\n"
        . "<Location /server-status>\nSetHandler tmpl-status\nTmplMode off\n</Location>\n" . ($conf // '');
    return Test::Tmpl::Httpd->new(detector => 'incremental', conf => $text, %args)->start;
}

sub counters {
    my ($httpd) = @_;
    return $httpd->counted('/server-status');
}

subtest 'soon after' => sub {
    my $httpd = waiting('1ms');
    $httpd->visit(1 .. 6);
    ok wait_for { counters($httpd)->{learned} == 6 }, 'six documents are learnt without further requests';
    my $count = counters($httpd);
    is $count->{'learn-later'}, 6, 'no page is learnt in its request';
    is $count->{'learn-done'}, 6, 'all pages are passed to the store';
    my $res = $httpd->get('/page/7');
    same_bytes($res->body, $site->stripped(7), 'the seventh is stripped');
    is $res->says('pages'), 7, 'seven documents';
    ok wait_for { counters($httpd)->{learned} == 7 }, 'the seventh is learnt';
    $httpd->get('/page/7');
    is counters($httpd)->{'learn-later'}, 7, 'a page that is already counted does not wait';
    $httpd->finish;
};

# Each child keeps its own pages waiting.
for my $way (qw(graceful restart)) {
    subtest "at a $way" => sub {
        my ($httpd, $count, @answers) = within(10, sub {
            my $httpd = waiting('10s');
            my @answers = $httpd->visit(1 .. 6);
            return ($httpd, counters($httpd), @answers);
        });
        is join(' ', map { $_->says('pages') } @answers), '1 1 1 1 1 1', 'no page sees another page that waits';
        is join(' ', map { $_->says('learned') } @answers), '1 1 1 1 1 1', 'each page reports learned';
        is $count->{learned}, 0, 'no page is learnt yet';
        is $count->{'learn-later'}, 6, 'all pages wait';
        $httpd->$way;
        # a restart resets the counters
        is counters($httpd)->{learned}, 6, 'the pages are learnt when their children end' if $way eq 'graceful';
        my $res = $httpd->get('/page/7');
        is $res->says('pages'), 7, 'seven documents';
        same_bytes($res->body, $site->stripped(7), 'their template is stripped');
        $httpd->finish;
    };
}

subtest 'one waits, another does not' => sub {
    my ($httpd, $count, $next) = within(10, sub {
        my $httpd = waiting('10s', "<Location /page/2>\nTmplLearnDelay 0\n</Location>\n");
        $httpd->visit(1, 2);
        return ($httpd, counters($httpd), $httpd->get('/page/3'));
    });
    is $count->{'learn-later'}, 1, 'one page waits';
    is $count->{learned}, 1, 'the other page is learnt';
    is $next->says('pages'), 2, 'the next page sees it';
    $httpd->finish;
};

subtest 'a store that is full' => sub {
    my $wide = backend {
        my ($connection, $request) = @_;
        my ($n) = $request->{target} =~ m{/wide/(\d+)} or return $site->answer(@_);
        my $html = $site->page($n) =~ s{</article>}{join '', (map { "<p>Line $n.$_</p>" } 1 .. 300), '</article>'}er;
        return $connection->respond(200, { 'Content-Type' => 'text/html' }, $html);
    };
    my $httpd = waiting('1ms', undef, ulimit => '-f 1024');
    $httpd->expect_log(qr/\[T013\]/);
    $httpd->{conf} =~ s{ProxyPass / \S+}{'ProxyPass / ' . $wide->url . '/'}e;
    $httpd->restart;
    my ($n, $count) = (0);
    do {
        $httpd->get('/wide/' . ++$n);
        $count = counters($httpd);
    } until $count->{'learn-lost-full'} > 0 || $n == 2000;
    cmp_ok $count->{'learn-lost-full'}, '>', 0, "full after $n pages: waiting pages are lost and counted";
    is $count->{'learn-lost-failed'}, 0, 'the store has not failed';
    is $count->{'store-failures'}, 0, 'no request had a failure of the store';
    is $httpd->get('/wide/1')->says('pages') > 0, 1, 'pages are still judged';
    ok wait_for { $httpd->get('/wide/' . ++$n)->says('learned') eq '0' }, 'and do not say that they will be learnt';
    $httpd->finish;
};

# Redis ends while pages wait: clients get their pages, the log has one line, and Redis learns the
# waiting pages when it is back.
subtest 'a Redis that is killed and comes back' => sub {
    my $redis = redis();
    my $httpd = waiting('1ms', 'TmplTimeout 5s' . "\nTmplStore " . $redis->unix_uri);
    $httpd->expect_log(qr/\[T01[1278]\]/);
    $httpd->visit(1 .. 5);
    ok wait_for { counters($httpd)->{learned} == 5 }, 'five documents are learnt';
    $redis->stop;
    my @stuck = map { $httpd->get("/page/$_") } 6 .. 8;
    is scalar(grep { $_->status == 200 && $_->body ne '' } @stuck), 3, 'pages are served while Redis hangs';
    $redis->kill9;
    my @answers = map { $httpd->get("/page/$_") } 9 .. 12;
    is scalar(grep { $_->status == 200 && $_->body ne '' } @answers), 4, 'pages are served when Redis has ended';
    $redis->start;
    ok wait_for { $httpd->get('/page/1')->says('pages') ne '' }, 'Redis is used again';
    my $before = counters($httpd)->{learned};
    my $n = 100;
    ok wait_for { $httpd->get('/page/' . ++$n); counters($httpd)->{learned} > $before }, 'Redis learns again';
    my $count = counters($httpd);
    cmp_ok $count->{'learn-done'} + $count->{'learn-lost-failed'} + $count->{'learn-lost-full'}, '<=', $count->{'learn-later'},
        'each page is accounted for once';
    $httpd->finish;
};

# Redis has ended when the child of waiting pages ends: the child ends without delay, and counts
# them as lost.
subtest 'a Redis that is stopped at the end' => sub {
    my ($httpd, $count) = within(10, sub {
        my $redis = redis();
        my $httpd = waiting('10s', 'TmplStore ' . $redis->unix_uri);
        $httpd->visit(1 .. 5);
        my $count = counters($httpd);
        $redis->kill9;
        return ($httpd, $count);
    });
    $httpd->expect_log(qr/\[T01[1278]\]/);
    is $count->{'learn-later'}, 5, 'five pages wait';
    $httpd->graceful;
    is counters($httpd)->{'learn-lost-failed'}, 5, 'the pages are lost and counted';
    is $httpd->get('/page/1')->status, 200, 'pages are served';
    $httpd->finish;
};

done_testing;
